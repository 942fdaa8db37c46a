// A thread's view of the shared arenas: the memory of each arena, and this thread's kernels over it with their own scratch region.
import { PagedImage } from '../../arena/paged-image.ts';
import { SectionTable } from '../../arena/section-table.ts';
import { openPagedSegment, openSegment, type SegmentImageReader } from '../../arena/segment-reader.ts';
import type { Extent, SegmentLocation } from '../../indexing/segment-set.ts';
import { Kernels } from '../../wasm/kernels.ts';
import type { ArenaMessage } from '../messages/messages.ts';

export class ThreadArenas {
  readonly #module: WebAssembly.Module;
  readonly #arenas: ArenaMessage[] = [];
  readonly #kernels: Kernels[] = [];
  #sections: SectionTable | null = null;

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  add(message: ArenaMessage): void {
    this.#arenas[message.arena] = message;
    this.#sections ??= new SectionTable(message.sections.memory, message.sections.thread);
  }

  /** Kernels over an arena, instantiated on first use. */
  kernels(arena: number): Kernels {
    let kernels = this.#kernels[arena];
    if (!kernels) {
      const { memory, scratch } = this.#arenas[arena];
      kernels = this.#kernels[arena] = new Kernels(this.#module, memory, scratch.ptr, scratch.bytes);
    }
    return kernels;
  }

  /** Whether an arena has been added. */
  get isOpen(): boolean {
    return this.#sections !== null;
  }

  /** The table of sections. An arena must have been added before. */
  get sections(): SectionTable {
    if (this.#sections === null) throw new Error('this thread has no arena');
    return this.#sections;
  }

  /**
   * @param file      named in errors
   * @param verify    check all checksums of an image that is in memory
   * @param onDamage  receives what is wrong with a section that is read later
   * @throws ApiError corrupt_index_exception
   */
  openSegment(
    id: number,
    image: SegmentLocation,
    file: string,
    verify: boolean,
    onDamage: (reason: string) => void = () => undefined,
  ): SegmentImageReader {
    const { extent, paging } = image;
    const kernels = this.kernels(extent.arena);
    if (paging === null) return openSegment(kernels, extent.ptr, extent.bytes, { id, file, verify });
    return openPagedSegment(new PagedImage(kernels, this.sections, extent.ptr, paging, { file, onDamage }), { id, file });
  }

  /** Opens a segment for a writer, whose calls each take one turn of the thread: sections are held until the next one. */
  openForTurns(id: number, image: SegmentLocation, file: string, verify: boolean): () => SegmentImageReader {
    const reader = this.openSegment(id, image, file, verify);
    if (image.paging === null) return () => reader;
    let current: SegmentImageReader | null = null;
    return () => {
      if (current !== null) return current;
      const pins = this.sections.pinned();
      setImmediate(() => {
        current = null;
        pins.release();
      });
      return (current = reader.pinnedBy(pins));
    };
  }

  /** The extent's bytes in shared memory. */
  view({ arena, ptr, bytes }: Extent): Uint8Array {
    return new Uint8Array(this.#arenas[arena].memory.buffer, ptr, bytes);
  }
}
