// Length of the body that a proxied request has.
import type { Request } from '../../model/types.ts';
import type { ProxyConf } from './proxy-conf.ts';

export const NO_BODY = -1;
/** a body whose length is not known */
export const CHUNKED = -2;

/** Bytes of the client's body, NO_BODY or CHUNKED. */
export function bodyLength(r: Request, conf: ProxyConf): number {
  if (!conf.upstream.passRequestBody) return NO_BODY;
  const { body, contentLength, chunkedIn } = r.bodyOwner;
  if (body?.consumer) {
    if (!chunkedIn) return contentLength;
    if (body.complete) return body.size;
    return conf.version === '1.0' ? NO_BODY : CHUNKED;
  }
  return body && (body.size > 0 || contentLength >= 0 || chunkedIn) ? body.size : NO_BODY;
}
