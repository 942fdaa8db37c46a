// Schemes of password hashes in htpasswd files, and those that are checked at once because a check costs microseconds.
import { createHash, timingSafeEqual } from 'node:crypto';

const SLOW = /^(?:\$apr1\$|\$1\$|\$5\$|\$6\$|\$2[abxy]\$)|^[./0-9A-Za-z]{13}$/;

/** Schemes of libxcrypt for which there is no library; crypt(5) has the list. */
const UNSUPPORTED: ReadonlyArray<readonly [prefix: string, name: string]> = [
  ['$y$', 'yescrypt'],
  ['$gy$', 'gost-yescrypt'],
  ['$7$', 'scrypt'],
  ['$sha1', 'SHA-1 crypt'],
  ['$md5', 'Sun MD5'],
  ['$3$', 'NT'],
  ['_', 'extended DES'],
];

/** True for crypt(3) hashes, which take milliseconds to seconds to check: PasswordChecker does it. */
export const isSlowScheme = (stored: string): boolean => SLOW.test(stored);

/** Why a hash cannot be checked, for the log. Reveals only the scheme of the hash. */
export function describeScheme(stored: string): string {
  if (stored.startsWith('$2x$')) return 'bcrypt as $2x$ of a password with characters beyond ASCII';
  const known = UNSUPPORTED.find(([prefix]) => stored.startsWith(prefix));
  return known ? `${known[1]} (${known[0]})` : 'no known scheme';
}

/** `$2x$` marks hashes of an old implementation, which extended the sign of bytes above 127. Those of other passwords equal `$2y$`. */
export const isSignExtended = (password: Uint8Array, stored: string): boolean =>
  stored.startsWith('$2x$') && password.some((byte) => byte > 127);

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

/** Checks `{PLAIN}`, `{SHA}` and `{SSHA}`. @returns null for any other scheme */
export function matchesFastScheme(password: Buffer, stored: string): boolean | null {
  if (stored.startsWith('{PLAIN}')) return equalBytes(password, Buffer.from(stored.slice(7), 'latin1'));
  if (stored.startsWith('{SHA}')) return equalBytes(createHash('sha1').update(password).digest(), Buffer.from(stored.slice(5), 'base64'));
  if (stored.startsWith('{SSHA}')) {
    const data = Buffer.from(stored.slice(6), 'base64');
    if (data.length < 20) return false;
    const digest = createHash('sha1').update(password).update(data.subarray(20)).digest();
    return equalBytes(digest, data.subarray(0, 20));
  }
  return null;
}
