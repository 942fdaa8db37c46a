// Metric accumulators, one record per parent bucket at node.counts:
//   STATS_INTEGER  IntegerStats of stored values; the host adds base and multiplier. Exact, and equal to Lucene's compensated double sum
//                  if every partial sum is below 2^53 (the host chooses the kind by that)
//   STATS_DOUBLE   DoubleStats; Kahan sums as Lucene's CompensatedSum
//   STATS_COUNT    count u64
import { E_NO_SPACE } from '../mem/status';
import { AggNode, allocate, SQUARES, STATS_COUNT, STATS_INTEGER } from './node';
import { Column } from '../docvalues/column';
import { beginValues, loadDoubles, loadStored, nextSlots, valueBase, valueBuckets, valueSlots } from './values';

// @ts-ignore: decorator
@unmanaged
export class IntegerStats {
  sum: u64;
  count: u64;
  min: u64;
  max: u64;
}

// @ts-ignore: decorator
@unmanaged
export class DoubleStats {
  sum: f64;
  sumCompensation: f64;
  min: f64;
  max: f64;
  sumOfSquares: f64;
  squaresCompensation: f64;
  count: f64;
  reserved: f64;
}

/** OP_STATS: one block; `limit`: parent buckets that may occur. @returns 0 or a status */
export function collectStats(node: AggNode, docs: usize, base: u32, buckets: usize, count: u32, limit: u32): i32 {
  if (limit > node.capacity && !growStats(node, limit)) return E_NO_SPACE;
  beginValues(node);
  const records = <usize>node.counts, values = <usize>node.values;
  for (let n = nextSlots(node, docs, base, buckets, count); n > 0; n = nextSlots(node, docs, base, buckets, count)) {
    if (node.kind == STATS_COUNT) {
      if (!valueBuckets) store<u64>(records, load<u64>(records) + n);
      else for (let i: u32 = 0; i < n; i++) {
        const at = records + (<usize>load<u32>(valueBuckets + (<usize>i << 2)) << 3);
        store<u64>(at, load<u64>(at) + 1);
      }
    } else if (node.kind == STATS_INTEGER) {
      if (!valueBuckets && !valueSlots && node.column) addRun(node, records, n);
      else {
        loadStored(node, n, values, node.missingIndex);
        addIntegers(records, values, valueBuckets, n);
      }
    } else {
      loadDoubles(node, n, values);
      addDoubles(records, values, valueBuckets, n, (node.flags & SQUARES) != 0);
    }
  }
  return 0;
}

/** Adds consecutive values of a column to bucket 0. */
function addRun(node: AggNode, record: usize, n: u32): void {
  const column = changetype<Column>(<usize>node.column);
  const width = column.width, values = <usize>node.column + column.valuesOff;
  if (width == 1) runOf<u8>(record, values + <usize>valueBase, n);
  else if (width == 2) runOf<u16>(record, values + (<usize>valueBase << 1), n);
  else if (width == 4) runOf<u32>(record, values + (<usize>valueBase << 2), n);
  else {
    const stats = changetype<IntegerStats>(record);
    stats.count += n;
    stats.min = 0;
  }
}

@inline
function runOf<T>(record: usize, cur: usize, n: u32): void {
  let sum: u64 = 0, low = <u32>load<T>(cur), high = low;
  for (let end = cur + <usize>n * sizeof<T>(); cur < end; cur += sizeof<T>()) {
    const value = <u32>load<T>(cur);
    sum += value;
    low = min(low, value);
    high = max(high, value);
  }
  addRecord(record, sum, n, low, high);
}

/** Sums neighbours of the same bucket in registers first (see assignAll in buckets.ts). */
function addIntegers(records: usize, values: usize, buckets: usize, n: u32): void {
  let at = records + (buckets ? <usize>load<u32>(buckets) << 5 : 0);
  let sum: u64 = 0, count: u64 = 0, low: u64 = u64.MAX_VALUE, high: u64 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const value = <u64>load<u32>(values + (<usize>i << 2));
    if (buckets) {
      const record = records + (<usize>load<u32>(buckets + (<usize>i << 2)) << 5);
      if (record != at) {
        addRecord(at, sum, count, low, high);
        at = record;
        sum = value;
        count = 1;
        low = value;
        high = value;
        continue;
      }
    }
    sum += value;
    count++;
    low = min(low, value);
    high = max(high, value);
  }
  addRecord(at, sum, count, low, high);
}

@inline
function addRecord(at: usize, sum: u64, count: u64, low: u64, high: u64): void {
  const stats = changetype<IntegerStats>(at);
  stats.sum += sum;
  stats.count += count;
  if (low < stats.min) stats.min = low;
  if (high > stats.max) stats.max = high;
}

function addDoubles(records: usize, values: usize, buckets: usize, n: u32, squares: bool): void {
  for (let i: u32 = 0; i < n; i++) {
    const at = records + (buckets ? <usize>load<u32>(buckets + (<usize>i << 2)) << 6 : 0);
    const value = load<f64>(values + (<usize>i << 3));
    const stats = changetype<DoubleStats>(at);
    addCompensated(at, value);
    stats.min = Math.min(stats.min, value);
    stats.max = Math.max(stats.max, value);
    if (squares) addCompensated(at + offsetof<DoubleStats>('sumOfSquares'), value * value);
    stats.count++;
  }
}

/** Adds to Kahan's sum at `at` (sum, compensation); after an infinity or NaN the sum is that. */
@inline
function addCompensated(at: usize, value: f64): void {
  const sum = load<f64>(at);
  if (!isFinite(value)) {
    store<f64>(at, value + sum);
    return;
  }
  if (!isFinite(sum)) return;
  const corrected = value + load<f64>(at, 8);
  const updated = sum + corrected;
  store<f64>(at, corrected - (updated - sum), 8);
  store<f64>(at, updated);
}

/** Makes room for `limit` records and sets new ones to the empty sum. */
function growStats(node: AggNode, limit: u32): bool {
  const shift: u32 = node.kind == STATS_INTEGER ? 5 : node.kind == STATS_COUNT ? 3 : 6;
  let capacity = node.capacity;
  const used = capacity;
  capacity = capacity * 2 > limit ? capacity * 2 : limit;
  const records = allocate(<usize>node.root, <u64>capacity << shift);
  if (!records) return false;
  if (used) memory.copy(records, <usize>node.counts, <usize>used << shift);
  if (shift != 3) {
    for (let i = used; i < capacity; i++) {
      const at = records + (<usize>i << shift);
      if (shift == 5) changetype<IntegerStats>(at).min = u64.MAX_VALUE;
      else {
        changetype<DoubleStats>(at).min = Infinity;
        changetype<DoubleStats>(at).max = -Infinity;
      }
    }
  }
  node.counts = <u32>records;
  node.capacity = capacity;
  return true;
}
