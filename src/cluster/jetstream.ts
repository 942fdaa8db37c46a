// A thread's connection to JetStream: streams as logs, and key-value buckets.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumerMessages, JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { processClockMs } from '../common/process-clock.ts';
import type { Settings } from '../config/settings.ts';
import { UnknownVersionError } from './batch.ts';
import { ClusterStartError } from './cluster-start.ts';
import { type LogSubject, logUnreachableError, type Published } from './log-subject.ts';
import { objectStream } from './names.ts';
import {
  AuthorizationError,
  connect,
  DeliverPolicy,
  DiscardPolicy,
  headers,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  Kvm,
  Objm,
  RetentionPolicy,
  StorageType,
} from './nats-packages.ts';
import { ObjectBlobs } from './object-blobs.ts';
import { type StreamMessage, type StreamReader, StreamSubject } from './stream-subject.ts';

/** Time allowed for JetStream to respond. */
const REQUEST_MS = 2000;
/** Delay between attempts to follow a log whose consumer could not be created. */
const RETRY_MS = 250;
const WRONG_LAST_SEQUENCE = 10071;
const NO_MESSAGE = 10037;
/** A consumer lives on one server. When two heartbeats of it are missed, or the connection is lost, another one is created. */
const HEARTBEAT_MS = 1000;
const CONSUMER_IS_GONE = ['heartbeats_missed', 'consumer_deleted', 'no_responders'];
/** Headers with the id of a message, and with its number in the log. */
const ID_HEADER = 'Gannet-Id';
const NUMBER_HEADER = 'Gannet-Number';
/** Room for headers in a message of maximum size. */
const HEADER_ROOM = 512;
/** Part size of large batches: a server copies whole messages, so smaller ones pipeline better. */
const MAX_PART_BYTES = 512 << 10;
const OLDEST_SERVER = [2, 9] as const;

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
    this.#watchConnection();
  }

  /** @param name  name of the connection in NATS @throws ApiError no server can be reached; ClusterStartError the servers refuse the node */
  static async connect(settings: Settings, name: string): Promise<JetStream> {
    const servers = [...settings['cluster.nats.servers']];
    const what = `cluster.nats.servers [${servers.join(', ')}]`;
    let connection: NatsConnection | null = null;
    try {
      connection = await connect({
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
      checkVersion(connection.info?.version ?? '');
      const manager = await jetstreamManager(connection, { timeout: REQUEST_MS });
      return new JetStream(connection, jetstream(connection, { timeout: REQUEST_MS }), manager, settings['cluster.nats.replicas']);
    } catch (error) {
      await connection?.close();
      if (error instanceof ClusterStartError) throw error;
      const { message } = error as Error;
      // A server without JetStream, and one that has not started it yet, give the same answer.
      if (error instanceof AuthorizationError) throw new ClusterStartError(`${what}: ${message}`);
      throw logUnreachableError(what, message);
    }
  }

  /** For how long no server has been connected; 0 while one is. */
  get disconnectedForMs(): number {
    if (this.#connection.isClosed()) return Number.POSITIVE_INFINITY;
    return this.#disconnectedMs === null ? 0 : processClockMs() - this.#disconnectedMs;
  }

  /** Since when no server is connected; null while one is. */
  #disconnectedMs: number | null = null;
  readonly #onDisconnect = new Set<() => void>();

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      const isConnected = type === 'reconnect';
      this.#disconnectedMs = isConnected ? null : (this.#disconnectedMs ?? processClockMs());
      if (!isConnected) for (const react of [...this.#onDisconnect]) react();
      this.#onStatus(isConnected);
    }
  }

  #onStatus: (isConnected: boolean) => void = () => undefined;

  /** Calls back when the connection is lost and when it is restored, until it is closed. */
  watchStatus(onStatus: (isConnected: boolean) => void): void {
    this.#onStatus = onStatus;
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
      if (error instanceof JetStreamApiError && /replicas > 1 not supported/.test(error.message))
        throw new ClusterStartError(this.#tooFewServers(error.message));
      const { message } = error as Error;
      // Also JetStream's answer while a server is starting.
      const isTooFew = /no suitable peers|insufficient resources/.test(message);
      throw logUnreachableError(`stream [${name}]`, isTooFew ? this.#tooFewServers(message) : message);
    }
  }

  #tooFewServers(answer: string): string {
    return `cluster.nats.replicas is ${this.#replicas}, but JetStream says [${answer}]: start as many NATS servers in one cluster, or set cluster.nats.replicas: 1`;
  }

  /** Removes a stream with its messages, if it exists. */
  async removeStream(name: string): Promise<void> {
    await this.#manager.streams.delete(name).catch((error: Error) => {
      if (!(error instanceof JetStreamApiError)) throw logUnreachableError(`stream [${name}]`, error.message);
    });
  }

  /** Names of all streams that begin with one of the prefixes. */
  async streams(prefixes: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for await (const name of this.#manager.streams.names()) if (prefixes.some((prefix) => name.startsWith(prefix))) found.push(name);
    return found;
  }

  /** @param what  name of the log in errors */
  subject(stream: string, subject: string, what: string): LogSubject {
    const read = (query: { last_by_subj: string } | { seq: number; next_by_subj: string }) => this.#read(stream, query, what);
    const reader: StreamReader = {
      read: (from) => read({ seq: Math.max(1, from), next_by_subj: subject }),
      readLast: () => read({ last_by_subj: subject }),
      append: (message, expected) => this.#append(subject, message, expected),
      consume: (from, deliver, onStart) => this.#consume(stream, subject, from, deliver, onStart),
      purge: (before) => this.#purge(stream, subject, before, what),
    };
    return new StreamSubject(reader, {
      maxBytes: Math.min(MAX_PART_BYTES, (this.#connection.info?.max_payload ?? MAX_PART_BYTES) - HEADER_ROOM),
      what,
      pause: () => sleep(RETRY_MS),
      isClosed: () => this.#connection.isClosed(),
      now: processClockMs,
    });
  }

  async #append(subject: string, { id, number, data }: Omit<StreamMessage, 'sequence'>, expected: number): Promise<Published> {
    const own = headers();
    own.set(ID_HEADER, id);
    own.set(NUMBER_HEADER, String(number));
    try {
      const { seq } = await this.#client.publish(subject, data, {
        headers: own,
        expect: { lastSubjectSequence: expected },
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
  ): Promise<StreamMessage | null> {
    try {
      const stored = await this.#manager.streams.getMessage(stream, query);
      return stored && { sequence: stored.seq, ...identityOf(stored.header), data: stored.data };
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === NO_MESSAGE) return null;
      if (error instanceof UnknownVersionError) throw error;
      throw logUnreachableError(what, (error as Error).message);
    }
  }

  async #purge(stream: string, subject: string, before: number, what: string): Promise<void> {
    try {
      await this.#manager.streams.purge(stream, { filter: subject, seq: before });
    } catch (error) {
      throw logUnreachableError(what, (error as Error).message);
    }
  }

  async #consume(
    stream: string,
    subject: string,
    from: number,
    deliver: (message: StreamMessage) => Promise<void>,
    onStart: (stop: () => void) => void,
  ): Promise<void> {
    const options = { filter_subjects: subject, deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Math.max(1, from) };
    const consumer = await this.#client.consumers.get(stream, options);
    const messages = await consumer.consume({ max_messages: 256, idle_heartbeat: HEARTBEAT_MS });
    const stop = () => messages.stop();
    onStart(stop);
    stopWhenSilent(messages);
    this.#onDisconnect.add(stop);
    try {
      for await (const message of messages) await deliver({ sequence: message.seq, ...identityOf(message.headers), data: message.data });
    } finally {
      stop();
      this.#onDisconnect.delete(stop);
    }
  }

  // -------------------------------------------------------------------------------------------------------- buckets

  /** A bucket whose keys expire `ttlMs` after their last write; 0: never. @throws ApiError */
  async bucket(name: string, ttlMs: number): Promise<KV> {
    try {
      return await new Kvm(this.#client).create(name, { ttl: ttlMs, replicas: this.#replicas, history: 1, allow_direct: false });
    } catch (error) {
      throw logUnreachableError(`bucket [${name}]`, (error as Error).message);
    }
  }

  /** Keys of a bucket, as the leader of its stream knows them. @throws ApiError */
  async keysOf(bucket: string): Promise<string[]> {
    const prefix = `$KV.${bucket}.`;
    try {
      const { state } = await this.#manager.streams.info(`KV_${bucket}`, { subjects_filter: `${prefix}>` });
      return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length));
    } catch (error) {
      throw logUnreachableError(`bucket [${bucket}]`, (error as Error).message);
    }
  }

  /** Writes a key that has a certain revision; 0: that does not exist. @returns false: it has another one; null: unknown */
  async replace(bucket: KV, key: string, value: Uint8Array, revision: number): Promise<boolean | null> {
    try {
      await bucket.put(key, value, { previousSeq: revision });
      return true;
    } catch (error) {
      return error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE ? false : null;
    }
  }

  /** Removes keys of a bucket without leaving marks. @param keys  `*` stands for any part between dots */
  async removeKeys(bucket: string, keys: string): Promise<void> {
    await this.#manager.streams.purge(`KV_${bucket}`, { filter: `$KV.${bucket}.${keys}` }).catch((error: Error) => {
      if (!(error instanceof JetStreamApiError)) throw logUnreachableError(`bucket [${bucket}]`, error.message);
    });
  }

  /** The blobs of an object store, which is created if it does not exist. @param prefix  of the names in it @throws ApiError */
  async blobs(name: string, prefix: string): Promise<ObjectBlobs> {
    try {
      const store = await new Objm(this.#client).create(name, { storage: StorageType.File, replicas: this.#replicas });
      const remove = async (object: string, nuid: string): Promise<void> => {
        const encoded = Buffer.from(object).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
        await this.#manager.streams.purge(objectStream(name), { filter: `$O.${name}.C.${nuid}` });
        await this.#manager.streams.purge(objectStream(name), { filter: `$O.${name}.M.${encoded}` });
      };
      return new ObjectBlobs({ store, remove }, `object store [${name}]`, prefix);
    } catch (error) {
      throw logUnreachableError(`object store [${name}]`, (error as Error).message);
    }
  }

  /** Size of a stream's messages; 0 if it does not exist. @throws ApiError */
  async streamBytes(name: string): Promise<number> {
    try {
      return (await this.#manager.streams.info(name)).state.bytes;
    } catch (error) {
      if (error instanceof JetStreamApiError) return 0;
      throw logUnreachableError(`stream [${name}]`, (error as Error).message);
    }
  }
}

/** Ends the messages of a consumer that its server has lost. */
async function stopWhenSilent(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) if (CONSUMER_IS_GONE.includes(type)) messages.stop();
}

/** Reads the header fields, which both kinds of messages have. @throws UnknownVersionError */
function identityOf(fields: { get(name: string): string } | undefined): { id: string; number: number } {
  const number = Number(fields?.get(NUMBER_HEADER) ?? 0);
  if (number === 0) throw new UnknownVersionError(1);
  return { id: fields?.get(ID_HEADER) ?? '', number };
}

function checkVersion(version: string): void {
  const [major, minor] = version.split('.').map(Number);
  const [oldest, oldestMinor] = OLDEST_SERVER;
  if (major < oldest || (major === oldest && minor < oldestMinor))
    throw new ClusterStartError(`nats-server ${version} is too old: ${OLDEST_SERVER.join('.')} or newer is needed`);
}
