// Parameters of a search outside its body. Plain data: scrolls keep them between requests.
import type { SourceFilter } from '../../common/json/source-filter.ts';

/** Query of a URL search: the parameter `q` and its options. */
export interface QueryParameters {
  readonly q: string;
  readonly df?: string;
  readonly analyzer?: string;
  readonly analyzeWildcard?: boolean;
  readonly defaultOperator?: string;
  readonly lenient?: boolean;
}

/** Parameters of a search outside its body. A parameter that is set overrides the body. */
export interface SearchParameters {
  readonly query?: QueryParameters;
  readonly from?: number;
  readonly size?: number;
  readonly sort?: string;
  readonly source?: SourceFilter;
  readonly storedFields?: readonly string[];
  readonly docvalueFields?: readonly string[];
  readonly explain?: boolean;
  readonly version?: boolean;
  readonly seqNoPrimaryTerm?: boolean;
  readonly trackScores?: boolean;
  readonly trackTotalHitsUpTo?: number;
  readonly timeoutMs?: number;
  readonly terminateAfter?: number;
  readonly minScore?: number;
  readonly routing?: string;
  readonly profile?: boolean;
  readonly isDfs?: boolean;
  readonly typedKeys?: boolean;
  readonly totalHitsAsInt?: boolean;
  readonly allowPartialResults?: boolean;
  readonly scrollMs?: number;
  /** false: bypass the cache of responses; true: cache a response even if its body was not seen before. */
  readonly requestCache?: boolean;
  /** Show scores in `matched_queries`. */
  readonly includeNamedScores?: boolean;
  /** Groups under which `_stats` counts the search. */
  readonly stats?: readonly string[];
  /** Number of shard results that are reduced together before the final reduction. */
  readonly batchedReduceSize?: number;
  /** If the search has more shards than this, shards that cannot match are skipped. */
  readonly preFilterShardSize?: number;
  /** Selects shards and copies: `_shards:0,2`, `_local`... */
  readonly preference?: string;
}
