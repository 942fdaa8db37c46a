/** Makes JSON Web Tokens and key sets for tests, with node:crypto only. */
import { constants, createCipheriv, createHmac, generateKeyPairSync, type KeyObject, publicEncrypt, randomBytes, sign } from 'node:crypto';

type Fields = Record<string, unknown>;

const encode = (value: string | Buffer): string => Buffer.from(value as string).toString('base64url');

/** A token in JWS compact form. `secret` is the key of an HMAC, `key` a private key. */
export function signToken(header: Fields & { alg: string }, claims: Fields | string, key: KeyObject | string): string {
  const input = `${encode(JSON.stringify(header))}.${encode(typeof claims === 'string' ? claims : JSON.stringify(claims))}`;
  const hash = `sha${header.alg.slice(-3)}`;
  const data = Buffer.from(input);
  if (typeof key === 'string') return `${input}.${createHmac(hash, key).update(data).digest('base64url')}`;
  if (header.alg === 'EdDSA') return `${input}.${sign(null, data, key).toString('base64url')}`;
  if (header.alg.startsWith('ES')) return `${input}.${sign(hash, data, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  const padding = header.alg.startsWith('PS')
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {};
  return `${input}.${sign(hash, data, { key, ...padding }).toString('base64url')}`;
}

/** A token in JWE compact form. `key` is the secret of `dir` and of A*KW and A*GCMKW, or the public key of RSA-OAEP. */
export function encryptToken(header: Fields & { alg: string; enc: string }, payload: string, key: KeyObject | Buffer): string {
  const gcm = /^A(\d+)GCM$/.exec(header.enc);
  const bits = Number(/\d+/.exec(header.enc)![0]);
  const contentKey = header.alg === 'dir' ? (key as Buffer) : randomBytes((gcm ? bits : bits * 2) / 8);
  const fields: Fields = { ...header };
  const wrapped = wrapKey(fields, contentKey, key);
  const protectedHeader = encode(JSON.stringify(fields));
  const aad = Buffer.from(protectedHeader);
  const iv = randomBytes(gcm ? 12 : 16);
  const [text, tag] = gcm ? sealGcm(bits, contentKey, iv, aad, payload) : sealCbc(bits, contentKey, iv, aad, payload);
  return [protectedHeader, encode(wrapped), encode(iv), encode(text), encode(tag)].join('.');
}

function sealGcm(bits: number, key: Buffer, iv: Buffer, aad: Buffer, payload: string): [text: Buffer, tag: Buffer] {
  const cipher = createCipheriv(`aes-${bits}-gcm` as 'aes-128-gcm', key, iv);
  cipher.setAAD(aad);
  return [Buffer.concat([cipher.update(payload), cipher.final()]), cipher.getAuthTag()];
}

function sealCbc(bits: number, key: Buffer, iv: Buffer, aad: Buffer, payload: string): [text: Buffer, tag: Buffer] {
  const half = bits / 8;
  const cipher = createCipheriv(`aes-${bits}-cbc`, key.subarray(half), iv);
  const text = Buffer.concat([cipher.update(payload), cipher.final()]);
  const length = Buffer.alloc(8);
  length.writeUInt32BE(aad.length * 8, 4);
  const mac = createHmac(`sha${bits * 2}`, key.subarray(0, half)).update(Buffer.concat([aad, iv, text, length]));
  return [text, mac.digest().subarray(0, half)];
}

function wrapKey(header: Fields, contentKey: Buffer, key: KeyObject | Buffer): Buffer {
  const alg = String(header.alg);
  if (alg === 'dir') return Buffer.alloc(0);
  if (alg.startsWith('RSA-OAEP')) {
    const oaepHash = `sha${/\d+$/.exec(alg)?.[0] ?? '1'}`;
    return publicEncrypt({ key: key as KeyObject, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, contentKey);
  }
  const bits = /\d+/.exec(alg)![0];
  if (alg.endsWith('GCMKW')) {
    const iv = randomBytes(12);
    const cipher = createCipheriv(`aes-${bits}-gcm` as 'aes-128-gcm', key as Buffer, iv);
    const wrapped = Buffer.concat([cipher.update(contentKey), cipher.final()]);
    Object.assign(header, { iv: encode(iv), tag: encode(cipher.getAuthTag()) });
    return wrapped;
  }
  const cipher = createCipheriv(`id-aes${bits}-wrap`, key as Buffer, Buffer.alloc(8, 0xa6));
  return Buffer.concat([cipher.update(contentKey), cipher.final()]);
}

/** A key of a set from a secret. */
export const secretJwk = (secret: string | Buffer, more: Fields = {}): Fields => ({ kty: 'oct', k: encode(secret), ...more });
/** A key of a set from a key object. */
export const jwkOf = (key: KeyObject, more: Fields = {}): Fields => ({ ...key.export({ format: 'jwk' }), ...more });
export const keySet = (...keys: Fields[]): string => JSON.stringify({ keys });

interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

const MAKERS = {
  RSA: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};
const made = new Map<string, [KeyPair, KeyPair]>();

/** Two key pairs that tokens of an algorithm are signed with; always the same ones, since RSA keys take long to make. */
export function keyPairs(alg: string): [KeyPair, KeyPair] {
  const kind = (alg in MAKERS ? alg : 'RSA') as keyof typeof MAKERS;
  let pairs = made.get(kind);
  if (!pairs) made.set(kind, (pairs = [MAKERS[kind](), MAKERS[kind]()]));
  return pairs;
}
