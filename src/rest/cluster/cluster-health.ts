// `_cluster/health`, which may wait for a condition.

import { setTimeout as sleep } from 'node:timers/promises';
import { clusterHealth } from '../../api/cluster/cluster-health.ts';
import { type Health, shardCounts } from '../../api/cluster/shard-counts.ts';
import { requireNames, TARGETS, targetNames } from '../../api/core/index-names.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type RestContext, TIMEOUTS } from '../core/api.ts';
import { readTarget } from '../core/index-expression.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, answer, ok } from '../core/response.ts';

const HEALTHS: readonly Health[] = ['green', 'yellow', 'red'];

const DEFAULT_TIMEOUT_MS = 30_000;

const POLL_MS = 20;

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
  const level = request.string('level') ?? 'cluster';
  if (level !== 'cluster' && level !== 'indices' && level !== 'shards' && level !== 'awareness_attributes')
    throw illegalArgumentError(`unknown level parameter [${level}]`);
  const isMet = readConditions(request, context);
  const deadline = Date.now() + (request.timeMs('timeout') ?? DEFAULT_TIMEOUT_MS);
  for (;;) {
    const { names, shown, missing } = healthTargets(request, context);
    const body = clusterHealth(context.engine.whole, {
      indices: names,
      shown,
      level: level === 'awareness_attributes' ? 'cluster' : level,
    });
    if (missing) body.status = 'red';
    if (!missing && isMet(body, names)) return ok(body);
    if (Date.now() >= deadline || request.reply.aborted) return answer(408, { ...body, timed_out: true });
    await sleep(Math.min(POLL_MS, Math.max(1, deadline - Date.now())));
  }
}

/**
 * Indices of the request: without an expression all of the cluster, of which the caller sees those `shown`. Named indices that do not exist are
 * waited for.
 */
function healthTargets(request: ApiRequest, context: RestContext): { names: string[]; shown: string[]; missing: boolean } {
  const expression = request.string('index');
  if (expression !== undefined) requireNames(context.engine, expression);
  const target = { ...readTarget(request), ignoreUnavailable: true, expandWildcards: request.list('expand_wildcards') ?? ['all'] };
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
  if (status !== undefined && !HEALTHS.includes(status)) throw illegalArgumentError(`unknown cluster health status [${status}]`);
  const nodes = /^(>=|<=|>|<|ge\(|le\(|gt\(|lt\()?(\d+)\)?$/.exec(request.string('wait_for_nodes') ?? '1');
  if (!nodes) throw illegalArgumentError(`Could not parse wait_for_nodes [${request.string('wait_for_nodes')}]`);
  const expected = Number(nodes[2]);
  const hasNodes = compareNodes(nodes[1] ?? '', expected);
  const shards = request.string('wait_for_active_shards') ?? '0';
  const { indices } = context.engine.whole.cluster;
  return (body, names) => {
    if (!hasNodes) return false;
    if (status !== undefined && HEALTHS.indexOf(body.status) > HEALTHS.indexOf(status)) return false;
    const active = names.reduce((sum, name) => sum + (indices[name] ? shardCounts(indices[name]).primaries : 0), 0);
    return shards === 'all' ? body.status === 'green' : active >= Number(shards);
  };
}

function compareNodes(operator: string, expected: number): boolean {
  switch (operator) {
    case '>=':
    case 'ge(':
      return expected <= 1;
    case '<=':
    case 'le(':
      return expected >= 1;
    case '>':
    case 'gt(':
      return expected < 1;
    case '<':
    case 'lt(':
      return expected > 1;
    default:
      return expected === 1;
  }
}
