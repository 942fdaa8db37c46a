// Whether roles grant whole privileges: on the cluster, and on index patterns.
import { type ActionSet, actionSet, includesSet } from './action-set.ts';
import { clusterPrivilege } from './cluster-privileges.ts';
import { indexPrivilege } from './index-privileges.ts';
import { includesPattern } from './name-pattern.ts';
import type { RoleDescriptor } from './role.ts';

type Roles = Readonly<Record<string, RoleDescriptor>>;

/** @throws ApiError illegal_argument_exception: an unknown privilege */
export function grantsClusterPrivilege(roles: Roles, privilege: string): boolean {
  const granted = Object.values(roles).flatMap(({ cluster }) => cluster.map((name) => clusterPrivilege(name)));
  return covers(granted, clusterPrivilege(privilege));
}

/**
 * Whether the privilege is granted on every name that matches the pattern.
 * @throws ApiError illegal_argument_exception: an unknown privilege
 */
export function grantsIndexPrivilege(roles: Roles, pattern: string, privilege: string): boolean {
  const granted = Object.values(roles).flatMap(({ indices }) =>
    indices.flatMap(({ names, privileges }) =>
      names.some((name) => includesPattern(name, pattern)) ? privileges.map((own) => indexPrivilege(own)) : [],
    ),
  );
  return covers(granted, indexPrivilege(privilege));
}

/** Whether each action of a privilege is in one of the sets. */
function covers(granted: readonly ActionSet[], { include, exclude }: ActionSet): boolean {
  return include.every((pattern) => granted.some((set) => includesSet(set, actionSet([pattern], exclude))));
}
