// Operations on repositories that run, and what they forbid meanwhile: each is checked against the others before it starts, and so are metadata
// commands that would remove what it reads or writes.
import type { RunningSnapshot } from '../../../api/core/snapshot-store.ts';
import { ApiError } from '../../../errors/api-error.ts';
import type { CommandArgs, CommandName } from '../../../metadata/reducers.ts';
import { concurrentSnapshotError, repositoryConflictError, snapshotNameInUseError } from '../../../snapshots/repository-errors.ts';
import type { ShardProgress } from '../../../snapshots/snapshot-types.ts';
import type { Restores } from './restores.ts';
import type { SnapshotsEnvironment } from './snapshots-environment.ts';

/** Default of Elasticsearch's setting `snapshot.max_concurrent_operations`. */
const MAX_OPERATIONS = 1000;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A snapshot that is being taken. */
export interface RunningOperation extends Mutable<Omit<RunningSnapshot, 'indices'>> {
  indices: Record<string, ShardProgress[]>;
  /** uuids of the indices, which must not be deleted. */
  uuids: ReadonlySet<string>;
  done: Promise<unknown>;
}

/** The operations of main's thread; restores have a class of their own. */
export class SnapshotOperations {
  /** By uuid. */
  readonly snapshots = new Map<string, RunningOperation>();
  /** Number of deletions and clones under way, by name of the repository. */
  readonly #changes = new Map<string, number>();
  readonly #cleanups = new Set<string>();
  readonly #restores: Restores;
  readonly #env: Pick<SnapshotsEnvironment, 'state'>;

  constructor(restores: Restores, env: Pick<SnapshotsEnvironment, 'state'>) {
    this.#restores = restores;
    this.#env = env;
  }

  list(): RunningSnapshot[] {
    return [...this.snapshots.values()].map(({ uuids: _, done: __, ...snapshot }) => snapshot);
  }

  beginChange(repository: string): void {
    this.#changes.set(repository, (this.#changes.get(repository) ?? 0) + 1);
  }

  endChange(repository: string): void {
    const left = (this.#changes.get(repository) ?? 1) - 1;
    if (left > 0) this.#changes.set(repository, left);
    else this.#changes.delete(repository);
  }

  /** @throws ApiError illegal_state_exception: something else runs */
  beginCleanup(repository: string): void {
    const busy = (what: string): ApiError =>
      new ApiError('illegal_state_exception', 500, `Cannot cleanup [${repository}] - ${what} is currently running`);
    if (this.snapshots.size > 0) throw busy('a snapshot');
    if (this.#changes.size > 0) throw busy('a snapshot deletion');
    if (this.#cleanups.size > 0) throw busy('a repository cleanup');
    this.#cleanups.add(repository);
  }

  endCleanup(repository: string): void {
    this.#cleanups.delete(repository);
  }

  /** @throws ApiError the repository is being cleaned up, the name is in use, or too many operations run */
  checkNewName(repository: string, snapshot: string): void {
    if (this.#cleanups.size > 0)
      throw concurrentSnapshotError(
        repository,
        snapshot,
        `cannot snapshot while a repository cleanup is in-progress in [${[...this.#cleanups].join(', ')}]`,
      );
    if ([...this.snapshots.values()].some((running) => running.repository === repository && running.name === snapshot))
      throw snapshotNameInUseError(repository, snapshot, 'snapshot with the same name is already in-progress');
    const operations = this.snapshots.size + [...this.#changes.values()].reduce((sum, count) => sum + count, 0);
    if (operations >= MAX_OPERATIONS)
      throw concurrentSnapshotError(
        repository,
        snapshot,
        `Cannot start another operation, already running [${operations}] operations and the current limit for concurrent snapshot operations is set to [${MAX_OPERATIONS}]`,
      );
  }

  /** Rejects metadata commands that would remove data that a running operation needs. @throws ApiError */
  checkCommand<Name extends CommandName>(name: Name, args: CommandArgs<Name>): void {
    if (this.snapshots.size === 0 && this.#restores.list().length === 0 && this.#changes.size === 0 && this.#cleanups.size === 0) return;
    const given = args as { index?: string; indices?: readonly unknown[]; name?: string; names?: readonly string[] };
    if (name === 'deleteIndex' || name === 'closeIndices') this.#checkIndices(name, given.indices as readonly string[]);
    if (name === 'createIndex' || name === 'autoCreateIndex') this.#checkNew(String(given.index));
    if (name === 'autoCreateIndices') for (const index of given.indices ?? []) this.#checkNew(String(index));
    if (name === 'putRepository') this.#checkUnused(String(given.name));
    if (name === 'deleteRepositories') for (const repository of given.names ?? []) this.#checkUnused(repository);
  }

  #checkIndices(name: 'deleteIndex' | 'closeIndices', indices: readonly string[]): void {
    const state = this.#env.state();
    const inUse = indices
      .map((index) => state.indices[index])
      .filter((meta) => meta !== undefined && [...this.snapshots.values()].some(({ partial, uuids }) => !partial && uuids.has(meta.uuid)));
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
    const why = [...this.snapshots.values()].some((running) => running.repository === repository)
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
}
