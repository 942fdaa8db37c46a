// What a caller is and may do: _authenticate, _has_privileges, _privileges, and the names of all privileges.
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import type { Caller } from '../../security/caller.ts';
import { CLUSTER_PRIVILEGES } from '../../security/cluster-privileges.ts';
import { grantsClusterPrivilege, grantsIndexPrivilege } from '../../security/has-privileges.ts';
import { INDEX_PRIVILEGES } from '../../security/index-privileges.ts';
import type { IndicesPrivileges, RoleDescriptor } from '../../security/role.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';
import { booleanField, type Fields, fieldsOf, namesField, parseError } from './body-fields.ts';
import { ACTIONS, callerOf, requireEnabled } from './permitted.ts';

const MAX_CHECKS = 10_000;

const authenticateApi = defineApi({
  name: 'security.authenticate',
  needs: 'none',
  routes: { 'GET /_security/_authenticate': authenticate },
});

const hasPrivilegesApi = defineApi({
  name: 'security.has_privileges',
  needs: 'none',
  body: 'json!',
  routes: {
    'GET /_security/user/_has_privileges': hasPrivileges,
    'POST /_security/user/_has_privileges': hasPrivileges,
    'GET /_security/user/{username}/_has_privileges': hasPrivileges,
    'POST /_security/user/{username}/_has_privileges': hasPrivileges,
  },
});

const privilegesApi = defineApi({
  name: 'security.get_user_privileges',
  needs: 'none',
  routes: { 'GET /_security/user/_privileges': privileges },
});

const builtinApi = defineApi({
  name: 'security.get_builtin_privileges',
  needs: ACTIONS.builtinPrivileges,
  routes: { 'GET /_security/privilege/_builtin': builtin },
});

export const CALLER_APIS = [authenticateApi, hasPrivilegesApi, privilegesApi, builtinApi];

/** 200: who sends this request. Without users it is the anonymous superuser. */
function authenticate({ caller }: ApiRequest, { settings, realms }: RestContext): ApiResponse {
  requireEnabled(settings);
  if (caller === null) return ok(ANONYMOUS);
  const { username, roles, fullName, email, metadata, apiKey } = caller.identity;
  return ok({
    username,
    roles,
    full_name: fullName,
    email,
    metadata: realms.isFileUser(username) && apiKey === null ? {} : metadata,
    enabled: true,
    authentication_realm: caller.realm,
    lookup_realm: caller.realm,
    authentication_type: caller.type,
    ...(apiKey === null ? {} : { api_key: apiKey }),
  });
}

const ANONYMOUS_REALM = { name: '__anonymous', type: '__anonymous' };
const ANONYMOUS = {
  username: '_anonymous',
  roles: ['superuser'],
  full_name: null,
  email: null,
  metadata: {},
  enabled: true,
  authentication_realm: ANONYMOUS_REALM,
  lookup_realm: ANONYMOUS_REALM,
  authentication_type: 'anonymous',
};

/** 200 `{ username, has_all_requested, cluster, index, application }`. @throws ApiError parse_exception, illegal_argument_exception */
function hasPrivileges(request: ApiRequest, { settings }: RestContext): ApiResponse {
  requireEnabled(settings);
  const caller = callerOf(request);
  const { username } = caller.identity;
  if ((request.string('username') ?? username) !== username)
    throw illegalArgumentError('users may only check the privileges of their own account');
  const fields = fieldsOf(request.body, 'has privileges request', ['cluster', 'index', 'application']);
  const clusterNames = namesField(fields, 'cluster') ?? [];
  const indexChecks = indexChecksOf(fields);
  if (Array.isArray(fields.application) && fields.application.length > 0) throw parseError('[application] privileges are not supported');
  if (clusterNames.length === 0 && indexChecks.length === 0) throw validationFailedError(['must specify at least one privilege']);
  const size = indexChecks.reduce((sum, { names, privileges: wanted }) => sum + names.length * wanted.length, clusterNames.length);
  if (size > MAX_CHECKS) throw illegalArgumentError(`${size} privileges are asked for at once, at most ${MAX_CHECKS} are allowed`);
  const cluster = Object.fromEntries(clusterNames.map((name) => [name, inAll(caller, (roles) => grantsClusterPrivilege(roles, name))]));
  const index: Record<string, Record<string, boolean>> = Object.create(null);
  for (const { names, privileges: wanted } of indexChecks) {
    for (const name of names) {
      index[name] ??= Object.create(null);
      for (const privilege of wanted) index[name][privilege] = inAll(caller, (roles) => grantsIndexPrivilege(roles, name, privilege));
    }
  }
  const all = [...Object.values(cluster), ...Object.values(index).flatMap((granted) => Object.values(granted))];
  return ok({ username, has_all_requested: all.every((granted) => granted), cluster, index, application: {} });
}

/** True if the roles of the caller, and those that limit them, all pass. */
function inAll(caller: Caller, test: (roles: Readonly<Record<string, RoleDescriptor>>) => boolean): boolean {
  return test(caller.roles) && (caller.limitedBy === null || test(caller.limitedBy));
}

function indexChecksOf(fields: Fields): Array<{ names: string[]; privileges: string[] }> {
  const given = fields.index ?? [];
  if (!Array.isArray(given)) throw parseError('failed to parse has privileges request. expected [index] to be an array of objects');
  return given.map((entry) => {
    const check = fieldsOf(entry, 'index privileges', ['names', 'privileges', 'allow_restricted_indices']);
    booleanField(check, 'allow_restricted_indices');
    const names = namesField(check, 'names') ?? [];
    const wanted = namesField(check, 'privileges') ?? [];
    if (names.length === 0 || wanted.length === 0) throw parseError('[index] entries need [names] and [privileges]');
    return { names, privileges: wanted };
  });
}

/** 200 `{ cluster, global, indices, applications, run_as }` of all roles of the caller. @throws ApiError illegal_argument_exception */
function privileges(request: ApiRequest, { settings, realms }: RestContext): ApiResponse {
  requireEnabled(settings);
  const { caller } = request;
  if (caller !== null && caller.type === 'api_key' && caller.roles !== caller.limitedBy)
    throw illegalArgumentError(
      'Cannot retrieve privileges for API keys with assigned role descriptors. Please use the Get API key information API https://ela.st/es-api-get-api-key',
    );
  const roles = Object.values(caller?.roles ?? realms.roles(['superuser']));
  const unique = (names: readonly string[]) => [...new Set(names)].sort();
  return ok({
    cluster: unique(roles.flatMap(({ cluster }) => cluster)),
    global: [],
    indices: roles.flatMap(({ indices }) => indices.map(renderIndices)),
    applications: [],
    run_as: unique(roles.flatMap(({ runAs }) => runAs)),
  });
}

function renderIndices({ names, privileges: granted, fieldSecurity, query, allowRestrictedIndices }: IndicesPrivileges): Fields {
  return {
    names,
    privileges: granted,
    ...(fieldSecurity === null ? {} : { field_security: [fieldSecurity] }),
    ...(query === null ? {} : { query: [query] }),
    allow_restricted_indices: allowRestrictedIndices,
  };
}

/** 200 `{ cluster, index }`: the names of all privileges. */
function builtin(_request: ApiRequest, { settings }: RestContext): ApiResponse {
  requireEnabled(settings);
  return ok({ cluster: Object.keys(CLUSTER_PRIVILEGES).sort(), index: Object.keys(INDEX_PRIVILEGES).sort(), remote_cluster: [] });
}
