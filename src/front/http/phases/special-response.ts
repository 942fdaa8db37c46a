// Error pages: `error_page` first, else the built-in page.
import { SERVER_BUILD, SERVER_FULL } from '../../version.ts';
import { core, type ErrorPage } from '../config/core.ts';
import type { Request } from '../model/types.ts';
import { HTTP_REQUEST_HEADER_TOO_LARGE, HTTP_TO_HTTPS, HTTPS_CERT_ERROR, HTTPS_NO_CERT } from '../request/codes.ts';
import { escapeHtml } from '../request/parse.ts';
import { STATUS_LINES } from '../request/status-lines.ts';
import { internalRedirect, redirectTo, redirectToNamed } from './redirect.ts';

/** Titles of built-in pages that differ from the status line. */
const TITLES: Readonly<Record<number, string>> = {
  302: '302 Found',
  401: '401 Authorization Required',
  494: '400 Request Header Or Cookie Too Large',
  495: '400 The SSL certificate error',
  496: '400 No required SSL certificate was sent',
  497: '400 The plain HTTP request was sent to HTTPS port',
};

/** Title of the built-in page for a status; null if there is none. */
function titleOf(status: number): string | null {
  return TITLES[status] ?? (status > 300 && status !== 304 ? (STATUS_LINES[status] ?? null) : null);
}

const DETAIL: Record<number, [heading: string, text: string]> = {
  494: ['400 Bad Request', 'Request Header Or Cookie Too Large'],
  495: ['400 Bad Request', 'The SSL certificate error'],
  496: ['400 Bad Request', 'No required SSL certificate was sent'],
  497: ['400 Bad Request', 'The plain HTTP request was sent to HTTPS port'],
};

const MSIE_PADDING = '<!-- a padding to disable MSIE and Chrome friendly error page -->\r\n'.repeat(6);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function serverSignature(r: Request): string {
  const { mode } = core.conf(r.loc).server_tokens;
  return mode === 'off' ? 'nginx' : mode === 'build' ? SERVER_BUILD : SERVER_FULL;
}

/** Starts the response for a status. Returns the code to finalize with. */
export function specialResponse(r: Request, status: number): number {
  r.errStatus = status;
  if (
    r.keepalive &&
    [400, 413, 414, HTTP_REQUEST_HEADER_TOO_LARGE, HTTPS_CERT_ERROR, HTTPS_NO_CERT, HTTP_TO_HTTPS, 500, 501].includes(status)
  ) {
    r.keepalive = false;
  }
  if (r.lingeringClose && [400, HTTPS_CERT_ERROR, HTTPS_NO_CERT, HTTP_TO_HTTPS].includes(status)) r.lingeringClose = false;
  r.out.contentType = '';
  const c = core.conf(r.loc);
  if (!r.errorPage && c.error_page && r.uriChanges !== 0) {
    if (!c.recursive_error_pages) r.errorPage = true;
    for (const page of c.error_page) if (page.statuses.includes(status)) return sendErrorPage(r, page);
  }
  r.expectTested = true;
  r.resetFilters();
  r.conn.discardBody(r);
  if ((status === 301 || status === 302) && r.out.location !== null && wantsRefresh(r)) return sendRefresh(r, r.out.location);
  return sendPage(r, status);
}

/** Codes of nginx for kinds of bad requests, which clients do not see. */
const isOwnCode = (status: number): boolean => status >= 494 && status <= 497;

function sendErrorPage(r: Request, page: ErrorPage): number {
  if (page.overwrite > 0 && page.overwrite !== 200) r.expectTested = true;
  if (page.overwrite >= 0) r.errStatus = page.overwrite;
  else if (isOwnCode(r.errStatus)) r.errStatus = 400;
  const uri = page.uri.eval(r);
  if (uri.startsWith('/')) {
    if (r.method !== 'HEAD') r.method = 'GET';
    return page.uri.constant === null ? redirectTo(r, uri) : internalRedirect(r, uri, page.args, false);
  }
  if (uri.startsWith('@')) return redirectToNamed(r, uri);
  r.expectTested = true;
  r.conn.discardBody(r);
  const status = REDIRECTS.has(page.overwrite) ? page.overwrite : 302;
  r.errStatus = status;
  r.out.location = uri;
  return wantsRefresh(r) ? sendRefresh(r, uri) : sendPage(r, status);
}

const wantsRefresh = (r: Request): boolean => core.conf(r.loc).msie_refresh && /MSIE/.test(r.headerIn('user-agent') ?? '');

function pageText(r: Request, status: number): string | null {
  const title = titleOf(status);
  if (!title) return null;
  const [heading, detail] = DETAIL[status] ?? [title, ''];
  let text = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${heading}</h1></center>\r\n`;
  if (detail) text += `<center>${detail}</center>\r\n`;
  text += `<hr><center>${serverSignature(r)}</center>\r\n</body>\r\n</html>\r\n`;
  if (status >= 400 && core.conf(r.loc).msie_padding) {
    const agent = r.headerIn('user-agent') ?? '';
    if (/MSIE|Chrome\//.test(agent) && !/Opera/.test(agent)) text += MSIE_PADDING;
  }
  return text;
}

function sendPage(r: Request, status: number): number {
  const text = status === 204 || status === 201 ? null : pageText(r, status);
  if (isOwnCode(status)) r.errStatus = 400;
  const { out } = r;
  // fields that describe the body of the failed response do not apply to the page
  out.set('Accept-Ranges', null);
  out.set('ETag', null);
  out.set('Last-Modified', null);
  out.set('Content-Encoding', null);
  out.lastModified = -1;
  r.allowRanges = false;
  if (text === null) {
    out.contentLength = status === 204 || status === 304 ? -1 : 0;
    out.contentType = status === 204 || status === 304 ? '' : out.contentType;
    if (status === 201 || status >= 300) out.contentLength = 0;
    if (status === 304 || status === 204) {
      const rc = r.sendHeader();
      return rc !== 0 || r.headerOnly ? rc : r.output([], true);
    }
    const rc = r.sendHeader();
    return rc !== 0 || r.headerOnly ? rc : r.output([], true);
  }
  out.contentLength = text.length;
  out.contentType = 'text/html';
  const rc = r.sendHeader();
  if (rc !== 0 || r.headerOnly) return rc;
  return r.output([Buffer.from(text, 'latin1')], true);
}

function sendRefresh(r: Request, location: string): number {
  const { out } = r;
  const text = `<html><head><meta http-equiv="Refresh" content="0; URL=${escapeHtml(location)}"></head><body></body></html>\r\n`;
  out.location = null;
  r.errStatus = 200;
  out.contentType = 'text/html';
  out.contentLength = text.length;
  const rc = r.sendHeader();
  return rc !== 0 || r.headerOnly ? rc : r.output([Buffer.from(text, 'latin1')], true);
}
