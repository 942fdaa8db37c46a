// auth_basic: Basic authentication (RFC 7617), also as proxy authentication.
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { custom, flag, HSL, LIMIT_EXCEPT, msec } from '../../config/directive.ts';
import { fsPath } from '../../fs-path.ts';
import { systemError } from '../../system-error.ts';
import { defineModule, type HttpFrame } from '../config/module.ts';
import type { Value } from '../config/value.ts';
import type { Request } from '../model/types.ts';
import { runPhases } from '../phases/phases.ts';
import { AGAIN, DECLINED, OK } from '../request/codes.ts';
import { apr1, cryptAvailable, verifyCrypt } from './password-hash.ts';

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
    // A forward proxy has its own authentication header, regardless of the method.
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

/** Checks a password against any of the htpasswd schemes. */
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
