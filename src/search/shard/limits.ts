// Limits of queries and searches: settings of their index, of the cluster, and constants.
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { IndexSortKey } from '../../mapping/core/index-sort.ts';

/** Limits that apply while a query is rewritten. */
export interface QueryLimits {
  readonly maxTermsCount: number;
  readonly maxRegexLength: number;
  /** Clauses of a bool, leaves of a query, terms that a pattern expands to: `indices.query.bool.max_clause_count`. */
  readonly maxClauseCount: number;
  /** `index.query.default_field`. */
  readonly defaultFields: readonly string[];
  readonly queryStringLenient: boolean;
  /** `search.allow_expensive_queries`. */
  readonly allowExpensive: boolean;
  /** `indices.id_field_data.enabled`: whether `_id` can be sorted by and aggregated. */
  readonly allowsIdFielddata: boolean;
  /** Whether regular expressions are determinized before they are used: one that is too complex is refused even if no term reaches all its states. */
  readonly determinizesRegexps: boolean;
}

/** Elasticsearch's defaults. */
export const DEFAULT_LIMITS: QueryLimits = {
  maxTermsCount: 65_536,
  maxRegexLength: 1000,
  maxClauseCount: 1024,
  defaultFields: ['*'],
  queryStringLenient: false,
  allowExpensive: true,
  allowsIdFielddata: true,
  determinizesRegexps: false,
};

/** @throws ApiError illegal_argument_exception: the cluster does not allow reading the ids of documents for sorts and aggregations */
export function requireIdFielddata({ allowsIdFielddata }: QueryLimits): void {
  if (allowsIdFielddata) return;
  throw illegalArgumentError(
    'Fielddata access on the _id field is disallowed, you can re-enable it by updating the dynamic cluster setting: indices.id_field_data.enabled',
  );
}

/** Limits that apply to the whole search as well. */
export interface ShardLimits extends QueryLimits {
  readonly maxResultWindow: number;
  readonly maxInnerResultWindow: number;
  readonly maxRescoreWindow: number;
  readonly maxDocvalueFields: number;
  readonly maxSlices: number;
  readonly maxScriptFields: number;
  readonly maxAnalyzedOffset: number;
  /** Index sort: the order of documents in each segment; empty for the order of indexing. */
  readonly indexSort: readonly IndexSortKey[];
}
