// charset and charset_map: declares and converts the charset of a response.
import { present } from '../../../../common/present.ts';
import { block, custom, flag, HSLI, HTTP } from '../../../config/directive.ts';
import { failAt } from '../../../config/syntax.ts';
import { mediaTypes, typeMatches } from '../../config/mime-types.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';
import { OK } from '../../request/codes.ts';
import { textOf } from './changed-body.ts';

const CHARSET_TYPES = ['text/html', 'text/xml', 'text/plain', 'text/vnd.wap.wml', 'application/javascript', 'application/rss+xml'];

/** 256 replacements for each direction; UTF-8 sequences are strings of bytes. */
interface Tables {
  forward: (string | null)[];
  backward: Map<string, string>;
  utf8: boolean;
}

function parseCharsetMap(f: HttpFrame): undefined {
  const [from, to] = f.args.map((a) => a.toLowerCase());
  if (from === to) f.fail(`"charset_map" between the same charsets "${from}" and "${to}"`);
  const tables: Tables = { forward: [], backward: new Map(), utf8: to === 'utf-8' };
  for (const node of present(f.node.children)) {
    if (node.args.length !== 1) failAt(node, 'invalid parameters number');
    if (!/^[0-9A-Fa-f]{1,2}$/.test(node.name)) failAt(node, `invalid value "${node.name}"`);
    const hex = node.args[0];
    if (!/^(?:[0-9A-Fa-f]{2}){1,4}$/.test(hex) && !/^[0-9A-Fa-f]$/.test(hex)) failAt(node, `invalid value "${hex}"`);
    const target = Buffer.from(hex.length === 1 ? `0${hex}` : hex, 'hex').latin1Slice();
    const code = Number.parseInt(node.name, 16);
    tables.forward[code] = target;
    tables.backward.set(target, String.fromCharCode(code));
  }
  f.scope.main.registry.set(`charset_map:${from}:${to}`, tables);
  for (const name of [from, to]) f.scope.main.registry.set(`charset:${name}`, true);
  return undefined;
}

/** A charset by name or variable; X-Accel-Charset recognises those that the configuration names. */
function charsetValue(f: HttpFrame): Value {
  const value = f.scope.value(f.args[0]);
  if (value.constant !== null) f.scope.main.registry.set(`charset:${value.constant.toLowerCase()}`, true);
  return value;
}

export const charsetModule = defineModule(
  'charset',
  {
    charset: custom<{ value: Value } | 'off' | null>(HSLI, 1, null, (f: HttpFrame) =>
      f.args[0] === 'off' ? 'off' : { value: charsetValue(f) },
    ),
    source_charset: custom<{ value: Value } | null>(HSLI, 1, null, (f: HttpFrame) => ({ value: charsetValue(f) })),
    override_charset: flag(HSLI, false),
    charset_types: mediaTypes(CHARSET_TYPES),
    charset_map: block<undefined>(HTTP, 2, undefined, parseCharsetMap),
  },
  {
    init(main) {
      main.addHeaderFilter('charset', charsetHeader);
    },
  },
);

function charsetHeader(r: Request): number {
  const { out } = r;
  const target = r.isSub ? r.main.charsetSent || r.main.out.charset : destination(r);
  if (!target) return OK;
  const source = out.charset || charsetModule.conf(r.loc).source_charset?.value.eval(r) || '';
  const [from, to] = [source.toLowerCase(), target.toLowerCase()];
  if (from !== '' && from !== to && !(out.get('content-encoding') && isMapped(r, from, to)) && !convert(r, from, to)) {
    r.log('error', `no "charset_map" between the charsets "${source}" and "${target}"`);
    return OK;
  }
  if (r.isSub) return OK;
  r.charsetSent = target;
  // Otherwise a redirect's charset would apply to the page that follows.
  out.charset = out.status === 301 || out.status === 302 ? '' : target;
  return OK;
}

/** Charset that the response should have, '' to leave it unchanged. */
function destination(r: Request): string {
  const c = charsetModule.conf(r.loc);
  const { out } = r;
  if (!out.contentType) return '';
  if (r.overrideCharset) {
    if (r.http.registry.has(`charset:${r.overrideCharset.toLowerCase()}`)) return r.overrideCharset;
    r.log('error', `unknown charset "${r.overrideCharset}" to override`);
    return '';
  }
  if (!c.charset || c.charset === 'off') return '';
  if (out.charset ? !c.override_charset : !typeMatches(c.charset_types, out.contentType)) return '';
  return c.charset.value.eval(r);
}

const isMapped = (r: Request, from: string, to: string): boolean =>
  r.http.registry.has(`charset_map:${from}:${to}`) || r.http.registry.has(`charset_map:${to}:${from}`);

/** Adds a conversion filter to the response. @returns false if there is no map for the two charsets */
function convert(r: Request, from: string, to: string): boolean {
  const forward = r.http.registry.get(`charset_map:${from}:${to}`) as Tables | undefined;
  const backward = r.http.registry.get(`charset_map:${to}:${from}`) as Tables | undefined;
  if (!forward && !backward) return false;
  const multi = forward?.utf8 || backward?.utf8;
  if (multi) {
    r.out.contentLength = -1;
    r.allowRanges = false;
    r.out.set('Accept-Ranges', null);
  }
  r.needInMemory = true;
  let held = '';
  r.addBodyFilter('charset', (req, pieces, flags, position) => {
    let text = held + textOf(pieces);
    held = '';
    if (backward?.utf8 && !flags.last) {
      // Keeps an incomplete sequence until the rest arrives.
      const tail = /[\xc0-\xff][\x80-\xbf]{0,3}$/.exec(text);
      if (tail && tail[0].length < sequenceLength(tail[0].charCodeAt(0))) {
        held = tail[0];
        text = text.slice(0, -held.length);
      }
    }
    const done = forward ? mapForward(text, forward) : mapBackward(text, present(backward));
    if (done === '' && pieces.length > 0 && !flags.last && !flags.flush) return OK;
    return req.nextBody(done === '' ? [] : [Buffer.from(done, 'latin1')], flags, position);
  });
  return true;
}

const sequenceLength = (c: number): number => (c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2);

function mapForward(text: string, tables: Tables): string {
  let out = '';
  for (let n = 0; n < text.length; n++) {
    const c = text.charCodeAt(n);
    const mapped = tables.forward[c];
    out += mapped ?? (c < 128 ? text[n] : tables.utf8 ? `&#${c};` : '?');
  }
  return out;
}

function mapBackward(text: string, tables: Tables): string {
  if (!tables.utf8) return [...text].map((ch) => tables.backward.get(ch) ?? (ch.charCodeAt(0) < 128 ? ch : '?')).join('');
  let out = '';
  for (let n = 0; n < text.length; ) {
    const c = text.charCodeAt(n);
    if (c < 128) {
      out += text[n++];
      continue;
    }
    const length = sequenceLength(c);
    const sequence = text.slice(n, n + length);
    n += length;
    const mapped = tables.backward.get(sequence);
    if (mapped !== undefined) out += mapped;
    else {
      const decoded = Buffer.from(sequence, 'latin1').toString('utf8');
      out += decoded.includes('\ufffd') ? '?' : `&#${decoded.codePointAt(0)};`;
    }
  }
  return out;
}
