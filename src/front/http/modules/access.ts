/** allow, deny; auth_basic; realip. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { custom, flag, HSL, LIMIT_EXCEPT, msec } from '../../config/directive.ts';
import { systemError } from '../../log/system-error.ts';
import { AGAIN, DECLINED, OK } from '../codes.ts';
import { core } from '../core.ts';
import { defineModule, type HttpFrame } from '../module.ts';
import { apr1, cryptAvailable, verifyCrypt } from '../password-hash.ts';
import { fsPath } from '../paths.ts';
import { runPhases } from '../phases.ts';
import type { Request } from '../request.ts';
import { pendingLookups, systemAddresses } from '../upstream/addresses.ts';
import type { Value } from '../value.ts';
import { addressBytes, cidrContains, forwardedAddress, parseCidr } from './map.ts';

// ---------------------------------------------------------------- allow, deny

interface Rule {
  allow: boolean;
  all: boolean;
  unix: boolean;
  cidr?: { bytes: number[]; bits: number };
}

function parseRule(allow: boolean) {
  return custom<Rule[] | undefined>(
    HSL | LIMIT_EXCEPT,
    1,
    undefined,
    (f: HttpFrame) => {
      const [word] = f.args;
      const rule: Rule = { allow, all: word === 'all', unix: word === 'unix:' };
      if (!rule.all && !rule.unix) rule.cidr = parseCidr(word) ?? f.fail(`invalid parameter "${word}"`);
      // both directives keep one list, in order of appearance
      const own = (f.scope.loc.confs[accessModule.index] as { rules?: Rule[] }).rules ?? [];
      (f.scope.loc.confs[accessModule.index] as { rules?: Rule[] }).rules = [...own, rule];
      return undefined;
    },
    { repeats: true },
  );
}

export const accessModule = defineModule(
  'access',
  {
    allow: parseRule(true),
    deny: parseRule(false),
    rules: custom<Rule[] | undefined>(0, 0, undefined, () => undefined),
  },
  {
    init(main) {
      main.phases.access.push((r) => {
        const { rules } = accessModule.conf(r.loc);
        if (!rules) return DECLINED;
        const bytes = addressBytes(r.conn.remoteAddr);
        const unix = r.conn.remoteAddr.startsWith('unix:');
        for (const rule of rules) {
          if (!rule.all && !(rule.unix && unix) && !(rule.cidr && bytes && cidrContains(rule.cidr, bytes))) continue;
          if (rule.allow) return OK;
          if (core.conf(r.loc).satisfy === 'all') r.log('error', 'access forbidden by rule');
          return 403;
        }
        return DECLINED;
      });
    },
  },
);

// ---------------------------------------------------------------- auth_basic

export const authBasicModule = defineModule(
  'auth_basic',
  {
    auth_basic: custom<{ realm: Value } | 'off' | undefined>(HSL | LIMIT_EXCEPT, 1, undefined, (f: HttpFrame) =>
      f.args[0] === 'off' ? 'off' : { realm: f.scope.value(f.args[0]) },
    ),
    auth_basic_user_file: custom<{ value: Value; path(t: string): string } | undefined>(
      HSL | LIMIT_EXCEPT,
      1,
      undefined,
      (f: HttpFrame) => {
        const { scope } = f;
        return { value: scope.value(f.args[0]), path: (t) => scope.path(t, 'conf') };
      },
    ),
    // a forward proxy asks for a password of its own, whatever the method
    auth_basic_proxy: flag(HSL, false),
    auth_delay: msec(HSL, '0'),
  },
  {
    init(main) {
      main.phases.access.push(authBasic);
    },
  },
);

function authBasic(r: Request): number {
  const c = authBasicModule.conf(r.loc);
  if (!c.auth_basic || c.auth_basic === 'off' || !c.auth_basic_user_file) return DECLINED;
  const realm = c.auth_basic.realm.eval(r);
  if (realm === 'off') return DECLINED;
  const proxied = c.auth_basic_proxy || r.method === 'CONNECT';
  const header = r.headerIn(proxied ? 'proxy-authorization' : 'authorization');
  const m = header === undefined ? null : /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header);
  const decoded = m && Buffer.from(m[1], 'base64').latin1Slice();
  const colon = decoded ? decoded.indexOf(':') : -1;
  if (!decoded || colon < 0) {
    r.log('info', 'no user/password was provided for basic authentication');
    return denied(r, realm, proxied);
  }
  const user = decoded.slice(0, colon);
  const password = decoded.slice(colon + 1);
  const file = c.auth_basic_user_file.path(c.auth_basic_user_file.value.eval(r));
  let text: string;
  try {
    text = readFileSync(fsPath(file), 'latin1');
  } catch (error) {
    r.log('error', `open() "${file}" failed (${systemError(error)})`);
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 403 : 500;
  }
  const stored = storedHash(text, user);
  if (stored === undefined) {
    r.log('error', `user "${user}" was not found in "${file}"`);
    return denied(r, realm, proxied);
  }
  const result = checkPassword(password, stored);
  if (result === 'unsupported') {
    r.log('crit', `unsupported password scheme in "${file}"`);
    return 500;
  }
  if (result) return OK;
  r.log('error', `user "${user}": password mismatch`);
  return denied(r, realm, proxied);
}

function storedHash(text: string, user: string): string | undefined {
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || !line.startsWith(`${user}:`)) continue;
    const rest = line.slice(user.length + 1).replace(/\r$/, '');
    const colon = rest.indexOf(':');
    return colon < 0 ? rest : rest.slice(0, colon);
  }
  return undefined;
}

function equal(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

const bytes = (text: string) => Buffer.from(text, 'latin1');

/** Checks a password against any of the schemes of htpasswd. */
function checkPassword(password: string, stored: string): boolean | 'unsupported' {
  if (stored.startsWith('{PLAIN}')) return equal(bytes(password), bytes(stored.slice(7)));
  if (stored.startsWith('{SHA}')) {
    const digest = createHash('sha1').update(password, 'latin1').digest();
    return equal(digest, Buffer.from(stored.slice(5), 'base64'));
  }
  if (stored.startsWith('{SSHA}')) {
    const data = Buffer.from(stored.slice(6), 'base64');
    if (data.length < 20) return false;
    const digest = createHash('sha1').update(password, 'latin1').update(data.subarray(20)).digest();
    return equal(digest, data.subarray(0, 20));
  }
  if (stored.startsWith('$apr1$') || stored.startsWith('$1$')) return equal(bytes(apr1(password, stored)), bytes(stored));
  return cryptAvailable(stored) ? verifyCrypt(password, stored) : 'unsupported';
}

function denied(r: Request, realm: string, proxied: boolean): number {
  const status = proxied ? 407 : 401;
  r.out.set(proxied ? 'Proxy-Authenticate' : 'WWW-Authenticate', `Basic realm="${realm}"`);
  const delay = authBasicModule.conf(r.loc).auth_delay;
  if (delay === 0) return status;
  const timer = setTimeout(() => {
    if (!r.done) r.finalize(status);
  }, delay);
  r.cleanups.push(() => clearTimeout(timer));
  r.resume = () => runPhases(r);
  return AGAIN;
}

// ---------------------------------------------------------------- realip

interface Trusted {
  cidrs: { bytes: number[]; bits: number }[];
  unix: boolean;
}

export const realipModule = defineModule(
  'realip',
  {
    set_real_ip_from: custom<Trusted | undefined>(
      HSL,
      1,
      undefined,
      (f: HttpFrame, previous = { cidrs: [], unix: false }) => {
        if (f.args[0] === 'unix:') return { ...previous, unix: true };
        if (f.args[0] === '') f.fail('host not found in set_real_ip_from ""');
        const cidr = parseCidr(f.args[0]);
        if (cidr) previous.cidrs.push(cidr);
        else
          pendingLookups(f.scope.main).push(async () => {
            const list = await systemAddresses(f.args[0]).catch(() => f.fail(`host not found in set_real_ip_from "${f.args[0]}"`));
            for (const ip of list) previous.cidrs.push(parseCidr(ip)!);
          });
        return previous;
      },
      { repeats: true },
    ),
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
  const isTrusted = own ? trusted.cidrs.some((cidr) => cidrContains(cidr, own)) : trusted.unix;
  if (!isTrusted) return DECLINED;
  const name = c.real_ip_header.toLowerCase();
  let address: string;
  let port = 0;
  if (name === 'proxy_protocol') {
    if (!conn.proxy) return DECLINED;
    address = conn.proxy.addr;
    port = conn.proxy.port;
  } else {
    const list = r.headersIn.filter((h) => h.lname === name).flatMap((h) => h.value.split(',').map((a) => a.trim()));
    if (list.length === 0) return DECLINED;
    const plain = name === 'x-forwarded-for' ? list : [list.at(-1)!];
    const bare = plain.map((text) => {
      const m = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d+))?$/.exec(text);
      if (m && text === plain.at(-1)) port = Number(m[3] ?? 0);
      return m ? (m[1] ?? m[2]) : text;
    });
    const recursive = c.real_ip_recursive;
    const start = own ? conn.remoteAddr : bare.pop()!;
    if (!own) address = recursive && addressBytes(start) ? forwardedAddress(start, bare, trusted.cidrs, true) : start;
    else address = forwardedAddress(start, bare, trusted.cidrs, recursive);
    if (!addressBytes(address)) return DECLINED;
    if (address === conn.remoteAddr) return DECLINED;
  }
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
