// A login in progress, in an encrypted browser cookie, so that the server stores nothing for clients that never come back.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { ProviderConf } from './provider.ts';

/** Time that a user has to log in. */
export const LOGIN_SECONDS = 600;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** A longer URI is not returned to after the login: cookies have at most 4096 bytes. */
const MAX_URI = 2048;

/** Values that the callback is checked against. */
export interface Login {
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636) */
  readonly verifier: string;
  /** where the user wanted to go */
  readonly uri: string;
  readonly untilMs: number;
}

export const randomText = (): string => randomBytes(32).toString('base64url');

export const startLogin = (uri: string): Login => ({
  state: randomText(),
  nonce: randomText(),
  verifier: randomText(),
  uri: uri.length <= MAX_URI ? uri : '/',
  untilMs: Date.now() + LOGIN_SECONDS * 1000,
});

export const challengeOf = ({ verifier }: Login): string => createHash('sha256').update(verifier).digest('base64url');

/** Name of the cookie: parallel logins of one browser have their own. */
export const loginCookie = ({ cookieName }: ProviderConf, state: string): string => `${cookieName}_${state.slice(0, 8)}`;

const keyOf = ({ clientSecret, clientId, issuer }: ProviderConf): Buffer =>
  Buffer.from(hkdfSync('sha256', clientSecret, `${issuer} ${clientId}`, 'gannet oidc login', KEY_BYTES));

export function sealLogin(conf: ProviderConf, login: Login): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(conf), iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(login), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** @returns null if it was modified, belongs to another login, or is too old */
export function openLogin(conf: ProviderConf, text: string): Login | null {
  const data = Buffer.from(text, 'base64url');
  if (data.length <= IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', keyOf(conf), data.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(data.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    const plain = Buffer.concat([decipher.update(data.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    const login = JSON.parse(plain.toString('utf8')) as Login;
    return login.untilMs > Date.now() ? login : null;
  } catch {
    return null;
  }
}
