// JSON Web Key Sets (RFC 7517): which keys a token may be verified or decrypted with.
import { createPrivateKey, createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto';

/** Maximum number of keys in a set, since each may be tried for a token. */
const MAX_KEYS = 256;
const KEY_TYPES: ReadonlySet<unknown> = new Set(['oct', 'RSA', 'EC', 'OKP']);

export type JsonObject = Readonly<Record<string, unknown>>;

/** One key of a set. */
export interface Key {
  readonly kty: string;
  /** of EC and OKP keys, '' otherwise */
  readonly curve: string;
  readonly kid: string | null;
  /** the only algorithm that it may be used with */
  readonly alg: string | null;
  readonly signs: boolean;
  readonly encrypts: boolean;
  /** secret, or public key */
  readonly verifier: KeyObject;
  /** secret, or private key; null for a public key */
  readonly decrypter: KeyObject | null;
}

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** @throws Error the text is not a key set, or one of its keys is malformed. Keys of unknown types are skipped, as RFC 7517 demands. */
export function parseKeySet(text: string): Key[] {
  const set: unknown = JSON.parse(text);
  if (!isObject(set) || !Array.isArray(set.keys)) throw new Error('"keys" is not an array');
  if (set.keys.length > MAX_KEYS) throw new Error(`more than ${MAX_KEYS} keys`);
  return set.keys.flatMap((jwk: unknown) => {
    if (!isObject(jwk) || typeof jwk.kty !== 'string') throw new Error('a key without "kty"');
    return KEY_TYPES.has(jwk.kty) ? [toKey(jwk, jwk.kty)] : [];
  });
}

function toKey(jwk: JsonObject, kty: string): Key {
  const operations = Array.isArray(jwk.key_ops) ? jwk.key_ops : null;
  const usedFor = (use: string, ...names: string[]): boolean =>
    (jwk.use === undefined || jwk.use === use) && (operations === null || names.some((name) => operations.includes(name)));
  return {
    kty,
    curve: textOrNull(jwk.crv) ?? '',
    kid: textOrNull(jwk.kid),
    alg: textOrNull(jwk.alg),
    signs: usedFor('sig', 'verify', 'sign'),
    encrypts: usedFor('enc', 'decrypt', 'unwrapKey', 'encrypt', 'wrapKey', 'deriveKey', 'deriveBits'),
    ...keyObjects(jwk, kty),
  };
}

function keyObjects(jwk: JsonObject, kty: string): Pick<Key, 'verifier' | 'decrypter'> {
  if (kty === 'oct') {
    if (typeof jwk.k !== 'string' || jwk.k === '') throw new Error('a key of type "oct" without "k"');
    const secret = createSecretKey(Buffer.from(jwk.k, 'base64url'));
    return { verifier: secret, decrypter: secret };
  }
  const input = { key: jwk as JsonWebKey, format: 'jwk' as const };
  if (typeof jwk.d !== 'string') return { verifier: createPublicKey(input), decrypter: null };
  const decrypter = createPrivateKey(input);
  return { verifier: createPublicKey(decrypter), decrypter };
}

/** The keys that may have signed or encrypted a token with this header: those with its `kid`, and those without one. */
export function candidates(keys: readonly Key[], header: JsonObject, accepts: (key: Key) => boolean): Key[] {
  const usable = keys.filter((key) => (key.alg === null || key.alg === header.alg) && accepts(key));
  return typeof header.kid === 'string' ? usable.filter(({ kid }) => kid === null || kid === header.kid) : usable;
}
