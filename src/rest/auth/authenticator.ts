// Authenticates the sender of a request by its Authorization header: a user with a password, or an API key. Verified passwords are
// remembered for a while as a keyed hash, and only as long as the user has this password and is enabled, so that requests cost no password
// hash and changes take effect at once.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { BoundedMap } from '../../common/bounded-map.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Caller, CallerRef } from '../../security/caller.ts';
import { matchesName } from '../../security/name-pattern.ts';
import { decoyHash, verifyPassword } from '../../security/password-hash.ts';
import { LimitedPermissions, RolePermissions } from '../../security/permissions.ts';
import { type RealmSettings, Realms, type RealmUser } from '../../security/realms.ts';
import type { ApiKeyRecord, RealmRef, SecurityView } from '../../security/records.ts';
import { LoginMemory } from './login-memory.ts';
import { LoginQueue, type OnAbort } from './login-queue.ts';

const REMEMBER_MS = 20 * 60_000;
const MAX_REMEMBERED = 1000;
const MAX_CALLERS = 5000;
const MAX_CREDENTIALS_CHARS = 8192;
const MAX_NAME_CHARS = 507;
/** Order of the challenges as Elasticsearch sends them. */
const CHALLENGES = ['Basic realm="security", charset="UTF-8"', 'ApiKey'];

export interface AuthSettings extends RealmSettings {
  readonly 'security.enabled': boolean;
}

/** The parts of a request that authentication reads. */
export interface Credentials {
  readonly path: string;
  readonly remoteAddress: string;
  header(name: string): string | undefined;
}

const API_KEY_REALM: RealmRef = { name: '_es_api_key', type: '_es_api_key' };

export class Authenticator {
  readonly realms: Realms;
  readonly #isEnabled: boolean;
  readonly #logins: LoginQueue;
  /** Created with the first credentials, so that a service without users does not load cryptography. */
  #secrets: { readonly key: Buffer; readonly decoy: string } | null = null;
  /** By keyed hash of `user:password`: the password hash of the user that it was compared with. */
  readonly #right = new BoundedMap<string, { readonly passwordHash: string; readonly untilMs: number }>(MAX_REMEMBERED);
  /** Likewise wrong ones, so that a client that repeats an old password costs nothing. */
  readonly #wrong = new BoundedMap<string, string>(MAX_REMEMBERED);
  readonly #callers = new BoundedMap<
    string,
    { readonly source: RealmUser | ApiKeyRecord; readonly version: number; readonly caller: Caller }
  >(MAX_CALLERS);

  /**
   * @param logins  what the threads share of failed logins; null if there is one thread
   * @throws Error (at start) a user or role is malformed
   */
  constructor(settings: AuthSettings, records: SecurityView, logins: SharedArrayBuffer | null = null) {
    this.#logins = new LoginQueue(new LoginMemory(logins ?? undefined));
    this.realms = new Realms(settings, records);
    this.#isEnabled = settings['security.enabled'];
  }

  /** False if everything is allowed without authentication. */
  get isRequired(): boolean {
    return this.#isEnabled && this.realms.hasUsers;
  }

  /**
   * The sender; synchronous unless a password must be hashed. Null if authentication is not required.
   * @throws ApiError security_exception 401 with challenges, 403 for `es-security-runas-user`; es_rejected_execution_exception 429
   */
  authenticate(request: Credentials, onAbort?: OnAbort): Caller | null | Promise<Caller> {
    if (!this.isRequired) return null;
    const caller = this.#authenticate(request, onAbort);
    const runAs = request.header('es-security-runas-user');
    if (runAs === undefined || runAs === '') return caller;
    return caller instanceof Promise ? caller.then((found) => this.#runAs(found, runAs)) : this.#runAs(caller, runAs);
  }

  /** A caller that another thread has authenticated. @throws ApiError security_exception 401: it can log in no more */
  trusted({ user, apiKeyId }: CallerRef): Caller {
    const key = apiKeyId === null ? undefined : this.realms.records.apiKeys.get(apiKeyId);
    if (key && key.invalidationMs === null) return this.#keyCaller(key);
    const found = apiKeyId === null ? this.realms.user(user) : null;
    if (!found?.enabled) throw challengeError(NOT_AUTHENTICATED);
    return this.#userCaller(found);
  }

  #authenticate(request: Credentials, onAbort?: OnAbort): Caller | Promise<Caller> {
    const authorization = request.header('authorization');
    const [, scheme, value] = /^(\w+) +(\S+) *$/.exec((authorization ?? '').slice(0, MAX_CREDENTIALS_CHARS)) ?? [];
    switch (scheme?.toLowerCase()) {
      case 'basic':
        return this.#byPassword(request, decodeBase64(value), onAbort);
      case 'apikey':
        return this.#byApiKey(decodeBase64(value));
      case undefined:
        throw challengeError(`missing authentication credentials for REST request [${request.path}]`);
      default:
        throw challengeError(NOT_AUTHENTICATED);
    }
  }

  #byPassword(request: Credentials, credentials: string | null, onAbort?: OnAbort): Caller | Promise<Caller> {
    const colon = credentials?.indexOf(':') ?? -1;
    if (credentials === null || colon < 0) throw challengeError('failed to extract credentials from the header [Authorization]');
    const name = credentials.slice(0, colon);
    const user = this.realms.user(name);
    const refusal = () =>
      challengeError(`unable to authenticate user [${name.slice(0, MAX_NAME_CHARS)}] for REST request [${request.path}]`);
    this.#secrets ??= { key: randomBytes(32), decoy: decoyHash() };
    const { key, decoy } = this.#secrets;
    const token = createHmac('sha256', key).update(credentials).digest('base64');
    const passwordHash = user?.passwordHash ?? decoy;
    const known = this.#right.get(token);
    if (user && known?.passwordHash === passwordHash && known.untilMs > Date.now()) {
      if (!user.enabled) throw refusal();
      return this.#userCaller(user);
    }
    if (this.#wrong.get(token) === passwordHash) throw refusal();
    const password = credentials.slice(colon + 1);
    return this.#logins
      .run(
        request.remoteAddress,
        name.slice(0, MAX_NAME_CHARS),
        async () => (await verifyPassword(password, passwordHash)) && user !== null,
        onAbort,
      )
      .then((isRight) => {
        if (isRight) {
          this.#right.delete(token);
          this.#right.set(token, { passwordHash, untilMs: Date.now() + REMEMBER_MS });
        } else this.#wrong.set(token, passwordHash);
        // Reads the user again, in case of changes in the meantime.
        const current = this.realms.user(name);
        if (!isRight || current?.passwordHash !== passwordHash || !current.enabled) throw refusal();
        return this.#userCaller(current);
      });
  }

  #byApiKey(credentials: string | null): Caller {
    const colon = credentials?.indexOf(':') ?? -1;
    if (credentials === null || colon < 0) throw apiKeyError('invalid ApiKey value');
    const id = credentials.slice(0, colon);
    const key = this.realms.records.apiKeys.get(id);
    if (!key) throw apiKeyError(`unable to find apikey with id ${id.slice(0, 64)}`);
    const secretHash = Buffer.from(apiKeySecretHash(credentials.slice(colon + 1)));
    if (!timingSafeEqual(secretHash, Buffer.from(key.secretHash))) throw apiKeyError(`invalid credentials for API key [${id}]`);
    if (key.invalidationMs !== null) throw apiKeyError(`api key [${id}] has been invalidated`);
    if (key.expirationMs !== null && key.expirationMs <= Date.now()) throw apiKeyError('api key is expired');
    return this.#keyCaller(key);
  }

  #keyCaller(key: ApiKeyRecord): Caller {
    return this.#caller(`api_key ${key.id}`, key, () => apiKeyCaller(key));
  }

  #userCaller(user: RealmUser): Caller {
    return this.#caller(`user ${user.name}`, user, () => {
      const roles = this.realms.roles(user.roles);
      return {
        identity: {
          username: user.name,
          roles: [...user.roles].sort(),
          fullName: user.fullName,
          email: user.email,
          metadata: user.metadata,
          apiKey: null,
        },
        permissions: new RolePermissions(Object.values(roles)),
        realm: user.realm,
        type: 'realm',
        roles,
        limitedBy: null,
      };
    });
  }

  /** Permissions are computed again only when something has changed. */
  #caller(key: string, source: RealmUser | ApiKeyRecord, make: () => Caller): Caller {
    const { version } = this.realms;
    const known = this.#callers.get(key);
    if (known?.source === source && known.version === version) return known.caller;
    const caller = make();
    this.#callers.set(key, { source, version, caller });
    return caller;
  }

  /** @throws ApiError security_exception 403: the caller may not act as this user, or there is none */
  #runAs(caller: Caller, name: string): Caller {
    const grants = caller.limitedBy === null ? [caller.roles] : [caller.roles, caller.limitedBy];
    const isAllowed = grants.every((roles) =>
      Object.values(roles).some(({ runAs }) => runAs.some((pattern) => matchesName(pattern, name))),
    );
    const user = this.realms.user(name);
    if (isAllowed && user?.enabled) return this.#userCaller(user);
    const { username, roles } = caller.identity;
    throw new ApiError(
      'security_exception',
      403,
      `action [${RUN_AS}] is unauthorized for user [${username}] with effective roles [${roles.join(',')}], because user [${username}] is unauthorized to run as [${name.slice(0, MAX_NAME_CHARS)}]`,
      { refusal: { action: RUN_AS, indices: [], runAs: name.slice(0, MAX_NAME_CHARS) } },
    );
  }
}

function apiKeyCaller(key: ApiKeyRecord): Caller {
  const limit = new RolePermissions(Object.values(key.limitedBy));
  const own = Object.values(key.roleDescriptors);
  return {
    identity: { username: key.owner, roles: [], fullName: null, email: null, metadata: {}, apiKey: { id: key.id, name: key.name } },
    permissions: own.length === 0 ? limit : new LimitedPermissions(new RolePermissions(own), limit),
    realm: API_KEY_REALM,
    type: 'api_key',
    roles: own.length === 0 ? key.limitedBy : key.roleDescriptors,
    limitedBy: key.limitedBy,
  };
}

/** The stored hash of an API key's secret. */
export function apiKeySecretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function decodeBase64(text: string): string | null {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64').toString('utf8') : null;
}

const RUN_AS = 'cluster:admin/xpack/security/user/run_as';
const NOT_AUTHENTICATED = 'unable to authenticate with provided credentials and anonymous access is not allowed for this request';

function apiKeyError(reason: string): ApiError {
  return challengeError(NOT_AUTHENTICATED, { additional_unsuccessful_credentials: `API key: ${reason}` });
}

function challengeError(reason: string, details: Record<string, unknown> = {}): ApiError {
  return new ApiError('security_exception', 401, reason, {
    details: { ...details, header: { 'WWW-Authenticate': CHALLENGES } },
    headers: { 'www-authenticate': CHALLENGES },
  });
}
