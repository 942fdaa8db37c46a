// Bodies that must be JSON objects.
import { ApiError } from '../../errors/api-error.ts';
import type { ApiRequest } from './request.ts';

/** The body as an object; empty if there is none. @throws ApiError the body is not an object */
export function objectBody(request: ApiRequest): Record<string, unknown> {
  const body = request.body ?? {};
  if (typeof body !== 'object' || Array.isArray(body)) throw new ApiError('parse_exception', 400, 'request body must be an object');
  return body as Record<string, unknown>;
}
