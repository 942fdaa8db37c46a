// Brings a node up to date with what the other nodes have done without it: at its start, and when it was out of touch.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadLease } from '../../cluster/read-lease.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';
import type { LinkedNode } from './cluster-link.ts';

const RETRY_MS = 100;

interface Surroundings {
  readonly node: () => Pick<LinkedNode, 'state' | 'askShard'>;
  /** Applies all metadata that was acknowledged before. @throws ApiError */
  readonly metadata: () => Promise<void>;
  readonly isLeaving: () => boolean;
}

export class CatchUp {
  readonly #lease: ReadLease;
  readonly #around: Surroundings;
  #running: Promise<void> | null = null;

  constructor(lease: ReadLease, around: Surroundings) {
    this.#lease = lease;
    this.#around = around;
  }

  /** null if there is nothing to catch up with. */
  get done(): Promise<void> | null {
    return this.#running;
  }

  /** Runs until copies may be read again. */
  start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async #run(): Promise<void> {
    while (!this.#around.isLeaving() && !this.#lease.isCurrent) {
      const { lapses } = this.#lease;
      try {
        // First, because other nodes may have made indices.
        await this.#around.metadata();
        await this.#catchUpCopies();
        this.#lease.caughtUp(lapses);
      } catch {
        await sleep(RETRY_MS);
      }
    }
  }

  /** Lets each copy apply its log and refresh. */
  async #catchUpCopies(): Promise<void> {
    const shards = Object.values(this.#around.node().state().indices).flatMap(({ uuid, state, settings }) =>
      state === 'open' ? Array.from({ length: Number(settings['index.number_of_shards'] ?? 1) }, (_, shard) => ({ uuid, shard })) : [],
    );
    await Promise.all(shards.map((shard) => this.#catchUpCopy(shard)));
  }

  /** Repeated while the log cannot be reached. */
  async #catchUpCopy(shard: { readonly uuid: string; readonly shard: number }): Promise<void> {
    while (!this.#around.isLeaving() && isOpen(this.#around.node().state(), shard.uuid)) {
      try {
        await this.#around.node().askShard({ kind: 'refresh', ...shard });
        return;
      } catch {
        await sleep(RETRY_MS);
      }
    }
  }
}

export function isOpen({ indices }: ClusterState, uuid: string): boolean {
  return Object.values(indices).some((index) => index.uuid === uuid && index.state === 'open');
}
