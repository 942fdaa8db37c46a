// Closes the shards of indices that were closed or deleted, and removes the files of deleted ones.
import { removeIndexFolder } from '../../store/segment-files.ts';
import type { SnapshotRegistry } from '../memory/snapshot-registry.ts';
import type { MetadataStore } from '../metadata/metadata-store.ts';
import type { Indexers } from './indexers.ts';
import type { ShardPlacements } from './shard-placements.ts';

export interface IndexCloserParts {
  readonly dataPath: string;
  readonly metadata: MetadataStore;
  readonly placements: ShardPlacements;
  readonly registry: SnapshotRegistry;
  readonly indexers: Indexers;
}

export class IndexCloser {
  readonly #parts: IndexCloserParts;
  readonly #closing = new Map<string, Promise<void>>();
  /** Deleted indices whose shards are closed, to be removed together by the promise below. */
  #deleted: string[] = [];
  #removal = Promise.resolve();

  constructor(parts: IndexCloserParts) {
    this.#parts = parts;
  }

  /** Closes the open shards of an index, one call after another. @param drop  the index was deleted, so its files are removed */
  close(uuid: string, drop: boolean): Promise<void> {
    const closing = (this.#closing.get(uuid) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.#closeShards(uuid, drop))
      .finally(() => {
        if (this.#closing.get(uuid) === closing) this.#closing.delete(uuid);
      });
    this.#closing.set(uuid, closing);
    return closing;
  }

  /** Resolves when the index is not being closed any more. */
  async closed(uuid: string): Promise<void> {
    await this.#closing.get(uuid);
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#closing.values());
  }

  async #closeShards(uuid: string, drop: boolean): Promise<void> {
    const { metadata, placements, registry, indexers } = this.#parts;
    const logs = metadata.logs(uuid);
    const close = (log: number, shard: number) =>
      indexers.channel(placements.indexerOf(log)).request({ type: 'closeShard', uuid, shard, log, drop });
    await Promise.all(logs.map(close));
    for (const shard of logs.keys()) {
      registry.forget(uuid, shard);
      placements.forget(uuid, shard);
    }
    if (drop) await this.#remove(uuid);
  }

  /** Each transaction waits for the disk, so one is for all indices whose turn has come while files were being removed. */
  #remove(uuid: string): Promise<void> {
    if (this.#deleted.push(uuid) === 1) this.#removal = this.#removal.catch(() => undefined).then(() => this.#removeDeleted());
    return this.#removal;
  }

  async #removeDeleted(): Promise<void> {
    const { dataPath, metadata } = this.#parts;
    const uuids = this.#deleted;
    this.#deleted = [];
    for (const uuid of uuids) await removeIndexFolder(dataPath, uuid);
    metadata.forgetLogs(uuids);
  }
}
