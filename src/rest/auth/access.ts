// Checks whether the sender of a request may perform an action at all, and creates the error if not.
import { ApiError } from '../../errors/api-error.ts';
import type { Caller } from '../../security/caller.ts';
import { clusterPrivilegesGranting, isClusterAction } from '../../security/cluster-privileges.ts';
import { describeIdentity } from '../../security/identity.ts';
import { indexPrivilegesGranting } from '../../security/index-privileges.ts';
import type { Action } from './action.ts';

/**
 * Checks an action before its request is read: on the cluster, or on any index. RestrictedEngine then checks the names of indices.
 * @param caller  null if there are no users: everything is allowed
 * @throws ApiError security_exception 403: the action is granted on nothing
 */
export function requireAction(caller: Caller | null, action: Action): void {
  if (caller === null || action === 'none') return;
  const { permissions } = caller;
  const isGranted = isClusterAction(action) ? permissions.allowsCluster(action) : permissions.allowsSomeIndex(action);
  if (!isGranted) throw refusalError(caller, action, []);
}

/** @param names  of the indices and aliases on which the action is not granted; empty if it is granted on none, or concerns the cluster */
export function refusalError({ identity }: Caller, action: string, names: readonly string[]): ApiError {
  const isCluster = isClusterAction(action);
  const privileges = isCluster ? clusterPrivilegesGranting(action) : indexPrivilegesGranting(action);
  const on = names.length === 0 ? '' : ` on indices [${names.join(',')}]`;
  const by = `this action is granted by the ${isCluster ? 'cluster' : 'index'} privileges [${privileges.join(',')}]`;
  return new ApiError('security_exception', 403, `action [${action}] is unauthorized for ${describeIdentity(identity)}${on}, ${by}`, {
    refusal: { action, indices: names },
  });
}
