// Sort keys of a plan as records of assembly/executor/sort.ts, and conversion of raw values to comparable u64 keys and back.

import { bitsetBytes } from '../wasm/codec.ts';
import {
  BY_DISTANCE,
  BY_DOC,
  BY_DOUBLE,
  BY_INTEGER,
  BY_ORDINAL,
  BY_SCORE,
  BY_UNSIGNED,
  MODE_AVG,
  MODE_MAX,
  MODE_MEDIAN,
  MODE_MIN,
  MODE_SUM,
  SortKey as SortKeyRecord,
} from '../wasm/generated/executor.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { setU32, setU64 } from '../wasm/records.ts';
import { boolPlan, type PlanNode, type SortKey } from './query-plan.ts';

const MODES = { min: MODE_MIN, max: MODE_MAX, sum: MODE_SUM, avg: MODE_AVG, median: MODE_MEDIAN } as const;
const SIGN = 1n << 63n;
const ALL = (1n << 64n) - 1n;

interface SortColumn {
  /** BY_* */
  readonly by: number;
  readonly descending: boolean;
  /** Key of documents without a value, in the form in which keys are compared. */
  readonly missing: bigint;
  /** Whether that key means no value; otherwise it is a value from the request. */
  readonly missingIsNull: boolean;
}

export interface EncodedSort {
  readonly ptr: number;
  readonly columns: readonly SortColumn[];
}

/** @param bitsetOf  evaluates a plan over [0, maxDoc) into reserved scratch */
export function encodeSort(
  k: Kernels,
  sort: readonly SortKey[],
  maxDoc: number,
  rootDocsPtr: number,
  bitsetOf: (plan: PlanNode) => number,
): EncodedSort {
  const ptr = k.reserve(sort.length * SortKeyRecord.sizeof);
  k.u32.fill(0, ptr >>> 2, (ptr + sort.length * SortKeyRecord.sizeof) >>> 2);
  const columns = sort.map((key, i) => {
    const column = sortColumn(key);
    const at = ptr + i * SortKeyRecord.sizeof;
    setU32(k, at, SortKeyRecord.by, column.by);
    setU32(k, at, SortKeyRecord.descending, column.descending ? 1 : 0);
    setU64(k, at, SortKeyRecord.missing, column.missing);
    if (key.by !== 'column' && key.by !== 'geoDistance') return column;
    setU32(k, at, SortKeyRecord.column, key.column?.ptr ?? 0);
    setU32(k, at, SortKeyRecord.mode, MODES[key.mode]);
    if (key.by === 'column' && key.nestedDocsPtr && rootDocsPtr) {
      setU32(k, at, SortKeyRecord.nested, nestedBitset(k, key, maxDoc, rootDocsPtr, bitsetOf));
      setU32(k, at, SortKeyRecord.roots, rootDocsPtr);
    }
    if (key.by === 'geoDistance') {
      const points = k.reserve(key.points.length * 16);
      k.f64.set(
        key.points.flatMap((point) => [point.lat, point.lon]),
        points >>> 3,
      );
      setU32(k, at, SortKeyRecord.points, points);
      setU32(k, at, SortKeyRecord.pointCount, key.points.length);
      setU32(k, at, SortKeyRecord.plane, key.isPlane ? 1 : 0);
    }
    return column;
  });
  return { ptr, columns };
}

/** Bitset of the nested documents whose values count. */
function nestedBitset(
  k: Kernels,
  { column, nestedDocsPtr, nestedFilter, maxChildren }: Extract<SortKey, { by: 'column' }>,
  maxDoc: number,
  rootDocsPtr: number,
  bitsetOf: (plan: PlanNode) => number,
): number {
  const filter: PlanNode[] = nestedFilter ? [nestedFilter] : [];
  if (maxChildren !== null && column) filter.push({ op: 'existsColumn', column });
  if (filter.length === 0) return nestedDocsPtr;
  const bits = bitsetOf(filter.length === 1 ? filter[0] : boolPlan({ filter })) >>> 2;
  const children = nestedDocsPtr >>> 2;
  const words = bitsetBytes(maxDoc) / 4;
  for (let i = 0; i < words; i++) k.u32[bits + i] &= k.u32[children + i];
  if (maxChildren !== null) keepFirst(k.u32.subarray(bits, bits + words), k.u32.subarray(rootDocsPtr >>> 2), maxChildren);
  return bits * 4;
}

/** Clears all but the first `limit` bits before each root; the documents of a block precede their root. */
function keepFirst(bits: Uint32Array, roots: Uint32Array, limit: number): void {
  let count = 0;
  for (let i = 0; i < bits.length; i++) {
    let kept = 0;
    for (let rest = bits[i] | roots[i]; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      if (roots[i] & bit) count = 0;
      else if (count++ < limit) kept |= bit;
    }
    bits[i] = kept;
  }
}

function sortColumn(key: SortKey): SortColumn {
  const { descending } = key;
  if (key.by === 'score' || key.by === 'doc')
    return { by: key.by === 'score' ? BY_SCORE : BY_DOC, descending, missing: 0n, missingIsNull: false };
  if (key.by === 'geoDistance') {
    return { by: BY_DISTANCE, descending, missing: descending ? 0n : ALL, missingIsNull: true };
  }
  const kind = key.column?.kind;
  const by =
    kind === 'f64' ? BY_DOUBLE : kind === 'ordinals' ? BY_ORDINAL : key.by === 'column' && key.isUnsigned ? BY_UNSIGNED : BY_INTEGER;
  if (key.missing === 'first' || key.missing === 'last') {
    return { by, descending, missing: key.missing === 'last' ? ALL : 0n, missingIsNull: true };
  }
  const column = { by, descending, missing: 0n, missingIsNull: false };
  // Without a column the type of the value decides: bigint for i64.
  const byValue = key.column ? by : typeof key.missing === 'bigint' ? BY_INTEGER : BY_DOUBLE;
  return { ...column, by: byValue, missing: keyOfValue({ ...column, by: byValue }, key.missing) };
}

/** The key of a raw sort value. */
export function keyOfValue(column: SortColumn, value: bigint | number | null): bigint {
  if (value === null) return column.missing;
  let key: bigint;
  switch (column.by) {
    case BY_INTEGER:
    case BY_UNSIGNED:
      key = BigInt.asUintN(64, clampI64(typeof value === 'bigint' ? value : BigInt(Math.floor(value)))) ^ SIGN;
      break;
    case BY_ORDINAL:
      key = BigInt(Math.max(0, Math.floor((Number(value) + 1) * 2)));
      break;
    case BY_DOC:
      // A position in an earlier or later segment: below or above all documents.
      key = BigInt(Math.min(Math.max(-1, Number(value)), 2 ** 32)) + 1n;
      break;
    default:
      key = keyOfDouble(Number(value));
  }
  return column.descending ? key ^ ALL : key;
}

/** Raw value of a key, null if the document has none. */
export function valueOfKey(column: SortColumn, key: bigint): bigint | number | null {
  if (column.missingIsNull && key === column.missing) return null;
  const plain = column.descending ? key ^ ALL : key;
  switch (column.by) {
    case BY_INTEGER:
    case BY_UNSIGNED:
      return BigInt.asIntN(64, plain ^ SIGN);
    case BY_ORDINAL:
      return Number(plain) / 2 - 1;
    case BY_DOC:
      return Number(plain) - 1;
    default:
      return doubleOfKey(plain);
  }
}

function clampI64(value: bigint): bigint {
  return value > SIGN - 1n ? SIGN - 1n : value < -SIGN ? -SIGN : value;
}

const bits = new DataView(new ArrayBuffer(8));

function keyOfDouble(value: number): bigint {
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  return raw & SIGN ? raw ^ ALL : raw | SIGN;
}

function doubleOfKey(key: bigint): number {
  bits.setBigUint64(0, key & SIGN ? key ^ SIGN : key ^ ALL);
  return bits.getFloat64(0);
}
