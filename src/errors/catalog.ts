// Factories of errors, one per type, with status and exact message. Messages are those of Elasticsearch 8 and OpenSearch 3.
import { ApiError, type ErrorDetails } from './api-error.ts';

export function illegalArgumentError(reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('illegal_argument_exception', 400, reason, { causedBy });
}

export function indexNotFoundError(index: string, resource = 'index_or_alias'): ApiError {
  return new ApiError('index_not_found_exception', 404, `no such index [${index}]`, {
    details: { index, 'resource.id': index, 'resource.type': resource, index_uuid: '_na_' },
  });
}

export function mapperParsingError(reason: string, causedBy: ApiError | null = null): ApiError {
  return new ApiError('mapper_parsing_exception', 400, reason, { causedBy });
}

/** @param at  position in the request body, counted from 1 */
export function parsingError(reason: string, at: { line: number; col: number } | null = null, causedBy: ApiError | null = null): ApiError {
  const details: ErrorDetails = at ? { line: at.line, col: at.col } : {};
  return new ApiError('parsing_exception', 400, reason, { details, causedBy });
}

export function corruptIndexError(file: string, reason: string): ApiError {
  return new ApiError('corrupt_index_exception', 500, `${reason} (resource=${file})`);
}

/** A body that is not JSON. @param error  a JsonSyntaxError of src/common */
export function jsonError(error: { kind: 'syntax' | 'end' | 'trailing' | 'limit'; message: string; line: number; col: number }): ApiError {
  const details: ErrorDetails = { line: error.line, col: error.col };
  if (error.kind === 'trailing') return new ApiError('parsing_exception', 400, error.message, { details });
  if (error.kind === 'limit') return new ApiError('x_content_parse_exception', 400, `[${error.line}:${error.col}] ${error.message}`);
  const type = error.kind === 'end' ? 'unexpected_end_of_input_exception' : 'json_parse_exception';
  const causeType = error.kind === 'end' ? type : 'stream_read_exception';
  return new ApiError(type, 400, error.message, { details, causedBy: new ApiError(causeType, 400, error.message) });
}

/** All problems of a request, numbered: `Validation Failed: 1: index is missing;2: id is missing;`. */
export function validationFailedError(problems: readonly string[]): ApiError {
  const list = problems.map((problem, i) => `${i + 1}: ${problem};`).join('');
  return new ApiError('action_request_validation_exception', 400, `Validation Failed: ${list}`);
}

export function invalidIndexNameError(index: string, reason: string): ApiError {
  return new ApiError('invalid_index_name_exception', 400, `Invalid index name [${index}], ${reason}`, {
    details: { index, index_uuid: '_na_' },
  });
}

/** Java's error for a text that is not a number. */
export function notNumberError(text: string): ApiError {
  return new ApiError('number_format_exception', 400, `For input string: "${text}"`);
}

/** A number of shard copies, `all` or at least 0, in a parameter or setting. @throws ApiError illegal_argument_exception */
export function checkActiveShards(value: string): void {
  if (value === 'all' || /^\d+$/.test(value)) return;
  if (/^-\d+$/.test(value)) throw illegalArgumentError('shard count cannot be a negative value');
  throw illegalArgumentError(`cannot parse ActiveShardCount[${value}]`, notNumberError(value));
}

/** A query parameter whose value is not a number of its type. */
export function numberParameterError(type: 'int' | 'long' | 'float' | 'double', name: string, value: string): ApiError {
  return illegalArgumentError(`Failed to parse ${type} parameter [${name}] with value [${value}]`, notNumberError(value));
}

export function booleanValueError(value: string): ApiError {
  return illegalArgumentError(`Failed to parse value [${value}] as only [true] or [false] are allowed.`);
}

/** Unknown query parameters. @param near  the most similar known names, parallel to `names` */
export function unrecognizedParametersError(
  path: string,
  names: readonly string[],
  near: ReadonlyArray<readonly string[]>,
  what = 'parameter',
): ApiError {
  const parts = names.map((name, i) => {
    const hints = near[i];
    if (hints.length === 0) return `[${name}]`;
    return `[${name}] -> did you mean ${hints.length === 1 ? `[${hints[0]}]` : `any of [${hints.join(', ')}]`}?`;
  });
  return illegalArgumentError(`request [${path}] contains unrecognized ${what}${names.length > 1 ? 's' : ''}: ${parts.join(', ')}`);
}

/** A duration that `parseDurationMs` does not read. */
export function timeValueError(name: string, value: string): ApiError {
  const failed = `failed to parse setting [${name}] with value [${value}] as a time value`;
  const digits = /^(.*?)\s*(?:nanos|micros|ms|s|m|h|d|S|H|D|MS)$/.exec(value.trim())?.[1];
  if (digits === undefined) return illegalArgumentError(`${failed}: unit is missing or unrecognized`);
  if (/^-\d+$/.test(digits)) return illegalArgumentError(`${failed}: negative durations are not supported`);
  const isFraction = digits !== '' && Number.isFinite(Number(digits));
  return illegalArgumentError(
    `failed to parse [${value}]${isFraction ? ', fractional time values are not supported' : ''}`,
    notNumberError(digits),
  );
}

/** A queue is full, or there are too many open contexts. Clients should wait and retry. */
export function rejectedExecutionError(reason: string): ApiError {
  return new ApiError('es_rejected_execution_exception', 429, reason);
}

/** A request that was cancelled, or whose client has disconnected. */
export function taskCancelledError(): ApiError {
  return new ApiError('task_cancelled_exception', 400, 'task cancelled [by user request]');
}

export function contentTooLargeError(limitBytes: number): ApiError {
  return new ApiError('content_too_large_exception', 413, `request body is larger than the limit of ${limitBytes} bytes`);
}
