// The shards of a search that other nodes of a cluster search, as seen by the node that reduces the results.
import type { SegmentFacts } from '../../aggs/reduce/distant-segment.ts';
import type { Read, ReadKind, ReadResults, ReadTable } from '../../aggs/reduce/segment-reads.ts';
import type { RawJson } from '../../common/json/raw-json.ts';
import type { ApiError } from '../../errors/api-error.ts';
import type { AggResult } from '../../plan/agg-plan.ts';
import type { ShardHits } from './shard-hits.ts';

/** What another node has found in one shard. */
export type DistantOutcome = { readonly position: number } & (
  | {
      readonly kind: 'found';
      readonly found: ShardHits;
      /** Results of the aggregations by segment; null without. */
      readonly segments: readonly DistantSegmentResults[] | null;
      readonly profile: RawJson | null;
    }
  /** It cannot have a match. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed'; readonly node: string | null; readonly error: ApiError }
);

/** Results of the aggregations in a segment, with what their reduction has read. */
export interface DistantSegmentResults {
  readonly facts: SegmentFacts;
  /** By the children of the tree. */
  readonly results: readonly AggResult[];
  readonly reads: ReadTable;
}

/** What a reduction reads of a segment. A type: it is a part of a request to another node. */
export type DistantReads = {
  /** Of the shard in the search. */
  readonly position: number;
  /** Number of the segment in the shard. */
  readonly segment: number;
  readonly reads: readonly Read[];
};

export interface DistantShards {
  /** @param position  of a shard in the search */
  has(position: number): boolean;
  /** Searches them, on several nodes at once. Never rejects. @returns what was found, in the order of the search */
  search(): Promise<readonly DistantOutcome[]>;
  /** Reads more of the segments, as they were searched. @returns the results, parallel to the reads @throws ApiError a node cannot be reached */
  read(wanted: readonly DistantReads[]): Promise<ReadonlyArray<ReadonlyArray<ReadResults[ReadKind]>>>;
  /** Nothing more is read. */
  close(): void;
}
