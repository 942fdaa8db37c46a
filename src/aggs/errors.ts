// Errors of aggregations with Elasticsearch's types. src/search reports those thrown while binding or reducing as shard failures.
import type { Dialect } from '../compat/dialect.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError, parsingError } from '../errors/catalog.ts';

export function xContentError(reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('x_content_parse_exception', 400, reason, { causedBy });
}

/** A parameter with an invalid value. */
export function parameterError(typeName: string, key: string, reason: string): ApiError {
  return xContentError(`[${typeName}] failed to parse field [${key}]`, illegalArgumentError(reason));
}

/** A body with an invalid combination of parameters. */
export function bodyError(typeName: string, reason: string): ApiError {
  return xContentError(`Failed to build [${typeName}] after last required field arrived`, illegalArgumentError(reason));
}

export function executionError(reason: string): ApiError {
  return new ApiError('aggregation_execution_exception', 500, reason);
}

/** Sub-aggregations of an aggregation without buckets. */
export function noSubAggregationsError(name: string, typeName: string, dialect: Dialect): ApiError {
  const reason = `Aggregator [${name}] of type [${typeName}] cannot accept sub-aggregations`;
  return dialect.blamesAggregationRequests
    ? illegalArgumentError(reason)
    : new ApiError('aggregation_initialization_exception', 500, reason);
}

/** An aggregation that is not allowed in its place or on its field. */
export function misusedError(reason: string, dialect: Dialect): ApiError {
  return dialect.blamesAggregationRequests ? illegalArgumentError(reason) : executionError(reason);
}

/** An order path that does not lead to a figure of each bucket. @param why  two sentences at most */
export function orderPathError(path: string, why: string, dialect: Dialect): ApiError {
  const reason = `Invalid aggregation order path [${path}]. ${why}`;
  if (!dialect.blamesAggregationRequests) return executionError(reason);
  return new ApiError('invalid_path', 400, reason, { causedBy: illegalArgumentError(why) });
}

export function validationError(problems: readonly string[]): ApiError {
  const list = problems.map((problem, i) => `${i + 1}: ${problem};`).join('');
  return new ApiError('action_request_validation_exception', 400, `Validation Failed: ${list}`);
}

export function tooManyBucketsError(limit: number, was: number): ApiError {
  const reason = `Trying to create too many buckets. Must be less than or equal to: [${limit}] but was [${was}]. This limit can be set by changing the [search.max_buckets] cluster level setting.`;
  return new ApiError('too_many_buckets_exception', 503, reason, { details: { max_buckets: limit } });
}

/** A failure of the reduction: too many buckets are the fault of the request in version 8. */
export function reductionError(error: ApiError, dialect: Dialect): ApiError {
  if (error.type !== 'too_many_buckets_exception' || !dialect.blamesAggregationRequests) return error;
  const reason = error.reason?.replace(/but was \[\d+\]/, 'but this number of buckets was exceeded') ?? null;
  return new ApiError(error.type, 400, reason, { details: error.details });
}

export function numberFormatError(text: string): ApiError {
  return new ApiError('number_format_exception', 400, text.trim() === '' ? 'empty String' : `For input string: "${text}"`);
}

/** A feature of Elasticsearch that this service does not support. */
export function unsupportedError(what: string): ApiError {
  return illegalArgumentError(`${what} is not supported`);
}

export { illegalArgumentError, parsingError };
