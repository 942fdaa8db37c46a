// Parses HTTP/1.x request lines. Strings are latin1: one character is one byte of the wire. Rules are nginx's: control characters are refused.

export interface RequestLine {
  method: string;
  /** as sent: path and query, without scheme and host, so that it may begin with the query; `host:port` for CONNECT */
  rawUri: string;
  /** host (with port) of an absolute URI or of CONNECT, '' if none */
  host: string;
  /** the target has a scheme */
  isAbsolute: boolean;
  schema: string;
  /** 9, 1000, 1001 */
  version: number;
  protocol: string;
  /** `rawUri` is a path without query that needs no decoding */
  plain: boolean;
}

/** The invalid part of a line: its method, its version, or anything else. */
type LineError = 'method' | 'request' | 'version';

/** Which methods are accepted: those that nginx accepts, or any token (RFC 9110, 9.1). */
export type Methods = 'upper case' | 'any token';

const patternsFor = (method: string) => ({
  method: new RegExp(`^${method}$`),
  start: new RegExp(`^${method}(?: .*)?$`, 's'),
  line: new RegExp(`^(${method}) +([^ ]*)(?: +(.*?) *)?$`),
});
const PATTERNS = { 'upper case': patternsFor('[A-Z_-]+'), 'any token': patternsFor("[\\w!#$%&'*+.^`|~-]+") };

/** Whether a line that begins like this can become a request line. */
export const canBeginRequest = (start: string, methods: Methods): boolean => PATTERNS[methods].start.test(start);
/**
 * Absolute URIs: scheme, host with port, and the rest from its slash or question mark on. nginx accepts fewer characters in a host here than in the
 * field Host; a host that is missing is refused later.
 */
const ABSOLUTE = {
  'upper case': /^([A-Za-z][A-Za-z0-9+.-]*):\/\/((?:[A-Za-z0-9.-]*|\[[A-Za-z0-9:._~!$&'()*+,;=-]+\])(?::\d*)?)(?:([/?].*))?$/,
  'any token': /^([A-Za-z][A-Za-z0-9+.-]*):\/\/((?:[A-Za-z0-9._~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\])(?::\d*)?)(?:([/?].*))?$/,
};
const BAD_URI = /[\x00-\x20\x7f]/;

/** Class of each character in a request target. */
const [PLAIN, DOT, SLASH, WORK, BAD] = [0, 1, 2, 3, 4];
const TARGET_CLASS = Uint8Array.from({ length: 256 }, (_, c) => {
  if (c <= 32 || c === 127) return BAD;
  if (c === 46) return DOT;
  if (c === 47) return SLASH;
  return /[A-Za-z0-9_~!$&'()*,;=:@+-]/.test(String.fromCharCode(c)) ? PLAIN : WORK;
});

/** The usual line, `GET /path HTTP/1.1`; undefined if it needs a closer look. */
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
  return { method, rawUri: line.slice(start, end), host: '', isAbsolute: false, schema: '', version: 1001, protocol: 'HTTP/1.1', plain };
}

/** @param line  without its line end */
export function parseRequestLine(line: string, methods: Methods = 'upper case'): RequestLine | LineError {
  const usual = parseUsualLine(line);
  if (usual) return usual;
  const patterns = PATTERNS[methods];
  const match = patterns.line.exec(line);
  if (!match) return patterns.method.test(line.split(' ', 1)[0]) ? 'request' : 'method';
  const [, method, target, protocol] = match;
  let version = 9;
  if (protocol !== undefined && protocol !== '') {
    const v = /^HTTP\/([1-9]\d*)(.*)$/.exec(protocol);
    if (!v) return 'request';
    // too high a version is recognized by its first number
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
    isAbsolute: false,
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
  const abs = ABSOLUTE[methods].exec(target);
  // HTTP/0.9 has no line end that could follow a host
  if (!abs || (version === 9 && abs[3] === undefined)) return 'request';
  result.schema = abs[1];
  result.host = abs[2];
  result.isAbsolute = true;
  result.rawUri = abs[3] ?? '/';
  return result;
}
