// Renders errors: bodies of answers, items of bulk requests, shard failures.
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

/** `{ type, reason, ...details, caused_by }`. @param withTrace  adds `stack_trace` (error_trace=true) */
export function errorObject(error: ApiError, withTrace = false): ErrorObject {
  const object: ErrorObject = { type: error.type, reason: error.reason, ...error.details };
  if (error.causedBy) object.caused_by = errorObject(error.causedBy, withTrace);
  if (withTrace) object.stack_trace = error.stack ?? error.message;
  return object;
}

/** The body of an error response. */
export function errorBody(error: ApiError, withTrace = false): { error: ErrorObject; status: number } {
  const causes = error.rootCauses ?? [rootCause(error)];
  const rootCauses = causes.map((cause) => {
    const object: ErrorObject = { type: cause.type, reason: cause.reason, ...cause.details };
    if (withTrace) object.stack_trace = cause.stack ?? cause.message;
    return object;
  });
  return { error: { root_cause: rootCauses, ...errorObject(error, withTrace) }, status: error.status };
}

/** The innermost cause that can be unwrapped: Elasticsearch's own exceptions are, other Java exceptions are not. */
function rootCause(error: ApiError): ApiError {
  const cause = error.causedBy;
  if (!cause || FOREIGN_TYPES.has(cause.type) || FOREIGN_TYPES.has(error.type)) return error;
  return rootCause(cause);
}

/** Converts any exception to an ApiError. Unexpected ones are a 500. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const isKernelTrap = error instanceof WebAssembly.RuntimeError;
  const reason = isKernelTrap ? `kernel failed: ${error.message}` : error instanceof Error ? error.message : String(error);
  const wrapped = new ApiError(isKernelTrap ? 'kernel_exception' : 'internal_error', 500, reason);
  if (error instanceof Error) wrapped.stack = error.stack;
  return wrapped;
}
