// Runs snapshot lifecycle policies: takes their snapshots when they are due, and deletes expired ones once a day.
import { randomBytes } from 'node:crypto';
import type { CreateSnapshot } from '../../../api/core/snapshot-store.ts';
import type { JsonObject } from '../../../common/json/json-value.ts';
import { writeJson } from '../../../common/json/json-write.ts';
import { parseDurationMs } from '../../../common/text/time-unit.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import { errorObject, toApiError } from '../../../errors/error-body.ts';
import type { ClusterState } from '../../../metadata/cluster-state.ts';
import { resolveDateMathName } from '../../../metadata/date-math-name.ts';
import { chosenFeatures, FEATURES, streamsIn } from '../../../metadata/indices/snapshot-content.ts';
import { lifecycleOf, nextRunMs, RETENTION_SCHEDULE } from '../../../metadata/policies/snapshot-policies.ts';
import { ADMIN_OPTIONS, resolveNames } from '../../../metadata/resolve.ts';
import type { SnapshotInfo } from '../../../snapshots/snapshot-types.ts';
import type { SnapshotsEnvironment } from './snapshots-environment.ts';

/** Longest time that a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface LifecycleOperations {
  create(request: CreateSnapshot): Promise<SnapshotInfo | null>;
  list(repository: string): Promise<readonly SnapshotInfo[]>;
  delete(repository: string, snapshots: readonly string[]): Promise<unknown>;
}

export class SnapshotLifecycleRunner {
  readonly #env: Pick<SnapshotsEnvironment, 'state' | 'command' | 'log'>;
  readonly #operations: LifecycleOperations;
  #timer: NodeJS.Timeout | undefined;
  #scheduledFor: ClusterState['snapshotLifecycle'];
  /** Times at which the policies are due, by id, with their definitions. */
  readonly #due = new Map<string, { readonly policy: JsonObject; atMs: number | null }>();
  #retentionAtMs: number | null = null;
  #isEnded = false;

  constructor(env: Pick<SnapshotsEnvironment, 'state' | 'command' | 'log'>, operations: LifecycleOperations) {
    this.#env = env;
    this.#operations = operations;
  }

  /** To be called at the start, and after each change of the cluster state. */
  update(): void {
    const { snapshotLifecycle } = this.#env.state();
    if (snapshotLifecycle === this.#scheduledFor || this.#isEnded) return;
    this.#scheduledFor = snapshotLifecycle;
    this.#schedule();
  }

  stop(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  /** Sets the timer for what is due next. A run that was missed while the node was down is skipped. */
  #schedule(): void {
    clearTimeout(this.#timer);
    const { policies, isStopped } = lifecycleOf(this.#env.state());
    const nowMs = Date.now();
    for (const id of this.#due.keys()) if (!Object.hasOwn(policies, id)) this.#due.delete(id);
    for (const [id, { policy }] of Object.entries(policies)) {
      if (this.#due.get(id)?.policy !== policy) this.#due.set(id, { policy, atMs: nextRunMs(String(policy.schedule), nowMs) });
    }
    if (isStopped || this.#due.size === 0 || this.#isEnded) return;
    this.#retentionAtMs ??= nextRunMs(RETENTION_SCHEDULE, nowMs);
    const times = [this.#retentionAtMs, ...[...this.#due.values()].map(({ atMs }) => atMs)].filter((atMs) => atMs !== null);
    if (times.length === 0) return;
    const waitMs = Math.min(MAX_TIMER_MS, Math.max(0, Math.min(...times) - nowMs));
    this.#timer = setTimeout(() => this.#run(), waitMs);
    this.#timer.unref();
  }

  #run(): void {
    const nowMs = Date.now();
    for (const [id, entry] of this.#due) {
      if (entry.atMs === null || entry.atMs > nowMs) continue;
      entry.atMs = nextRunMs(String(entry.policy.schedule), nowMs);
      try {
        this.execute(id);
      } catch (error) {
        this.#env.log('warn', `snapshot lifecycle policy [${id}] failed: ${(error as Error).message}`);
      }
    }
    if (this.#retentionAtMs !== null && this.#retentionAtMs <= nowMs) {
      this.#retentionAtMs = nextRunMs(RETENTION_SCHEDULE, nowMs);
      this.executeRetention().catch((error) => this.#env.log('warn', `snapshot retention failed: ${error.message}`));
    }
    this.#schedule();
  }

  // ------------------------------------------------------------------------------------------------------- snapshots

  /** Starts a snapshot. @returns its name. @throws ApiError illegal_argument_exception: no such policy */
  execute(id: string): string {
    const { policies } = lifecycleOf(this.#env.state());
    if (!Object.hasOwn(policies, id)) throw illegalArgumentError(`no such policy [${id}]`);
    const { policy } = policies[id];
    const startMs = Date.now();
    const suffix = randomBytes(16).toString('hex').slice(0, 22);
    const snapshot = `${resolveDateMathName(String(policy.name), startMs)}-${suffix}`.toLowerCase();
    this.#take(id, policy, snapshot).then(
      () => this.#record(id, snapshot, startMs, null),
      (error) => this.#record(id, snapshot, startMs, toApiError(error)),
    );
    return snapshot;
  }

  async #take(id: string, policy: JsonObject, snapshot: string): Promise<void> {
    const config = (policy.config ?? {}) as JsonObject;
    const isTrue = (value: unknown, fallback: boolean): boolean => (value === undefined ? fallback : String(value) === 'true');
    const state = this.#env.state();
    const expression = [config.indices ?? []].flat().map(String);
    const includeGlobalState = isTrue(config.include_global_state, true);
    const indices = resolveNames(state, expression, {
      ...ADMIN_OPTIONS,
      expandHidden: true,
      ignoreUnavailable: isTrue(config.ignore_unavailable, false),
    });
    const info = await this.#operations.create({
      repository: String(policy.repository),
      snapshot,
      indices,
      metadata: { ...(config.metadata as JsonObject | undefined), policy: id },
      includeGlobalState,
      dataStreams: streamsIn(state, expression, indices),
      features: chosenFeatures([config.feature_states ?? []].flat().map(String), includeGlobalState, Object.keys(FEATURES)),
      partial: isTrue(config.partial, false),
      wait: true,
    });
    if (info !== null && info.state !== 'SUCCESS')
      throw new ApiError(
        'snapshot_exception',
        500,
        `[${String(policy.repository)}:${snapshot}] failed to create snapshot successfully, ${info.failures.length} out of ${info.totalShards} total shards failed`,
      );
  }

  async #record(id: string, snapshot: string, startMs: number, error: ApiError | null): Promise<void> {
    if (this.#isEnded) return;
    if (error !== null) this.#env.log('warn', `snapshot lifecycle policy [${id}] failed: ${error.message}`);
    const run = { snapshot, startMs, endMs: Date.now(), details: error === null ? null : writeJson(errorObject(error)) };
    await this.#env
      .command('recordPolicyRun', { id, run, isSuccess: error === null })
      .catch((problem) => this.#env.log('warn', `run of snapshot lifecycle policy [${id}] is not recorded: ${problem.message}`));
  }

  // ------------------------------------------------------------------------------------------------------- retention

  async executeRetention(): Promise<void> {
    const startMs = Date.now();
    const counts: Record<string, { deleted: number; failures: number }> = {};
    let isFailed = false;
    for (const [id, { policy }] of Object.entries(lifecycleOf(this.#env.state()).policies)) {
      if (policy.retention === undefined || policy.retention === null) continue;
      const repository = String(policy.repository);
      counts[id] = { deleted: 0, failures: 0 };
      try {
        const own = (await this.#operations.list(repository)).filter(({ metadata }) => metadata?.policy === id);
        const expired = expiredSnapshots(own, policy.retention as JsonObject, startMs);
        if (expired.length > 0)
          await this.#operations.delete(
            repository,
            expired.map(({ name }) => name),
          );
        counts[id].deleted = expired.length;
      } catch (error) {
        isFailed = true;
        counts[id].failures++;
        this.#env.log('warn', `retention of snapshot lifecycle policy [${id}] failed: ${(error as Error).message}`);
      }
    }
    if (!this.#isEnded) await this.#env.command('recordRetention', { isFailed, deletionMs: Date.now() - startMs, policies: counts });
  }
}

/**
 * The snapshots of a policy that its retention does not keep: those over `max_count`, then those older than `expire_after` as long as `min_count`
 * remain. Only successful ones count; an unsuccessful one goes when a newer one succeeded and it has expired or is older than all that stay.
 */
export function expiredSnapshots(snapshots: readonly SnapshotInfo[], retention: JsonObject, nowMs: number): SnapshotInfo[] {
  const oldestFirst = [...snapshots].sort((a, b) => a.startMs - b.startMs);
  const successful = oldestFirst.filter(({ state }) => state === 'SUCCESS');
  const maxCount = retention.max_count === undefined ? Number.POSITIVE_INFINITY : Number(retention.max_count);
  const minCount = retention.min_count === undefined ? 0 : Number(retention.min_count);
  const expireMs = retention.expire_after === undefined ? null : parseDurationMs(String(retention.expire_after));
  const isExpired = ({ startMs }: SnapshotInfo): boolean => expireMs !== null && expireMs >= 0 && nowMs - startMs > expireMs;
  const expired = new Set<SnapshotInfo>();
  for (const snapshot of successful) {
    const left = successful.length - expired.size;
    if (left > maxCount || (left > minCount && isExpired(snapshot))) expired.add(snapshot);
  }
  const oldestKept = successful.find((snapshot) => !expired.has(snapshot))?.startMs ?? Number.NEGATIVE_INFINITY;
  const newest = successful.at(-1)?.startMs ?? Number.NEGATIVE_INFINITY;
  for (const snapshot of oldestFirst) {
    if (snapshot.state === 'SUCCESS' || snapshot.startMs > newest) continue;
    if (isExpired(snapshot) || (expired.size > 0 && snapshot.startMs < oldestKept)) expired.add(snapshot);
  }
  return oldestFirst.filter((snapshot) => expired.has(snapshot));
}
