// Directives that proxy, fastcgi, scgi, uwsgi, memcached, grpc and tunnel share, each with its prefix.
import { isIP } from 'node:net';
import { ANY_COUNT, buffers, custom, flag, HSL, ineffective, msec, num, type Spec, size, type Table } from '../../config/directive.ts';
import { parseSize } from '../../config/values.ts';
import { splitHostPort } from '../config/addresses.ts';
import { core, TEMP_PATHS } from '../config/core.ts';
import type { HttpFrame } from '../config/module.ts';
import type { Value } from '../config/value.ts';
import type { Loc } from '../model/types.ts';
import type { TempFolder } from '../request/body.ts';

interface BindConf {
  value: Value;
}

/** Values of the shared directives, independent of their prefix. */
export interface UpstreamConf {
  connectTimeoutMs: number;
  sendTimeoutMs: number;
  readTimeoutMs: number;
  bufferSize: number;
  buffers: { count: number; size: number };
  buffering: boolean;
  requestBuffering: boolean;
  ignoreClientAbort: boolean;
  interceptErrors: boolean;
  passRequestHeaders: boolean;
  passRequestBody: boolean;
  nextUpstream: ReadonlySet<string>;
  nextTries: number;
  nextTimeoutMs: number;
  maxTempFileSize: number;
  tempPath: TempFolder;
  limitRate: Value | null;
  forceRanges: boolean;
  ignoreHeaders: ReadonlySet<string>;
  hidden: ReadonlySet<string>;
  passTrailers: boolean;
  socketKeepalive: boolean;
  bind: BindConf | null;
  /** the local address is evaluated for each attempt */
  bindDynamic: boolean;
  /** unless all are neither empty nor 0, the chosen peer is not used */
  allowed: Value[] | null;
  /** the head of the request is created for each attempt */
  requestDynamic: boolean;
  store: { on: boolean; value: Value | null };
  storeAccess: number;
  local: Loc;
}

const IGNORABLE = [
  'X-Accel-Redirect',
  'X-Accel-Expires',
  'X-Accel-Limit-Rate',
  'X-Accel-Buffering',
  'X-Accel-Charset',
  'Expires',
  'Cache-Control',
  'Set-Cookie',
  'Vary',
];

const NEXT_HTTP =
  'error timeout denied invalid_header non_idempotent http_500 http_502 http_503 http_504 http_403 http_404 http_429 off'.split(' ');

/** Parses modes such as `user:rw group:r all:r`. */
export function parseAccess(f: HttpFrame): number {
  let mode = 0o600;
  for (const word of f.args) {
    const m = /^(user|group|all):(rw|wr|r)$/.exec(word);
    if (!m) f.invalid(word);
    const bits = m[2] === 'r' ? 4 : 6;
    mode |= m[1] === 'user' ? bits << 6 : m[1] === 'group' ? bits << 3 : bits;
  }
  return mode;
}

function nextUpstream(words: readonly string[]): Spec<ReadonlySet<string>> {
  return {
    contexts: HSL,
    min: 1,
    max: ANY_COUNT,
    block: false,
    defaultText: 'error timeout',
    fallback: new Set(['error', 'timeout']),
    repeats: true,
    parse: (f, previous) =>
      new Set([...(previous ?? []), ...f.args.map((word: string) => (words.includes(word) ? word : f.invalid(word)))]),
  };
}

/** Conditions: strings with variables; an empty value or 0 counts as false. */
export const predicates = () =>
  custom<Value[] | null>(
    HSL,
    [1, ANY_COUNT],
    null,
    (f: HttpFrame, previous = []) => [...previous, ...f.args.map((word) => f.scope.value(word))],
    { repeats: true },
  );

const headerList = () =>
  custom<ReadonlySet<string> | null>(
    HSL,
    1,
    null,
    (f: HttpFrame, previous) => {
      const set = new Set(previous);
      set.add(f.args[0].toLowerCase());
      return set;
    },
    { repeats: true },
  );

/** The table for a prefix. @param next words of PREFIX_next_upstream */
export function sharedTable(prefix: string, next: readonly string[] = NEXT_HTTP): Table {
  const p = `${prefix}_`;
  return {
    [`${p}connect_timeout`]: msec(HSL, '60s'),
    [`${p}send_timeout`]: msec(HSL, '60s'),
    [`${p}read_timeout`]: msec(HSL, '60s'),
    [`${p}buffer_size`]: size(HSL, '4k'),
    [`${p}next_upstream`]: nextUpstream(next),
    [`${p}next_upstream_tries`]: num(HSL, 0),
    [`${p}next_upstream_timeout`]: msec(HSL, '0'),
    [`${p}socket_keepalive`]: flag(HSL, false),
    [`${p}allow_upstream`]: predicates(),
    [`${p}bind_dynamic`]: flag(HSL, false),
    [`${p}bind`]: custom<BindConf | 'off' | null>(HSL, [1, 2], null, (f: HttpFrame) => {
      if (f.args[0] === 'off' && f.args.length === 1) return 'off';
      const value = f.scope.value(f.args[0]);
      if (value.constant !== null && !isIP(value.constant) && !isIP(splitHostPort(value.constant, 0).host))
        f.fail(`invalid address "${value.constant}"`);
      if (f.args[1] === 'transparent') f.fail('the "transparent" parameter is not supported: Node cannot set IP_TRANSPARENT');
      if (f.args[1] !== undefined) f.fail(`invalid parameter "${f.args[1]}"`);
      return { value };
    }),
    [`${p}socket_rcvbuf`]: ineffective(size(HSL, '0')),
    [`${p}socket_sndbuf`]: ineffective(size(HSL, '0')),
    [`${p}send_lowat`]: ineffective(size(HSL, '0'), 'elsewhere'),
  };
}

/** Additional directives of protocols with a response. */
export function responseTable(prefix: string): Table {
  const p = `${prefix}_`;
  return {
    [`${p}buffers`]: buffers(HSL, '8 4k'),
    [`${p}busy_buffers_size`]: size(HSL, ''),
    [`${p}buffering`]: flag(HSL, true),
    [`${p}request_buffering`]: flag(HSL, true),
    [`${p}ignore_client_abort`]: flag(HSL, false),
    [`${p}intercept_errors`]: flag(HSL, false),
    [`${p}pass_request_headers`]: flag(HSL, true),
    [`${p}pass_request_body`]: flag(HSL, true),
    [`${p}max_temp_file_size`]: size(HSL, '1024m'),
    [`${p}temp_file_write_size`]: size(HSL, ''),
    [`${p}limit_rate`]: custom<{ value: Value } | null>(HSL, 1, null, (f: HttpFrame) => {
      const value = f.scope.value(f.args[0]);
      if (value.constant !== null && parseSize(value.constant) === null) f.refuse('invalid value');
      return { value };
    }),
    [`${p}force_ranges`]: flag(HSL, false),
    [`${p}request_dynamic`]: flag(HSL, false),
    [`${p}hide_header`]: headerList(),
    [`${p}pass_header`]: headerList(),
    [`${p}ignore_headers`]: custom<ReadonlySet<string>>(
      HSL,
      [1, ANY_COUNT],
      new Set(),
      (f: HttpFrame, previous) => {
        for (const word of f.args) if (!IGNORABLE.includes(word)) f.invalid(word);
        return new Set([...(previous ?? []), ...f.args.map((w) => w.toLowerCase())]);
      },
      { repeats: true },
    ),
    [`${p}store`]: custom<{ on: boolean; value: Value | null }>(HSL, 1, { on: false, value: null }, (f: HttpFrame) => {
      if (f.args[0] === 'off') return { on: false, value: null };
      if (f.args[0] === '') f.fail('empty path');
      return { on: true, value: f.args[0] === 'on' ? null : f.scope.value(f.args[0]) };
    }),
    [`${p}store_access`]: custom<number>(HSL, [1, 3], 0o600, parseAccess),
  };
}

const HIDDEN = ['x-accel-expires', 'x-accel-redirect', 'x-accel-limit-rate', 'x-accel-buffering', 'x-accel-charset'];

/** Checks that buffer sizes fit together. @throws string, in nginx's words */
export function checkBuffers(prefix: string, conf: Record<string, unknown>): void {
  // memcached and similar have one buffer
  if (!(`${prefix}_buffers` in conf)) return;
  const get = <V>(name: string, fallback: V): V => (conf[`${prefix}_${name}`] as V | undefined) ?? fallback;
  const { count, size } = get('buffers', { count: 8, size: 4096 });
  const largest = Math.max(get('buffer_size', 4096), size);
  const most = `the maximum of the value of "${prefix}_buffer_size" and one of the "${prefix}_buffers"`;
  if (count < 2) throw `there must be at least 2 "${prefix}_buffers"`;
  const busy = get('busy_buffers_size', -1);
  if (busy >= 0 && busy < largest) throw `"${prefix}_busy_buffers_size" must be equal to or greater than ${most}`;
  if ((busy < 0 ? 2 * largest : busy) > (count - 1) * size)
    throw `"${prefix}_busy_buffers_size" must be less than the size of all "${prefix}_buffers" minus one buffer`;
  const written = get('temp_file_write_size', -1);
  if (written >= 0 && written < largest) throw `"${prefix}_temp_file_write_size" must be equal to or greater than ${most}`;
  const file = get('max_temp_file_size', 1 << 30);
  if (file !== 0 && file < largest)
    throw `"${prefix}_max_temp_file_size" must be equal to zero to disable temporary files usage or must be equal to or greater than ${most}`;
}

/** Reads the shared values of a level. @param hidden fields hidden by default, in addition to the usual ones */
export function readUpstreamConf(prefix: string, conf: Record<string, unknown>, loc: Loc, hidden: readonly string[]): UpstreamConf {
  const get = <V>(name: string, fallback: V): V => (conf[`${prefix}_${name}`] as V | undefined) ?? fallback;
  checkBuffers(prefix, conf);
  const pass = get<ReadonlySet<string>>('pass_header', new Set());
  const hide = get<ReadonlySet<string>>('hide_header', new Set());
  const bind = get<BindConf | 'off' | null>('bind', null);
  const tempPath = TEMP_PATHS.find((name) => name === `${prefix}_temp_path`);
  return {
    connectTimeoutMs: get('connect_timeout', 60_000),
    sendTimeoutMs: get('send_timeout', 60_000),
    readTimeoutMs: get('read_timeout', 60_000),
    bufferSize: get('buffer_size', 4096),
    buffers: get('buffers', { count: 8, size: 4096 }),
    buffering: get('buffering', true),
    requestBuffering: get('request_buffering', true),
    ignoreClientAbort: get('ignore_client_abort', false),
    interceptErrors: get('intercept_errors', false),
    passRequestHeaders: get('pass_request_headers', true),
    passRequestBody: get('pass_request_body', true),
    nextUpstream: get('next_upstream', new Set(['error', 'timeout'])),
    nextTries: get('next_upstream_tries', 0),
    nextTimeoutMs: get('next_upstream_timeout', 0),
    maxTempFileSize: get('max_temp_file_size', 1 << 30),
    tempPath: tempPath ? core.conf(loc)[tempPath] : { path: `${prefix}_temp`, levels: [] },
    limitRate: get<{ value: Value } | null>('limit_rate', null)?.value ?? null,
    forceRanges: get('force_ranges', false),
    ignoreHeaders: get('ignore_headers', new Set<string>()),
    hidden: new Set([...HIDDEN, ...hidden, ...hide].filter((name) => !pass.has(name) || hide.has(name))),
    passTrailers: get('pass_trailers', false),
    socketKeepalive: get('socket_keepalive', false),
    bind: bind === 'off' ? null : bind,
    bindDynamic: get('bind_dynamic', false),
    allowed: get<Value[] | null>('allow_upstream', null),
    requestDynamic: get('request_dynamic', false),
    store: get<UpstreamConf['store']>('store', { on: false, value: null }),
    storeAccess: get('store_access', 0o600),
    local: loc,
  };
}
