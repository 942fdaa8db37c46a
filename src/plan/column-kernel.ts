// Runs WebAssembly that the host has written for one script over the columns of a segment: for each document, one double.
import { COLUMN_DENSE, COLUMN_DIRECT, COLUMN_F64, COLUMN_MULTI, Column } from '../wasm/generated/docvalues.ts';
import type { Kernels } from '../wasm/kernels.ts';
import type { SegmentColumn } from './segment.ts';

/** Properties of a column that the code of a program depends on. */
export interface KernelColumn {
  readonly isF64: boolean;
  /** Bytes of a stored value. */
  readonly width: number;
  readonly isMulti: boolean;
  readonly isDense: boolean;
  readonly isDirect: boolean;
}

/** @returns null for columns of other kinds than i64 and f64 */
export function kernelColumn(k: Kernels, column: SegmentColumn): KernelColumn | null {
  if (column.kind !== 'i64' && column.kind !== 'f64') return null;
  const flags = k.view.getUint32(column.ptr + Column.flags, true);
  return {
    isF64: (flags & COLUMN_F64) !== 0,
    width: k.view.getUint32(column.ptr + Column.width, true),
    isMulti: (flags & COLUMN_MULTI) !== 0,
    isDense: (flags & COLUMN_DENSE) !== 0,
    isDirect: (flags & COLUMN_DIRECT) !== 0,
  };
}

/** Documents of one call. */
const CHUNK = 4096;

export interface KernelRun {
  /** Exports `run(docs, scores, out, count, start, [presence, ranks, starts, values, base, multiplier]..., params...)`, which returns `count`, or
   * -1 - i if it gave up document i. */
  readonly module: WebAssembly.Module;
  readonly imports: ReadonlyArray<(...args: number[]) => number>;
  /** null for fields without values. */
  readonly columns: ReadonlyArray<SegmentColumn | null>;
  readonly params: ReadonlyArray<number | bigint>;
  readonly docs: Uint32Array;
  /** Parallel to the documents; null if the program does not read them. */
  readonly scores: Float32Array | null;
  /** Receives the results, which are computed in order. */
  start(out: Float64Array): void;
  /** Computes a document that the program gave up. @param index  in `docs` */
  fallback(index: number): number;
  /** Called before each chunk of documents. */
  check(): void;
}

type Run = (...args: Array<number | bigint>) => number;

const instances = new WeakMap<WebAssembly.Memory, WeakMap<WebAssembly.Module, Run>>();

function instanceOf({ memory }: Kernels, module: WebAssembly.Module, imports: KernelRun['imports']): Run {
  let known = instances.get(memory);
  if (!known) instances.set(memory, (known = new WeakMap()));
  let run = known.get(module);
  if (!run) {
    const functions = Object.fromEntries(imports.map((imported, i) => [String(i), imported]));
    const instance = new WebAssembly.Instance(module, { e: { m: memory }, f: functions });
    known.set(module, (run = instance.exports['run'] as Run));
  }
  return run;
}

function argumentsOf(k: Kernels, column: SegmentColumn | null): Array<number | bigint> {
  if (column === null) return [0, 0, 0, 0, 0n, 0n];
  const at = (offset: number): number => column.ptr + k.view.getUint32(column.ptr + offset, true);
  const long = (offset: number): bigint => k.view.getBigInt64(column.ptr + offset, true);
  return [
    at(Column.presenceOff) | 0,
    at(Column.ranksOff) | 0,
    at(Column.startsOff) | 0,
    at(Column.valuesOff) | 0,
    long(Column.base),
    long(Column.multiplier),
  ];
}

/** @returns f64[docs], parallel to the documents @throws what `fallback` and `check` throw; RangeError: the scratch is full */
export function runColumnKernel(
  k: Kernels,
  { module, imports, columns, params, docs, scores, start, fallback, check }: KernelRun,
): Float64Array {
  const run = instanceOf(k, module, imports);
  const rest = [...columns.flatMap((column) => argumentsOf(k, column)), ...params];
  const out = new Float64Array(docs.length);
  start(out);
  k.scoped(() => {
    const docsPtr = k.reserve(CHUNK * 4);
    const scoresPtr = scores === null ? 0 : k.reserve(CHUNK * 4);
    const outPtr = k.reserve(CHUNK * 8);
    for (let base = 0; base < docs.length; base += CHUNK) {
      check();
      const end = Math.min(docs.length, base + CHUNK);
      const count = end - base;
      k.u32.set(docs.subarray(base, end), docsPtr >>> 2);
      if (scores !== null) k.f32.set(scores.subarray(base, end), scoresPtr >>> 2);
      for (let next = 0; next < count; ) {
        const done = run(docsPtr | 0, scoresPtr | 0, outPtr | 0, count, next, ...rest);
        const stop = done < 0 ? -1 - done : count;
        out.set(k.f64.subarray((outPtr >>> 3) + next, (outPtr >>> 3) + stop), base + next);
        if (done < 0) out[base + stop] = fallback(base + stop);
        next = done < 0 ? stop + 1 : count;
      }
    }
  });
  return out;
}
