/**
 * Parser of HTTP/1.x request lines, header lines and URIs. All text is latin1: one character is one byte of the wire.
 * Rules are nginx's: bare LF ends a line, control characters are refused, `//`, `/./`, `/../` and `%XX` are resolved in the path.
 */

interface RequestLine {
  method: string;
  /** as sent: path and query, without scheme and host; `*` or `host:port` where that form was used */
  rawUri: string;
  /** host (with port) of an absolute URI or of CONNECT, '' if none */
  host: string;
  schema: string;
  /** 9, 1000, 1001 */
  version: number;
  protocol: string;
  /** `rawUri` is a path without query that needs no decoding */
  plain: boolean;
}

type LineError = 'method' | 'request' | 'version' | '0.9';

const METHOD = /^[A-Z_-]+$/;
const REQUEST = /^([A-Z_-]+) +([^ ]*)(?: +(.*?) *)?$/;
const BAD_URI = /[\x00-\x20\x7f]/;

/** What a character is in a request target. */
const [PLAIN, DOT, SLASH, WORK, BAD] = [0, 1, 2, 3, 4];
const TARGET_CLASS = Uint8Array.from({ length: 256 }, (_, c) => {
  if (c <= 32 || c === 127) return BAD;
  if (c === 46) return DOT;
  if (c === 47) return SLASH;
  return /[A-Za-z0-9_~!$&'()*,;=:@+-]/.test(String.fromCharCode(c)) ? PLAIN : WORK;
});

/** The usual line, `GET /path HTTP/1.1`; undefined: it must be looked at more closely. */
function parseUsualLine(line: string): RequestLine | undefined {
  const method = line.startsWith('GET /') ? 'GET' : line.startsWith('POST /') ? 'POST' : line.startsWith('HEAD /') ? 'HEAD' : undefined;
  if (method === undefined || !line.endsWith(' HTTP/1.1')) return undefined;
  const start = method.length + 1;
  const end = line.length - 9;
  let plain = true;
  let before = PLAIN;
  for (let n = start; n < end; n++) {
    const kind = TARGET_CLASS[line.charCodeAt(n)];
    if (kind === BAD) return undefined;
    // empty and dot segments, escapes, queries
    if (kind === WORK || (before === SLASH && kind !== PLAIN)) plain = false;
    before = kind;
  }
  return { method, rawUri: line.slice(start, end), host: '', schema: '', version: 1001, protocol: 'HTTP/1.1', plain };
}

/** @param line  without its line end */
export function parseRequestLine(line: string): RequestLine | LineError {
  const usual = parseUsualLine(line);
  if (usual) return usual;
  const match = REQUEST.exec(line);
  if (!match) return METHOD.test(line.split(' ', 1)[0]) ? 'request' : 'method';
  const [, method, target, protocol] = match;
  let version = 9;
  if (protocol !== undefined && protocol !== '') {
    const v = /^HTTP\/([1-9]\d*)(.*)$/.exec(protocol);
    if (!v) return 'request';
    // a version that is too high is known as soon as its first number is
    if (Number(v[1]) > 1) return 'version';
    const minor = /^\.(\d{1,2})$/.exec(v[2]);
    if (!minor) return 'request';
    version = 1000 + Number(minor[1]);
  } else if (method !== 'GET') {
    return 'request';
  }
  if (BAD_URI.test(target)) return 'request';
  const result: RequestLine = {
    method,
    rawUri: target,
    host: '',
    schema: '',
    version,
    protocol: version === 9 ? '' : protocol,
    plain: false,
  };
  const first = target.charCodeAt(0);
  if (first === 47) return method === 'CONNECT' ? 'request' : result;
  if (method === 'CONNECT') {
    const m = /^((?:[A-Za-z0-9._~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5}))$/.exec(target);
    if (!m || Number(m[2]) > 65535 || Number(m[2]) === 0) return 'request';
    result.host = target;
    return result;
  }
  const abs = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/((?:[A-Za-z0-9._~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\])(?::\d*)?)(?:([/?#].*))?$/.exec(target);
  if (!abs) return 'request';
  result.schema = abs[1];
  result.host = abs[2];
  result.rawUri = abs[3] === undefined ? '/' : abs[3].startsWith('/') ? abs[3] : `/${abs[3]}`;
  return result;
}

const hexValue = (c: number): number => (c >= 48 && c <= 57 ? c - 48 : (c | 32) >= 97 && (c | 32) <= 102 ? (c | 32) - 87 : -1);

interface ParsedUri {
  /** decoded, normalised */
  path: string;
  args: string;
}

// a path that needs no work: no %, no //, no dot segment, no # or ?
const PLAIN_PATH = /^(?:\/[A-Za-z0-9_~!$&'()*,;=:@+-][A-Za-z0-9_~!$&'()*,;=:@+.-]*)*\/?$/;

/** Splits off the query and normalises the path; undefined: bad request. */
export function parseUri(raw: string, mergeSlashes: boolean): ParsedUri | undefined {
  const hash = raw.indexOf('#');
  if (hash >= 0) raw = raw.slice(0, hash);
  const query = raw.indexOf('?');
  const args = query < 0 ? '' : raw.slice(query + 1);
  const path = query < 0 ? raw : raw.slice(0, query);
  if (PLAIN_PATH.test(path)) return { path, args };
  const normal = normalisePath(path, mergeSlashes);
  return normal === undefined ? undefined : { path: normal, args };
}

/** `%XX` decoded first, then dot segments and repeated slashes resolved; undefined: leaves the root, NUL or a bad escape. */
export function normalisePath(path: string, mergeSlashes: boolean): string | undefined {
  const out: string[] = [];
  let segment = '';
  let decoded = path;
  if (path.includes('%')) {
    decoded = '';
    for (let n = 0; n < path.length; n++) {
      const c = path.charCodeAt(n);
      if (c !== 37) {
        decoded += path[n];
        continue;
      }
      const hi = hexValue(path.charCodeAt(n + 1));
      const lo = hexValue(path.charCodeAt(n + 2));
      if (hi < 0 || lo < 0 || hi * 16 + lo === 0) return undefined;
      decoded += String.fromCharCode(hi * 16 + lo);
      n += 2;
    }
  }
  // segments after the leading slash; the last one may be empty (trailing slash)
  for (let n = 1; n <= decoded.length; n++) {
    if (n < decoded.length && decoded.charCodeAt(n) !== 47) {
      segment += decoded[n];
      continue;
    }
    const last = n === decoded.length;
    if (segment === '.') {
      if (last) out.push('');
    } else if (segment === '..') {
      if (out.length === 0) return undefined;
      out.pop();
      if (last) out.push('');
    } else if (segment !== '' || last || !mergeSlashes) {
      out.push(segment);
    }
    segment = '';
  }
  return '/' + out.join('/');
}

const escapeSet = (chars: RegExp) => {
  const table: string[] = [];
  for (let c = 0; c < 256; c++) {
    const ch = String.fromCharCode(c);
    table.push(chars.test(ch) ? '%' + (c < 16 ? '0' : '') + c.toString(16).toUpperCase() : ch);
  }
  return { chars, table };
};
// biome-ignore-start lint/suspicious/noControlCharactersInRegex: the sets are byte classes
const ESCAPE = {
  /** space, #, %, ?, control and 8-bit characters */
  uri: escapeSet(/[\x00-\x20"#%<>?\\^`{|}\x7f-\xff]/),
  args: escapeSet(/[\x00-\x20"#%&+<>?\\^`{|}\x7f-\xff]/),
  component: escapeSet(/[^A-Za-z0-9\-._~]/),
  html: escapeSet(/[\x00-\x20"%'\x7f-\xff]/),
  memcached: escapeSet(/[\x00-\x20%\x7f]/),
  refresh: escapeSet(/[\x00-\x20"%'\x7f-\xff]/),
};
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: end

export function escapeUri(text: string, kind: keyof typeof ESCAPE): string {
  const { chars, table } = ESCAPE[kind];
  if (!chars.test(text)) return text;
  let out = '';
  for (let n = 0; n < text.length; n++) out += table[text.charCodeAt(n) & 255];
  return out;
}

export function escapeHtml(text: string): string {
  return text.replace(/[<>&"]/g, (c) => (c === '<' ? '&lt;' : c === '>' ? '&gt;' : c === '&' ? '&amp;' : '&quot;'));
}

/** Host header or authority: lower case, port and trailing dot cut; undefined: invalid. */
export function validHost(host: string): { name: string; port: string } | undefined {
  const m = /^(\[[0-9A-Fa-f:.]*\]|[^\0-\x20\x7f/\\:[\]]*)(?::(\d*))?$/.exec(host);
  if (!m) return undefined;
  let name = m[1].toLowerCase();
  if (name.endsWith('.')) name = name.slice(0, -1);
  if (name === '' || name.includes('..') || (m[2] !== undefined && Number(m[2]) > 65535)) return undefined;
  return { name, port: m[2] ?? '' };
}

/** Value of argument `name` in a query, undefined if absent; names are compared without case, as nginx does. */
export function findArg(args: string, name: string): string | undefined {
  const wanted = name.toLowerCase();
  for (let pos = 0; pos <= args.length; ) {
    let end = args.indexOf('&', pos);
    if (end < 0) end = args.length;
    const eq = args.indexOf('=', pos);
    if (eq >= 0 && eq < end && eq - pos === name.length && args.slice(pos, eq).toLowerCase() === wanted) return args.slice(eq + 1, end);
    pos = end + 1;
  }
  return undefined;
}
