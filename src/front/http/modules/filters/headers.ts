// add_header, add_trailer, expires.
import { present } from '../../../../common/present.ts';
import { custom, HSLI, oneOf } from '../../../config/directive.ts';
import { parseTimeSec } from '../../../config/values.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';
import { OK } from '../../request/codes.ts';
import { currentHttpDate, httpDate, parseHttpDate } from '../../request/http-date.ts';

interface AddedField {
  name: string;
  value: Value;
  always: boolean;
}

const STATUSES = new Set([200, 201, 204, 206, 301, 302, 303, 304, 307, 308]);

function parseAdded(f: HttpFrame, previous: AddedField[] = []): AddedField[] {
  if (f.args[2] !== undefined && f.args[2] !== 'always') f.fail(`invalid parameter "${f.args[2]}"`);
  return [...previous, { name: f.args[0], value: f.scope.value(f.args[1]), always: f.args[2] === 'always' }];
}

type Expires =
  | { kind: 'off' | 'epoch' | 'max' | 'unset' }
  | { kind: 'access' | 'modified'; seconds: number }
  | { kind: 'daily'; seconds: number };

function parseExpires(value: string, modified: boolean): Expires | null {
  if (!modified) {
    if (value === 'epoch' || value === 'max' || value === 'off') return { kind: value };
    if (value.startsWith('@')) {
      const seconds = parseTimeSec(value.slice(1));
      return seconds === null || seconds > 86_400 ? null : { kind: 'daily', seconds };
    }
  }
  const sign = value.startsWith('-') ? -1 : 1;
  const seconds = parseTimeSec(value.replace(/^[+-]/, ''));
  return seconds === null ? null : { kind: modified ? 'modified' : 'access', seconds: seconds * sign };
}

const inherit = () => oneOf(HSLI, ['on', 'off', 'merge'], 'on');

export const headersModule = defineModule(
  'headers',
  {
    add_header: custom<AddedField[] | null>(HSLI, [2, 3], null, parseAdded, { repeats: true }),
    add_trailer: custom<AddedField[] | null>(HSLI, [2, 3], null, parseAdded, { repeats: true }),
    add_header_inherit: inherit(),
    add_trailer_inherit: inherit(),
    expires: custom<{ value: Value; modified: boolean } | null>(HSLI, [1, 2], null, (f: HttpFrame) => {
      const modified = f.args.length === 2;
      if (modified && f.args[0] !== 'modified') f.refuse('invalid value');
      const value = f.scope.value(present(f.args.at(-1)));
      if (value.constant !== null && !parseExpires(value.constant, modified)) f.refuse('invalid value');
      return { value, modified };
    }),
  },
  {
    init(main) {
      main.addHeaderFilter('headers', headersFilter);
    },
  },
);

function headersFilter(r: Request): number {
  const c = headersModule.conf(r.loc);
  if ((!c.expires && !c.add_header && !c.add_trailer) || r.isSub) return OK;
  const safe = STATUSES.has(r.out.status);
  if (c.expires && safe) setExpires(r, c.expires.value.eval(r), c.expires.modified);
  for (const field of c.add_header ?? []) if (safe || field.always) addField(r, field);
  const trailers = (c.add_trailer ?? []).filter((field) => safe || field.always);
  if (trailers.length > 0 && !r.headerOnly && r.method !== 'HEAD') addTrailers(r, trailers);
  return OK;
}

function addField(r: Request, field: AddedField): void {
  const value = field.value.eval(r);
  const { out } = r;
  switch (field.name.toLowerCase()) {
    case 'cache-control':
      if (value !== '') out.add('Cache-Control', value);
      return;
    case 'link':
      if (value !== '') out.add('Link', value);
      return;
    case 'last-modified':
      out.lastModified = value === '' ? -1 : parseHttpDate(value);
      out.set('Last-Modified', value === '' ? null : value);
      return;
    case 'etag':
      out.set('ETag', value === '' ? null : value);
      return;
    default:
      if (value !== '') out.add(field.name, value);
  }
}

/** They are sent in a chunked body only; `$sent_trailer_*` has them anyway. */
function addTrailers(r: Request, trailers: AddedField[]): void {
  r.expectTrailers = true;
  r.addBodyFilter('headers', (req, pieces, flags, position) => {
    if (flags.last) {
      for (const field of trailers) {
        const value = field.value.eval(req);
        if (value !== '') req.out.trailers.push({ name: field.name, lname: field.name.toLowerCase(), value });
      }
    }
    return req.nextBody(pieces, flags, position);
  });
}

function setExpires(r: Request, text: string, modified: boolean): void {
  const expires = parseExpires(text, modified);
  if (!expires || expires.kind === 'off' || text === '') return;
  const { out } = r;
  if (expires.kind === 'epoch') {
    out.set('Expires', 'Thu, 01 Jan 1970 00:00:01 GMT');
    out.set('Cache-Control', 'no-cache');
    return;
  }
  if (expires.kind === 'max') {
    out.set('Expires', 'Thu, 31 Dec 2037 23:55:55 GMT');
    out.set('Cache-Control', 'max-age=315360000');
    return;
  }
  const now = Math.floor(Date.now() / 1000);
  let at = now;
  if (expires.kind === 'access' || (expires.kind === 'modified' && out.lastModified < 0)) {
    if (expires.kind === 'access' && expires.seconds === 0) {
      out.set('Expires', currentHttpDate());
      out.set('Cache-Control', 'max-age=0');
      return;
    }
    at = now + ('seconds' in expires ? expires.seconds : 0);
  } else if (expires.kind === 'modified') at = out.lastModified + expires.seconds;
  else if (expires.kind === 'daily') {
    const d = new Date();
    const midnight = new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime() / 1000;
    at = midnight + expires.seconds;
    if (at < now) at += 86_400;
  }
  const maxAge = at - now;
  out.set('Expires', httpDate(at));
  out.set(
    'Cache-Control',
    maxAge < 0 || ('seconds' in expires && expires.seconds < 0 && expires.kind !== 'modified') ? 'no-cache' : `max-age=${maxAge}`,
  );
}
