// Cluster health, state, statistics, settings, pending tasks.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  clusterHealth,
  clusterSettings,
  clusterState,
  clusterStats,
  type Health,
  putClusterSettings,
  STATE_METRICS,
  type StateMetric,
  shardCounts,
} from '../../api/cluster/cluster.ts';
import { withHumanValues } from '../../api/core/human-values.ts';
import { TARGETS, targetNames } from '../../api/core/index-names.ts';
import { showSettings } from '../../api/indices/indices.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type RestContext, TIMEOUTS } from '../core/api.ts';
import { readTarget } from '../core/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';
import { objectBody } from '../indices/indices.ts';

const HEALTHS: readonly Health[] = ['green', 'yellow', 'red'];
const DEFAULT_TIMEOUT_MS = 30_000;
const POLL_MS = 20;

export const clusterHealthApi = defineApi({
  name: 'cluster.health',
  needs: 'cluster:monitor',
  params: {
    ...INDICES_OPTIONS,
    ...TIMEOUTS,
    level: 'string',
    local: 'boolean',
    wait_for_active_shards: 'activeShards',
    wait_for_nodes: 'string',
    wait_for_events: 'string',
    wait_for_no_relocating_shards: 'boolean',
    wait_for_no_initializing_shards: 'boolean',
    wait_for_status: 'string',
    awareness_attribute: 'string',
    ensure_node_weighed_in: 'boolean',
  },
  routes: { 'GET /_cluster/health': health, 'GET /_cluster/health/{index}': health },
});

/** Waits until what was asked for holds; 408 with `timed_out` when it does not in time. */
async function health(request: ApiRequest, context: RestContext): Promise<ApiResponse> {
  const level = request.string('level') ?? 'cluster';
  if (level !== 'cluster' && level !== 'indices' && level !== 'shards' && level !== 'awareness_attributes')
    throw illegalArgument(`unknown level parameter [${level}]`);
  const isMet = readConditions(request, context);
  const deadline = Date.now() + (request.timeMs('timeout') ?? DEFAULT_TIMEOUT_MS);
  for (;;) {
    const { names, missing } = healthTargets(request, context);
    const body = clusterHealth(context.engine, { indices: names, level: level === 'awareness_attributes' ? 'cluster' : level });
    if (missing) body.status = 'red';
    if (!missing && isMet(body, names)) return ok(body);
    if (Date.now() >= deadline || request.reply.aborted) return answer(408, { ...body, timed_out: true });
    await sleep(Math.min(POLL_MS, Math.max(1, deadline - Date.now())));
  }
}

/** A named index that does not exist is waited for. */
function healthTargets(request: ApiRequest, context: RestContext): { names: string[]; missing: boolean } {
  const expression = request.string('index');
  const target = { ...readTarget(request), ignoreUnavailable: true, expandWildcards: request.list('expand_wildcards') ?? ['all'] };
  const names = targetNames(context.engine, target, TARGETS.any);
  const missing = (expression ?? '')
    .split(',')
    .some((name) => name !== '' && name !== '_all' && !name.includes('*') && !isKnown(context, name));
  return { names, missing };
}

function isKnown(context: RestContext, name: string): boolean {
  const { indices } = context.engine.cluster;
  return Object.hasOwn(indices, name) || Object.values(indices).some((meta) => Object.hasOwn(meta.aliases, name));
}

function readConditions(request: ApiRequest, context: RestContext): (body: { status: Health }, names: readonly string[]) => boolean {
  const status = request.string('wait_for_status')?.toLowerCase() as Health | undefined;
  if (status !== undefined && !HEALTHS.includes(status)) throw illegalArgument(`unknown cluster health status [${status}]`);
  const nodes = /^(>=|<=|>|<|ge\(|le\(|gt\(|lt\()?(\d+)\)?$/.exec(request.string('wait_for_nodes') ?? '1');
  if (!nodes) throw illegalArgument(`Could not parse wait_for_nodes [${request.string('wait_for_nodes')}]`);
  const wanted = Number(nodes[2]);
  const hasNodes = compareNodes(nodes[1] ?? '', wanted);
  const shards = request.string('wait_for_active_shards') ?? '0';
  return (body, names) => {
    if (!hasNodes) return false;
    if (status !== undefined && HEALTHS.indexOf(body.status) > HEALTHS.indexOf(status)) return false;
    const active = names.reduce(
      (sum, name) => sum + (context.engine.cluster.indices[name] ? shardCounts(context.engine.cluster.indices[name]).primaries : 0),
      0,
    );
    return shards === 'all' ? body.status === 'green' : active >= Number(shards);
  };
}

function compareNodes(operator: string, wanted: number): boolean {
  switch (operator) {
    case '>=':
    case 'ge(':
      return wanted <= 1;
    case '<=':
    case 'le(':
      return wanted >= 1;
    case '>':
    case 'gt(':
      return wanted < 1;
    case '<':
    case 'lt(':
      return wanted > 1;
    default:
      return wanted === 1;
  }
}

export const clusterStateApi = defineApi({
  name: 'cluster.state',
  needs: 'cluster:monitor',
  params: {
    ...INDICES_OPTIONS,
    local: 'boolean',
    master_timeout: 'time',
    cluster_manager_timeout: 'time',
    flat_settings: 'boolean',
    wait_for_metadata_version: 'long',
    wait_for_timeout: 'time',
  },
  routes: {
    'GET /_cluster/state': state,
    'GET /_cluster/state/{metric}': state,
    'GET /_cluster/state/{metric}/{index}': state,
  },
});

function state(request: ApiRequest, context: RestContext): ApiResponse {
  const names = request.list('metric') ?? ['_all'];
  const metrics = new Set<StateMetric>();
  for (const name of names) {
    if (name === '_all') for (const metric of STATE_METRICS) metrics.add(metric);
    else if ((STATE_METRICS as readonly string[]).includes(name)) metrics.add(name as StateMetric);
  }
  const indices = targetNames(context.engine, { expandWildcards: ['all'], ...readTarget(request) }, TARGETS.any);
  const isFlat = request.boolean('flat_settings') ?? false;
  return ok(clusterState(context.engine, { metrics, indices, showSettings: (meta) => showSettings(meta, { flat: isFlat }) }));
}

export const clusterStatsApi = defineApi({
  name: 'cluster.stats',
  needs: 'cluster:monitor',
  params: { flat_settings: 'boolean', timeout: 'time' },
  routes: {
    'GET /_cluster/stats': stats,
    'GET /_cluster/stats/nodes/{node_id}': stats,
    'GET /_cluster/stats/{metric}/nodes/{node_id}': stats,
    'GET /_cluster/stats/{metric}/{index_metric}/nodes/{node_id}': stats,
  },
});

async function stats(request: ApiRequest, { engine, settings }: RestContext): Promise<ApiResponse> {
  const answer = await clusterStats(engine, settings['compat.version']);
  const { indices, nodes, ...rest } = request.boolean('human') ? (withHumanValues(answer) as typeof answer) : answer;
  const metrics = request.list('metric') ?? ['_all'];
  if (metrics.includes('_all')) return ok({ ...rest, indices, nodes });
  const parts = request.list('index_metric') ?? ['_all'];
  const shownIndices = metrics.includes('indices') ? { indices: parts.includes('_all') ? indices : only(indices, parts) } : {};
  return ok({ ...rest, ...shownIndices, nodes: only(nodes, metrics) });
}

function only(value: unknown, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value as Record<string, unknown>).filter(([key]) => keys.includes(key)));
}

export const pendingTasksApi = defineApi({
  name: 'cluster.pending_tasks',
  needs: 'cluster:monitor',
  params: { local: 'boolean', master_timeout: 'time', cluster_manager_timeout: 'time' },
  routes: { 'GET /_cluster/pending_tasks': () => ok({ tasks: [] }) },
});

export const remoteInfoApi = defineApi({
  name: 'cluster.remote_info',
  needs: 'cluster:monitor',
  routes: { 'GET /_remote/info': () => ok({}) },
});

export const clusterSettingsApi = defineApi({
  name: 'cluster.settings',
  body: 'json!',
  needs: 'cluster:manage',
  params: { ...TIMEOUTS, flat_settings: 'boolean' },
  routes: {
    'PUT /_cluster/settings': async (request, { engine }) => {
      return ok(await putClusterSettings(engine, { body: objectBody(request), flat: request.boolean('flat_settings') ?? false }));
    },
  },
});

export const getClusterSettingsApi = defineApi({
  name: 'cluster.get_settings',
  needs: 'cluster:monitor',
  params: { ...TIMEOUTS, flat_settings: 'boolean', include_defaults: 'boolean' },
  routes: {
    'GET /_cluster/settings': (request, { engine }) =>
      ok(
        clusterSettings(engine, {
          flat: request.boolean('flat_settings') ?? false,
          includeDefaults: request.boolean('include_defaults') ?? false,
        }),
      ),
  },
});

/** Nothing can move on a single node: the answer is the state as it is. */
export const rerouteApi = defineApi({
  name: 'cluster.reroute',
  body: 'json',
  needs: 'cluster:manage',
  params: { ...TIMEOUTS, dry_run: 'boolean', explain: 'boolean', retry_failed: 'boolean', metric: 'list' },
  routes: { 'POST /_cluster/reroute': reroute },
});

function reroute(request: ApiRequest, context: RestContext): ApiResponse {
  const { commands } = objectBody(request);
  if (Array.isArray(commands) && commands.length > 0) throw illegalArgument('[commands] cannot move shards on a single node');
  const names = request.list('metric') ?? STATE_METRICS.filter((metric) => metric !== 'metadata');
  const metrics = new Set<StateMetric>(names.includes('_all') ? STATE_METRICS : (names as StateMetric[]));
  const indices = Object.keys(context.engine.cluster.indices);
  const { cluster_name: _name, ...state } = clusterState(context.engine, { metrics, indices, showSettings: (meta) => showSettings(meta) });
  return ok({ acknowledged: true, state, ...(request.boolean('explain') ? { explanations: [] } : {}) });
}

/** Indices whose metadata is lost but whose files are there: recovery refuses to start with such, so there are none. */
export const danglingApi = defineApi({
  name: 'dangling_indices.list',
  needs: 'cluster:monitor',
  routes: {
    'GET /_dangling': (_request, { engine }) =>
      ok({ _nodes: { total: 1, successful: 1, failed: 0 }, cluster_name: engine.clusterName, dangling_indices: [] }),
  },
});
