// Errors of documents that do not fit their mapping, in the form of the server that the service speaks like.
import type { Dialect } from '../compat/dialect.ts';
import { ApiError } from '../errors/api-error.ts';

const OLD_TYPE = 'mapper_parsing_exception';

/** The error of a refused document. Version 8 gives it a type of its own, and adds the cause to the reason. */
export function documentError(error: ApiError, dialect: Dialect): ApiError {
  const { documentError: type } = dialect;
  if (type === OLD_TYPE) return error;
  const cause = error.causedBy && documentError(error.causedBy, dialect);
  if (error.type !== OLD_TYPE) return error;
  const reason = error.reason === 'failed to parse' && cause ? `failed to parse: ${cause.reason}` : error.reason;
  return new ApiError(type, error.status, reason, { details: error.details, causedBy: cause });
}
