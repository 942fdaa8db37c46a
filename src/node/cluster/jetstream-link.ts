// Connects a node to its cluster: metadata from a log in JetStream, membership, and requests between nodes.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeOfContext } from '../../api/core/search-context.ts';
import { ClusterStartError, patiently } from '../../cluster/cluster-start.ts';
import { EntryLog } from '../../cluster/entry-log.ts';
import { JetStream } from '../../cluster/jetstream.ts';
import { Membership, type NodeInfo } from '../../cluster/membership.ts';
import { metadataStream, metadataSubject, nodesBucket } from '../../cluster/names.ts';
import { NOT_SENT, PeerClient, PeerServer } from '../../cluster/peers.ts';
import { ReadLease } from '../../cluster/read-lease.ts';
import { clusterTiming } from '../../cluster/timing.ts';
import { SharedCall } from '../../common/shared-call.ts';
import type { Settings } from '../../config/settings.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import type { CommandName } from '../../metadata/reducers.ts';
import type { ShardRequest } from '../messages/messages.ts';
import { type ClusterMessage, isShardRequest, type PeerRequest, type SpreadContextRequest } from '../messages/peer-messages.ts';
import type { MetadataEntry, MetadataLog } from '../metadata/metadata-log.ts';
import { dialectOfNode } from '../metadata/node-dialect.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { CatchUp, isOpen } from './catch-up.ts';
import type { ClusterLink, LinkedNode } from './cluster-link.ts';
import { clusterMessage } from './cluster-message.ts';
import { CopyAllocator } from './copy-allocator.ts';
import { CopyRequests } from './copy-requests.ts';
import { CopyStarts } from './copy-starts.ts';
import { Manager } from './manager.ts';
import { type MetadataContent, MetadataSnapshots } from './metadata-snapshots.ts';
import { OtherNodes } from './other-nodes.ts';
import { ProcessLoad } from './process-load.ts';

const MIN_SECRET_CHARS = 16;
/** Room in a request between nodes for everything except the operations of a write. */
const REQUEST_ROOM = 1 << 20;
/** How long startup waits for this node's copies to catch up; its searches are refused until they have. */
const CATCH_UP_MS = 30_000;
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
  readonly #others: OtherNodes;
  readonly #lease: ReadLease;
  readonly #session = randomBytes(12).toString('base64url');
  readonly #startedMs = Date.now();
  #node: LinkedNode | null = null;
  #log: EntryLog<MetadataEntry, MetadataContent> | null = null;
  #membership: Membership | null = null;
  #transportAddress = '';
  #publishAddress = '';
  /** The node opens its shards: from this moment a change of metadata concerns all threads. */
  #hasJoined = false;
  #isLive = false;
  #isLeaving = false;
  readonly #catchUpWithOthers: CatchUp;
  readonly #metadata = new SharedCall(() => this.#requireNode().inQueue(() => this.metadataLog.catchUp()));
  readonly #spread = new SharedCall(() => this.#others.spread(this.#requireLog().position));
  #manager: Manager | null = null;
  readonly #load: ProcessLoad;
  readonly #copyRequests: CopyRequests;
  readonly #copyStarts: CopyStarts;
  #shown = '';
  #checks: NodeJS.Timeout | undefined;

  constructor(options: NodeOptions, jetStream: JetStream) {
    this.#options = options;
    this.#settings = options.settings;
    this.#jetStream = jetStream;
    const maxBytes = this.#settings['http.max_content_length'] + REQUEST_ROOM;
    this.#server = new PeerServer(this.#settings['cluster.secret'], maxBytes, (request) => this.#onRequest(request as PeerRequest));
    this.#client = new PeerClient(this.#settings['cluster.secret'], maxBytes);
    this.#others = new OtherNodes({ client: this.#client, membership: () => this.#membership, isLeaving: () => this.#isLeaving });
    this.#load = new ProcessLoad(options.dataPath);
    const isLeaving = () => this.#isLeaving;
    this.#copyRequests = new CopyRequests({
      state: () => this.#requireNode().state(),
      membership: () => this.#membership,
      isLeaving,
      ask: (node, request) => this.#others.ask(node, request),
    });
    this.#copyStarts = new CopyStarts({ nodeId: options.nodeId, node: () => this.#requireNode(), isLeaving });
    this.#lease = new ReadLease(this.#settings['cluster.stale_reads']);
    this.#catchUpWithOthers = new CatchUp(this.#lease, {
      node: () => this.#requireNode(),
      metadata: () => this.#metadata.run(),
      isLeaving: () => this.#isLeaving,
    });
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

  async join(getNode: () => LinkedNode): Promise<void> {
    const node = getNode();
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
      clusterTiming(() => this.#jetStream.disconnectedForMs),
      snapshots,
    );
    this.#log = log;
    this.#manager = new Manager({
      jetStream: this.#jetStream,
      options: this.#options,
      node,
      log,
      subject,
      snapshots,
      allocator: new CopyAllocator({
        node: () => node,
        isAllocated: this.#settings['cluster.copies'] === 'allocated',
        sizes: async () => [await node.sizes(), ...(await this.#others.sizesOfCopies(this.#options.nodeId))],
      }),
      catchUp: () => this.metadataLog.catchUp(),
      membership: () => this.#membership,
      isLeaving: () => this.#isLeaving,
    });
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
    this.#hasJoined = true;
  }

  async start(publishAddress: string): Promise<void> {
    this.#publishAddress = publishAddress;
    this.#isLive = true;
    const name = nodesBucket(this.#options.clusterName);
    const bucket = await patiently(
      () => this.#jetStream.bucket(name, Membership.ttlMs),
      (reason) => this.#requireNode().log('warn', `waiting for NATS: ${reason}`),
    );
    this.#membership = new Membership(
      bucket,
      () => this.#jetStream.keysOf(name),
      () => this.#self(),
      {
        changed: () => this.#onMembers(),
        renewed: (sentMs, confirmedMs) => {
          if (!this.#lease.renewed(sentMs, confirmedMs)) this.#catchUpWithOthers.start();
        },
        duplicate: ({ name, transportAddress }) =>
          this.#requireNode().fail(
            new ClusterStartError(
              `the node [${name}] at ${transportAddress} has the same node.name and path.data: node.name must be unique`,
            ),
          ),
      },
    );
    this.#jetStream.watchStatus((isConnected) =>
      this.#requireNode().log('warn', isConnected ? 'connected to NATS again' : 'the connection to NATS is lost'),
    );
    await this.#membership.start();
    await this.#onMembers();
    this.#onNews();
    this.#copyStarts.update(this.#requireNode().state());
    await Promise.race([this.#catchUpWithOthers.done, sleep(CATCH_UP_MS, undefined, { ref: false })]);
    this.#checks = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  /** Checks for what no event reports: lost contact with other nodes, and assignments that failed and have to be repeated. */
  #check(): void {
    this.#onMembers();
    this.#manager?.check();
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    clearInterval(this.#checks);
    await this.#membership?.stop();
    await this.#manager?.settled();
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
    if (this.#hasJoined) await node.apply(entry);
    else node.replay(entry);
  }

  async #adopt({ state, security, flavor, dialect }: MetadataContent): Promise<void> {
    this.#checkDialect(flavor, dialect);
    await this.#requireNode().adopt(state, security, this.#hasJoined);
  }

  #checkDialect(ofCluster: string, versionOfCluster: string): void {
    const { 'compat.flavor': flavor } = this.#settings;
    const { version } = dialectOfNode(this.#options);
    if (ofCluster !== flavor || versionOfCluster !== version)
      throw new ClusterStartError(
        `the cluster has compat.flavor ${ofCluster} and compat.version ${versionOfCluster}, this node ${flavor} and ${version}: they must be the same`,
      );
  }

  check(name: CommandName): void {
    if (UNSUPPORTED.includes(name)) throw illegalArgumentError(`snapshot repositories are not supported with [cluster.nats.servers] yet`);
  }

  onState(state: ClusterState): void {
    this.#manager?.run();
    if (this.#isLive) this.#copyStarts.update(state);
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
      attributes: this.#settings['node.attr'],
      ...this.#load.now(),
    };
  }

  /** Reports changes of membership to readers and to the manager. */
  async #onMembers(): Promise<void> {
    const message = this.#isLeaving ? null : this.readersMessage();
    if (message === null) return;
    const nodes = message.nodes.map(({ id, transportAddress, isManager }) => [id, transportAddress, isManager]);
    const shown = JSON.stringify(nodes);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#manager?.run();
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
    return clusterMessage(membership, this.#options.nodeId, this.#lease.shared);
  }

  // ------------------------------------------------------------------------------------------------------------ peers

  async #onRequest(request: PeerRequest): Promise<unknown> {
    if (!this.#isLive || this.#isLeaving) throw new ApiError(NOT_SENT, 503, `[${this.#options.nodeName}] is not ready`);
    if (request.kind === 'metadata') return this.#onMetadataRequest(request.position);
    if (request.kind === 'rest') return this.#requireNode().serve(request.request);
    if (request.kind === 'sizes') return this.#requireNode().sizes();
    if (request.kind === 'contexts') return this.#requireNode().contexts(request.request);
    if (!isShardRequest(request)) throw illegalArgumentError('unknown request of another node');
    const node = this.#requireNode();
    const reply = await node.askShard(request);
    // Within that time no server can have been elected whose log goes on without the one that was asked.
    if (request.kind === 'request' && request.request.type === 'document' && !this.#lease.isReadable)
      throw new ApiError('cluster_block_exception', 503, `[${this.#options.nodeName}] is out of touch with its cluster`);
    // Readers may not know a new index yet.
    if (request.kind === 'refresh') await node.inQueue(async () => undefined);
    return reply;
  }

  async #onMetadataRequest(position: number): Promise<null> {
    await this.#requireNode().inQueue(async () => {
      if (this.#requireLog().position < position) await this.metadataLog.catchUp();
    });
    return null;
  }

  ask(node: string, request: PeerRequest): Promise<unknown> {
    return this.#others.ask(node, request);
  }

  askCopy(request: ShardRequest): Promise<unknown> {
    return this.#copyRequests.ask(request);
  }

  askContexts(request: SpreadContextRequest): Promise<unknown[]> {
    const nodes = request.action === 'close' && request.keys !== null ? new Set(request.keys.map(nodeOfContext)) : null;
    return this.#others.askSome(this.#options.nodeId, nodes, { kind: 'contexts', request });
  }

  refreshOthers(uuid: string, shard: number): Promise<void> {
    return this.#others.askReadable({ kind: 'refresh', uuid, shard }, () => isOpen(this.#requireNode().state(), uuid));
  }

  async committedOthers(uuid: string, shard: number): Promise<readonly number[] | null> {
    const replies = await this.#others.askAll(this.#options.nodeId, { kind: 'committed', uuid, shard });
    return replies?.flatMap((reply) => (reply === null ? [] : [Buffer.from(reply as Uint8Array).readDoubleLE()])) ?? null;
  }

  catchUp(): Promise<void> {
    return this.#metadata.run();
  }

  spread(): Promise<void> {
    return this.#spread.run();
  }
}
