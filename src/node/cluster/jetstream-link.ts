// Connects a node to its cluster: metadata from a log in JetStream, membership, requests between nodes, and the duties of the manager,
// which assigns primaries and removes the logs of deleted indices.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterNode } from '../../api/core/cluster-node.ts';
import { ClusterStartError, patiently } from '../../cluster/cluster-start.ts';
import { EntryLog } from '../../cluster/entry-log.ts';
import { JetStream } from '../../cluster/jetstream.ts';
import { type LogSubject, logUnreachableError } from '../../cluster/log-subject.ts';
import { Membership, type NodeInfo } from '../../cluster/membership.ts';
import { metadataStream, metadataSubject, nodesBucket } from '../../cluster/names.ts';
import { NOT_SENT, PeerClient, PeerServer } from '../../cluster/peers.ts';
import { CLUSTER_TIMING } from '../../cluster/timing.ts';
import type { Settings } from '../../config/settings.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { choosePrimaries } from '../../metadata/primaries.ts';
import type { CommandName } from '../../metadata/reducers.ts';
import { type ClusterMessage, PEER_REQUESTS, type PeerRequest } from '../messages/peer-messages.ts';
import type { MetadataEntry, MetadataLog } from '../metadata/metadata-log.ts';
import { dialectOfNode } from '../metadata/node-dialect.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import type { ClusterLink, LinkedNode } from './cluster-link.ts';
import { type MetadataContent, MetadataSnapshots } from './metadata-snapshots.ts';
import { ProcessLoad } from './process-load.ts';
import { removeLogs } from './remove-logs.ts';

const MIN_SECRET_CHARS = 16;
/** Room in a request between nodes for everything except the operations of a write. */
const REQUEST_ROOM = 1 << 20;
const RETRY_MS = 100;
/** How long startup waits for this node's copies to catch up; operations that arrive later become searchable then. */
const CATCH_UP_MS = 30_000;
/** After this time without heartbeats the other nodes are no longer listed. */
const OUT_OF_TOUCH_MS = 3000;
/**
 * Without stale reads, searches end before the other nodes consider this one gone and refresh without it (NODE_GONE_MS of membership.ts); the difference
 * covers CHECK_MS.
 */
const IN_TOUCH_MS = 1800;
const CHECK_MS = 500;

/** Metadata commands that are not supported in a cluster. */
const UNSUPPORTED: readonly CommandName[] = ['putRepository', 'restoreIndices'];

/** @param onWait  called with the reason if NATS cannot be reached yet @throws ClusterStartError a setting is wrong, or no NATS server responds */
export async function connectCluster(options: NodeOptions, onWait: (reason: string) => void): Promise<ClusterLink> {
  const { settings } = options;
  if (settings['cluster.secret'].length < MIN_SECRET_CHARS)
    throw new ClusterStartError(`cluster.secret must have at least ${MIN_SECRET_CHARS} characters, the same on every node`);
  const jetStream = await patiently(() => JetStream.connect(settings, `${options.nodeName} main`), onWait);
  return new JetStreamLink(options, jetStream);
}

class JetStreamLink implements ClusterLink {
  readonly opensShardsEarly = false;
  readonly metadataLog: MetadataLog;
  readonly #options: NodeOptions;
  readonly #settings: Settings;
  readonly #jetStream: JetStream;
  readonly #server: PeerServer;
  readonly #client: PeerClient;
  readonly #session = randomBytes(12).toString('base64url');
  readonly #startedMs = Date.now();
  #node: LinkedNode | null = null;
  #log: EntryLog<MetadataEntry, MetadataContent> | null = null;
  #metadataSubject: LogSubject | null = null;
  #snapshots: MetadataSnapshots | null = null;
  #membership: Membership | null = null;
  #transportAddress = '';
  #publishAddress = '';
  #isLive = false;
  #isLeaving = false;
  #managing: Promise<void> | null = null;
  #isManagingAgain = false;
  readonly #load = new ProcessLoad();
  #shown = '';
  #checks: NodeJS.Timeout | undefined;

  constructor(options: NodeOptions, jetStream: JetStream) {
    this.#options = options;
    this.#settings = options.settings;
    this.#jetStream = jetStream;
    const maxBytes = this.#settings['http.max_content_length'] + REQUEST_ROOM;
    this.#server = new PeerServer(this.#settings['cluster.secret'], maxBytes, (request) => this.#onRequest(request as PeerRequest));
    this.#client = new PeerClient(this.#settings['cluster.secret'], maxBytes);
    const log = () => this.#requireLog();
    this.metadataLog = {
      catchUp: () => log().catchUp(this.#target),
      append: (entry) => log().append(entry),
      prepare: (entry) => log().prepare(entry),
      get position() {
        return log().position;
      },
    };
  }

  readonly #target = {
    apply: (entry: MetadataEntry) => this.#apply(entry),
    adopt: (content: MetadataContent) => this.#adopt(content),
  };

  #requireLog(): EntryLog<MetadataEntry, MetadataContent> {
    if (this.#log === null) throw new Error('the metadata log is not open yet');
    return this.#log;
  }

  #requireNode(): LinkedNode {
    if (this.#node === null) throw new Error('the node has not joined yet');
    return this.#node;
  }

  // ----------------------------------------------------------------------------------------------------------- start

  async join(node: LinkedNode): Promise<void> {
    this.#node = node;
    const { clusterName } = this.#options;
    const { 'compat.flavor': flavor } = this.#settings;
    const { version } = dialectOfNode(this.#options);
    if (node.position === null && Object.keys(node.state().indices).length > 0)
      throw new ClusterStartError(
        `path.data has indices of a node without cluster.nats.servers, which cannot join a cluster: start with an empty folder and reindex`,
      );
    const onWait = (reason: string) => node.log('warn', `waiting for NATS: ${reason}`);
    await patiently(() => this.#jetStream.ensureStream(metadataStream(clusterName), [metadataSubject(clusterName)]), onWait);
    const subject = this.#jetStream.subject(metadataStream(clusterName), metadataSubject(clusterName), 'the metadata log of the cluster');
    const maxLogBytes = this.#settings['cluster.snapshot.log_size'];
    const snapshots = await patiently(() => MetadataSnapshots.open(this.#jetStream, clusterName, maxLogBytes), onWait);
    const log = new EntryLog<MetadataEntry, MetadataContent>(
      subject,
      'the metadata log of the cluster',
      node.position ?? 0,
      CLUSTER_TIMING,
      snapshots,
    );
    this.#log = log;
    this.#metadataSubject = subject;
    this.#snapshots = snapshots;
    log.follow(() => this.#onNews());
    try {
      await patiently(() => log.catchUp(this.#target), onWait);
      // The first node of a cluster writes the first entry.
      while (log.position === 0) {
        const start = { kind: 'start', clusterUuid: node.state().clusterUuid, flavor, version } as const;
        const isFirst = await patiently(() => log.append(start), onWait);
        if (isFirst) await this.#apply(start);
        else await patiently(() => log.catchUp(this.#target), onWait);
      }
    } catch (error) {
      throw new ClusterStartError((error as Error).message);
    }
    const host = this.#settings['transport.host'];
    const port = await this.#server.listen(host, this.#settings['transport.port']);
    this.#transportAddress = this.#settings['transport.publish_address'] || `${host}:${port}`;
  }

  async start(publishAddress: string): Promise<void> {
    this.#publishAddress = publishAddress;
    this.#isLive = true;
    const bucket = await patiently(
      () => this.#jetStream.bucket(nodesBucket(this.#options.clusterName), Membership.ttlMs),
      (reason) => this.#requireNode().log('warn', `waiting for NATS: ${reason}`),
    );
    this.#membership = new Membership(bucket, () => this.#self(), {
      changed: () => this.#onMembers(),
      duplicate: ({ name, transportAddress }) =>
        this.#requireNode().fail(
          new ClusterStartError(`the node [${name}] at ${transportAddress} has the same node.name and path.data: node.name must be unique`),
        ),
    });
    this.#jetStream.watchStatus((isConnected) =>
      this.#requireNode().log('warn', isConnected ? 'connected to NATS again' : 'the connection to NATS is lost'),
    );
    await this.#membership.start();
    await this.#onMembers();
    this.#onNews();
    await Promise.race([this.#catchUpCopies(), sleep(CATCH_UP_MS, undefined, { ref: false })]);
    this.#checks = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  /** Checks for what no event reports: lost contact with the cluster, and assignments that failed and have to be repeated. */
  #check(): void {
    this.#onMembers();
    const membership = this.#membership;
    if (membership?.isManager && choosePrimaries(this.#requireNode().state(), idsOf(membership)) !== null) this.#manage();
  }

  /** Lets each copy apply its log and refresh. */
  async #catchUpCopies(): Promise<void> {
    const node = this.#requireNode();
    const shards = Object.values(node.state().indices).flatMap(({ uuid, state, settings }) =>
      state === 'open' ? Array.from({ length: Number(settings['index.number_of_shards'] ?? 1) }, (_, shard) => ({ uuid, shard })) : [],
    );
    await Promise.all(shards.map((shard) => this.#catchUpCopy(shard)));
  }

  /** Repeated while the log cannot be reached: searches of this node must not miss what was refreshed while it was away. */
  async #catchUpCopy(shard: { readonly uuid: string; readonly shard: number }): Promise<void> {
    const until = performance.now() + CATCH_UP_MS;
    while (!this.#isLeaving && performance.now() < until && this.#isOpen(shard.uuid)) {
      try {
        await this.#requireNode().askShard({ kind: 'refresh', ...shard });
        return;
      } catch {
        await sleep(RETRY_MS);
      }
    }
  }

  #isOpen(uuid: string): boolean {
    return Object.values(this.#requireNode().state().indices).some((index) => index.uuid === uuid && index.state === 'open');
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    clearInterval(this.#checks);
    await this.#membership?.stop();
    await this.#managing;
    await this.#server.close();
    this.#client.close();
    this.#log?.close();
    await this.#jetStream.close();
  }

  // -------------------------------------------------------------------------------------------------------- metadata

  /** Applies entries of other nodes between commands of this one. */
  #onNews(): void {
    if (!this.#isLive || this.#isLeaving) return;
    const node = this.#requireNode();
    node
      .inQueue(() => this.metadataLog.catchUp())
      .catch((error: Error) => {
        if (error instanceof ApiError) node.log('warn', error.message);
        else if (!this.#isLeaving) node.fail(error);
      });
  }

  async #apply(entry: MetadataEntry): Promise<void> {
    const node = this.#requireNode();
    if (entry.kind === 'start') this.#checkDialect(entry.flavor, entry.version);
    if (this.#isLive) await node.apply(entry);
    else node.replay(entry);
  }

  async #adopt({ state, security, flavor, dialect }: MetadataContent): Promise<void> {
    this.#checkDialect(flavor, dialect);
    await this.#requireNode().adopt(state, security, this.#isLive);
  }

  #checkDialect(ofCluster: string, versionOfCluster: string): void {
    const { 'compat.flavor': flavor } = this.#settings;
    const { version } = dialectOfNode(this.#options);
    if (ofCluster !== flavor || versionOfCluster !== version)
      throw new ClusterStartError(
        `the cluster has compat.flavor ${ofCluster} and compat.version ${versionOfCluster}, this node ${flavor} and ${version}: they must be the same`,
      );
  }

  /** Stores a snapshot of the metadata, and trims its log, if both are due. */
  async #snapshotMetadata(): Promise<void> {
    const log = this.#requireLog();
    const snapshots = this.#snapshots;
    const subject = this.#metadataSubject;
    if (snapshots === null || subject === null || !(await snapshots.isDue(log.lastEntry, log.loggedBytes))) return;
    const node = this.#requireNode();
    const { 'compat.flavor': flavor } = this.#settings;
    const { version: dialect } = dialectOfNode(this.#options);
    const taken = await node.inQueue(async () => {
      await this.metadataLog.catchUp();
      return { position: log.lastEntry, content: { state: node.state(), security: node.security(), flavor, dialect } };
    });
    const applied = this.#membership?.nodes.map(({ metadataPosition }) => metadataPosition) ?? [];
    await snapshots.take(subject, taken.position, log.loggedBytes, taken.content, applied);
  }

  check(name: CommandName): void {
    if (UNSUPPORTED.includes(name)) throw illegalArgumentError(`snapshot repositories are not supported with [cluster.nats.servers] yet`);
  }

  onState(): void {
    this.#manage();
  }

  // ---------------------------------------------------------------------------------------------------------- members

  #self(): NodeInfo {
    return {
      id: this.#options.nodeId,
      name: this.#options.nodeName,
      session: this.#session,
      transportAddress: this.#transportAddress,
      publishAddress: this.#publishAddress,
      startedMs: this.#startedMs,
      metadataPosition: this.#log?.lastEntry ?? 0,
      ...this.#load.now(),
    };
  }

  /** Reports changes of membership to readers and to the manager. */
  async #onMembers(): Promise<void> {
    const message = this.#isLeaving ? null : this.readersMessage();
    if (message === null) return;
    const nodes = message.nodes.map(({ id, transportAddress, isManager }) => [id, transportAddress, isManager]);
    const shown = JSON.stringify([message.isReadable, nodes]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#manage();
    const node = this.#requireNode();
    try {
      await node.inQueue(() => node.broadcast(message));
    } catch (error) {
      node.log('error', `cannot send the list of nodes to readers: ${(error as Error).message}`);
    }
  }

  readersMessage(): ClusterMessage | null {
    const membership = this.#membership;
    if (membership === null) return null;
    const isInTouch = membership.silentMs < OUT_OF_TOUCH_MS;
    const { manager } = membership;
    const { id: own } = this.#self();
    const nodes: ClusterNode[] = membership.nodes
      .filter(({ id }) => isInTouch || id === own)
      .map((info) => ({
        id: info.id,
        name: info.name,
        publishAddress: info.publishAddress,
        transportAddress: info.transportAddress,
        isManager: isInTouch && info.id === manager,
        load:
          info.id === own
            ? null
            : {
                pid: info.pid,
                startedMs: info.startedMs,
                heapPercent: info.heapPercent,
                ramPercent: info.ramPercent,
                cpuPercent: info.cpuPercent,
                averages: info.load,
              },
      }));
    const staleMs = this.#settings['cluster.stale_reads'];
    return { type: 'cluster', nodes, isReadable: staleMs < 0 || membership.silentMs < Math.max(staleMs, IN_TOUCH_MS) };
  }

  // ---------------------------------------------------------------------------------------------------------- manager

  /** Performs the manager's duties, and repeats them if something changes in the meantime. */
  #manage(): void {
    if (this.#membership?.isManager !== true || this.#isLeaving) return;
    if (this.#managing !== null) {
      this.#isManagingAgain = true;
      return;
    }
    this.#managing = this.#manageOnce()
      .catch((error: Error) => {
        if (!this.#isLeaving) this.#requireNode().log('warn', `the manager could not assign shards or remove logs: ${error.message}`);
      })
      .finally(() => {
        this.#managing = null;
        if (!this.#isManagingAgain) return;
        this.#isManagingAgain = false;
        this.#manage();
      });
  }

  async #manageOnce(): Promise<void> {
    const node = this.#requireNode();
    const primaries = this.#membership === null ? null : choosePrimaries(node.state(), idsOf(this.#membership));
    if (primaries !== null) await node.command('assignPrimaries', { primaries });
    await removeLogs(this.#jetStream, this.#options.clusterName, {
      state: () => node.state(),
      catchUp: () => node.inQueue(() => this.metadataLog.catchUp()),
    });
    await this.#snapshotMetadata();
  }

  // ------------------------------------------------------------------------------------------------------------ peers

  async #onRequest(request: PeerRequest): Promise<Uint8Array | null> {
    if (!this.#isLive || this.#isLeaving) throw new ApiError(NOT_SENT, 503, `[${this.#options.nodeName}] is not ready`);
    if (!PEER_REQUESTS.includes(request.kind) || typeof request.uuid !== 'string' || !Number.isInteger(request.shard))
      throw illegalArgumentError('unknown request of another node');
    return this.#requireNode().askShard(request);
  }

  async ask(node: string, request: PeerRequest): Promise<Uint8Array | null> {
    const info = this.#membership?.nodes.find(({ id }) => id === node);
    if (info === undefined) throw new ApiError(NOT_SENT, 503, `node [${node}] is not in the cluster`);
    return (await this.#client.ask(info.transportAddress, request)) as Uint8Array | null;
  }

  async refreshOthers(uuid: string, shard: number): Promise<void> {
    const own = this.#options.nodeId;
    const others = this.#membership?.nodes.filter(({ id }) => id !== own) ?? [];
    await Promise.all(others.map((other) => this.#refreshOn(other, uuid, shard)));
  }

  async committedOthers(uuid: string, shard: number): Promise<readonly number[] | null> {
    const own = this.#options.nodeId;
    const membership = this.#membership;
    if (membership === null || membership.silentMs > OUT_OF_TOUCH_MS) return null;
    const request: PeerRequest = { kind: 'committed', uuid, shard };
    const others = membership.nodes.filter(({ id }) => id !== own);
    try {
      const replies = await Promise.all(others.map(({ transportAddress }) => this.#client.ask(transportAddress, request)));
      return replies.flatMap((reply) => (reply === null ? [] : [Buffer.from(reply as Uint8Array).readDoubleLE()]));
    } catch {
      return null;
    }
  }

  /** Repeats the request until the node confirms, or until its session has ended. */
  async #refreshOn({ id, session }: NodeInfo, uuid: string, shard: number): Promise<void> {
    while (!this.#isLeaving) {
      const membership = this.#membership;
      const info = membership?.nodes.find((node) => node.id === id);
      if (info?.session !== session) return;
      if (membership !== null && membership.silentMs > OUT_OF_TOUCH_MS) throw logUnreachableError('NATS');
      if (!this.#isOpen(uuid)) return;
      try {
        await this.#client.ask(info.transportAddress, { kind: 'refresh', uuid, shard } satisfies PeerRequest);
        return;
      } catch {
        await sleep(RETRY_MS);
      }
    }
  }
}

function idsOf({ nodes }: Membership): string[] {
  return nodes.map(({ id }) => id);
}
