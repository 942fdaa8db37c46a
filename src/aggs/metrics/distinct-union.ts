// The union of the distinct values of several buckets: exact while every bucket has its values, else by HyperLogLog.
import { estimate, mergeRegisters } from './hyper-log-log.ts';

/** Distinct values of one bucket: the values themselves, or the registers of a sketch. */
export interface DistinctValues {
  /** Null if `registers` are given. Terms as strings of bytes, numbers as stored. */
  readonly keys: Iterable<string | number | bigint> | null;
  readonly registers: Uint8Array | null;
}

/** Distinct values of the buckets added so far. All buckets of an aggregation are of one kind. */
export class DistinctUnion {
  readonly #keys = new Set<string | number | bigint>();
  #registers: Uint8Array | null = null;

  add({ keys, registers }: DistinctValues): void {
    for (const key of keys ?? []) this.#keys.add(key);
    if (registers === null) return;
    this.#registers ??= new Uint8Array(registers.length);
    mergeRegisters(this.#registers, registers);
  }

  get count(): number {
    return this.#registers === null ? this.#keys.size : estimate(this.#registers);
  }
}
