// Host side of assembly/analysis/run.ts: runs chains of analysis stages in a private memory.
import { present } from '../common/present.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { Chain } from './generated/analysis.ts';
import type { AnalyzerExports } from './generated/exports.ts';
import { E_INCREMENT, E_NO_SPACE, E_OFFSETS, E_REFUSED, E_WORK } from './generated/mem.ts';
import { hostCalls, takeRefusal } from './host-calls.ts';

const PAGE = 65536;
const DEFAULT_REGION_BYTES = 2 << 20;
/** If chains use more than this, they are dropped and laid out again on demand. */
const CHAIN_BUDGET_BYTES = 64 * 1024 * 1024;
const MAX_REGION_BYTES = 1 << 30;
const READ_BEHIND = 64;
/** Index of words in the Chain at the start of a region. */
const CHAIN_TOKENS = Chain.tokens >> 2;
const CHAIN_END_OFFSET = Chain.endOffset >> 2;
const CHAIN_END_POS_INC = Chain.endPosInc >> 2;
const CHAIN_IS_THROUGH = Chain.isThrough >> 2;
/** Result of `next` if the text must be begun again. */
export const BEGIN_AGAIN = -1;

/** A chain as bytes (see assembly/analysis/layout.ts), and its place in the host's memory. */
export interface ChainProgram {
  readonly blob: Uint8Array;
  /** Produces one token at a time; `place` returns the end of the text after the last token. */
  readonly isStepped?: boolean;
  /** Index of the stage that sets the payloads of tokens (assembly/analysis/filters/rewrite/delimited.ts); -1 or absent: those of the input stay. */
  readonly payloadStage?: number;
  regionBytes?: number;
  /** Set by the host: generation of its memory, address of the region. */
  generation?: number;
  owner?: AnalysisHost;
  regionPtr?: number;
}

/** A text that writes itself into kernel memory. */
export interface TextInput {
  /** Upper bound of its bytes. */
  readonly maxBytes: number;
  /** Writes the text as UTF-8 (lone surrogates as 3-byte forms) to the start of `bytes`, which has at least `maxBytes`. Returns the number of bytes. */
  writeTo(bytes: Uint8Array, memory: TextMemory): number;
}

/** A text that is already encoded. */
export class BytesInput implements TextInput {
  readonly #text: Uint8Array;

  constructor(text: Uint8Array) {
    this.#text = text;
  }

  get maxBytes(): number {
    return this.#text.length;
  }

  writeTo(bytes: Uint8Array): number {
    bytes.set(this.#text);
    return this.#text.length;
  }
}

/** The memory that a text writes itself into. */
export interface TextMemory {
  /** Whether threads share the memory; encoders cannot write to shared memory. */
  readonly isShared: boolean;
  /** Whether U+FFFD may be among the first bytes of the text. */
  hasReplacement(bytes: number): boolean;
}

/** Receives the batches of a run: `count` tokens of 32 bytes at `tokensPtr` of the memory under `bytes`, valid during the call. */
export type BatchConsumer = (bytes: Uint8Array, words: Uint32Array, tokensPtr: number, count: number) => void;

/** The kernels over an unshared memory that may grow. */
export interface AnalysisInstance {
  readonly exports: AnalyzerExports;
  readonly memory: WebAssembly.Memory;
}

/**
 * A memory for analyzer.wasm, large enough for a few chains: after any memory has grown, V8 checks on each access to a typed array whether its buffer
 * is detached. Unused pages need no space.
 */
export function analysisMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: 128, maximum: 65536 });
}

function instantiate(module: WebAssembly.Module): AnalysisInstance {
  const memory = analysisMemory();
  const instance = new WebAssembly.Instance(module, { env: { memory, ...hostCalls(memory) } });
  // biome-ignore lint/plugin: the module and the interface are built from the same sources, which no type can express
  const exports = instance.exports as unknown as AnalyzerExports;
  exports._start();
  return { exports, memory };
}

/** One instance of the analysis kernels with a private memory. Belongs to one thread; calls do not nest. */
export class AnalysisHost implements TextMemory {
  readonly #exports: AnalyzerExports;
  readonly #memory: WebAssembly.Memory;
  readonly #base: number;
  #top: number;
  #generation = 1;
  #bytes: Uint8Array;
  #words: Uint32Array;
  #integers: Int32Array;
  /** The memory from `textPtr` on, where input is written. */
  #textBytes: Uint8Array;
  readonly isShared: boolean;
  #textPtr = 0;
  /** Bytes of room for a text at `textPtr`; -1 after chains or the memory have moved. */
  #textRoom = -1;
  /** Consumer that reads the batches of a text over several calls; it is notified when the next text begins. */
  reader: { lose(): void } | null = null;

  /**
   * @param source analyzer.wasm, compiled; or an instance of it (after its start function) with the memory that it imports
   */
  constructor(source: WebAssembly.Module | AnalysisInstance) {
    const { exports, memory } = 'exports' in source ? source : instantiate(source);
    this.#exports = exports;
    this.#memory = memory;
    this.#base = align(this.#exports.memHeapBase() >>> 0);
    this.#top = this.#base;
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#words = new Uint32Array(this.#memory.buffer);
    this.#integers = new Int32Array(this.#memory.buffer);
    this.#textBytes = this.#bytes;
    this.isShared = !(this.#memory.buffer instanceof ArrayBuffer);
  }

  /**
   * Runs a chain over a text.
   * @param text UTF-8 (lone surrogates as 3-byte forms), an object that writes it, or a token stream for the replay tokenizer
   * @param reset called when the run starts again because the chain's memory had to grow: drop the batches so far
   * @returns UTF-16 length of the text and the position increment after the last token
   * @throws as `begin`
   */
  run(
    program: ChainProgram,
    text: Uint8Array | TextInput,
    consume: BatchConsumer,
    reset: () => void,
  ): { endOffset: number; endPosInc: number } {
    const input = text instanceof Uint8Array ? new BytesInput(text) : text;
    for (;;) {
      let count = this.begin(program, input);
      while (count > 0) {
        consume(this.#bytes, this.#words, this.tokensOf(program), count);
        count = this.next(program);
      }
      const at = regionOf(program) >>> 2;
      if (count === 0) return { endOffset: this.#words[at + CHAIN_END_OFFSET], endPosInc: this.#words[at + CHAIN_END_POS_INC] };
      reset();
    }
  }

  /** End offset and increment if the text ended after the last token of a stepped chain. */
  place(program: ChainProgram): { endOffset: number; endPosInc: number } {
    return {
      endOffset: this.#words[(regionOf(program) >>> 2) + CHAIN_END_OFFSET],
      endPosInc: this.#exports.analysisChainHeldPosInc(regionOf(program)) >>> 0,
    };
  }

  /**
   * Begins a text: like `run`, for callers that fetch the batches one by one; each batch is valid until another text is begun.
   * @returns number of tokens in the first batch, 0 if there are none
   * @throws ApiError illegal_argument_exception: a character filter or tokenizer needs too much work on this text, or a token would end before it starts
   * @throws ApiError illegal_argument_exception: a token needs more than 1 GiB
   * @throws ApiError: the error of a filter of the host
   */
  begin(program: ChainProgram, text: TextInput): number {
    this.reader?.lose();
    this.reader = null;
    for (;;) {
      const region = this.#activate(program);
      const length = this.#writeText(text);
      const count = this.#exports.analysisChainStart(region, this.#textPtr, length);
      if (count >= 0) return count;
      this.#recover(program, count);
    }
  }

  /** Fetches the next batch of the current text: number of tokens, 0 at the end, or BEGIN_AGAIN if memory had to grow. @throws as `begin` */
  next(program: ChainProgram): number {
    if (this.isThrough(program)) return 0;
    const count = this.#exports.analysisChainNext(regionOf(program));
    if (count >= 0) return count;
    this.#recover(program, count);
    return BEGIN_AGAIN;
  }

  /** Whether the current batch is known to be the text's last one. */
  isThrough(program: ChainProgram): boolean {
    return this.#words[(regionOf(program) >>> 2) + CHAIN_IS_THROUGH] !== 0;
  }

  /** Address of the tokens of a batch in `memoryBytes`, 32 bytes each. */
  tokensOf(program: ChainProgram): number {
    return this.#words[(regionOf(program) >>> 2) + CHAIN_TOKENS];
  }

  /** The memory; its views change when it grows, which happens only in `begin`. */
  get memoryBytes(): Uint8Array {
    return this.#bytes;
  }

  get memoryWords(): Int32Array {
    return this.#integers;
  }

  hasReplacement(bytes: number): boolean {
    return this.#exports.textHasReplacement(this.#textPtr, bytes) !== 0;
  }

  /** Makes room if that was missing. @throws the error of any other status */
  #recover(program: ChainProgram, status: number): void {
    const at = regionOf(program) >>> 2;
    if (status === E_WORK) throw tooMuchWorkError();
    if (status === E_REFUSED) throw takeRefusal();
    if (status === E_INCREMENT) throw movesBackError();
    if (status === E_OFFSETS) throw endsBeforeStartError(this.#words[at + CHAIN_END_POS_INC], this.#words[at + CHAIN_END_OFFSET]);
    if (status !== E_NO_SPACE) throw new Error(`analysis chain failed with status ${status}`);
    this.#grow(program);
  }

  /**
   * Offset changes by the character filter number `filter` of the chain that ran last.
   * @returns pairs: from the first number on, an offset of the result, the second is added to get the original offset; copied
   */
  offsetMap(program: ChainProgram, filter: number): Int32Array {
    const count = this.#exports.analysisChainMapCount(regionOf(program), filter);
    const at = (this.#exports.analysisChainMap(regionOf(program), filter) >>> 0) >>> 2;
    return Int32Array.from(this.#words.subarray(at, at + count * 2));
  }

  /** Payload number `number` of a token of the current text, from the program's payload stage; copied. */
  payload(program: ChainProgram, number: number): Uint8Array {
    const at = this.#exports.analysisChainPayload(regionOf(program), present(program.payloadStage), number) >>> 0;
    return this.#bytes.slice(at + 4, at + 4 + this.#words[at >>> 2]);
  }

  /** Writes a text after the chains, at `textPtr`. Returns its bytes. */
  #writeText(text: TextInput): number {
    const { maxBytes } = text;
    if (maxBytes > this.#textRoom) this.#makeTextRoom(maxBytes);
    return text.writeTo(this.#textBytes, this);
  }

  /** Makes room for at least `bytes` of text after the chains, and for the bytes that kernels may read after it. */
  #makeTextRoom(bytes: number): void {
    this.#textPtr = align(this.#top);
    this.#ensure(this.#textPtr + bytes + READ_BEHIND);
    this.#textBytes = this.#bytes.subarray(this.#textPtr);
    this.#textRoom = this.#textBytes.length - READ_BEHIND;
  }

  /** Address of the chain's region, which is laid out if this host has not done so yet. */
  #activate(program: ChainProgram): number {
    if (program.owner === this && program.generation === this.#generation) return regionOf(program);
    if (this.#top - this.#base > CHAIN_BUDGET_BYTES) this.#forgetChains();
    for (;;) {
      const regionBytes = program.regionBytes ?? DEFAULT_REGION_BYTES;
      const blobPtr = align(this.#top);
      const regionPtr = align(blobPtr + program.blob.length);
      this.#ensure(regionPtr + regionBytes);
      this.#bytes.set(program.blob, blobPtr);
      const status = this.#exports.analysisChainInit(regionPtr, regionBytes, blobPtr);
      if (status === 0) {
        this.#top = regionPtr + regionBytes;
        this.#textRoom = -1;
        program.owner = this;
        program.generation = this.#generation;
        program.regionPtr = regionPtr;
        return regionPtr;
      }
      if (status !== E_NO_SPACE) throw new Error(`analysis chain cannot be laid out: status ${status}`);
      this.#grow(program);
    }
  }

  #grow(program: ChainProgram): void {
    const next = (program.regionBytes ?? DEFAULT_REGION_BYTES) * 2;
    if (next > MAX_REGION_BYTES) throw illegalArgumentError('a token is too long to be analysed, or a filter keeps too much of the text');
    program.regionBytes = next;
    program.generation = 0;
  }

  #forgetChains(): void {
    this.#generation++;
    this.#top = this.#base;
    this.#textRoom = -1;
  }

  #ensure(end: number): void {
    const missing = end - this.#bytes.length;
    if (missing <= 0) return;
    this.#memory.grow(Math.ceil(missing / PAGE));
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#words = new Uint32Array(this.#memory.buffer);
    this.#integers = new Int32Array(this.#memory.buffer);
    this.#textRoom = -1;
  }
}

/** Lucene's error for a token whose parts another filter has reordered. */
export function endsBeforeStartError(start: number, end: number): Error {
  return illegalArgumentError(
    `startOffset must be non-negative, and endOffset must be >= startOffset; got startOffset=${start},endOffset=${end}`,
  );
}

/** Lucene's error for a filter in a condition that replaces a token at the previous position. */
export function movesBackError(): Error {
  return illegalArgumentError('Increment must be zero or greater: -1');
}

/** Error for E_WORK, here and when documents are indexed. */
export function tooMuchWorkError(): Error {
  return illegalArgumentError('a character filter or tokenizer needs too much work on this text');
}

function align(ptr: number): number {
  return Math.ceil(ptr / 64) * 64;
}

/** Address of the region of a chain that has run. */
function regionOf(program: ChainProgram): number {
  if (program.regionPtr === undefined) throw new Error('the analysis chain has not been laid out');
  return program.regionPtr;
}
