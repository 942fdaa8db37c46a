// Renders errors: bodies of responses, items of bulk requests, shard failures.
import { ApiError } from './api-error.ts';

/** Java exceptions that do not derive from ElasticsearchException. They are never unwrapped to their cause, and never unwrapped as a cause. */
const FOREIGN_TYPES = new Set([
  'illegal_argument_exception',
  'illegal_state_exception',
  'number_format_exception',
  'null_pointer_exception',
  'class_cast_exception',
  'json_parse_exception',
  'json_e_o_f_exception',
  'unexpected_end_of_input_exception',
  'stream_read_exception',
  'input_coercion_exception',
  'i_o_exception',
  'e_o_f_exception',
  'date_time_exception',
  'date_time_parse_exception',
  'unsupported_operation_exception',
  'array_index_out_of_bounds_exception',
  'arithmetic_exception',
  'runtime_exception',
  'time_exceeded_exception',
  'too_many_nested_clauses',
  'too_many_clauses',
  'too_complex_to_determinize_exception',
  'unsupported_temporal_type_exception',
  'zone_rules_exception',
  'malformed_input_exception',
]);

export type ErrorObject = Record<string, unknown>;

/** Whether `stack_trace` is added (`error_trace=true`), and whether it has the stack: of interest to developers of the service alone. */
export type Trace = 'none' | 'reason' | 'stack';

/** `{ type, reason, ...details, caused_by }` */
export function errorObject(error: ApiError, trace: Trace = 'none'): ErrorObject {
  const object: ErrorObject = { type: error.type, reason: error.reason, ...error.details };
  if (error.causedBy) object.caused_by = errorObject(error.causedBy, trace);
  addTrace(object, error, trace);
  return object;
}

function addTrace(object: ErrorObject, error: ApiError, trace: Trace): void {
  if (trace !== 'none') object.stack_trace = trace === 'stack' && error.stack ? error.stack : `${error.type}: ${error.reason}`;
}

/** The body of an error response. */
export function errorBody(error: ApiError, trace: Trace = 'none'): { error: ErrorObject; status: number } {
  const causes = error.rootCauses ?? [rootCause(error)];
  const rootCauses = causes.map((cause) => {
    const object: ErrorObject = { type: cause.type, reason: cause.reason, ...cause.details };
    addTrace(object, cause, trace);
    return object;
  });
  return { error: { root_cause: rootCauses, ...errorObject(error, trace) }, status: error.status };
}

/** Errors of parsers are looked into only by each other. */
const CONTENT_ERROR = 'x_content_parse_exception';

/** The innermost cause that can be unwrapped: Elasticsearch's own exceptions are, other Java exceptions are not. */
function rootCause(error: ApiError): ApiError {
  const cause = error.causedBy;
  if (
    !cause ||
    (cause.type === CONTENT_ERROR && error.type !== CONTENT_ERROR) ||
    FOREIGN_TYPES.has(cause.type) ||
    FOREIGN_TYPES.has(error.type)
  )
    return error;
  return rootCause(cause);
}

/** Two or more folders of a path, or a URL of a file. */
const FILE_PATH = /(?:file:\/\/)?(?:[A-Za-z]:)?(?:[\\/][\w.@+-]+){2,}/g;

/** Whether an error is an internal one, also if it was passed on by another thread. */
export function isUnexpected(error: unknown): boolean {
  if (isTimeUp(error)) return false;
  return !(error instanceof ApiError) || error.type === 'internal_error' || error.type === 'kernel_exception';
}

/** TimeUp of src/common/turns/turn.ts, which errors do not import: outside of the search of a shard no part of a result is a response. */
function isTimeUp(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeUp';
}

function timeUpError(): ApiError {
  return new ApiError('circuit_breaking_exception', 503, '[time] the request ran longer than its timeout and was ended', {
    details: { bytes_wanted: 0, bytes_limit: 0, durability: 'PERMANENT' },
  });
}

/** Converts any exception to an ApiError. Unexpected ones are a 500, whose reason names no file of the server; the log has all of it. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isTimeUp(error)) return timeUpError();
  const isKernelTrap = error instanceof WebAssembly.RuntimeError;
  const reason = isKernelTrap
    ? `kernel failed: ${error.message}`
    : (error instanceof Error ? error.message : String(error)).replaceAll(FILE_PATH, '[path]');
  const wrapped = new ApiError(isKernelTrap ? 'kernel_exception' : 'internal_error', 500, reason);
  if (error instanceof Error) wrapped.stack = error.stack;
  return wrapped;
}
