// From values to bucket indexes (u32, NIL = no bucket) or 64-bit keys, a block at a time.
//   KIND_STORED     index = stored value (ordinals, narrow integers)
//   KIND_TABLE      index = lut[stored value] (histograms, calendar and ranges over narrow columns, include/exclude of ordinals)
//   KIND_FIXED      index = floor((raw - p1) / p0), p2 = 1 / p0; p0, p1 integers below 2^53
//   KIND_FIXED_STORED  index = (stored + p1) / p0, whole numbers below 2^31: KIND_FIXED where the interval is a multiple of the column's multiplier
//   KIND_HISTOGRAM  index = floor((value - p1) / p0) - p2, in IEEE doubles as Elasticsearch computes it
//   KIND_STARTS     index = number of the last start <= raw; starts i64[auxCount] at aux, the end of the last at start[auxCount]
//   KIND_RAW        key = raw bits;  KIND_HISTOGRAM with size 0: key = i64(floor(..));  KIND_FIXED with size 0: key = i64(floor(..))
//   KIND_ROUNDED  key = bits of the value as a double, rounded to 17 significant bits
//   KIND_GEOTILE, KIND_GEOHASH   key = cell of the point at precision p0
import { AggNode, KIND_FIXED, KIND_FIXED_STORED, KIND_GEOHASH, KIND_GEOTILE, KIND_HISTOGRAM, KIND_ROUNDED, KIND_STARTS, KIND_STORED, KIND_TABLE, NIL } from './node';
import { loadDoubles, loadRaw, loadStored } from './values';
import { geohashCell, geotileCell } from './geo-cells';

/** Indexes of `n` values that nextSlots gave, as u32 at `out` (which has room for u64). */
export function loadIndexes(node: AggNode, n: u32, out: usize): void {
  const kind = node.kind;
  if (kind == KIND_STORED) {
    loadStored(node, n, out, node.missingIndex);
  } else if (kind == KIND_TABLE) {
    loadStored(node, n, out, NIL);
    const lut = <usize>node.lut;
    const missingIndex = node.missingIndex;
    for (let i: u32 = 0; i < n; i++) {
      const at = out + (<usize>i << 2);
      const stored = load<u32>(at);
      store<u32>(at, stored == NIL ? missingIndex : load<u32>(lut + (<usize>stored << 2)));
    }
  } else if (kind == KIND_FIXED_STORED) {
    loadStored(node, n, out, 0);
    fixedStoredIndexes(node, n, out);
  } else if (kind == KIND_FIXED) {
    loadRaw(node, n, out);
    fixedIndexes(node, n, out);
  } else if (kind == KIND_HISTOGRAM) {
    loadDoubles(node, n, out);
    histogramIndexes(node, n, out);
  } else {
    assert(kind == KIND_STARTS);
    loadRaw(node, n, out);
    startIndexes(node, n, out);
  }
}

function fixedIndexes(node: AggNode, n: u32, out: usize): void {
  const interval = node.p0, origin = <i64>node.p1, inverse = node.p2, size = <f64>node.size;
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
function fixedStoredIndexes(node: AggNode, n: u32, out: usize): void {
  const width = <u32>node.p0, shift = <u32>node.p1;
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

function histogramIndexes(node: AggNode, n: u32, out: usize): void {
  const interval = node.p0, offset = node.p1, first = node.p2, size = <f64>node.size;
  for (let i: u32 = 0; i < n; i++) {
    const index = Math.floor((load<f64>(out + (<usize>i << 3)) - offset) / interval) - first;
    store<u32>(out + (<usize>i << 2), index >= 0 && index < size ? <u32>index : NIL);
  }
}

/** Values are often near their neighbours, so the last bucket is tried first. */
function startIndexes(node: AggNode, n: u32, out: usize): void {
  const starts = <usize>node.aux;
  const buckets = node.auxCount;
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

/** 64-bit keys of `n` values that nextSlots gave, at `out`. */
export function loadKeys(node: AggNode, n: u32, out: usize): void {
  const kind = node.kind;
  if (kind == KIND_HISTOGRAM) {
    loadDoubles(node, n, out);
    const interval = node.p0, offset = node.p1;
    for (let i: u32 = 0; i < n; i++) {
      const at = out + (<usize>i << 3);
      store<i64>(at, <i64>Math.floor((load<f64>(at) - offset) / interval));
    }
  } else if (kind == KIND_ROUNDED) {
    loadDoubles(node, n, out);
    for (let i: u32 = 0; i < n; i++) {
      const at = out + (<usize>i << 3);
      // 36 of the 52 fraction bits go; a carry into the exponent is the right next value
      store<u64>(at, (load<u64>(at) + 0x0000000800000000) & 0xfffffff000000000);
    }
  } else if (kind == KIND_FIXED) {
    loadRaw(node, n, out);
    const interval = <i64>node.p0, origin = <i64>node.p1;
    for (let i: u32 = 0; i < n; i++) {
      const at = out + (<usize>i << 3);
      const distance = load<i64>(at) - origin;
      const rest = distance % interval;
      store<i64>(at, (distance - rest) / interval - (rest < 0 ? 1 : 0));
    }
  } else {
    loadRaw(node, n, out);
    if (kind == KIND_GEOTILE) for (let i: u32 = 0; i < n; i++) store<u64>(out + (<usize>i << 3), geotileCell(load<u64>(out + (<usize>i << 3)), <u32>node.p0));
    else if (kind == KIND_GEOHASH) for (let i: u32 = 0; i < n; i++) store<u64>(out + (<usize>i << 3), geohashCell(load<u64>(out + (<usize>i << 3)), <u32>node.p0));
  }
}
