// Loads engine.wasm and analyzer.wasm, and gives a thread its kernels: one instance per (thread, memory) with a scratch region of its own.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EngineExports } from './generated/exports.ts';
import { hostCalls } from './host-calls.ts';

export const PAGE_BYTES = 65536;

const modules = new Map<string, WebAssembly.Module>();

/** The compiled engine; one compilation per thread and build. Post the module to other threads: they share the code. */
export function compileEngine(build: 'release' | 'debug' = 'release'): WebAssembly.Module {
  let module = modules.get(build);
  if (!module) {
    const file = build === 'release' ? 'engine.wasm' : 'engine.debug.wasm';
    module = compile(file);
    modules.set(build, module);
  }
  return module;
}

/** The compiled kernels of analysis alone, which run in unshared memory. */
export function compileAnalyzer(): WebAssembly.Module {
  return compile('analyzer.wasm');
}

function compile(file: string): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(fileURLToPath(new URL(`../../build/${file}`, import.meta.url))));
}

const staticBytesOf = new WeakMap<WebAssembly.Module, number>();

/** Bytes at the start of every memory that hold the module's static data; a multiple of 64 KiB. */
export function staticBytes(module: WebAssembly.Module): number {
  let bytes = staticBytesOf.get(module);
  if (bytes === undefined) {
    const kernels = new Kernels(module, createMemory(128), 0, 0);
    bytes = Math.ceil((kernels.exports.memHeapBase() >>> 0) / PAGE_BYTES) * PAGE_BYTES;
    staticBytesOf.set(module, bytes);
  }
  return bytes;
}

/** A shared memory of fixed size (initial = maximum), so that views never go stale. 65536 pages are 4 GiB and cost nothing until touched. */
export function createMemory(pages: number): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}

export class Kernels {
  readonly memory: WebAssembly.Memory;
  readonly exports: Readonly<EngineExports>;
  /** Views of the whole memory. */
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly u32: Uint32Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  readonly i64: BigInt64Array;
  readonly view: DataView;
  /** Scratch region [scratchPtr, scratchEnd), used by this instance alone. */
  readonly scratchPtr: number;
  readonly scratchEnd: number;
  #cur: number;

  /**
   * @param memory       shared, never grown
   * @param scratchPtr   first byte of this instance's scratch region; multiple of 64
   */
  constructor(module: WebAssembly.Module, memory: WebAssembly.Memory, scratchPtr: number, scratchBytes: number) {
    const buffer = memory.buffer;
    this.memory = memory;
    this.u8 = new Uint8Array(buffer);
    this.u16 = new Uint16Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.f32 = new Float32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.i64 = new BigInt64Array(buffer);
    this.view = new DataView(buffer);
    this.scratchPtr = scratchPtr;
    this.scratchEnd = scratchPtr + scratchBytes;
    this.#cur = scratchPtr;
    const abort = (message: number, file: number, line: number, column: number): never => {
      throw new Error(`kernel assertion: ${this.#text(message)} at ${this.#text(file)}:${line}:${column}`);
    };
    const instance = new WebAssembly.Instance(module, { env: { memory, abort, ...hostCalls(memory) } });
    // biome-ignore lint/plugin: the module and the interface are built from the same sources, which no type can express
    this.exports = instance.exports as unknown as Readonly<EngineExports>;
    this.exports._start();
  }

  /** Bytes left in the scratch region. */
  get free(): number {
    return this.scratchEnd - this.#cur;
  }

  /** Reserves `bytes` of scratch at a multiple of `align` until `release`. @throws RangeError the scratch region is full */
  reserve(bytes: number, align = 16): number {
    const ptr = Math.ceil(this.#cur / align) * align;
    if (ptr + bytes > this.scratchEnd) throw new RangeError(`scratch region is full: ${bytes} bytes wanted, ${this.free} free`);
    this.#cur = ptr + bytes;
    return ptr;
  }

  mark(): number {
    return this.#cur;
  }

  /** Releases everything reserved since `mark`. */
  release(mark: number): void {
    this.#cur = mark;
  }

  /** Runs `call` and releases the scratch it reserved, whatever happens. */
  scoped<T>(call: () => T): T {
    const mark = this.#cur;
    try {
      return call();
    } finally {
      this.#cur = mark;
    }
  }

  /** Copies bytes into reserved scratch. @returns their address */
  copyIn(bytes: Uint8Array): number {
    const ptr = this.reserve(bytes.length);
    this.u8.set(bytes, ptr);
    return ptr;
  }

  copyInU32(values: Uint32Array): number {
    const ptr = this.reserve(values.length * 4);
    this.u32.set(values, ptr >>> 2);
    return ptr;
  }

  /** A copy of `bytes` bytes at `ptr`, in a new array. */
  copyOut(ptr: number, bytes: number): Uint8Array {
    const out = new Uint8Array(bytes);
    out.set(this.u8.subarray(ptr, ptr + bytes));
    return out;
  }

  /** A copy of `count` words at `ptr` (multiple of 4). */
  copyOutU32(ptr: number, count: number): Uint32Array {
    const out = new Uint32Array(count);
    out.set(this.u32.subarray(ptr >>> 2, (ptr >>> 2) + count));
    return out;
  }

  copyOutF64(ptr: number, count: number): Float64Array {
    const out = new Float64Array(count);
    out.set(this.f64.subarray(ptr >>> 3, (ptr >>> 3) + count));
    return out;
  }

  /** A static string of the module: UTF-16, its size in bytes in the word before. */
  #text(ptr: number): string {
    if (ptr === 0) return '';
    const start = (ptr >>> 0) >>> 1;
    return String.fromCharCode(...this.u16.subarray(start, start + (this.u32[((ptr >>> 0) - 4) >>> 2] >>> 1)));
  }
}
