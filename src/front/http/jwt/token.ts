// JSON Web Tokens (RFC 7519) in compact form: signatures (RFC 7515), claims, and what variables show of them.
import { constants, createHmac, timingSafeEqual, verify } from 'node:crypto';
import { candidates, isObject, type JsonObject, type Key } from './key-set.ts';

const BASE64URL = /^[A-Za-z0-9_-]*$/;
const EC_CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };
const SIGNED_PARTS = 3;

/** A token that was split and decoded, but not verified. */
export interface SignedToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  /** header and payload as they were signed */
  readonly signingInput: Buffer;
  readonly signature: Buffer;
}

/** Why a token is not valid, for the error log. */
export class TokenError extends Error {}

/** Decodes a part of a token. @throws TokenError it is not base64url */
export function decodePart(part: string, what: string): Buffer {
  if (!BASE64URL.test(part)) throw new TokenError(`${what} is not base64url`);
  return Buffer.from(part, 'base64url');
}

/** @throws TokenError the bytes are not a JSON object */
export function decodeObject(bytes: Buffer, what: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new TokenError(`${what} is not JSON`);
  }
  if (!isObject(value)) throw new TokenError(`${what} is not a JSON object`);
  return value;
}

/** @throws TokenError the text is not a token in JWS compact form */
export function decodeSigned(text: string): SignedToken {
  const parts = text.split('.');
  if (parts.length !== SIGNED_PARTS) throw new TokenError('not a signed token');
  const [header, payload, signature] = parts;
  return {
    header: decodeObject(decodePart(header, 'header'), 'header'),
    claims: decodeObject(decodePart(payload, 'payload'), 'payload'),
    signingInput: Buffer.from(`${header}.${payload}`, 'latin1'),
    signature: decodePart(signature, 'signature'),
  };
}

/** @throws TokenError none of the keys verifies the signature */
export function verifySignature(token: SignedToken, keys: readonly Key[]): void {
  const { header } = token;
  if (header.crit !== undefined) throw new TokenError('critical header parameters are not supported');
  const check = typeof header.alg === 'string' ? signatureCheck(header.alg) : null;
  if (!check) throw new TokenError(`algorithm "${String(header.alg).slice(0, 32)}" is not supported`);
  const usable = candidates(keys, header, (key) => key.signs && check.accepts(key));
  if (usable.length === 0) throw new TokenError('no key fits the token');
  if (!usable.some((key) => check.matches(key, token))) throw new TokenError('the signature does not match');
}

interface SignatureCheck {
  accepts(key: Key): boolean;
  matches(key: Key, token: SignedToken): boolean;
}

/** How signatures of an algorithm of RFC 7518 or RFC 8037 are checked; null if it is unknown. */
function signatureCheck(alg: string): SignatureCheck | null {
  if (alg === 'EdDSA') {
    return {
      accepts: ({ kty, curve }) => kty === 'OKP' && (curve === 'Ed25519' || curve === 'Ed448'),
      matches: ({ verifier }, { signingInput, signature }) => verify(null, signingInput, verifier, signature),
    };
  }
  const parts = /^(HS|RS|PS|ES)(256|384|512)$/.exec(alg);
  if (!parts) return null;
  const hash = `sha${parts[2]}`;
  switch (parts[1]) {
    case 'HS':
      return { accepts: ({ kty }) => kty === 'oct', matches: (key, token) => matchesHmac(key, token, hash) };
    case 'ES':
      return {
        accepts: ({ kty, curve }) => kty === 'EC' && curve === EC_CURVES[alg],
        matches: ({ verifier }, { signingInput, signature }) =>
          verify(hash, signingInput, { key: verifier, dsaEncoding: 'ieee-p1363' }, signature),
      };
    default: {
      const padding =
        parts[1] === 'RS'
          ? { padding: constants.RSA_PKCS1_PADDING }
          : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
      return {
        accepts: ({ kty }) => kty === 'RSA',
        matches: ({ verifier }, { signingInput, signature }) => verify(hash, signingInput, { key: verifier, ...padding }, signature),
      };
    }
  }
}

function matchesHmac({ verifier }: Key, { signingInput, signature }: SignedToken, hash: string): boolean {
  const expected = createHmac(hash, verifier).update(signingInput).digest();
  return expected.length === signature.length && timingSafeEqual(expected, signature);
}

/** Checks `exp` and `nbf`. @throws TokenError the token is expired or not valid yet */
export function checkTimes(claims: JsonObject, nowSeconds: number, leewaySeconds: number): void {
  for (const name of ['exp', 'nbf', 'iat']) {
    if (claims[name] !== undefined && typeof claims[name] !== 'number') throw new TokenError(`claim "${name}" is not a number`);
  }
  if (typeof claims.exp === 'number' && nowSeconds >= claims.exp + leewaySeconds) throw new TokenError('the token is expired');
  if (typeof claims.nbf === 'number' && nowSeconds < claims.nbf - leewaySeconds) throw new TokenError('the token is not valid yet');
}

/**
 * Text of a header field or claim for variables (latin1): elements of arrays separated by commas, objects as JSON. Null if it is absent.
 */
export function variableText(root: JsonObject | null, path: readonly string[]): string | null {
  let value: unknown = root;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  if (value === undefined || value === null) return null;
  const text = Array.isArray(value) ? value.map(plainText).join(',') : plainText(value);
  return Buffer.from(text, 'utf8').latin1Slice();
}

const plainText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
