// Runs streams of node:zlib synchronously, piece by piece, so that order and flushes are preserved. Streams are reused, because creating
// one costs more than compressing a page.
import type * as zlib from 'node:zlib';
import { internalsOf } from '../../../http/wire/stream-binding.ts';

interface Handle {
  writeSync(flush: number, input: Buffer | null, inOff: number, inLen: number, out: Buffer, outOff: number, outLen: number): void;
  close(): void;
}
type Engine = {
  _handle: Handle;
  _writeState: Uint32Array;
  reset(): void;
  close(): void;
  destroyed: boolean;
  errored: Error | null;
  on(event: 'error', f: (e: Error) => void): void;
};

const SCRATCH = Buffer.allocUnsafeSlow(32 * 1024);
/** idle streams by kind */
const resting = new Map<string, SyncZlib[]>();
const RESTING_EACH = 8;

/** Runs node:zlib's native stream synchronously: all output for the given input is returned. */
export class SyncZlib {
  readonly #engine: Engine;

  readonly #kind: string;

  private constructor(kind: string, make: () => zlib.Gzip | zlib.Gunzip | zlib.BrotliCompress) {
    this.#kind = kind;
    // internals of node:zlib's streams, for synchronous writes
    this.#engine = internalsOf<Engine>(make()) as Engine;
    // Malformed input destroys the stream during the call, but is reported only after it: see `run`.
    this.#engine.on('error', () => {});
  }

  /** @param kind  names what `make` creates: streams of one kind are interchangeable */
  static open(kind: string, make: () => zlib.Gzip | zlib.Gunzip | zlib.BrotliCompress): SyncZlib {
    return resting.get(kind)?.pop() ?? new SyncZlib(kind, make);
  }

  /** @throws Error malformed input */
  run(input: Buffer, flush: number): Buffer[] {
    const out: Buffer[] = [];
    let at = 0;
    let left = input.length;
    for (;;) {
      this.#check();
      this.#engine._handle.writeSync(flush, input, at, left, SCRATCH, 0, SCRATCH.length);
      this.#check();
      const [availOut, availIn] = this.#engine._writeState;
      const made = SCRATCH.length - availOut;
      if (made > 0) out.push(Buffer.from(SCRATCH.subarray(0, made)));
      at += left - availIn;
      left = availIn;
      if (availOut > 0) return out;
    }
  }

  #check(): void {
    if (this.#engine.destroyed) throw this.#engine.errored ?? new Error('malformed data');
  }

  /** Returns the stream for reuse, unless it failed. */
  close(): void {
    if (this.#engine.destroyed) return;
    let list = resting.get(this.#kind);
    if (!list) resting.set(this.#kind, (list = []));
    if (list.length >= RESTING_EACH) {
      this.#engine.close();
      return;
    }
    this.#engine.reset();
    list.push(this);
  }
}
