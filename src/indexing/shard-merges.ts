// Merges the segments of a shard while it is written to: in the background until the policy finds nothing to merge, or on request. A merge does
// not change what searches see.
import { MAX_PLAIN_VECTORS } from '../common/encoding/vector-format.ts';
import type { SegmentLayout } from '../mapping/segment-layout.ts';
import type { SegmentReader } from '../plan/segment-reader.ts';
import { findForcedMerge, findMerge, type MergeCandidate, type MergePolicyOptions } from './merge-policy.ts';
import type { WriterSegment } from './segment-set.ts';
import type { ShardSegments } from './shard-segments.ts';
import type { ShardIdentity, WriterEnvironment } from './writer-environment.ts';

/** Larger segments are not rewritten for a graph: the memory of a merge must hold both. */
const MAX_REWRITTEN_BYTES = 5 * 2 ** 28;

/** The part of the shard's writer that merges use. */
export interface MergingWriter {
  readonly identity: ShardIdentity;
  readonly isClosed: boolean;
  readonly mergePolicy: MergePolicyOptions;
  readonly segmentLayout: SegmentLayout;
  /** Runs an action while nothing else changes the shard. */
  exclusive<T>(action: () => Promise<T>): Promise<T>;
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

  /** Number of completed merges. */
  get count(): number {
    return this.#count;
  }

  /** Starts background merges until the policy finds nothing to merge. */
  schedule(): void {
    if (this.#running !== null || this.#writer.isClosed) return;
    const announced = this.#announced();
    const chosen = findMerge(announced.map(candidate), this.#writer.mergePolicy) ?? this.#withoutGraph(announced);
    if (chosen === null) return;
    this.#start(chosen.map((at) => announced[at])).then(
      () => this.schedule(),
      (error) => this.#env.mergeFailed(this.#writer.identity, error),
    );
  }

  /** A segment with many vectors and no graph: it is rewritten alone. */
  #withoutGraph(announced: readonly WriterSegment[]): number[] | null {
    const { vectors } = this.#writer.segmentLayout;
    const lacksGraph = ({ reader, merging, sizeBytes }: WriterSegment): boolean =>
      !merging &&
      sizeBytes < MAX_REWRITTEN_BYTES &&
      vectors.some(({ field }) => !reader.hasVectorGraph(field) && vectorCount(reader, field) >= MAX_PLAIN_VECTORS);
    const at = vectors.length === 0 ? -1 : announced.findIndex(lacksGraph);
    return at < 0 ? null : [at];
  }

  async force(maxNumSegments: number, onlyExpungeDeletes: boolean): Promise<void> {
    for (;;) {
      // Another caller that waited may have started the next merge.
      while (this.#running !== null) await this.#running;
      const announced = this.#announced();
      const candidates = announced.map(candidate);
      const chosen = findForcedMerge(candidates, Math.max(1, maxNumSegments), onlyExpungeDeletes, this.#writer.mergePolicy);
      if (chosen === null || this.#writer.isClosed) return;
      await this.#start(chosen.map((at) => announced[at]));
    }
  }

  /** Resolves when no merge is running, even if the last one failed. */
  async settled(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  #start(sources: readonly WriterSegment[]): Promise<void> {
    const running = this.#merge(sources).finally(() => {
      this.#running = null;
    });
    this.#running = running;
    return running;
  }

  /** The segments that searches see. Others are merged once they are published. */
  #announced(): WriterSegment[] {
    return this.#segments.all.filter((segment) => segment.isAnnounced);
  }

  async #merge(sources: readonly WriterSegment[]): Promise<void> {
    for (const segment of sources) segment.merging = true;
    const { name, file } = this.#segments.promiseName();
    try {
      // Documents that searches no longer see are dropped. Those deleted while the merge runs, or deleted before but not published yet, are marked
      // deleted in its result.
      const { liveAtStart, running } = await this.#writer.exclusive(async () => ({
        liveAtStart: sources.map((segment) => this.#segments.publishedLive(segment)?.slice() ?? null),
        // Started inside the exclusive section, so that nothing is published in between.
        running: sources.some(({ maxDoc, publishedDeleted }) => maxDoc > publishedDeleted)
          ? this.#env.merge(sources, this.#writer.segmentLayout, file)
          : Promise.resolve(null),
      }));
      const result = await running;
      const published = await this.#writer.exclusive(async () => {
        if (this.#writer.isClosed) return null;
        await this.#segments.replace(name, sources, result, liveAtStart);
        this.#count++;
        return this.#segments.announce();
      });
      await published?.done;
    } finally {
      this.#segments.forgetName(name);
      for (const segment of sources) segment.merging = false;
    }
  }
}

function vectorCount(reader: SegmentReader, field: string): number {
  // Counting visits each document, so small segments are skipped.
  return reader.maxDoc < MAX_PLAIN_VECTORS ? 0 : (reader.column(field)?.docCount ?? 0);
}

/** Input of the merge policy. It counts published deletions only: a merge drops no others. */
function candidate({ sizeBytes, maxDoc, publishedDeleted, merging }: WriterSegment): MergeCandidate {
  return { bytes: sizeBytes, maxDoc, deleted: publishedDeleted, merging };
}
