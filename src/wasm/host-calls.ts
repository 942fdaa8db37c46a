// Host side of assembly/analysis/host-calls.ts: functions that kernels call by number, in every instance of a thread.
import type { KernelImports } from './generated/exports.ts';
import { E_REFUSED } from './generated/mem.ts';

/**
 * Reads the term at `termPtr` of the memory under `bytes` and writes its answer to `outPtr`, where `outBytes` are free.
 * @returns bytes of the answer, or E_NO_SPACE: the call is repeated with more room
 * @throws any error: the analysed text is rejected with it
 */
export type TermCall = (bytes: Uint8Array, termPtr: number, termLen: number, outPtr: number, outBytes: number) => number;

/**
 * Writes a byte to `outPtr` for each of `count` tokens (assembly/analysis/token.ts) at `tokensPtr`: 1 for accepted ones. Returns 0.
 * @param position  one more than that of the previous token
 */
export type TokensCall = (bytes: Uint8Array, tokensPtr: number, count: number, outPtr: number, position: number) => number;

/** The owner of a number keeps the function alive: chains come and go with their indices. */
const calls = new Map<number, WeakRef<TermCall | TokensCall>>();
const gone = new FinalizationRegistry<number>((number) => calls.delete(number));
let lastNumber = 0;
let refusal: unknown = null;

/** A number above 0 for kernels of this thread, valid as long as `call` lives. */
export function numberOfCall(call: TermCall | TokensCall): number {
  const number = ++lastNumber;
  calls.set(number, new WeakRef(call));
  gone.register(call, number);
  return number;
}

/** Imports of an instance over this memory. */
export function hostCalls(memory: WebAssembly.Memory): KernelImports {
  let bytes = new Uint8Array(memory.buffer);
  const dispatch = (number: number, inPtr: number, inCount: number, outPtr: number, last: number): number => {
    if (bytes.buffer !== memory.buffer) bytes = new Uint8Array(memory.buffer);
    try {
      const call = calls.get(number)?.deref();
      if (!call) throw new Error(`an analysis chain has outlived its filter ${number}`);
      return call(bytes, inPtr >>> 0, inCount >>> 0, outPtr >>> 0, last >>> 0);
    } catch (error) {
      // Kernels get a status instead of an exception, so that they can leave their memory in order.
      refusal = error;
      return E_REFUSED;
    }
  };
  return { hostTerms: dispatch, hostVerdicts: dispatch };
}

/** Error that caused the last E_REFUSED. */
export function takeRefusal(): Error {
  const error = refusal as Error;
  refusal = null;
  return error;
}
