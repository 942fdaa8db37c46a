// Errors of documents that do not fit their mapping, in the form of the server that the service speaks like.
import type { Dialect } from '../../compat/dialect.ts';
import { inDialect } from '../../compat/error-forms.ts';
import { ApiError } from '../../errors/api-error.ts';

const MALFORMED = /^Malformed content, found extra data/;
const OLD_TYPE = 'mapper_parsing_exception';

/** The error of a refused document. Version 8 gives it a type of its own, and adds the cause to the reason. */
export function documentError(error: ApiError, dialect: Dialect): ApiError {
  const { documentError: type } = dialect;
  if (type === OLD_TYPE) return withCause(error, dialect);
  if (error.causedBy && MALFORMED.test(error.causedBy.reason ?? '')) return error.causedBy;
  const cause = error.causedBy && documentError(error.causedBy, dialect);
  if (error.type !== OLD_TYPE) return inDialect(error, dialect);
  const reason = error.reason === 'failed to parse' && cause ? `failed to parse: ${cause.reason}` : error.reason;
  return new ApiError(type, error.status, reason, { details: error.details, causedBy: cause });
}

function withCause(error: ApiError, dialect: Dialect): ApiError {
  const cause = error.causedBy && inDialect(error.causedBy, dialect);
  return cause === error.causedBy
    ? error
    : new ApiError(error.type, error.status, error.reason, { details: error.details, causedBy: cause });
}
