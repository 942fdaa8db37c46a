// Values of blocks of documents, read straight from column images (docs/internals/segment-format.md, "Column").
//   nextSlots   (doc, bucket) pairs ─► one pair per value: exDocs, exBuckets, exPairs (index of the input pair), slots (index of the value)
//   loadStored  slots ─► u32 stored values;  loadRaw ─► i64 or f64 bits;  loadDoubles ─► doubles of the API
// Single-valued full columns pass through: docs themselves are the slots and nothing is copied.
import { Column, COLUMN_DENSE, COLUMN_DIRECT, COLUMN_F64, COLUMN_MULTI } from '../docvalues/column';
import { AggNode, BLOCK, HAS_MISSING, NIL, UNSIGNED } from './node';

// Result of nextSlots: addresses of its parallel arrays. 0 = consecutive from valueBase (docs and slots), bucket 0 (buckets), identity (pairs).
export let valueDocs: usize = 0;
export let valueBase: u32 = 0;
export let valueBuckets: usize = 0;
export let valuePairs: usize = 0;
export let valueSlots: usize = 0;

/** Slot of a document that has a value. */
function slotOf(column: usize, flags: u32, presence: usize, ranks: usize, doc: u32): u32 {
  if (flags & (COLUMN_DENSE | COLUMN_DIRECT)) return doc;
  let rank = load<u32>(ranks + (<usize>(doc >> 9) << 2));
  const word = doc >> 6;
  for (let w = (doc >> 9) << 3; w < word; w++) rank += <u32>popcnt<u64>(load<u64>(presence + (<usize>w << 3)));
  const below = load<u64>(presence + (<usize>word << 3)) & (((<u64>1) << (doc & 63)) - 1);
  return rank + <u32>popcnt<u64>(below);
}

/** Call once before the first nextSlots of a block. */
export function beginValues(node: AggNode): void {
  node.resumePair = 0;
  node.resumeValue = 0;
  node.lastPair = NIL;
  node.lastIndex = NIL;
}

/** Whether each document has exactly one value: then one call of nextSlots covers a block, and nothing is dropped or doubled. */
export function passesThrough(column: usize): bool {
  return column != 0 && (changetype<Column>(column).flags & (COLUMN_MULTI | COLUMN_DENSE)) == COLUMN_DENSE;
}

/** Finds the values of the next pairs of the block, at most BLOCK; returns how many, 0 after the last. Documents without a value have slot NIL if HAS_MISSING. */
export function nextSlots(node: AggNode, docs: usize, base: u32, buckets: usize, count: u32): u32 {
  let pair = node.resumePair;
  if (pair >= count) return 0;
  const column = <usize>node.column;
  if (passesThrough(column)) {
    valueDocs = docs;
    valueBase = base;
    valueBuckets = buckets;
    valuePairs = 0;
    valueSlots = docs;
    node.resumePair = count;
    return count;
  }
  const hasMissing = (node.flags & HAS_MISSING) != 0;
  const slots = <usize>node.slots, exDocs = <usize>node.exDocs, exBuckets = <usize>node.exBuckets, exPairs = <usize>node.exPairs;
  valueDocs = exDocs;
  valueBuckets = buckets ? exBuckets : 0;
  valuePairs = exPairs;
  valueSlots = slots;
  let n: u32 = 0;
  if (column == 0) {
    if (!hasMissing) {
      node.resumePair = count;
      return 0;
    }
    for (; pair < count; pair++) n = put(node, n, docs ? load<u32>(docs + (<usize>pair << 2)) : base + pair, buckets, pair, NIL);
    node.resumePair = count;
    return n;
  }
  const header = changetype<Column>(column), flags = header.flags;
  const presence = column + header.presenceOff;
  const ranks = column + header.ranksOff;
  const starts = column + header.startsOff;
  const multi = (flags & COLUMN_MULTI) != 0, full = (flags & COLUMN_DENSE) != 0;
  let from = node.resumeValue;
  for (; pair < count; pair++) {
    const doc = docs ? load<u32>(docs + (<usize>pair << 2)) : base + pair;
    if (!full && !((load<u64>(presence + (<usize>(doc >> 6) << 3)) >> (doc & 63)) & 1)) {
      if (hasMissing) {
        if (n == BLOCK) break;
        n = put(node, n, doc, buckets, pair, NIL);
      }
      continue;
    }
    const slot = slotOf(column, flags, presence, ranks, doc);
    if (!multi) {
      if (n == BLOCK) break;
      n = put(node, n, doc, buckets, pair, slot);
      continue;
    }
    const first = load<u32>(starts + (<usize>slot << 2)), end = load<u32>(starts + (<usize>slot << 2), 4);
    let value = first + from;
    while (value < end && n < BLOCK) n = put(node, n, doc, buckets, pair, value++);
    if (value < end) {
      node.resumePair = pair;
      node.resumeValue = value - first;
      return n;
    }
    if (first == end && hasMissing) {
      // The writer may have marked a document without values as present.
      if (n == BLOCK) break;
      n = put(node, n, doc, buckets, pair, NIL);
    }
    from = 0;
  }
  node.resumePair = pair;
  node.resumeValue = 0;
  return n;
}

@inline
function put(node: AggNode, n: u32, doc: u32, buckets: usize, pair: u32, slot: u32): u32 {
  const at = <usize>n << 2;
  store<u32>(<usize>node.slots + at, slot);
  store<u32>(<usize>node.exDocs + at, doc);
  store<u32>(<usize>node.exPairs + at, pair);
  if (buckets) store<u32>(<usize>node.exBuckets + at, load<u32>(buckets + (<usize>pair << 2)));
  return n + 1;
}

/** Stored values of `n` slots as u32; the column is at most 4 bytes wide. NIL slots become `missing`. */
export function loadStored(node: AggNode, n: u32, out: usize, missing: u32): void {
  const column = <usize>node.column, slots = valueSlots, base = valueBase;
  if (column == 0) {
    for (let i: u32 = 0; i < n; i++) store<u32>(out + (<usize>i << 2), missing);
    return;
  }
  const values = column + changetype<Column>(column).valuesOff;
  const width = changetype<Column>(column).width;
  if (width == 1) storedOf<u8>(values, slots, base, n, out);
  else if (width == 2) storedOf<u16>(values, slots, base, n, out);
  else if (width == 4) storedOf<u32>(values, slots, base, n, out);
  else memory.fill(out, 0, <usize>n << 2);
  if (slots && node.flags & HAS_MISSING) {
    for (let i: u32 = 0; i < n; i++) {
      if (load<u32>(slots + (<usize>i << 2)) == NIL) store<u32>(out + (<usize>i << 2), missing);
    }
  }
}

@inline
function storedOf<T>(values: usize, slots: usize, base: u32, n: u32, out: usize): void {
  const shift: usize = alignof<T>();
  if (slots) {
    for (let i: u32 = 0; i < n; i++) {
      const slot = load<u32>(slots + (<usize>i << 2));
      // The caller replaces NIL slots.
      store<u32>(out + (<usize>i << 2), slot == NIL ? 0 : <u32>load<T>(values + (<usize>slot << shift)));
    }
  } else {
    let cur = values + (<usize>base << shift);
    for (let i: u32 = 0; i < n; i++) {
      store<u32>(out + (<usize>i << 2), <u32>load<T>(cur));
      cur += sizeof<T>();
    }
  }
}

/** Stored value of a slot of a column up to 8 bytes wide, zero-extended. */
@inline
function stored64(values: usize, width: u32, slot: u32): u64 {
  if (width == 4) return <u64>load<u32>(values + (<usize>slot << 2));
  if (width == 2) return <u64>load<u16>(values + (<usize>slot << 1));
  if (width == 1) return <u64>load<u8>(values + <usize>slot);
  if (width == 8) return load<u64>(values + (<usize>slot << 3));
  return 0;
}

/** Raw values: i64, or the bits of the double of f64 columns. NIL slots become node.missing. */
export function loadRaw(node: AggNode, n: u32, out: usize): void {
  const column = <usize>node.column, slots = valueSlots;
  if (column == 0) {
    for (let i: u32 = 0; i < n; i++) store<u64>(out + (<usize>i << 3), node.missing);
    return;
  }
  const header = changetype<Column>(column), values = column + header.valuesOff, width = header.width;
  const isDouble = (header.flags & COLUMN_F64) != 0;
  const base = <u64>header.base, multiplier = <u64>header.multiplier, missing = node.missing;
  for (let i: u32 = 0; i < n; i++) {
    const slot = slots ? load<u32>(slots + (<usize>i << 2)) : valueBase + i;
    let raw: u64;
    if (slots && slot == NIL) raw = missing;
    else if (!isDouble) raw = base + multiplier * stored64(values, width, slot);
    else if (width == 4) raw = reinterpret<u64>(<f64>load<f32>(values + (<usize>slot << 2)));
    else if (width == 8) raw = load<u64>(values + (<usize>slot << 3));
    else raw = base;
    store<u64>(out + (<usize>i << 3), raw);
  }
}

/** Values as the API's doubles. */
export function loadDoubles(node: AggNode, n: u32, out: usize): void {
  loadRaw(node, n, out);
  const column = <usize>node.column;
  if (column != 0 && changetype<Column>(column).flags & COLUMN_F64) return;
  if (node.flags & UNSIGNED) {
    for (let i: u32 = 0; i < n; i++) {
      const at = out + (<usize>i << 3);
      store<f64>(at, <f64>(load<u64>(at) ^ 0x8000000000000000));
    }
    return;
  }
  const scale = node.scale;
  if (column == 0 && scale == 0) return; // an unmapped source: `missing` is already a double
  for (let i: u32 = 0; i < n; i++) {
    const at = out + (<usize>i << 3);
    store<f64>(at, <f64>load<i64>(at) * scale);
  }
}
