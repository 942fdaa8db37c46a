// Columns that the host computes for one run (values of scripts): laid out in the worker's scratch as docs/internals/segment-format.md says of columns,
// so that kernels sort and aggregate by them like by any other. They live until the scratch is released.
import type { Kernels } from '../wasm/kernels.ts';
import type { SegmentColumn } from './segment.ts';

const HEADER_BYTES = 64;
const BOUNDS_DOCS = 4096;
const FLAG = { multi: 1, direct: 4, f64: 8, ordinals: 16 } as const;

/** Values of each document, ascending; documents that are not there have none. `ordinals` are small whole numbers. */
export interface TemporaryValues {
  readonly kind: 'f64' | 'i64' | 'ordinals';
  readonly maxDoc: number;
  readonly byDoc: ReadonlyMap<number, readonly (number | bigint)[]>;
}

/** null: no document has a value. @throws ApiError circuit_breaking_exception: the scratch is too small */
export function temporaryColumn(k: Kernels, { kind, maxDoc, byDoc }: TemporaryValues): SegmentColumn | null {
  let valueCount = 0;
  let docCount = 0;
  let isMulti = false;
  for (const values of byDoc.values()) {
    if (values.length === 0) continue;
    docCount++;
    valueCount += values.length;
    isMulti ||= values.length > 1;
  }
  if (docCount === 0) return null;
  const isF64 = kind === 'f64';
  const presenceBytes = Math.max(1, Math.ceil(maxDoc / 512)) * 64;
  const startsBytes = isMulti ? roundUp((maxDoc + 1) * 4) : 0;
  const slots = isMulti ? valueCount : maxDoc;
  const valuesBytes = roundUp(slots * 8);
  const boundsBytes = Math.ceil(maxDoc / BOUNDS_DOCS) * 16;
  const startsOff = HEADER_BYTES + presenceBytes;
  const valuesOff = startsOff + startsBytes;
  const boundsOff = valuesOff + valuesBytes;
  const ptr = k.reserve(boundsOff + boundsBytes, 64);
  const bytes = k.u8.subarray(ptr, ptr + boundsOff + boundsBytes);
  bytes.fill(0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let min: number | bigint | null = null;
  let max: number | bigint | null = null;
  for (const values of byDoc.values()) {
    if (values.length === 0) continue;
    if (min === null || values[0] < min) min = values[0];
    if (max === null || values[values.length - 1] > max) max = values[values.length - 1];
  }
  const base = isF64 ? 0n : BigInt(min!);
  const store = (off: number, value: number | bigint): void => {
    if (isF64) view.setFloat64(off, Number(value), true);
    else view.setBigUint64(off, BigInt(value) - base, true);
  };
  let next = 0;
  for (let docId = 0; docId < maxDoc; docId++) {
    if (isMulti) view.setUint32(startsOff + docId * 4, next, true);
    const values = byDoc.get(docId);
    if (!values || values.length === 0) continue;
    bytes[HEADER_BYTES + (docId >>> 3)] |= 1 << (docId & 7);
    if (isMulti) for (const value of values) store(valuesOff + next++ * 8, value);
    else store(valuesOff + docId * 8, values[0]);
  }
  if (isMulti) view.setUint32(startsOff + maxDoc * 4, next, true);
  for (let block = 0; block * BOUNDS_DOCS < maxDoc; block++) {
    // Nothing is skipped by these: each block is said to hold everything.
    store(boundsOff + block * 16, min!);
    store(boundsOff + block * 16 + 8, max!);
  }
  view.setUint32(0, (isMulti ? FLAG.multi : 0) | FLAG.direct | (isF64 ? FLAG.f64 : 0) | (kind === 'ordinals' ? FLAG.ordinals : 0), true);
  view.setUint32(4, 8, true);
  view.setBigInt64(8, base, true);
  view.setBigInt64(16, 1n, true);
  view.setUint32(24, valueCount, true);
  view.setUint32(28, docCount, true);
  view.setUint32(32, valuesOff, true);
  view.setUint32(36, HEADER_BYTES, true);
  view.setUint32(44, isMulti ? startsOff : 0, true);
  view.setUint32(48, boundsOff, true);
  view.setUint32(52, maxDoc, true);
  const shown = (value: number | bigint): number | bigint => (kind === 'i64' ? BigInt(value) : Number(value));
  return { kind, ptr, multiValued: isMulti, docCount, valueCount, min: shown(min!), max: shown(max!) };
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}
