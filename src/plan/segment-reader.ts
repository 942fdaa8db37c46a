// One segment as a search reads it: columns and postings by name, term states by term, hits by plan.
import type { Kernels } from '../wasm/kernels.ts';
import type { ExecuteOptions } from './execute.ts';
import type { Nearest, NearestRequest } from './nearest-vectors.ts';
import type { CollectPlan, PlanNode, SegmentHits } from './query-plan.ts';
import type { SegmentColumn, SegmentPostings, TermFilter, TermPairs, TermRange, TermState, WalkedTerm } from './segment.ts';
import type { TemporaryValues } from './temporary-column.ts';

export interface SegmentRunOptions extends ExecuteOptions {
  /** Also matches nested documents, not only roots. */
  readonly withNested?: boolean;
}

/**
 * Reads one segment and runs plans on it. Implemented by src/arena over a segment image. Callers outside src/arena, src/plan and src/wasm treat
 * every address as opaque.
 */
export interface SegmentReader {
  /** Kernels of the arena that contains the segment, for src/aggs, which writes its programs there. */
  readonly kernels: Kernels;
  /** Unique during the life of the node; for caches. */
  readonly id: number;
  /** Documents, including deleted ones and nested children. Doc ids are 0..maxDoc-1. */
  readonly maxDoc: number;
  /** Live documents, including nested children. */
  readonly numDocs: number;
  /** Live root documents: what a match_all of a search counts. */
  readonly numRootDocs: number;
  /** Bytes of the segment that are in memory. */
  readonly residentBytes: number;
  /** Parts of the segment on disk: their kind, the field that they belong to, and their size. */
  readonly sections: ReadonlyArray<{ readonly kind: string; readonly field: string | null; readonly bytes: number }>;
  /** Address of the bitset of root documents, 0 if every document is a root. */
  readonly rootDocsPtr: number;
  postings(field: string): SegmentPostings | null;
  column(field: string): SegmentColumn | null;
  /** Address of the bitset of children of a nested path, 0 if the segment has none. */
  nestedDocsPtr(path: string): number;
  /** The state of a term, null if the segment does not have it. */
  lookupTerm(field: string, term: Uint8Array): TermState | null;
  /** Documents with a term, deleted ones included, hidden ones not. */
  docFreqOf(field: string, term: Uint8Array): number;
  /** At most `limit` terms that `filter` keeps, ascending. */
  walkTerms(field: string, range: TermRange, limit: number, filter?: TermFilter): WalkedTerm[];
  /** The terms that `walkTerms` would return without a limit, in eight bytes each. */
  matchTerms(field: string, range: TermRange, filter: TermFilter): TermPairs;
  /** Bytes of the term with this ordinal, copied. */
  termOf(field: string, ord: number): Uint8Array;
  /** Ordinal of the first term >= bytes (termCount if none). */
  seekOrd(field: string, term: Uint8Array): number;
  /** Ascending raw values of one document (bigint for i64 and geo, number for f64 and ordinals); empty if it has none. */
  values(field: string, docId: number): ReadonlyArray<bigint | number>;
  /** Value of a binary column, or null. */
  binary(field: string, docId: number): Uint8Array | null;
  /** Norm byte of a document, 0 if it has none. */
  norm(field: string, docId: number): number;
  /** False for deleted and hidden documents. */
  isLive(docId: number): boolean;
  /** Live root document of an `_id`, -1 if there is none. */
  docOfId(id: string): number;
  /** `_id` of a root document; for a nested child its root's. */
  idOf(docId: number): string;
  /** Operation log key of the document's record. For a nested child: its root's. */
  seqNo(docId: number): number;
  /** First root document id >= docId: the parent of a nested child. */
  rootOf(docId: number): number;
  /**
   * Calls `visit` for each of `docs` with the positions of the given terms in it.
   * @param docs   ascending
   * @param terms  by any key; terms of fields without positions have none
   */
  visitPositions(
    docs: Uint32Array,
    terms: ReadonlyMap<string, { readonly field: string; readonly state: TermState }>,
    visit: (docId: number, positionsOf: (key: string) => readonly number[]) => void,
  ): void;
  /** Whether the segment has a graph over the vectors of a field. */
  hasVectorGraph(field: string): boolean;
  /**
   * The documents whose vectors are most similar to a given one, the most similar first.
   * @throws ApiError circuit_breaking_exception: the search does not fit into the scratch
   */
  nearest(request: NearestRequest): Nearest;
  /** Ends the use of all addresses that this reader has returned: what they refer to may be moved. Everything else stays valid. */
  release(): void;
  /** Hits, total and aggregations of a plan. @throws ApiError circuit_breaking_exception: the plan's state does not fit into the scratch */
  execute(plan: PlanNode, collect: CollectPlan, options: SegmentRunOptions): SegmentHits;
  /** Runs an action with scratch memory that is released afterwards: columns made by `temporaryColumn` live until then. */
  scratch<T>(action: () => T): T;
  /** Lays a computed column out in the current scratch; null if no document has a value. */
  temporaryColumn(values: Omit<TemporaryValues, 'maxDoc'>): SegmentColumn | null;
}

/** What was done to have sections of paged segments in memory, since a thread or the node started. */
export interface SectionCounts {
  readonly loads: number;
  readonly loadedBytes: number;
  readonly evictions: number;
  readonly evictedBytes: number;
  /** How often a thread waited for a section that another one was loading, or for room. */
  readonly waits: number;
  readonly waitedMs: number;
}

/** Memory use of paged segments, and counts since the start of the node. */
export interface SectionStats extends SectionCounts {
  /** Memory that sections may use, in all pools opened so far. */
  readonly capacityBytes: number;
  readonly residentBytes: number;
}
