// ClusterState and shard placements in LMDB. Each index has a record, and the rest has one, so that a change writes only the affected records.
import { randomBytes } from 'node:crypto';
import type { ClusterState, IndexMeta } from '../../metadata/cluster-state.ts';
import { indicesOf } from '../../metadata/copies.ts';
import { emptyClusterState } from '../../metadata/empty-state.ts';
import type { Store } from '../../store/store.ts';

const CLUSTER = 'cluster';
const INDEX_PREFIX = 'index/';
const LOGS_PREFIX = 'logs/';
const NEXT_LOG = 'next-log';
/** Key of the number of the last entry of the metadata log that the stored metadata contains. */
export const LOG_POSITION = 'log-position';

/** Log numbers of the shards of an index, in order. */
export type ShardLogs = readonly number[];

export class MetadataStore {
  readonly #store: Store;
  readonly #node: string;
  #state: ClusterState;
  #logs = new Map<string, ShardLogs>();
  #nextLog: number;

  /** @param node  id of this node @throws ApiError corrupt_index_exception */
  constructor(store: Store, node: string) {
    this.#store = store;
    this.#node = node;
    const cluster = store.getMeta(CLUSTER) as Omit<ClusterState, 'indices'> | null;
    const indices: Record<string, IndexMeta> = {};
    for (const name of store.metaNames(INDEX_PREFIX)) {
      const meta = store.getMeta(name) as IndexMeta;
      indices[meta.name] = meta;
    }
    for (const name of store.metaNames(LOGS_PREFIX)) this.#logs.set(name.slice(LOGS_PREFIX.length), store.getMeta(name) as ShardLogs);
    this.#nextLog = Number(store.getMeta(NEXT_LOG) ?? 1);
    this.#state = cluster ? { ...cluster, indices } : emptyClusterState(randomBytes(16).toString('base64url'));
    if (!cluster) this.#write(new Map([[CLUSTER, withoutIndices(this.#state)]]));
  }

  /** Number of the last entry of the metadata log that the stored metadata contained when this was opened; null without a log. */
  get position(): number | null {
    return this.#store.getMeta(LOG_POSITION) as number | null;
  }

  get state(): ClusterState {
    return this.#state;
  }

  logs(uuid: string): ShardLogs {
    return this.#logs.get(uuid) ?? [];
  }

  /** Indices of which this node is to have no copy, although it has logs: the process died, or did not run, when they were deleted or moved away. */
  orphans(): string[] {
    const known = indicesOf(this.#state, this.#node);
    return [...this.#logs.keys()].filter((uuid) => !known.has(uuid));
  }

  /**
   * Stores `next` as the state; it is on disk when this returns. Assigns logs to indices of which this node is to have a copy. Those of others stay until
   * `forgetLogs`.
   * @param position  of the metadata log; null without a log
   */
  save(next: ClusterState, position: number | null): void {
    const changes = new Map<string, unknown>();
    if (position !== null) changes.set(LOG_POSITION, position);
    const here = indicesOf(next, this.#node);
    for (const [name, meta] of Object.entries(next.indices)) {
      if (this.#state.indices[name] !== meta) changes.set(INDEX_PREFIX + name, meta);
      if (this.#logs.has(meta.uuid) || !here.has(meta.uuid)) continue;
      const count = Number(meta.settings['index.number_of_shards'] ?? 1);
      const logs = Array.from({ length: count }, () => this.#nextLog++);
      this.#logs.set(meta.uuid, logs);
      changes.set(LOGS_PREFIX + meta.uuid, logs);
      changes.set(NEXT_LOG, this.#nextLog);
    }
    for (const name of Object.keys(this.#state.indices))
      if (!Object.hasOwn(next.indices, name)) changes.set(INDEX_PREFIX + name, undefined);
    changes.set(CLUSTER, withoutIndices(next));
    this.#write(changes);
    this.#state = next;
  }

  /** Assigns logs to an index that will be added later. If the process dies before, it is an orphan. */
  reserveLogs(uuid: string, shards: number): ShardLogs {
    const logs = Array.from({ length: shards }, () => this.#nextLog++);
    this.#logs.set(uuid, logs);
    this.#write(
      new Map<string, unknown>([
        [LOGS_PREFIX + uuid, logs],
        [NEXT_LOG, this.#nextLog],
      ]),
    );
    return logs;
  }

  forgetLogs(uuids: readonly string[]): void {
    for (const uuid of uuids) this.#logs.delete(uuid);
    this.#write(new Map(uuids.map((uuid) => [LOGS_PREFIX + uuid, undefined])));
  }

  #write(values: ReadonlyMap<string, unknown>): void {
    this.#store.putMeta(values);
  }
}

function withoutIndices({ indices: _, ...rest }: ClusterState): Omit<ClusterState, 'indices'> {
  return rest;
}
