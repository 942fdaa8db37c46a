// The LMDB environment of a data directory: operation logs of all shards, commit points, metadata. Each thread of a process opens it;
// lmdb-js shares the environment between them. Every write transaction is on disk when it returns.
//   data/store/         the environment
//   log       key = shard prefix (u32 log number) + seqNo (u48), big-endian; value = log-record.ts
//   commits   key = log number; value = JSON of CommitPoint;   `<log number>/<segment>` = live docs of a committed segment
//   meta      key = name; value = JSON
import { mkdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { crc32 } from '../common/encoding/crc32.ts';
import { parseJson } from '../common/json/json-parse.ts';
import { writeJson } from '../common/json/json-write.ts';
import { canMove, TooHeavy } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { checkRecord, decodeRecord, encodeRecord, type LogRecord, OP_DELETE, OP_INDEX, OP_NOOP, rekeyRecord } from './log-record.ts';

export { OP_DELETE, OP_INDEX, OP_NOOP };

const LOG_KEY_BYTES = 10;
const MAX_SEQ_NO = 2 ** 48 - 1;
/** Reused for all lookups, because LMDB copies the key. */
const READ_KEY = Buffer.alloc(LOG_KEY_BYTES);
/** A write that fails with less free space than this counts as out of space: no transaction needs much more. */
const FULL_BELOW_BYTES = 4 << 20;

export interface CommittedSegment {
  readonly name: string;
  readonly bytes: number;
  readonly maxDoc: number;
  /** Documents deleted since it was written; live docs are stored next to the commit point, if there are any. */
  readonly deleted: number;
}

/** Starting point of recovery: these segments contain every operation up to and including maxSeqNo. */
export interface CommitPoint {
  readonly generation: number;
  readonly segments: readonly CommittedSegment[];
  readonly maxSeqNo: number;
  /** Number for the name of the next segment. */
  readonly nextSegment: number;
  /** Highest term of an operation up to maxSeqNo. */
  readonly primaryTerm: number;
}

/** The commit point of a shard that was never committed. */
export const NO_COMMIT: CommitPoint = { generation: 0, segments: [], maxSeqNo: -1, nextSegment: 0, primaryTerm: 0 };

/** A commit point for a snapshot. Its files and records are kept until the snapshot is complete. */
export interface ShardCheckpoint {
  readonly point: CommitPoint;
  /** Bitsets of the segments with deleted documents. */
  readonly liveDocs: ReadonlyArray<readonly [segment: string, bits: Uint8Array]>;
  /** seqNos of records that no segment of the commit point needs. */
  readonly obsolete: readonly number[];
}

/** A write into a shard's log, as given to `append`. */
export interface LogEntry extends Omit<LogRecord, 'source'> {
  readonly seqNo: number;
  readonly source: Uint8Array | null;
}

export interface StoreTables {
  readonly env: RootDatabase<Buffer, Uint8Array>;
  readonly log: Database<Buffer, Uint8Array>;
  readonly commits: Database<Buffer, string>;
  readonly meta: Database<Buffer, string>;
}

/** Opens the environment in a folder, which is created if it is missing. */
export function openTables(folder: string): StoreTables {
  mkdirSync(folder, { recursive: true });
  // overlappingSync off: a synchronous transaction is durable when it returns. The map is address space, not memory.
  const env: RootDatabase<Buffer, Uint8Array> = open({
    path: folder,
    maxDbs: 8,
    mapSize: 2 ** 42,
    overlappingSync: false,
    encoding: 'binary',
    keyEncoding: 'binary',
  });
  return {
    env,
    log: env.openDB({ name: 'log', encoding: 'binary', keyEncoding: 'binary' }),
    commits: env.openDB({ name: 'commits', encoding: 'binary' }),
    meta: env.openDB({ name: 'meta', encoding: 'binary' }),
  };
}

const APPEND = { append: true };

/** Requests that read larger records move to a thread without a listener if they can. */
const LARGE_RECORD = 1 << 20;

export class Store {
  readonly directory: string;
  readonly #env: RootDatabase<Buffer, Uint8Array>;
  readonly #log: Database<Buffer, Uint8Array>;
  readonly #commits: Database<Buffer, string>;
  readonly #meta: Database<Buffer, string>;
  /** Called when a record turns out to be damaged, before the error is thrown. */
  onDamage: ((log: number, reason: string) => void) | null = null;

  private constructor(directory: string) {
    this.directory = directory;
    const { env, log, commits, meta } = openTables(path.join(directory, 'store'));
    this.#env = env;
    this.#log = log;
    this.#commits = commits;
    this.#meta = meta;
  }

  static open(directory: string): Store {
    return new Store(directory);
  }

  // ------------------------------------------------------------------------------------------------ operation log

  /** Writes entries in one transaction, on disk when this returns. @throws ApiError if the disk is full; then nothing of it is written */
  append(log: number, entries: readonly LogEntry[]): void {
    this.#transaction(() => this.#put(log, entries, encodeRecord));
  }

  /** The record, or null if there is none. Its source is valid until the next read. @throws ApiError translog_corrupted_exception; TooHeavy */
  read(log: number, seqNo: number): LogRecord | null {
    const key = logKey(log, seqNo, READ_KEY);
    let bytes: Uint8Array | undefined = this.#log.getBinaryFast(key);
    if (bytes === undefined) {
      // The read transaction of this turn may be older than the record.
      this.#log.resetReadTxn();
      bytes = this.#log.getBinaryFast(key);
      if (bytes === undefined) return null;
    }
    // The checksum and the copies take milliseconds per megabyte.
    if (bytes.length > LARGE_RECORD && canMove()) throw new TooHeavy();
    // From 16 MB on, lmdb returns not a Buffer but a plain view of the memory map, whose pages change once the transaction is renewed.
    const record = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
    return this.#decode(key, record, log, seqNo);
  }

  #decode(key: Uint8Array, bytes: Buffer, log: number, seqNo: number): LogRecord {
    try {
      return decodeRecord(key, bytes, () => `log ${log}, operation ${seqNo}`);
    } catch (error) {
      this.onDamage?.(log, (error as Error).message);
      throw error;
    }
  }

  /** Records with seqNo > `after`, ascending; each with sources that stay valid. @throws ApiError translog_corrupted_exception */
  *replay(log: number, after: number): Generator<{ seqNo: number; record: LogRecord }> {
    for (const { key, value } of this.#log.getRange({ start: logKey(log, after + 1), end: logKey(log + 1, 0), snapshot: true })) {
      const seqNo = seqNoOf(key);
      yield { seqNo, record: decodeRecord(key, Buffer.from(value), () => `log ${log}, operation ${seqNo}`) };
    }
  }

  /** Whether the log has records with seqNo > `after`. */
  hasRecords(log: number, after: number): boolean {
    for (const _ of this.#log.getKeys({ start: logKey(log, after + 1), end: logKey(log + 1, 0), limit: 1 })) return true;
    return false;
  }

  /** Makes the following reads of this thread see what other threads have written. */
  renewReads(): void {
    this.#log.resetReadTxn();
  }

  /** seqNos of the records with seqNos from `from` to `to`, ascending, at most `limit`. */
  seqNos(log: number, from: number, to: number, limit: number): number[] {
    const found: number[] = [];
    if (from > to) return found;
    for (const key of this.#log.getKeys({ start: logKey(log, from), end: logKey(log, to + 1), limit })) {
      found.push(seqNoOf(key));
    }
    return found;
  }

  /** The checked bytes of a record, valid until the next read or turn; null if there is none. @throws ApiError translog_corrupted_exception */
  rawRecord(log: number, seqNo: number): Uint8Array | null {
    const key = logKey(log, seqNo, READ_KEY);
    const bytes: Uint8Array | undefined = this.#log.getBinaryFast(key);
    if (bytes === undefined) return null;
    // See `read`.
    const record = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
    checkRecord(key, record, () => `log ${log}, operation ${seqNo}`);
    // The explicit end is needed: lmdb returns a long buffer whose `length` property it sets.
    return record.subarray(0, record.length);
  }

  /** Writes records that come from another log, in one transaction, on disk when this returns. @throws ApiError if the disk is full */
  putRawRecords(log: number, records: ReadonlyArray<{ readonly seqNo: number; readonly record: Uint8Array }>): void {
    this.#transaction(() => this.#put(log, records, (key, { record }) => rekeyRecord(key, record)));
  }

  /**
   * Puts entries within a transaction. Entries after the last key of all logs, mostly those of the newest index, are appended, so that LMDB
   * fills each page before it starts the next one [records of 1 KB: the store is a third smaller, and putting them takes a fifth to a third
   * less processor time].
   */
  #put<Entry extends { readonly seqNo: number }>(
    log: number,
    entries: readonly Entry[],
    encode: (key: Buffer, entry: Entry) => Buffer,
  ): void {
    if (entries.length === 0) return;
    let lastSeqNo = this.#appendsAfter(log);
    for (const entry of entries) {
      const key = logKey(log, entry.seqNo);
      if (entry.seqNo > lastSeqNo) {
        // LMDB refuses an appended key that is not above all others.
        this.#log.putSync(key, encode(key, entry), APPEND);
        lastSeqNo = entry.seqNo;
      } else this.#log.putSync(key, encode(key, entry));
    }
  }

  /** SeqNos above this one follow the last key of all logs, so they can be appended. */
  #appendsAfter(log: number): number {
    const [last] = this.#log.getKeys({ reverse: true, limit: 1 });
    if (last === undefined || Buffer.compare(last, logKey(log, 0)) < 0) return -1;
    return Buffer.compare(last, logKey(log + 1, 0)) < 0 ? seqNoOf(last) : Number.POSITIVE_INFINITY;
  }

  /** Removes records, for instance those whose documents a merge dropped. */
  remove(log: number, seqNos: Iterable<number>): void {
    this.#transaction(() => {
      for (const seqNo of seqNos) this.#log.removeSync(logKey(log, seqNo));
    });
  }

  /** Removes a shard's log and commit point, at most `limit` records a transaction so that writers get their turn. */
  async drop(log: number, limit = 10_000): Promise<void> {
    this.#transaction(() => {
      this.#commits.removeSync(String(log));
      for (const key of [...this.#commits.getKeys({ start: `${log}/`, end: `${log}/\uffff` })]) this.#commits.removeSync(key);
    });
    for (;;) {
      const keys = [...this.#log.getKeys({ start: logKey(log, 0), end: logKey(log + 1, 0), limit })].map((key) => Buffer.from(key));
      if (keys.length === 0) return;
      this.#transaction(() => {
        for (const key of keys) this.#log.removeSync(key);
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  // ------------------------------------------------------------------------------------------------ commit points

  commitPoint(log: number): CommitPoint | null {
    return this.#json(this.#commits, String(log), 'commit point') as CommitPoint | null;
  }

  /** The commit of a closed shard, for a snapshot. @throws ApiError corrupt_index_exception */
  checkpoint(log: number): ShardCheckpoint {
    this.#commits.resetReadTxn();
    const point = this.commitPoint(log) ?? NO_COMMIT;
    const liveDocs = point.segments.flatMap(({ name }) => {
      const bits = this.liveDocs(log, name);
      return bits === null ? [] : [[name, new Uint8Array(bits)] as const];
    });
    return { point, liveDocs, obsolete: [] };
  }

  /** Live docs bitset of a committed segment, or null if none of its documents is deleted. @throws ApiError corrupt_index_exception */
  liveDocs(log: number, segment: string): Uint8Array | null {
    const bytes = this.#commits.get(`${log}/${segment}`);
    if (bytes === undefined) return null;
    if (bytes.readUInt32LE(0) !== crc32(bytes.subarray(4))) {
      throw new ApiError('corrupt_index_exception', 500, `checksum of live docs does not match (resource=log ${log}, segment ${segment})`);
    }
    return bytes.subarray(4);
  }

  /**
   * Names the new set of segments, with the live docs that changed and the log records that no segment needs any more, in one transaction.
   */
  commit(log: number, point: CommitPoint, liveDocs: ReadonlyMap<string, Uint8Array>, obsolete: Iterable<number>): void {
    const names = new Set(point.segments.map((segment) => segment.name));
    this.#transaction(() => {
      for (const key of [...this.#commits.getKeys({ start: `${log}/`, end: `${log}/\uffff` })]) {
        if (!names.has(key.slice(key.indexOf('/') + 1))) this.#commits.removeSync(key);
      }
      for (const [segment, bits] of liveDocs) this.#commits.putSync(`${log}/${segment}`, withChecksum(bits));
      this.#commits.putSync(String(log), withChecksum(Buffer.from(JSON.stringify(point))));
      for (const seqNo of obsolete) this.#log.removeSync(logKey(log, seqNo));
    });
  }

  // ---------------------------------------------------------------------------------------------------- metadata

  /** @throws ApiError corrupt_index_exception */
  getMeta(name: string): unknown {
    return this.#json(this.#meta, name, 'metadata');
  }

  metaNames(prefix: string): string[] {
    return [...this.#meta.getKeys({ start: prefix, end: `${prefix}\uffff` })];
  }

  /** Writes (or with undefined removes) values in one transaction. */
  putMeta(values: ReadonlyMap<string, unknown>): void {
    this.#transaction(() => {
      for (const [name, value] of values) {
        if (value === undefined) this.#meta.removeSync(name);
        else this.#meta.putSync(name, withChecksum(Buffer.from(writeJson(value))));
      }
    });
  }

  /** Prevents reuse of the pages of the current snapshot. @returns a function that releases them */
  holdSnapshot(): () => void {
    const transaction = this.#env.useReadTransaction();
    return () => transaction.done();
  }

  async close(): Promise<void> {
    await this.#env.close();
  }

  #json(database: Database<Buffer, string>, key: string, what: string): unknown {
    const bytes = database.get(key);
    if (bytes === undefined) return null;
    if (bytes.readUInt32LE(0) !== crc32(bytes.subarray(4))) {
      throw new ApiError('corrupt_index_exception', 500, `checksum of ${what} does not match (resource=${key})`);
    }
    return parseJson(bytes.toString('utf8', 4));
  }

  #freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.directory);
    return bavail * bsize;
  }

  #transaction(action: () => void): void {
    try {
      this.#env.transactionSync(action);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const text = (error as Error).message;
      // LMDB reports a partial write as an input/output error.
      const full = /MDB_MAP_FULL|No space left|ENOSPC|Disk quota/i.test(text) || this.#freeBytes() < FULL_BELOW_BYTES;
      if (full) throw noSpaceError(text);
      throw new ApiError('translog_exception', 500, `cannot write: ${text}`);
    }
  }
}

/** The error with which Elasticsearch, too, refuses writes on a full disk; writes succeed again once there is space. */
function noSpaceError(text: string): ApiError {
  return new ApiError(
    'cluster_block_exception',
    429,
    `blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, no space left on device: ${text}];`,
  );
}

/** @param key  written over */
export function logKey(log: number, seqNo: number, key: Buffer = Buffer.allocUnsafe(LOG_KEY_BYTES)): Buffer {
  if (seqNo < 0 || seqNo > MAX_SEQ_NO) throw new RangeError(`seqNo ${seqNo} is out of range`);
  key.writeUInt32BE(log, 0);
  key.writeUIntBE(seqNo, 4, 6);
  return key;
}

/** The seqNo in a key of `logKey`. */
function seqNoOf(key: Uint8Array): number {
  return (key[4] * 256 + key[5]) * 2 ** 32 + (((key[6] << 24) | (key[7] << 16) | (key[8] << 8) | key[9]) >>> 0);
}

export function withChecksum(bytes: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(4 + bytes.length);
  out.set(bytes, 4);
  out.writeUInt32LE(crc32(out.subarray(4)), 0);
  return out;
}
