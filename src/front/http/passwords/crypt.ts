// Checks passwords against crypt(3) hashes: bcrypt, SHA crypt, MD5 crypt and traditional DES. Used by the thread only: a check blocks.
import { isUtf8 } from 'node:buffer';
import { compareSync } from 'bcryptjs';
import desCrypt from 'unix-crypt-td-js';
import { md5Crypt } from './md5-crypt.ts';
import { equalBytes } from './schemes.ts';
import { shaCrypt } from './sha-crypt.ts';

/**
 * True if `stored` is a hash of `password`.
 * @param password  as sent by the client. bcryptjs accepts strings only, hence bytes that are not UTF-8 match no bcrypt hash
 * @param stored    a hash that isSlowScheme() accepts and isSignExtended() does not; a malformed one matches no password
 */
export function matchesCrypt(password: Buffer, stored: string): boolean {
  // crypt(3) would ignore everything after a NUL. RFC 7617 forbids control characters.
  if (password.includes(0)) return false;
  if (stored.startsWith('$2')) return matchesBcrypt(password, stored);
  return equalBytes(Buffer.from(hashLike(password, stored), 'latin1'), Buffer.from(stored, 'latin1'));
}

function matchesBcrypt(password: Buffer, stored: string): boolean {
  if (!isUtf8(password)) return false;
  try {
    return compareSync(password.toString('utf8'), stored.replace(/^\$2x/, '$2y'));
  } catch {
    // A malformed salt or cost.
    return false;
  }
}

function hashLike(password: Buffer, stored: string): string {
  if (stored.startsWith('$5$') || stored.startsWith('$6$')) return shaCrypt(password, stored);
  if (stored.startsWith('$')) return md5Crypt(password, stored);
  return desCrypt([...password], stored.slice(0, 2));
}
