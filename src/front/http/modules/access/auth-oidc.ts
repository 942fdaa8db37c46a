// auth_oidc: users log in at an OpenID Provider (authorization code flow); their session is a cookie and an entry of a key-value zone.
import { readFileSync } from 'node:fs';
import { present } from '../../../../common/present.ts';
import { block, custom, HSL, HTTP } from '../../../config/directive.ts';
import { type DirectiveNode, failAt } from '../../../config/syntax.ts';
import { parseTimeMs } from '../../../config/values.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { FetchConf } from '../../js/fetch.ts';
import { lookupBy } from '../../js/fetch-conf.ts';
import { isObject, type JsonObject } from '../../jwt/key-set.ts';
import { variableText } from '../../jwt/token.ts';
import type { HttpMain, Request } from '../../model/types.ts';
import { OidcFlow, type Outcome } from '../../oidc/flow.ts';
import { Provider, type ProviderConf } from '../../oidc/provider.ts';
import { Sessions, type UserSession } from '../../oidc/session.ts';
import { runPhases } from '../../phases/phases.ts';
import { sendText } from '../../phases/send.ts';
import { AGAIN, DECLINED, DONE, ERROR, HTTP_CLIENT_CLOSED, OK } from '../../request/codes.ts';
import { createZone, keyvalZone } from '../variables/keyval.ts';

const STORE_BYTES = 8 << 20;
const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 1 << 20;
const IDLE_CONNECTIONS = 4;

export const authOidcModule = defineModule(
  'auth_oidc',
  {
    oidc_provider: block<undefined>(HTTP, 1, undefined, parseProvider),
    auth_oidc: custom<Value | 'off' | null>(HSL, 1, null, (f: HttpFrame) => (f.args[0] === 'off' ? 'off' : parseUse(f)), {
      defaultText: 'off',
    }),
  },
  {
    init(main) {
      main.phases.access.push(authOidc);
    },
    variables: [
      { name: 'oidc_id_token', volatile: true, get: (r) => sessionOf(r)?.idToken ?? null },
      { name: 'oidc_access_token', volatile: true, get: (r) => sessionOf(r)?.accessToken || null },
      { name: 'oidc_userinfo', volatile: true, get: (r) => bytesOf(sessionOf(r)?.userinfo) },
    ],
    families: [{ prefix: 'oidc_claim_', make: (name) => ({ volatile: true, get: (r) => claimOf(sessionOf(r), name) }) }],
  },
);

// ---------------------------------------------------------------- configuration

const flowsOf = (main: HttpMain): Map<string, OidcFlow> => {
  let map = main.registry.get('oidc:flows') as Map<string, OidcFlow> | undefined;
  if (!map) main.registry.set('oidc:flows', (map = new Map()));
  return map;
};

function parseUse(f: HttpFrame): Value {
  const value = f.scope.value(f.args[0]);
  const { main } = f.scope;
  f.scope.later(() => {
    if (value.constant !== null && !flowsOf(main).has(value.constant)) f.fail(`unknown oidc_provider "${value.constant}"`);
  });
  return value;
}

const DIRECTIVES: ReadonlySet<string> = new Set([
  ...['issuer', 'client_id', 'client_secret', 'config_url', 'cookie_name', 'extra_auth_args', 'frontchannel_logout_uri', 'pkce'],
  ...['redirect_uri', 'logout_uri', 'post_logout_uri', 'logout_token_hint', 'scope', 'session_store', 'session_timeout', 'ssl_crl'],
  ...['ssl_trusted_certificate', 'userinfo'],
]);

function readBlock(f: HttpFrame): Map<string, DirectiveNode> {
  const found = new Map<string, DirectiveNode>();
  for (const node of present(f.node.children)) {
    if (!DIRECTIVES.has(node.name)) failAt(node, `unknown directive "${node.name}"`);
    if (found.has(node.name)) failAt(node, `"${node.name}" directive is duplicate`);
    if (node.args.length !== 1 && (node.name !== 'scope' || node.args.length === 0)) {
      failAt(node, `invalid number of arguments in "${node.name}" directive`);
    }
    found.set(node.name, node);
  }
  for (const name of ['issuer', 'client_id', 'client_secret']) {
    if (!found.has(name)) f.fail(`no "${name}" is defined for oidc_provider "${f.args[0]}"`);
  }
  return found;
}

function parseProvider(f: HttpFrame): undefined {
  const [name] = f.args;
  const { main, loc } = f.scope;
  const nodes = readBlock(f);
  const text = (key: string, fallback = ''): string => nodes.get(key)?.args[0] ?? fallback;
  const flag = (key: string): boolean | null => {
    const node = nodes.get(key);
    if (node && node.args[0] !== 'on' && node.args[0] !== 'off') {
      failAt(node, `invalid value "${node.args[0]}" in "${key}" directive, it must be "on" or "off"`);
    }
    return node ? node.args[0] === 'on' : null;
  };
  const url = (key: string, value: string): string => (/^https:\/\/[^/]/.test(value) ? value : f.fail(`"${key}" must be an https URL`));
  const uri = (key: string, fallback = ''): string => {
    const value = text(key, fallback);
    return value === '' || value.startsWith('/') || /^https:\/\/[^/]/.test(value) ? value : f.fail(`invalid "${key}" "${value}"`);
  };
  const file = (key: string): Buffer | null => (nodes.has(key) ? readFile(f, key, f.scope.path(text(key), 'conf')) : null);
  const issuer = url('issuer', text('issuer'));
  const scopes = nodes.get('scope')?.args ?? ['openid'];
  const conf: ProviderConf = {
    ...{ name, issuer, clientId: text('client_id'), clientSecret: text('client_secret') },
    configUrl: url('config_url', text('config_url', `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)),
    cookieName: cookieName(f, text('cookie_name', 'NGX_OIDC_SESSION')),
    extraAuthArgs: text('extra_auth_args'),
    redirectUri: uri('redirect_uri', '/oidc_callback'),
    scope: (scopes.includes('openid') ? scopes : ['openid', ...scopes]).join(' '),
    sessionTimeoutMs: parseTimeMs(text('session_timeout', '8h')) || f.fail(`invalid "session_timeout" "${text('session_timeout')}"`),
    logoutUri: uri('logout_uri'),
    postLogoutUri: uri('post_logout_uri'),
    logoutTokenHint: flag('logout_token_hint') ?? false,
    frontchannelLogoutUri: uri('frontchannel_logout_uri'),
    ...{ pkce: flag('pkce'), userinfo: flag('userinfo') ?? false },
  };
  const flows = flowsOf(main);
  if (flows.has(name)) f.fail(`duplicate oidc_provider "${name}"`);
  const ca = file('ssl_trusted_certificate');
  const crl = file('ssl_crl');
  const fetchConf = (): FetchConf => ({
    ...{ timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_ANSWER_BYTES, verify: true, verifyDepth: 100, ca, crl, versions: {}, proxy: '' },
    ...{ ciphers: 'HIGH:!aNULL:!MD5', keepalive: IDLE_CONNECTIONS, keepaliveTimeoutMs: TIMEOUT_MS, lookup: lookupBy(main.namesAt(loc)) },
  });
  const storeName = text('session_store', `oidc_default_store_${name}`);
  if (!nodes.has('session_store')) {
    const { sessionTimeoutMs: timeoutMs } = conf;
    createZone(main, { name: storeName, capacity: STORE_BYTES, timeoutMs, type: 'string', evict: false, state: '' }, 'string');
  }
  f.scope.later(() => {
    if (!keyvalZone(main, storeName)) f.fail(`keyval zone "${storeName}" is not defined`);
  });
  flows.set(name, new OidcFlow(new Provider(conf, fetchConf), new Sessions(() => present(keyvalZone(main, storeName)), issuer)));
  return undefined;
}

const cookieName = (f: HttpFrame, name: string): string =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? name : f.fail(`invalid cookie name "${name}"`);

function readFile(f: HttpFrame, name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    return f.fail(`cannot load "${file}" of "${name}": ${(error as Error).message}`);
  }
}

// ---------------------------------------------------------------- variables

const sessionOf = (r: Request): UserSession | null => r.getMainCtx<UserSession>(authOidcModule);
const bytesOf = (text: string | undefined): string | null => (text ? Buffer.from(text, 'utf8').latin1Slice() : null);

function claimOf(session: UserSession | null, name: string): string | null {
  if (!session) return null;
  const own = variableText(session.claims, [name]);
  if (own !== null || session.userinfo === '') return own;
  const info: unknown = JSON.parse(session.userinfo);
  return variableText(isObject(info) ? (info as JsonObject) : null, [name]);
}

// ---------------------------------------------------------------- the access phase

/** A request that waits for the provider. */
interface Pending {
  /** null until the provider has responded */
  outcome: Outcome | null;
}

function authOidc(r: Request): number {
  const { auth_oidc: value } = authOidcModule.conf(r.loc);
  if (!value || value === 'off') return DECLINED;
  const name = value.eval(r);
  if (name === 'off' || name === '') return DECLINED;
  const flow = flowsOf(r.http).get(name);
  if (!flow) {
    r.log('error', `unknown oidc_provider "${name}"`);
    return 500;
  }
  const before = r.getCtx<Pending>(authOidcModule);
  if (before) return before.outcome ? apply(r, before.outcome) : AGAIN;
  const result = flow.handle(r);
  if (!(result instanceof Promise)) return apply(r, result);
  const pending: Pending = { outcome: null };
  r.setCtx(authOidcModule, pending);
  r.onAbort = () => r.finalize(HTTP_CLIENT_CLOSED);
  r.resume = () => runPhases(r);
  void result
    .catch((error: Error): Outcome => {
      r.log('error', `OpenID Connect of "${name}" failed: ${error.message}`);
      return { kind: 'refuse', status: 500 };
    })
    .then((outcome) => {
      pending.outcome = outcome;
      r.onAbort = null;
      if (!r.done) r.conn.post(r);
    });
  return AGAIN;
}

function apply(r: Request, outcome: Outcome): number {
  for (const cookie of outcome.cookies ?? []) r.out.add('Set-Cookie', cookie);
  switch (outcome.kind) {
    case 'allow':
      r.setMainCtx(authOidcModule, outcome.session);
      return OK;
    case 'refuse':
      if (outcome.reason) r.log('error', `OpenID Connect refused the request: ${outcome.reason}`);
      return outcome.status;
    case 'redirect':
      r.out.set('Cache-Control', 'no-store');
      r.out.location = outcome.location;
      return 302;
    case 'page':
      return sendPage(r, outcome.text);
  }
}

function sendPage(r: Request, text: string): number {
  const discarded = r.conn.discardBody(r);
  if (discarded !== OK) return discarded;
  r.out.set('Cache-Control', 'no-store');
  r.out.status = 200;
  r.out.contentType = 'text/html';
  const rc = sendText(r, text);
  r.finalize(rc === ERROR ? ERROR : OK);
  return DONE;
}
