// A thread's connection to JetStream: streams as logs, and key-value buckets.

import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Settings } from '../config/settings.ts';
import { type LogMessage, type LogSubject, logUnreachableError, type Published } from './log-subject.ts';
import {
  connect,
  DeliverPolicy,
  DiscardPolicy,
  headers,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  Kvm,
  RetentionPolicy,
  StorageType,
} from './nats-packages.ts';

/** Time allowed for JetStream to respond. */
const REQUEST_MS = 2000;
/** Delay between attempts to follow a log whose consumer could not be created. */
const RETRY_MS = 250;
const WRONG_LAST_SEQUENCE = 10071;
const NO_MESSAGE = 10037;
/** Headers with the id of a message, and with the sequence that it follows. */
const ID_HEADER = 'Gannet-Id';
const AFTER_HEADER = 'Nats-Expected-Last-Subject-Sequence';
/** Room for headers in a message of maximum size. */
const HEADER_ROOM = 512;
/** Part size of large batches: a server copies whole messages, so smaller ones pipeline better. */
const MAX_PART_BYTES = 512 << 10;
const OLDEST_SERVER = [2, 9] as const;

/** The node cannot join a cluster with its configuration, and stops. */
export class ClusterStartError extends Error {}

export class JetStream {
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #replicas: number;

  private constructor(connection: NatsConnection, client: JetStreamClient, manager: JetStreamManager, replicas: number) {
    this.#connection = connection;
    this.#client = client;
    this.#manager = manager;
    this.#replicas = replicas;
  }

  /** @param name  name of the connection in NATS @throws ClusterStartError no server can be reached, or it has no JetStream */
  static async connect(settings: Settings, name: string): Promise<JetStream> {
    const servers = [...settings['cluster.nats.servers']];
    try {
      const connection = await connect({
        servers,
        name,
        ...(settings['cluster.nats.user'] === '' ? {} : { user: settings['cluster.nats.user'], pass: settings['cluster.nats.password'] }),
        ...(settings['cluster.nats.token'] === '' ? {} : { token: settings['cluster.nats.token'] }),
        timeout: REQUEST_MS,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RETRY_MS,
        // After a few seconds without a response, the connection moves to another server.
        pingInterval: 2000,
        maxPingOut: 2,
      });
      const manager = await jetstreamManager(connection, { timeout: REQUEST_MS });
      checkVersion(connection.info?.version ?? '');
      return new JetStream(connection, jetstream(connection, { timeout: REQUEST_MS }), manager, settings['cluster.nats.replicas']);
    } catch (error) {
      if (error instanceof ClusterStartError) throw error;
      throw new ClusterStartError(`cluster.nats.servers [${servers.join(', ')}]: ${(error as Error).message}`);
    }
  }

  /** Whether a server is connected. */
  get isConnected(): boolean {
    return !this.#connection.isClosed() && !this.#isDisconnected;
  }

  #isDisconnected = false;

  /** Calls back when the connection is lost and when it is restored, until it is closed. */
  async watchStatus(onStatus: (isConnected: boolean) => void): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      this.#isDisconnected = type === 'disconnect';
      onStatus(!this.#isDisconnected);
    }
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  // -------------------------------------------------------------------------------------------------------- streams

  /** Creates a stream if it does not exist. JetStream never removes anything from it. @throws ClusterStartError, ApiError */
  async ensureStream(name: string, subjects: readonly string[]): Promise<void> {
    const config = {
      name,
      subjects: [...subjects],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      num_replicas: this.#replicas,
      // Deduplication is off: the expected sequence already detects repeated messages.
      duplicate_window: 0,
    };
    try {
      await this.#manager.streams.add(config);
    } catch (error) {
      if (error instanceof JetStreamApiError && /already in use/.test(error.message)) return;
      if (error instanceof JetStreamApiError && /replicas > 1 not supported|no suitable peers|insufficient resources/.test(error.message))
        throw new ClusterStartError(
          `cluster.nats.replicas is ${this.#replicas}, but JetStream says [${error.message}]: start as many NATS servers in one cluster, or set cluster.nats.replicas: 1`,
        );
      throw logUnreachableError(`stream [${name}]`, (error as Error).message);
    }
  }

  /** Removes a stream with its messages, if it exists. */
  async removeStream(name: string): Promise<void> {
    await this.#manager.streams.delete(name).catch((error: Error) => {
      if (!(error instanceof JetStreamApiError)) throw logUnreachableError(`stream [${name}]`, error.message);
    });
  }

  /** Names of all streams that begin with a prefix. */
  async streams(prefix: string): Promise<string[]> {
    const found: string[] = [];
    for await (const name of this.#manager.streams.names()) if (name.startsWith(prefix)) found.push(name);
    return found;
  }

  /** @param what  name of the log in errors */
  subject(stream: string, subject: string, what: string): LogSubject {
    const read = (query: { last_by_subj: string } | { seq: number; next_by_subj: string }) => this.#read(stream, query, what);
    return {
      maxBytes: Math.min(MAX_PART_BYTES, (this.#connection.info?.max_payload ?? MAX_PART_BYTES) - HEADER_ROOM),
      publish: (message) => this.#publish(subject, message),
      next: (after) => read({ seq: after + 1, next_by_subj: subject }),
      last: async () => (await read({ last_by_subj: subject }))?.seq ?? 0,
      follow: (after, deliver) => this.#follow(stream, subject, after, deliver),
    };
  }

  async #publish(subject: string, { id, after, data }: Omit<LogMessage, 'seq'>): Promise<Published> {
    const own = headers();
    own.set(ID_HEADER, id);
    try {
      const { seq } = await this.#client.publish(subject, data, {
        headers: own,
        expect: { lastSubjectSequence: after },
        timeout: REQUEST_MS,
      });
      return seq;
    } catch (error) {
      return error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE ? 'stale' : 'unknown';
    }
  }

  /** Asks the leader of the stream, which has all acknowledged messages; other replicas may lag. */
  async #read(
    stream: string,
    query: { last_by_subj: string } | { seq: number; next_by_subj: string },
    what: string,
  ): Promise<LogMessage | null> {
    try {
      const stored = await this.#manager.streams.getMessage(stream, query);
      return stored && { seq: stored.seq, ...identityOf(stored.header), data: stored.data };
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === NO_MESSAGE) return null;
      throw logUnreachableError(what, (error as Error).message);
    }
  }

  #follow(stream: string, subject: string, after: number, deliver: (message: LogMessage) => void): () => void {
    let isEnded = false;
    let stop = (): void => undefined;
    let at = after;
    const run = async (): Promise<void> => {
      const options = { filter_subjects: subject, deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: at + 1 };
      const consumer = await this.#client.consumers.get(stream, options);
      const messages = await consumer.consume({ max_messages: 256 });
      stop = () => messages.stop();
      if (isEnded) return stop();
      for await (const message of messages) {
        if (isEnded) return;
        at = message.seq;
        deliver({ seq: message.seq, ...identityOf(message.headers), data: message.data });
      }
    };
    const keepRunning = async () => {
      while (!isEnded && !this.#connection.isClosed()) {
        await run().catch(() => undefined);
        if (!isEnded) await sleep(RETRY_MS);
      }
    };
    keepRunning();
    return () => {
      isEnded = true;
      stop();
    };
  }

  // -------------------------------------------------------------------------------------------------------- buckets

  /** A bucket whose keys expire `ttlMs` after their last write. @throws ClusterStartError */
  async bucket(name: string, ttlMs: number): Promise<KV> {
    try {
      return await new Kvm(this.#client).create(name, { ttl: ttlMs, replicas: this.#replicas, history: 1, allow_direct: false });
    } catch (error) {
      throw new ClusterStartError(`bucket [${name}]: ${(error as Error).message}`);
    }
  }
}

/** Reads the header fields, which both kinds of messages have. */
function identityOf(fields: { get(name: string): string } | undefined): { id: string; after: number } {
  return { id: fields?.get(ID_HEADER) ?? '', after: Number(fields?.get(AFTER_HEADER) ?? 0) };
}

function checkVersion(version: string): void {
  const [major, minor] = version.split('.').map(Number);
  const [oldest, oldestMinor] = OLDEST_SERVER;
  if (major < oldest || (major === oldest && minor < oldestMinor))
    throw new ClusterStartError(`nats-server ${version} is too old: ${OLDEST_SERVER.join('.')} or newer is needed`);
}
