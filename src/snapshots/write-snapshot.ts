// Operations on whole snapshots: write, clone, describe. The caller runs one change of a repository at a time.
import type { JsonObject } from '../common/json/json-value.ts';
import { ApiError } from '../errors/api-error.ts';
import { SegmentFiles } from '../store/segment-files.ts';
import type { Store } from '../store/store.ts';
import type { Repository } from './repository.ts';
import { copyShard } from './snapshot-shard.ts';
import {
  type IndexEntry,
  REPOSITORY_FORMAT,
  type RepositoryContents,
  type ShardEntry,
  type ShardFailure,
  type ShardManifest,
  type ShardPlan,
  type ShardProgress,
  type SnapshotDetails,
  type SnapshotInfo,
  type SnapshotPlan,
} from './snapshot-types.ts';

export interface SnapshotEnvironment {
  readonly store: Store;
  readonly dataPath: string;
  nowMs(): number;
  /** Waits as long as the rate limit requires. @throws ApiError the snapshot was cancelled */
  pause(bytes: number): Promise<void>;
  onProgress(index: string, shard: number, progress: ShardProgress): void;
}

/** Copies all shards, then adds the snapshot to the list. @throws ApiError nothing was added; leftovers go with the next change */
export async function writeSnapshot(repository: Repository, plan: SnapshotPlan, env: SnapshotEnvironment): Promise<SnapshotInfo> {
  const contents = await repository.load();
  const end = await repository.begin(contents);
  const previous = new PreviousShards(repository, contents);
  const indices: IndexEntry[] = [];
  for (const { name, uuid, meta, shards } of plan.indices) {
    const entries: ShardEntry[] = [];
    for (const shard of shards) entries.push(await writeShard(repository, { name, uuid }, shard, previous, env));
    indices.push({ name, uuid, meta, shards: entries });
  }
  const failures = failuresOf(indices);
  const totalShards = indices.reduce((sum, { shards }) => sum + shards.length, 0);
  await env.pause(0);
  const info = await addSnapshot(repository, contents, {
    name: plan.name,
    uuid: plan.uuid,
    version: plan.version,
    state: failures.length === 0 ? 'SUCCESS' : 'PARTIAL',
    startMs: plan.startMs,
    endMs: env.nowMs(),
    includeGlobalState: plan.includeGlobalState,
    metadata: plan.metadata,
    failures,
    totalShards,
    indices,
    globalState: plan.globalState,
    dataStreams: plan.dataStreams,
    features: plan.features,
  });
  await end();
  return info;
}

type NewSnapshot = Omit<SnapshotInfo, 'details' | 'indices' | 'dataStreams' | 'features'> &
  Pick<SnapshotDetails, 'indices' | 'globalState' | 'dataStreams' | 'features'> & {};

async function addSnapshot(repository: Repository, contents: RepositoryContents, snapshot: NewSnapshot): Promise<SnapshotInfo> {
  const { indices, globalState, dataStreams = {}, features = {}, ...rest } = snapshot;
  const content: SnapshotDetails = { format: REPOSITORY_FORMAT, indices, globalState, dataStreams, features };
  const { blob: details } = await repository.putJson(content);
  const maxSegments = new Map<IndexEntry, number>();
  for (const index of indices) maxSegments.set(index, await maxSegmentsOf(repository, index));
  const info: SnapshotInfo = {
    ...rest,
    indices: indices.map((index) => ({
      name: index.name,
      uuid: index.uuid,
      shards: index.shards.length,
      bytes: index.shards.reduce((sum, { bytes }) => sum + bytes, 0),
      maxSegments: maxSegments.get(index) ?? 0,
    })),
    dataStreams: Object.keys(dataStreams),
    features: Object.keys(features),
    details,
  };
  await repository.commit(contents, [...contents.snapshots, info]);
  return info;
}

async function maxSegmentsOf(repository: Repository, { shards }: IndexEntry): Promise<number> {
  let most = 0;
  for (const { manifest } of shards) if (manifest !== null) most = Math.max(most, (await repository.manifest(manifest)).segments.length);
  return most;
}

function failuresOf(indices: readonly IndexEntry[]): ShardFailure[] {
  return indices.flatMap(({ name, uuid, shards }) =>
    shards.flatMap(({ failure }, shard) => (failure === null ? [] : [{ index: name, indexUuid: uuid, shard, reason: failure }])),
  );
}

async function writeShard(
  repository: Repository,
  index: { readonly name: string; readonly uuid: string },
  { shard, log, checkpoint, failure }: ShardPlan,
  previous: PreviousShards,
  env: SnapshotEnvironment,
): Promise<ShardEntry> {
  const startMs = env.nowMs();
  const progress = new ShardReport(startMs, (now) => env.onProgress(index.name, shard, now));
  const failed = (reason: string): ShardEntry => {
    progress.set({ stage: 'FAILURE', failure: reason, endMs: env.nowMs() });
    return { manifest: null, startMs, endMs: env.nowMs(), failure: reason, files: 0, bytes: 0, newFiles: 0, newBytes: 0 };
  };
  if (checkpoint === null) return failed(failure === null ? 'the shard is not available' : `${failure.type}: ${failure.reason}`);
  progress.set({ stage: 'STARTED' });
  try {
    const { manifest, sizes } = await copyShard(
      repository,
      {
        store: env.store,
        log,
        files: new SegmentFiles(env.dataPath, index.uuid, shard),
        checkpoint,
        previous: await previous.of(index.uuid, shard),
      },
      {
        pause: env.pause,
        onPlan: ({ files, bytes, newFiles, newBytes }) => progress.set({ files, bytes, newFiles, newBytes }),
        onCopied: (doneFiles, doneBytes) => progress.set({ doneFiles, doneBytes }),
      },
    );
    progress.set({ stage: 'FINALIZE', ...sizes });
    const { blob, bytes, isNew } = await repository.putJson(manifest);
    // The manifest is a file of the shard as well: a shard without documents has no other.
    const all = {
      files: sizes.files + 1,
      bytes: sizes.bytes + bytes,
      newFiles: sizes.newFiles + (isNew ? 1 : 0),
      newBytes: sizes.newBytes + (isNew ? bytes : 0),
    };
    const entry: ShardEntry = { manifest: blob, ...all, startMs, endMs: env.nowMs(), failure: null };
    progress.set({ stage: 'DONE', ...all, doneFiles: all.newFiles, doneBytes: all.newBytes, endMs: entry.endMs });
    return entry;
  } catch (error) {
    // A damaged shard fails alone; a repository that cannot be written, and a cancellation, end the whole snapshot.
    if (error instanceof ApiError && SHARD_ERRORS.has(error.type)) return failed(`${error.type}: ${error.reason}`);
    throw error;
  }
}

const SHARD_ERRORS = new Set(['corrupt_index_exception', 'translog_corrupted_exception']);

/** Sends the progress of a shard. */
class ShardReport {
  readonly #send: (progress: ShardProgress) => void;
  #progress: ShardProgress;

  constructor(startMs: number, send: (progress: ShardProgress) => void) {
    this.#send = send;
    this.#progress = {
      stage: 'INIT',
      startMs,
      endMs: 0,
      files: 0,
      bytes: 0,
      newFiles: 0,
      newBytes: 0,
      doneFiles: 0,
      doneBytes: 0,
      failure: null,
    };
  }

  set(change: Partial<ShardProgress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#send(this.#progress);
  }
}

/** Manifests of shards in the newest snapshot that contains them. */
class PreviousShards {
  readonly #repository: Repository;
  readonly #contents: RepositoryContents;
  /** Details of the snapshots read so far, by the blob's name. Indices mostly share the newest one. */
  readonly #details = new Map<string, readonly IndexEntry[]>();

  constructor(repository: Repository, contents: RepositoryContents) {
    this.#repository = repository;
    this.#contents = contents;
  }

  /** null if there is none, or it cannot be read: then all is copied again. */
  async of(uuid: string, shard: number): Promise<ShardManifest | null> {
    for (const snapshot of [...this.#contents.snapshots].reverse()) {
      if (!snapshot.indices.some((index) => index.uuid === uuid)) continue;
      try {
        let indices = this.#details.get(snapshot.details);
        if (indices === undefined) this.#details.set(snapshot.details, (indices = (await this.#repository.details(snapshot)).indices));
        const manifest = indices.find((index) => index.uuid === uuid)?.shards[shard]?.manifest;
        if (manifest) return await this.#repository.manifest(manifest);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    return null;
  }
}

/** Adds a snapshot with some indices of another one. Nothing is copied. */
export async function cloneSnapshot(
  repository: Repository,
  clone: {
    readonly source: string;
    readonly name: string;
    readonly uuid: string;
    readonly indices: readonly string[];
    readonly startMs: number;
  },
  nowMs: () => number,
): Promise<SnapshotInfo> {
  const contents = await repository.load();
  const source = contents.snapshots.find(({ name }) => name === clone.source);
  if (source === undefined) throw new ApiError('snapshot_missing_exception', 404, `[${repository.name}:${clone.source}] is missing`);
  const end = await repository.begin(contents);
  const { indices, globalState, dataStreams, features } = await repository.details(source);
  const taken = indices
    .filter(({ name }) => clone.indices.includes(name))
    .map((index) => ({ ...index, shards: index.shards.map((shard) => ({ ...shard, newFiles: 0, newBytes: 0 })) }));
  const info = await addSnapshot(repository, contents, {
    name: clone.name,
    uuid: clone.uuid,
    version: source.version,
    state: 'SUCCESS',
    startMs: clone.startMs,
    endMs: nowMs(),
    includeGlobalState: source.includeGlobalState,
    metadata: source.metadata,
    failures: [],
    totalShards: taken.reduce((sum, { shards }) => sum + shards.length, 0),
    indices: taken,
    globalState,
    dataStreams: streamsOf(dataStreams ?? {}, clone.indices),
    features,
  });
  await end();
  return info;
}

/** The data streams all of whose indices are taken. */
function streamsOf(streams: Readonly<Record<string, JsonObject>>, indices: readonly string[]): Record<string, JsonObject> {
  const isTaken = (stream: JsonObject): boolean => (stream.indices as readonly string[]).every((index) => indices.includes(index));
  return Object.fromEntries(Object.entries(streams).filter(([, stream]) => isTaken(stream)));
}
