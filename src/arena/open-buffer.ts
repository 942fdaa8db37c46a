// An indexer's documents that are not in a segment yet, in a private memory. Every field's terms, postings, norms and values grow there;
// `flush` turns them into a segment image.
//   ├ static data ┬ scratch: the block and strings being added ┬ buffer: region, then space for flush ┤
import { randomBytes } from 'node:crypto';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import type { FieldSpec } from '../mapping/core/document-sink.ts';
import { movesBackError, tooMuchWorkError } from '../wasm/analysis.ts';
import { columnFlags } from '../wasm/buffer.ts';
import { DocumentBlock, Buffer as OpenBufferRecord } from '../wasm/generated/buffer.ts';
import { FIELD_DOCS, FIELD_FREQS, FIELD_NORMS, FIELD_OFFSETS, FIELD_POSITIONS } from '../wasm/generated/codec.ts';
import { E_CHAIN, E_INCREMENT, E_LIMIT, E_NO_SPACE, E_OFFSETS, E_REFUSED, E_WORK } from '../wasm/generated/mem.ts';
import { MAX_TERM_BYTES } from '../wasm/generated/terms.ts';
import { takeRefusal } from '../wasm/host-calls.ts';
import { createMemory, Kernels, PAGE_BYTES, staticBytes } from '../wasm/kernels.ts';
import { getU32, setF64, setU32 } from '../wasm/records.ts';
import { DocumentEncoder } from './document-encoder.ts';

const POSTINGS_FLAGS = {
  none: 0,
  docs: FIELD_DOCS,
  freqs: FIELD_DOCS | FIELD_FREQS,
  positions: FIELD_DOCS | FIELD_FREQS | FIELD_POSITIONS,
  offsets: FIELD_DOCS | FIELD_FREQS | FIELD_POSITIONS | FIELD_OFFSETS,
} as const;
const FIRST_CHAIN_BYTES = 256 * 1024;
const MAX_CHAIN_BYTES = 256 * 1024 * 1024;
/** Number of bytes of an immense term shown in its error message. */
const SHOWN_BYTES = 30;

/** An index-time analyzer as the buffer uses it (implemented in src/analysis). */
export interface IndexAnalyzer {
  /** Chain of kernel stages that runs in the buffer's memory (assembly/analysis/run.ts). Each object is laid out once. */
  readonly kernelBlob: Uint8Array;
  /** Whether the chain reads the text directly; otherwise it reads the result of `kernelInput`. */
  readonly isKernelChain: boolean;
  kernelInput(text: string): Uint8Array;
}

export interface DocumentMeta {
  readonly id: string;
  readonly seqNo: number;
  readonly version: number;
  readonly primaryTerm: number;
}

export class OpenBuffer {
  /** Collects the document parser's output; `add` empties it. */
  readonly encoder: DocumentEncoder;
  readonly #k: Kernels;
  readonly #maxBytes: number;
  readonly #ptr: number;
  #owner = '';
  #fields: FieldSpec[] = [];
  readonly #analyzers: (IndexAnalyzer | null)[] = [];
  readonly #chains = new Map<Uint8Array, { ptr: number; bytes: number }>();

  /**
   * @param maxBytes size from which `isFull` is true; flush needs about as much again
   * @param pages    of the private memory, 64 KiB each: 4 GiB by default, which costs nothing until used
   */
  constructor(module: WebAssembly.Module, maxBytes: number, pages = 65536) {
    const start = staticBytes(module);
    const end = (pages - 1) * PAGE_BYTES; // a page of slack: sums of addresses near the end do not wrap at 4 GiB
    const scratchBytes = Math.floor((end - start) / 8 / 64) * 64;
    this.#k = new Kernels(module, createMemory(pages), start, scratchBytes);
    this.#ptr = start + scratchBytes;
    this.#maxBytes = maxBytes;
    const regionEnd = this.#ptr + Math.floor(((end - this.#ptr) * 2) / 5 / 64) * 64;
    const seed = randomBytes(8);
    this.#k.exports.bufferInit(this.#ptr, regionEnd, end, seed.readUInt32LE(0), seed.readUInt32LE(4));
    this.encoder = new DocumentEncoder((field, text) => {
      const analyzer = this.#analyzers[field];
      return analyzer && !analyzer.isKernelChain ? analyzer.kernelInput(text) : null;
    });
  }

  /** Documents added, including deleted and nested ones: one past the last doc id. */
  get docCount(): number {
    return getU32(this.#k, this.#ptr, OpenBufferRecord.docCount);
  }

  /** Documents that a flush would write, including nested ones. */
  get liveCount(): number {
    return this.docCount - getU32(this.#k, this.#ptr, OpenBufferRecord.deletedCount);
  }

  get usedBytes(): number {
    return this.#k.exports.bufferUsedBytes(this.#ptr) >>> 0;
  }

  get isFull(): boolean {
    return this.usedBytes >= this.#maxBytes;
  }

  /**
   * Adds the new fields of a mapping; to be called before its documents are encoded. Fields are append-only as long as `owner`
   * (the index) stays the same; another owner requires an empty buffer.
   */
  useMapping(owner: string, fields: readonly FieldSpec[], analysis: { analyzer(name: string): IndexAnalyzer }): void {
    if (owner !== this.#owner) {
      if (this.docCount > 0) throw new Error(`the open buffer of [${this.#owner}] is not empty`);
      this.reset();
      this.#owner = owner;
    }
    for (const field of fields.slice(this.#fields.length)) {
      const analyzer = field.analyzer === null ? null : analysis.analyzer(field.analyzer);
      const chain = analyzer ? this.#chain(analyzer.kernelBlob).ptr : 0;
      const flags = POSTINGS_FLAGS[field.postings] | (field.norms ? FIELD_NORMS : 0) | columnFlags(field.column);
      const number = this.#k.scoped(() => {
        const name = Buffer.from(field.name);
        return this.#k.exports.bufferAddField(this.#ptr, flags, field.positionIncrementGap, chain, this.#k.copyIn(name), name.length);
      });
      if (number < 0) throw new RangeError('the open buffer is full');
      this.#fields.push(field);
      this.#analyzers.push(analyzer);
    }
  }

  /** Region of a chain in the buffer's memory; lays out a new chain. @throws RangeError there is no room for it */
  #chain(blob: Uint8Array, bytes = FIRST_CHAIN_BYTES): { ptr: number; bytes: number } {
    const known = this.#chains.get(blob);
    if (known && known.bytes >= bytes) return known;
    for (let size = bytes; size <= MAX_CHAIN_BYTES; size *= 2) {
      const blobPtr = this.#allocate(blob.length);
      this.#k.u8.set(blob, blobPtr);
      const ptr = this.#allocate(size);
      const status = this.#k.exports.analysisChainInit(ptr, size, blobPtr);
      if (status === 0) {
        const chain = { ptr, bytes: size };
        this.#chains.set(blob, chain);
        return chain;
      }
      if (status !== E_NO_SPACE) throw new Error(`analysis chain cannot be laid out: status ${status}`);
    }
    throw new RangeError('an analysis chain needs too much memory');
  }

  #allocate(bytes: number): number {
    const ptr = this.#k.exports.bufferAllocate(this.#ptr, bytes) >>> 0;
    if (ptr === 0) throw new RangeError('the open buffer is full');
    return ptr;
  }

  /**
   * Adds the encoder's block and empties the encoder.
   * @returns doc id of the root in this buffer
   * @throws ApiError illegal_argument_exception: a term is too long; no document of the block will be in a segment
   * @throws RangeError: the memory is full; flush, then add again
   */
  add(meta: DocumentMeta): number {
    const block = this.encoder.finish();
    const k = this.#k;
    const mark = k.mark();
    try {
      if (block.length + 4096 > k.free) throw documentTooLargeError(block.length);
      for (;;) {
        const request = k.reserve(DocumentBlock.sizeof);
        const start = k.copyIn(block);
        setU32(k, request, DocumentBlock.start, start);
        setU32(k, request, DocumentBlock.end, start + block.length);
        setU32(k, request, DocumentBlock.id, k.copyIn(Buffer.from(meta.id)));
        setU32(k, request, DocumentBlock.idLength, Buffer.byteLength(meta.id));
        setF64(k, request, DocumentBlock.seqNo, meta.seqNo);
        setF64(k, request, DocumentBlock.version, meta.version);
        setF64(k, request, DocumentBlock.primaryTerm, meta.primaryTerm);
        const docId = k.exports.bufferAdd(this.#ptr, request);
        if (docId >= 0) return docId;
        if (docId !== E_CHAIN) throw this.#statusError(docId);
        this.#enlargeChain(getU32(k, this.#ptr, OpenBufferRecord.errorField));
        k.release(mark);
      }
    } finally {
      k.release(mark);
      this.encoder.reset();
    }
  }

  #statusError(status: number): Error {
    const k = this.#k;
    if (status === E_LIMIT) {
      const { name } = this.#fields[getU32(k, this.#ptr, OpenBufferRecord.errorField)];
      const length = getU32(k, this.#ptr, OpenBufferRecord.errorLength);
      return immenseTermError(name, length, k.copyOut(getU32(k, this.#ptr, OpenBufferRecord.errorTerm), SHOWN_BYTES));
    }
    if (status === E_WORK) return tooMuchWorkError();
    if (status === E_REFUSED) return takeRefusal();
    if (status === E_INCREMENT) return movesBackError();
    if (status === E_OFFSETS) return illegalArgumentError('a token would end before it starts, because filters have reordered tokens');
    if (status === E_NO_SPACE) return new RangeError('the open buffer is full');
    return new Error(`the open buffer refused a document: status ${status}`);
  }

  /** A token did not fit into the chain's memory: gives all fields with this chain a larger region. */
  #enlargeChain(field: number): void {
    const blob = this.#analyzers[field]?.kernelBlob;
    const chain = blob && this.#chains.get(blob);
    if (!blob || !chain) throw new Error(`field ${field} has no analysis chain`);
    const { ptr } = this.#chain(blob, chain.bytes * 4);
    this.#analyzers.forEach((analyzer, number) => {
      if (analyzer?.kernelBlob === blob) this.#k.exports.bufferSetChain(this.#ptr, number, ptr);
    });
  }

  /** Deletes a root and its nested children. */
  deleteDoc(docId: number): void {
    this.#k.exports.bufferDelete(this.#ptr, docId);
  }

  /**
   * Writes the documents as a segment image; deleted ones are dropped and the others renumbered in order. The buffer keeps its content.
   * @returns the image, a view of the buffer's memory that is valid until `reset`; empty if no document is live
   * @throws RangeError the memory is too small
   */
  flush(): Uint8Array {
    const status = this.#k.exports.bufferFlush(this.#ptr);
    if (status < 0) throw new RangeError(`the open buffer has no room to write its segment: status ${status}`);
    const ptr = getU32(this.#k, this.#ptr, OpenBufferRecord.imagePtr);
    return this.#k.u8.subarray(ptr, ptr + getU32(this.#k, this.#ptr, OpenBufferRecord.imageBytes));
  }

  /** Drops all documents, fields and chains. */
  reset(): void {
    this.#k.exports.bufferReset(this.#ptr);
    this.#owner = '';
    this.#fields = [];
    this.#analyzers.length = 0;
    this.#chains.clear();
    this.encoder.reset();
  }
}

/** Message as in Elasticsearch (Lucene's IndexingChain and MaxBytesLengthExceededException). */
function immenseTermError(field: string, length: number, start: Uint8Array): ApiError {
  const shown = Array.from(new Int8Array(start.buffer, start.byteOffset, start.length)).join(', ');
  const original = `bytes can be at most ${MAX_TERM_BYTES} in length; got ${length}`;
  const reason =
    `Document contains at least one immense term in field="${field}" (whose UTF8 encoding is longer than the max length ${MAX_TERM_BYTES}), ` +
    `all of which were skipped.  Please correct the analyzer to not produce such terms.  The prefix of the first immense term is: ` +
    `'[${shown}]...', original message: ${original}`;
  const causedBy = new ApiError('max_bytes_length_exceeded_exception', 400, original);
  return new ApiError('illegal_argument_exception', 400, reason, { causedBy });
}

function documentTooLargeError(bytes: number): ApiError {
  return new ApiError('illegal_argument_exception', 400, `document is too large to be indexed: ${bytes} bytes of values`);
}
