// Basic authentication. Passwords are stored as `scrypt:N:r:p:SALT:HASH` (base64). Verified credentials are remembered for a while as a keyed hash,
// so that scrypt does not run for every request.
import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { BoundedMap } from '../../common/bounded-map.ts';
import { ApiError } from '../../errors/api-error.ts';
import { rejectedExecutionError } from '../../errors/catalog.ts';
import { Access, FULL_ACCESS, parseRoles, type Role } from './access.ts';

const SCRYPT = { N: 16_384, r: 8, p: 1 };
const HASH_BYTES = 32;
const REMEMBER_MS = 5 * 60_000;
const MAX_REMEMBERED = 1000;
/** Concurrent password checks. More are rejected with a 429, so that a flood of wrong passwords cannot occupy the thread pool. */
const MAX_CHECKS = 16;

interface PasswordHash {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

interface User {
  readonly name: string;
  readonly password: PasswordHash;
  readonly roles: readonly Role[];
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await runScrypt(password, { ...SCRYPT, salt, hash: Buffer.alloc(HASH_BYTES) });
  return `scrypt:${SCRYPT.N}:${SCRYPT.r}:${SCRYPT.p}:${salt.toString('base64')}:${hash.toString('base64')}`;
}

/** @throws Error the form is different, or parameters are out of range */
function parsePasswordHash(text: unknown): PasswordHash {
  const match = /^scrypt:(\d+):(\d+):(\d+):([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)$/.exec(String(text));
  if (!match) throw new Error('password_hash must be made by `gannet password`');
  const [N, r, p] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (N < 1024 || N > 2 ** 20 || (N & (N - 1)) !== 0 || r < 1 || r > 32 || p < 1 || p > 16)
    throw new Error('password_hash has parameters out of bounds');
  return { N, r, p, salt: Buffer.from(match[4], 'base64'), hash: Buffer.from(match[5], 'base64') };
}

function runScrypt(password: string, form: PasswordHash): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: form.N, r: form.r, p: form.p, maxmem: 256 * form.N * form.r };
    scrypt(password, form.salt, form.hash.length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

export class BasicAuth {
  readonly #users = new Map<string, User>();
  readonly #realm: string;
  readonly #isEnabled: boolean;
  /** Created with the first credentials, so that a service without users does not load cryptography. */
  #secrets: { readonly key: Buffer; readonly decoy: PasswordHash } | null = null;
  /** By keyed hash of `user:password`: the user's rights and when the entry expires. */
  readonly #remembered = new BoundedMap<string, { access: Access; untilMs: number }>(MAX_REMEMBERED);
  #checks = 0;

  /** @throws Error (start-up) a user or role is malformed */
  constructor(settings: {
    'security.enabled': boolean;
    'security.users': Readonly<Record<string, unknown>>;
    'security.roles': Readonly<Record<string, unknown>>;
    'cluster.name': string;
  }) {
    this.#realm = settings['cluster.name'].replaceAll(/["\\\r\n]/g, '');
    this.#isEnabled = settings['security.enabled'];
    const roles = parseRoles(settings['security.roles']);
    for (const [name, value] of Object.entries(settings['security.users'])) {
      const user = value as { password_hash?: unknown; roles?: unknown } | null;
      if (typeof user !== 'object' || user === null) throw new Error(`security.users: ${name}: must be a map`);
      if (name.includes(':')) throw new Error(`security.users: ${name}: a name may not hold a colon`);
      if (!Array.isArray(user.roles)) throw new Error(`security.users: ${name}: roles: must be a list`);
      const userRoles = user.roles.map((role) => {
        const found = roles.get(String(role));
        if (!found) throw new Error(`security.users: ${name}: no role [${String(role)}]`);
        return found;
      });
      try {
        this.#users.set(name, { name, password: parsePasswordHash(user.password_hash), roles: userRoles });
      } catch (error) {
        throw new Error(`security.users: ${name}: ${(error as Error).message}`);
      }
    }
  }

  /** The key for hashes of credentials, and a decoy hash that is checked for unknown users so that they take as long as known ones. */
  get #keyAndDecoy(): { readonly key: Buffer; readonly decoy: PasswordHash } {
    this.#secrets ??= { key: randomBytes(32), decoy: { ...SCRYPT, salt: randomBytes(16), hash: randomBytes(HASH_BYTES) } };
    return this.#secrets;
  }

  get isEnabled(): boolean {
    return this.#isEnabled && this.#users.size > 0;
  }

  /** The user's rights; synchronous if the credentials are remembered. @throws ApiError security_exception 401 with a challenge; 429 */
  authenticate(authorization: string | undefined): Access | Promise<Access> {
    if (!this.isEnabled) return FULL_ACCESS;
    const encoded = authorization === undefined ? null : /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization);
    if (!encoded) throw this.#challenge('missing authentication credentials for REST request');
    const credentials = Buffer.from(encoded[1], 'base64').toString('utf8');
    const token = createHmac('sha256', this.#keyAndDecoy.key).update(credentials).digest('base64');
    const known = this.#remembered.get(token);
    if (known && known.untilMs > Date.now()) return known.access;
    return this.#check(credentials, token);
  }

  async #check(credentials: string, token: string): Promise<Access> {
    const colon = credentials.indexOf(':');
    const name = colon < 0 ? credentials : credentials.slice(0, colon);
    const user = this.#users.get(name);
    if (this.#checks >= MAX_CHECKS) throw rejectedExecutionError('too many authentications at once');
    const form = user?.password ?? this.#keyAndDecoy.decoy;
    this.#checks++;
    let isRight: boolean;
    try {
      isRight = timingSafeEqual(await runScrypt(credentials.slice(colon + 1), form), form.hash);
    } finally {
      this.#checks--;
    }
    if (!user || !isRight || colon < 0) throw this.#challenge(`unable to authenticate user [${name.slice(0, 64)}] for REST request`);
    const access = new Access(user.name, user.roles);
    this.#remembered.set(token, { access, untilMs: Date.now() + REMEMBER_MS });
    return access;
  }

  #challenge(reason: string): ApiError {
    return new ApiError('security_exception', 401, reason, {
      headers: { 'www-authenticate': `Basic realm="${this.#realm}", charset="UTF-8"` },
    });
  }
}
