// Merges of one shard's segments, beside its writes: in the background until the policy is content, or by force.
import type { IndexSortKey } from '../mapping/index-sort.ts';
import { findForcedMerge, findMerge, type MergePolicyOptions } from './merge-policy.ts';
import type { WriterSegment } from './segment-set.ts';
import type { ShardSegments } from './shard-segments.ts';
import type { ShardIdentity, WriterEnvironment } from './writer-environment.ts';

/** What a merge needs of the shard's writer. */
export interface MergingWriter {
  readonly identity: ShardIdentity;
  readonly isClosed: boolean;
  readonly mergePolicy: MergePolicyOptions;
  readonly indexSort: readonly IndexSortKey[];
  /** Runs a step while nothing else changes the shard. */
  exclusive<T>(action: () => Promise<T>): Promise<T>;
  /** Within `exclusive`: makes a segment of the open buffer and announces all segments. */
  publishAll(): Promise<{ done: Promise<void> }>;
}

export class ShardMerges {
  readonly #writer: MergingWriter;
  readonly #segments: ShardSegments;
  readonly #env: WriterEnvironment;
  #running: Promise<void> | null = null;
  #count = 0;

  constructor(writer: MergingWriter, segments: ShardSegments, env: WriterEnvironment) {
    this.#writer = writer;
    this.#segments = segments;
    this.#env = env;
  }

  /** Merges that were done. */
  get count(): number {
    return this.#count;
  }

  /** Starts background merges until the policy is content. */
  schedule(): void {
    if (this.#running !== null || this.#writer.isClosed) return;
    const chosen = findMerge(this.#candidates(), this.#writer.mergePolicy);
    if (chosen === null) return;
    this.#start(chosen).then(
      () => this.schedule(),
      (error) => this.#env.mergeFailed(this.#writer.identity, error),
    );
  }

  async force(maxNumSegments: number, onlyExpungeDeletes: boolean): Promise<void> {
    for (;;) {
      await this.#running;
      const chosen = findForcedMerge(this.#candidates(), Math.max(1, maxNumSegments), onlyExpungeDeletes, this.#writer.mergePolicy);
      if (chosen === null || this.#writer.isClosed) return;
      await this.#start(chosen);
    }
  }

  /** Resolves when no merge runs, whether the last one failed or not. */
  async settled(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  #start(chosen: readonly number[]): Promise<void> {
    const running = this.#merge(chosen.map((at) => this.#segments.all[at])).finally(() => {
      this.#running = null;
    });
    this.#running = running;
    return running;
  }

  #candidates() {
    return this.#segments.all.map(({ extent, maxDoc, deleted, merging }) => ({ bytes: extent.bytes, maxDoc, deleted, merging }));
  }

  async #merge(sources: readonly WriterSegment[]): Promise<void> {
    for (const segment of sources) segment.merging = true;
    try {
      // What is dead now is dropped; what dies while the merge runs is marked dead in its result.
      const liveAtStart = await this.#writer.exclusive(async () => {
        await this.#writer.publishAll();
        return sources.map((segment) => segment.liveBits()?.slice() ?? null);
      });
      const result = sources.some((segment) => segment.liveCount > 0) ? await this.#env.merge(sources, this.#writer.indexSort) : null;
      const published = await this.#writer.exclusive(async () => {
        if (this.#writer.isClosed) return null;
        this.#segments.replace(sources, result, liveAtStart);
        this.#count++;
        return this.#writer.publishAll();
      });
      await published?.done;
    } finally {
      for (const segment of sources) segment.merging = false;
    }
  }
}
