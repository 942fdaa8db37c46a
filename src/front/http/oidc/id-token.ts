// Validation of ID tokens (OpenID Connect Core, section 3.1.3.7).
import { createSecretKey } from 'node:crypto';
import type { JsonObject, Key } from '../jwt/key-set.ts';
import { checkTimes, decodeSigned, type SignedToken, TokenError, verifySignature } from '../jwt/token.ts';
import type { Provider, ProviderConf } from './provider.ts';

/** Accepted difference between the clocks of the provider and this machine. */
const LEEWAY_SECONDS = 30;

/** @param nonce  of the login, null after a refresh @returns the claims @throws TokenError */
export async function validateIdToken(provider: Provider, text: string, nonce: string | null): Promise<JsonObject> {
  const token = decodeSigned(text);
  await verify(provider, token);
  checkClaims(provider.conf, token.claims, nonce);
  return token.claims;
}

/** A token with an unknown key may be signed with a new one. */
async function verify(provider: Provider, token: SignedToken): Promise<void> {
  const secret = secretKey(provider.conf);
  const known = await provider.keys();
  try {
    verifySignature(token, [...known, secret]);
  } catch (error) {
    const newer = await provider.keys(known);
    if (newer === known) throw error;
    verifySignature(token, [...newer, secret]);
  }
}

/** The key of HS256, HS384 and HS512: the client's secret. */
function secretKey({ clientSecret }: ProviderConf): Key {
  const secret = createSecretKey(Buffer.from(clientSecret, 'utf8'));
  return { kty: 'oct', curve: '', kid: null, alg: null, signs: true, encrypts: false, verifier: secret, decrypter: null };
}

function checkClaims({ issuer, clientId }: ProviderConf, claims: JsonObject, nonce: string | null): void {
  const audience = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
  if (claims.iss !== issuer) throw new TokenError('"iss" is not the issuer');
  if (!audience.includes(clientId)) throw new TokenError('"aud" does not name this client');
  if ((audience.length > 1 || claims.azp !== undefined) && claims.azp !== clientId) throw new TokenError('"azp" is not this client');
  if (typeof claims.sub !== 'string' || claims.sub === '') throw new TokenError('"sub" is missing');
  if (typeof claims.exp !== 'number') throw new TokenError('"exp" is missing');
  if (typeof claims.iat !== 'number') throw new TokenError('"iat" is missing');
  if (nonce !== null && claims.nonce !== nonce) throw new TokenError('"nonce" is not that of the login');
  checkTimes(claims, Date.now() / 1000, LEEWAY_SECONDS);
}
