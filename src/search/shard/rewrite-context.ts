// The index and the request that a query is rewritten for.
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { queryShardError } from '../../errors/search-errors.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import type { StoredScript } from '../../scripting/script-spec.ts';
import type { QueryAnalysis } from '../index-query/query-analysis.ts';
import type { QueryLimits } from './limits.ts';
import type { SearchShard, ShardDocument } from './search-shard.ts';

export interface RewriteContext {
  readonly index: string;
  readonly mapping: MappingSnapshot;
  readonly analysis: QueryAnalysis;
  readonly limits: QueryLimits;
  readonly dialect: Dialect;
  /** Time of the request, for `now` in date math. */
  readonly nowMs: number;
  /** Path of the nested documents that the query matches; null for root documents. */
  readonly nestedPath: string | null;
  readonly shard: number;
  /** Number of hits requested. */
  readonly requestSize: number;
  /** Vectors are compared with all documents in question instead of searching for the best: for inner hits. */
  readonly comparesAllVectors?: boolean;
  /** Looks up a stored script by id. */
  readonly storedScript: (id: string) => StoredScript | null;
  /** Reads a stored document, for scripts that access its source. */
  record(seqNo: number): ShardDocument | null;
}

/** Default number of hits. */
const DEFAULT_SIZE = 10;

/** The parts of a context that depend on the request. */
export type ContextRequest = Pick<RewriteContext, 'nowMs' | 'storedScript'> & Partial<Pick<RewriteContext, 'requestSize'>>;

/** The context for queries on the root documents of a shard. */
export function contextOf(shard: SearchShard, request: ContextRequest): RewriteContext {
  const { index, shard: number, mapping, analysis, limits, dialect } = shard;
  const { nowMs, storedScript, requestSize = DEFAULT_SIZE } = request;
  return {
    index,
    shard: number,
    mapping,
    analysis,
    limits,
    dialect,
    nowMs,
    storedScript,
    requestSize,
    record: shard.record,
    nestedPath: null,
  };
}

/** The field's type, or null if it is not mapped. */
export function fieldOf(context: RewriteContext, name: string): FieldType | null {
  return context.mapping.field(name);
}

/** An error caused by the fields of this index. */
export function rewriteError(context: RewriteContext, reason: string, cause: ApiError | null = null): ApiError {
  return queryShardError(context.index, reason, cause);
}

/**
 * Rejects queries that visit many terms or documents if the cluster does not allow them.
 * @param what  the kind of query, as the error names it
 * @throws ApiError exception: `search.allow_expensive_queries` is false
 */
export function requireExpensive(context: RewriteContext, what: string, hint = ''): void {
  if (context.limits.allowExpensive) return;
  throw new ApiError('exception', 400, `${what} cannot be executed when 'search.allow_expensive_queries' is set to false.${hint}`);
}
