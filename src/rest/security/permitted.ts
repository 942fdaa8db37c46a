// Checks of the caller that the security APIs make themselves, since they depend on whom a request concerns.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { grantsAction } from '../../security/action-set.ts';
import type { Caller } from '../../security/caller.ts';
import { clusterPrivilege } from '../../security/cluster-privileges.ts';
import type { RoleDescriptor } from '../../security/role.ts';
import type { ApiRequest } from '../core/request.ts';

export const ACTIONS = {
  putUser: 'cluster:admin/xpack/security/user/put',
  getUsers: 'cluster:admin/xpack/security/user/get',
  deleteUser: 'cluster:admin/xpack/security/user/delete',
  setEnabled: 'cluster:admin/xpack/security/user/set_enabled',
  changePassword: 'cluster:admin/xpack/security/user/change_password',
  putRole: 'cluster:admin/xpack/security/role/put',
  getRoles: 'cluster:admin/xpack/security/role/get',
  deleteRole: 'cluster:admin/xpack/security/role/delete',
  createApiKey: 'cluster:admin/xpack/security/api_key/create',
  getApiKeys: 'cluster:admin/xpack/security/api_key/get',
  updateApiKey: 'cluster:admin/xpack/security/api_key/update',
  invalidateApiKeys: 'cluster:admin/xpack/security/api_key/invalidate',
  builtinPrivileges: 'cluster:admin/xpack/security/privilege/builtin/get',
} as const;

/** True if the action is granted by more than the right to manage one's own API keys. */
export function managesAllApiKeys(caller: Caller, action: string): boolean {
  const grants = (roles: Readonly<Record<string, RoleDescriptor>>) =>
    Object.values(roles).some(({ cluster }) =>
      cluster.some((name) => name.toLowerCase() !== 'manage_own_api_key' && grantsAction(clusterPrivilege(name), action)),
    );
  return grants(caller.roles) && (caller.limitedBy === null || grants(caller.limitedBy));
}

/** The user of the request. @throws ApiError illegal_argument_exception: there are no users yet */
export function callerOf({ caller }: ApiRequest): Caller {
  if (caller !== null) return caller;
  throw illegalArgumentError('there are no users: nobody has to authenticate, and this API needs to know who asks');
}

/** 400, since without security nothing that these APIs do would have an effect. @throws ApiError unsupported_operation_exception */
export function requireEnabled(settings: { readonly 'security.enabled': boolean }): void {
  if (settings['security.enabled']) return;
  throw new ApiError('unsupported_operation_exception', 400, 'security is disabled on this node: set [security.enabled] to true');
}
