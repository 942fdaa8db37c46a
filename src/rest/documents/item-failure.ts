// Errors of single items in responses for several documents.
import { ApiError } from '../../errors/api-error.ts';
import { errorBody } from '../../errors/error-body.ts';

/** Renders the error of an item; returns other items unchanged. */
export function renderFailure(doc: unknown): unknown {
  const { error } = doc as { error?: unknown };
  return error instanceof ApiError ? { ...(doc as object), error: errorBody(error).error } : doc;
}
