// Snapshot lifecycle policies in the form of the API.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { formatDuration } from '../../common/text/time-unit.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { PolicyRun, PolicyStats } from '../../metadata/cluster-state.ts';
import { lifecycleOf, nextRunMs } from '../../metadata/policies/snapshot-policies.ts';
import type { EngineContext } from '../core/context.ts';

/** Policies by id. @throws ApiError resource_not_found_exception: none of the names exists */
export async function getPolicies(ctx: EngineContext, names: readonly string[], human: boolean): Promise<MutableJsonObject> {
  const { policies } = lifecycleOf(ctx.cluster);
  const ids = Object.keys(policies).filter((id) => names.length === 0 || names.some((name) => name === '_all' || matchesPattern(name, id)));
  if (ids.length === 0 && names.length > 0)
    throw new ApiError('resource_not_found_exception', 404, `snapshot lifecycle policy or policies [${names.join(', ')}] not found`);
  const { snapshots: running } = await ctx.snapshots.running();
  const body: MutableJsonObject = {};
  const nowMs = Date.now();
  for (const id of ids) {
    const { version, modifiedMs, policy, lastSuccess, lastFailure, stats } = policies[id];
    const next = nextRunMs(String(policy.schedule), nowMs);
    const current = running.find(({ metadata }) => metadata?.policy === id);
    body[id] = {
      version,
      ...time('modified_date', modifiedMs, human),
      policy,
      ...(lastSuccess === null ? {} : { last_success: showRun(lastSuccess, human) }),
      ...(lastFailure === null ? {} : { last_failure: showRun(lastFailure, human) }),
      ...(next === null ? {} : time('next_execution', next, human)),
      ...(current === undefined
        ? {}
        : {
            in_progress: {
              name: current.name,
              uuid: current.uuid,
              state: current.isAborted ? 'ABORTED' : 'STARTED',
              ...time('start_time', current.startMs, human, 'start_time_millis'),
            },
          }),
      stats: showStats(id, stats),
    };
  }
  return body;
}

function time(name: string, ms: number, human: boolean, field = `${name}_millis`): MutableJsonObject {
  return { ...(human ? { [name]: new Date(ms).toISOString() } : {}), [field]: ms };
}

function showRun({ snapshot, startMs, endMs, details }: PolicyRun, human: boolean): MutableJsonObject {
  return {
    snapshot_name: snapshot,
    ...(human ? { start_time_string: new Date(startMs).toISOString() } : {}),
    start_time: startMs,
    ...(human ? { time_string: new Date(endMs).toISOString() } : {}),
    time: endMs,
    ...(details === null ? {} : { details }),
  };
}

function showStats(policy: string, { taken, failed, deleted, deletionFailures }: PolicyStats): MutableJsonObject {
  return {
    policy,
    snapshots_taken: taken,
    snapshots_failed: failed,
    snapshots_deleted: deleted,
    snapshot_deletion_failures: deletionFailures,
  };
}

/** `_slm/stats`. */
export function lifecycleStats(ctx: EngineContext): MutableJsonObject {
  const { retention, policies } = lifecycleOf(ctx.cluster);
  const all = Object.values(policies).map(({ stats }) => stats);
  const sum = (value: (stats: PolicyStats) => number): number => all.reduce((total, stats) => total + value(stats), 0);
  return {
    retention_runs: retention.runs,
    retention_failed: retention.failed,
    retention_timed_out: retention.timedOut,
    retention_deletion_time: formatDuration(retention.deletionMs),
    retention_deletion_time_millis: retention.deletionMs,
    total_snapshots_taken: sum(({ taken }) => taken),
    total_snapshots_failed: sum(({ failed }) => failed),
    total_snapshots_deleted: sum(({ deleted }) => deleted),
    total_snapshot_deletion_failures: sum(({ deletionFailures }) => deletionFailures),
    policy_stats: Object.entries(policies).map(([id, { stats }]) => showStats(id, stats)),
  };
}

export function lifecycleMode(ctx: EngineContext): 'RUNNING' | 'STOPPED' {
  return lifecycleOf(ctx.cluster).isStopped ? 'STOPPED' : 'RUNNING';
}
