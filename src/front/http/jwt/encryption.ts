// Encrypted tokens (RFC 7516, algorithms of RFC 7518 sections 4 and 5) in compact form: the content key is unwrapped, then the payload decrypted.
import { constants, createDecipheriv, createHmac, type KeyObject, privateDecrypt, timingSafeEqual } from 'node:crypto';
import { candidates, type JsonObject, type Key } from './key-set.ts';
import { decodeObject, decodePart, TokenError } from './token.ts';

const ENCRYPTED_PARTS = 5;
/** Initial value of AES key wrap (RFC 3394, section 2.2.3.1). */
const KEY_WRAP_IV = Buffer.alloc(8, 0xa6);
const GCM_TAG_BYTES = 16;

interface Parts {
  readonly header: JsonObject;
  /** the header as it was sent: additional authenticated data */
  readonly aad: Buffer;
  readonly wrappedKey: Buffer;
  readonly iv: Buffer;
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

/** @returns header and payload. @throws TokenError the text is not an encrypted token, or none of the keys decrypts it */
export function decryptToken(text: string, keys: readonly Key[]): { header: JsonObject; payload: Buffer } {
  const parts = decodeEncrypted(text);
  const { header } = parts;
  if (header.crit !== undefined || header.zip !== undefined) throw new TokenError('critical parameters and compression are not supported');
  const content = typeof header.enc === 'string' ? contentCipher(header.enc) : null;
  if (!content) throw new TokenError(`encryption "${String(header.enc).slice(0, 32)}" is not supported`);
  const unwrapping = typeof header.alg === 'string' ? keyUnwrapping(header.alg) : null;
  if (!unwrapping) throw new TokenError(`algorithm "${String(header.alg).slice(0, 32)}" is not supported`);
  const usable = candidates(keys, header, (key) => key.encrypts && key.decrypter !== null && unwrapping.accepts(key));
  if (usable.length === 0) throw new TokenError('no key fits the token');
  for (const { decrypter } of usable) {
    try {
      const key = decrypter && unwrapping.unwrap(decrypter, parts);
      if (key && key.length === content.keyBytes) return { header, payload: content.decrypt(key, parts) };
    } catch {
      // A wrong key or a modified token: one error for all causes, so that it reveals nothing about the key.
    }
  }
  throw new TokenError('the token cannot be decrypted');
}

function decodeEncrypted(text: string): Parts {
  const parts = text.split('.');
  if (parts.length !== ENCRYPTED_PARTS) throw new TokenError('not an encrypted token');
  const [header, wrappedKey, iv, ciphertext, tag] = parts;
  return {
    header: decodeObject(decodePart(header, 'header'), 'header'),
    aad: Buffer.from(header, 'latin1'),
    wrappedKey: decodePart(wrappedKey, 'encrypted key'),
    iv: decodePart(iv, 'initialization vector'),
    ciphertext: decodePart(ciphertext, 'ciphertext'),
    tag: decodePart(tag, 'authentication tag'),
  };
}

interface KeyUnwrapping {
  accepts(key: Key): boolean;
  /** @throws Error the content key was not wrapped with this key */
  unwrap(key: KeyObject, parts: Parts): Buffer;
}

function keyUnwrapping(alg: string): KeyUnwrapping | null {
  if (alg === 'dir') {
    return {
      accepts: ({ kty }) => kty === 'oct',
      unwrap: (key, { wrappedKey }) => (wrappedKey.length === 0 ? key.export() : Buffer.alloc(0)),
    };
  }
  const aes = /^A(128|192|256)(GCM)?KW$/.exec(alg);
  if (aes) {
    const accepts = ({ kty, verifier }: Key): boolean => kty === 'oct' && (verifier.symmetricKeySize ?? 0) * 8 === Number(aes[1]);
    const unwrap = (key: KeyObject, { wrappedKey }: Parts): Buffer => {
      const decipher = createDecipheriv(`id-aes${aes[1]}-wrap`, key, KEY_WRAP_IV);
      return Buffer.concat([decipher.update(wrappedKey), decipher.final()]);
    };
    const unwrapGcm = (key: KeyObject, { header, wrappedKey }: Parts): Buffer => {
      if (typeof header.iv !== 'string' || typeof header.tag !== 'string') throw new TokenError('"iv" and "tag" are missing');
      return openGcm(aes[1], key, Buffer.from(header.iv, 'base64url'), wrappedKey, Buffer.from(header.tag, 'base64url'), null);
    };
    return { accepts, unwrap: aes[2] ? unwrapGcm : unwrap };
  }
  const oaep = /^RSA-OAEP(?:-(256|384|512))?$/.exec(alg);
  if (!oaep) return null;
  return {
    accepts: ({ kty }) => kty === 'RSA',
    unwrap: (key, { wrappedKey }) =>
      privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: `sha${oaep[1] ?? '1'}` }, wrappedKey),
  };
}

interface ContentCipher {
  keyBytes: number;
  /** @throws Error the authentication tag does not match */
  decrypt(key: Buffer, parts: Parts): Buffer;
}

function contentCipher(enc: string): ContentCipher | null {
  const gcm = /^A(128|192|256)GCM$/.exec(enc);
  if (gcm) {
    const decrypt = (key: Buffer, { iv, ciphertext, tag, aad }: Parts): Buffer => openGcm(gcm[1], key, iv, ciphertext, tag, aad);
    return { keyBytes: Number(gcm[1]) / 8, decrypt };
  }
  const cbc = /^A(128|192|256)CBC-HS(256|384|512)$/.exec(enc);
  if (!cbc || Number(cbc[2]) !== Number(cbc[1]) * 2) return null;
  const half = Number(cbc[1]) / 8;
  return { keyBytes: half * 2, decrypt: (key, parts) => openCbc(key.subarray(0, half), key.subarray(half), Number(cbc[2]), parts) };
}

function openGcm(bits: string, key: KeyObject | Buffer, iv: Buffer, ciphertext: Buffer, tag: Buffer, aad: Buffer | null): Buffer {
  const name = `aes-${bits}-gcm` as 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm';
  const decipher = createDecipheriv(name, key, iv, { authTagLength: GCM_TAG_BYTES });
  decipher.setAuthTag(tag);
  if (aad) decipher.setAAD(aad);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

/** AES-CBC with HMAC (RFC 7518, section 5.2.2.2). The tag is checked before anything is decrypted. */
function openCbc(macKey: Buffer, key: Buffer, hashBits: number, { aad, iv, ciphertext, tag }: Parts): Buffer {
  const aadBits = Buffer.alloc(8);
  aadBits.writeBigUInt64BE(BigInt(aad.length) * 8n);
  const mac = createHmac(`sha${hashBits}`, macKey).update(aad).update(iv).update(ciphertext).update(aadBits).digest();
  const expected = mac.subarray(0, macKey.length);
  if (expected.length !== tag.length || !timingSafeEqual(expected, tag)) throw new TokenError('the authentication tag does not match');
  const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, iv);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}
