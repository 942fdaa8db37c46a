// realip: the client's address as reported by a trusted proxy.
import { present } from '../../../../common/present.ts';
import { custom, flag, HSL } from '../../../config/directive.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Request } from '../../model/types.ts';
import { DECLINED } from '../../request/codes.ts';
import { addressBytes, forwardedAddress } from '../variables/map.ts';
import { isTrusted, parseTrusted, type Trusted } from './trusted.ts';

export const realipModule = defineModule(
  'realip',
  {
    set_real_ip_from: custom<Trusted | null>(HSL, 1, null, parseTrusted, { repeats: true }),
    real_ip_header: custom<string>(HSL, 1, 'X-Real-IP', (f: HttpFrame) => f.args[0]),
    real_ip_recursive: flag(HSL, false),
  },
  {
    init(main) {
      main.phases.postRead.push(realip);
      main.phases.preaccess.unshift(realip);
    },
    variables: [
      {
        name: 'realip_remote_addr',
        volatile: true,
        get: (r): string => r.getMainCtx<{ addr: string }>(realipModule)?.addr ?? r.conn.remoteAddr,
      },
      {
        name: 'realip_remote_port',
        volatile: true,
        get: (r): string => {
          const port = r.getMainCtx<{ port: number }>(realipModule)?.port ?? r.conn.remotePort;
          return port ? String(port) : '';
        },
      },
    ],
  },
);

function realip(r: Request): number {
  const c = realipModule.conf(r.loc);
  const trusted = c.set_real_ip_from;
  if (!trusted || r.isSub || r.getMainCtx(realipModule)) return DECLINED;
  const { conn } = r;
  const own = addressBytes(conn.remoteAddr);
  if (!isTrusted(trusted, conn.remoteAddr)) return DECLINED;
  const name = c.real_ip_header.toLowerCase();
  let address: string;
  let port = 0;
  if (name === 'proxy_protocol') {
    if (!conn.proxy) return DECLINED;
    address = conn.proxy.addr;
    port = conn.proxy.port;
  } else {
    // A comma before the first address makes it invalid, as in nginx.
    const list = r.headersIn.filter((h) => h.lname === name).flatMap((h) => h.value.split(/(?<=.)[ ,]+/).filter((a) => a !== ''));
    if (list.length === 0) return DECLINED;
    const plain = name === 'x-forwarded-for' ? list : [present(list.at(-1))];
    const ports = new Map<string, number>();
    const bare = plain.map((text) => {
      const m = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text);
      if (!m || Number(m[3] ?? 1) < 1 || Number(m[3] ?? 1) > 65_535) return text;
      ports.set(m[1] ?? m[2], Number(m[3] ?? 0));
      return m[1] ?? m[2];
    });
    const recursive = c.real_ip_recursive;
    const start = own ? conn.remoteAddr : present(bare.pop());
    if (!own) address = recursive && addressBytes(start) ? forwardedAddress(start, bare, trusted.cidrs, true) : start;
    else address = forwardedAddress(start, bare, trusted.cidrs, recursive);
    if (address === conn.remoteAddr) return DECLINED;
    port = ports.get(address) ?? 0;
  }
  if (!addressBytes(address)) return DECLINED;
  r.setMainCtx(realipModule, { addr: conn.remoteAddr, port: conn.remotePort });
  const before = { addr: conn.remoteAddr, port: conn.remotePort };
  conn.remoteAddr = address;
  conn.remotePort = port;
  r.endings.push(() => {
    conn.remoteAddr = before.addr;
    conn.remotePort = before.port;
  });
  return DECLINED;
}
