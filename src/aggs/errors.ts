// Errors of aggregations with Elasticsearch's types. src/search reports those thrown while binding or reducing as shard failures.
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

export function initializationError(reason: string): ApiError {
  return new ApiError('aggregation_initialization_exception', 500, reason);
}

export function validationError(reason: string): ApiError {
  return new ApiError('action_request_validation_exception', 400, `Validation Failed: 1: ${reason};`);
}

export function tooManyBuckets(limit: number, was: number): ApiError {
  const reason = `Trying to create too many buckets. Must be less than or equal to: [${limit}] but was [${was}]. This limit can be set by changing the [search.max_buckets] cluster level setting.`;
  return new ApiError('too_many_buckets_exception', 503, reason, { details: { max_buckets: limit } });
}

export function numberFormatError(text: string): ApiError {
  return new ApiError('number_format_exception', 400, `For input string: "${text}"`);
}

/** A feature of Elasticsearch that this service does not support. */
export function unsupported(what: string): ApiError {
  return illegalArgumentError(`${what} is not supported`);
}

export { illegalArgumentError, parsingError };
