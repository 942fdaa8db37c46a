// Last header filter: frames the body and writes status line and header fields in nginx's order.
import { nowSeconds } from '../../../http/wire/clock.ts';
import { core } from '../config/core.ts';
import type { HttpMain, Request } from '../model/types.ts';
import { OK } from '../request/codes.ts';
import { currentHttpDate, httpDate } from '../request/http-date.ts';
import type { ResponseHead } from '../request/response.ts';
import { STATUS_LINES } from '../request/status-lines.ts';
import { serverSignature } from './special-response.ts';

let startSecond = -1;
let startServer = '';
let startText = '';
/** First lines of the usual response, the same for a whole second. */
function usualStart(server: string): string {
  const second = nowSeconds();
  if (second !== startSecond || server !== startServer) {
    startSecond = second;
    startServer = server;
    const text = `HTTP/1.1 ${STATUS_LINES[200]}\r\nServer: ${server}\r\nDate: ${currentHttpDate()}\r\n`;
    // one flat string: a concatenated one would be flattened again for each response
    startText = Buffer.from(text, 'latin1').latin1Slice();
  }
  return startText;
}

/** Scheme, host and port that absolute redirects start with. */
function redirectBase(r: Request): string {
  const c = core.conf(r.loc);
  const { conn } = r;
  const name = c.server_name_in_redirect ? r.server.name : r.host || conn.localHostText();
  const host = name || conn.localHostText();
  let port = '';
  if (c.port_in_redirect && !conn.listen.path) {
    const standard = conn.tls ? 443 : 80;
    if (conn.localPort !== standard) port = `:${conn.localPort}`;
  }
  return `${conn.tls ? 'https' : 'http'}://${host}${port}`;
}

function fieldsWithLocation({ fields, location, locationName, locationAt }: ResponseHead): string {
  const lines = fields.map((field) => `${field.name}: ${field.value}\r\n`);
  lines.splice(locationAt, 0, `${locationName}: ${location}\r\n`);
  return lines.join('');
}

function writeHeader(r: Request): number {
  if (r.isSub) return OK;
  if (r.version < 1000) {
    // HTTP/0.9 has no header
    r.conn.output.startResponse(r, '');
    return OK;
  }
  if (r.method === 'HEAD') r.headerOnly = true;
  const { out, conn } = r;
  const c = core.conf(r.loc);
  const { status } = out;
  const bodiless = status === 204 || status === 304;
  if (bodiless) {
    r.headerOnly = true;
    if (status === 204) {
      out.contentType = '';
      out.contentLength = -1;
    }
  }
  if (status !== 200 && status !== 206 && status !== 304) out.lastModified = -1;
  let chunked = false;
  if (out.contentLength === -1 && !bodiless && status >= 200 && r.method !== 'HEAD' && !r.upgraded) {
    if (r.version < 1001) r.keepalive = false;
    else if (c.chunked_transfer_encoding) chunked = true;
    else r.keepalive = false;
  }
  if (r.expectTrailers && !bodiless && r.version >= 1001 && c.chunked_transfer_encoding && !r.headerOnly) {
    if (!conn.http2) out.contentLength = -1;
    chunked = true;
  }
  r.chunked = chunked && !r.headerOnly;
  let location = '';
  if (out.location?.startsWith('/') && c.absolute_redirect) {
    out.location = redirectBase(r) + out.location;
    location = `Location: ${out.location}\r\n`;
  }
  if (conn.http2) {
    conn.http2.respond(r);
    conn.clearTimer();
    return OK;
  }
  let head: string;
  if (status === 200 && out.statusLine === '' && out.server === null && out.date === null) head = usualStart(serverSignature(r));
  else {
    head = `HTTP/1.1 ${out.statusLine || STATUS_LINES[status] || `${String(status).padStart(3, '0')} `}\r\n`;
    if (out.server !== '') head += `Server: ${out.server ?? serverSignature(r)}\r\n`;
    if (out.date !== '') head += `Date: ${out.date ?? currentHttpDate()}\r\n`;
  }
  if (out.contentType) {
    head += `Content-Type: ${out.contentTypeText}\r\n`;
  }
  if (out.contentLength >= 0) head += `Content-Length: ${out.contentLength}\r\n`;
  if (out.lastModified >= 0 && !out.get('last-modified')) head += `Last-Modified: ${httpDate(out.lastModified)}\r\n`;
  head += location;
  if (chunked) head += 'Transfer-Encoding: chunked\r\n';
  if (status === 101) head += 'Connection: upgrade\r\n';
  else if (r.keepalive && !conn.exiting) {
    head += 'Connection: keep-alive\r\n';
    if (c.keepalive_timeout.headerSeconds) head += `Keep-Alive: timeout=${c.keepalive_timeout.headerSeconds}\r\n`;
  } else {
    r.keepalive = false;
    head += 'Connection: close\r\n';
  }
  if (out.location !== null && location === '') head += fieldsWithLocation(r.out);
  else for (const field of out.fields) head += `${field.name}: ${field.value}\r\n`;
  conn.output.startResponse(r, `${head}\r\n`);
  return OK;
}

export function initHeaderWriter(http: HttpMain): void {
  http.addHeaderFilter('write', writeHeader);
}
