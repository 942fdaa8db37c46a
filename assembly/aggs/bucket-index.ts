// From values to bucket indexes (u32, NIL = no bucket) or 64-bit keys, a block at a time.
//   KIND_STORED     index = stored value (ordinals, narrow integers)
//   KIND_TABLE      index = lookup[stored value] (histograms, calendar and ranges over narrow columns, include/exclude of ordinals)
//   KIND_FIXED      index = floor((raw - origin) / interval)
//   KIND_FIXED_STORED  index = (stored + shift) / width, whole numbers below 2^31: KIND_FIXED if the interval is a multiple of the column's multiplier
//   KIND_HISTOGRAM  index = floor((value - offset) / interval) - first, in IEEE doubles as Elasticsearch computes it
//   KIND_STARTS     index = number of the last start <= raw
//   KIND_RAW        key = raw bits
//   KIND_HISTOGRAM, size 0   key = bits of the double floor(..), never -0
//   KIND_FIXED, size 0       key = i64(floor(..))
//   KIND_ROUNDED    key = bits of the value as a double, rounded to 17 significant bits
//   KIND_GEOTILE, KIND_GEOHASH   key = cell of the point at that precision
import {
  AggNode,
  FixedBuckets,
  FixedStoredBuckets,
  GeoBuckets,
  HistogramBuckets,
  KIND_FIXED,
  KIND_FIXED_STORED,
  KIND_GEOHASH,
  KIND_GEOTILE,
  KIND_HISTOGRAM,
  KIND_ROUNDED,
  KIND_STARTS,
  KIND_STORED,
  KIND_TABLE,
  MISSING_APART,
  MISSING_KEY,
  NIL,
  StartsBuckets,
  TableBuckets,
} from './node';
import { loadDoubles, loadRaw, loadStored, valueSlots } from './values';
import { geohashCell, geotileCell } from './geo-cells';

/** Indexes of the `n` values of the last nextSlots, as u32 at `out` (which has room for u64). */
export function loadIndexes(node: AggNode, n: u32, out: usize): void {
  const kind = node.kind;
  if (kind == KIND_STORED) {
    loadStored(node, n, out, node.missingIndex);
  } else if (kind == KIND_TABLE) {
    loadStored(node, n, out, NIL);
    const lookup = <usize>changetype<TableBuckets>(node).lookup;
    const missingIndex = node.missingIndex;
    for (let i: u32 = 0; i < n; i++) {
      const at = out + (<usize>i << 2);
      const stored = load<u32>(at);
      store<u32>(at, stored == NIL ? missingIndex : load<u32>(lookup + (<usize>stored << 2)));
    }
  } else if (kind == KIND_FIXED_STORED) {
    loadStored(node, n, out, 0);
    fixedStoredIndexes(changetype<FixedStoredBuckets>(node), n, out);
  } else if (kind == KIND_FIXED) {
    loadRaw(node, n, out);
    fixedIndexes(changetype<FixedBuckets>(node), n, out);
  } else if (kind == KIND_HISTOGRAM) {
    loadDoubles(node, n, out);
    histogramIndexes(changetype<HistogramBuckets>(node), n, out);
  } else {
    assert(kind == KIND_STARTS);
    loadRaw(node, n, out);
    startIndexes(changetype<StartsBuckets>(node), n, out);
  }
}

function fixedIndexes(node: FixedBuckets, n: u32, out: usize): void {
  const interval = node.interval, origin = node.origin, inverse = node.inverse, size = <f64>node.size;
  // Nanoseconds of more than 104 days: doubles would round their distances.
  if (interval * size > 9007199254740992) {
    const divisor = <i64>interval, buckets = <i64>node.size;
    for (let i: u32 = 0; i < n; i++) {
      const distance = load<i64>(out + (<usize>i << 3)) - origin;
      const quotient = distance >= 0 ? distance / divisor : buckets;
      store<u32>(out + (<usize>i << 2), quotient < buckets ? <u32>quotient : NIL);
    }
    return;
  }
  for (let i: u32 = 0; i < n; i++) {
    const distance = <f64>(load<i64>(out + (<usize>i << 3)) - origin);
    let quotient = Math.floor(distance * inverse);
    const rest = distance - quotient * interval;
    if (rest < 0) quotient -= 1;
    else if (rest >= interval) quotient += 1;
    store<u32>(out + (<usize>i << 2), quotient >= 0 && quotient < size ? <u32>quotient : NIL);
  }
}

/** Values are often near their neighbours, so the last bucket is tried before dividing. */
function fixedStoredIndexes(node: FixedStoredBuckets, n: u32, out: usize): void {
  const width = node.width, shift = node.shift;
  let index: u32 = 0, start: u32 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const at = out + (<usize>i << 2);
    const value = load<u32>(at) + shift;
    if (value - start >= width) {
      index = value / width;
      start = index * width;
    }
    store<u32>(at, index);
  }
}

function histogramIndexes(node: HistogramBuckets, n: u32, out: usize): void {
  const interval = node.interval, offset = node.offset, first = node.first, size = <f64>node.size;
  for (let i: u32 = 0; i < n; i++) {
    const index = Math.floor((load<f64>(out + (<usize>i << 3)) - offset) / interval) - first;
    store<u32>(out + (<usize>i << 2), index >= 0 && index < size ? <u32>index : NIL);
  }
}

/** Values are often near their neighbours, so the last bucket is tried first. */
function startIndexes(node: StartsBuckets, n: u32, out: usize): void {
  const starts = <usize>node.starts;
  const buckets = node.startCount;
  let index: u32 = 0;
  let low = load<i64>(starts), high = load<i64>(starts, 8);
  const first = low, last = load<i64>(starts + (<usize>buckets << 3));
  for (let i: u32 = 0; i < n; i++) {
    const raw = load<i64>(out + (<usize>i << 3));
    if (raw < low || raw >= high) {
      if (raw < first || raw >= last) {
        store<u32>(out + (<usize>i << 2), NIL);
        continue;
      }
      let from: u32 = 0, to = buckets;
      while (to - from > 1) {
        const middle = (from + to) >>> 1;
        if (load<i64>(starts + (<usize>middle << 3)) <= raw) from = middle;
        else to = middle;
      }
      index = from;
      low = load<i64>(starts + (<usize>index << 3));
      high = load<i64>(starts + (<usize>index << 3), 8);
    }
    store<u32>(out + (<usize>i << 2), index);
  }
}

/** 64-bit keys of the `n` values of the last nextSlots, at `out`. */
export function loadKeys(node: AggNode, n: u32, out: usize): void {
  const kind = node.kind;
  if (kind == KIND_HISTOGRAM) {
    loadDoubles(node, n, out);
    const histogram = changetype<HistogramBuckets>(node), interval = histogram.interval, offset = histogram.offset;
    for (let i: u32 = 0; i < n; i++) {
      const at = out + (<usize>i << 3);
      store<f64>(at, Math.floor((load<f64>(at) - offset) / interval) + 0.0);
    }
  } else if (kind == KIND_ROUNDED) {
    loadDoubles(node, n, out);
    for (let i: u32 = 0; i < n; i++) {
      const at = out + (<usize>i << 3);
      // Drops 36 of the 52 fraction bits; a carry into the exponent is the right next value.
      store<u64>(at, (load<u64>(at) + 0x0000000800000000) & 0xfffffff000000000);
    }
  } else if (kind == KIND_FIXED) {
    loadRaw(node, n, out);
    const fixed = changetype<FixedBuckets>(node), interval = <i64>fixed.interval, origin = fixed.origin;
    for (let i: u32 = 0; i < n; i++) {
      const at = out + (<usize>i << 3);
      const distance = load<i64>(at) - origin;
      const rest = distance % interval;
      store<i64>(at, (distance - rest) / interval - (rest < 0 ? 1 : 0));
    }
  } else {
    loadRaw(node, n, out);
    if (kind == KIND_GEOTILE || kind == KIND_GEOHASH) geoKeys(changetype<GeoBuckets>(node), n, out);
  }
  if (node.flags & MISSING_APART && valueSlots) missingKeys(n, out);
}

function missingKeys(n: u32, out: usize): void {
  const slots = valueSlots;
  for (let i: u32 = 0; i < n; i++) {
    if (load<u32>(slots + (<usize>i << 2)) == NIL) store<u64>(out + (<usize>i << 3), MISSING_KEY);
  }
}

/** Points at `out` become cells. */
function geoKeys(node: GeoBuckets, n: u32, out: usize): void {
  const precision = node.precision, isTile = node.kind == KIND_GEOTILE;
  for (const end = out + (<usize>n << 3); out < end; out += 8) {
    const packed = load<u64>(out);
    store<u64>(out, isTile ? geotileCell(packed, precision) : geohashCell(packed, precision));
  }
}
