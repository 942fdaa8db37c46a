// Restores of indices from snapshots. All shards are copied into new logs and folders, which nothing uses yet; then one metadata command
// adds the indices, or replaces closed ones by them. A restore that is interrupted leaves the cluster as it was, and its copies are
// removed, after a crash at the next start.
import { randomBytes } from 'node:crypto';
import type { RestoreOutcome, RestoreSnapshot, RunningRestore } from '../../../api/core/snapshot-store.ts';
import { getOwn } from '../../../common/json/own-property.ts';
import type { DataStream, IndexMeta } from '../../../metadata/cluster-state.ts';
import type { GlobalState, RestoredIndex } from '../../../metadata/indices/restore-indices.ts';
import type { CommandArgs } from '../../../metadata/reducers.ts';
import type { SecurityChange } from '../../../security/records.ts';
import { readRecords } from '../../../security/stored-records.ts';
import { snapshotRestoreError } from '../../../snapshots/repository-errors.ts';
import type { IndexEntry, RepositoryConfig, SnapshotDetails, SnapshotInfo } from '../../../snapshots/snapshot-types.ts';
import type { FromSnapshots } from '../../messages/snapshot-messages.ts';
import type { SnapshotsEnvironment } from './snapshots-environment.ts';

interface Restoring extends Omit<RunningRestore, 'shards'> {
  readonly uuid: string;
  readonly shards: Array<{ files: number; bytes: number; doneFiles: number; doneBytes: number }>;
}

/** One index of a restore. */
interface Part {
  readonly entry: IndexEntry;
  readonly target: string;
  readonly uuid: string;
  readonly logs: readonly number[];
}

export class Restores {
  readonly #env: SnapshotsEnvironment;
  /** By the uuid of the new index. */
  readonly #restoring = new Map<string, Restoring>();
  /** Number of restores that read each snapshot, by its uuid. */
  readonly #reading = new Map<string, number>();
  readonly #jobs = new Set<Promise<unknown>>();
  #isStopping = false;

  constructor(env: SnapshotsEnvironment) {
    this.#env = env;
  }

  list(): RunningRestore[] {
    return [...this.#restoring.values()];
  }

  /** True if a restore reads the snapshot with this uuid, which must not be deleted then. */
  reads(uuid: string): boolean {
    return this.#reading.has(uuid);
  }

  onProgress({ id, files, bytes }: Extract<FromSnapshots, { type: 'restored' }>): void {
    const slash = id.lastIndexOf('/');
    const progress = this.#restoring.get(id.slice(0, slash))?.shards[Number(id.slice(slash + 1))];
    if (!progress) return;
    progress.doneFiles += files;
    progress.doneBytes += bytes;
  }

  cancel(): void {
    this.#isStopping = true;
    for (const { uuid, shards } of this.#restoring.values()) for (const shard of shards.keys()) this.#env.thread.cancel(`${uuid}/${shard}`);
  }

  async ended(): Promise<void> {
    await Promise.allSettled(this.#jobs);
  }

  /** @returns null if the request does not wait. @throws ApiError it cannot be done; nothing was changed */
  async restore(request: RestoreSnapshot, config: RepositoryConfig): Promise<RestoreOutcome | null> {
    const { repository, snapshot } = request;
    const info = (await this.#env.thread.call(config, { name: 'list' })).find(({ name }) => name === snapshot);
    if (info === undefined) throw snapshotRestoreError(repository, snapshot, 'snapshot does not exist');
    this.#reading.set(info.uuid, (this.#reading.get(info.uuid) ?? 0) + 1);
    const job = this.#prepare(request, config, info).catch((error) => {
      this.#endReading(info.uuid);
      throw error;
    });
    const { run } = await job;
    const done = run().finally(() => this.#endReading(info.uuid));
    this.#jobs.add(done);
    done
      .catch((error) => this.#env.log('error', `restore of [${repository}:${snapshot}] failed: ${error.message}`))
      .finally(() => this.#jobs.delete(done));
    return request.wait ? done : null;
  }

  #endReading(uuid: string): void {
    const left = (this.#reading.get(uuid) ?? 1) - 1;
    if (left > 0) this.#reading.set(uuid, left);
    else this.#reading.delete(uuid);
  }

  /** Checks everything that can be checked before data is copied. */
  async #prepare(request: RestoreSnapshot, config: RepositoryConfig, info: SnapshotInfo): Promise<{ run: () => Promise<RestoreOutcome> }> {
    const { repository, snapshot } = request;
    const title = `${snapshot}/${info.uuid}`;
    if (request.includeGlobalState && !info.includeGlobalState)
      throw snapshotRestoreError(repository, title, 'cannot restore global state since the snapshot was created without global state');
    const details = await this.#env.thread.call(config, { name: 'details', snapshot: info });
    const restoreUuid = newUuid();
    const startMs = Date.now();
    const parts = request.indices.map(({ source, target }) => {
      const entry = details.indices.find(({ name }) => name === source);
      if (entry === undefined) throw snapshotRestoreError(repository, title, `index [${source}] is not in the snapshot`);
      if (!request.partial && entry.shards.some(({ manifest }) => manifest === null))
        throw snapshotRestoreError(repository, snapshot, `index [${source}] wasn't fully snapshotted - cannot restore`);
      return { entry, target, uuid: newUuid() };
    });
    for (const { target } of parts) {
      const other = this.list().find((restoring) => restoring.target === target);
      if (other)
        throw snapshotRestoreError(
          repository,
          title,
          `index [${target}] is being restored from [${other.repository}:${other.snapshot}] already`,
        );
    }
    const security = request.features.includes('security') ? readRecords(details.features?.security ?? {}) : null;
    if (security !== null) await this.#env.restoreSecurity(security, false);
    const restored = (some: readonly Omit<Part, 'logs'>[]): CommandArgs<'restoreIndices'> => ({
      snapshot: `${repository}:${title}`,
      indices: some.map((part) => restoredIndex(part, request, info, restoreUuid, startMs)),
      indexSettings: request.indexSettings,
      ignoreIndexSettings: request.ignoreIndexSettings,
      aliases: request.aliases,
      globalState: request.includeGlobalState ? globalStateIn(details) : null,
      dataStreams: streamsOf(details, request, some),
    });
    this.#env.dryRun('restoreIndices', restored(parts));
    const prepared = parts.map((part) => ({ ...part, logs: this.#env.reserveLogs(part.uuid, part.entry.shards.length) }));
    for (const { entry, target, uuid } of prepared) {
      this.#restoring.set(uuid, {
        uuid,
        repository,
        snapshot,
        version: info.version,
        restoreUuid,
        source: entry.name,
        target,
        startMs,
        shards: entry.shards.map(({ files, bytes }) => ({ files, bytes, doneFiles: 0, doneBytes: 0 })),
      });
    }
    return { run: () => this.#run(config, request, prepared, restored, security) };
  }

  async #run(
    config: RepositoryConfig,
    request: RestoreSnapshot,
    parts: readonly Part[],
    commandFor: (parts: readonly Part[]) => CommandArgs<'restoreIndices'>,
    security: readonly SecurityChange[] | null,
  ): Promise<RestoreOutcome> {
    const failed = new Set<Part>();
    let failedShards = 0;
    try {
      for (const part of parts) {
        const failures = await this.#copy(config, part);
        // Nothing is kept of an index with a failed shard; with `partial`, a shard that is not in the snapshot is created empty.
        if (failures > 0) failed.add(part);
        failedShards += failures + (failures > 0 ? 0 : part.entry.shards.filter(({ manifest }) => manifest === null).length);
      }
      const complete = parts.filter((part) => !failed.has(part));
      if (this.#isStopping) throw snapshotRestoreError(request.repository, request.snapshot, 'the node is stopping');
      await this.#env.command('restoreIndices', commandFor(complete));
      for (const { uuid } of complete) this.#restoring.delete(uuid);
      if (security !== null) await this.#env.restoreSecurity(security, true);
      return {
        snapshot: request.snapshot,
        indices: parts.map(({ target }) => target),
        totalShards: parts.reduce((sum, { entry }) => sum + entry.shards.length, 0),
        failedShards,
      };
    } finally {
      for (const { uuid } of parts) {
        if (!this.#restoring.delete(uuid)) continue;
        await this.#env.drop(uuid).catch((error) => this.#env.log('error', `copies of a failed restore remain: ${error.message}`));
      }
    }
  }

  /** @returns the number of shards that failed */
  async #copy(config: RepositoryConfig, { entry, target, uuid, logs }: Part): Promise<number> {
    let failures = 0;
    for (const [shard, { manifest }] of entry.shards.entries()) {
      if (manifest === null || this.#isStopping) continue;
      try {
        await this.#env.thread.call(config, { name: 'restoreShard', id: `${uuid}/${shard}`, manifest, uuid, shard, log: logs[shard] });
      } catch (error) {
        this.#env.log('error', `[${target}][${shard}] cannot be restored: ${(error as Error).message}`);
        failures++;
      }
    }
    return failures;
  }
}

function restoredIndex(
  { entry, target, uuid }: Omit<Part, 'logs'>,
  { repository, snapshot }: RestoreSnapshot,
  { version }: SnapshotInfo,
  restoreUuid: string,
  startMs: number,
): RestoredIndex {
  const shards = entry.shards.map(({ files, bytes }) => ({ files, bytes }));
  return {
    // Written by writeSnapshot from an IndexMeta.
    meta: entry.meta as object as IndexMeta,
    target,
    uuid,
    source: { repository, snapshot, version, index: entry.name, restoreUuid, startMs, endMs: Date.now(), shards },
  };
}

/** The data streams of a restore with their new names, and the indices that they have then. */
function streamsOf({ dataStreams = {} }: SnapshotDetails, request: RestoreSnapshot, parts: readonly Omit<Part, 'logs'>[]): DataStream[] {
  const targets = new Map(parts.map(({ entry, target }) => [entry.name, target]));
  return request.dataStreams.flatMap(({ source, target }) => {
    // Written by writeSnapshot from a DataStream.
    const stream = dataStreams[source] as object as DataStream;
    const indices = stream.indices.flatMap((index) => targets.get(index) ?? []);
    return indices.length === 0 ? [] : [{ ...stream, name: target, indices, aliases: aliasesOf(stream, request) }];
  });
}

function aliasesOf({ aliases }: DataStream, { aliases: names }: RestoreSnapshot): DataStream['aliases'] {
  if (names === null) return {};
  return Object.fromEntries(Object.entries(aliases).map(([alias, meta]) => [getOwn(names, alias) ?? alias, meta]));
}

function globalStateIn({ globalState }: SnapshotDetails): GlobalState | null {
  // Written by writeSnapshot from a GlobalState.
  return globalState as object as GlobalState | null;
}

function newUuid(): string {
  return randomBytes(16).toString('base64url');
}
