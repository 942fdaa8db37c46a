// Password hashes: `scrypt:N:r:p:SALT:HASH` (base64), which Gannet makes, and those of Elasticsearch, which it also checks, so that users can be moved:
// `$2a$10$...` (bcrypt), `{PBKDF2}ITERATIONS$SALT$HASH` and `{PBKDF2_STRETCH}...`, whose password is hashed with SHA-512 first.
// Hashing runs in the thread pool of Node or in a thread of its own, never on an event loop.
import { createHash, pbkdf2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { rejectedExecutionError } from '../errors/catalog.ts';
import { BCRYPT_HASH, verifyBcrypt } from './bcrypt-thread.ts';

const SCRYPT = { N: 16_384, r: 8, p: 1 };
const HASH_BYTES = 32;
/** Largest cost factor that Elasticsearch makes. */
const MAX_BCRYPT_COST = 14;
/** As Elasticsearch's. */
const MAX_ITERATIONS = 1_000_000;
const MIN_SALT_BYTES = 8;

interface ScryptHash {
  readonly kind: 'scrypt';
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

interface Pbkdf2Hash {
  readonly kind: 'pbkdf2';
  /** Whether the password's SHA-512 in hexadecimal digits takes its place. */
  readonly isStretched: boolean;
  readonly iterations: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

type PasswordHash = ScryptHash | Pbkdf2Hash | { readonly kind: 'bcrypt' };

/** Hash of a password [50 ms of CPU time]. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await runScrypt(password, { kind: 'scrypt', ...SCRYPT, salt, hash: Buffer.alloc(HASH_BYTES) });
  return `scrypt:${SCRYPT.N}:${SCRYPT.r}:${SCRYPT.p}:${salt.toString('base64')}:${hash.toString('base64')}`;
}

/**
 * Hashes new passwords one after another, since each occupies a thread of Node's pool, and all users may change their own passwords at any
 * rate.
 */
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
  if (form.kind === 'bcrypt') return verifyBcrypt(password, text);
  const hash = form.kind === 'scrypt' ? await runScrypt(password, form) : await runPbkdf2(password, form);
  return timingSafeEqual(hash, form.hash);
}

/** @throws Error the form is different, or parameters are out of range */
export function parsePasswordHash(text: unknown): PasswordHash {
  const hash = String(text);
  if (hash.startsWith('scrypt:')) return parseScrypt(hash);
  if (hash.startsWith('{PBKDF2')) return parsePbkdf2(hash);
  const cost = BCRYPT_HASH.exec(hash)?.[1];
  if (cost === undefined)
    throw new Error('password_hash must be made by `gannet password`, or be a bcrypt or PBKDF2 hash of Elasticsearch');
  if (Number(cost) < 4 || Number(cost) > MAX_BCRYPT_COST) throw outOfBoundsError();
  return { kind: 'bcrypt' };
}

function outOfBoundsError(): Error {
  return new Error('password_hash has parameters out of bounds');
}

function parseScrypt(text: string): ScryptHash {
  const match = /^scrypt:(\d{1,7}):(\d{1,2}):(\d{1,2}):([A-Za-z0-9+/=]{8,128}):([A-Za-z0-9+/=]{20,128})$/.exec(text);
  if (!match) throw new Error('password_hash must be made by `gannet password`');
  const [N, r, p] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (N < 1024 || N > 2 ** 17 || (N & (N - 1)) !== 0 || r < 1 || r > 32 || p < 1 || p > 16 || N * r * p > 2 ** 21) throw outOfBoundsError();
  const hash = Buffer.from(match[5], 'base64');
  if (hash.length < 16) throw new Error('password_hash is too short');
  return { kind: 'scrypt', N, r, p, salt: Buffer.from(match[4], 'base64'), hash };
}

function parsePbkdf2(text: string): Pbkdf2Hash {
  const match = /^\{PBKDF2(_STRETCH)?\}(\d{1,7})\$([A-Za-z0-9+/=]{8,128})\$([A-Za-z0-9+/=]{20,128})$/.exec(text);
  if (!match) throw new Error('password_hash is not a PBKDF2 hash of Elasticsearch');
  const iterations = Number(match[2]);
  const [salt, hash] = [Buffer.from(match[3], 'base64'), Buffer.from(match[4], 'base64')];
  if (iterations < 1000 || iterations > MAX_ITERATIONS || salt.length < MIN_SALT_BYTES) throw outOfBoundsError();
  if (hash.length < 16 || hash.length % 16 !== 0) throw new Error('password_hash has a wrong length');
  return { kind: 'pbkdf2', isStretched: match[1] !== undefined, iterations, salt, hash };
}

function runScrypt(password: string, form: ScryptHash): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: form.N, r: form.r, p: form.p, maxmem: 256 * form.N * form.r };
    scrypt(password, form.salt, form.hash.length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function runPbkdf2(password: string, { isStretched, iterations, salt, hash }: Pbkdf2Hash): Promise<Buffer> {
  const text = isStretched ? createHash('sha512').update(password).digest('hex') : password;
  return new Promise((resolve, reject) => {
    pbkdf2(text, salt, iterations, hash.length, 'sha512', (error, key) => (error ? reject(error) : resolve(key)));
  });
}
