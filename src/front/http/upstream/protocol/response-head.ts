// Response headers of a back end: which are passed on, which control this server (`X-Accel-*`), and which are rewritten.
import { findHeader, type HeaderField } from '../../../../http/wire/header.ts';
import { parseSize } from '../../../config/values.ts';
import type { Request } from '../../model/types.ts';
import { internalRedirect, redirectToNamed } from '../../phases/redirect.ts';
import { DONE, OK } from '../../request/codes.ts';
import { parseHttpDate } from '../../request/http-date.ts';
import { parseUnsafeUri } from '../../request/parse.ts';
import type { UpstreamConf } from '../conf.ts';
import type { UpstreamHead } from './protocol.ts';

/** The exchange whose header is accepted. */
export interface HeadReceiver {
  readonly r: Request;
  readonly conf: UpstreamConf;
  readonly protocolName: string;
  /** the response is passed on in buffers, which a cache requires */
  buffering: boolean;
  /** the response is being stored */
  readonly cacheable: boolean;
  /** the response may be stored according to its header */
  readonly mayCache: boolean;
  /** Applies the protocol's final changes to a field (redirects, cookies). */
  rewriteField(field: HeaderField): void;
  /** The request continues elsewhere (X-Accel-Redirect): only the peer is released. */
  handOver(): void;
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);
/** What log lines say while the header of a response is read and applied. */
export const READING_HEAD = ' while reading response header from upstream';

/** Fields of the response that survive an X-Accel-Redirect. */
const KEPT_ON_REDIRECT = new Set(['content-type', 'set-cookie', 'content-disposition', 'cache-control', 'expires', 'accept-ranges']);
/** Fields of which the first applies; repeats are dropped. */
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

/** Applies X-Accel-Buffering, which decides whether the response can be cached. */
export function acceptBuffering(u: HeadReceiver, head: UpstreamHead): void {
  if (u.conf.ignoreHeaders.has('x-accel-buffering')) return;
  const text = findHeader(head.fields, 'x-accel-buffering')?.value.toLowerCase();
  if (text === 'yes' || text === 'no') u.buffering = text === 'yes';
}

/** Applies a response header. Returns OK, DONE (redirected internally) or a status. */
export function acceptHead(u: HeadReceiver, head: UpstreamHead, fromCache = false): number {
  const { r, conf } = u;
  const accelerated = head.fields.some((f) => f.lname.startsWith('x-accel-'));
  const value = (lname: string) => (accelerated ? findHeader(head.fields, lname)?.value : undefined);
  const ignored = conf.ignoreHeaders;
  const rate = value('x-accel-limit-rate');
  if (rate !== undefined && !ignored.has('x-accel-limit-rate')) {
    const bytes = rate === 'off' ? 0 : parseSize(rate);
    if (bytes !== null) {
      r.main.limitRate = bytes;
      r.main.limitRateAfter ??= 0;
    }
  }
  const charset = value('x-accel-charset');
  if (charset !== undefined && !ignored.has('x-accel-charset')) r.overrideCharset = charset;
  const redirect = value('x-accel-redirect');
  if (redirect !== undefined && !ignored.has('x-accel-redirect') && !fromCache) return accelRedirect(u, head, redirect);
  r.disableNotModified = !u.cacheable && !u.mayCache && !fromCache;
  const { out } = r;
  out.status = head.status;
  out.statusLine = head.statusLine;
  copyFields(u, head, fromCache);
  out.contentLength = head.contentLength;
  if (conf.forceRanges) {
    r.allowRanges = true;
    r.ranges = fromCache ? 'any' : 'ascending';
  }
  return OK;
}

function copyFields(u: HeadReceiver, head: UpstreamHead, fromCache: boolean): void {
  const { r, conf } = u;
  const { out } = r;
  // Date and Server of an HTTP back end are passed on unchanged, or omitted
  const isHttp = u.protocolName === 'http' || u.protocolName === 'grpc';
  if (isHttp && !conf.hidden.has('date')) out.date = '';
  if (isHttp && !conf.hidden.has('server')) out.server = '';
  for (const original of head.fields) {
    const { lname } = original;
    if (HOP_BY_HOP.has(lname) || (conf.hidden.has(lname) && lname !== 'content-type')) continue;
    let field = original;
    switch (lname) {
      case 'content-type':
        out.setContentType(field.value);
        if (conf.hidden.has(lname)) out.contentType = '';
        continue;
      case 'date':
        out.date = '';
        break;
      case 'server':
        out.server = '';
        break;
      case 'last-modified':
        out.lastModified = parseHttpDate(field.value);
        out.set(field.name, field.value);
        continue;
      case 'accept-ranges':
        if (conf.forceRanges) continue;
        if (fromCache || u.cacheable || u.mayCache) {
          r.allowRanges = true;
          r.ranges = fromCache ? 'any' : 'ascending';
          continue;
        }
        break;
      case 'etag':
        // filters may weaken it, the cache entry keeps it
        field = { ...original };
        break;
      case 'location':
      case 'refresh':
      case 'set-cookie':
        field = { ...original };
        u.rewriteField(field);
        if (lname === 'location' && field.value !== '' && (!field.value.startsWith('/') || field.value !== original.value)) {
          out.location = field.value;
          out.locationName = field.name;
          continue;
        }
        break;
    }
    out.fields.push(field);
  }
}

function accelRedirect(u: HeadReceiver, head: UpstreamHead, target: string): number {
  const { r } = u;
  const { out } = r;
  for (const field of head.fields) {
    if (!KEPT_ON_REDIRECT.has(field.lname)) continue;
    if (field.lname === 'content-type') out.setContentType(field.value);
    else {
      const own = { ...field };
      if (field.lname === 'set-cookie') u.rewriteField(own);
      out.fields.push(own);
    }
  }
  u.handOver();
  if (target.startsWith('@')) {
    redirectToNamed(r, target);
    return DONE;
  }
  const uri = parseUnsafeUri(target);
  if (!uri) {
    r.log('error', `unsafe URI "${target}" was detected`);
    r.finalize(404);
    return DONE;
  }
  if (r.method !== 'HEAD') r.method = 'GET';
  internalRedirect(r, uri.path, uri.args);
  return DONE;
}
