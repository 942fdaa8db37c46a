// API keys: /_security/api_key. A key has the privileges that its role descriptors name, within those that its owner had when it was created.
import { randomBytes } from 'node:crypto';
import { checkRoleQueries } from '../../api/visibility/role-query.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import type { Caller } from '../../security/caller.ts';
import type { ApiKeyRecord } from '../../security/records.ts';
import { parseRole, type RoleDescriptor } from '../../security/role.ts';
import { refusalError } from '../auth/access.ts';
import { apiKeySecretHash } from '../auth/authenticator.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';
import { booleanField, type Fields, fieldsOf, namesField, objectField, parseError, stringField } from './body-fields.ts';
import { ACTIONS, callerOf, managesAllApiKeys, requireEnabled } from './permitted.ts';
import { renderRoles } from './roles.ts';

const ID_BYTES = 15;
const SECRET_BYTES = 16;
const MAX_NAME_LENGTH = 256;

const createApi = defineApi({
  name: 'security.create_api_key',
  needs: ACTIONS.createApiKey,
  body: 'json!',
  params: { refresh: 'refresh' },
  routes: { 'POST /_security/api_key': create, 'PUT /_security/api_key': create },
});

const updateApi = defineApi({
  name: 'security.update_api_key',
  needs: ACTIONS.updateApiKey,
  body: 'json',
  routes: { 'PUT /_security/api_key/{id}': update },
});

const getApi = defineApi({
  name: 'security.get_api_key',
  needs: ACTIONS.getApiKeys,
  params: {
    id: 'string',
    name: 'string',
    username: 'string',
    realm_name: 'string',
    owner: 'boolean',
    active_only: 'boolean',
    with_limited_by: 'boolean',
    with_profile_uid: 'boolean',
  },
  routes: { 'GET /_security/api_key': get },
});

const invalidateApi = defineApi({
  name: 'security.invalidate_api_key',
  needs: ACTIONS.invalidateApiKeys,
  body: 'json!',
  routes: { 'DELETE /_security/api_key': invalidate },
});

export const API_KEY_APIS = [createApi, updateApi, getApi, invalidateApi];

/** 200 `{ id, name, expiration, api_key, encoded }`. @throws ApiError parse_exception, action_request_validation_exception */
async function create(request: ApiRequest, { engine, settings }: RestContext): Promise<ApiResponse> {
  requireEnabled(settings);
  const caller = callerOf(request);
  const fields = fieldsOf(request.body, 'api key request', ['name', 'role_descriptors', 'expiration', 'metadata']);
  const name = stringField(fields, 'name');
  const metadata = metadataOf(fields);
  failOn([nameProblem(name), metadata === null ? null : metadataProblem(metadata)]);
  const roleDescriptors = roleDescriptorsOf(fields) ?? {};
  // Otherwise a key would outlive the invalidation of the one that created it.
  if (caller.type === 'api_key' && !grantsNothing(roleDescriptors))
    throw illegalArgumentError('creating derived api keys requires an explicit role descriptor that is empty (has no privileges)');
  const id = randomBytes(ID_BYTES).toString('base64url');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const nowMs = Date.now();
  const key: ApiKeyRecord = {
    id,
    name: name ?? '',
    secretHash: apiKeySecretHash(secret),
    creationMs: nowMs,
    expirationMs: expirationOf(fields, nowMs),
    invalidationMs: null,
    owner: caller.identity.username,
    realm: caller.realm,
    metadata: metadata ?? {},
    roleDescriptors,
    limitedBy: caller.limitedBy ?? caller.roles,
  };
  await engine.security.run('createApiKey', { key });
  const body = {
    id,
    name,
    ...(key.expirationMs === null ? {} : { expiration: key.expirationMs }),
    api_key: secret,
    encoded: Buffer.from(`${id}:${secret}`).toString('base64'),
  };
  const shown = {
    id,
    name,
    type: 'rest',
    expiration: fields.expiration ?? null,
    role_descriptors: Object.values(renderRoles(roleDescriptors)),
  };
  return { ...ok(body), audit: { action: 'create_apikey', details: { create: { apikey: shown } } } };
}

/** 200 `{ updated }`: only the owner may update a key, and its limit becomes what the owner may now. @throws ApiError resource_not_found_exception */
async function update(request: ApiRequest, { engine, settings }: RestContext): Promise<ApiResponse> {
  requireEnabled(settings);
  const caller = callerOf(request);
  if (caller.type === 'api_key')
    throw illegalArgumentError('authentication via API key not supported: only the owner user can update an API key');
  const id = request.params.id;
  const fields = fieldsOf(request.body ?? {}, 'update api key request', ['role_descriptors', 'expiration', 'metadata']);
  const metadata = metadataOf(fields);
  failOn([metadata === null ? null : metadataProblem(metadata)]);
  const key = engine.security.records.apiKeys.get(id);
  if (!key || !isOwner(caller, key))
    throw new ApiError('resource_not_found_exception', 404, `no API key owned by requesting user found for ID [${id}]`);
  const reply = await engine.security.run('updateApiKey', {
    id,
    roleDescriptors: roleDescriptorsOf(fields),
    limitedBy: caller.roles,
    metadata,
    expirationMs: expirationOf(fields, Date.now()),
  });
  return { ...ok(reply), audit: { action: 'change_apikey', details: { change: { apikey: { id, type: 'rest' } } } } };
}

/** 200 `{ api_keys }`; 404 if `id` names none. @throws ApiError security_exception, action_request_validation_exception */
function get(request: ApiRequest, { engine, settings }: RestContext): ApiResponse {
  requireEnabled(settings);
  const id = request.string('id') || null;
  const selection: Selection = {
    ids: id === null ? null : [id],
    name: request.string('name') || null,
    username: request.string('username') || null,
    realmName: request.string('realm_name') || null,
    isOwned: request.boolean('owner') ?? false,
  };
  const problems = selectionProblems(selection, 'retrieving');
  failOn(problems);
  const found = select(request, selection, ACTIONS.getApiKeys, engine.security.records.apiKeys.values());
  const isActive = ({ invalidationMs, expirationMs }: ApiKeyRecord) => invalidationMs === null && (expirationMs ?? Infinity) > Date.now();
  const keys = request.boolean('active_only') ? found.filter(isActive) : found;
  const body = { api_keys: keys.map((key) => renderApiKey(key, request.boolean('with_limited_by') ?? false)) };
  return answer(id !== null && keys.length === 0 ? 404 : 200, body);
}

/** 200 `{ invalidated_api_keys, previously_invalidated_api_keys, error_count }`. @throws ApiError as `get` */
async function invalidate(request: ApiRequest, { engine, settings }: RestContext): Promise<ApiResponse> {
  requireEnabled(settings);
  const fields = fieldsOf(request.body, 'invalidate api key request', ['ids', 'id', 'name', 'username', 'realm_name', 'owner']);
  const id = stringField(fields, 'id');
  const ids = namesField(fields, 'ids') ?? (id === null ? null : [id]);
  if (id !== null && fields.ids !== undefined) throw illegalArgumentError('Must use either [id] or [ids], not both at the same time');
  const selection: Selection = {
    ids,
    name: stringField(fields, 'name') || null,
    username: stringField(fields, 'username') || null,
    realmName: stringField(fields, 'realm_name') || null,
    isOwned: booleanField(fields, 'owner') ?? false,
  };
  const isAny = ids !== null || selection.name !== null || selection.username !== null || selection.realmName !== null || selection.isOwned;
  failOn([
    isAny ? null : 'One of [api key id(s), api key name, username, realm name] must be specified if [owner] flag is false',
    ids?.length === 0 ? 'Field [ids] cannot be an empty array' : null,
    ...selectionProblems(selection, 'invalidating'),
  ]);
  const keys = select(request, selection, ACTIONS.invalidateApiKeys, engine.security.records.apiKeys.values());
  const reply = await engine.security.run('invalidateApiKeys', { ids: keys.map((key) => key.id) });
  const body = { invalidated_api_keys: reply.invalidated, previously_invalidated_api_keys: reply.previouslyInvalidated, error_count: 0 };
  return { ...ok(body), audit: { action: 'invalidate_apikeys', details: { invalidate: { apikeys: { ids: reply.invalidated } } } } };
}

/** Which keys a request concerns. Null does not limit. */
interface Selection {
  readonly ids: readonly string[] | null;
  /** With `*` at its end for a prefix. */
  readonly name: string | null;
  readonly username: string | null;
  readonly realmName: string | null;
  readonly isOwned: boolean;
}

function selectionProblems({ ids, name, username, realmName, isOwned }: Selection, verb: string): Array<string | null> {
  const hasOwner = username !== null || realmName !== null;
  return [
    (ids !== null || name !== null) && hasOwner
      ? 'username or realm name must not be specified when the api key id(s) or api key name are specified'
      : null,
    isOwned && hasOwner ? `neither username nor realm-name may be specified when ${verb} owned API keys` : null,
    ids !== null && name !== null ? 'only one of [api key id(s), api key name] can be specified' : null,
  ];
}

/** The keys that a request concerns. @throws ApiError security_exception 403: they may be others' keys, and the caller manages only his own */
function select(request: ApiRequest, selection: Selection, action: string, keys: Iterable<ApiKeyRecord>): ApiKeyRecord[] {
  const { caller } = request;
  const { ids, name, username, realmName, isOwned } = selection;
  const isSelf = caller !== null && username === caller.identity.username && realmName === caller.realm.name;
  const isOwnKey = caller?.identity.apiKey !== null && ids?.length === 1 && ids[0] === caller?.identity.apiKey.id;
  if (caller !== null && !isOwned && !isSelf && !isOwnKey && !managesAllApiKeys(caller, action)) throw refusalError(caller, action, []);
  const owned = (key: ApiKeyRecord) => caller !== null && (isOwnKey || isOwner(caller, key));
  return [...keys].filter(
    (key) =>
      (ids === null || ids.includes(key.id)) &&
      (name === null || matchesPattern(name, key.name)) &&
      (username === null || key.owner === username) &&
      (realmName === null || key.realm.name === realmName) &&
      (!isOwned || owned(key)),
  );
}

/** An API key owns only itself. */
function isOwner(caller: Caller, key: ApiKeyRecord): boolean {
  if (caller.identity.apiKey !== null) return caller.identity.apiKey.id === key.id;
  return key.owner === caller.identity.username && key.realm.name === caller.realm.name;
}

function renderApiKey(key: ApiKeyRecord, withLimit: boolean): Record<string, unknown> {
  return {
    id: key.id,
    name: key.name,
    type: 'rest',
    creation: key.creationMs,
    ...(key.expirationMs === null ? {} : { expiration: key.expirationMs }),
    invalidated: key.invalidationMs !== null,
    ...(key.invalidationMs === null ? {} : { invalidation: key.invalidationMs }),
    username: key.owner,
    realm: key.realm.name,
    realm_type: key.realm.type,
    metadata: key.metadata,
    role_descriptors: renderRoles(key.roleDescriptors),
    ...(withLimit ? { limited_by: [renderRoles(key.limitedBy)] } : {}),
  };
}

function nameProblem(name: string | null): string | null {
  if (name === null || name === '') return 'api key name is required';
  if (name.length > MAX_NAME_LENGTH) return `api key name may not be more than ${MAX_NAME_LENGTH} characters long`;
  if (name.trim() !== name) return 'api key name may not begin or end with whitespace';
  return name.startsWith('_') ? 'api key name may not begin with an underscore' : null;
}

function metadataOf(fields: Fields): Fields | null {
  return objectField(fields, 'metadata');
}

function metadataProblem(metadata: Fields): string | null {
  return Object.keys(metadata).some((key) => key.startsWith('_')) ? 'API key metadata keys may not start with [_]' : null;
}

/** Null without the field. @throws ApiError as parseRole */
function roleDescriptorsOf(fields: Fields): Record<string, RoleDescriptor> | null {
  const given = fields.role_descriptors;
  // An empty list was how older clients said that there are none.
  if (Array.isArray(given) && given.length === 0) return {};
  const roles = objectField(fields, 'role_descriptors');
  return roles === null ? null : Object.fromEntries(Object.entries(roles).map(([name, role]) => [name, checkedRole(name, role)]));
}

function grantsNothing(roles: Readonly<Record<string, RoleDescriptor>>): boolean {
  const list = Object.values(roles);
  return list.length > 0 && list.every(({ cluster, indices, runAs }) => cluster.length + indices.length + runAs.length === 0);
}

/** When a key ends, in milliseconds since 1970; null without the field. @throws ApiError parse_exception */
function expirationOf(fields: Fields, nowMs: number): number | null {
  const text = stringField(fields, 'expiration');
  if (text === null) return null;
  const ms = parseDurationMs(text);
  if (ms === null || ms <= 0)
    throw parseError(`failed to parse field [expiration] with value [${text}]: a positive duration such as [30d] is expected`);
  return nowMs + ms;
}

/** @throws ApiError action_request_validation_exception */
function failOn(problems: ReadonlyArray<string | null>): void {
  const found = problems.filter((problem) => problem !== null);
  if (found.length > 0) throw validationFailedError(found);
}

function checkedRole(name: string, value: unknown): RoleDescriptor {
  const role = parseRole(name, value);
  checkRoleQueries(role);
  return role;
}
