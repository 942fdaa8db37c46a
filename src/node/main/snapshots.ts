// Repositories and snapshots, coordinated by main: which operations run or wait, and which indices must not be deleted meanwhile. The
// snapshot thread does the work on files. Changes of one repository run one after another. One class, since each
// operation is checked against those that run.
//   create    hold every shard at its current state ──► copy (thread) ──► add to the list ──► release the shards
//   restore   copy into new, unused logs and folders (thread) ──► add or replace the indices in one metadata command
import { randomBytes } from 'node:crypto';
import type { CloneSnapshot, CreateSnapshot, RunningSnapshot } from '../../api/core/snapshot-store.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { indexNotFoundError } from '../../errors/catalog.ts';
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import { repositoriesOf } from '../../metadata/definitions/repositories.ts';
import { globalStateOf } from '../../metadata/indices/restore-indices.ts';
import type { CommandArgs, CommandName } from '../../metadata/reducers.ts';
import { writeRecords } from '../../security/stored-records.ts';
import {
  concurrentSnapshotError,
  repositoryConflictError,
  repositoryError,
  repositoryMissingError,
  snapshotError,
  snapshotMissingError,
  snapshotNameInUseError,
} from '../../snapshots/repository-errors.ts';
import type { RepositoryConfig, ShardPlan, ShardProgress, SnapshotInfo, SnapshotPlan } from '../../snapshots/snapshot-types.ts';
import { errorData } from '../messages/channel.ts';
import type { FromSnapshots, SnapshotReplies, SnapshotRequest } from '../messages/snapshot-messages.ts';
import { Restores } from './restores.ts';
import { SnapshotLifecycleRunner } from './snapshot-lifecycle.ts';
import type { SnapshotsEnvironment } from './snapshots-environment.ts';

/** Default of Elasticsearch's setting `snapshot.max_concurrent_operations`. */
const MAX_OPERATIONS = 1000;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

interface Running extends Mutable<Omit<RunningSnapshot, 'indices'>> {
  indices: Record<string, ShardProgress[]>;
  /** uuids of the indices, which must not be deleted. */
  uuids: ReadonlySet<string>;
  done: Promise<unknown>;
}

export class Snapshots {
  readonly #env: SnapshotsEnvironment;
  readonly #running = new Map<string, Running>();
  readonly #restores: Restores;
  readonly #lifecycle: SnapshotLifecycleRunner;
  /** Number of deletions and clones under way, by name of the repository. */
  readonly #changes = new Map<string, number>();
  readonly #cleanups = new Set<string>();
  /** The last change of each repository, by where it is stored. */
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(env: SnapshotsEnvironment) {
    this.#env = env;
    this.#restores = new Restores(env);
    this.#lifecycle = new SnapshotLifecycleRunner(env, {
      create: (request) => this.#create(request),
      list: (repository) => this.#list(repository),
      delete: (repository, snapshots) => this.#delete(repository, snapshots),
    });
  }

  handle(request: SnapshotRequest): Promise<SnapshotReplies[SnapshotRequest['action']]> {
    switch (request.action) {
      case 'verify':
        return this.#env.thread.call(request.config, { name: 'verify', write: request.write });
      case 'list':
        return this.#list(request.repository);
      case 'running':
        return Promise.resolve({ snapshots: [...this.#running.values()].map(withoutInternals), restores: this.#restores.list() });
      case 'details':
        return this.#env.thread.call(this.#config(request.repository), { name: 'details', snapshot: request.snapshot });
      case 'cleanup':
        return this.#cleanup(request.repository);
      case 'create':
        return this.#create(request.request);
      case 'delete':
        return this.#delete(request.repository, request.snapshots);
      case 'clone':
        return this.#clone(request.request);
      case 'executePolicy':
        return Promise.resolve(this.#lifecycle.execute(request.id));
      case 'executeRetention':
        return this.#lifecycle.executeRetention().then(() => undefined);
      case 'restore':
        return this.#restores.restore(request.request, this.#config(request.request.repository));
    }
  }

  onNotice(notice: FromSnapshots): void {
    switch (notice.type) {
      case 'progress': {
        const shards = this.#running.get(notice.id)?.indices[notice.index];
        if (shards) shards[notice.shard] = notice.progress;
        return;
      }
      case 'restored':
        this.#restores.onProgress(notice);
        return;
      case 'log':
        this.#env.log(notice.level === 'debug' ? 'info' : notice.level, notice.message);
    }
  }

  /** To be called at the start, and after each change of the cluster state. */
  onState(): void {
    this.#lifecycle.update();
  }

  /** Ends all running operations. Unfinished snapshots are not listed; unfinished restores leave only unused files. */
  async stop(): Promise<void> {
    this.#lifecycle.stop();
    for (const running of this.#running.values()) {
      running.isAborted = true;
      this.#env.thread.cancel(running.uuid);
    }
    this.#restores.cancel();
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
    await this.#restores.ended();
  }

  // -------------------------------------------------------------------------------------------------------- commands

  /** Rejects metadata commands that would remove data that a running operation needs. @throws ApiError */
  checkCommand<Name extends CommandName>(name: Name, args: CommandArgs<Name>): void {
    if (this.#running.size === 0 && this.#restores.list().length === 0 && this.#changes.size === 0 && this.#cleanups.size === 0) return;
    const given = args as { index?: string; indices?: readonly unknown[]; name?: string; names?: readonly string[] };
    if (name === 'deleteIndex' || name === 'closeIndices') this.#checkIndices(name, given.indices as readonly string[]);
    if (name === 'createIndex' || name === 'autoCreateIndex') this.#checkNew(String(given.index));
    if (name === 'putRepository') this.#checkUnused(String(given.name));
    if (name === 'deleteRepositories') for (const repository of given.names ?? []) this.#checkUnused(repository);
  }

  #checkIndices(name: 'deleteIndex' | 'closeIndices', indices: readonly string[]): void {
    const state = this.#env.state();
    const inUse = indices
      .map((index) => state.indices[index])
      .filter((meta) => meta !== undefined && [...this.#running.values()].some(({ partial, uuids }) => !partial && uuids.has(meta.uuid)));
    if (inUse.length > 0) {
      const list = inUse.map((meta) => `[${meta.name}/${meta.uuid}]`).join(', ');
      throw new ApiError(
        'snapshot_in_progress_exception',
        400,
        `Cannot ${name === 'deleteIndex' ? 'delete' : 'close'} indices that are being snapshotted: [${list}]. Try again after snapshot finishes or cancel the currently running snapshot.`,
      );
    }
  }

  #checkNew(index: string): void {
    for (const { target, repository, snapshot } of this.#restores.list()) {
      if (target !== index) continue;
      throw new ApiError('resource_already_exists_exception', 400, `index [${index}] is being restored from [${repository}:${snapshot}]`, {
        details: { index, index_uuid: '_na_' },
      });
    }
  }

  #checkUnused(repository: string): void {
    const why = [...this.#running.values()].some((running) => running.repository === repository)
      ? 'snapshot is in progress'
      : this.#restores.list().some((restore) => restore.repository === repository)
        ? 'snapshot restore is in progress'
        : this.#cleanups.has(repository)
          ? 'repository clean up is in progress'
          : this.#changes.has(repository)
            ? 'snapshot deletion is in progress'
            : null;
    if (why !== null)
      throw repositoryConflictError(repository, `trying to modify or unregister repository that is currently used (${why})`);
  }

  // ---------------------------------------------------------------------------------------------------- repositories

  #config(name: string): RepositoryConfig {
    const repositories = repositoriesOf(this.#env.state());
    if (!Object.hasOwn(repositories, name)) throw repositoryMissingError(name);
    return { name, ...repositories[name] };
  }

  async #list(repository: string): Promise<readonly SnapshotInfo[]> {
    return this.#env.thread.call(this.#config(repository), { name: 'list' });
  }

  /** Runs a change of a repository after the previous ones. */
  #inTurn<T>(config: RepositoryConfig, change: () => Promise<T>): Promise<T> {
    const { location, bucket, base_path, endpoint, url } = config.settings;
    const key = JSON.stringify([config.type, location, endpoint, bucket, base_path, url]);
    const result = (this.#tails.get(key) ?? Promise.resolve()).then(change);
    const tail = result
      .catch(() => undefined)
      .then(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
    return result;
  }

  async #cleanup(repository: string): Promise<{ blobs: number; bytes: number }> {
    const config = this.#config(repository);
    if (isReadOnly(config)) throw repositoryError(repository, 'repository is readonly');
    const busy = (what: string): ApiError =>
      new ApiError('illegal_state_exception', 500, `Cannot cleanup [${repository}] - ${what} is currently running`);
    if (this.#running.size > 0) throw busy('a snapshot');
    if (this.#changes.size > 0) throw busy('a snapshot deletion');
    if (this.#cleanups.size > 0) throw busy('a repository cleanup');
    this.#cleanups.add(repository);
    try {
      return await this.#inTurn(config, () => this.#env.thread.call(config, { name: 'cleanup' }));
    } finally {
      this.#cleanups.delete(repository);
    }
  }

  // ---------------------------------------------------------------------------------------------------------- create

  async #create(request: CreateSnapshot): Promise<SnapshotInfo | null> {
    const { repository, snapshot, partial, includeGlobalState, metadata, dataStreams, features } = request;
    const config = this.#config(repository);
    if (isReadOnly(config)) throw repositoryError(repository, 'cannot create snapshot in a readonly repository');
    this.#checkNewName(repository, snapshot);
    const state = this.#env.state();
    const metas = request.indices.map((name) => {
      if (!Object.hasOwn(state.indices, name)) throw indexNotFoundError(name);
      return state.indices[name];
    });
    const running: Running = {
      repository,
      name: snapshot,
      uuid: newUuid(),
      startMs: Date.now(),
      includeGlobalState,
      partial,
      metadata,
      isAborted: false,
      indices: Object.fromEntries(metas.map((meta) => [meta.name, this.#env.logs(meta.uuid).map(() => notStarted())])),
      uuids: new Set(metas.map(({ uuid }) => uuid)),
      done: Promise.resolve(),
    };
    // Registered before the first wait, so that a second request sees it.
    this.#running.set(running.uuid, running);
    let job: Promise<SnapshotInfo>;
    try {
      if ((await this.#list(repository)).some(({ name }) => name === snapshot))
        throw snapshotNameInUseError(repository, snapshot, 'snapshot with the same name already exists');
      const indices = await this.#holdIndices(metas);
      if (!partial) this.#checkAvailable(running, indices);
      const plan: SnapshotPlan = {
        name: snapshot,
        uuid: running.uuid,
        version: this.#env.version,
        startMs: running.startMs,
        indices,
        includeGlobalState,
        globalState: includeGlobalState ? ({ ...globalStateOf(state) } as JsonObject) : null,
        dataStreams: Object.fromEntries(dataStreams.map((name) => [name, { ...state.dataStreams?.[name] } as JsonObject])),
        features: this.#featureStates(features),
        metadata,
      };
      job = this.#write(config, running, plan).finally(() => this.#releaseIndices(indices));
    } catch (error) {
      running.isAborted = true;
      this.#running.delete(running.uuid);
      throw error;
    }
    running.done = job.finally(() => this.#running.delete(running.uuid));
    // The failure of a snapshot that no request waits for is logged.
    running.done.catch((error) => this.#env.log('warn', `snapshot [${repository}:${snapshot}] failed: ${error.message}`));
    if (!request.wait) return null;
    await running.done.catch(() => undefined);
    return job;
  }

  /** By name; a feature without any state is not part of a snapshot. */
  #featureStates(names: readonly string[]): Record<string, JsonObject> {
    const records = names.includes('security') ? this.#env.securityRecords() : [];
    return records.length === 0 ? {} : { security: writeRecords(records) };
  }

  #write(config: RepositoryConfig, running: Running, plan: SnapshotPlan): Promise<SnapshotInfo> {
    return this.#inTurn(config, () => {
      if (running.isAborted) throw snapshotError(config.name, plan.name, 'Snapshot was aborted by deletion');
      return this.#env.thread.call(config, { name: 'write', id: plan.uuid, plan });
    });
  }

  #checkNewName(repository: string, snapshot: string): void {
    if (this.#cleanups.size > 0)
      throw concurrentSnapshotError(
        repository,
        snapshot,
        `cannot snapshot while a repository cleanup is in-progress in [${[...this.#cleanups].join(', ')}]`,
      );
    if ([...this.#running.values()].some((running) => running.repository === repository && running.name === snapshot))
      throw snapshotNameInUseError(repository, snapshot, 'snapshot with the same name is already in-progress');
    const operations = this.#running.size + [...this.#changes.values()].reduce((sum, count) => sum + count, 0);
    if (operations >= MAX_OPERATIONS)
      throw concurrentSnapshotError(
        repository,
        snapshot,
        `Cannot start another operation, already running [${operations}] operations and the current limit for concurrent snapshot operations is set to [${MAX_OPERATIONS}]`,
      );
  }

  /** Commits all shards and keeps them as they are. */
  async #holdIndices(metas: readonly IndexMeta[]): Promise<Array<SnapshotPlan['indices'][number]>> {
    return Promise.all(
      metas.map(async (meta) => ({
        name: meta.name,
        uuid: meta.uuid,
        meta: { ...meta },
        shards: await Promise.all(this.#env.logs(meta.uuid).map((log, shard) => this.#holdShard(meta.uuid, shard, log))),
      })),
    );
  }

  async #holdShard(uuid: string, shard: number, log: number): Promise<ShardPlan> {
    try {
      return { shard, log, checkpoint: await this.#env.hold(uuid, shard, log), failure: null };
    } catch (error) {
      return { shard, log, checkpoint: null, failure: errorData(error) };
    }
  }

  #releaseIndices(indices: SnapshotPlan['indices']): void {
    for (const { uuid, shards } of indices) {
      for (const { shard, log, checkpoint } of shards) if (checkpoint !== null) this.#env.release(uuid, shard, log);
    }
  }

  /** @throws ApiError snapshot_exception: a shard is missing; the others are released */
  #checkAvailable(running: Running, indices: SnapshotPlan['indices']): void {
    const missing = indices.filter(({ shards }) => shards.some(({ checkpoint }) => checkpoint === null)).map(({ name }) => name);
    if (missing.length === 0) return;
    this.#releaseIndices(indices);
    throw snapshotError(running.repository, running.name, `Indices don't have primary shards [${missing.join(', ')}]`);
  }

  // ---------------------------------------------------------------------------------------------------------- delete

  async #delete(repository: string, patterns: readonly string[]): Promise<undefined> {
    const config = this.#config(repository);
    this.#changes.set(repository, (this.#changes.get(repository) ?? 0) + 1);
    try {
      const running = [...this.#running.values()].filter(
        (entry) => entry.repository === repository && patterns.some((pattern) => matchesPattern(pattern, entry.name)),
      );
      const found = matchingSnapshots(repository, await this.#list(repository), patterns, new Set(running.map(({ name }) => name)));
      if (found.length > 0 && isReadOnly(config)) throw repositoryError(repository, 'repository is readonly');
      for (const { name, uuid } of found) {
        if (this.#restores.reads(uuid))
          throw concurrentSnapshotError(
            repository,
            name,
            `cannot delete snapshot during a restore in progress in [${repository}:${name}/${uuid}]`,
          );
      }
      for (const entry of running) {
        entry.isAborted = true;
        this.#env.thread.cancel(entry.uuid);
      }
      await Promise.allSettled(running.map(({ done }) => done));
      await this.#inTurn(config, async () => {
        // A snapshot that finished in spite of being aborted is in the list now.
        const current = await this.#env.thread.call(config, { name: 'list' });
        const unwanted = new Set([...found, ...running].map(({ uuid }) => uuid));
        const uuids = current.filter(({ uuid }) => unwanted.has(uuid)).map(({ uuid }) => uuid);
        if (uuids.length > 0) await this.#env.thread.call(config, { name: 'delete', uuids });
      });
    } finally {
      this.#endChange(repository);
    }
  }

  #endChange(repository: string): void {
    const left = (this.#changes.get(repository) ?? 1) - 1;
    if (left > 0) this.#changes.set(repository, left);
    else this.#changes.delete(repository);
  }

  // ----------------------------------------------------------------------------------------------------------- clone

  async #clone({ repository, source, target, indices }: CloneSnapshot): Promise<undefined> {
    const config = this.#config(repository);
    if (isReadOnly(config)) throw repositoryError(repository, 'repository is readonly');
    this.#checkNewName(repository, target);
    const startMs = Date.now();
    this.#changes.set(repository, (this.#changes.get(repository) ?? 0) + 1);
    try {
      await this.#inTurn(config, async () => {
        if ((await this.#env.thread.call(config, { name: 'list' })).some(({ name }) => name === target))
          throw snapshotNameInUseError(repository, target, 'snapshot with the same name already exists');
        await this.#env.thread.call(config, { name: 'clone', source, target, uuid: newUuid(), indices, startMs });
      });
    } finally {
      this.#endChange(repository);
    }
  }
}

/** The snapshots that names and patterns mean. @param running  names that need not be finished. @throws ApiError snapshot_missing_exception */
function matchingSnapshots(
  repository: string,
  snapshots: readonly SnapshotInfo[],
  patterns: readonly string[],
  running: ReadonlySet<string>,
): SnapshotInfo[] {
  for (const pattern of patterns) {
    if (!pattern.includes('*') && !running.has(pattern) && !snapshots.some(({ name }) => name === pattern))
      throw snapshotMissingError(repository, pattern);
  }
  return snapshots.filter(({ name }) => patterns.some((pattern) => matchesPattern(pattern, name)));
}

function isReadOnly({ type, settings }: RepositoryConfig): boolean {
  return settings.readonly === 'true' || type === 'url';
}

function notStarted(): ShardProgress {
  return { stage: 'INIT', startMs: 0, endMs: 0, files: 0, bytes: 0, newFiles: 0, newBytes: 0, doneFiles: 0, doneBytes: 0, failure: null };
}

function withoutInternals({ uuids: _, done: __, ...running }: Running): RunningSnapshot {
  return running;
}

function newUuid(): string {
  return randomBytes(16).toString('base64url');
}
