// The fields that an HTTP/2 response sends, in the form of node:http2.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import type { HeaderField } from '../../../http/wire/header.ts';
import type { Request } from '../model/types.ts';
import { serverSignature } from '../phases/special-response.ts';
import { currentHttpDate, httpDate } from '../request/http-date.ts';

/** Fields of HTTP/1 framing, which HTTP/2 does not allow (RFC 9113, 8.2.2). */
const CONNECTION_FIELDS = new Set(['connection', 'upgrade', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'http2-settings']);
/** Fields of which node:http2 sends only the first. */
const SINGLE_FIELDS = new Set(
  'access-control-allow-credentials access-control-max-age access-control-request-method age authorization content-encoding content-language content-length content-location content-md5 content-range content-type date dnt etag expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards proxy-authorization range referer retry-after tk upgrade-insecure-requests user-agent x-content-type-options'.split(
    ' ',
  ),
);

/** The header of a 103 response. */
export function hintFields(fields: readonly HeaderField[]): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { ':status': 103 };
  for (const { lname, value } of fields)
    headers[lname] = headers[lname] === undefined ? value : ([headers[lname], value].flat() as string[]);
  return headers;
}

export function trailerFields(r: Request): IncomingHttpHeaders {
  const trailers: IncomingHttpHeaders = {};
  for (const { lname, value } of r.out.trailers) if (!CONNECTION_FIELDS.has(lname)) trailers[lname] = value;
  return trailers;
}

/** The header of a response: names in lower case, in nginx's order. */
export function responseFields(r: Request): OutgoingHttpHeaders {
  const { out } = r;
  const headers: OutgoingHttpHeaders = { ':status': out.status };
  if (out.server !== '') headers.server = out.server ?? serverSignature(r);
  if (out.date !== '') headers.date = out.date ?? currentHttpDate();
  if (out.contentType) headers['content-type'] = out.contentTypeText;
  if (out.contentLength >= 0) headers['content-length'] = String(out.contentLength);
  if (out.lastModified >= 0 && !out.get('last-modified')) headers['last-modified'] = httpDate(out.lastModified);
  if (out.location !== null) headers.location = out.location;
  for (const { lname, value } of out.fields) {
    if (CONNECTION_FIELDS.has(lname)) continue;
    const before = headers[lname];
    if (before === undefined) headers[lname] = value;
    else if (!SINGLE_FIELDS.has(lname)) headers[lname] = Array.isArray(before) ? [...before, value] : [String(before), value];
  }
  return headers;
}
