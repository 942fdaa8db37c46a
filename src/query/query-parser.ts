// Interface of the parsers for single query names.
import type { JsonObject } from '../common/json/json-value.ts';
import type { ClauseCounter } from './clause-counter.ts';
import type { Query } from './query.ts';
import type { ReportUncacheable } from './uncacheable.ts';

export interface QueryParseContext {
  /** Parses an inner query. @throws ApiError */
  inner(body: unknown): Query;
  /** Receives the reasons why answers to the query cannot be cached. */
  readonly report: ReportUncacheable;
  readonly clauses: ClauseCounter;
}

export type QueryParser = (body: JsonObject, context: QueryParseContext) => Query;
