// Columns that the host computes for one run (values of scripts), written to the worker's scratch in the format of docs/internals/segment-format.md,
// so that kernels sort and aggregate by them as by any other. They last until the scratch is released.
import {
  BOUNDS_LOG2,
  COLUMN_DIRECT,
  COLUMN_F64,
  COLUMN_HEADER_BYTES,
  COLUMN_MULTI,
  COLUMN_ORDINALS,
  Column,
} from '../wasm/generated/docvalues.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { setI64, setU32 } from '../wasm/records.ts';
import type { SegmentColumn } from './segment.ts';

const BOUNDS_DOCS = 1 << BOUNDS_LOG2;

/** Values of each document, ascending; documents that are not listed have none. `ordinals` are small whole numbers. */
export interface TemporaryValues {
  readonly kind: 'f64' | 'i64' | 'ordinals';
  readonly maxDoc: number;
  readonly byDoc: ReadonlyMap<number, readonly (number | bigint)[]>;
}

/** @returns null if no document has a value @throws ApiError circuit_breaking_exception: the scratch is too small */
export function temporaryColumn(k: Kernels, { kind, maxDoc, byDoc }: TemporaryValues): SegmentColumn | null {
  let valueCount = 0;
  let docCount = 0;
  let isMulti = false;
  let min: number | bigint | null = null;
  let max: number | bigint | null = null;
  for (const values of byDoc.values()) {
    if (values.length === 0) continue;
    docCount++;
    valueCount += values.length;
    isMulti ||= values.length > 1;
    if (min === null || values[0] < min) min = values[0];
    if (max === null || values[values.length - 1] > max) max = values[values.length - 1];
  }
  if (min === null || max === null) return null;
  const isF64 = kind === 'f64';
  const presenceBytes = Math.max(1, Math.ceil(maxDoc / 512)) * 64;
  const startsBytes = isMulti ? roundUp((maxDoc + 1) * 4) : 0;
  const slots = isMulti ? valueCount : maxDoc;
  // Ordinals are narrow, so that aggregations can index tables with them.
  const width = kind === 'ordinals' ? 4 : 8;
  const valuesBytes = roundUp(slots * width);
  const boundsBytes = Math.ceil(maxDoc / BOUNDS_DOCS) * 16;
  const startsOff = COLUMN_HEADER_BYTES + presenceBytes;
  const valuesOff = startsOff + startsBytes;
  const boundsOff = valuesOff + valuesBytes;
  const ptr = k.reserve(boundsOff + boundsBytes, 64);
  const bytes = k.u8.subarray(ptr, ptr + boundsOff + boundsBytes);
  bytes.fill(0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const base = isF64 ? 0n : BigInt(min);
  const store = (off: number, value: number | bigint): void => {
    if (isF64) view.setFloat64(off, Number(value), true);
    else view.setBigUint64(off, BigInt(value) - base, true);
  };
  const write = (slot: number, value: number | bigint): void => {
    if (width === 4) view.setUint32(valuesOff + slot * 4, Number(BigInt(value) - base), true);
    else store(valuesOff + slot * 8, value);
  };
  let next = 0;
  for (let docId = 0; docId < maxDoc; docId++) {
    if (isMulti) view.setUint32(startsOff + docId * 4, next, true);
    const values = byDoc.get(docId);
    if (!values || values.length === 0) continue;
    bytes[COLUMN_HEADER_BYTES + (docId >>> 3)] |= 1 << (docId & 7);
    if (isMulti) for (const value of values) write(next++, value);
    else write(docId, values[0]);
  }
  if (isMulti) view.setUint32(startsOff + maxDoc * 4, next, true);
  for (let block = 0; block * BOUNDS_DOCS < maxDoc; block++) {
    // The bounds of the whole column: no block is skipped.
    store(boundsOff + block * 16, min);
    store(boundsOff + block * 16 + 8, max);
  }
  const kindFlag = isF64 ? COLUMN_F64 : kind === 'ordinals' ? COLUMN_ORDINALS : 0;
  setU32(k, ptr, Column.flags, (isMulti ? COLUMN_MULTI : 0) | COLUMN_DIRECT | kindFlag);
  setU32(k, ptr, Column.width, width);
  setI64(k, ptr, Column.base, base);
  setI64(k, ptr, Column.multiplier, 1n);
  setU32(k, ptr, Column.valueCount, valueCount);
  setU32(k, ptr, Column.docCount, docCount);
  setU32(k, ptr, Column.valuesOff, valuesOff);
  setU32(k, ptr, Column.presenceOff, COLUMN_HEADER_BYTES);
  setU32(k, ptr, Column.startsOff, isMulti ? startsOff : 0);
  setU32(k, ptr, Column.boundsOff, boundsOff);
  setU32(k, ptr, Column.maxDoc, maxDoc);
  const shown = (value: number | bigint): number | bigint => (kind === 'i64' ? BigInt(value) : Number(value));
  return { kind, ptr, multiValued: isMulti, docCount, valueCount, min: shown(min), max: shown(max) };
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}
