// SHA crypt, `$5$` (SHA-256) and `$6$` (SHA-512). Our own code because npm's unixcrypt 3.0.4 computes wrong hashes of passwords whose length is a
// multiple of the digest's (32 or 64 bytes) and allocates an array of as many elements as the hash demands rounds; sha512crypt-node has no `$5$`.
// Source: Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512", version 0.6; the numbers of steps are the specification's.
import { createHash } from 'node:crypto';
import { encodeCrypt } from './crypt-base64.ts';

const DEFAULT_ROUNDS = 5000;
const MIN_ROUNDS = 1000;
const MAX_ROUNDS = 999_999_999;
const MAX_SALT = 16;

/** Groups of three bytes rotate through the digest's thirds: (0, n, 2n), then each index plus `step` modulo 3n. */
function rotatingOrder(third: number, step: number, rest: readonly number[]): number[][] {
  const size = 3 * third;
  let group = [0, third, 2 * third];
  const order: number[][] = [];
  for (let n = 0; n < third; n++) {
    order.push(group);
    group = group.map((index) => (index + step) % size);
  }
  return [...order, [...rest]];
}

const SCHEMES = {
  $5$: { algorithm: 'sha256', digestBytes: 32, order: rotatingOrder(10, 21, [31, 30]) },
  $6$: { algorithm: 'sha512', digestBytes: 64, order: rotatingOrder(21, 22, [63]) },
};

interface Parameters {
  readonly rounds: number;
  /** The rounds are part of the hash. */
  readonly explicit: boolean;
  readonly salt: string;
}

function parametersOf(settings: string): Parameters {
  const rounds = /^rounds=(\d+)\$/.exec(settings);
  const salt = (rounds ? settings.slice(rounds[0].length) : settings).split('$', 1)[0].slice(0, MAX_SALT);
  if (!rounds) return { rounds: DEFAULT_ROUNDS, explicit: false, salt };
  return { rounds: Math.min(Math.max(Number(rounds[1]), MIN_ROUNDS), MAX_ROUNDS), explicit: true, salt };
}

/** The first `length` bytes of endless repetitions of `digest`. */
function repeated(digest: Buffer, length: number): Buffer {
  return Buffer.alloc(length, digest);
}

/**
 * Hashes a password with the rounds and the salt of a stored hash.
 * @param stored  a hash that starts with `$5$` or `$6$`
 */
export function shaCrypt(password: Buffer, stored: string): string {
  const magic = stored.startsWith('$5$') ? '$5$' : '$6$';
  const { algorithm, order } = SCHEMES[magic];
  const { rounds, explicit, salt: saltString } = parametersOf(stored.slice(magic.length));
  const salt = Buffer.from(saltString, 'latin1');
  const hash = (...parts: Buffer[]): Buffer => {
    const state = createHash(algorithm);
    for (const part of parts) state.update(part);
    return state.digest();
  };
  // Steps 1 to 12.
  const digestB = hash(password, salt, password);
  const parts = [password, salt, repeated(digestB, password.length)];
  for (let n = password.length; n > 0; n >>= 1) parts.push(n & 1 ? digestB : password);
  let digest = hash(...parts);
  // Steps 13 to 20. The hash of `password.length` copies of the password: at most 8 KB of header, hence 64 MB hashed.
  const stateP = createHash(algorithm);
  for (let n = 0; n < password.length; n++) stateP.update(password);
  const p = repeated(stateP.digest(), password.length);
  const s = repeated(hash(Buffer.alloc((16 + digest[0]) * salt.length, salt)), salt.length);
  // Step 21.
  for (let n = 0; n < rounds; n++) {
    const state = createHash(algorithm).update(n & 1 ? p : digest);
    if (n % 3) state.update(s);
    if (n % 7) state.update(p);
    digest = state.update(n & 1 ? digest : p).digest();
  }
  return `${magic}${explicit ? `rounds=${rounds}$` : ''}${saltString}$${encodeCrypt(digest, order)}`;
}
