// Errors of parsing and running searches. catalog.ts has the general ones.
import { ApiError } from './api-error.ts';

export function numberFormatError(text: string): ApiError {
  return new ApiError('number_format_exception', 400, text === '' ? 'empty String' : `For input string: "${text}"`);
}

/**
 * Exceptions of Java, Lucene and the JSON parsers, which are not Elasticsearch's own: an error of Elasticsearch that has one as its cause is the root
 * cause itself. Source: ElasticsearchException.guessRootCauses of Elasticsearch 7.10 (Apache-2.0).
 */
const FOREIGN_EXCEPTIONS = new Set([
  'illegal_argument_exception',
  'illegal_state_exception',
  'null_pointer_exception',
  'number_format_exception',
  'date_time_exception',
  'date_time_parse_exception',
  'zone_rules_exception',
  'too_many_clauses',
  'too_many_nested_clauses',
  'too_complex_to_determinize_exception',
  'query_validation_exception',
  'named_object_not_found_exception',
  'x_content_parse_exception',
  'unsupported_operation_exception',
  'class_cast_exception',
  'arithmetic_exception',
]);

export const isForeign = ({ type }: ApiError): boolean => FOREIGN_EXCEPTIONS.has(type);

/** Root causes of an error that wraps `causedBy`; null if the wrapping error is the root cause itself. */
function rootsAround(causedBy: ApiError | null): ApiError[] | null {
  return causedBy && !isForeign(causedBy) ? rootsOf(causedBy) : null;
}

/** Error of an object parser: unknown field, wrong token, failed child. */
export function xContentParseError(reason: string, causedBy: ApiError | null = null): ApiError {
  // These errors are root causes of each other, although they are foreign.
  const rootCauses = causedBy?.type === 'x_content_parse_exception' ? rootsOf(causedBy) : rootsAround(causedBy);
  return new ApiError('x_content_parse_exception', 400, reason, { causedBy, rootCauses });
}

export function parseFailureError(reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('parse_exception', 400, reason, { causedBy });
}

/** A query that cannot be built for this index: wrong field type, bad value. */
export function queryShardError(index: string, reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('query_shard_exception', 400, reason, {
    causedBy,
    details: { index, index_uuid: '_na_' },
    rootCauses: rootsAround(causedBy),
  });
}

/** A syntax error in a query string. It is the cause but not the root cause. */
export function queryStringSyntaxError(index: string, text: string, causedBy: ApiError): ApiError {
  const details = { index, index_uuid: '_na_' };
  const reason = `Failed to parse query [${text}]`;
  return new ApiError('query_shard_exception', 400, reason, {
    causedBy,
    details,
    rootCauses: [new ApiError('query_shard_exception', 400, reason, { details })],
  });
}

/** The failure of a shard. */
export interface ShardFailure {
  readonly shard: number;
  readonly index: string | null;
  readonly node: string | null;
  readonly error: ApiError;
}

/** Parts of a search that shards carry out; `dfs` gathers what the query needs of all shards. */
export type SearchPhase = 'dfs' | 'query' | 'fetch';

/** All shards failed. */
export function allShardsFailedError(phase: SearchPhase, failures: readonly ShardFailure[]): ApiError {
  return shardsFailedError('all shards failed', phase, failures);
}

/** Some shards failed, and the request does not accept partial results. */
export function partialShardsFailedError(phase: SearchPhase, failures: readonly ShardFailure[]): ApiError {
  return shardsFailedError('Partial shards failure', phase, failures);
}

/** Some shards are not available, and the request does not accept partial results. @param phase  `query`, or the action of the request */
export function missingShardsError(phase: string, missing: readonly ShardFailure[]): ApiError {
  const details = { phase, grouped: true, failed_shards: [] };
  const names = missing.map(({ index, shard }) => `[${index}][${shard}]`).join(', ');
  const reason = `Search rejected due to missing shards [${names}]. Consider using \`allow_partial_search_results\` setting to bypass this error.`;
  return new ApiError('search_phase_execution_exception', 503, '', {
    details,
    rootCauses: [],
    causedBy: new ApiError('search_phase_execution_exception', 503, reason, { details }),
  });
}

/** The status is that of the first failure; equal root causes of an index are listed once. */
function shardsFailedError(reason: string, phase: SearchPhase, failures: readonly ShardFailure[]): ApiError {
  const roots: ApiError[] = [];
  const seen = new Set<string>();
  for (const { error, index } of failures) {
    for (const root of rootsOf(error)) {
      const key = `${root.type}|${root.reason}|${String(root.details['index'] ?? index)}`;
      if (!seen.has(key)) roots.push(root);
      seen.add(key);
    }
  }
  const failed = failures.map(({ shard, index, node, error }) => ({ shard, index, node, reason: describe(error) }));
  return new ApiError('search_phase_execution_exception', failures[0]?.error.status ?? 503, reason, {
    details: { phase, grouped: true, failed_shards: failed },
    rootCauses: roots,
    causedBy: failures[0]?.error ?? null,
  });
}

/** The results of the shards cannot be reduced, although all shards succeeded. */
export function reduceFailedError(causedBy: ApiError): ApiError {
  return new ApiError('search_phase_execution_exception', causedBy.status, '', {
    details: { phase: 'fetch', grouped: true, failed_shards: [] },
    rootCauses: [],
    causedBy,
  });
}

/** An error as an element of a list of failures. */
export function describe(error: ApiError): Record<string, unknown> {
  return {
    type: error.type,
    reason: error.reason,
    ...error.details,
    ...(error.causedBy ? { caused_by: describe(error.causedBy) } : {}),
  };
}

function rootsOf(error: ApiError): ApiError[] {
  return error.rootCauses ?? [error];
}

export function searchContextMissingError(id: string): ApiError {
  return new ApiError('search_context_missing_exception', 404, `No search context found for id [${id}]`);
}

export function tooManyClausesError(limit: number): ApiError {
  return new ApiError('too_many_clauses', 400, `maxClauseCount is set to ${limit}`);
}

/** @param what  the part of the request that needs the memory */
export function circuitBreakingError(what: string, bytes: number, limit: number): ApiError {
  const reason = `[request] Data too large, data for [${what}] would be [${bytes}b], which is larger than the limit of [${limit}b]`;
  return new ApiError('circuit_breaking_exception', 429, reason, {
    details: { bytes_wanted: bytes, bytes_limit: limit, durability: 'TRANSIENT' },
  });
}

/** A query with too many clauses at all depths together. */
export function tooManyNestedClausesError(limit: number): ApiError {
  return new ApiError('too_many_nested_clauses', 400, `Query contains too many nested clauses; maxClauseCount is set to ${limit}`);
}

/** A regular expression whose automaton would take too much work to build. @param maxStates  that the request allows */
export function tooComplexError(pattern: string, maxStates: number): ApiError {
  return new ApiError('too_complex_to_determinize_exception', 400, `Determinizing ${pattern} would require more than ${maxStates} effort.`);
}

const INT_END = 2 ** 31;

/**
 * A number as an int of Java: its fraction is cut off.
 * @param given  the value of the request, a number or a string
 * @throws ApiError input_coercion_exception, illegal_argument_exception: out of range
 */
export function intOf(number: number, given: unknown): number {
  const whole = Math.trunc(number);
  if (whole >= -INT_END && whole < INT_END) return whole;
  if (typeof given === 'string') throw new ApiError('illegal_argument_exception', 400, `Value [${given}] is out of range for an integer`);
  throw new ApiError(
    'input_coercion_exception',
    400,
    `Numeric value (${String(given)}) out of range of \`int\` (-2147483648 - 2147483647)`,
  );
}
