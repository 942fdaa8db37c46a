// What rewriting a query for an index may ask.

import { ApiError } from '../../errors/api-error.ts';
import { queryShard } from '../../errors/search-errors.ts';
import type { FieldType } from '../../mapping/field-type.ts';
import type { MappingSnapshot } from '../../mapping/mapping-snapshot.ts';
import type { StoredScript } from '../../scripting/script-spec.ts';
import type { AnalyzedToken, QueryAnalysis } from '../index-query/query-analysis.ts';
import type { ShardDocument } from './search-shard.ts';

/** Limits of an index that queries meet; Elasticsearch's defaults. */
export interface QueryLimits {
  readonly maxTermsCount: number;
  readonly maxRegexLength: number;
  readonly maxClauseCount: number;
  /** `index.query.default_field`. */
  readonly defaultFields: readonly string[];
  readonly queryStringLenient: boolean;
  /** `search.allow_expensive_queries`. */
  readonly allowExpensive: boolean;
}

export const DEFAULT_LIMITS: QueryLimits = {
  maxTermsCount: 65_536,
  maxRegexLength: 1000,
  maxClauseCount: 1024,
  defaultFields: ['*'],
  queryStringLenient: false,
  allowExpensive: true,
};

export interface RewriteContext {
  readonly index: string;
  readonly mapping: MappingSnapshot;
  readonly analysis: QueryAnalysis;
  readonly limits: QueryLimits;
  /** The request's time, for `now` in date math. */
  readonly nowMs: number;
  /** Nested path whose documents the query sees, null: root documents. */
  readonly nestedPath: string | null;
  /** A stored script by id. */
  readonly storedScript: (id: string) => StoredScript | null;
  /** The stored document, for scripts that read its source. */
  record(seqNo: number): ShardDocument | null;
  /** Counts clauses over the whole query. */
  readonly clauses: { count: number };
}

/** The field's type, or null if it is not mapped. */
export function fieldOf(context: RewriteContext, name: string): FieldType | null {
  return context.mapping.field(name);
}

/** An error about this index's fields. */
export function refuse(context: RewriteContext, reason: string, cause: ApiError | null = null): ApiError {
  return queryShard(context.index, reason, cause);
}

/** @param what  queries that look at many terms or documents, by name. @throws ApiError exception: the cluster's settings do not allow them */
export function requireExpensive(context: RewriteContext, what: string, hint = ''): void {
  if (context.limits.allowExpensive) return;
  throw new ApiError('exception', 400, `${what} cannot be executed when 'search.allow_expensive_queries' is set to false.${hint}`);
}

export type { AnalyzedToken, QueryAnalysis };
