// auth_jwt: clients authenticate with a JSON Web Token, which is verified with key sets from files and from subrequests.
import { present } from '../../../../common/present.ts';
import { ANY_COUNT, again, custom, HSL, HTTP, LIMIT_EXCEPT, msec, oneOf, sec } from '../../../config/directive.ts';
import { systemError } from '../../../system-error.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { isTrue, type Value } from '../../config/value.ts';
import { decryptToken } from '../../jwt/encryption.ts';
import { KeyCache } from '../../jwt/key-cache.ts';
import type { JsonObject, Key } from '../../jwt/key-set.ts';
import { checkTimes, decodeObject, decodeSigned, TokenError, variableText, verifySignature } from '../../jwt/token.ts';
import type { Request } from '../../model/types.ts';
import { runPhases } from '../../phases/phases.ts';
import { startSubrequest } from '../../phases/subrequest.ts';
import { AGAIN, DECLINED, OK } from '../../request/codes.ts';

interface Rule {
  /** null: tokens are not verified, but variables show what `token` contains */
  readonly realm: Value | null;
  /** null: the Authorization field */
  readonly token: Value | null;
}

interface KeyFile {
  readonly value: Value;
  path(text: string): string;
}

interface Requirement {
  readonly values: readonly Value[];
  readonly status: number;
}

const HSLL = HSL | LIMIT_EXCEPT;

export const authJwtModule = defineModule(
  'auth_jwt',
  {
    auth_jwt: custom<Rule | null>(HSLL, [1, 2], null, parseRule, { defaultText: 'off' }),
    auth_jwt_type: oneOf(HSLL, ['signed', 'encrypted', 'nested'], 'signed'),
    auth_jwt_key_file: custom<KeyFile[] | null>(
      HSLL,
      1,
      null,
      (f: HttpFrame, previous = []) => {
        const { scope } = f;
        return [...previous, { value: scope.value(f.args[0]), path: (text) => scope.path(text, 'conf') }];
      },
      { repeats: true },
    ),
    auth_jwt_key_request: custom<Value[] | null>(HSLL, 1, null, (f: HttpFrame, previous = []) => [...previous, f.scope.value(f.args[0])], {
      repeats: true,
    }),
    auth_jwt_key_cache: msec(HSL, '0'),
    auth_jwt_leeway: sec(HSL, '0'),
    auth_jwt_require: custom<Requirement[] | null>(HSLL, [1, ANY_COUNT], null, parseRequirement, { repeats: true }),
    auth_jwt_claim_set: again(
      custom<null>(HTTP, [2, ANY_COUNT], null, (f: HttpFrame) => defineVariable(f, (shown, path) => variableText(shown.claims, path))),
    ),
    auth_jwt_header_set: again(
      custom<null>(HTTP, [2, ANY_COUNT], null, (f: HttpFrame) => defineVariable(f, (shown, path) => variableText(shown.header, path))),
    ),
  },
  {
    init(main) {
      main.phases.access.push(authJwt);
    },
    variables: [{ name: 'jwt_payload', volatile: true, get: (r) => shownToken(r)?.payload ?? null }],
    families: [
      {
        prefix: 'jwt_claim_',
        make: (name) => ({ volatile: true, get: (r) => variableText(shownToken(r)?.claims ?? null, [name]) }),
      },
      {
        prefix: 'jwt_header_',
        make: (name) => ({ volatile: true, get: (r) => variableText(shownToken(r)?.header ?? null, [name]) }),
      },
    ],
  },
);

function parseRule(f: HttpFrame): Rule {
  const [realm, second] = f.args;
  if (second !== undefined && !/^token=\$/.test(second)) f.fail(`invalid parameter "${second}"`);
  return {
    realm: realm === 'off' ? null : f.scope.value(realm),
    token: second === undefined ? null : f.scope.value(second.slice('token='.length)),
  };
}

function parseRequirement(f: HttpFrame, previous: Requirement[] = []): Requirement[] {
  const last = present(f.args.at(-1));
  const withStatus = last.startsWith('error=');
  if (withStatus && last !== 'error=401' && last !== 'error=403') f.invalid(last);
  const words = withStatus ? f.args.slice(0, -1) : f.args;
  if (words.length === 0) f.fail('invalid number of arguments in "auth_jwt_require" directive');
  for (const word of words) if (!word.startsWith('$')) f.invalid(word);
  return [...previous, { values: words.map((word) => f.scope.value(word)), status: last === 'error=403' ? 403 : 401 }];
}

function defineVariable(f: HttpFrame, read: (shown: ShownToken, path: readonly string[]) => string | null): null {
  const [variable, ...names] = f.args;
  if (!/^\$\w+$/.test(variable)) f.fail(`invalid variable name "${variable}"`);
  const path = names.map((name) => Buffer.from(name, 'latin1').toString('utf8'));
  try {
    f.scope.main.variables.define(variable.slice(1), {
      volatile: true,
      get: (r) => {
        const shown = shownToken(r);
        return shown && read(shown, path);
      },
    });
  } catch (error) {
    f.fail(String(error));
  }
  return null;
}

// ---------------------------------------------------------------- what variables show

/** The decoded token of a request. An encrypted token can be shown once it has been verified. */
interface ShownToken {
  readonly text: string;
  readonly header: JsonObject | null;
  readonly claims: JsonObject | null;
  /** decrypted payload, latin1; null for a token that is only signed */
  readonly payload: string | null;
}

function tokenOf(r: Request, rule: Rule): string {
  if (rule.token) return rule.token.eval(r);
  return /^bearer +([^ ]+) *$/i.exec(r.headerIn('authorization') ?? '')?.[1] ?? '';
}

function shownToken(r: Request): ShownToken | null {
  const c = authJwtModule.conf(r.loc);
  const text = c.auth_jwt ? tokenOf(r, c.auth_jwt) : '';
  if (text === '') return null;
  const known = r.getMainCtx<ShownToken>(authJwtModule);
  if (known?.text === text) return known;
  if (c.auth_jwt_type !== 'signed') return null;
  let shown: ShownToken = { text, header: null, claims: null, payload: null };
  try {
    const { header, claims } = decodeSigned(text);
    shown = { text, header, claims, payload: null };
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
  }
  r.setMainCtx(authJwtModule, shown);
  return shown;
}

// ---------------------------------------------------------------- keys

/** Keys of a request, some of which may still be loading. */
interface KeyLoad {
  readonly keys: Key[];
  waiting: number;
  failed: boolean;
}

/** The cache of this event loop. */
const cache = new KeyCache();

function loadKeys(r: Request): KeyLoad {
  const c = authJwtModule.conf(r.loc);
  const load: KeyLoad = { keys: [], waiting: 0, failed: false };
  for (const { value, path } of c.auth_jwt_key_file ?? []) {
    const file = path(value.eval(r));
    try {
      const known = value.constant === null ? null : cache.fresh(`file ${file}`, c.auth_jwt_key_cache);
      load.keys.push(...(known ?? cache.fromFile(file)));
    } catch (error) {
      r.log('error', `auth_jwt_key_file "${file}" failed (${describe(error)})`);
      load.failed = true;
    }
  }
  for (const value of c.auth_jwt_key_request ?? []) requestKeys(r, value, load);
  return load;
}

const describe = (error: unknown): string => (error instanceof Error && 'syscall' in error ? systemError(error) : (error as Error).message);

function requestKeys(r: Request, value: Value, load: KeyLoad): void {
  const uri = value.eval(r);
  const name = `request ${r.server.place} ${uri}`;
  const known = value.constant === null ? null : cache.fresh(name, authJwtModule.conf(r.loc).auth_jwt_key_cache);
  if (known) {
    load.keys.push(...known);
    return;
  }
  const query = uri.indexOf('?');
  const sub = startSubrequest(r, query < 0 ? uri : uri.slice(0, query), query < 0 ? '' : uri.slice(query + 1), {
    inMemory: true,
    done: (request, rc) => {
      load.waiting--;
      const status = rc >= 300 ? rc : request.out.status;
      try {
        if (status !== 200) throw new Error(`status ${status}`);
        load.keys.push(...cache.fromText(name, Buffer.concat(request.captured).toString('utf8')));
      } catch (error) {
        r.log('error', `auth_jwt_key_request "${uri}" failed (${(error as Error).message})`);
        load.failed = true;
      }
      return OK;
    },
  });
  if (sub) load.waiting++;
  else load.failed = true;
}

// ---------------------------------------------------------------- the access phase

function authJwt(r: Request): number {
  const { auth_jwt: rule } = authJwtModule.conf(r.loc);
  if (!rule?.realm) return DECLINED;
  const realm = rule.realm.eval(r);
  const text = tokenOf(r, rule);
  if (text === '') {
    r.log('info', 'no JSON Web Token was provided');
    return denied(r, realm, '');
  }
  let load = r.getCtx<KeyLoad>(authJwtModule);
  if (!load) {
    load = loadKeys(r);
    r.setCtx(authJwtModule, load);
    if (load.waiting > 0) r.resume = () => runPhases(r);
  }
  if (load.waiting > 0) return AGAIN;
  if (load.failed) return 500;
  try {
    verifyToken(r, text, load.keys);
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    r.log('error', `JSON Web Token is not valid: ${error.message}`);
    return denied(r, realm, ', error="invalid_token"');
  }
  return checkRequirements(r, realm);
}

/** @throws TokenError the token is not valid */
function verifyToken(r: Request, text: string, keys: readonly Key[]): void {
  const { auth_jwt_type: type, auth_jwt_leeway: leeway } = authJwtModule.conf(r.loc);
  let shown: ShownToken;
  if (type === 'signed') {
    const token = decodeSigned(text);
    verifySignature(token, keys);
    shown = { text, header: token.header, claims: token.claims, payload: null };
  } else {
    const { header, payload } = decryptToken(text, keys);
    let claims: JsonObject;
    if (type === 'nested') {
      const inner = decodeSigned(payload.latin1Slice());
      verifySignature(inner, keys);
      claims = inner.claims;
    } else claims = decodeObject(payload, 'payload');
    shown = { text, header, claims, payload: payload.latin1Slice() };
  }
  checkTimes(present(shown.claims), Date.now() / 1000, leeway);
  r.setMainCtx(authJwtModule, shown);
}

function checkRequirements(r: Request, realm: string): number {
  for (const { values, status } of authJwtModule.conf(r.loc).auth_jwt_require ?? []) {
    if (values.every((value) => isTrue(value.eval(r)))) continue;
    r.log('error', 'JSON Web Token does not meet auth_jwt_require');
    return status === 401 ? denied(r, realm, ', error="invalid_token"') : status;
  }
  return OK;
}

function denied(r: Request, realm: string, error: string): number {
  r.out.set('WWW-Authenticate', `Bearer realm="${realm}"${error}`);
  return 401;
}
