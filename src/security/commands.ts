// Changes of users, roles and API keys, as pure functions: records and arguments in, changes and reply out. Main runs one after another, so what
// they check still holds when their changes are stored. Callers have checked the form of the arguments.
import { writeJson } from '../common/json/json-write.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import type { ApiKeyRecord, RecordKind, SecurityChange, SecurityView, UserRecord } from './records.ts';
import type { RoleDescriptor } from './role.ts';

/** Limits that keep the copy in each thread small. */
const MAX_RECORDS: Readonly<Record<RecordKind, number>> = { user: 10_000, role: 10_000, apiKey: 20_000 };
const MAX_RECORD_CHARS = 64 * 1024;
/** Invalidated and expired API keys stay visible for so long. */
const API_KEY_RETENTION_MS = 7 * 24 * 3600_000;
export const SUPERUSER = 'superuser';

export interface SecurityEnvironment {
  readonly nowMs: number;
  /** The settings have a user with the role `superuser`. */
  readonly hasFileSuperuser: boolean;
}

export interface SecurityOutcome<Reply> {
  readonly changes: readonly SecurityChange[];
  readonly reply: Reply;
}

type SecurityCommand<Args, Reply> = (records: SecurityView, args: Args, env: SecurityEnvironment) => SecurityOutcome<Reply>;

/** `passwordHash` null keeps the password of an existing user. @throws ApiError validation_exception: a new user has none */
const putUser: SecurityCommand<
  Omit<UserRecord, 'passwordHash'> & { readonly passwordHash: string | null },
  { readonly created: boolean }
> = (records, args, env) => {
  const earlier = records.users.get(args.name);
  const passwordHash = args.passwordHash ?? earlier?.passwordHash ?? null;
  if (passwordHash === null) throw validationError('password must be specified unless you are updating an existing user');
  const user: UserRecord = { ...args, passwordHash };
  requireSuperuser(records, args.name, user, env);
  return { changes: [changed(records, 'user', args.name, user)], reply: { created: earlier === undefined } };
};

const deleteUser: SecurityCommand<{ readonly name: string }, { readonly found: boolean }> = (records, { name }, env) => {
  if (!records.users.has(name)) return { changes: [], reply: { found: false } };
  requireSuperuser(records, name, null, env);
  return { changes: [{ kind: 'user', name, value: null }], reply: { found: true } };
};

/** @throws ApiError validation_exception: there is no such user */
const setUserEnabled: SecurityCommand<{ readonly name: string; readonly enabled: boolean }, null> = (records, { name, enabled }, env) => {
  const user = records.users.get(name);
  if (!user) throw validationError(`only existing users can be ${enabled ? 'enabled' : 'disabled'}`);
  const next = { ...user, enabled };
  requireSuperuser(records, name, next, env);
  return { changes: [changed(records, 'user', name, next)], reply: null };
};

/** @throws ApiError validation_exception: there is no such user */
const changePassword: SecurityCommand<{ readonly name: string; readonly passwordHash: string }, null> = (
  records,
  { name, passwordHash },
) => {
  const user = records.users.get(name);
  if (!user) throw validationError('user must exist in order to change password');
  return { changes: [changed(records, 'user', name, { ...user, passwordHash })], reply: null };
};

const putRole: SecurityCommand<{ readonly name: string; readonly role: RoleDescriptor }, { readonly created: boolean }> = (
  records,
  { name, role },
) => ({ changes: [changed(records, 'role', name, role)], reply: { created: !records.roles.has(name) } });

const deleteRole: SecurityCommand<{ readonly name: string }, { readonly found: boolean }> = (records, { name }) => {
  const found = records.roles.has(name);
  return { changes: found ? [{ kind: 'role', name, value: null }] : [], reply: { found } };
};

/** Also removes keys that have been useless for long. */
const createApiKey: SecurityCommand<{ readonly key: ApiKeyRecord }, null> = (records, { key }, { nowMs }) => {
  const obsolete = [...records.apiKeys.values()].filter(
    ({ expirationMs, invalidationMs }) => Math.min(expirationMs ?? Infinity, invalidationMs ?? Infinity) < nowMs - API_KEY_RETENTION_MS,
  );
  const removals = obsolete.map(({ id }) => ({ kind: 'apiKey', name: id, value: null }) as const);
  return { changes: [...removals, changed(records, 'apiKey', key.id, key, removals.length)], reply: null };
};

/** `null` leaves a property as it is. @throws ApiError resource_not_found_exception, illegal_argument_exception: the key cannot be used any more */
const updateApiKey: SecurityCommand<
  {
    readonly id: string;
    readonly roleDescriptors: Readonly<Record<string, RoleDescriptor>> | null;
    readonly limitedBy: Readonly<Record<string, RoleDescriptor>>;
    readonly metadata: Readonly<Record<string, unknown>> | null;
    readonly expirationMs: number | null;
  },
  { readonly updated: boolean }
> = (records, { id, ...given }, { nowMs }) => {
  const key = records.apiKeys.get(id);
  if (!key) throw new ApiError('resource_not_found_exception', 404, `no API key owned by requesting user found for ID [${id}]`);
  if (key.invalidationMs !== null) throw illegalArgumentError(`cannot update invalidated API key [${id}]`);
  if (key.expirationMs !== null && key.expirationMs <= nowMs) throw illegalArgumentError(`cannot update expired API key [${id}]`);
  const next: ApiKeyRecord = {
    ...key,
    limitedBy: given.limitedBy,
    roleDescriptors: given.roleDescriptors ?? key.roleDescriptors,
    metadata: given.metadata ?? key.metadata,
    expirationMs: given.expirationMs ?? key.expirationMs,
  };
  const updated = writeJson(next) !== writeJson(key);
  return { changes: updated ? [changed(records, 'apiKey', id, next)] : [], reply: { updated } };
};

interface InvalidatedApiKeys {
  readonly invalidated: readonly string[];
  readonly previouslyInvalidated: readonly string[];
}

const invalidateApiKeys: SecurityCommand<{ readonly ids: readonly string[] }, InvalidatedApiKeys> = (records, { ids }, { nowMs }) => {
  const keys = ids.flatMap((id) => records.apiKeys.get(id) ?? []);
  const valid = keys.filter(({ invalidationMs }) => invalidationMs === null);
  return {
    changes: valid.map((key) => ({ kind: 'apiKey', name: key.id, value: { ...key, invalidationMs: nowMs } })),
    reply: {
      invalidated: valid.map(({ id }) => id),
      previouslyInvalidated: keys.filter(({ invalidationMs }) => invalidationMs !== null).map(({ id }) => id),
    },
  };
};

/** Puts all records of a snapshot in the place of those that there are. @throws ApiError illegal_argument_exception: nobody could manage them */
const restoreRecords: SecurityCommand<{ readonly records: readonly SecurityChange[] }, null> = (records, args, env) => {
  const isManaged = args.records.some(({ kind, value }) => kind === 'user' && isSuperuser(value));
  if (!env.hasFileSuperuser && !isManaged)
    throw illegalArgumentError(`the snapshot has no enabled user with the role [${SUPERUSER}]: define one in the settings first`);
  const restored = new Set(args.records.map(({ kind, name }) => `${kind} ${name}`));
  const removals = [
    ...[...records.users.keys()].map((name) => ({ kind: 'user', name, value: null }) as const),
    ...[...records.roles.keys()].map((name) => ({ kind: 'role', name, value: null }) as const),
    ...[...records.apiKeys.keys()].map((name) => ({ kind: 'apiKey', name, value: null }) as const),
  ].filter(({ kind, name }) => !restored.has(`${kind} ${name}`));
  return { changes: [...removals, ...args.records], reply: null };
};

const SECURITY_COMMANDS = {
  putUser,
  deleteUser,
  setUserEnabled,
  changePassword,
  putRole,
  deleteRole,
  createApiKey,
  updateApiKey,
  invalidateApiKeys,
  restoreRecords,
};

export type SecurityCommandName = keyof typeof SECURITY_COMMANDS;
export type SecurityArgs<Name extends SecurityCommandName> = Parameters<(typeof SECURITY_COMMANDS)[Name]>[1];
export type SecurityReply<Name extends SecurityCommandName> = ReturnType<(typeof SECURITY_COMMANDS)[Name]>['reply'];

/** @throws ApiError the errors of the command */
export function runSecurityCommand<Name extends SecurityCommandName>(
  name: Name,
  records: SecurityView,
  args: SecurityArgs<Name>,
  env: SecurityEnvironment,
): SecurityOutcome<SecurityReply<Name>> {
  // TypeScript does not connect the entry of a name with the arguments of the same name.
  const command = SECURITY_COMMANDS[name] as SecurityCommand<SecurityArgs<Name>, SecurityReply<Name>>;
  return command(records, args, env);
}

/** @param removals  records of the kind that the same command removes. @throws ApiError: too large, or too many */
function changed<Kind extends RecordKind>(
  records: SecurityView,
  kind: Kind,
  name: string,
  value: Extract<SecurityChange, { kind: Kind }>['value'],
  removals = 0,
): SecurityChange {
  const size = writeJson(value).length;
  if (size > MAX_RECORD_CHARS)
    throw illegalArgumentError(`[${name}] would take ${size} characters, at most ${MAX_RECORD_CHARS} are allowed`);
  const map: ReadonlyMap<string, unknown> = kind === 'user' ? records.users : kind === 'role' ? records.roles : records.apiKeys;
  if (!map.has(name) && map.size - removals >= MAX_RECORDS[kind]) {
    const what = { user: 'users', role: 'roles', apiKey: 'API keys' }[kind];
    throw illegalArgumentError(`there are ${map.size} ${what} already, at most ${MAX_RECORDS[kind]} are allowed`);
  }
  return { kind, name, value } as SecurityChange;
}

/**
 * Once there are users, every request must authenticate, so one user must be able to manage them; and without users everything is allowed
 * without authentication.
 * @throws ApiError illegal_argument_exception: no enabled superuser would be left
 */
function requireSuperuser(records: SecurityView, name: string, next: UserRecord | null, env: SecurityEnvironment): void {
  if (env.hasFileSuperuser || isSuperuser(next)) return;
  for (const user of records.users.values()) if (user.name !== name && isSuperuser(user)) return;
  throw illegalArgumentError(`there must be an enabled user with the role [${SUPERUSER}]: create one first`);
}

function isSuperuser(user: UserRecord | null): boolean {
  return user?.enabled === true && user.roles.includes(SUPERUSER);
}

function validationError(problem: string): ApiError {
  return new ApiError('validation_exception', 400, `Validation Failed: 1: ${problem};`);
}
