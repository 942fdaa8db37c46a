// An OpenID Provider: its metadata (OpenID Connect Discovery), its keys, and the requests to its token and UserInfo endpoints.

import { type FetchConf, type FetchInit, fetchUnder } from '../js/fetch.ts';
import { type JsonObject, type Key, parseKeySet } from '../jwt/key-set.ts';
import { decodeObject } from '../jwt/token.ts';

/** An `oidc_provider` of the configuration. */
export interface ProviderConf {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly configUrl: string;
  readonly cookieName: string;
  readonly extraAuthArgs: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly sessionTimeoutMs: number;
  readonly logoutUri: string;
  readonly postLogoutUri: string;
  readonly logoutTokenHint: boolean;
  readonly frontchannelLogoutUri: string;
  /** null: as in the metadata */
  readonly pkce: boolean | null;
  readonly userinfo: boolean;
}

/** The parts of the metadata that are used. */
export interface Metadata {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
  readonly userinfoEndpoint: string;
  readonly endSessionEndpoint: string;
  readonly usesPkce: boolean;
  readonly postsSecret: boolean;
}

/** Response of the token endpoint. */
export interface Tokens {
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** lifetime of the access token, null if unknown */
  readonly expiresInMs: number | null;
}

/** The provider sent an unusable response. */
export class ProviderError extends Error {}

const METADATA_MS = 3_600_000;
/** Minimum interval between requests for the keys, which a token with an unknown key causes. */
const KEYS_MS = 10_000;

const textAt = (object: JsonObject, name: string): string => (typeof object[name] === 'string' ? object[name] : '');
const listAt = (object: JsonObject, name: string): readonly unknown[] | null => (Array.isArray(object[name]) ? object[name] : null);

export class Provider {
  readonly conf: ProviderConf;
  readonly #fetchConf: () => FetchConf;
  #metadata: { value: Promise<Metadata>; sinceMs: number } | null = null;
  #keys: { value: Promise<Key[]>; sinceMs: number } | null = null;

  /** @param fetchConf  returns the connection settings, available once the configuration has been read */
  constructor(conf: ProviderConf, fetchConf: () => FetchConf) {
    this.conf = conf;
    this.#fetchConf = fetchConf;
  }

  /** @throws ProviderError, Error of the network */
  metadata(): Promise<Metadata> {
    if (this.#metadata && Date.now() - this.#metadata.sinceMs < METADATA_MS) return this.#metadata.value;
    const value = this.#readMetadata();
    this.#metadata = { value, sinceMs: Date.now() };
    // The next request tries again.
    value.catch(() => {
      if (this.#metadata?.value === value) this.#metadata = null;
    });
    return value;
  }

  async #readMetadata(): Promise<Metadata> {
    const { issuer, configUrl, pkce } = this.conf;
    const data = await this.#json(configUrl, {});
    if (data.issuer !== issuer) throw new ProviderError(`the metadata names the issuer "${textAt(data, 'issuer')}"`);
    const methods = listAt(data, 'token_endpoint_auth_methods_supported');
    const endpoint = (name: string): string => {
      const url = textAt(data, name);
      if (!url.startsWith('https://')) throw new ProviderError(`"${name}" of the metadata is not an https URL`);
      return url;
    };
    return {
      authorizationEndpoint: endpoint('authorization_endpoint'),
      tokenEndpoint: endpoint('token_endpoint'),
      jwksUri: endpoint('jwks_uri'),
      userinfoEndpoint: this.conf.userinfo ? endpoint('userinfo_endpoint') : '',
      endSessionEndpoint: textAt(data, 'end_session_endpoint') === '' ? '' : endpoint('end_session_endpoint'),
      usesPkce: pkce ?? listAt(data, 'code_challenge_methods_supported')?.includes('S256') ?? false,
      postsSecret: methods !== null && !methods.includes('client_secret_basic') && methods.includes('client_secret_post'),
    };
  }

  /** Keys that sign ID tokens. @param newerThan  keys with which a token could not be verified */
  async keys(newerThan: Key[] | null = null): Promise<Key[]> {
    if (this.#keys) {
      const known = await this.#keys.value;
      const ageMs = Date.now() - this.#keys.sinceMs;
      if (newerThan === known ? ageMs < KEYS_MS : ageMs < METADATA_MS) return known;
    }
    const value = this.#readKeys();
    this.#keys = { value, sinceMs: Date.now() };
    value.catch(() => {
      if (this.#keys?.value === value) this.#keys = null;
    });
    return value;
  }

  async #readKeys(): Promise<Key[]> {
    const { jwksUri } = await this.metadata();
    const answer = await fetchUnder(this.#fetchConf(), jwksUri, {});
    if (answer.status !== 200) throw new ProviderError(`jwks_uri responded with ${answer.status}`);
    return parseKeySet(await answer.text());
  }

  /** Exchanges a code or a refresh token. @param grant  fields of the request besides the client's credentials */
  async tokens(grant: Record<string, string>): Promise<Tokens> {
    const { tokenEndpoint, postsSecret } = await this.metadata();
    const { clientId, clientSecret } = this.conf;
    const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = new URLSearchParams(grant);
    if (postsSecret) {
      form.set('client_id', clientId);
      form.set('client_secret', clientSecret);
    } else {
      const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
      headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    }
    const data = await this.#json(tokenEndpoint, { method: 'POST', headers, body: form.toString() });
    const seconds = Number(data.expires_in);
    return {
      idToken: textAt(data, 'id_token'),
      accessToken: textAt(data, 'access_token'),
      refreshToken: textAt(data, 'refresh_token'),
      expiresInMs: data.expires_in !== undefined && seconds > 0 ? seconds * 1000 : null,
    };
  }

  /** Claims of the UserInfo endpoint as JSON. @throws ProviderError they belong to another user */
  async userinfo(accessToken: string, subject: unknown): Promise<string> {
    const { userinfoEndpoint } = await this.metadata();
    const data = await this.#json(userinfoEndpoint, { headers: { authorization: `Bearer ${accessToken}` } });
    if (data.sub !== subject) throw new ProviderError('UserInfo is for another subject');
    return JSON.stringify(data);
  }

  async #json(url: string, init: FetchInit): Promise<JsonObject> {
    const answer = await fetchUnder(this.#fetchConf(), url, init);
    const body = Buffer.from(await answer.arrayBuffer());
    if (answer.status === 200) return decodeObject(body, `response of ${url}`);
    let reason = '';
    try {
      reason = `: ${textAt(decodeObject(body, ''), 'error')}`;
    } catch {
      // No error object: the status says enough.
    }
    throw new ProviderError(`${url} answered ${answer.status}${reason}`);
  }
}
