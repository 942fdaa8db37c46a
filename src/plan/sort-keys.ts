// Sort keys between the plan and assembly/executor/sort.ts: 48-byte records, and raw values to comparable u64 keys and back.

import { bitsetBytes } from '../wasm/codec.ts';
import type { Kernels } from '../wasm/kernels.ts';
import type { PlanNode, SortKey } from './query-plan.ts';

const SORT_KEY_BYTES = 48;
const BY = { score: 0, doc: 1, integer: 2, double: 3, distance: 4, ordinal: 5, unsigned: 6 } as const;
const MODES = { min: 0, max: 1, sum: 2, avg: 3, median: 4 } as const;
const SIGN = 1n << 63n;
const ALL = (1n << 64n) - 1n;

type By = (typeof BY)[keyof typeof BY];

interface SortColumn {
  readonly by: By;
  readonly descending: boolean;
  /** Key of documents without a value, as it is compared. */
  readonly missing: bigint;
  /** Whether that key stands for no value; else it is a value that the request gave. */
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
  const ptr = k.reserve(sort.length * SORT_KEY_BYTES);
  const columns = sort.map((key, i) => {
    const column = sortColumn(key);
    const at = (ptr + i * SORT_KEY_BYTES) >>> 2;
    k.u32.fill(0, at, at + SORT_KEY_BYTES / 4);
    k.u32.set([column.by, column.descending ? 1 : 0], at);
    k.view.setBigUint64(at * 4 + 16, column.missing, true);
    if (key.by !== 'column' && key.by !== 'geoDistance') return column;
    k.u32[at + 2] = key.column?.ptr ?? 0;
    k.u32[at + 3] = MODES[key.mode];
    if (key.by === 'column' && key.nestedDocsPtr && rootDocsPtr) {
      k.u32[at + 6] = nestedBitset(k, key, maxDoc, bitsetOf);
      k.u32[at + 7] = rootDocsPtr;
    }
    if (key.by === 'geoDistance') {
      const points = k.reserve(key.points.length * 16);
      k.f64.set(
        key.points.flatMap((point) => [point.lat, point.lon]),
        points >>> 3,
      );
      k.u32[at + 8] = points;
      k.u32[at + 9] = key.points.length;
      k.u32[at + 10] = key.isPlane ? 1 : 0;
    }
    return column;
  });
  return { ptr, columns };
}

/** Bitset of the children that count. */
function nestedBitset(k: Kernels, key: Extract<SortKey, { by: 'column' }>, maxDoc: number, bitsetOf: (plan: PlanNode) => number): number {
  if (!key.nestedFilter) return key.nestedDocsPtr;
  const bits = bitsetOf(key.nestedFilter) >>> 2;
  const children = key.nestedDocsPtr >>> 2;
  for (let i = 0; i < bitsetBytes(maxDoc) / 4; i++) k.u32[bits + i] &= k.u32[children + i];
  return bits * 4;
}

function sortColumn(key: SortKey): SortColumn {
  const { descending } = key;
  if (key.by === 'score' || key.by === 'doc') return { by: BY[key.by], descending, missing: 0n, missingIsNull: false };
  if (key.by === 'geoDistance') {
    return { by: BY.distance, descending, missing: descending ? 0n : ALL, missingIsNull: true };
  }
  const kind = key.column?.kind;
  const by =
    kind === 'f64' ? BY.double : kind === 'ordinals' ? BY.ordinal : key.by === 'column' && key.isUnsigned ? BY.unsigned : BY.integer;
  if (key.missing === 'first' || key.missing === 'last') {
    return { by, descending, missing: key.missing === 'last' ? ALL : 0n, missingIsNull: true };
  }
  const column = { by, descending, missing: 0n, missingIsNull: false };
  // Without a column the kind is told by the value's type: bigint for i64.
  const byValue = key.column ? by : typeof key.missing === 'bigint' ? BY.integer : BY.double;
  return { ...column, by: byValue, missing: keyOfValue({ ...column, by: byValue }, key.missing) };
}

/** The key of a raw sort value. */
export function keyOfValue(column: SortColumn, value: bigint | number | null): bigint {
  if (value === null) return column.missing;
  let key: bigint;
  switch (column.by) {
    case BY.integer:
    case BY.unsigned:
      key = BigInt.asUintN(64, clampI64(typeof value === 'bigint' ? value : BigInt(Math.floor(value)))) ^ SIGN;
      break;
    case BY.ordinal:
      key = BigInt(Math.max(0, Math.floor((Number(value) + 1) * 2)));
      break;
    case BY.doc:
      // A place in a segment before or behind this one: below or above all documents.
      key = BigInt(Math.min(Math.max(-1, Number(value)), 2 ** 32)) + 1n;
      break;
    default:
      key = keyOfDouble(Number(value));
  }
  return column.descending ? key ^ ALL : key;
}

/** The raw value of a key; null: the document has none. */
export function valueOfKey(column: SortColumn, key: bigint): bigint | number | null {
  if (column.missingIsNull && key === column.missing) return null;
  const plain = column.descending ? key ^ ALL : key;
  switch (column.by) {
    case BY.integer:
    case BY.unsigned:
      return BigInt.asIntN(64, plain ^ SIGN);
    case BY.ordinal:
      return Number(plain) / 2 - 1;
    case BY.doc:
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
