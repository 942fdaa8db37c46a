// `_cat`: indices, shards, segments, health, counts, aliases, templates and the node as text tables. The columns are in cat-columns.ts.
import { type IndexTarget, requireNames, TARGETS, targetMetas } from '../../api/core/index-names.ts';
import { isObject } from '../../common/json/json-value.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { type ApiHandler, type ApiSpec, defineApi, INDICES_OPTIONS, MANAGER_TIMEOUTS, type Params, type RestContext } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import type { ApiRequest } from '../core/request.ts';
import { ok } from '../core/response.ts';
import * as columns from './cat-columns.ts';
import { countRows, fielddataRows, indexRows, pitSegmentRows, recoveryRows, segmentRows, shardRows } from './cat-indices.ts';
import { allocationRows, attributeRows, healthRows, managerRows, nodeRows, threadPoolRows } from './cat-nodes.ts';
import { repositoryRows, snapshotRows } from './cat-snapshots.ts';
import { CAT_PARAMS, type Column, catTable, matchesName, type Row } from './cat-table.ts';

type Rows = (request: ApiRequest, context: RestContext) => Row[] | Promise<Row[]>;

function catApi(
  name: string,
  paths: readonly string[],
  shown: readonly Column[],
  rows: Rows,
  needs: ApiSpec['needs'],
  params: Params = {},
): ApiSpec {
  const handler: ApiHandler = (request, context) => catTable(request, shown, context.engine, () => rows(request, context));
  return defineApi({
    name: `cat.${name}`,
    needs,
    isText: true,
    params: { ...CAT_PARAMS, ...params },
    routes: Object.fromEntries(paths.map((path) => [`GET ${path}`, handler])),
  });
}

const healthHandler: ApiHandler = (request, context) => {
  const shown =
    request.boolean('ts') === false ? columns.HEALTH.filter(({ name }) => name !== 'epoch' && name !== 'timestamp') : columns.HEALTH;
  return catTable(request, shown, context.engine, () => healthRows(request, context));
};

function aliasRows(request: ApiRequest, { engine }: RestContext): Row[] {
  const names = request.list('name');
  if (names !== undefined) requireNames(engine, names.join(','));
  const target: IndexTarget = { index: null, expandWildcards: request.wildcardStates() ?? ['all'] };
  const rows: Row[] = [];
  for (const meta of targetMetas(engine, target, TARGETS.any)) {
    for (const [alias, own] of Object.entries(meta.aliases)) {
      if (names !== undefined && !names.some((pattern) => matchesName(pattern, alias))) continue;
      rows.push({
        alias,
        index: meta.name,
        filter: own.filter === undefined ? '-' : '*',
        'routing.index': own.index_routing ?? '-',
        'routing.search': own.search_routing ?? '-',
        is_write_index: own.is_write_index === undefined ? '-' : String(own.is_write_index),
      });
    }
  }
  return rows;
}

function templateRows(request: ApiRequest, { engine }: RestContext): Row[] {
  const pattern = request.string('name') ?? '*';
  const list = (value: unknown): string => `[${[value ?? []].flat().join(', ')}]`;
  const rows: Row[] = [];
  for (const [name, body] of Object.entries(engine.cluster.templates)) {
    rows.push({
      name,
      index_patterns: list(body.index_patterns),
      order: String(body.order ?? 0),
      version: textCell(body.version),
      composed_of: '',
    });
  }
  for (const [name, body] of Object.entries(engine.cluster.indexTemplates)) {
    rows.push({
      name,
      index_patterns: list(body.index_patterns),
      order: String(body.priority ?? 0),
      version: textCell(body.version),
      composed_of: list(body.composed_of),
    });
  }
  return rows.filter((row) => matchesName(pattern, String(row.name)));
}

function componentTemplateRows(request: ApiRequest, { engine }: RestContext): Row[] {
  const pattern = request.string('name') ?? '*';
  const { componentTemplates, indexTemplates } = engine.cluster;
  const names = Object.keys(componentTemplates).filter((name) => matchesName(pattern, name));
  return names.map((name) => {
    const { template, version, _meta } = componentTemplates[name];
    const { settings, mappings, aliases } = isObject(template) ? template : {};
    const uses = Object.keys(indexTemplates).filter((user) => [indexTemplates[user].composed_of ?? []].flat().includes(name));
    return {
      name,
      version: textCell(version),
      alias_count: countOf(aliases),
      mapping_count: countOf(isObject(mappings) ? mappings.properties : null),
      settings_count: countOf(settings),
      metadata_count: countOf(_meta),
      included_in: `[${uses.join(', ')}]`,
    };
  });
}

function countOf(value: unknown): string {
  return String(isObject(value) ? Object.keys(value).length : 0);
}

function textCell(value: unknown): string | null {
  return value === undefined || value === null ? null : String(value);
}

/** Limits for the rows of a page: `_list` shows the tables of `_cat` in pages, ordered by the creation of the index. */
const MIN_PAGE = 1;
const MAX_PAGE = 5000;
const DEFAULT_PAGE = 500;

/** A paged table. The token of the next page contains the creation time and the name of the last index shown. */
function listApi(name: string, shown: readonly Column[], rows: Rows): ApiSpec {
  const handler: ApiHandler = async (request, context) => {
    const size = request.int('size') ?? DEFAULT_PAGE;
    if (size < MIN_PAGE || size > MAX_PAGE) throw illegalArgumentError(`size must be between ${MIN_PAGE} and ${MAX_PAGE}`);
    const isDescending = request.string('sort') === 'desc';
    let next = 'null';
    const page = async (): Promise<Row[]> => {
      const { indices } = context.engine.cluster;
      const key = (row: Row): string =>
        `${String(indices[String(row.index)]?.creationDateMs ?? 0).padStart(16, '0')}|${String(row.index)}|${String(row.shard ?? '').padStart(5, '0')}`;
      const all = (await rows(request, context)).map((row, i) => ({ row, key: `${key(row)}|${String(i).padStart(6, '0')}` }));
      all.sort((a, b) => (a.key < b.key ? -1 : 1) * (isDescending ? -1 : 1));
      const token = readPageToken(request.string('next_token'));
      const from = token === null ? 0 : all.findIndex((entry) => (isDescending ? entry.key < token : entry.key > token));
      const found = from < 0 ? [] : all.slice(from, from + size);
      if (from >= 0 && from + size < all.length) next = Buffer.from(found[found.length - 1].key).toString('base64url');
      return found.map((entry) => entry.row);
    };
    const table = await catTable(request, shown, context.engine, page);
    if (table.text !== undefined) return request.boolean('help') ? table : { ...table, text: `${table.text}next_token ${next}\n` };
    return ok({ next_token: next === 'null' ? null : next, [name]: table.body });
  };
  return defineApi({
    name: `list.${name}`,
    needs: 'indices:monitor/stats',
    isText: true,
    params: {
      ...CAT_PARAMS,
      ...INDICES_OPTIONS,
      health: 'string',
      pri: 'boolean',
      include_unloaded_segments: 'boolean',
      next_token: 'string',
      size: 'int',
      sort: 'string',
    },
    routes: { [`GET /_list/${name}`]: handler, [`GET /_list/${name}/{index}`]: handler },
  });
}

/** @throws ApiError the token was not made by this API */
function readPageToken(token: string | undefined): string | null {
  if (token === undefined || token === '' || token === 'null') return null;
  const key = Buffer.from(token, 'base64url').toString('utf8');
  if (!/^\d{16}\|/.test(key))
    throw illegalArgumentError(`Parameter [next_token] has been tainted and is incorrect. Please provide a valid [next_token].`);
  return key;
}

/** `pit_id` of the body, a string or a list. @throws ApiError action_request_validation_exception */
function pitIds(request: ApiRequest): string[] {
  const { pit_id: ids } = objectBody(request);
  if (ids === undefined) throw validationFailedError(['no pit ids specified']);
  return [ids].flat().map(String);
}

const NO_ROWS: Rows = () => [];

/** There are no replicas to which segments could be sent. */
const replicationRows: Rows = (request, { engine }) => {
  requireNames(engine, request.string('index') ?? '*');
  return [];
};
const HIDDEN: Params = { expand_wildcards: 'expandWildcards' };

const TABLES: readonly ApiSpec[] = [
  catApi('indices', ['/_cat/indices', '/_cat/indices/{index}'], columns.INDICES, indexRows, 'indices:monitor/stats', {
    ...INDICES_OPTIONS,
    health: 'string',
    pri: 'boolean',
    include_unloaded_segments: 'boolean',
  }),
  catApi('shards', ['/_cat/shards', '/_cat/shards/{index}'], columns.SHARDS, shardRows, 'indices:monitor/stats', INDICES_OPTIONS),
  catApi(
    'segments',
    ['/_cat/segments', '/_cat/segments/{index}'],
    columns.SEGMENTS,
    segmentRows,
    'indices:monitor/segments',
    INDICES_OPTIONS,
  ),
  defineApi({
    name: 'cat.health',
    needs: 'cluster:monitor/health',
    isText: true,
    params: { ...CAT_PARAMS, ts: 'boolean' },
    routes: { 'GET /_cat/health': healthHandler },
  }),
  catApi('count', ['/_cat/count', '/_cat/count/{index}'], columns.COUNT, countRows, 'indices:data/read/search', INDICES_OPTIONS),
  catApi('aliases', ['/_cat/aliases', '/_cat/aliases/{name}'], columns.ALIASES, aliasRows, 'indices:admin/aliases/get', HIDDEN),
  catApi('templates', ['/_cat/templates', '/_cat/templates/{name}'], columns.TEMPLATES, templateRows, 'cluster:monitor/state'),
  catApi(
    'component_templates',
    ['/_cat/component_templates', '/_cat/component_templates/{name}'],
    columns.COMPONENT_TEMPLATES,
    componentTemplateRows,
    'cluster:monitor/state',
  ),
  catApi('nodes', ['/_cat/nodes'], columns.NODES, nodeRows, 'cluster:monitor/nodes/stats', {
    full_id: 'boolean',
    include_unloaded_segments: 'boolean',
  }),
  catApi(
    'allocation',
    ['/_cat/allocation', '/_cat/allocation/{node_id}'],
    columns.ALLOCATION,
    allocationRows,
    'cluster:monitor/nodes/stats',
  ),
  catApi('master', ['/_cat/master', '/_cat/cluster_manager'], columns.MANAGER, managerRows, 'cluster:monitor/state'),
  catApi('recovery', ['/_cat/recovery', '/_cat/recovery/{index}'], columns.RECOVERY, recoveryRows, 'indices:monitor/recovery', {
    ...INDICES_OPTIONS,
    active_only: 'boolean',
    detailed: 'boolean',
  }),
  catApi('plugins', ['/_cat/plugins'], columns.PLUGINS, NO_ROWS, 'cluster:monitor/nodes/info'),
  catApi('pending_tasks', ['/_cat/pending_tasks'], columns.PENDING_TASKS, NO_ROWS, 'cluster:monitor/task'),
  catApi('nodeattrs', ['/_cat/nodeattrs'], columns.NODE_ATTRIBUTES, attributeRows, 'cluster:monitor/nodes/info'),
  catApi(
    'thread_pool',
    ['/_cat/thread_pool', '/_cat/thread_pool/{thread_pool_patterns}'],
    columns.THREAD_POOL,
    threadPoolRows,
    'cluster:monitor/nodes/stats',
  ),
  catApi(
    'segment_replication',
    ['/_cat/segment_replication', '/_cat/segment_replication/{index}'],
    columns.SEGMENT_REPLICATION,
    replicationRows,
    'indices:monitor/recovery',
    { ...INDICES_OPTIONS, active_only: 'boolean', detailed: 'boolean', completed_only: 'boolean', shards: 'list', index: 'list' },
  ),
  defineApi({
    name: 'cat.pit_segments',
    body: 'json',
    needs: 'indices:monitor/segments',
    isText: true,
    params: CAT_PARAMS,
    routes: {
      'GET /_cat/pit_segments': (request, context) =>
        catTable(request, columns.SEGMENTS, context.engine, () => pitSegmentRows(context, pitIds(request))),
      'GET /_cat/pit_segments/_all': (request, context) =>
        catTable(request, columns.SEGMENTS, context.engine, () => pitSegmentRows(context, null)),
    },
  }),
  catApi('repositories', ['/_cat/repositories'], columns.REPOSITORIES, repositoryRows, 'cluster:admin/repository/get'),
  catApi('snapshots', ['/_cat/snapshots', '/_cat/snapshots/{repository}'], columns.SNAPSHOTS, snapshotRows, 'cluster:admin/snapshot/get', {
    ignore_unavailable: 'boolean',
  }),
  catApi('fielddata', ['/_cat/fielddata', '/_cat/fielddata/{fields}'], columns.FIELDDATA, fielddataRows, 'cluster:monitor/nodes/stats', {
    fields: 'list',
  }),
];

export const CAT_APIS: readonly ApiSpec[] = [
  ...TABLES,
  listApi('indices', columns.INDICES, indexRows),
  listApi('shards', columns.SHARDS, shardRows),
  defineApi({
    name: 'list.help',
    needs: 'none',
    isText: true,
    params: CAT_PARAMS,
    routes: {
      'GET /_list': () => ({ status: 200, text: '/_list/indices\n/_list/indices/{index}\n/_list/shards\n/_list/shards/{index}\n' }),
    },
  }),
  defineApi({
    name: 'cat.help',
    needs: 'none',
    isText: true,
    params: { local: 'boolean', ...MANAGER_TIMEOUTS },
    routes: {
      'GET /_cat': () => {
        const paths = TABLES.flatMap((api) => Object.keys(api.routes).map((route) => route.split(' ')[1])).sort();
        return { status: 200, text: `=^.^=\n${paths.join('\n')}\n` };
      },
    },
  }),
];
