// The authorization code flow of OpenID Connect for one provider: decides what to do with a request by its path and its cookies.

import { TokenError } from '../jwt/token.ts';
import type { Request } from '../model/types.ts';
import { findCookie } from '../request/cookies.ts';
import { findArg } from '../request/parse.ts';
import { validateIdToken } from './id-token.ts';
import { challengeOf, LOGIN_SECONDS, loginCookie, openLogin, randomText, sealLogin, startLogin } from './login.ts';
import { type Provider, type ProviderConf, ProviderError, type Tokens } from './provider.ts';
import { RefreshLocks } from './refresh-locks.ts';
import type { Sessions, UserSession } from './session.ts';

/** What to do with a request. */
export type Outcome = { readonly cookies?: readonly string[] } & (
  | { readonly kind: 'allow'; readonly session: UserSession }
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'page'; readonly text: string }
  | { readonly kind: 'refuse'; readonly status: number; readonly reason?: string }
);

const LOGGED_OUT =
  '<html>\r\n<head><title>Logged out</title></head>\r\n<body>\r\n<center><h1>Logged out</h1></center>\r\n</body>\r\n</html>\r\n';

const refuse = (status: number, reason: string): Outcome => ({ kind: 'refuse', status, reason });
const pathOf = (uri: string): string => (uri.startsWith('https://') ? new URL(uri).pathname : uri);
const originOf = (r: Request): string => `${r.conn.tls ? 'https' : 'http'}://${r.headerIn('host') ?? r.host}`;
const absolute = (r: Request, uri: string): string => (uri.startsWith('/') ? originOf(r) + uri : uri);
const argOf = (r: Request, name: string): string => {
  const text = findArg(r.args, name) ?? '';
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
};

const needsRefresh = ({ accessUntilMs, refreshToken }: UserSession): boolean =>
  accessUntilMs !== null && accessUntilMs <= Date.now() && refreshToken !== '';

/** One `oidc_provider`. */
export class OidcFlow {
  readonly #provider: Provider;
  readonly #conf: ProviderConf;
  readonly #sessions: Sessions;
  readonly #locks: RefreshLocks;

  constructor(provider: Provider, sessions: Sessions) {
    this.#provider = provider;
    this.#conf = provider.conf;
    this.#sessions = sessions;
    this.#locks = new RefreshLocks(this.#conf.name);
  }

  handle(r: Request): Outcome | Promise<Outcome> {
    const { redirectUri, logoutUri, frontchannelLogoutUri } = this.#conf;
    if (r.uri === pathOf(redirectUri)) return this.#callback(r);
    if (logoutUri !== '' && r.uri === pathOf(logoutUri)) return this.#logout(r);
    if (frontchannelLogoutUri !== '' && r.uri === pathOf(frontchannelLogoutUri)) return this.#frontchannelLogout(r);
    const id = this.#sessionId(r);
    const session = this.#sessions.find(id);
    if (!session) return this.#login(r);
    return needsRefresh(session) ? this.#refreshed(r, id, session) : { kind: 'allow', session };
  }

  #sessionId(r: Request): string {
    return findCookie(r.headersIn, this.#conf.cookieName) ?? '';
  }

  /** @param seconds  lifetime; null until the browser is closed, 0 deletes it */
  #cookie(r: Request, name: string, value: string, path: string, seconds: number | null): string {
    const age = seconds === null ? '' : `; Max-Age=${seconds}`;
    return `${name}=${value}; Path=${path}${age}; HttpOnly; SameSite=Lax${r.conn.tls ? '; Secure' : ''}`;
  }

  // ---------------------------------------------------------------- login

  async #login(r: Request): Promise<Outcome> {
    const { authorizationEndpoint, usesPkce } = await this.#provider.metadata();
    const { clientId, redirectUri, scope, extraAuthArgs } = this.#conf;
    const login = startLogin(r.rawUri.startsWith('/') && !r.rawUri.startsWith('//') ? r.rawUri : '/');
    const url = new URL(authorizationEndpoint);
    const wanted = {
      response_type: 'code',
      scope,
      client_id: clientId,
      redirect_uri: absolute(r, redirectUri),
      state: login.state,
      nonce: login.nonce,
    };
    for (const [name, value] of Object.entries(wanted)) url.searchParams.set(name, value);
    if (usesPkce) {
      url.searchParams.set('code_challenge', challengeOf(login));
      url.searchParams.set('code_challenge_method', 'S256');
    }
    const cookie = this.#cookie(r, loginCookie(this.#conf, login.state), sealLogin(this.#conf, login), pathOf(redirectUri), LOGIN_SECONDS);
    return { kind: 'redirect', location: url.href + (extraAuthArgs === '' ? '' : `&${extraAuthArgs}`), cookies: [cookie] };
  }

  async #callback(r: Request): Promise<Outcome> {
    const conf = this.#conf;
    const state = argOf(r, 'state');
    const name = loginCookie(conf, state);
    const login = openLogin(conf, findCookie(r.headersIn, name) ?? '');
    if (!login || login.state !== state) return refuse(400, 'the callback belongs to no login of this browser');
    const done = [this.#cookie(r, name, '', pathOf(conf.redirectUri), 0)];
    const error = argOf(r, 'error');
    if (error !== '') return { ...refuse(403, `the provider responded with "${error.slice(0, 128)}"`), cookies: done };
    // RFC 9207: detects a code of another provider
    const iss = argOf(r, 'iss');
    if (iss !== '' && iss !== conf.issuer) return { ...refuse(400, 'the callback is from another issuer'), cookies: done };
    const code = argOf(r, 'code');
    if (code === '') return { ...refuse(400, 'the callback has no code'), cookies: done };
    try {
      const grant: Record<string, string> = { grant_type: 'authorization_code', code, redirect_uri: absolute(r, conf.redirectUri) };
      if ((await this.#provider.metadata()).usesPkce) grant.code_verifier = login.verifier;
      const session = await this.#session(await this.#provider.tokens(grant), login.nonce, null);
      this.#sessions.end(this.#sessionId(r));
      const id = randomText();
      this.#sessions.save(id, session);
      return { kind: 'redirect', location: absolute(r, login.uri), cookies: [...done, this.#cookie(r, conf.cookieName, id, '/', null)] };
    } catch (failure) {
      if (!(failure instanceof TokenError || failure instanceof ProviderError)) throw failure;
      return { ...refuse(403, failure.message), cookies: done };
    }
  }

  /** @param before  the session that is refreshed: a provider need not send an ID token or a refresh token again */
  async #session(tokens: Tokens, nonce: string | null, before: UserSession | null): Promise<UserSession> {
    const { issuer, sessionTimeoutMs, userinfo } = this.#conf;
    if (tokens.accessToken === '' || (tokens.idToken === '' && !before)) throw new ProviderError('the response has no tokens');
    const claims = tokens.idToken === '' && before ? before.claims : await validateIdToken(this.#provider, tokens.idToken, nonce);
    if (before && claims.sub !== before.claims.sub) throw new ProviderError('the refreshed token is for another subject');
    const now = Date.now();
    return {
      issuer,
      claims,
      idToken: tokens.idToken || (before?.idToken ?? ''),
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken || (before?.refreshToken ?? ''),
      userinfo: userinfo ? await this.#provider.userinfo(tokens.accessToken, claims.sub) : '',
      untilMs: now + sessionTimeoutMs,
      accessUntilMs: tokens.expiresInMs === null ? null : now + tokens.expiresInMs,
    };
  }

  /** Refreshes a session, or waits until another request or event loop has done so. */
  async #refreshed(r: Request, id: string, before: UserSession): Promise<Outcome> {
    const isRefreshed = (session: UserSession): boolean => session.accessUntilMs !== before.accessUntilMs;
    while (!this.#locks.take(id)) {
      r.log('info', 'the request waits for the refresh of its session');
      await this.#locks.released(id);
      const session = this.#sessions.find(id);
      if (!session) return this.#login(r);
      if (isRefreshed(session)) return { kind: 'allow', session };
    }
    let session: UserSession | null;
    try {
      // it may have been refreshed before the lock was taken
      session = this.#sessions.find(id);
      if (session && !isRefreshed(session)) session = await this.#refresh(r, id, session);
    } finally {
      this.#locks.release(id);
    }
    return session ? { kind: 'allow', session } : this.#login(r);
  }

  /** @returns null if the provider has ended the session */
  async #refresh(r: Request, id: string, before: UserSession): Promise<UserSession | null> {
    try {
      const tokens = await this.#provider.tokens({ grant_type: 'refresh_token', refresh_token: before.refreshToken });
      const session = await this.#session(tokens, null, before);
      this.#sessions.save(id, session);
      return session;
    } catch (error) {
      if (!(error instanceof TokenError || error instanceof ProviderError)) throw error;
      r.log('info', `the session could not be refreshed: ${error.message}`);
      this.#sessions.end(id);
      return null;
    }
  }

  // ---------------------------------------------------------------- logout

  async #logout(r: Request): Promise<Outcome> {
    const { cookieName, clientId, logoutTokenHint, postLogoutUri } = this.#conf;
    const id = this.#sessionId(r);
    const session = this.#sessions.find(id);
    this.#sessions.end(id);
    const cookies = [this.#cookie(r, cookieName, '', '/', 0)];
    const { endSessionEndpoint } = await this.#provider.metadata();
    if (endSessionEndpoint !== '' && session) {
      const url = new URL(endSessionEndpoint);
      url.searchParams.set('client_id', clientId);
      if (postLogoutUri !== '') url.searchParams.set('post_logout_redirect_uri', absolute(r, postLogoutUri));
      if (logoutTokenHint) url.searchParams.set('id_token_hint', session.idToken);
      return { kind: 'redirect', location: url.href, cookies };
    }
    return postLogoutUri === ''
      ? { kind: 'page', text: LOGGED_OUT, cookies }
      : { kind: 'redirect', location: absolute(r, postLogoutUri), cookies };
  }

  #frontchannelLogout(r: Request): Outcome {
    const sid = argOf(r, 'sid');
    const iss = argOf(r, 'iss');
    if (iss !== '' && iss !== this.#conf.issuer) return refuse(400, 'the logout is from another issuer');
    if (iss !== '' && sid !== '') this.#sessions.endBySid(sid);
    else this.#sessions.end(this.#sessionId(r));
    return { kind: 'page', text: '', cookies: [this.#cookie(r, this.#conf.cookieName, '', '/', 0)] };
  }
}
