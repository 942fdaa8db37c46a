// Copies that this node is being given: reports each as started when it contains everything that was acknowledged before, so that it may be searched.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import { copyOn } from '../../metadata/copies.ts';
import type { LinkedNode } from './cluster-link.ts';

const RETRY_MS = 100;

interface Surroundings {
  readonly nodeId: string;
  readonly node: () => Pick<LinkedNode, 'state' | 'askShard' | 'command'>;
  readonly isLeaving: () => boolean;
}

export class CopyStarts {
  readonly #around: Surroundings;
  /** Ids of the copies that are being filled. */
  readonly #running = new Set<string>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Call it after each change of the metadata. */
  update(state: ClusterState): void {
    if (state.copies === undefined) return;
    for (const { uuid, state: opened, settings } of Object.values(state.indices)) {
      const copy = copyOn(state, uuid, this.#around.nodeId);
      if (copy === null || copy.isStarted || this.#running.has(`${uuid}/${copy.id}`)) continue;
      const shards = opened === 'open' ? Number(settings['index.number_of_shards'] ?? 1) : 0;
      this.#running.add(`${uuid}/${copy.id}`);
      void this.#start(uuid, copy.id, shards).finally(() => this.#running.delete(`${uuid}/${copy.id}`));
    }
  }

  /**
   * From the moment on when the metadata names the copy, it takes part in the refreshes of other nodes. What was refreshed before that is acknowledged,
   * so that it is part of what the copy reads here.
   */
  async #start(uuid: string, id: number, shards: number): Promise<void> {
    for (let shard = 0; shard < shards; shard++) if (!(await this.#repeat(uuid, id, () => this.#refresh(uuid, shard)))) return;
    await this.#repeat(uuid, id, () => this.#around.node().command('startCopy', { uuid, node: this.#around.nodeId, id }));
  }

  #refresh(uuid: string, shard: number): Promise<unknown> {
    return this.#around.node().askShard({ kind: 'refresh', uuid, shard });
  }

  /** Repeats an action while the log cannot be reached. @returns false: the copy is no longer wanted */
  async #repeat(uuid: string, id: number, action: () => Promise<unknown>): Promise<boolean> {
    while (!this.#around.isLeaving()) {
      const copy = copyOn(this.#around.node().state(), uuid, this.#around.nodeId);
      if (copy === null || copy.id !== id || copy.isStarted) return false;
      try {
        await action();
        return true;
      } catch {
        await sleep(RETRY_MS);
      }
    }
    return false;
  }
}
