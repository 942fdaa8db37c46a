// Commands on snapshot lifecycle policies: put, delete, start and stop, and the results of their runs.
import type { JsonObject } from '../../common/json/json-value.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import type { ClusterState, PolicyRun, PolicyStats, SnapshotLifecycle, SnapshotPolicy } from '../cluster-state.ts';
import { resolveDateMathName } from '../date-math-name.ts';
import { repositoriesOf } from '../definitions/repositories.ts';
import { ACKNOWLEDGED, type Reducer } from '../reducer.ts';
import { Cron } from './cron.ts';

/** Default of Elasticsearch's setting `slm.retention_schedule`. */
export const RETENTION_SCHEDULE = '0 30 1 * * ?';
/** Default of Elasticsearch's setting `slm.minimum_interval`. */
const MIN_INTERVAL_MS = 15 * 60_000;
const MAX_POLICIES = 1000;
const NO_STATS: PolicyStats = { taken: 0, failed: 0, deleted: 0, deletionFailures: 0 };

const EMPTY: SnapshotLifecycle = {
  isStopped: false,
  policies: {},
  retention: { runs: 0, failed: 0, timedOut: 0, deletionMs: 0 },
};

export function lifecycleOf(state: ClusterState): SnapshotLifecycle {
  return state.snapshotLifecycle ?? EMPTY;
}

/** @throws ApiError resource_not_found_exception */
function policyOf(state: ClusterState, id: string): SnapshotPolicy {
  const { policies } = lifecycleOf(state);
  if (!Object.hasOwn(policies, id)) throw new ApiError('resource_not_found_exception', 404, `snapshot lifecycle policy not found: ${id}`);
  return policies[id];
}

function withLifecycle(state: ClusterState, change: Partial<SnapshotLifecycle>): ClusterState {
  return { ...state, version: state.version + 1, snapshotLifecycle: { ...lifecycleOf(state), ...change } };
}

/** A definition that `checkPolicy` accepts. */
export const putPolicy: Reducer<{ readonly id: string; readonly policy: JsonObject }> = (state, { id, policy }, env) => {
  checkPolicy(id, policy, env.nowMs);
  if (!Object.hasOwn(repositoriesOf(state), String(policy.repository)))
    throw illegalArgumentError(`no such repository [${String(policy.repository)}]`);
  const { policies } = lifecycleOf(state);
  const before = Object.hasOwn(policies, id) ? policies[id] : null;
  if (before === null && Object.keys(policies).length >= MAX_POLICIES)
    throw illegalArgumentError(`there are ${MAX_POLICIES} snapshot lifecycle policies already`);
  const next: SnapshotPolicy = {
    version: (before?.version ?? 0) + 1,
    modifiedMs: env.nowMs,
    policy,
    lastSuccess: before?.lastSuccess ?? null,
    lastFailure: before?.lastFailure ?? null,
    stats: before?.stats ?? NO_STATS,
  };
  return { state: withLifecycle(state, { policies: { ...policies, [id]: next } }), response: ACKNOWLEDGED };
};

export const deletePolicy: Reducer<{ readonly id: string }> = (state, { id }) => {
  policyOf(state, id);
  const { [id]: _, ...policies } = lifecycleOf(state).policies;
  return { state: withLifecycle(state, { policies }), response: ACKNOWLEDGED };
};

export const setLifecycleMode: Reducer<{ readonly isStopped: boolean }> = (state, { isStopped }) => ({
  state: lifecycleOf(state).isStopped === isStopped ? state : withLifecycle(state, { isStopped }),
  response: ACKNOWLEDGED,
});

/** Records a snapshot that a policy has made or failed to make. A policy that was deleted meanwhile is ignored. */
export const recordPolicyRun: Reducer<{ readonly id: string; readonly run: PolicyRun; readonly isSuccess: boolean }> = (
  state,
  { id, run, isSuccess },
) => {
  const { policies } = lifecycleOf(state);
  if (!Object.hasOwn(policies, id)) return { state, response: ACKNOWLEDGED };
  const before = policies[id];
  const stats = isSuccess ? { ...before.stats, taken: before.stats.taken + 1 } : { ...before.stats, failed: before.stats.failed + 1 };
  const next = { ...before, stats, ...(isSuccess ? { lastSuccess: run } : { lastFailure: run }) };
  return { state: withLifecycle(state, { policies: { ...policies, [id]: next } }), response: ACKNOWLEDGED };
};

/** Records a run of retention. */
export const recordRetention: Reducer<{
  readonly isFailed: boolean;
  readonly deletionMs: number;
  /** Deleted snapshots and failures by policy. */
  readonly policies: Readonly<Record<string, { readonly deleted: number; readonly failures: number }>>;
}> = (state, { isFailed, deletionMs, policies: counts }) => {
  const { retention, policies } = lifecycleOf(state);
  const changed: Record<string, SnapshotPolicy> = { ...policies };
  for (const [id, { deleted, failures }] of Object.entries(counts)) {
    if (!Object.hasOwn(policies, id)) continue;
    const { stats } = policies[id];
    changed[id] = {
      ...policies[id],
      stats: { ...stats, deleted: stats.deleted + deleted, deletionFailures: stats.deletionFailures + failures },
    };
  }
  const next = {
    ...retention,
    runs: retention.runs + 1,
    failed: retention.failed + (isFailed ? 1 : 0),
    deletionMs: retention.deletionMs + deletionMs,
  };
  return { state: withLifecycle(state, { policies: changed, retention: next }), response: ACKNOWLEDGED };
};

// ------------------------------------------------------------------------------------------------------------ definition

const KEYS = ['name', 'schedule', 'repository', 'config', 'retention'];

/** @throws ApiError action_request_validation_exception: all problems of the definition */
function checkPolicy(id: string, policy: JsonObject, nowMs: number): void {
  const problems: string[] = [];
  if (/[#,\s\\/*?"<>|]/.test(id))
    problems.push(`invalid policy id [${id}]: must not contain whitespace or the characters # , \\ / * ? " < > |`);
  if (id.startsWith('_')) problems.push(`invalid policy id [${id}]: must not start with '_'`);
  if (Buffer.byteLength(id) > 255) problems.push('invalid policy id: is longer than 255 bytes');
  for (const key of Object.keys(policy)) if (!KEYS.includes(key)) problems.push(`unknown field [${key}]`);
  problems.push(...nameProblems(policy.name), ...scheduleProblems(policy.schedule, nowMs));
  if (typeof policy.repository !== 'string' || policy.repository === '') problems.push('invalid repository name [null]: cannot be empty');
  problems.push(...retentionProblems(policy.retention));
  if (problems.length > 0) throw validationFailedError(problems);
}

function nameProblems(name: unknown): string[] {
  if (typeof name !== 'string' || name === '') return [`invalid snapshot name [${String(name)}]: cannot be empty`];
  try {
    const resolved = resolveDateMathName(name, 0);
    if (/[#,\s\\/*?"<>|]/.test(resolved) || resolved !== resolved.toLowerCase() || resolved.startsWith('_'))
      return [`invalid snapshot name [${name}]: must be lowercase, without whitespace and the characters # , \\ / * ? " < > |`];
    return [];
  } catch (error) {
    return [`invalid snapshot name [${name}]: ${(error as Error).message}`];
  }
}

function scheduleProblems(schedule: unknown, nowMs: number): string[] {
  if (typeof schedule !== 'string') return [`invalid schedule [${String(schedule)}]: must not be empty`];
  try {
    const first = nextRunMs(schedule, nowMs);
    if (first === null) return [`invalid schedule [${schedule}]: it is never due`];
    const second = nextRunMs(schedule, first);
    if (second !== null && second - first < MIN_INTERVAL_MS)
      return [`invalid schedule [${schedule}]: schedule would be too frequent, executing more than every [15m]`];
    return [];
  } catch {
    return [`invalid schedule [${schedule}]: must be a valid cron expression or time unit`];
  }
}

/** The first time after `ms` at which a schedule, a cron expression or an interval, is due; null if there is none. @throws Error */
export function nextRunMs(schedule: string, ms: number): number | null {
  const interval = parseDurationMs(schedule);
  if (interval !== null && interval > 0) return ms + interval;
  return new Cron(schedule).next(ms);
}

function retentionProblems(retention: unknown): string[] {
  if (retention === undefined || retention === null) return [];
  const { expire_after, min_count, max_count, ...rest } = retention as JsonObject;
  const problems = Object.keys(rest).map((key) => `unknown field [retention.${key}]`);
  if (expire_after !== undefined && parseDurationMs(String(expire_after)) === null)
    problems.push(`invalid retention [expire_after]: [${String(expire_after)}] is not a time value`);
  for (const [name, count] of Object.entries({ min_count, max_count })) {
    if (count !== undefined && (!Number.isInteger(Number(count)) || Number(count) < 1))
      problems.push(`${name === 'min_count' ? 'minimum' : 'maximum'} snapshot count must be at least 1, but was: ${String(count)}`);
  }
  if (min_count !== undefined && max_count !== undefined && Number(min_count) > Number(max_count))
    problems.push(`minimum snapshot count ${String(min_count)} cannot be larger than maximum snapshot count ${String(max_count)}`);
  return problems;
}
