// Users: /_security/user. Those of the settings are listed as reserved and cannot be changed here.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { nameProblem, passwordProblem, userNameProblem } from '../../security/names.ts';
import { HashQueue, parsePasswordHash } from '../../security/password-hash.ts';
import type { Realms, RealmUser } from '../../security/realms.ts';
import type { UserRecord } from '../../security/records.ts';
import { refusalError, requireAction } from '../auth/access.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';
import { booleanField, type Fields, fieldsOf, namesField, objectField, stringField } from './body-fields.ts';
import { ACTIONS, callerOf, requireEnabled } from './permitted.ts';

/** New passwords of this thread that wait to be hashed. */
const hashes = new HashQueue(64);

const USER_FIELDS = ['username', 'password', 'password_hash', 'roles', 'full_name', 'email', 'metadata', 'enabled'];

const putApi = defineApi({
  name: 'security.put_user',
  needs: ACTIONS.putUser,
  body: 'json!',
  params: { refresh: 'refresh' },
  routes: { 'PUT /_security/user/{username}': put, 'POST /_security/user/{username}': put },
});

const getApi = defineApi({
  name: 'security.get_user',
  needs: 'none',
  params: { with_profile_uid: 'boolean' },
  routes: { 'GET /_security/user': get, 'GET /_security/user/{username}': get },
});

const deleteApi = defineApi({
  name: 'security.delete_user',
  needs: ACTIONS.deleteUser,
  params: { refresh: 'refresh' },
  routes: { 'DELETE /_security/user/{username}': remove },
});

const enableApi = defineApi({
  name: 'security.enable_user',
  needs: ACTIONS.setEnabled,
  body: 'ignored',
  params: { refresh: 'refresh' },
  routes: { 'PUT /_security/user/{username}/_enable': enable, 'POST /_security/user/{username}/_enable': enable },
});

const disableApi = defineApi({
  name: 'security.disable_user',
  needs: ACTIONS.setEnabled,
  body: 'ignored',
  params: { refresh: 'refresh' },
  routes: { 'PUT /_security/user/{username}/_disable': disable, 'POST /_security/user/{username}/_disable': disable },
});

const passwordApi = defineApi({
  name: 'security.change_password',
  needs: 'none',
  body: 'json!',
  params: { refresh: 'refresh' },
  routes: {
    'PUT /_security/user/_password': changePassword,
    'POST /_security/user/_password': changePassword,
    'PUT /_security/user/{username}/_password': changePassword,
    'POST /_security/user/{username}/_password': changePassword,
  },
});

export const USER_APIS = [putApi, getApi, deleteApi, enableApi, disableApi, passwordApi];

/** 200 `{ created }`. @throws ApiError parse_exception, validation_exception, action_request_validation_exception */
async function put(request: ApiRequest, { engine, realms, settings }: RestContext): Promise<ApiResponse> {
  requireEnabled(settings);
  const { username } = request.params;
  const fields = fieldsOf(request.body, 'add user request', USER_FIELDS);
  const named = stringField(fields, 'username');
  if (named !== null && named !== username)
    throw illegalArgumentError(`[username] in source does not match the username provided [${username}]`);
  const user = {
    name: username,
    roles: namesField(fields, 'roles') ?? [],
    fullName: stringField(fields, 'full_name'),
    email: stringField(fields, 'email'),
    metadata: objectField(fields, 'metadata') ?? {},
    enabled: booleanField(fields, 'enabled') ?? true,
  };
  const problems = [realms.isFileUser(username) ? `user [${username}] is reserved and cannot be modified` : userNameProblem(username)];
  if (!Object.hasOwn(fields, 'roles')) problems.push('roles are missing');
  problems.push(...user.roles.map((role) => nameProblem('Role', role)));
  if (Object.keys(user.metadata).some((key) => key.startsWith('_'))) problems.push('metadata keys may not start with [_]');
  failOn(problems);
  const passwordHash = await passwordHashOf(fields);
  const { created } = await engine.security.run('putUser', { ...user, passwordHash });
  const shown = { name: username, enabled: user.enabled, roles: user.roles, has_password: passwordHash !== null };
  return { ...ok({ created }), audit: { action: 'put_user', details: { put: { user: shown } } } };
}

/** 200 users by name; 404 `{}` if none of the named ones exists. */
function get(request: ApiRequest, { realms, settings }: RestContext): ApiResponse {
  requireEnabled(settings);
  const names = request.list('username') ?? null;
  const isOnlySelf = names?.length === 1 && names[0] === request.caller?.identity.username && request.caller.type === 'realm';
  if (!isOnlySelf) requireAction(request.caller, ACTIONS.getUsers);
  const users = names === null ? realms.users() : names.flatMap((name) => realms.user(name) ?? []);
  return answer(users.length === 0 && names !== null ? 404 : 200, Object.fromEntries(users.map((user) => [user.name, renderUser(user)])));
}

/** 200 `{ found: true }`, 404 `{ found: false }`. */
async function remove(request: ApiRequest, { engine, realms, settings }: RestContext): Promise<ApiResponse> {
  requireEnabled(settings);
  const { username } = request.params;
  if (realms.isFileUser(username)) throw illegalArgumentError(`user [${username}] is reserved and cannot be deleted`);
  const { found } = await engine.security.run('deleteUser', { name: username });
  return { ...answer(found ? 200 : 404, { found }), audit: { action: 'delete_user', details: { delete: { user: { name: username } } } } };
}

/** 200 `{}`. @throws ApiError validation_exception, illegal_argument_exception */
function enable(request: ApiRequest, context: RestContext): Promise<ApiResponse> {
  return setEnabled(request, context, true);
}

/** As `enable`. */
function disable(request: ApiRequest, context: RestContext): Promise<ApiResponse> {
  return setEnabled(request, context, false);
}

async function setEnabled(request: ApiRequest, { engine, realms, settings }: RestContext, enabled: boolean): Promise<ApiResponse> {
  requireEnabled(settings);
  const { username } = request.params;
  if (username === request.caller?.identity.username)
    throw illegalArgumentError('users may not update the enabled status of their own account');
  requireNative(realms, username);
  await engine.security.run('setUserEnabled', { name: username, enabled });
  const verb = enabled ? 'enable' : 'disable';
  return { ...ok({}), audit: { action: `change_${verb}_user`, details: { change: { [verb]: { user: { name: username } } } } } };
}

/** 200 `{}`. Everybody may change his own password. @throws ApiError validation_exception */
async function changePassword(request: ApiRequest, { engine, realms, settings }: RestContext): Promise<ApiResponse> {
  requireEnabled(settings);
  const { caller } = request;
  const username = request.string('username') ?? callerOf(request).identity.username;
  const isOwn = caller?.type === 'realm' && caller.identity.username === username;
  if (caller !== null && !isOwn && !caller.permissions.allowsCluster(ACTIONS.changePassword))
    throw refusalError(caller, ACTIONS.changePassword, []);
  requireNative(realms, username);
  const fields = fieldsOf(request.body, 'change password request', ['password', 'password_hash']);
  const passwordHash = await passwordHashOf(fields);
  if (passwordHash === null) throw validationFailedError(['password cannot be null']);
  await engine.security.run('changePassword', { name: username, passwordHash });
  return { ...ok({}), audit: { action: 'change_password', details: { change: { password: { user: { name: username } } } } } };
}

/** Hash of the password that a body sets; null if it sets none. @throws ApiError validation_exception, illegal_argument_exception */
async function passwordHashOf(fields: Fields): Promise<string | null> {
  const password = stringField(fields, 'password');
  const hash = stringField(fields, 'password_hash');
  if (password !== null && hash !== null) throw validationError('password_hash has already been set');
  if (hash !== null) {
    try {
      parsePasswordHash(hash);
    } catch (error) {
      throw illegalArgumentError((error as Error).message);
    }
    return hash;
  }
  if (password === null) return null;
  const problem = passwordProblem(password);
  if (problem !== null) throw validationError(problem);
  return hashes.hash(password);
}

function renderUser(user: UserRecord | RealmUser): Record<string, unknown> {
  const isReservedUser = 'realm' in user && user.realm.type === 'file';
  return {
    username: user.name,
    roles: user.roles,
    full_name: user.fullName,
    email: user.email,
    metadata: isReservedUser ? { _reserved: true } : user.metadata,
    enabled: user.enabled,
  };
}

/** @throws ApiError validation_exception: the user is defined in the settings */
function requireNative(realms: Realms, name: string): void {
  if (realms.isFileUser(name))
    throw validationError(`user [${name}] does not belong to the native realm and cannot be managed via this API.`);
}

/** @throws ApiError action_request_validation_exception */
function failOn(problems: ReadonlyArray<string | null>): void {
  const found = problems.filter((problem) => problem !== null);
  if (found.length > 0) throw validationFailedError(found);
}

function validationError(problem: string): ApiError {
  return new ApiError('validation_exception', 400, `Validation Failed: 1: ${problem};`);
}
