/** Response headers of a back end: which are passed on, which steer this server (`X-Accel-*`), which are rewritten. */
import { parseSize } from '../../config/values.ts';
import { DONE, OK } from '../codes.ts';
import { findHeader, type HeaderField } from '../header.ts';
import { parseHttpDate } from '../header-writer.ts';
import { normalisePath } from '../parse.ts';
import { internalRedirect, redirectToNamed } from '../redirect.ts';
import type { Request } from '../request.ts';
import type { Upstream } from './upstream.ts';

export interface UpstreamHead {
  status: number;
  /** `404 Gone`; '' for the standard text */
  statusLine: string;
  fields: HeaderField[];
  /** -1: unknown */
  contentLength: number;
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);
/** Fields of the answer that an X-Accel-Redirect keeps. */
const KEPT_ON_REDIRECT = new Set([
  'content-type',
  'set-cookie',
  'content-disposition',
  'cache-control',
  'expires',
  'accept-ranges',
  'content-language',
  'p3p',
]);
/** Of these the first counts; a repeat is dropped. */
export const SINGLE_FIELDS = new Set([
  'content-type',
  'date',
  'server',
  'location',
  'refresh',
  'last-modified',
  'etag',
  'expires',
  'accept-ranges',
  'content-range',
  'content-encoding',
  'x-accel-expires',
  'x-accel-redirect',
  'x-accel-limit-rate',
  'x-accel-buffering',
  'x-accel-charset',
]);

/** Applies an answer's header to the response. Returns OK, DONE (redirected inside) or a status. */
export function acceptHead(u: Upstream, head: UpstreamHead, fromCache = false): number {
  const { r, conf } = u;
  const accelerated = head.fields.some((f) => f.lname.startsWith('x-accel-'));
  const value = (lname: string) => (accelerated ? findHeader(head.fields, lname)?.value : undefined);
  const ignored = conf.ignoreHeaders;
  const rate = value('x-accel-limit-rate');
  if (rate !== undefined && !ignored.has('x-accel-limit-rate')) {
    const bytes = rate === 'off' ? 0 : parseSize(rate);
    if (bytes !== undefined) {
      r.main.limitRate = bytes;
      r.main.limitRateAfter ??= 0;
    }
  }
  const redirect = value('x-accel-redirect');
  if (redirect !== undefined && !ignored.has('x-accel-redirect') && !fromCache) return accelRedirect(u, head, redirect);
  const buffering = value('x-accel-buffering')?.toLowerCase();
  if (buffering !== undefined && !ignored.has('x-accel-buffering'))
    u.buffering = buffering === 'yes' ? true : buffering === 'no' ? false : u.buffering;
  r.disableNotModified = !u.cacheable && !fromCache;
  const { out } = r;
  out.status = head.status;
  out.statusLine = head.statusLine;
  copyFields(u, head, fromCache);
  const charset = value('x-accel-charset');
  if (charset !== undefined && !ignored.has('x-accel-charset')) {
    (r as { overrideCharset?: string }).overrideCharset = charset;
  }
  out.contentLength = head.contentLength;
  if (conf.forceRanges) {
    r.allowRanges = true;
    r.singleRange = !fromCache;
  }
  return OK;
}

function copyFields(u: Upstream, head: UpstreamHead, fromCache: boolean): void {
  const { r, conf } = u;
  const { out } = r;
  // a field that is passed on is the back end's or none at all
  if (!conf.hidden.has('date')) out.date = '';
  if (!conf.hidden.has('server')) out.server = '';
  for (const original of head.fields) {
    const { lname } = original;
    if (HOP_BY_HOP.has(lname) || (conf.hidden.has(lname) && lname !== 'content-type')) continue;
    let field = original;
    switch (lname) {
      case 'content-type':
        setContentType(r, field.value);
        if (conf.hidden.has(lname)) out.contentType = '';
        continue;
      case 'date':
        out.date = field.value;
        continue;
      case 'server':
        out.server = field.value;
        continue;
      case 'last-modified':
        out.lastModified = parseHttpDate(field.value);
        out.set(field.name, field.value);
        continue;
      case 'accept-ranges':
        if (conf.forceRanges) continue;
        if (fromCache || u.cacheable) {
          r.allowRanges = true;
          r.singleRange = !fromCache;
          continue;
        }
        break;
      case 'etag':
        // filters may weaken it, the entry of a cache keeps it
        field = { ...original };
        break;
      case 'location':
      case 'refresh':
      case 'set-cookie':
        field = { ...original };
        u.protocol.rewriteField?.(u, field);
        if (lname === 'location' && field.value !== '' && (!field.value.startsWith('/') || field.value !== original.value)) {
          out.location = field.value;
          continue;
        }
        break;
    }
    out.fields.push(field);
  }
}

/** Splits the charset off, as filters want it. */
export function setContentType(r: Request, text: string): void {
  const m = text.includes(';') ? /^([^;]*);(.*)$/s.exec(text) : null;
  const charset = m && /(?:^|[\s;])charset=\s*"?([^";\s]+)"?\s*$/i.exec(m[2]);
  if (!m || !charset) {
    r.out.contentType = text;
    return;
  }
  const rest = m[2].slice(0, charset.index).trim();
  r.out.contentType = rest === '' || rest === ';' ? m[1] : text;
  r.out.charset = r.out.contentType === text ? '' : charset[1];
}

function accelRedirect(u: Upstream, head: UpstreamHead, target: string): number {
  const { r, conf } = u;
  const { out } = r;
  for (const field of head.fields) {
    if (!KEPT_ON_REDIRECT.has(field.lname) || conf.hidden.has(field.lname)) continue;
    if (field.lname === 'content-type') setContentType(r, field.value);
    else out.fields.push(field);
  }
  u.handOver();
  if (r.method !== 'HEAD') r.method = 'GET';
  if (target.startsWith('@')) {
    redirectToNamed(r, target);
    return DONE;
  }
  const query = target.indexOf('?');
  const path = normalisePath(query < 0 ? target : target.slice(0, query), true);
  if (path === undefined || !target.startsWith('/')) {
    r.log('error', `unsafe URI "${target}" was detected`);
    r.finalize(404);
    return DONE;
  }
  internalRedirect(r, path, query < 0 ? '' : target.slice(query + 1));
  return DONE;
}
