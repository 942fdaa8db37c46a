// Reads and writes repositories. It has its own thread, because hashing and copying whole shards would delay requests; the thread ends when it is
// idle. With `threads` set to 1 it runs in the main thread.
import type { MessagePort } from 'node:worker_threads';
import { ApiError } from '../../errors/api-error.ts';
import { openRepository, rateLimit, repositoryLimits } from '../../snapshots/open-repository.ts';
import { RateLimit } from '../../snapshots/rate-limit.ts';
import type { Repository } from '../../snapshots/repository.ts';
import { restoreShard } from '../../snapshots/restore-shard.ts';
import type { RepositoryConfig } from '../../snapshots/snapshot-types.ts';
import { cloneSnapshot, writeSnapshot } from '../../snapshots/write-snapshot.ts';
import { SegmentFiles } from '../../store/segment-files.ts';
import type { Store } from '../../store/store.ts';
import { Channel } from '../messages/channel.ts';
import type { FromSnapshots, RepositoryCall, RepositoryReplies, ToSnapshots } from '../messages/snapshot-messages.ts';
import type { NodeOptions } from '../threads/node-options.ts';

/** Progress is reported at most this often. */
const PROGRESS_MS = 100;

export class SnapshotWorker {
  readonly #store: Store;
  readonly #options: NodeOptions;
  readonly #main: Channel<FromSnapshots, ToSnapshots>;
  readonly #cancelled = new Set<string>();

  constructor(port: MessagePort, store: Store, options: NodeOptions) {
    this.#store = store;
    this.#options = options;
    this.#main = new Channel<FromSnapshots, ToSnapshots>(port, (message) => {
      if (message.type === 'repository') return this.#call(message.config, message.call);
      this.#cancelled.add(message.id);
    });
  }

  async #call(config: RepositoryConfig, call: RepositoryCall): Promise<RepositoryReplies[RepositoryCall['name']]> {
    const repository = openRepository(config, repositoryLimits(this.#options.settings));
    try {
      return await this.#run(repository, config, call);
    } finally {
      repository.blobs.close();
    }
  }

  async #run(repository: Repository, config: RepositoryConfig, call: RepositoryCall): Promise<RepositoryReplies[RepositoryCall['name']]> {
    switch (call.name) {
      case 'verify':
        if (call.write) await repository.verify();
        return;
      case 'list':
        return (await repository.load()).snapshots;
      case 'details':
        return repository.details(call.snapshot);
      case 'cleanup':
        return this.#cleanup(repository);
      case 'write':
        return this.#write(repository, config, call);
      case 'delete':
        return repository.delete(await repository.load(), new Set(call.uuids)).then(() => undefined);
      case 'clone':
        await cloneSnapshot(repository, { ...call, name: call.target }, Date.now);
        return;
      case 'restoreShard':
        return this.#restoreShard(repository, config, call);
    }
  }

  async #cleanup(repository: Repository): Promise<{ blobs: number; bytes: number }> {
    const contents = await repository.load();
    const end = await repository.begin(contents);
    const removed = await repository.sweep(contents);
    await end();
    return removed;
  }

  async #write(
    repository: Repository,
    config: RepositoryConfig,
    { id, plan }: Extract<RepositoryCall, { name: 'write' }>,
  ): Promise<RepositoryReplies['write']> {
    const limit = new RateLimit(rateLimit(config, 'max_snapshot_bytes_per_sec'));
    let reportedMs = 0;
    try {
      return await writeSnapshot(repository, plan, {
        store: this.#store,
        dataPath: this.#options.dataPath,
        nowMs: Date.now,
        pause: (bytes) => {
          this.#throwIfCancelled(id, `[${repository.name}:${plan.name}] aborted by snapshot deletion`);
          return limit.pass(bytes);
        },
        onProgress: (index, shard, progress) => {
          const now = Date.now();
          if (progress.stage === 'STARTED' && progress.doneFiles > 0 && now - reportedMs < PROGRESS_MS) return;
          reportedMs = now;
          this.#main.notify({ type: 'progress', id, index, shard, progress });
        },
      });
    } catch (error) {
      await this.#sweepAfterFailure(repository);
      throw error;
    } finally {
      this.#cancelled.delete(id);
    }
  }

  /** Removes what a failed snapshot has copied. If that fails, too, the next change of the repository does it. */
  async #sweepAfterFailure(repository: Repository): Promise<void> {
    try {
      await this.#cleanup(repository);
    } catch (error) {
      this.#main.notify({
        type: 'log',
        level: 'warn',
        message: `[${repository.name}] leftovers of a failed snapshot were not removed: ${(error as Error).message}`,
      });
    }
  }

  async #restoreShard(
    repository: Repository,
    config: RepositoryConfig,
    { id, manifest, uuid, shard, log }: Extract<RepositoryCall, { name: 'restoreShard' }>,
  ): Promise<undefined> {
    const limit = new RateLimit(rateLimit(config, 'max_restore_bytes_per_sec'));
    const files = new SegmentFiles(this.#options.dataPath, uuid, shard);
    try {
      await restoreShard(
        repository,
        await repository.manifest(manifest),
        { store: this.#store, log, files },
        {
          pause: (bytes) => {
            this.#throwIfCancelled(id, `restore from [${repository.name}] was cancelled`);
            return limit.pass(bytes);
          },
          onRestored: (count, bytes) => this.#main.notify({ type: 'restored', id, files: count, bytes }),
        },
      );
    } finally {
      this.#cancelled.delete(id);
    }
  }

  #throwIfCancelled(id: string, reason: string): void {
    if (this.#cancelled.has(id)) throw new ApiError('snapshot_exception', 500, reason);
  }
}
