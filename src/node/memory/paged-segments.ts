// Opens segment files for all threads without reading more than their directories. Sections are loaded by the threads that need them, into pools that
// together take a share of memory.limit. Runs in the main thread.
import { closeSync, fstatSync, openSync } from 'node:fs';
import { readDirectory } from '../../arena/paged-image.ts';
import type { SectionTable } from '../../arena/section-table.ts';
import { corruptIndexError } from '../../errors/catalog.ts';
import { type Extent, extentKey, type SegmentLocation } from '../../indexing/segment-set.ts';
import type { SegmentFile } from '../../indexing/writer-environment.ts';
import type { SharedArenas } from './shared-arenas.ts';

/** Share of memory.limit for sections. The rest is for new segments, requests and heaps. */
const POOL_SHARE = 0.6;
/** Sections leave this much of a small memory.limit to heaps, kernels and buffers of a service, whose size does not depend on the limit. */
const SERVICE_BYTES = 160 << 20;
const MIN_POOL_SHARE = 0.25;
/** A pool leaves room in its arena for directories, live docs and the scratch regions of threads. */
const MAX_POOL_BYTES = 2 ** 31;
const MIN_POOL_BYTES = 1 << 20;

interface Pool {
  readonly number: number;
  readonly arena: number;
  readonly bytes: number;
  /** Bytes of all sections that may be loaded into the pool. */
  wanted: number;
}

interface Opened {
  readonly fd: number;
  readonly firstRow: number;
  readonly rows: number;
  readonly pool: Pool;
  readonly bytes: number;
}

export interface PagedSegmentsOptions {
  /** Bytes that sections may take together. */
  readonly shareBytes: number;
  /** Smaller segments are read whole. */
  readonly minBytes: number;
  /** Allocates an extent for a directory. */
  readonly allocate: (bytes: number, arena: number) => Extent;
}

export class PagedSegments {
  readonly #arenas: SharedArenas;
  readonly #options: PagedSegmentsOptions;
  readonly #pools: Pool[] = [];
  readonly #opened = new Map<string, Opened>();
  #bytesLeft: number;

  constructor(arenas: SharedArenas, options: PagedSegmentsOptions) {
    this.#arenas = arenas;
    this.#options = options;
    this.#bytesLeft = options.shareBytes;
  }

  get #table(): SectionTable {
    return this.#arenas.sections;
  }

  /** @param isAnySize  also a small one. @returns null if the segment is to be read whole @throws ApiError corrupt_index_exception */
  open({ path, name, bytes }: SegmentFile, isAnySize = false): SegmentLocation | null {
    if (bytes < this.#options.minBytes && !isAnySize) return null;
    const fd = openFile(path, name);
    try {
      const { size } = fstatSync(fd);
      if (size !== bytes) throw corruptIndexError(name, `file has ${size} bytes, not ${bytes}`);
      const directory = readDirectory(fd, bytes, name);
      const pool = this.#poolFor(bytes);
      const firstRow = this.#table.addRows(pool.number, directory.sizes);
      if (firstRow < 0) {
        closeSync(fd);
        return null;
      }
      const extent = this.#options.allocate(directory.bytes.length, pool.arena);
      this.#arenas.view(extent).set(directory.bytes);
      pool.wanted += bytes;
      if (pool.wanted > pool.bytes) this.#table.setScarce();
      this.#opened.set(extentKey(extent), { fd, firstRow, rows: directory.sizes.length, pool, bytes });
      return { extent, sizeBytes: bytes, paging: { fd, firstRow } };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** To be called when no thread uses the segment with this directory any longer. */
  close(extent: Extent): void {
    const key = extentKey(extent);
    const opened = this.#opened.get(key);
    if (!opened) return;
    this.#opened.delete(key);
    this.#table.removeRows(opened.firstRow, opened.rows);
    opened.pool.wanted -= opened.bytes;
    closeSync(opened.fd);
  }

  closeAll(): void {
    for (const { fd } of this.#opened.values()) closeSync(fd);
    this.#opened.clear();
  }

  /** The pool with the most room left. Another one is opened as long as memory.limit allows it and the segment would not fit. */
  #poolFor(bytes: number): Pool {
    const best = this.#pools.reduce<Pool | null>((most, pool) => (most === null || roomOf(pool) > roomOf(most) ? pool : most), null);
    if (best !== null && (roomOf(best) >= bytes || this.#bytesLeft < MIN_POOL_BYTES)) return best;
    const size = Math.min(this.#bytesLeft, MAX_POOL_BYTES);
    this.#bytesLeft -= size;
    const extent = this.#arenas.allocate(size);
    const pool = { number: this.#table.addPool(extent.ptr, size), arena: extent.arena, bytes: size, wanted: 0 };
    this.#pools.push(pool);
    return pool;
  }
}

/**
 * Bytes that sections may take together.
 * @param isService  whether the limit also covers the heaps and kernels of the node's threads
 */
export function sectionShare(memoryLimitBytes: number, isService: boolean): number {
  const share = memoryLimitBytes * POOL_SHARE;
  const left = isService ? Math.max(memoryLimitBytes * MIN_POOL_SHARE, memoryLimitBytes - SERVICE_BYTES) : share;
  return Math.max(MIN_POOL_BYTES, Math.floor(Math.min(share, left)));
}

function roomOf({ bytes, wanted }: Pool): number {
  return bytes - wanted;
}

function openFile(path: string, name: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw corruptIndexError(name, `cannot open segment: ${(error as NodeJS.ErrnoException).code}`);
  }
}
