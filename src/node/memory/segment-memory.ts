// The memory of segments, as main manages it: what is allocated, how much of the limit published snapshots and resident sections take, and what
// is released when no reader uses it any longer.

import { ApiError } from '../../errors/api-error.ts';
import type { Extent, SnapshotDescriptor } from '../../indexing/segment-set.ts';
import type { ArenaMessage } from '../messages/messages.ts';
import type { MemoryBreaker } from './memory-breaker.ts';
import { PagedSegments, sectionShare } from './paged-segments.ts';
import { SharedArenas } from './shared-arenas.ts';
import { SnapshotRegistry } from './snapshot-registry.ts';

/** Share of memory.limit that segments in memory as a whole may take before they are paged. */
const WHOLE_SHARE = 0.2;

interface SegmentMemoryOptions {
  readonly memoryLimitBytes: number;
  /** Segments of at least this size are read from disk by section. */
  readonly minPagedBytes: number;
  readonly breaker: MemoryBreaker;
  /** Whether the limit also covers the heaps and kernels of the node's threads. */
  readonly isService: boolean;
  /** Called for a new arena before it is sent to its users. */
  readonly onArena: (arena: number, memory: WebAssembly.Memory, sections: ArenaMessage['sections']) => void;
  /** Called when the last reader has released a segment. */
  readonly onSegmentReleased: (segment: number) => void;
}

export class SegmentMemory {
  readonly arenas: SharedArenas;
  readonly paged: PagedSegments;
  readonly registry: SnapshotRegistry;
  readonly #options: SegmentMemoryOptions;

  constructor(module: WebAssembly.Module, options: SegmentMemoryOptions) {
    const { memoryLimitBytes, minPagedBytes, isService, breaker, onArena } = options;
    this.#options = options;
    this.arenas = new SharedArenas(module, onArena);
    this.paged = new PagedSegments(this.arenas, {
      shareBytes: sectionShare(memoryLimitBytes, isService),
      minBytes: minPagedBytes,
      allocate: (bytes, arena) => this.arenas.allocate(bytes, arena),
    });
    breaker.useSections(() => this.arenas.sections.stats().residentBytes);
    this.registry = new SnapshotRegistry((extent, segment) => this.#onFreed(extent, segment));
  }

  /** @param arena  where the memory must be; any by default @throws ApiError circuit_breaking_exception */
  allocate(bytes: number, arena?: number): Extent {
    const limit = this.#options.memoryLimitBytes;
    const used = this.#usedBytes;
    if (used + bytes > limit) {
      throw new ApiError(
        'circuit_breaking_exception',
        429,
        `[segments] Data too large, data for [segment] would be [${used + bytes}/${used + bytes}b], which is larger than the limit of [${limit}/${limit}b]`,
        { details: { bytes_wanted: used + bytes, bytes_limit: limit, durability: 'PERMANENT' } },
      );
    }
    return this.arenas.allocate(bytes, arena);
  }

  release(extent: Extent): void {
    this.paged.close(extent);
    this.arenas.release(extent);
  }

  /** Registers a snapshot before readers receive it. */
  publish(snapshot: SnapshotDescriptor): void {
    this.registry.publish(snapshot);
    this.#noteSegments();
  }

  /** Whether segments that are in memory as a whole, and another one, would take too much of the memory for them and for requests. */
  isScarce(bytes: number): boolean {
    return this.registry.publishedBytes + bytes > this.#options.memoryLimitBytes * WHOLE_SHARE;
  }

  get #usedBytes(): number {
    return this.registry.publishedBytes + this.arenas.sections.stats().residentBytes;
  }

  #noteSegments(): void {
    this.#options.breaker.setSegments(this.registry.publishedBytes);
    this.arenas.sections.isMemoryScarce = this.isScarce(0);
  }

  #onFreed(extent: Extent, segment: number | null): void {
    this.release(extent);
    this.#noteSegments();
    if (segment !== null) this.#options.onSegmentReleased(segment);
  }
}
