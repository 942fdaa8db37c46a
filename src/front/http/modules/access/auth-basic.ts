// auth_basic: Basic authentication (RFC 7617), also as proxy authentication. Slow hashes are checked in a thread while the request is suspended.
import { readFileSync } from 'node:fs';
import { custom, flag, HSL, LIMIT_EXCEPT, msec } from '../../../config/directive.ts';
import { fsPath } from '../../../fs-path.ts';
import { systemError } from '../../../system-error.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';
import { PasswordChecker, type Verdict } from '../../passwords/checker.ts';
import { describeScheme, isSignExtended, isSlowScheme, matchesFastScheme } from '../../passwords/schemes.ts';
import { runPhases } from '../../phases/phases.ts';
import { AGAIN, DECLINED, HTTP_CLIENT_CLOSED, OK } from '../../request/codes.ts';
import { basicCredentials } from '../../request/credentials.ts';

export const authBasicModule = defineModule(
  'auth_basic',
  {
    auth_basic: custom<{ realm: Value } | 'off' | null>(HSL | LIMIT_EXCEPT, 1, null, (f: HttpFrame) =>
      f.args[0] === 'off' ? 'off' : { realm: f.scope.value(f.args[0]) },
    ),
    auth_basic_user_file: custom<{ value: Value; path(t: string): string } | null>(HSL | LIMIT_EXCEPT, 1, null, (f: HttpFrame) => {
      const { scope } = f;
      return { value: scope.value(f.args[0]), path: (t) => scope.path(t, 'conf') };
    }),
    // A forward proxy has its own authentication header, regardless of the method.
    auth_basic_proxy: flag(HSL, false),
    auth_delay: msec(HSL, '0'),
  },
  {
    init(main) {
      main.phases.access.push(authBasic);
    },
    async start() {
      // Started before root's privileges are dropped: `user` may not be allowed to read the thread's program.
      if (process.getuid?.() === 0) await checker.warmUp();
    },
  },
);

/** The checker of this event loop. */
const checker = new PasswordChecker();

/** The check of a suspended request. */
interface PendingCheck {
  readonly stored: string;
  /** null until the check is finished */
  verdict: Verdict | null;
}

function authBasic(r: Request): number {
  const c = authBasicModule.conf(r.loc);
  if (!c.auth_basic || c.auth_basic === 'off' || !c.auth_basic_user_file) return DECLINED;
  const realm = c.auth_basic.realm.eval(r);
  if (realm === 'off') return DECLINED;
  const proxied = c.auth_basic_proxy || r.method === 'CONNECT';
  const credentials = basicCredentials(r.headerIn(proxied ? 'proxy-authorization' : 'authorization'));
  if (!credentials) {
    r.log('info', 'no user/password was provided for basic authentication');
    return denied(r, realm, proxied);
  }
  const { user, password } = credentials;
  const file = c.auth_basic_user_file.path(c.auth_basic_user_file.value.eval(r));
  let text: string;
  try {
    text = readFileSync(fsPath(file), 'latin1');
  } catch (error) {
    r.log('error', `open() "${file}" failed (${systemError(error)})`);
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 403 : 500;
  }
  const stored = storedHash(text, user);
  if (stored === null) {
    r.log('error', `user "${user}" was not found in "${file}"`);
    return denied(r, realm, proxied);
  }
  switch (verdictOn(r, Buffer.from(password, 'latin1'), stored)) {
    case null:
      return AGAIN;
    case 'match':
      return OK;
    case 'mismatch':
      r.log('error', `user "${user}": password mismatch`);
      return denied(r, realm, proxied);
    case 'unsupported':
      r.log('crit', `user "${user}": unsupported password scheme in "${file}": ${describeScheme(stored)}`);
      return 500;
    case 'busy':
      r.log('error', `user "${user}": too many passwords are waiting to be checked`);
      return 503;
    case 'failed':
      r.log('crit', `user "${user}": password could not be checked: ${checker.failure}`);
      return 500;
  }
}

/** @returns null if the check runs in the thread: the access phase is resumed when it is finished */
function verdictOn(r: Request, password: Buffer, stored: string): Verdict | 'unsupported' | null {
  const matches = matchesFastScheme(password, stored);
  if (matches !== null) return matches ? 'match' : 'mismatch';
  if (!isSlowScheme(stored) || isSignExtended(password, stored)) return 'unsupported';
  // An internal redirect may lead to a location with another file.
  const before = r.getCtx<PendingCheck>(authBasicModule);
  if (before?.stored === stored) return before.verdict;
  const pending: PendingCheck = { stored, verdict: null };
  const result = checker.check(password, stored, (verdict) => {
    pending.verdict = verdict;
    r.onAbort = null;
    if (!r.done) r.conn.post(r);
  });
  if (typeof result === 'string') return result;
  r.setCtx(authBasicModule, pending);
  r.cleanups.push(result);
  r.onAbort = () => r.finalize(HTTP_CLIENT_CLOSED);
  r.resume = () => runPhases(r);
  return null;
}

function storedHash(text: string, user: string): string | null {
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || !line.startsWith(`${user}:`)) continue;
    const rest = line.slice(user.length + 1).replace(/\r$/, '');
    const colon = rest.indexOf(':');
    return colon < 0 ? rest : rest.slice(0, colon);
  }
  return null;
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
