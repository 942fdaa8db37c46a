// Tables of the privileges: the actions that each grants, and the APIs that carry these actions out.
import { ALL_APIS } from '../../src/rest/all-apis.ts';
import { type ActionSet, grantsAction } from '../../src/security/action-set.ts';
import { CLUSTER_PRIVILEGES, isClusterAction } from '../../src/security/cluster-privileges.ts';
import { INDEX_PRIVILEGES } from '../../src/security/index-privileges.ts';
import { code, row, table } from './markdown.ts';

/** APIs by their names without method and path, as in the REST reference. */
function apisOf(set: ActionSet, isCluster: boolean): string {
  const names = ALL_APIS.filter(({ needs }) => needs !== 'none' && isClusterAction(needs) === isCluster && grantsAction(set, needs)).map(
    ({ name }) => name,
  );
  return [...new Set(names)].sort().map(code).join(', ');
}

function actionsOf({ include, exclude }: ActionSet): string {
  const granted = include.map(code).join(', ');
  return exclude.length === 0 ? granted : `${granted}; not ${exclude.map(code).join(', ')}`;
}

/** @param wide  text instead of the APIs of privileges that grant almost all of them */
function privilegeTable(
  privileges: Readonly<Record<string, ActionSet>>,
  isCluster: boolean,
  wide: Readonly<Record<string, string>>,
): string {
  const names = Object.keys(privileges).filter((name) => name !== 'none');
  const rows = names.sort().map((name) => {
    const apis = wide[name] ?? apisOf(privileges[name], isCluster);
    return row(code(name), actionsOf(privileges[name]), apis === '' ? 'none' : apis);
  });
  return table(['privilege', 'actions', 'APIs'], rows);
}

export const clusterPrivileges = (): string =>
  privilegeTable(CLUSTER_PRIVILEGES, true, {
    all: 'all that do not concern one index',
    manage: 'the same, but those of users, roles and API keys',
  });

export const indexPrivileges = (): string => privilegeTable(INDEX_PRIVILEGES, false, { all: 'all that concern indices' });
