// Roles: /_security/role. Built-in ones and those of the settings are reserved.

import { checkRoleQueries } from '../../api/visibility/role-query.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { nameProblem } from '../../security/names.ts';
import { parseRole, type RoleDescriptor, renderRole } from '../../security/role.ts';
import { defineApi, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';
import { ACTIONS, requireEnabled } from './permitted.ts';

const putApi = defineApi({
  name: 'security.put_role',
  needs: ACTIONS.putRole,
  body: 'json!',
  params: { refresh: 'refresh' },
  routes: { 'PUT /_security/role/{name}': put, 'POST /_security/role/{name}': put },
});

const getApi = defineApi({
  name: 'security.get_role',
  needs: ACTIONS.getRoles,
  routes: { 'GET /_security/role': get, 'GET /_security/role/{name}': get },
});

const deleteApi = defineApi({
  name: 'security.delete_role',
  needs: ACTIONS.deleteRole,
  params: { refresh: 'refresh' },
  routes: { 'DELETE /_security/role/{name}': remove },
});

export const ROLE_APIS = [putApi, getApi, deleteApi];

/** 200 `{ role: { created } }`. @throws ApiError parse_exception, action_request_validation_exception */
async function put(request: ApiRequest, { engine, realms, settings }: RestContext): Promise<ApiResponse> {
  requireEnabled(settings);
  const { name } = request.params;
  const problem = realms.isReservedRole(name) ? `Role [${name}] is reserved and may not be used.` : nameProblem('Role', name);
  if (problem !== null) throw validationFailedError([problem]);
  const role = parseRole(name, request.body);
  checkRoleQueries(role);
  const { created } = await engine.security.run('putRole', { name, role });
  return {
    ...ok({ role: { created } }),
    audit: { action: 'put_role', details: { put: { role: { name, role_descriptor: renderRole(role) } } } },
  };
}

/** 200 roles by name; 404 `{}` if none of the named ones exists. */
function get(request: ApiRequest, { realms, settings }: RestContext): ApiResponse {
  requireEnabled(settings);
  const names = request.list('name');
  const roles = realms.roles(names ?? realms.roleNames());
  return answer(names !== undefined && Object.keys(roles).length === 0 ? 404 : 200, renderRoles(roles));
}

/** 200 `{ found: true }`, 404 `{ found: false }`. */
async function remove(request: ApiRequest, { engine, realms, settings }: RestContext): Promise<ApiResponse> {
  requireEnabled(settings);
  const { name } = request.params;
  if (realms.isReservedRole(name)) throw illegalArgumentError(`role [${name}] is reserved and cannot be deleted`);
  const { found } = await engine.security.run('deleteRole', { name });
  return { ...answer(found ? 200 : 404, { found }), audit: { action: 'delete_role', details: { delete: { role: { name } } } } };
}

export function renderRoles(roles: Readonly<Record<string, RoleDescriptor>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(roles).map(([name, role]) => [name, renderRole(role)]));
}
