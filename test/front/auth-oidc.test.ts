/** auth_oidc: login, session, refresh and logout at a provider of the test, over HTTPS. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, ours, statusOf } from '../support/front.ts';
import { jwkOf, keyPairs, keySet, signToken } from '../support/tokens.ts';

const front = new Front();
let port = 0;
let issuer = '';
let provider: Server;
const [pair] = keyPairs('ES256');

/** Responses of the provider, and the requests that its token endpoint received. */
const idp = {
  claims: {} as Record<string, unknown>,
  tokens: {} as Record<string, unknown>,
  requests: [] as URLSearchParams[],
  refuses: false,
  /** waits for this before it answers */
  held: Promise.resolve(),
};

function answer(path: string, body: string, authorization: string): [status: number, body: unknown] {
  switch (path) {
    case '/.well-known/openid-configuration':
      return [
        200,
        {
          issuer,
          authorization_endpoint: `${issuer}/authorize?tenant=1`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          userinfo_endpoint: `${issuer}/userinfo`,
          end_session_endpoint: `${issuer}/end`,
          code_challenge_methods_supported: ['plain', 'S256'],
        },
      ];
    case '/keys':
      return [200, JSON.parse(keySet(jwkOf(pair.publicKey, { kid: 'one', use: 'sig' })))];
    case '/userinfo':
      return authorization === 'Bearer access' ? [200, { sub: 'joe', email: 'joe@example.com' }] : [401, {}];
    default: {
      const form = new URLSearchParams(body);
      idp.requests.push(form);
      if (idp.refuses || authorization !== `Basic ${Buffer.from('app:s%20cret').toString('base64')}`)
        return [400, { error: 'invalid_grant' }];
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: issuer, aud: 'app', sub: 'joe', sid: 'provider-session', iat: now, exp: now + 300, ...idp.claims };
      const token = signToken({ alg: 'ES256', kid: 'one' }, claims, pair.privateKey);
      return [
        200,
        { access_token: 'access', id_token: token, refresh_token: 'refresh', token_type: 'Bearer', expires_in: 300, ...idp.tokens },
      ];
    }
  }
}

beforeAll(async () => {
  port = await freePort();
  const openssl = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
    '-days',
    '2',
  ];
  execFileSync('openssl', [...openssl, '-keyout', `${front.folder}/k.pem`, '-out', `${front.folder}/c.pem`], { stdio: 'ignore' });
  provider = createServer(
    { key: readFileSync(`${front.folder}/k.pem`), cert: readFileSync(`${front.folder}/c.pem`) },
    (request, response) => {
      let body = '';
      request.on('data', (data) => {
        body += data;
      });
      request.on('end', async () => {
        const [status, data] = answer((request.url ?? '').split('?')[0]!, body, request.headers.authorization ?? '');
        await idp.held;
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data));
      });
    },
  );
  await new Promise<void>((resolve) => provider.listen(0, resolve));
  issuer = `https://localhost:${(provider.address() as { port: number }).port}`;
  front.config(
    `
    auth_jwt_claim_set $city address city;
    oidc_provider idp { issuer ${issuer}; client_id app; client_secret "s cret"; ssl_trusted_certificate c.pem; userinfo on; scope openid email;
      extra_auth_args "prompt=login"; logout_uri /logout; post_logout_uri /bye; logout_token_hint on; frontchannel_logout_uri /front; }
    oidc_provider untrusted { issuer ${issuer}; client_id app; client_secret x; }
    server { listen 127.0.0.1:${port}; auth_oidc idp;
      location / { auth_jwt off token=$oidc_id_token; add_header X-User "$oidc_claim_sub|$oidc_claim_email|$oidc_access_token|$city" always; try_files /none =404; }
      location /bye { auth_oidc off; return 200 bye; }
      location /untrusted { auth_oidc untrusted; try_files /none =404; }
    }`,
    'worker_processes 2;',
  );
  if (ours) await front.start();
});
beforeEach(() => {
  Object.assign(idp, { claims: {}, tokens: {}, requests: [], refuses: false, held: Promise.resolve() });
});
afterAll(async () => {
  await front.dispose();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

const ask = (uri: string, cookie = '') => get(port, uri, cookie === '' ? '' : `Cookie: ${cookie}\n`);
const cookiesOf = (text: string): string[] => [...text.matchAll(/^Set-Cookie: (.*?)\r$/gm)].map((m) => m[1]!);
const cookiePair = (text: string, name: RegExp): string =>
  cookiesOf(text)
    .find((cookie) => name.test(cookie))!
    .split(';')[0]!;

/** Starts a login; the provider will return the nonce of the request. */
async function begin(uri: string): Promise<{ to: URL; cookie: string }> {
  const first = await ask(uri);
  expect(statusOf(first)).toBe(302);
  const to = new URL(headerOf(first, 'Location')!);
  idp.claims.nonce ??= to.searchParams.get('nonce');
  return { to, cookie: cookiePair(first, /^NGX_OIDC_SESSION_/) };
}

const callback = ({ to, cookie }: { to: URL; cookie: string }) =>
  ask(`/oidc_callback?code=c&state=${to.searchParams.get('state')}`, cookie);

/** Logs in. @returns the cookie of the session */
async function logIn(): Promise<string> {
  return cookiePair(await callback(await begin('/')), /^NGX_OIDC_SESSION=/);
}
const isLoggedIn = async (cookie: string): Promise<boolean> => statusOf(await ask('/', cookie)) === 404;

describe.skipIf(!ours)('auth_oidc', () => {
  test('redirects the user to the provider and back to the requested page', async () => {
    const login = await begin('/page?x=1');
    const { searchParams } = login.to;
    expect(login.to.href.startsWith(`${issuer}/authorize?tenant=1&`)).toBe(true);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      ...{ response_type: 'code', client_id: 'app', scope: 'openid email', prompt: 'login', code_challenge_method: 'S256' },
      redirect_uri: 'http://localhost/oidc_callback',
    });
    idp.claims.address = { city: 'Ulm' };
    const done = await callback(login);
    expect(statusOf(done)).toBe(302);
    expect(headerOf(done, 'Location')).toBe('http://localhost/page?x=1');
    const [form] = idp.requests;
    expect(form!.get('grant_type')).toBe('authorization_code');
    const challenge = createHash('sha256').update(form!.get('code_verifier')!).digest('base64url');
    expect(challenge).toBe(searchParams.get('code_challenge'));
    const cookie = cookiesOf(done).find((text) => text.startsWith('NGX_OIDC_SESSION='))!;
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
    const page = await ask('/page', cookie.split(';')[0]);
    expect(headerOf(page, 'X-User')).toBe('joe|joe@example.com|access|Ulm');
  });

  test('a callback is accepted only in the browser that began the login', async () => {
    const login = await begin('/');
    const other = await begin('/');
    expect(statusOf(await callback({ to: login.to, cookie: '' }))).toBe(400);
    expect(statusOf(await callback({ to: login.to, cookie: other.cookie }))).toBe(400);
    const name = login.cookie.split('=')[0]!;
    expect(statusOf(await callback({ to: login.to, cookie: `${name}=${other.cookie.split('=')[1]}` }))).toBe(400);
    expect(idp.requests).toEqual([]);
    expect(await isLoggedIn(`NGX_OIDC_SESSION=${'A'.repeat(43)}`)).toBe(false);
  });

  test.each([
    ['nonce', { nonce: 'other' }],
    ['audience', { aud: 'other' }],
    ['issuer', { iss: 'https://other' }],
    ['authorized party', { aud: ['app', 'other'] }],
    ['time', { exp: 1000 }],
  ])('refuses an ID token with another %s', async (_, claims) => {
    Object.assign(idp.claims, claims);
    const done = await callback(await begin('/'));
    expect(statusOf(done)).toBe(403);
    expect(cookiesOf(done).some((text) => text.startsWith('NGX_OIDC_SESSION='))).toBe(false);
  });

  test('refuses an ID token that is not signed by the provider, and errors of the provider', async () => {
    const login = await begin('/');
    idp.tokens.id_token = signToken({ alg: 'ES256' }, { iss: issuer, aud: 'app', sub: 'joe' }, keyPairs('ES256')[1].privateKey);
    expect(statusOf(await callback(login))).toBe(403);
    idp.refuses = true;
    expect(statusOf(await callback(await begin('/')))).toBe(403);
    const { to, cookie } = await begin('/');
    expect(statusOf(await ask(`/oidc_callback?error=access_denied&state=${to.searchParams.get('state')}`, cookie))).toBe(403);
    expect(front.read('error.log')).toContain('the provider responded with "access_denied"');
  });

  test('refreshes expired tokens, and ends the session if the provider refuses', async () => {
    idp.tokens.expires_in = 1e-6;
    const cookie = await logIn();
    expect(await isLoggedIn(cookie)).toBe(true);
    expect(idp.requests.at(-1)!.get('grant_type')).toBe('refresh_token');
    idp.refuses = true;
    expect(await isLoggedIn(cookie)).toBe(false);
    idp.refuses = false;
    expect(await isLoggedIn(cookie)).toBe(false);
  });

  test('refreshes a session once for all requests that need it, whatever event loop they are in', async () => {
    idp.tokens.expires_in = 1e-6;
    const cookie = await logIn();
    idp.requests = [];
    idp.tokens.expires_in = 300;
    let release = () => {};
    idp.held = new Promise((resolve) => {
      release = resolve;
    });
    const requests = Array.from({ length: 12 }, () => isLoggedIn(cookie));
    await front.until(() => idp.requests.length > 0);
    // all the others are accepted before the provider answers
    await front.until(() => (front.read('error.log').match(/waits for the refresh of its session/g) ?? []).length === 11);
    release();
    expect(await Promise.all(requests)).toEqual(new Array(12).fill(true));
    expect(idp.requests.map((form) => form.get('grant_type'))).toEqual(['refresh_token']);
  });

  test('logs out here and at the provider', async () => {
    const cookie = await logIn();
    expect(await isLoggedIn(cookie)).toBe(true);
    const out = new URL(headerOf(await ask('/logout', cookie), 'Location')!);
    expect(out.pathname).toBe('/end');
    expect(out.searchParams.get('post_logout_redirect_uri')).toBe('http://localhost/bye');
    expect(out.searchParams.get('id_token_hint')).toMatch(/^ey/);
    expect(await isLoggedIn(cookie)).toBe(false);
    expect(headerOf(await ask('/logout', cookie), 'Location')).toBe('http://localhost/bye');
    expect(bodyOf(await ask('/bye'))).toBe('bye');
  });

  test('the provider ends a session by its own identifier', async () => {
    const cookie = await logIn();
    expect(statusOf(await ask(`/front?iss=https%3A%2F%2Fother&sid=provider-session`))).toBe(400);
    expect(await isLoggedIn(cookie)).toBe(true);
    expect(statusOf(await ask(`/front?iss=${encodeURIComponent(issuer)}&sid=provider-session`))).toBe(200);
    expect(await isLoggedIn(cookie)).toBe(false);
  });

  test('responds with 500 if the certificate of the provider is not trusted', async () => {
    expect(statusOf(await ask('/untrusted'))).toBe(500);
  });

  test.each([
    ['client_id a; client_secret b;', 'no "issuer" is defined for oidc_provider "p"'],
    ['issuer http://x; client_id a; client_secret b;', '"issuer" must be an https URL'],
    ['issuer https://x; client_id a; client_secret b; session_store s;', 'keyval zone "s" is not defined'],
    ['issuer https://x; client_id a; client_secret b; pkce maybe;', 'invalid value "maybe" in "pkce" directive'],
    ['nonsense on;', 'unknown directive "nonsense"'],
  ])('oidc_provider p { %s } is refused', async (text, message) => {
    const other = new Front();
    other.config(`oidc_provider p { ${text} } server { listen 127.0.0.1:1; auth_oidc p; }`);
    await expect(other.start()).rejects.toThrow(message);
    await other.dispose();
  });
});
