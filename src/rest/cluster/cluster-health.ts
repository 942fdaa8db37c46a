// `_cluster/health`, which may wait for a condition.

import { setTimeout as sleep } from 'node:timers/promises';
import { clusterHealth, type HealthRequest } from '../../api/cluster/cluster-health.ts';
import { type Health, shardCounts } from '../../api/cluster/shard-counts.ts';
import { requireNames, TARGETS, targetNames } from '../../api/core/index-names.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, notNumberError, validationFailedError } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type RestContext, TIMEOUTS } from '../core/api.ts';
import { readTarget } from '../core/params/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';

const HEALTHS: readonly Health[] = ['green', 'yellow', 'red'];

const DEFAULT_TIMEOUT_MS = 30_000;

/** Health is computed again after this time even if the cluster state is the same: it also depends on what shards report. Doubles each time. */
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1000;
/** Interval between checks of the cluster state. */
const LOOK_MS = 50;

export const clusterHealthApi = defineApi({
  name: 'cluster.health',
  needs: 'cluster:monitor/health',
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

/** Waits until the requested conditions hold; 408 with `timed_out` if they do not in time. */
async function health(request: ApiRequest, context: RestContext): Promise<ApiResponse> {
  const level = readLevel(request, context.engine.dialect);
  const isMet = readConditions(request, context);
  const deadline = Date.now() + (request.timeMs('timeout') ?? DEFAULT_TIMEOUT_MS);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    const { names, shown, missing } = healthTargets(request, context);
    const body = clusterHealth(context.engine.whole, {
      indices: names,
      shown,
      level,
    });
    if (missing) body.status = 'red';
    if (!missing && isMet(body, names)) return ok(body);
    if (Date.now() >= deadline || request.reply.aborted) return answer(408, { ...body, timed_out: true });
    await changeOf(context, Math.min(deadline, Date.now() + pauseMs));
  }
}

/** @throws ApiError illegal_argument_exception, action_request_validation_exception */
function readLevel(request: ApiRequest, { refusesHealthLevels, namesClusterManager }: Dialect): HealthRequest['level'] {
  const given = request.string('level') ?? 'cluster';
  const level = given.toLowerCase();
  if (namesClusterManager) checkAwareness(request, level === 'awareness_attributes');
  if (level === 'cluster' || level === 'indices' || level === 'shards') return level;
  if (refusesHealthLevels)
    throw illegalArgumentError(`level parameter must be one of [cluster] or [indices] or [shards] but was [${given}]`);
  return 'cluster';
}

/** Rules of the parameters about awareness attributes, which only OpenSearch has. @throws ApiError action_request_validation_exception */
function checkAwareness(request: ApiRequest, isByAttribute: boolean): void {
  if (isByAttribute && request.string('index') !== undefined)
    throw validationFailedError(['awareness_attribute is not a supported parameter with index health']);
  if (!isByAttribute && request.string('awareness_attribute') !== undefined)
    throw validationFailedError(['level=awareness_attributes is required with awareness_attribute parameter']);
  if (request.boolean('ensure_node_weighed_in') && !request.boolean('local'))
    throw validationFailedError(['not a local request to ensure local node commissioned or weighed in']);
}

/** Resolves when the cluster state has changed, at the latest at `until`. */
async function changeOf(context: RestContext, until: number): Promise<void> {
  const before = context.engine.whole.cluster;
  // Threads receive states as messages without an event here, so the state is polled; a check costs one comparison.
  do await sleep(Math.min(LOOK_MS, Math.max(1, until - Date.now())));
  while (context.engine.whole.cluster === before && Date.now() < until);
}

/**
 * Indices of the request: without an expression all of the cluster, of which the caller sees those `shown`. Named indices that do not exist are
 * waited for.
 */
function healthTargets(request: ApiRequest, context: RestContext): { names: string[]; shown: string[]; missing: boolean } {
  const expression = request.string('index');
  if (expression !== undefined) requireNames(context.engine, expression);
  const target = { ...readTarget(request), ignoreUnavailable: true, expandWildcards: request.wildcardStates() ?? ['all'] };
  const names = targetNames(context.engine, target, TARGETS.any);
  const missing = (expression ?? '')
    .split(',')
    .some((name) => name !== '' && name !== '_all' && !name.includes('*') && !isKnown(context, name));
  const all = expression === undefined ? targetNames(context.engine.whole, target, TARGETS.any) : names;
  return { names: all, shown: names, missing };
}

function isKnown(context: RestContext, name: string): boolean {
  const { indices } = context.engine.cluster;
  return Object.hasOwn(indices, name) || Object.values(indices).some((meta) => Object.hasOwn(meta.aliases, name));
}

function readConditions(request: ApiRequest, context: RestContext): (body: { status: Health }, names: readonly string[]) => boolean {
  const status = request.string('wait_for_status')?.toLowerCase() as Health | undefined;
  if (status !== undefined && !HEALTHS.includes(status)) throw unknownStatusError(status, context.engine.dialect);
  checkEvents(request.string('wait_for_events'), context.engine.dialect);
  const nodes = readNodes(request.string('wait_for_nodes') ?? '');
  const shards = request.string('wait_for_active_shards') ?? '0';
  return (body, names) => {
    if (!compareNodes(context.engine.nodes.length, nodes.operator, nodes.count)) return false;
    // Resolved each time, because the request may wait for an index that does not exist yet.
    const { whole } = context.engine;
    const { indices } = whole.cluster;
    const activeOf = (name: string) => {
      const { primaries, activeReplicas } = shardCounts(whole, indices[name]);
      return primaries * (1 + activeReplicas);
    };
    if (status !== undefined && HEALTHS.indexOf(body.status) > HEALTHS.indexOf(status)) return false;
    const active = names.reduce((sum, name) => sum + (indices[name] ? activeOf(name) : 0), 0);
    return shards === 'all' ? body.status === 'green' : active >= Number(shards);
  };
}

function unknownStatusError(status: string, { namesClusterManager: isOpenSearch }: Dialect): ApiError {
  return unknownConstantError('cluster.health.ClusterHealthStatus', status, isOpenSearch);
}

function unknownConstantError(enumeration: string, value: string, isOpenSearch: boolean): ApiError {
  return illegalArgumentError(
    `No enum constant org.${isOpenSearch ? 'opensearch' : 'elasticsearch'}.${enumeration}.${value.toUpperCase()}`,
  );
}

const PRIORITIES = new Set(['immediate', 'urgent', 'high', 'normal', 'low', 'languid']);

/** No event of the cluster is ever pending here, so the priority is only checked. @throws ApiError illegal_argument_exception */
function checkEvents(priority: string | undefined, { namesClusterManager }: Dialect): void {
  if (priority !== undefined && !PRIORITIES.has(priority.toLowerCase()))
    throw unknownConstantError('common.Priority', priority, namesClusterManager);
}

/** `wait_for_nodes`: a count, or one with an operator: `>=2`, `ge(2)`. An empty one waits for nothing. @throws ApiError number_format_exception */
function readNodes(text: string): { operator: string; count: number } {
  if (text === '') return { operator: '>=', count: 0 };
  const operator = /^(?:>=|<=|>|<|(?:ge|le|gt|lt)\()/.exec(text)?.[0] ?? '';
  const digits = operator.endsWith('(') ? text.slice(operator.length, -1) : text.slice(operator.length);
  if (!/^[+-]?\d+$/.test(digits)) throw notNumberError(digits);
  return { operator, count: Number(digits) };
}

function compareNodes(count: number, operator: string, expected: number): boolean {
  switch (operator) {
    case '>=':
    case 'ge(':
      return count >= expected;
    case '<=':
    case 'le(':
      return count <= expected;
    case '>':
    case 'gt(':
      return count > expected;
    case '<':
    case 'lt(':
      return count < expected;
    default:
      return count === expected;
  }
}
