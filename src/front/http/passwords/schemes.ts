// Schemes of password hashes in htpasswd files, and those that are checked at once because a check costs microseconds.
import { createHash, timingSafeEqual } from 'node:crypto';

const SLOW = /^(?:\$apr1\$|\$1\$|\$5\$|\$6\$|\$2[aby]\$)|^[./0-9A-Za-z]{13}$/;

/** True for crypt(3) hashes, which take milliseconds to seconds to check: PasswordChecker does it. */
export const isSlowScheme = (stored: string): boolean => SLOW.test(stored);

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
