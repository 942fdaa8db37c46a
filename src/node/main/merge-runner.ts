// Runs merges in the merger, one at a time: a merge is long and uses a core. The merger is started for a merge and ended when it is idle, since
// the private memory of a merge returns to the system only with its thread.
import type { Extent, SegmentDescriptor, SegmentLocation } from '../../indexing/segment-set.ts';
import type { SegmentFile } from '../../indexing/writer-environment.ts';
import type { SegmentLayout } from '../../mapping/segment-layout.ts';
import type { MergedSegment, ToMerger } from '../messages/messages.ts';
import type { NodePart } from './node-part.ts';

/** The merger's thread ends after this time without a merge. */
const MERGER_IDLE_MS = 2000;

export interface MergeRunnerEnvironment {
  startMerger(): NodePart<ToMerger, never>;
  /** Called when the merger's thread has been ended. */
  onMergerEnd(merger: NodePart<ToMerger, never>): void;
  /** Keeps the segments in memory. @returns releases them */
  hold(segments: readonly SegmentDescriptor[]): () => void;
  /** @throws ApiError circuit_breaking_exception: the memory limit is reached */
  allocate(bytes: number): Extent;
  /** Whether a segment of this size should not be in memory as a whole. */
  isScarce(bytes: number): boolean;
  openFile(file: SegmentFile): SegmentLocation | null;
}

export class MergeRunner {
  readonly #env: MergeRunnerEnvironment;
  #merger: NodePart<ToMerger, never> | null = null;
  #idle: NodeJS.Timeout | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(env: MergeRunnerEnvironment) {
    this.#env = env;
  }

  /** @param file  where the result is written if memory is scarce */
  merge(segments: readonly SegmentDescriptor[], layout: SegmentLayout, file: SegmentFile): Promise<MergedSegment> {
    const release = this.#env.hold(segments);
    const result = this.#tail.then(() => this.#run(segments, layout, file));
    this.#tail = result.catch(() => undefined);
    return result.finally(release);
  }

  async #run(segments: readonly SegmentDescriptor[], layout: SegmentLayout, file: SegmentFile): Promise<MergedSegment> {
    clearTimeout(this.#idle);
    this.#merger ??= this.#env.startMerger();
    const { channel } = this.#merger;
    try {
      const reply = await channel.request({ type: 'mergeImages', segments, layout });
      const { bytes } = reply;
      if (bytes > 0 && this.#env.isScarce(bytes)) {
        await channel.request({ type: 'write', path: file.path });
        const image = this.#env.openFile({ ...file, bytes });
        if (image !== null) return { ...reply, image };
      }
      const extent = this.#env.allocate(bytes);
      await channel.request({ type: 'store', extent });
      return { ...reply, image: { extent, sizeBytes: bytes, paging: null } };
    } finally {
      this.#idle = setTimeout(() => this.#endIdle(), MERGER_IDLE_MS);
    }
  }

  #endIdle(): void {
    const merger = this.#merger;
    if (merger === null || merger.worker === null) return;
    this.#merger = null;
    merger.channel.close();
    merger.worker.terminate();
    this.#env.onMergerEnd(merger);
  }

  /** Ends the merger, also in the middle of a merge. */
  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    this.#merger?.channel.close();
    await this.#merger?.worker?.terminate();
  }
}
