// Directive table of the http core. Structural directives (server, location, listen...) are in build/build.ts.
import { isIP } from 'node:net';
import {
  ANY_COUNT,
  buffers,
  custom,
  flag,
  HS,
  HSL,
  HSLI,
  HTTP,
  ineffective,
  LOCATION,
  msec,
  num,
  offset,
  oneOf,
  SERVER,
  sec,
  size,
  text,
  within,
} from '../../config/directive.ts';
import { parseOffset, parseSize, parseTimeMs, parseTimeSec } from '../../config/values.ts';
import type { ResolverConf } from '../model/resolver.ts';
import type { TempFolder } from '../request/body.ts';
import { addressError, pendingLookups, splitHostPort, systemAddresses } from './addresses.ts';
import { DEFAULT_TYPES } from './mime-types.ts';
import { type BlockFrame, defineModule, type HttpFrame } from './module.ts';
import { resolverCounts } from './resolver-counts.ts';
import type { Value } from './value.ts';

export interface ErrorPage {
  statuses: number[];
  /** -1: keep the status; 0: use the status of the page; else send this one */
  overwrite: number;
  uri: Value;
  args: string;
}

function parseErrorPage(f: HttpFrame, previous: ErrorPage[] = []): ErrorPage[] {
  const args = [...f.args];
  const uriText = args.pop() ?? '';
  let overwrite = -1;
  if (args.at(-1)?.startsWith('=')) {
    if (args.length < 2) f.fail('invalid value "' + args[0] + '"');
    const code = args.pop()?.slice(1) ?? '';
    if (code !== '' && !/^\d+$/.test(code)) f.invalid(`=${code}`);
    overwrite = code === '' ? 0 : Number(code);
  }
  if (args.length === 0) f.fail(`invalid number of arguments in "error_page" directive`);
  const statuses = args.map((word) => {
    const status = /^\d+$/.test(word) ? Number(word) : NaN;
    if (Number.isNaN(status)) f.invalid(word);
    if (status < 300 || status > 599) f.fail(`value "${word}" must be between 300 and 599`);
    if (status === 499) f.fail('value "499" is not allowed here'.replace('is not allowed here', 'must be between 300 and 599'));
    return status;
  });
  // the query of a constant local URI is split off once
  let page = uriText;
  let query = '';
  if (!uriText.includes('$') && uriText.startsWith('/') && uriText.includes('?')) {
    page = uriText.slice(0, uriText.indexOf('?'));
    query = uriText.slice(page.length + 1);
  }
  return [...previous, { statuses, overwrite, uri: f.scope.value(page), args: query }];
}

const rateWithVariables = () =>
  custom<{ value: Value } | null>(HSLI, 1, null, (f: HttpFrame) => {
    const value = f.scope.value(f.args[0]);
    if (value.constant !== null && parseSize(value.constant) === null) f.refuse('invalid value');
    return { value };
  });

function namedFolder(f: HttpFrame): string {
  const folder = f.scope.path(f.args[0]);
  f.scope.main.folders.add(folder);
  return folder;
}

const tempPath = (name: string) =>
  custom<TempFolder>(HSL, [1, 4], { path: name, levels: [] }, (f: HttpFrame) => ({
    path: namedFolder(f),
    levels: f.args.slice(1).map((word) => (/^[123]$/.test(word) ? Number(word) : f.refuse('invalid value'))),
  }));

/** Directives of temporary folders. */
export const TEMP_PATHS = ['client_body_temp_path', 'fastcgi_temp_path', 'proxy_temp_path', 'scgi_temp_path', 'uwsgi_temp_path'] as const;

/** Node manages memory itself; the size is only checked, as nginx does. */
export const poolSize = (defaultText: string) =>
  within(size(HS, defaultText), (bytes) =>
    bytes < 112 ? 'the pool size must be no less than 112' : bytes % 16 ? 'the pool size must be a multiple of 16' : null,
  );

interface KeepaliveTimeout {
  timeoutMs: number;
  /** of the field Keep-Alive; null: not given on this level, nor on an outer one */
  headerSeconds: number | null;
}

export const core = defineModule(
  'core',
  {
    absolute_redirect: flag(HSL, true),
    aio: ineffective(
      custom<string>(HSL, 1, 'off', (f: HttpFrame) =>
        /^(on|off|threads(=.*)?)$/s.test(f.args[0]) ? f.args[0] : f.refuse('invalid value'),
      ),
    ),
    aio_write: ineffective(flag(HSL, false)),
    alias: custom<Value | null>(LOCATION, 1, null, (f: HttpFrame) => f.scope.value(f.args[0]), { merge: (_, own) => own }),
    chunked_transfer_encoding: flag(HSL, true),
    client_body_buffer_size: size(HSL, '16k'),
    client_body_early_read: custom<Value[] | null>(
      HS,
      [1, ANY_COUNT],
      null,
      (f: HttpFrame, previous = []) => [...previous, ...f.args.map((word) => f.scope.value(word))],
      { repeats: true },
    ),
    client_body_in_file_only: oneOf(HSL, ['on', 'clean', 'off'], 'off'),
    client_body_in_single_buffer: flag(HSL, false),
    client_body_temp_path: tempPath('client_body_temp'),
    fastcgi_temp_path: tempPath('fastcgi_temp'),
    proxy_temp_path: tempPath('proxy_temp'),
    scgi_temp_path: tempPath('scgi_temp'),
    uwsgi_temp_path: tempPath('uwsgi_temp'),
    client_body_timeout: msec(HSL, '60s'),
    client_header_buffer_size: size(HS, '1k'),
    client_header_timeout: msec(HS, '60s'),
    client_max_body_size: offset(HSL, '1m'),
    connection_pool_size: poolSize('512'),
    default_type: text(HSL, 'text/plain'),
    directio: ineffective(
      custom<number>(HSL, 1, -1, (f: HttpFrame) => (f.args[0] === 'off' ? -1 : (parseOffset(f.args[0]) ?? f.refuse('invalid value')))),
    ),
    directio_alignment: ineffective(offset(HSL, '512')),
    disable_symlinks: custom<{ mode: 'off' | 'on' | 'if_not_owner'; from: Value | null }>(
      HSL,
      [1, 2],
      { mode: 'off', from: null },
      (f: HttpFrame) => {
        let mode: 'off' | 'on' | 'if_not_owner' | null = null;
        let from: Value | null = null;
        for (const word of f.args) {
          if (word === 'off' || word === 'on' || word === 'if_not_owner') mode = word;
          else if (word.startsWith('from=')) from = f.scope.value(word.slice(5));
          else f.fail(`invalid parameter "${word}"`);
        }
        if (!mode) f.fail('"from=" parameter requires "on" or "if_not_owner"');
        if (f.args.length > 1 && f.args[0] === f.args[1]) f.fail(`duplicate parameters "${f.args.join(' ')}"`);
        if (mode === 'off' && f.args.length > 1) f.fail('no parameters allowed with "off"');
        return { mode, from };
      },
    ),
    early_hints: custom<Value[] | null>(
      HSL,
      [1, ANY_COUNT],
      null,
      (f: HttpFrame, previous = []) => [...previous, ...f.args.map((word) => f.scope.value(word))],
      { repeats: true },
    ),
    error_log_tag: custom<{ name: string; value: Value }[] | null>(
      HSL,
      2,
      null,
      (f: HttpFrame, previous = []) => [...previous, { name: f.args[0], value: f.scope.value(f.args[1]) }],
      { repeats: true },
    ),
    error_page: custom<ErrorPage[] | null>(HSLI, [2, ANY_COUNT], null, parseErrorPage, { repeats: true }),
    etag: flag(HSL, true),
    if_modified_since: oneOf(HSL, ['off', 'exact', 'before'], 'exact'),
    ignore_invalid_headers: flag(HS, true),
    internal: custom(LOCATION, 0, false, () => true),
    keepalive_disable: custom(HSL, [1, 2], new Set(['msie6']), (f: HttpFrame) => {
      for (const word of f.args) if (word !== 'none' && word !== 'msie6' && word !== 'safari') f.invalid(word);
      return new Set(f.args);
    }),
    keepalive_min_timeout: msec(HSL, '0'),
    keepalive_requests: num(HSL, 1000),
    keepalive_time: msec(HSL, '1h'),
    keepalive_timeout: custom<KeepaliveTimeout>(
      HSL,
      [1, 2],
      { timeoutMs: 75_000, headerSeconds: null },
      (f: HttpFrame) => {
        const timeoutMs = parseTimeMs(f.args[0]) ?? f.refuse('invalid value');
        if (f.args[1] === undefined) return { timeoutMs, headerSeconds: null };
        return { timeoutMs, headerSeconds: Math.floor((parseTimeMs(f.args[1]) ?? f.refuse('invalid value')) / 1000) };
      },
      { merge: (outer, own) => (own ? { ...own, headerSeconds: own.headerSeconds ?? outer?.headerSeconds ?? null } : outer) },
    ),
    large_client_header_buffers: buffers(HS, '4 8k'),
    limit_rate: rateWithVariables(),
    limit_rate_after: rateWithVariables(),
    lingering_close: oneOf(HSL, ['off', 'on', 'always'], 'on'),
    lingering_time: msec(HSL, '30s'),
    lingering_timeout: msec(HSL, '5s'),
    log_not_found: flag(HSL, true),
    log_subrequest: flag(HSL, false),
    max_headers: num(HS, 1000),
    max_ranges: num(HSL, 0x7fffffff),
    merge_slashes: flag(HS, true),
    msie_padding: flag(HSL, true),
    msie_refresh: flag(HSL, false),
    open_file_cache: custom<{ max: number; inactiveMs: number } | null>(HSL, [1, 2], null, (f: HttpFrame) => {
      let max = 0;
      let inactiveMs = 60_000;
      for (const word of f.args) {
        if (word === 'off') return { max: 0, inactiveMs: 0 };
        if (/^max=\d+$/.test(word)) max = Number(word.slice(4));
        else if (word.startsWith('inactive='))
          inactiveMs = (parseTimeSec(word.slice(9)) ?? f.fail(`invalid "open_file_cache" parameter "${word}"`)) * 1000;
        else f.fail(`invalid "open_file_cache" parameter "${word}"`);
      }
      if (max === 0) f.fail('"open_file_cache" must have the "max" parameter');
      return { max, inactiveMs };
    }),
    open_file_cache_errors: flag(HSL, false),
    // events of files exist with kqueue only: on this system nginx, too, finds changes by open_file_cache_valid
    open_file_cache_events: flag(HSL, false),
    open_file_cache_min_uses: num(HSL, 1),
    open_file_cache_valid: sec(HSL, '60s'),
    output_buffers: ineffective(buffers(HSL, '2 32k')),
    port_in_redirect: flag(HSL, true),
    post_action: text(HSLI, ''),
    postpone_output: size(HSL, '1460'),
    read_ahead: ineffective(size(HSL, '0')),
    recursive_error_pages: flag(HSL, false),
    request_pool_size: poolSize('4k'),
    reset_timedout_connection: flag(HSL, false),
    resolver: custom<ResolverConf | null>(HSL, [1, ANY_COUNT], null, parseResolver),
    resolver_timeout: msec(HSL, '30s'),
    root: custom<Value | null>(HSLI, 1, null, (f: HttpFrame) => f.scope.value(f.args[0])),
    satisfy: oneOf(HSL, ['all', 'any'], 'all'),
    send_lowat: ineffective(size(HSL, '0'), 'elsewhere'),
    send_timeout: msec(HSL, '60s'),
    sendfile: flag(HSLI, false),
    sendfile_max_chunk: size(HSL, '2m'),
    server_name_in_redirect: flag(HSL, false),
    server_names_hash_bucket_size: num(HTTP, 64),
    server_names_hash_max_size: num(HTTP, 512),
    server_tokens: custom<{ mode: 'on' | 'off' | 'build' }>(HSL, 1, { mode: 'on' }, (f: HttpFrame) => {
      const mode = f.args[0];
      if (mode !== 'on' && mode !== 'off' && mode !== 'build') f.invalid();
      return { mode };
    }),
    subrequest_output_buffer_size: size(HSL, '4k'),
    tcp_nodelay: flag(HSL, true),
    tcp_nopush: flag(HSL, false),
    try_files: custom<{ items: { value: Value; dir: boolean }[]; last: Value; code: number; named: string } | null>(
      SERVER | LOCATION,
      [2, ANY_COUNT],
      null,
      (f: HttpFrame) => {
        const words = [...f.args];
        const final = words.pop() ?? '';
        const code = /^=\d+$/.test(final) ? Number(final.slice(1)) : 0;
        if (final.startsWith('=') && (code === 0 || code > 999)) f.fail(`invalid code "${final}"`);
        const items = words.map((word) => {
          const dir = word.endsWith('/') && word.length > 1;
          return { value: f.scope.value(dir ? word.slice(0, -1) : word), dir };
        });
        return { items, last: f.scope.value(final), code, named: final.startsWith('@') ? final : '' };
      },
      { merge: (_, own) => own },
    ),
    types: {
      ...custom<Map<string, string>>(
        HSL,
        0,
        DEFAULT_TYPES,
        (f: HttpFrame, previous) => {
          const types = new Map(previous);
          for (const node of f.node.children ?? []) {
            if (node.args.length === 0) f.fail(`invalid number of arguments in "${node.name}" directive`);
            for (const extension of node.args) types.set(extension.toLowerCase(), node.name);
          }
          return types;
        },
        { repeats: true },
      ),
      block: true,
    },
    types_hash_bucket_size: num(HSL, 64),
    types_hash_max_size: num(HSL, 1024),
    underscores_in_headers: flag(HS, false),
    variables_hash_bucket_size: num(HTTP, 64),
    variables_hash_max_size: num(HTTP, 1024),
  },
  {
    finish(conf) {
      if (conf.large_client_header_buffers.size < conf.connection_pool_size)
        throw 'the "large_client_header_buffers" size must be equal to or greater than "connection_pool_size"';
    },
  },
);

export function parseResolver(f: BlockFrame): ResolverConf {
  let named = false;
  const conf: ResolverConf = { servers: [], validMs: null, ipv4: true, ipv6: true };
  for (const word of f.args) {
    if (word.startsWith('valid=')) conf.validMs = (parseTimeSec(word.slice(6)) ?? f.fail(`invalid parameter: ${word}`)) * 1000;
    else if (word.startsWith('status_zone=')) conf.zone = word.slice(12) || f.fail(`invalid parameter: ${word}`);
    else if (word === 'ipv4=on' || word === 'ipv4=off') conf.ipv4 = word === 'ipv4=on';
    else if (word === 'ipv6=on' || word === 'ipv6=off') conf.ipv6 = word === 'ipv6=on';
    else if (/^ipv[46]=/.test(word)) f.fail(`invalid parameter: ${word}`);
    else {
      const wrong = addressError(word) ?? (word.startsWith('unix:') ? 'no host' : undefined);
      if (wrong) f.fail(`${wrong} in resolver "${word}"`);
      const { host, port } = splitHostPort(word, 53);
      if (isIP(host)) conf.servers.push({ host, port });
      else
        pendingLookups(f.scope.main).push(async () => {
          const list = await systemAddresses(host).catch(() => f.fail(`host not found in resolver "${word}"`));
          conf.servers.push(...list.map((ip) => ({ host: ip, port })));
        });
      named = true;
    }
  }
  if (!conf.ipv4 && !conf.ipv6) f.fail('"ipv4" and "ipv6" cannot both be "off"');
  if (!named) f.fail('no name servers defined');
  if (conf.zone) {
    const { registry, inherited } = f.scope.main;
    const key = `resolver_zone:${conf.zone}`;
    registry.set(key, resolverCounts(conf.zone, inherited.get(key) as number[] | undefined));
  }
  return conf;
}
