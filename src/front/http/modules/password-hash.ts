/** Hashes of htpasswd files: Apache's and the classic MD5 crypt, DES, SHA-2 and bcrypt by the system's crypt(3) through perl. */
import { spawnSync } from 'node:child_process';
import { createHash, timingSafeEqual } from 'node:crypto';

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** MD5 crypt, `$apr1$` or `$1$`. Source: Poul-Henning Kamp's algorithm as documented by Apache. */
export function apr1(passwordText: string, stored: string): string {
  const magic = stored.startsWith('$apr1$') ? '$apr1$' : '$1$';
  const salt = stored.slice(magic.length).split('$', 1)[0].slice(0, 8);
  const password = Buffer.from(passwordText, 'latin1');
  const md5 = (...parts: (Buffer | string)[]) => {
    const hash = createHash('md5');
    for (const part of parts) hash.update(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    return hash.digest();
  };
  const inner = md5(password, salt, password);
  const parts: Buffer[] = [password, Buffer.from(magic + salt, 'latin1')];
  for (let left = password.length; left > 0; left -= 16) parts.push(inner.subarray(0, Math.min(16, left)));
  for (let n = password.length; n > 0; n >>= 1) parts.push(n & 1 ? Buffer.from([0]) : password.subarray(0, 1));
  let final = md5(...parts);
  for (let n = 0; n < 1000; n++) {
    const round: (Buffer | string)[] = [n & 1 ? password : final];
    if (n % 3) round.push(salt);
    if (n % 7) round.push(password);
    round.push(n & 1 ? final : password);
    final = md5(...round);
  }
  let out = '';
  const put = (value: number, count: number) => {
    for (let n = 0; n < count; n++) {
      out += ALPHABET[value & 63];
      value >>= 6;
    }
  };
  for (const [a, b, c] of [
    [0, 6, 12],
    [1, 7, 13],
    [2, 8, 14],
    [3, 9, 15],
    [4, 10, 5],
  ]) {
    put((final[a] << 16) | (final[b] << 8) | final[c], 4);
  }
  put(final[11], 2);
  return `${magic}${salt}$${out}`;
}

/** Schemes that only the system's crypt(3) knows. */
export const cryptAvailable = (stored: string): boolean => /^(\$2[abxy]?\$|\$5\$|\$6\$|\$y\$|_|[./0-9A-Za-z]{13}$)/.test(stored);

const verified = new Map<string, boolean>();

/** Asks crypt(3) by way of perl, which every Debian has; results are remembered, as the call costs milliseconds. */
export function verifyCrypt(password: string, stored: string): boolean | 'unsupported' {
  const key = createHash('sha256').update(`${password}\0${stored}`).digest('hex');
  const known = verified.get(key);
  if (known !== undefined) return known;
  const run = spawnSync('perl', ['-e', 'local $/; my ($p, $s) = split /\\0/, <STDIN>; print crypt($p, $s)'], {
    input: `${password}\0${stored}`,
    encoding: 'latin1',
    timeout: 5000,
  });
  if (run.status !== 0 || run.stdout === '') return 'unsupported';
  const got = Buffer.from(run.stdout, 'latin1');
  const want = Buffer.from(stored, 'latin1');
  const ok = got.length === want.length && timingSafeEqual(got, want);
  verified.set(key, ok);
  if (verified.size > 1000) verified.delete(verified.keys().next().value!);
  return ok;
}
