// Failures of single items in answers for several documents.
import { ApiError } from '../../errors/api-error.ts';
import { errorBody } from '../../errors/error-body.ts';

/** An item that failed holds its ApiError. */
export function renderFailure(doc: unknown): unknown {
  const { error } = doc as { error?: unknown };
  return error instanceof ApiError ? { ...(doc as object), error: errorBody(error).error } : doc;
}
