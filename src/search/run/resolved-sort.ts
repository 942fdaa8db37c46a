// One key of a sort, resolved against the index of a shard: how segments sort by it, and how its values compare between shards.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { reduceFailedError } from '../../errors/search-errors.ts';
import type { PlanNode, SortKey } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { IndexQuery } from '../index-query/index-query.ts';

/** A value that hits are ordered by: a number in the unit of the API, bytes as a latin-1 string, null if missing. */
export type SortValue = number | bigint | string | null;

export interface ResolvedSort {
  readonly descending: boolean;
  readonly needsScore: boolean;
  /** Whether documents without a value come first, in either direction. */
  readonly missingFirst: boolean;
  /** Whether values are unsigned integers; absent if the field is not mapped, is not a number, or its values are converted. */
  readonly isUnsigned?: boolean;
  /** The column is computed for each run, in the scratch memory of that run. */
  readonly isComputed?: boolean;
  /**
   * @param planFilter  plans the filter of a nested sort for this segment
   * @param matching    documents of the segment that match the search
   */
  keyFor(segment: SegmentReader, planFilter: (query: IndexQuery) => PlanNode, matching: () => Iterable<number>): SortKey;
  /** @param docBase  number of documents in earlier segments of the shard */
  valueOf(raw: bigint | number | null, segment: SegmentReader, docId: number, docBase: number, score: number): SortValue;
  /** The value as JSON, for `sort` of a hit. */
  render(value: SortValue): unknown;
  /** The raw value after which a page starts (`search_after`). @throws ApiError: the field cannot have this value */
  after(value: unknown, segment: SegmentReader, docBase: number): bigint | number | null;
  /** The raw value of a hit, from which a scroll continues. */
  rawOf(value: SortValue, segment: SegmentReader, docBase: number): bigint | number | null;
}

/** Compares two values of one key in the order of the hits. */
export function compareSortValues(a: SortValue, b: SortValue, sort: ResolvedSort): number {
  if (a === b) return 0;
  if (a === null || b === null) return (a === null) === sort.missingFirst ? -1 : 1;
  const order = a < b ? -1 : a > b ? 1 : 0;
  return sort.descending ? -order : order;
}

/**
 * Rejects a sort whose values do not compare between shards.
 * @throws ApiError search_phase_execution_exception: a key is unsigned_long in one index and another type in the next
 */
export function checkSameKinds(sorts: ReadonlyArray<readonly ResolvedSort[]>): void {
  const keys = Math.max(0, ...sorts.map((sort) => sort.length));
  for (let k = 0; k < keys; k++) {
    const kinds = new Set(sorts.map((sort) => sort[k]?.isUnsigned).filter((kind) => kind !== undefined));
    if (kinds.size > 1) {
      throw reduceFailedError(
        illegalArgumentError(
          "Can't do sort across indices, as a field has [unsigned_long] type in one index, and different type in another index!",
        ),
      );
    }
  }
}

/** Runs an action with scratch memory for the columns of computed sort keys, if there are any. */
export function withSortColumns<T>(segment: SegmentReader, sort: readonly ResolvedSort[], action: () => T): T {
  return sort.some((key) => key.isComputed) ? segment.scratch(action) : action();
}
