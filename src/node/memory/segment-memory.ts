// The memory of segments, as main manages it: what is allocated, how much of the limit published snapshots and resident sections take, and what
// is released when no reader uses it any longer.

import { ApiError } from '../../errors/api-error.ts';
import type { Extent, SnapshotDescriptor } from '../../indexing/segment-set.ts';
import type { ArenaMessage } from '../messages/messages.ts';
import type { MemoryBreaker } from './memory-breaker.ts';
import { PagedSegments } from './paged-segments.ts';
import { SharedArenas } from './shared-arenas.ts';
import { SnapshotRegistry } from './snapshot-registry.ts';

interface SegmentMemoryOptions {
  readonly memoryLimitBytes: number;
  /** Segments of at least this size are read from disk by section. */
  readonly minPagedBytes: number;
  readonly breaker: MemoryBreaker;
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
    const { memoryLimitBytes, minPagedBytes, onArena } = options;
    this.#options = options;
    this.arenas = new SharedArenas(module, onArena);
    this.paged = new PagedSegments(this.arenas, {
      memoryLimitBytes,
      minBytes: minPagedBytes,
      allocate: (bytes, arena) => this.arenas.allocate(bytes, arena),
    });
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

  /** Whether segments that are in memory as a whole, and another one, would take more than half of what pools leave. */
  isScarce(bytes: number): boolean {
    return this.registry.publishedBytes + bytes > (this.#options.memoryLimitBytes - this.paged.shareBytes) / 2;
  }

  get #usedBytes(): number {
    return this.registry.publishedBytes + this.arenas.sections.stats().residentBytes;
  }

  #noteSegments(): void {
    this.#options.breaker.setSegments(this.#usedBytes);
    this.arenas.sections.isMemoryScarce = this.isScarce(0);
  }

  #onFreed(extent: Extent, segment: number | null): void {
    this.release(extent);
    this.#noteSegments();
    if (segment !== null) this.#options.onSegmentReleased(segment);
  }
}
