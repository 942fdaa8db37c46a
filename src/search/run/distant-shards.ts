// The shards of a search that other nodes of a cluster search, as seen by the node that reduces the results.
import type { RawJson } from '../../common/json/raw-json.ts';
import type { ApiError } from '../../errors/api-error.ts';
import type { ShardHits } from './shard-hits.ts';

/** What another node has found in one shard. */
export type DistantOutcome = { readonly position: number } & (
  | { readonly kind: 'found'; readonly found: ShardHits; readonly profile: RawJson | null }
  /** It cannot have a match. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed'; readonly node: string | null; readonly error: ApiError }
);

export interface DistantShards {
  /** @param position  of a shard in the search */
  has(position: number): boolean;
  /** Searches them, on several nodes at once. Never rejects. @returns what was found, in the order of the search */
  search(): Promise<readonly DistantOutcome[]>;
}
