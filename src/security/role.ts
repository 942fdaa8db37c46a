// A role: what it grants, as it is written in `security.roles` and in the body of `PUT /_security/role/{name}`.
import { writeJson } from '../common/json/json-write.ts';
import { ApiError } from '../errors/api-error.ts';
import { validationFailedError } from '../errors/catalog.ts';
import { clusterPrivilege } from './cluster-privileges.ts';
import { indexPrivilege } from './index-privileges.ts';
import { checkPattern, includesPattern } from './name-pattern.ts';

/** Privileges on the indices and aliases whose names match. */
export interface IndicesPrivileges {
  /** Names, with `*` and `?` as wildcards. */
  readonly names: readonly string[];
  readonly privileges: readonly string[];
  /** null grants every field. */
  readonly fieldSecurity: FieldSecurity | null;
  /** Query in JSON, or a template of one (`{"template": {...}}`), that documents must match; null grants all documents. */
  readonly query: string | null;
  readonly allowRestrictedIndices: boolean;
}

/** Fields with and without wildcards. `except` takes some of `grant` away. */
export interface FieldSecurity {
  readonly grant: readonly string[];
  readonly except: readonly string[];
}

export interface RoleDescriptor {
  readonly cluster: readonly string[];
  readonly indices: readonly IndicesPrivileges[];
  /** Users in whose name the role's users may act. */
  readonly runAs: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly description: string | null;
}

export const EMPTY_ROLE: RoleDescriptor = { cluster: [], indices: [], runAs: [], metadata: {}, description: null };

/** Grants everything. */
export const SUPERUSER_ROLE: RoleDescriptor = {
  ...EMPTY_ROLE,
  cluster: ['all'],
  indices: [{ names: ['*'], privileges: ['all'], fieldSecurity: null, query: null, allowRestrictedIndices: true }],
  runAs: ['*'],
  metadata: { _reserved: true },
};

const MAX_LIST = 10_000;
const NOT_SUPPORTED = ['applications', 'global', 'remote_indices', 'remote_cluster'];

/**
 * Reads a role from parsed JSON or YAML.
 * @throws ApiError parse_exception: wrong shape; action_request_validation_exception: unknown privileges; both 400
 */
export function parseRole(name: string, value: unknown): RoleDescriptor {
  if (!isObject(value)) throw parseError(`failed to parse role [${name}]. expected an object`);
  const role = { ...EMPTY_ROLE } as { -readonly [Key in keyof RoleDescriptor]: RoleDescriptor[Key] };
  for (const [field, given] of Object.entries(value)) {
    if (field === 'cluster') role.cluster = strings(name, field, given);
    else if (field === 'indices' || field === 'index') role.indices = parseIndices(name, given);
    else if (field === 'run_as') role.runAs = strings(name, field, given);
    else if (field === 'metadata') role.metadata = parseMetadata(name, given);
    else if (field === 'description') role.description = parseDescription(name, given);
    else if (NOT_SUPPORTED.includes(field)) refuseUnsupported(name, field, given);
    else if (field !== 'transient_metadata') throw parseError(`failed to parse role [${name}]. unexpected field [${field}]`);
  }
  const problems = problemsOf(role);
  if (problems.length > 0) throw validationFailedError(problems);
  return role;
}

/** The role as `GET /_security/role` returns it. */
export function renderRole(role: RoleDescriptor): Record<string, unknown> {
  return {
    cluster: role.cluster,
    indices: role.indices.map(renderIndices),
    applications: [],
    run_as: role.runAs,
    metadata: role.metadata,
    transient_metadata: { enabled: true },
    ...(role.description === null ? {} : { description: role.description }),
  };
}

function renderIndices(entry: IndicesPrivileges): Record<string, unknown> {
  const { fieldSecurity } = entry;
  return {
    names: entry.names,
    privileges: entry.privileges,
    ...(fieldSecurity === null
      ? {}
      : { field_security: { grant: fieldSecurity.grant, ...(fieldSecurity.except.length === 0 ? {} : { except: fieldSecurity.except }) } }),
    ...(entry.query === null ? {} : { query: entry.query }),
    allow_restricted_indices: entry.allowRestrictedIndices,
  };
}

function parseIndices(role: string, value: unknown): IndicesPrivileges[] {
  if (!Array.isArray(value)) throw parseError(`failed to parse indices privileges for role [${role}]. expected an array of objects`);
  return value.map((entry) => parseIndicesEntry(role, entry));
}

function parseIndicesEntry(role: string, value: unknown): IndicesPrivileges {
  const where = `failed to parse indices privileges for role [${role}].`;
  if (!isObject(value)) throw parseError(`${where} expected an object`);
  for (const required of ['names', 'privileges'])
    if (value[required] === undefined) throw parseError(`${where} missing required [${required}] field`);
  let fieldSecurity: FieldSecurity | null = null;
  let query: string | null = null;
  let allowRestrictedIndices = false;
  for (const [field, given] of Object.entries(value)) {
    if (field === 'names' || field === 'privileges') continue;
    if (field === 'field_security') fieldSecurity = parseFieldSecurity(role, given);
    else if (field === 'query') query = parseQuery(role, given);
    else if (field === 'allow_restricted_indices') {
      if (typeof given !== 'boolean') throw parseError(`${where} expected field [${field}] to be a boolean`);
      allowRestrictedIndices = given;
    } else throw parseError(`${where} unexpected field [${field}]`);
  }
  const names = strings(role, 'names', value.names);
  const privileges = strings(role, 'privileges', value.privileges);
  for (const [field, list] of [
    ['names', names],
    ['privileges', privileges],
  ] as const)
    if (list.length === 0) throw parseError(`${where} [${field}] cannot be an empty array`);
  return { names, privileges, fieldSecurity, query, allowRestrictedIndices };
}

function parseFieldSecurity(role: string, value: unknown): FieldSecurity | null {
  const where = `failed to parse indices privileges for role [${role}].`;
  if (value === null) return null;
  if (!isObject(value)) throw parseError(`${where} expected [field_security] to be an object`);
  const extra = Object.keys(value).find((field) => field !== 'grant' && field !== 'except');
  if (extra !== undefined) throw parseError(`${where} [field_security] only accepts options [grant, except], but got [${extra}]`);
  const except = value.except === undefined || value.except === null ? [] : strings(role, 'except', value.except);
  if (value.grant === undefined || value.grant === null) {
    if (except.length > 0) throw parseError(`${where} [field_security] requires [grant] if [except] is given`);
    return null;
  }
  const grant = strings(role, 'grant', value.grant);
  if (!except.every((name) => grant.some((pattern) => includesPattern(pattern, name))))
    throw parseError(
      `Exceptions for field permissions must be a subset of the granted fields but [${except.join(', ')}] is not a subset of [${grant.join(', ')}]`,
    );
  return { grant, except };
}

function parseQuery(role: string, value: unknown): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'string') return value;
  if (isObject(value)) return writeJson(value);
  throw parseError(
    `failed to parse indices privileges for role [${role}]. expected field [query] value to be null, a string, or an object`,
  );
}

function parseMetadata(role: string, value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw parseError(`failed to parse role [${role}]. expected field [metadata] to be an object`);
  return value;
}

function parseDescription(role: string, value: unknown): string | null {
  if (value !== null && typeof value !== 'string')
    throw parseError(`failed to parse role [${role}]. expected field [description] to be a string`);
  return value;
}

function refuseUnsupported(role: string, field: string, value: unknown): void {
  const isEmpty = value === null || (typeof value === 'object' && Object.keys(value as object).length === 0);
  if (!isEmpty) throw parseError(`failed to parse role [${role}]. field [${field}] is not supported`);
}

function problemsOf(role: RoleDescriptor): string[] {
  const problems: string[] = [];
  const check = (read: () => unknown): void => {
    try {
      read();
    } catch (error) {
      problems.push((error as Error).message);
    }
  };
  for (const name of role.cluster) check(() => clusterPrivilege(name));
  for (const { privileges, names, fieldSecurity } of role.indices) {
    for (const name of privileges) check(() => indexPrivilege(name));
    for (const pattern of [...names, ...(fieldSecurity?.grant ?? []), ...(fieldSecurity?.except ?? [])]) check(() => checkPattern(pattern));
  }
  for (const pattern of role.runAs) check(() => checkPattern(pattern));
  for (const key of Object.keys(role.metadata))
    if (key.startsWith('_')) problems.push('role descriptor metadata keys may not start with [_]');
  if ((role.description?.length ?? 0) > 1000) problems.push('Role description must be less than 1000 characters.');
  return problems;
}

/** A list of strings, or one string. */
function strings(role: string, field: string, value: unknown): string[] {
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || list.some((item) => typeof item !== 'string' || item === '') || list.length > MAX_LIST)
    throw parseError(`failed to parse role [${role}]. field [${field}] must be a string or a list of at most ${MAX_LIST} strings`);
  return list as string[];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseError(reason: string): ApiError {
  return new ApiError('parse_exception', 400, reason);
}
