// Private keys of accounts and certificates, and the signatures of requests to an ACME server (RFC 8555 section 6.2, RFC 7638).
import { createHash, createHmac, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

const CURVES: Readonly<Record<string, string>> = { '256': 'P-256', '384': 'P-384', '521': 'P-521' };
const RSA_BITS: ReadonlySet<string> = new Set(['2048', '3072', '4096']);

/** A key type such as `ecdsa:256`. */
export interface KeyType {
  readonly kind: 'ecdsa' | 'rsa';
  /** bits, or the name of the curve */
  readonly size: string;
}

/** @returns null if `text` is not a key type */
export function parseKeyType(text: string): KeyType | null {
  const [kind, size] = text.split(':');
  if (kind === 'ecdsa') return (size ?? '256') in CURVES ? { kind, size: CURVES[size ?? '256'] } : null;
  return kind === 'rsa' && RSA_BITS.has(size ?? '2048') ? { kind, size: size ?? '2048' } : null;
}

export async function generateKey({ kind, size }: KeyType): Promise<KeyObject> {
  if (kind === 'ecdsa') return (await promisify(generateKeyPair)('ec', { namedCurve: size })).privateKey;
  return (await promisify(generateKeyPair)('rsa', { modulusLength: Number(size) })).privateKey;
}

const encode = (data: string | Buffer): string => Buffer.from(data as string).toString('base64url');

/** Algorithm, hash and public key of an account. @throws Error the key is of another kind */
function accountOf(key: KeyObject): { alg: string; hash: string; jwk: Record<string, string | undefined> } {
  const { kty, crv, x, y, n, e } = createPublicKey(key).export({ format: 'jwk' });
  if (kty === 'RSA') return { alg: 'RS256', hash: 'sha256', jwk: { e, kty, n } };
  const bits = kty === 'EC' ? /^P-(256|384|521)$/.exec(crv ?? '')?.[1] : undefined;
  if (bits === undefined) throw new Error('the account key is neither RSA nor on a NIST curve');
  const size = bits === '521' ? '512' : bits;
  return { alg: `ES${size}`, hash: `sha${size}`, jwk: { crv, kty, x, y } };
}

/** RFC 7638: the members of the key in alphabetical order, without spaces. */
export const thumbprint = (key: KeyObject): string =>
  createHash('sha256')
    .update(JSON.stringify(accountOf(key).jwk))
    .digest('base64url');

/** A request as flattened JWS. @param kid  URL of the account, null to name the key itself @param payload  JSON, '' for POST-as-GET */
export function signedRequest(key: KeyObject, kid: string | null, url: string, nonce: string, payload: string): string {
  const { alg, hash, jwk } = accountOf(key);
  const header = encode(JSON.stringify({ alg, ...(kid === null ? { jwk } : { kid }), nonce, url }));
  const body = encode(payload);
  const signature = sign(hash, Buffer.from(`${header}.${body}`), { key, dsaEncoding: 'ieee-p1363' });
  return JSON.stringify({ protected: header, payload: body, signature: encode(signature) });
}

/** Binds a new account to an existing account at the server's operator (RFC 8555, section 7.3.4). */
export function externalBinding(key: KeyObject, kid: string, macKey: Buffer, url: string): object {
  const header = encode(JSON.stringify({ alg: 'HS256', kid, url }));
  const body = encode(JSON.stringify(accountOf(key).jwk));
  return { protected: header, payload: body, signature: createHmac('sha256', macKey).update(`${header}.${body}`).digest('base64url') };
}
