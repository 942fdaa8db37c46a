// Scrolls and points in time: search contexts that the node keeps between requests.
import type { JsonObject } from '../../common/json/json-value.ts';
import type { AfterHit } from '../../search/run/shard-hits.ts';
import type { ShardSnapshot } from './index-state.ts';
import type { SearchParameters } from './search-parameters.ts';

/** `part`: the segments that a part of a search of another node has searched. */
export type ContextKind = 'scroll' | 'pit' | 'part';

/** A key is random characters and the id of its node. */
const RANDOM_CHARS = 22;

/** Id of the node that has the context. */
export function nodeOfContext(key: string): string {
  return key.slice(RANDOM_CHARS);
}

/** The hit at which a page of a scroll ended. */
export type ScrollPosition = AfterHit & { readonly shard: number };

/** The state of a context other than its snapshots. Plain data, since it is sent between threads. */
export interface ContextState {
  /** Alias filters of each target. */
  readonly filters: ReadonlyArray<readonly JsonObject[] | null>;
  /** Body of a scroll's first request; empty for a point in time. */
  readonly body: string;
  /** Parameters of a scroll's first request; empty for a point in time. */
  readonly parameters: SearchParameters;
  /** Time of a scroll's first request, used as `now` on all its pages. 0 for a point in time. */
  readonly nowMs: number;
  /** Last hit of the previous page of a scroll; null if there was none. */
  readonly after: ScrollPosition | null;
  /** Who opened the context, and the names through which each index was reached; absent without users. */
  readonly opened?: { readonly owner: string; readonly through: Readonly<Record<string, readonly string[]>> };
}

/** A context while a request uses it. */
export interface UsedContext {
  readonly snapshots: readonly ShardSnapshot[];
  readonly state: ContextState;
  /** Returns the context to the store. @param state  replaces the stored state; undefined leaves it unchanged */
  end(state?: ContextState): Promise<void>;
}

export interface OpenContextInfo {
  readonly key: string;
  readonly createdMs: number;
  readonly keepAliveMs: number;
  /** The user or API key that opened it; null without users. */
  readonly owner: string | null;
  /** Names of the indices that still exist. */
  readonly indices: readonly string[];
}

/** Contexts of the whole node: any thread can continue a context that another one opened. */
export interface SearchContextStore {
  /**
   * Stores snapshots that this thread has acquired.
   * @returns the context's key
   * @throws ApiError es_rejected_execution_exception (429): there are already `limit` contexts of this kind
   */
  open(
    kind: ContextKind,
    snapshots: readonly ShardSnapshot[],
    options: { readonly keepAliveMs: number; readonly limit: number; readonly state: ContextState },
  ): Promise<string>;
  /** @param keepAliveMs  extends the time to live; null leaves it. @returns null if there is no such context or an index of it was deleted */
  use(kind: ContextKind, key: string, keepAliveMs: number | null): Promise<UsedContext | null>;
  /** @param keys  null for all. @returns the keys of the contexts that were open */
  close(kind: ContextKind, keys: readonly string[] | null): Promise<string[]>;
  list(kind: ContextKind): Promise<OpenContextInfo[]>;
}
