// The privileges that a role can grant on indices, by the names and with the actions of Elasticsearch.
// Source: https://www.elastic.co/guide/en/elasticsearch/reference/8.15/security-privileges.html
import { illegalArgumentError } from '../errors/catalog.ts';
import { type ActionSet, actionSet, grantsAction, includesSet } from './action-set.ts';

const ADMIN = 'indices:admin/';
/** Adding fields to a mapping while documents are written. Elasticsearch grants it with every privilege that can write a document. */
const MAPPING_UPDATE = `${ADMIN}mapping/auto_put`;

export const INDEX_PRIVILEGES: Readonly<Record<string, ActionSet>> = {
  none: actionSet([]),
  all: actionSet(['indices:*']),
  auto_configure: actionSet([MAPPING_UPDATE, `${ADMIN}auto_create`]),
  create: actionSet(['indices:data/write/index*', 'indices:data/write/bulk*', MAPPING_UPDATE]),
  create_doc: actionSet([
    'indices:data/write/index',
    'indices:data/write/index[*',
    'indices:data/write/index:op_type/create',
    'indices:data/write/bulk*',
    MAPPING_UPDATE,
  ]),
  create_index: actionSet([`${ADMIN}create`, `${ADMIN}auto_create`, `${ADMIN}data_stream/create`]),
  delete: actionSet(['indices:data/write/delete*', 'indices:data/write/bulk*']),
  delete_index: actionSet([`${ADMIN}delete`, `${ADMIN}data_stream/delete`]),
  index: actionSet(['indices:data/write/index*', 'indices:data/write/bulk*', 'indices:data/write/update*', MAPPING_UPDATE]),
  maintenance: actionSet([`${ADMIN}refresh*`, `${ADMIN}flush*`, `${ADMIN}synced_flush`, `${ADMIN}forcemerge*`]),
  manage: actionSet(['indices:monitor/*', 'indices:admin/*', 'indices:data/read/field_caps*']),
  manage_ilm: actionSet([`${ADMIN}ilm/*`]),
  monitor: actionSet(['indices:monitor/*']),
  read: actionSet(['indices:data/read/*']),
  read_cross_cluster: actionSet(['internal:transport/proxy/indices:data/read/*', `${ADMIN}shards/search_shards`]),
  view_index_metadata: actionSet([
    `${ADMIN}aliases/get`,
    `${ADMIN}get`,
    `${ADMIN}mappings/fields/get*`,
    `${ADMIN}mappings/get`,
    `${ADMIN}shards/search_shards`,
    `${ADMIN}validate/query*`,
    'indices:monitor/settings/get',
    `${ADMIN}ilm/explain`,
    `${ADMIN}data_stream/get`,
    `${ADMIN}resolve/index`,
    'indices:data/read/field_caps*',
  ]),
  write: actionSet(['indices:data/write/*', MAPPING_UPDATE]),
};

let byLevel: readonly string[] | null = null;

/** Names of the privileges that grant an action, the narrowest first. */
export function indexPrivilegesGranting(action: string): string[] {
  byLevel ??= Object.keys(INDEX_PRIVILEGES)
    .map((name) => ({ name, wider: Object.values(INDEX_PRIVILEGES).filter((other) => includesSet(other, INDEX_PRIVILEGES[name])).length }))
    .sort((a, b) => b.wider - a.wider || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
  return byLevel.filter((name) => grantsAction(INDEX_PRIVILEGES[name], action));
}

/** The actions of a privilege, or of a pattern of actions. @throws ApiError illegal_argument_exception: neither */
export function indexPrivilege(name: string): ActionSet {
  const key = name.toLowerCase();
  if (Object.hasOwn(INDEX_PRIVILEGES, key)) return INDEX_PRIVILEGES[key];
  if (key.startsWith('indices:')) return actionSet([key.endsWith('*') ? key : `${key}*`]);
  throw illegalArgumentError(
    `unknown index privilege [${key}]. a privilege must be either one of the predefined fixed indices privileges ` +
      `[${Object.keys(INDEX_PRIVILEGES).sort().join(',')}] or a pattern over one of the available index actions`,
  );
}
