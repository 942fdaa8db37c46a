// What rewriting a query for an index may ask.

import type { ApiError } from '../errors/api-error.ts';
import { queryShard } from '../errors/search-errors.ts';
import type { FieldType } from '../mapping/field-type.ts';
import type { MappingSnapshot } from '../mapping/mapping-snapshot.ts';
import type { StoredScript } from '../scripting/script-spec.ts';
import type { AnalyzedToken, QueryAnalysis } from './query-analysis.ts';
import type { ShardDocument } from './search-shard.ts';

/** Limits of an index that queries meet; Elasticsearch's defaults. */
export interface QueryLimits {
  readonly maxTermsCount: number;
  readonly maxRegexLength: number;
  readonly maxClauseCount: number;
  /** `index.query.default_field`. */
  readonly defaultFields: readonly string[];
  readonly queryStringLenient: boolean;
}

export const DEFAULT_LIMITS: QueryLimits = {
  maxTermsCount: 65_536,
  maxRegexLength: 1000,
  maxClauseCount: 1024,
  defaultFields: ['*'],
  queryStringLenient: false,
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

export type { AnalyzedToken, QueryAnalysis };
