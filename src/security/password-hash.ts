// Password hashes: `scrypt:N:r:p:SALT:HASH` (base64). Hashing runs in the thread pool of Node, never on an event loop.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { rejectedExecutionError } from '../errors/catalog.ts';

const SCRYPT = { N: 16_384, r: 8, p: 1 };
const HASH_BYTES = 32;

interface PasswordHash {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Hash of a password [50 ms of CPU time]. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await runScrypt(password, { ...SCRYPT, salt, hash: Buffer.alloc(HASH_BYTES) });
  return `scrypt:${SCRYPT.N}:${SCRYPT.r}:${SCRYPT.p}:${salt.toString('base64')}:${hash.toString('base64')}`;
}

/** Hashes new passwords one after another, since each occupies a thread of Node's pool: everybody may change the own password at any rate. */
export class HashQueue {
  readonly #maxWaiting: number;
  #waiting = 0;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /** @throws ApiError es_rejected_execution_exception (429): too many wait */
  hash(password: string): Promise<string> {
    if (this.#waiting >= this.#maxWaiting) throw rejectedExecutionError('too many passwords are being set at once');
    this.#waiting++;
    const hashed = this.#tail.then(() => hashPassword(password)).finally(() => this.#waiting--);
    this.#tail = hashed.catch(() => undefined);
    return hashed;
  }
}

/** A hash that no password has, which takes as long to check as a real one: for unknown users. */
export function decoyHash(): string {
  return `scrypt:${SCRYPT.N}:${SCRYPT.r}:${SCRYPT.p}:${randomBytes(16).toString('base64')}:${randomBytes(HASH_BYTES).toString('base64')}`;
}

/** @throws Error the hash is malformed */
export async function verifyPassword(password: string, text: string): Promise<boolean> {
  const form = parsePasswordHash(text);
  return timingSafeEqual(await runScrypt(password, form), form.hash);
}

/** @throws Error the form is different, or parameters are out of range */
export function parsePasswordHash(text: unknown): PasswordHash {
  const match = /^scrypt:(\d{1,7}):(\d{1,2}):(\d{1,2}):([A-Za-z0-9+/=]{8,128}):([A-Za-z0-9+/=]{20,128})$/.exec(String(text));
  if (!match) throw new Error('password_hash must be made by `gannet password`');
  const [N, r, p] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (N < 1024 || N > 2 ** 17 || (N & (N - 1)) !== 0 || r < 1 || r > 32 || p < 1 || p > 16 || N * r * p > 2 ** 21)
    throw new Error('password_hash has parameters out of bounds');
  const hash = Buffer.from(match[5], 'base64');
  if (hash.length < 16) throw new Error('password_hash is too short');
  return { N, r, p, salt: Buffer.from(match[4], 'base64'), hash };
}

function runScrypt(password: string, form: PasswordHash): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: form.N, r: form.r, p: form.p, maxmem: 256 * form.N * form.r };
    scrypt(password, form.salt, form.hash.length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
