// The merger: merges segments of the shared arenas into one while indexers continue to write. It has its own thread, which ends when it is idle,
// because the private memory of a merge returns to the system only with its thread; with `threads` set to 1 it runs in the main thread.
import type { MessagePort } from 'node:worker_threads';
import { type MergeOutput, mergeSlices } from '../../arena/merge.ts';
import { imageFile } from '../../arena/paged-image.ts';
import { ApiError } from '../../errors/api-error.ts';
import { writeSegmentFile } from '../../store/segment-files.ts';
import { ThreadArenas } from '../memory/arenas.ts';
import { Channel, Transferred } from '../messages/channel.ts';
import type { MergeReply, ToMerger } from '../messages/messages.ts';

export class Merger {
  readonly #module: WebAssembly.Module;
  readonly #arenas: ThreadArenas;
  /** Image of the last merge, until main has allocated an extent for it. */
  #image: Uint8Array | null = null;

  constructor(port: MessagePort, module: WebAssembly.Module) {
    this.#module = module;
    this.#arenas = new ThreadArenas(module);
    new Channel<never, ToMerger>(port, (message) => this.#onMain(message));
  }

  #onMain(message: ToMerger): unknown {
    switch (message.type) {
      case 'arena':
        return this.#arenas.add(message);
      case 'mergeImages':
        return this.#merge(message);
      case 'store': {
        if (this.#image?.length !== message.extent.bytes)
          throw new ApiError('illegal_state_exception', 500, 'no merged image of this size');
        this.#arenas.view(message.extent).set(this.#image);
        this.#image = null;
        return;
      }
      // Keeps the image in case the file cannot be opened.
      case 'write':
        if (this.#image === null) throw new ApiError('illegal_state_exception', 500, 'no merged image');
        return writeSegmentFile(message.path, this.#image);
    }
  }

  async #merge({ segments, layout }: Extract<ToMerger, { type: 'mergeImages' }>): Promise<Transferred> {
    const inputs = segments.map(({ extent, sizeBytes, paging, liveDocs, name }) => ({
      image: paging === null ? this.#arenas.view(extent) : imageFile(paging.fd, sizeBytes, name),
      liveDocs: liveDocs === null ? null : this.#arenas.view(liveDocs),
      file: name,
    }));
    const { image, docMaps } = await this.#run(mergeSlices(this.#module, inputs, layout));
    this.#image = image;
    const copies = docMaps.map((map) => new Uint32Array(map));
    return new Transferred(
      { bytes: image.length, docMaps: copies } satisfies MergeReply,
      copies.map((map) => map.buffer),
    );
  }

  /** Yields to other work between slices, since this may be the main thread. */
  async #run(slices: Generator<void, MergeOutput>): Promise<MergeOutput> {
    for (;;) {
      const { done, value } = slices.next();
      if (done) return value;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
