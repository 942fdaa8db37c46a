// MD5 crypt, `$apr1$` (Apache's htpasswd) and `$1$`. Our own code because npm's apache-md5 knows only `$apr1$` and accepts only strings, not the
// bytes that a client sent.
// Source: Poul-Henning Kamp's algorithm as documented by Apache.
import { createHash } from 'node:crypto';
import { encodeCrypt } from './crypt-base64.ts';

const ROUNDS = 1000;

/** Bytes of the digest in the order in which three at a time become four characters. */
const ORDER = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]];

function md5(...parts: Uint8Array[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/**
 * Hashes a password with the salt of a stored hash.
 * @param stored  a hash that starts with `$apr1$` or `$1$`
 */
export function md5Crypt(password: Buffer, stored: string): string {
  const magic = stored.startsWith('$apr1$') ? '$apr1$' : '$1$';
  const saltString = stored.slice(magic.length).split('$', 1)[0].slice(0, 8);
  const salt = Buffer.from(saltString, 'latin1');
  const inner = md5(password, salt, password);
  const parts: Buffer[] = [password, Buffer.from(magic + saltString, 'latin1')];
  for (let left = password.length; left > 0; left -= 16) parts.push(inner.subarray(0, Math.min(16, left)));
  for (let n = password.length; n > 0; n >>= 1) parts.push(n & 1 ? Buffer.from([0]) : password.subarray(0, 1));
  let final = md5(...parts);
  for (let n = 0; n < ROUNDS; n++) {
    const round: Buffer[] = [n & 1 ? password : final];
    if (n % 3) round.push(salt);
    if (n % 7) round.push(password);
    round.push(n & 1 ? final : password);
    final = md5(...round);
  }
  return `${magic}${saltString}$${encodeCrypt(final, ORDER)}`;
}
