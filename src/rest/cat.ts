// `_cat`: indices, shards, segments, health, counts, aliases, templates and the node as tables. Columns are in cat-columns.ts.
import { clusterHealth, indexHealth, nodeTotals, shardCounts, sumShards } from '../api/cluster.ts';
import type { EngineContext } from '../api/context.ts';
import { type IndexTarget, TARGETS, targetMetas } from '../api/index-names.ts';
import { fielddataOf, recoveryType, SEGMENT_VERSION, segmentsOf, statsOf } from '../api/index-stats.ts';
import { addressOf, diskSpace, fileDescriptors, isThisNode, osStats } from '../api/nodes.ts';
import { illegalArgument } from '../errors/catalog.ts';
import { type ApiHandler, type ApiSpec, defineApi, INDICES_OPTIONS, type Params, type RestContext } from './api.ts';
import * as columns from './cat-columns.ts';
import { CAT_PARAMS, type Column, catTable, type Row } from './cat-table.ts';
import { readTarget } from './index-expression.ts';
import type { ApiRequest } from './request.ts';
import { ok } from './response.ts';

type Rows = (request: ApiRequest, context: RestContext) => Row[] | Promise<Row[]>;
type IndexMeta = EngineContext['cluster']['indices'][string];

function catApi(
  name: string,
  paths: readonly string[],
  shown: readonly Column[],
  rows: Rows,
  needs: ApiSpec['needs'],
  params: Params = {},
): ApiSpec {
  const handler: ApiHandler = (request, context) => catTable(request, shown, () => rows(request, context));
  return defineApi({
    name: `cat.${name}`,
    needs,
    isText: true,
    params: { ...CAT_PARAMS, ...params },
    routes: Object.fromEntries(paths.map((path) => [`GET ${path}`, handler])),
  });
}

async function indexRows(request: ApiRequest, { engine }: RestContext): Promise<Row[]> {
  const target = { expandWildcards: ['open', 'closed'], ...definedOnly(readTarget(request)) };
  const wanted = request.string('health')?.toLowerCase();
  if (wanted !== undefined && !['green', 'yellow', 'red'].includes(wanted))
    throw illegalArgument(`unknown cluster health status [${wanted}]`);
  const rows: Row[] = [];
  for (const meta of targetMetas(engine, target, TARGETS.any)) {
    if (wanted === undefined || indexHealth(meta) === wanted) rows.push(await indexRow(engine, meta));
  }
  return rows;
}

/** Options that the request leaves open are not to hide the defaults of a table. */
function definedOnly(target: IndexTarget): IndexTarget {
  return Object.fromEntries(Object.entries(target).filter(([, value]) => value !== undefined)) as unknown as IndexTarget;
}

async function indexRow(engine: EngineContext, meta: IndexMeta): Promise<Row> {
  const { primaries, replicas } = shardCounts(meta);
  const row: Record<string, Row[string]> = {
    health: indexHealth(meta),
    status: meta.state,
    index: meta.name,
    uuid: meta.uuid,
    pri: primaries,
    rep: replicas,
    'creation.date': meta.creationDateMs,
    'creation.date.string': new Date(meta.creationDateMs).toISOString(),
  };
  const state = engine.index(meta.name);
  if (state === null || meta.state !== 'open') return row;
  const totals = sumShards(await engine.shardStats(state));
  const counts: Row = {
    'docs.count': totals.docs,
    'docs.deleted': totals.deleted,
    'store.size': { bytes: totals.sizeBytes },
    'pri.store.size': { bytes: totals.sizeBytes },
  };
  Object.assign(row, counts);
  for (const [name, cell] of Object.entries(counterCells(totals))) {
    row[name] = cell;
    row[`pri.${name}`] = cell;
  }
  return row;
}

/** Counters that the tables of indices and shards share. */
function counterCells({ counters, segments, sizeBytes, fielddata, completion }: ReturnType<typeof sumShards>): Record<string, Row[string]> {
  const sumOf = (bytes: Readonly<Record<string, number>>): number => Object.values(bytes).reduce((sum, own) => sum + own, 0);
  return {
    'indexing.index_total': counters.indexed ?? 0,
    'indexing.delete_total': counters.deleted ?? 0,
    'indexing.index_failed': counters.failed ?? 0,
    'refresh.total': counters.refreshes ?? 0,
    'flush.total': counters.flushes ?? 0,
    'merges.total': counters.merges ?? 0,
    'search.query_total': counters.queries ?? 0,
    'search.fetch_total': counters.fetches ?? 0,
    'segments.count': segments,
    'segments.memory': { bytes: sizeBytes },
    'fielddata.memory_size': { bytes: sumOf(fielddata) },
    'completion.size': { bytes: sumOf(completion) },
  };
}

async function shardRows(request: ApiRequest, { engine, settings }: RestContext): Promise<Row[]> {
  const target = { expandWildcards: ['open', 'closed', 'hidden'], ...definedOnly(readTarget(request)) };
  const { host } = addressOf(engine);
  const rows: Row[] = [];
  for (const meta of targetMetas(engine, target, TARGETS.any)) {
    const state = engine.index(meta.name);
    const stats = state !== null && meta.state === 'open' ? await engine.shardStats(state) : [];
    const { primaries, replicas } = shardCounts(meta);
    for (let shard = 0; shard < primaries; shard++) {
      const own = stats.find((entry) => entry.shard === shard);
      const started: Record<string, Row[string]> = {
        index: meta.name,
        shard,
        prirep: 'p',
        state: 'STARTED',
        ip: host,
        id: engine.nodeId,
        node: engine.nodeName,
      };
      if (own) {
        Object.assign(started, counterCells(sumShards([own])), {
          docs: own.docs,
          'docs.deleted': own.deleted,
          store: { bytes: own.sizeBytes },
          'seq_no.max': own.maxSeqNo,
          'seq_no.local_checkpoint': own.maxSeqNo,
          'seq_no.global_checkpoint': own.maxSeqNo,
          'path.data': settings['path.data'],
          'path.state': settings['path.data'],
        });
      }
      rows.push(started);
      for (let copy = 0; copy < replicas; copy++) {
        rows.push({
          index: meta.name,
          shard,
          prirep: 'r',
          state: 'UNASSIGNED',
          'unassigned.reason': 'INDEX_CREATED',
          'unassigned.at': new Date(meta.creationDateMs).toISOString(),
          'unassigned.for': { ms: Date.now() - meta.creationDateMs },
          'recoverysource.type': 'peer',
        });
      }
    }
  }
  return rows;
}

async function segmentRows(request: ApiRequest, { engine }: RestContext): Promise<Row[]> {
  const { host } = addressOf(engine);
  const rows: Row[] = [];
  for (const { index, shards } of await statsOf(engine, readTarget(request))) {
    for (const { shard, sizeBytes } of shards) {
      const segments = segmentsOf(engine, index, shard);
      const docs = segments.reduce((sum, segment) => sum + segment.docs + segment.deleted, 0);
      for (const segment of segments) {
        rows.push({
          index: index.meta.name,
          shard,
          prirep: 'p',
          ip: host,
          id: engine.nodeId,
          segment: segment.name,
          generation: segment.generation,
          'docs.count': segment.docs,
          'docs.deleted': segment.deleted,
          // The shard's bytes by the segment's share of its documents: images are counted by shard.
          size: { bytes: Math.round((sizeBytes * (segment.docs + segment.deleted)) / Math.max(docs, 1)) },
          'size.memory': 0,
          committed: true,
          searchable: true,
          version: SEGMENT_VERSION,
          compound: true,
        });
      }
    }
  }
  return rows;
}

function clockCells(nowMs: number): Row {
  return { epoch: Math.floor(nowMs / 1000), timestamp: new Date(nowMs).toISOString().slice(11, 19) };
}

function healthRows(request: ApiRequest, { engine }: RestContext): Row[] {
  const health = clusterHealth(engine, { indices: Object.keys(engine.cluster.indices), level: 'cluster' });
  const clock = request.boolean('ts') === false ? {} : clockCells(Date.now());
  return [
    {
      ...clock,
      cluster: engine.clusterName,
      status: health.status,
      'node.total': 1,
      'node.data': 1,
      discovered_cluster_manager: true,
      shards: health.active_shards as number,
      pri: health.active_primary_shards as number,
      relo: 0,
      init: 0,
      unassign: health.unassigned_shards as number,
      pending_tasks: 0,
      max_task_wait_time: '-',
      active_shards_percent: `${(health.active_shards_percent_as_number as number).toFixed(1)}%`,
    },
  ];
}

const healthHandler: ApiHandler = (request, context) => {
  const shown =
    request.boolean('ts') === false ? columns.HEALTH.filter(({ name }) => name !== 'epoch' && name !== 'timestamp') : columns.HEALTH;
  return catTable(request, shown, () => healthRows(request, context));
};

/** Root documents as a search counts them. */
function countRows(request: ApiRequest, { engine }: RestContext): Row[] {
  let count = 0;
  for (const meta of targetMetas(engine, readTarget(request), TARGETS.open)) {
    const index = engine.index(meta.name);
    for (let shard = 0; index !== null && shard < index.numberOfShards; shard++) {
      const snapshot = engine.acquire(index, shard);
      for (const segment of snapshot.segments) count += segment.numRootDocs;
      snapshot.release();
    }
  }
  return [{ ...clockCells(Date.now()), count }];
}

function aliasRows(request: ApiRequest, { engine }: RestContext): Row[] {
  const names = request.list('name');
  const target: IndexTarget = { index: null, expandWildcards: request.list('expand_wildcards') ?? ['all'] };
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

function matchesName(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name || pattern === '_all';
  return new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  ).test(name);
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

function textCell(value: unknown): string | null {
  return value === undefined || value === null ? null : String(value);
}

function nodeRows(request: ApiRequest, { engine, settings, startedMs }: RestContext): Row[] {
  const { host, port } = addressOf(engine);
  const isFull = request.boolean('full_id') ?? false;
  const { heapUsed, heapTotal } = process.memoryUsage();
  const { cpu, mem } = osStats() as {
    cpu: { percent: number; load_average: Record<string, number> };
    mem: { used_percent: number; total_in_bytes: number; used_in_bytes: number };
  };
  const disk = diskSpace(settings['path.data']);
  const descriptors = fileDescriptors();
  const used = disk.totalBytes - disk.availableBytes;
  return [
    {
      id: isFull ? engine.nodeId : engine.nodeId.slice(0, 4),
      pid: process.pid,
      ip: host,
      port: port ?? '-',
      http_address: engine.publishAddress ?? '-',
      version: settings['compat.version'],
      type: 'tar',
      build: 'gannet',
      jdk: process.versions.node,
      'disk.total': { bytes: disk.totalBytes },
      'disk.used': { bytes: used },
      'disk.avail': { bytes: disk.availableBytes },
      'disk.used_percent': ((used * 100) / disk.totalBytes).toFixed(2),
      'heap.current': { bytes: heapUsed },
      'heap.percent': Math.round((heapUsed * 100) / heapTotal),
      'heap.max': { bytes: heapTotal },
      'ram.current': { bytes: mem.used_in_bytes },
      'ram.percent': mem.used_percent,
      'ram.max': { bytes: mem.total_in_bytes },
      'file_desc.current': descriptors.current,
      'file_desc.percent': descriptors.max > 0 ? Math.round((descriptors.current * 100) / descriptors.max) : 0,
      'file_desc.max': descriptors.max,
      cpu: cpu.percent,
      load_1m: cpu.load_average['1m'].toFixed(2),
      load_5m: cpu.load_average['5m'].toFixed(2),
      load_15m: cpu.load_average['15m'].toFixed(2),
      uptime: { ms: Date.now() - startedMs },
      'node.role': 'dimr',
      'node.roles': 'cluster_manager,data,ingest,remote_cluster_client',
      cluster_manager: '*',
      name: engine.nodeName,
    },
  ];
}

async function allocationRows(request: ApiRequest, { engine, settings }: RestContext): Promise<Row[]> {
  if (!isThisNode(engine, request.list('node_id') ?? [])) return [];
  const { host } = addressOf(engine);
  const disk = diskSpace(settings['path.data']);
  const used = disk.totalBytes - disk.availableBytes;
  const counts = Object.values(engine.cluster.indices).map(shardCounts);
  const sizeBytes = counts.length === 0 ? 0 : (await nodeTotals(engine)).sizeBytes;
  const rows: Row[] = [
    {
      shards: counts.reduce((sum, { primaries }) => sum + primaries, 0),
      'disk.indices': { bytes: sizeBytes },
      'disk.used': { bytes: used },
      'disk.avail': { bytes: disk.availableBytes },
      'disk.total': { bytes: disk.totalBytes },
      'disk.percent': Math.floor((used * 100) / disk.totalBytes),
      host,
      ip: host,
      node: engine.nodeName,
    },
  ];
  const unassigned = counts.reduce((sum, count) => sum + count.unassigned, 0);
  if (unassigned > 0) rows.push({ shards: unassigned, node: 'UNASSIGNED' });
  return rows;
}

function managerRows(_request: ApiRequest, { engine }: RestContext): Row[] {
  const { host } = addressOf(engine);
  return [{ id: engine.nodeId, host, ip: host, node: engine.nodeName }];
}

async function recoveryRows(request: ApiRequest, { engine }: RestContext): Promise<Row[]> {
  if (request.boolean('active_only')) return [];
  const { host } = addressOf(engine);
  const rows: Row[] = [];
  for (const { index, shards } of await statsOf(engine, readTarget(request), false)) {
    for (const shard of shards) {
      const bytes = { bytes: shard.sizeBytes };
      rows.push({
        index: index.meta.name,
        shard: shard.shard,
        start_time: new Date(index.meta.creationDateMs).toISOString(),
        start_time_millis: index.meta.creationDateMs,
        stop_time: new Date(index.meta.creationDateMs).toISOString(),
        stop_time_millis: index.meta.creationDateMs,
        time: '0s',
        type: recoveryType(index, shard).toLowerCase(),
        stage: 'done',
        source_host: 'n/a',
        source_node: 'n/a',
        target_host: host,
        target_node: engine.nodeName,
        repository: 'n/a',
        snapshot: 'n/a',
        files: 0,
        files_recovered: 0,
        files_percent: '0.0%',
        files_total: shard.segments,
        bytes: { bytes: 0 },
        bytes_recovered: { bytes: 0 },
        bytes_percent: '0.0%',
        bytes_total: bytes,
        translog_ops: 0,
        translog_ops_recovered: 0,
        translog_ops_percent: '100.0%',
      });
    }
  }
  return rows;
}

/** Rows of one page: `_list` has the tables of `_cat` in pages, ordered by creation of the index. */
const MIN_PAGE = 1;
const MAX_PAGE = 5000;
const DEFAULT_PAGE = 500;

/** The table with the token of the next page: the creation and name of the last index shown. */
function listApi(name: string, shown: readonly Column[], rows: Rows): ApiSpec {
  const handler: ApiHandler = async (request, context) => {
    const size = request.int('size') ?? DEFAULT_PAGE;
    if (size < MIN_PAGE || size > MAX_PAGE) throw illegalArgument(`size must be between ${MIN_PAGE} and ${MAX_PAGE}`);
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
    const table = await catTable(request, shown, page);
    if (table.text !== undefined) return request.boolean('help') ? table : { ...table, text: `${table.text}next_token ${next}\n` };
    return ok({ next_token: next === 'null' ? null : next, [name]: table.body });
  };
  return defineApi({
    name: `list.${name}`,
    needs: 'index:metadata',
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
    throw illegalArgument(`Parameter [next_token] has been tainted and is incorrect. Please provide a valid [next_token].`);
  return key;
}

async function fielddataRows(request: ApiRequest, { engine }: RestContext): Promise<Row[]> {
  const { host } = addressOf(engine);
  const patterns = request.list('fields') ?? ['*'];
  return (await fielddataOf(engine, patterns)).map(([field, bytes]) => ({
    id: engine.nodeId,
    host,
    ip: host,
    node: engine.nodeName,
    field,
    size: { bytes },
  }));
}

const NO_ROWS: Rows = () => [];
const HIDDEN: Params = { expand_wildcards: 'expandWildcards' };

const TABLES: readonly ApiSpec[] = [
  catApi('indices', ['/_cat/indices', '/_cat/indices/{index}'], columns.INDICES, indexRows, 'index:metadata', {
    ...INDICES_OPTIONS,
    health: 'string',
    pri: 'boolean',
    include_unloaded_segments: 'boolean',
  }),
  catApi('shards', ['/_cat/shards', '/_cat/shards/{index}'], columns.SHARDS, shardRows, 'index:metadata', INDICES_OPTIONS),
  catApi('segments', ['/_cat/segments', '/_cat/segments/{index}'], columns.SEGMENTS, segmentRows, 'index:metadata', INDICES_OPTIONS),
  defineApi({
    name: 'cat.health',
    needs: 'cluster:monitor',
    isText: true,
    params: { ...CAT_PARAMS, ts: 'boolean' },
    routes: { 'GET /_cat/health': healthHandler },
  }),
  catApi('count', ['/_cat/count', '/_cat/count/{index}'], columns.COUNT, countRows, 'index:read', INDICES_OPTIONS),
  catApi('aliases', ['/_cat/aliases', '/_cat/aliases/{name}'], columns.ALIASES, aliasRows, 'index:metadata', HIDDEN),
  catApi('templates', ['/_cat/templates', '/_cat/templates/{name}'], columns.TEMPLATES, templateRows, 'cluster:monitor'),
  catApi('nodes', ['/_cat/nodes'], columns.NODES, nodeRows, 'cluster:monitor', {
    full_id: 'boolean',
    include_unloaded_segments: 'boolean',
  }),
  catApi('allocation', ['/_cat/allocation', '/_cat/allocation/{node_id}'], columns.ALLOCATION, allocationRows, 'cluster:monitor'),
  catApi('master', ['/_cat/master', '/_cat/cluster_manager'], columns.MANAGER, managerRows, 'cluster:monitor'),
  catApi('recovery', ['/_cat/recovery', '/_cat/recovery/{index}'], columns.RECOVERY, recoveryRows, 'index:metadata', {
    ...INDICES_OPTIONS,
    active_only: 'boolean',
    detailed: 'boolean',
  }),
  catApi('plugins', ['/_cat/plugins'], columns.PLUGINS, NO_ROWS, 'cluster:monitor'),
  catApi('pending_tasks', ['/_cat/pending_tasks'], columns.PENDING_TASKS, NO_ROWS, 'cluster:monitor'),
  catApi('nodeattrs', ['/_cat/nodeattrs'], columns.NODE_ATTRIBUTES, NO_ROWS, 'cluster:monitor'),
  catApi('fielddata', ['/_cat/fielddata', '/_cat/fielddata/{fields}'], columns.FIELDDATA, fielddataRows, 'cluster:monitor', {
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
    params: CAT_PARAMS,
    routes: {
      'GET /_cat': () => {
        const paths = TABLES.flatMap((api) => Object.keys(api.routes).map((route) => route.split(' ')[1])).sort();
        return { status: 200, text: `=^.^=\n${paths.join('\n')}\n` };
      },
    },
  }),
];
