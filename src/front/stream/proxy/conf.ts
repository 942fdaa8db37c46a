// proxy_*: how sessions are passed to back ends.
import { custom, flag, HS, msec, num, size } from '../../config/directive.ts';
import { parseSize } from '../../config/values.ts';
import type { BlockFrame } from '../../http/config/module.ts';
import type { Value } from '../../http/config/value.ts';
import type { HttpModule, Loc } from '../../http/model/types.ts';
import { readTlsConf, type UpstreamTlsConf, upstreamTlsTable } from '../../http/upstream/connection/tls.ts';
import { defineStreamModule, type StreamMain, type StreamSession } from '../model.ts';

/** Bytes per second, 0 for no limit. */
const rate = () =>
  custom<Value | null>(HS, 1, null, (f: BlockFrame) => {
    const value = f.scope.value(f.args[0]);
    if (value.constant !== null && parseSize(value.constant) === null) f.refuse('invalid value');
    return value;
  });

interface Bind {
  value: Value;
}

function parseBind(f: BlockFrame): Bind | 'off' {
  if (f.args[1] !== undefined) {
    if (f.args[1] !== 'transparent') f.fail(`invalid parameter "${f.args[1]}"`);
    f.fail('transparent proxying is not supported by this server');
  }
  return f.args[0] === 'off' ? 'off' : { value: f.scope.value(f.args[0]) };
}

const table = {
  proxy_bind: custom<Bind | 'off'>(HS, [1, 2], 'off', parseBind),
  proxy_buffer_size: size(HS, '16k'),
  proxy_connect_timeout: msec(HS, '60s'),
  proxy_download_rate: rate(),
  proxy_half_close: flag(HS, false),
  proxy_next_upstream: flag(HS, true),
  proxy_next_upstream_timeout: msec(HS, '0'),
  proxy_next_upstream_tries: num(HS, 0),
  proxy_protocol: flag(HS, false),
  proxy_requests: num(HS, 0),
  /** Infinity: not known */
  proxy_responses: { ...num(HS, 0), fallback: Infinity, defaultText: '' },
  proxy_session_drop: flag(HS, false),
  proxy_socket_keepalive: flag(HS, false),
  proxy_ssl: flag(HS, false),
  proxy_ssl_alpn: custom<Value[] | null>(HS, [1, 64], null, (f: BlockFrame) => f.args.map((word) => f.scope.value(word))),
  proxy_timeout: msec(HS, '10m'),
  proxy_upload_rate: rate(),
  ...upstreamTlsTable('proxy'),
};

export const streamProxyConf: HttpModule<typeof table, StreamMain> = defineStreamModule('stream_proxy_conf', table, {
  finish(conf, loc) {
    if (conf.proxy_ssl) settings.set(loc, readTlsConf('proxy', conf));
  },
});

/** TLS to back ends, by level. */
const settings = new WeakMap<Loc, UpstreamTlsConf>();
export const tlsConfOf = (loc: Loc): UpstreamTlsConf | null => settings.get(loc) ?? null;

/** The settings of one session. */
export type ProxyConf = ReturnType<typeof streamProxyConf.conf>;

/** Rate of a direction, bytes per second; 0: unlimited. */
export const rateOf = (s: StreamSession, value: Value | null): number => (value ? (parseSize(value.eval(s)) ?? 0) : 0);

/** Local address of connections to back ends. */
export function bindAddress(s: StreamSession, conf: ProxyConf): { address: string; port: number } | null {
  if (conf.proxy_bind === 'off') return null;
  const m = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(conf.proxy_bind.value.eval(s));
  return m ? { address: m[1] ?? m[2], port: Number(m[3] ?? 0) } : null;
}
