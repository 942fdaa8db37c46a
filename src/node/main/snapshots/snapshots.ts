// Repositories and snapshots, coordinated by main. The snapshot thread does the work on files; snapshot-operations.ts says what must wait for what
// runs. Changes of one repository run one after another.
//   create    hold every shard at its current state ──► copy (thread) ──► add to the list ──► release the shards
//   restore   copy into new, unused logs and folders (thread) ──► add or replace the indices in one metadata command
import { randomBytes } from 'node:crypto';
import type { CloneSnapshot, CreateSnapshot } from '../../../api/core/snapshot-store.ts';
import type { JsonObject } from '../../../common/json/json-value.ts';
import { matchesPattern } from '../../../common/text/wildcard.ts';
import { indexNotFoundError } from '../../../errors/catalog.ts';
import type { IndexMeta } from '../../../metadata/cluster-state.ts';
import { repositoriesOf } from '../../../metadata/definitions/repositories.ts';
import { globalStateOf } from '../../../metadata/indices/restore-indices.ts';
import type { CommandArgs, CommandName } from '../../../metadata/reducers.ts';
import { writeRecords } from '../../../security/stored-records.ts';
import {
  concurrentSnapshotError,
  repositoryError,
  repositoryMissingError,
  snapshotError,
  snapshotMissingError,
  snapshotNameInUseError,
} from '../../../snapshots/repository-errors.ts';
import type { RepositoryConfig, ShardPlan, ShardProgress, SnapshotInfo, SnapshotPlan } from '../../../snapshots/snapshot-types.ts';
import { errorData } from '../../messages/channel.ts';
import type { FromSnapshots, SnapshotReplies, SnapshotRequest } from '../../messages/snapshot-messages.ts';
import { Restores } from './restores.ts';
import { SnapshotLifecycleRunner } from './snapshot-lifecycle.ts';
import { type RunningOperation, SnapshotOperations } from './snapshot-operations.ts';
import type { SnapshotsEnvironment } from './snapshots-environment.ts';

export class Snapshots {
  readonly #env: SnapshotsEnvironment;
  readonly #operations: SnapshotOperations;
  readonly #restores: Restores;
  readonly #lifecycle: SnapshotLifecycleRunner;
  /** The last change of each repository, by where it is stored. */
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(env: SnapshotsEnvironment) {
    this.#env = env;
    this.#restores = new Restores(env);
    this.#operations = new SnapshotOperations(this.#restores, env);
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
        return Promise.resolve({ snapshots: this.#operations.list(), restores: this.#restores.list() });
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
        const shards = this.#operations.snapshots.get(notice.id)?.indices[notice.index];
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
    for (const running of this.#operations.snapshots.values()) {
      running.isAborted = true;
      this.#env.thread.cancel(running.uuid);
    }
    this.#restores.cancel();
    await Promise.allSettled([...this.#operations.snapshots.values()].map(({ done }) => done));
    await this.#restores.ended();
  }

  /** Rejects metadata commands that would remove data that a running operation needs. @throws ApiError */
  checkCommand<Name extends CommandName>(name: Name, args: CommandArgs<Name>): void {
    this.#operations.checkCommand(name, args);
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
    this.#operations.beginCleanup(repository);
    try {
      return await this.#inTurn(config, () => this.#env.thread.call(config, { name: 'cleanup' }));
    } finally {
      this.#operations.endCleanup(repository);
    }
  }

  // ---------------------------------------------------------------------------------------------------------- create

  async #create(request: CreateSnapshot): Promise<SnapshotInfo | null> {
    const { repository, snapshot, partial, includeGlobalState, metadata, dataStreams, features } = request;
    const config = this.#config(repository);
    if (isReadOnly(config)) throw repositoryError(repository, 'cannot create snapshot in a readonly repository');
    this.#operations.checkNewName(repository, snapshot);
    const state = this.#env.state();
    const metas = request.indices.map((name) => {
      if (!Object.hasOwn(state.indices, name)) throw indexNotFoundError(name);
      return state.indices[name];
    });
    const running: RunningOperation = {
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
    this.#operations.snapshots.set(running.uuid, running);
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
      this.#operations.snapshots.delete(running.uuid);
      throw error;
    }
    running.done = job.finally(() => this.#operations.snapshots.delete(running.uuid));
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

  #write(config: RepositoryConfig, running: RunningOperation, plan: SnapshotPlan): Promise<SnapshotInfo> {
    return this.#inTurn(config, () => {
      if (running.isAborted) throw snapshotError(config.name, plan.name, 'Snapshot was aborted by deletion');
      return this.#env.thread.call(config, { name: 'write', id: plan.uuid, plan });
    });
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
  #checkAvailable(running: RunningOperation, indices: SnapshotPlan['indices']): void {
    const missing = indices.filter(({ shards }) => shards.some(({ checkpoint }) => checkpoint === null)).map(({ name }) => name);
    if (missing.length === 0) return;
    this.#releaseIndices(indices);
    throw snapshotError(running.repository, running.name, `Indices don't have primary shards [${missing.join(', ')}]`);
  }

  // ---------------------------------------------------------------------------------------------------------- delete

  async #delete(repository: string, patterns: readonly string[]): Promise<undefined> {
    const config = this.#config(repository);
    this.#operations.beginChange(repository);
    try {
      const running = [...this.#operations.snapshots.values()].filter(
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
      this.#operations.endChange(repository);
    }
  }

  // ----------------------------------------------------------------------------------------------------------- clone

  async #clone({ repository, source, target, indices }: CloneSnapshot): Promise<undefined> {
    const config = this.#config(repository);
    if (isReadOnly(config)) throw repositoryError(repository, 'repository is readonly');
    this.#operations.checkNewName(repository, target);
    const startMs = Date.now();
    this.#operations.beginChange(repository);
    try {
      await this.#inTurn(config, async () => {
        if ((await this.#env.thread.call(config, { name: 'list' })).some(({ name }) => name === target))
          throw snapshotNameInUseError(repository, target, 'snapshot with the same name already exists');
        await this.#env.thread.call(config, { name: 'clone', source, target, uuid: newUuid(), indices, startMs });
      });
    } finally {
      this.#operations.endChange(repository);
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

function newUuid(): string {
  return randomBytes(16).toString('base64url');
}
