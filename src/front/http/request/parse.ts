// Parses URIs, queries and host names. Strings are latin1: one character is one byte of the wire.
// Rules are nginx's: `//`, `/./`, `/../` and `%XX` are resolved in the path.
const hexValue = (c: number): number => (c >= 48 && c <= 57 ? c - 48 : (c | 32) >= 97 && (c | 32) <= 102 ? (c | 32) - 87 : -1);

interface ParsedUri {
  /** decoded, normalised */
  path: string;
  args: string;
}

// an already normal path: no %, no //, no dot segment, no # or ?
const PLAIN_PATH = /^(?:\/[A-Za-z0-9_~!$&'()*,;=:@+-][A-Za-z0-9_~!$&'()*,;=:@+.-]*)*\/?$/;

/** Splits off the query and normalises the path; null for a malformed URI. */
export function parseUri(raw: string, mergeSlashes: boolean): ParsedUri | null {
  const hash = raw.indexOf('#');
  if (hash >= 0) raw = raw.slice(0, hash);
  const query = raw.indexOf('?');
  const args = query < 0 ? '' : raw.slice(query + 1);
  // an absolute URI may have no path
  const path = (query < 0 ? raw : raw.slice(0, query)) || '/';
  if (PLAIN_PATH.test(path)) return { path, args };
  const normal = normalisePath(path, mergeSlashes);
  return normal === null ? null : { path: normal, args };
}

/** Decodes `%XX`, then resolves dot segments and repeated slashes; null if the path leaves the root or has NUL or a bad escape. */
export function normalisePath(path: string, mergeSlashes: boolean): string | null {
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
      if (hi < 0 || lo < 0 || hi * 16 + lo === 0) return null;
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
      if (out.length === 0) return null;
      out.pop();
      if (last) out.push('');
    } else if (segment !== '' || last || !mergeSlashes) {
      out.push(segment);
    }
    segment = '';
  }
  return '/' + out.join('/');
}

/**
 * A URI given by a back end, a page or a script: decodes `%XX` in the path without further normalisation.
 * @returns undefined for one that is empty, contains NUL, or has a segment `..`
 */
export function parseUnsafeUri(text: string): ParsedUri | null {
  const query = text.indexOf('?');
  const raw = query < 0 ? text : text.slice(0, query);
  if (raw === '' || isUnsafe(raw)) return null;
  const args = query < 0 ? '' : text.slice(query + 1);
  if (!raw.includes('%')) return { path: raw, args };
  // A wrong escape loses its percent sign, or both characters before the wrong one.
  const path = raw.replace(/%(?:([0-9a-f])(?:([0-9a-f])|.?)|(.?))/gis, (_, high?: string, low?: string, other = '') =>
    low === undefined ? other : String.fromCharCode(Number.parseInt(`${high}${low}`, 16)),
  );
  return isUnsafe(path) ? null : { path, args };
}

const isUnsafe = (path: string): boolean => path.includes('\0') || /(?:^|\/)\.\.(?:\/|$)/.test(path);

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

/** Names: unreserved characters, sub-delims and % (RFC 3986); addresses of IPv6 in brackets. */
const HOST = /^([\w\-.~!$&'()*+,;=%]+|\[[\w\-.~!$&'()*+,;=:]*\])(?::(\d*))?$/;

/** Host header or authority: lower case, without port and trailing dot; undefined if invalid. */
export function validHost(host: string): { name: string; port: string } | null {
  const m = HOST.exec(host);
  if (!m || host.includes('..') || Number(m[2] ?? '') > 65535) return null;
  const name = m[1].toLowerCase().replace(/\.$/, '');
  return name === '' ? null : { name, port: m[2] ?? '' };
}

/** Value of argument `name` in a query, null if absent; names are case-insensitive, as in nginx. */
export function findArg(args: string, name: string): string | null {
  if (name === '') return null;
  const wanted = name.toLowerCase();
  for (let pos = 0; pos <= args.length; ) {
    let end = args.indexOf('&', pos);
    if (end < 0) end = args.length;
    const eq = args.indexOf('=', pos);
    if (eq >= 0 && eq < end && eq - pos === name.length && args.slice(pos, eq).toLowerCase() === wanted) return args.slice(eq + 1, end);
    pos = end + 1;
  }
  return null;
}
