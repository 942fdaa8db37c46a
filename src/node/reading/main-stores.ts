// What main keeps for all readers, as a reader uses it: search contexts, tasks and snapshots. Each call is a message to main.
import type { ShardSnapshot } from '../../api/core/index-state.ts';
import type { ContextKind, ContextState, OpenContextInfo, SearchContextStore, UsedContext } from '../../api/core/search-context.ts';
import type { SnapshotStore } from '../../api/core/snapshot-store.ts';
import type { TaskStore } from '../../api/core/task-store.ts';
import type { PublishedSnapshot, ReaderSnapshots } from '../memory/reader-snapshots.ts';
import type { Channel } from '../messages/channel.ts';
import type { FromReader, ToReader } from '../messages/messages.ts';
import type { IndexStates } from '../metadata/index-states.ts';

export class ReaderContexts implements SearchContextStore {
  readonly #main: Channel<FromReader, ToReader>;
  readonly #states: IndexStates;
  readonly #snapshots: ReaderSnapshots;

  constructor(main: Channel<FromReader, ToReader>, states: IndexStates, snapshots: ReaderSnapshots) {
    this.#main = main;
    this.#states = states;
    this.#snapshots = snapshots;
  }

  open(kind: ContextKind, snapshots: readonly ShardSnapshot[], options: { keepAliveMs: number; limit: number; state: ContextState }) {
    const descriptors = (snapshots as readonly PublishedSnapshot[]).map(({ descriptor }) => descriptor);
    return this.#main.request({ type: 'context', request: { action: 'open', kind, snapshots: descriptors, ...options } });
  }

  async use(kind: ContextKind, key: string, keepAliveMs: number | null): Promise<UsedContext | null> {
    const borrowed = await this.#main.request({ type: 'context', request: { action: 'use', kind, key, keepAliveMs } });
    if (borrowed === null) return null;
    const { loan } = borrowed;
    const snapshots: ShardSnapshot[] = [];
    const end = (state?: ContextState) => {
      for (const snapshot of snapshots) snapshot.release();
      return this.#main.request({ type: 'context', request: { action: 'endUse', loan, state } });
    };
    for (const descriptor of borrowed.snapshots) {
      const index = this.#states.byUuid(descriptor.indexUuid);
      if (index?.meta.state !== 'open') {
        await end();
        return null;
      }
      snapshots.push(this.#snapshots.borrow(descriptor, index));
    }
    return { snapshots, state: borrowed.state, end };
  }

  close(kind: ContextKind, keys: readonly string[] | null): Promise<string[]> {
    return this.#main.request({ type: 'context', request: { action: 'close', kind, keys } });
  }

  async list(kind: ContextKind): Promise<OpenContextInfo[]> {
    const infos = await this.#main.request({ type: 'context', request: { action: 'list', kind } });
    return infos.map(({ indexUuids, ...info }) => ({
      ...info,
      indices: indexUuids.flatMap((uuid) => this.#states.byUuid(uuid)?.meta.name ?? []),
    }));
  }
}

/** The task list of main. */
export function readerTasks(main: Channel<FromReader, ToReader>): TaskStore {
  return {
    start: (task) => main.request({ type: 'task', request: { action: 'start', task } }),
    report: (id, status) => main.request({ type: 'task', request: { action: 'report', id, status } }),
    finish: (id, result) => main.request({ type: 'task', request: { action: 'finish', id, result } }),
    get: (id) => main.request({ type: 'task', request: { action: 'get', id } }),
    list: () => main.request({ type: 'task', request: { action: 'list' } }),
    cancel: (ids) => main.request({ type: 'task', request: { action: 'cancel', ids } }),
    rethrottle: (id, requestsPerSecond) => main.request({ type: 'task', request: { action: 'rethrottle', id, requestsPerSecond } }),
  };
}

/** Repositories and snapshots, by way of main. */
export function readerSnapshots(main: Channel<FromReader, ToReader>): SnapshotStore {
  return {
    verify: (config, write) => main.request({ type: 'snapshots', request: { action: 'verify', config, write } }),
    list: (repository) => main.request({ type: 'snapshots', request: { action: 'list', repository } }),
    running: () => main.request({ type: 'snapshots', request: { action: 'running' } }),
    details: (repository, snapshot) => main.request({ type: 'snapshots', request: { action: 'details', repository, snapshot } }),
    cleanup: (repository) => main.request({ type: 'snapshots', request: { action: 'cleanup', repository } }),
    create: (request) => main.request({ type: 'snapshots', request: { action: 'create', request } }),
    delete: (repository, snapshots) => main.request({ type: 'snapshots', request: { action: 'delete', repository, snapshots } }),
    clone: (request) => main.request({ type: 'snapshots', request: { action: 'clone', request } }),
    executePolicy: (id) => main.request({ type: 'snapshots', request: { action: 'executePolicy', id } }),
    executeRetention: () => main.request({ type: 'snapshots', request: { action: 'executeRetention' } }),
    restore: (request) => main.request({ type: 'snapshots', request: { action: 'restore', request } }),
  };
}
