/** Server side includes: include, echo, set, if/elif/else/endif, block/endblock, config. */
import { ANY_COUNT, custom, flag, HSL, HSLI, size } from '../../config/directive.ts';
import { ERROR, OK } from '../codes.ts';
import { typeMatches, typesSet } from '../mime-types.ts';
import { type BodyFlags, defineModule, type HttpFrame, isFileSpan, type Piece } from '../module.ts';
import { escapeHtml, escapeUri, normalisePath, unescapeUri } from '../parse.ts';
import { type Captures, capture, Regex } from '../regex.ts';
import type { Request } from '../request.ts';
import { startSubrequest } from '../subrequest.ts';
import { clearModified } from './body-filters.ts';
import { readSpan } from './static.ts';

const MAX_COMMAND = 64 * 1024;

interface Shared {
  variables: Map<string, string>;
  blocks: Map<string, string>;
}

/** State of one filtered response. */
interface Ssi {
  shared: Shared;
  held: string;
  /** if nesting: is this branch output; was a branch taken; is the outer one output */
  stack: { active: boolean; taken: boolean; outer: boolean }[];
  block: { name: string; text: string } | undefined;
  timeFormat: string;
  errorMessage: string;
  /** the subrequest whose end is waited for */
  waiting: Request | undefined;
  flags: BodyFlags;
  lastSeen: boolean;
  /** the end was passed on */
  ended: boolean;
  captures: Captures | undefined;
  /** text that goes on after the wait */
  queue: string;
}

const WAIT_BIT = 1;

export const ssiModule = defineModule(
  'ssi',
  {
    ssi: flag(HSLI, false),
    ssi_silent_errors: flag(HSL, false),
    ssi_last_modified: flag(HSL, false),
    ssi_ignore_recycled_buffers: flag(HSL, false),
    ssi_min_file_chunk: size(HSL, '1k'),
    ssi_value_length: size(HSL, '256'),
    ssi_types: custom<Set<string> | 'all'>(
      HSL,
      [1, ANY_COUNT],
      new Set(['text/html']),
      (f: HttpFrame, previous) => typesSet(f.args, ['text/html'], previous),
      { repeats: true },
    ),
  },
  {
    init(main) {
      main.addHeaderFilter('ssi', ssiHeader);
    },
    variables: [
      { name: 'date_local', volatile: true, get: (r): string => formatTime(ssiOf(r)?.timeFormat, false) },
      { name: 'date_gmt', volatile: true, get: (r): string => formatTime(ssiOf(r)?.timeFormat, true) },
    ],
  },
);

const ssiOf = (r: Request): Ssi | undefined => r.getCtx<Ssi>(ssiModule);
const DEFAULT_TIME = '%A, %d-%b-%Y %H:%M:%S %Z';

function formatTime(format = DEFAULT_TIME, gmt: boolean): string {
  const d = new Date();
  const zone = gmt ? 'UTC' : undefined;
  const part = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-US', { ...options, timeZone: zone }).format(d);
  const two = (n: number) => String(n).padStart(2, '0');
  const get = (local: number, utc: number) => (gmt ? utc : local);
  return format.replace(/%([A-Za-z%])/g, (whole, c: string) => {
    switch (c) {
      case 's':
        return String(Math.floor(d.getTime() / 1000));
      case 'A':
        return part({ weekday: 'long' });
      case 'a':
        return part({ weekday: 'short' });
      case 'b':
        return part({ month: 'short' });
      case 'B':
        return part({ month: 'long' });
      case 'd':
        return two(get(d.getDate(), d.getUTCDate()));
      case 'm':
        return two(get(d.getMonth(), d.getUTCMonth()) + 1);
      case 'Y':
        return String(get(d.getFullYear(), d.getUTCFullYear()));
      case 'y':
        return two(get(d.getFullYear(), d.getUTCFullYear()) % 100);
      case 'H':
        return two(get(d.getHours(), d.getUTCHours()));
      case 'M':
        return two(get(d.getMinutes(), d.getUTCMinutes()));
      case 'S':
        return two(get(d.getSeconds(), d.getUTCSeconds()));
      case 'Z':
        return gmt ? 'GMT' : part({ timeZoneName: 'short' }).split(' ').pop()!;
      case '%':
        return '%';
      default:
        return whole;
    }
  });
}

function ssiHeader(r: Request): number {
  const c = ssiModule.conf(r.loc);
  const { out } = r;
  if (!c.ssi || !typeMatches(c.ssi_types, out.contentType) || out.get('content-encoding')) return OK;
  let shared = r.getMainCtx<Shared>(ssiModule);
  if (!shared) r.setMainCtx(ssiModule, (shared = { variables: new Map(), blocks: new Map() }));
  const ctx: Ssi = {
    ...{ shared, held: '', stack: [], block: undefined, timeFormat: DEFAULT_TIME, queue: '' },
    ...{ errorMessage: '[an error occurred while processing the directive]', waiting: undefined, lastSeen: false },
    ...{ ended: false, captures: undefined, flags: { last: false, flush: false } },
  };
  r.setCtx(ssiModule, ctx);
  r.needInMemory = true;
  if (!r.isSub) {
    out.contentLength = -1;
    r.allowRanges = false;
    out.set('Accept-Ranges', undefined);
    if (!c.ssi_last_modified) clearModified(r);
  }
  r.addBodyFilter('ssi', (req, pieces, flags, position) => filter(req, ctx, pieces, flags, position));
  return OK;
}

function filter(r: Request, ctx: Ssi, pieces: Piece[], flags: BodyFlags, position: number): number {
  for (const piece of pieces) ctx.queue += (isFileSpan(piece) ? readSpan(piece) : piece).latin1Slice();
  if (ctx.ended) return r.nextBody([], flags, position);
  if (flags.last) ctx.lastSeen = true;
  if (flags.flush) ctx.flags.flush = true;
  if (ctx.waiting) {
    if (!ctx.waiting.done) return OK;
    ctx.waiting = undefined;
    r.buffered &= ~WAIT_BIT;
  }
  const text = ctx.held + ctx.queue;
  ctx.held = '';
  ctx.queue = '';
  let out = '';
  let pos = 0;
  const emit = (s: string) => {
    if (s === '') return;
    if (ctx.block) ctx.block.text += s;
    else if (active(ctx)) out += s;
  };
  while (pos < text.length) {
    const start = text.indexOf('<!--#', pos);
    if (start < 0) {
      const keep = ctx.lastSeen ? 0 : partial(text, pos);
      emit(text.slice(pos, text.length - keep));
      ctx.held = keep ? text.slice(text.length - keep) : '';
      break;
    }
    emit(text.slice(pos, start));
    const end = commandEnd(text, start + 5);
    if (end < 0) {
      if (!ctx.lastSeen && text.length - start < MAX_COMMAND) ctx.held = text.slice(start);
      else if (ctx.lastSeen) emit(text.slice(start));
      break;
    }
    pos = end + 3;
    const body = text.slice(start + 5, end);
    if (ctx.block && !/^\s*endblock\b/.test(body)) {
      ctx.block.text += text.slice(start, pos);
      continue;
    }
    if (out !== '' && /^\s*include\b/.test(body)) {
      const rc = r.nextBody([Buffer.from(out, 'latin1')], { last: false, flush: false }, position);
      out = '';
      if (rc === ERROR) return rc;
    }
    const result = command(r, ctx, body);
    if (result === 'wait') {
      // what follows must see the result of the subrequest
      ctx.queue = text.slice(pos) + ctx.queue;
      if (out !== '') r.nextBody([Buffer.from(out, 'latin1')], { last: false, flush: false }, position);
      r.buffered |= WAIT_BIT;
      return OK;
    }
    if (result === 'error') {
      if (!ssiModule.conf(r.loc).ssi_silent_errors) emit(ctx.errorMessage);
    } else emit(result);
  }
  const last = ctx.lastSeen;
  const flush = ctx.flags.flush;
  ctx.flags.flush = false;
  ctx.ended = last;
  if (out === '' && pieces.length > 0 && !last && !flush) return OK;
  return r.nextBody(out === '' ? [] : [Buffer.from(out, 'latin1')], { last, flush }, position);
}

const active = (ctx: Ssi): boolean => ctx.stack.every((s) => s.active);

function partial(text: string, from: number): number {
  for (let length = Math.min(4, text.length - from); length > 0; length--)
    if ('<!--#'.startsWith(text.slice(text.length - length))) return length;
  return 0;
}

/** Index of `-->` outside quotes. */
function commandEnd(text: string, from: number): number {
  let quote = '';
  for (let n = from; n < text.length; n++) {
    const c = text[n];
    if (quote) {
      if (c === '\\') n++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (c === '-' && text.startsWith('-->', n)) return n;
  }
  return -1;
}

function parameters(body: string): { name: string; params: [string, string][] } | undefined {
  const head = /^\s*([A-Za-z]+)\s*/.exec(body);
  if (!head) return undefined;
  const params: [string, string][] = [];
  let rest = body.slice(head[0].length);
  while (rest.trim() !== '') {
    const m = /^\s*([A-Za-z_][A-Za-z_0-9]*)\s*=\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)')\s*/s.exec(rest);
    if (!m) return undefined;
    params.push([m[1].toLowerCase(), (m[2] ?? m[3]).replace(/\\(["'\\$])/g, (_, c: string) => (c === '$' ? '\0$' : c))]);
    rest = rest.slice(m[0].length);
  }
  return { name: head[1].toLowerCase(), params };
}

function variable(r: Request, ctx: Ssi, name: string): string | undefined {
  if (/^\d$/.test(name)) return capture(ctx.captures, Number(name));
  const own = ctx.shared.variables.get(name.toLowerCase());
  if (own !== undefined) return own;
  if (ctx.captures) {
    const named = (ctx.captures as Captures & { names?: Map<string, number> }).names?.get(name);
    if (named !== undefined) return capture(ctx.captures, named);
  }
  if (name.toLowerCase() === 'date_local') return formatTime(ctx.timeFormat, false);
  if (name.toLowerCase() === 'date_gmt') return formatTime(ctx.timeFormat, true);
  const def = r.http.variables.find(name);
  return def ? (r.variable(def) ?? undefined) : undefined;
}

function expand(r: Request, ctx: Ssi, text: string): string {
  return text.replace(/\0\$|\$(?:\{(\w+)\}|(\w+))/g, (whole, a?: string, b?: string) =>
    whole === '\0$' ? '$' : (variable(r, ctx, a ?? b ?? '') ?? ''),
  );
}

function command(r: Request, ctx: Ssi, body: string): string {
  const parsed = parameters(body);
  if (!parsed) {
    r.log('error', `invalid SSI command: "${body.slice(0, 80)}"`);
    return active(ctx) ? 'error' : '';
  }
  const { name, params } = parsed;
  const get = (key: string) => params.find(([k]) => k === key)?.[1];
  switch (name) {
    case 'if':
      ctx.stack.push({ outer: active(ctx), active: false, taken: false });
      branch(r, ctx, get('expr') ?? '');
      return '';
    case 'elif':
      if (ctx.stack.length === 0) return 'error';
      branch(r, ctx, get('expr') ?? '');
      return '';
    case 'else': {
      const top = ctx.stack.at(-1);
      if (!top) return 'error';
      top.active = top.outer && !top.taken;
      top.taken = true;
      return '';
    }
    case 'endif':
      return ctx.stack.pop() ? '' : 'error';
    case 'endblock':
      if (ctx.block) ctx.shared.blocks.set(ctx.block.name, ctx.block.text);
      ctx.block = undefined;
      return '';
  }
  if (!active(ctx)) return '';
  switch (name) {
    case 'echo':
      return echo(r, ctx, get('var') ?? '', get('default'), get('encoding') ?? get('enc') ?? 'entity');
    case 'set': {
      const target = get('var');
      if (!target) return 'error';
      ctx.shared.variables.set(target.toLowerCase(), expand(r, ctx, get('value') ?? ''));
      return '';
    }
    case 'config':
      if (get('timefmt') !== undefined) ctx.timeFormat = get('timefmt')!;
      if (get('errmsg') !== undefined) ctx.errorMessage = get('errmsg')!;
      return '';
    case 'block':
      ctx.block = { name: get('name') ?? '', text: '' };
      return '';
    case 'include':
      return include(r, ctx, params);
    default:
      r.log('error', `invalid SSI command: "${name}"`);
      return 'error';
  }
}

function echo(r: Request, ctx: Ssi, name: string, fallback: string | undefined, encoding: string): string {
  const value = variable(r, ctx, name);
  if (value === undefined) return fallback === undefined ? '(none)' : fallback;
  if (value === '') return fallback && r.http.variables.find(name) === undefined ? fallback : '';
  if (encoding === 'none') return value;
  if (encoding === 'url') return escapeUri(value, 'html');
  return escapeHtml(value);
}

function branch(r: Request, ctx: Ssi, expression: string): void {
  const top = ctx.stack.at(-1)!;
  if (!top.outer || top.taken) {
    top.active = false;
    return;
  }
  top.active = test(r, ctx, expression);
  top.taken = top.active;
}

function test(r: Request, ctx: Ssi, expression: string): boolean {
  const m = /^\s*(?:\$\{?(\w+)\}?)?(.*?)\s*(?:(!=|=)\s*(.*))?$/s.exec(expression);
  const compare = /^(.*?)\s*(!=|=)\s*(.*)$/s.exec(expression.trim());
  if (!m || !compare) return expand(r, ctx, expression.trim()) !== '';
  const left = expand(r, ctx, compare[1].trim());
  const right = compare[3].trim();
  const negative = compare[2] === '!=';
  if (right.startsWith('/') && right.endsWith('/') && right.length > 1) {
    try {
      const regex = new Regex(right.slice(1, -1));
      const captures = regex.exec(left);
      if (captures) ctx.captures = Object.assign(captures, { names: regex.names });
      return (captures !== undefined) !== negative;
    } catch {
      return false;
    }
  }
  return (left === expand(r, ctx, right)) !== negative;
}

function include(r: Request, ctx: Ssi, params: [string, string][]): string {
  const get = (key: string) => params.find(([k]) => k === key)?.[1];
  const virtual = get('virtual');
  const file = get('file');
  const target = virtual ?? file;
  if (target === undefined || (virtual !== undefined && file !== undefined)) {
    r.log('error', 'inclusion may be either virtual="..." or file="..."');
    return 'error';
  }
  const text = expand(r, ctx, target);
  const query = file === undefined ? text.indexOf('?') : -1;
  let path = unescapeUri(query < 0 ? text : text.slice(0, query));
  if (!path.startsWith('/')) path = r.uri.slice(0, r.uri.lastIndexOf('/') + 1) + path;
  const uri = normalisePath(path.replace(/%/g, '%25'), false);
  if (uri === undefined || path.split('/').includes('..')) {
    r.log('error', `unsafe URI "${text}" was detected`);
    return 'error';
  }
  const stub = get('stub');
  const set = get('set')?.toLowerCase();
  const wait = get('wait') === 'yes';
  const sub = startSubrequest(r, uri, query < 0 ? '' : text.slice(query + 1), {
    inMemory: set !== undefined,
    done: (request, rc) => {
      if (set !== undefined) ctx.shared.variables.set(set, Buffer.concat(request.captured).latin1Slice());
      if (stub !== undefined) {
        const status = request.out.status;
        const failed = rc === ERROR || rc >= 300 || status >= 300 || request.bodyless;
        if (failed && !request.headerSent) {
          const block = ctx.shared.blocks.get(stub);
          if (block !== undefined) {
            request.emitText(block);
            return OK;
          }
        }
      }
      return rc;
    },
  });
  if (!sub) return 'error';
  if (set !== undefined || wait) {
    ctx.waiting = sub;
    return 'wait';
  }
  return '';
}
