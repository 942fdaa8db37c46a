// `gannet snapshot` and `gannet restore` on the data directory of a stopped service: the engine runs in this process, without a listener
// and without users, since file permissions already give full access to the data.
import path from 'node:path';
import { closeIndex } from '../api/indices/indices.ts';
import { createSnapshot, deleteSnapshots } from '../api/snapshots/create-snapshot.ts';
import { putRepository } from '../api/snapshots/repositories.ts';
import { restoreSnapshot } from '../api/snapshots/restore-snapshot.ts';
import { snapshotStatus } from '../api/snapshots/snapshot-status.ts';
import type { JsonObject } from '../common/json/json-value.ts';
import { loadSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import { repositoriesOf } from '../metadata/definitions/repositories.ts';
import { type OpenNode, openNode } from '../node/open-node.ts';
import type { SnapshotInfo } from '../snapshots/snapshot-types.ts';
import { type Arguments, flagValue } from './arguments.ts';

type Context = OpenNode['context'];

/** Outcome of a restore. */
export interface Restored {
  readonly indices: readonly string[];
  readonly shards: { readonly total: number; readonly failed: number };
}

/** Opens the directory for `action`, with the repository registered. @throws ApiError the directory is in use */
export async function withDirectory<T>(
  args: Arguments,
  repository: string,
  action: (directory: StoppedDirectory) => Promise<T>,
): Promise<T> {
  const location = flagValue(args, 'location');
  const node = await openNode(settingsOf(args, location));
  try {
    if (location !== null && !Object.hasOwn(repositoriesOf(node.context.cluster), repository))
      await putRepository(node.context, repository, { type: 'fs', settings: { location } }, true);
    return await action(new StoppedDirectory(node.context, repository));
  } finally {
    await node.close();
  }
}

/** @throws SettingError, UsageError */
function settingsOf({ flags }: Arguments, location: string | null): Settings {
  const given = Object.entries(flags).filter(([name]) => name.startsWith('path.'));
  const file = typeof flags.config === 'string' ? flags.config : undefined;
  const settings = loadSettings({ flags: { ...Object.fromEntries(given), threads: '1' }, environment: process.env, file });
  // A folder named on the command line need not be listed in `path.repo`.
  if (location === null || !path.isAbsolute(location)) return settings;
  return { ...settings, 'path.repo': [...settings['path.repo'], path.dirname(location)] };
}

export class StoppedDirectory {
  readonly #ctx: Context;
  readonly #repository: string;

  constructor(ctx: Context, repository: string) {
    this.#ctx = ctx;
    this.#repository = repository;
  }

  /** @returns the snapshot, with failures of shards if `body` accepts them, and its sizes */
  async create(snapshot: string, body: JsonObject): Promise<{ info: SnapshotInfo; totalBytes: number; newBytes: number }> {
    await createSnapshot(this.#ctx, { repository: this.#repository, snapshot, body, wait: true });
    const status = await snapshotStatus(this.#ctx, { repository: this.#repository, snapshots: [snapshot], ignoreUnavailable: false });
    const info = (await this.list()).find(({ name }) => name === snapshot);
    if (info === undefined) throw new Error(`[${snapshot}] is missing`);
    const [{ stats }] = status.snapshots as ReadonlyArray<{ stats: Record<'total' | 'incremental', { size_in_bytes: number }> }>;
    return {
      info,
      totalBytes: stats.total.size_in_bytes,
      newBytes: stats.incremental.size_in_bytes,
    };
  }

  list(): Promise<readonly SnapshotInfo[]> {
    return this.#ctx.snapshots.list(this.#repository);
  }

  async delete(snapshots: readonly string[]): Promise<void> {
    await deleteSnapshots(this.#ctx, { repository: this.#repository, snapshots });
  }

  async close(indices: readonly string[]): Promise<void> {
    if (indices.length > 0) await closeIndex(this.#ctx, { index: indices.join(','), ignoreUnavailable: true, allowNoIndices: true });
  }

  async restore(snapshot: string, body: JsonObject): Promise<Restored> {
    const request = {
      repository: this.#repository,
      snapshot,
      body,
      wait: true,
      require: () => undefined,
      requireSecurity: () => undefined,
    };
    return (await restoreSnapshot(this.#ctx, request)).snapshot as Restored;
  }
}
