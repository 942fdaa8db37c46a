// Nodes over doc values: documents with a value in a range or in a set, in a geo box or circle, with any value.

import { Column, COLUMN_DENSE, COLUMN_DIRECT, COLUMN_F64, COLUMN_MULTI } from '../docvalues/column';
import { BOUNDS_DOCS, columnHeader, doubleAt, firstValue, hasValue, NO_SLOT, slotOf, storedAt } from '../docvalues/column-view';
import { haversinMeters, latitudeOf, longitudeOf } from './geo';
import { maxDoc } from './context';
import {
  ColumnNode,
  GeoBoxNode,
  GeoDistanceNode,
  Node,
  NormsNode,
  OP_EXISTS,
  OP_EXISTS_NORM,
  OP_GEO_BOX,
  OP_IN,
  OP_IN_F64,
  OP_RANGE,
  OP_RANGE_F64,
  RangeF64Node,
  RangeNode,
  SetNode,
} from './node';
import { NO_MORE_DOCS } from '../postings/format';
import { setBit } from './window';

/** First document >= target whose block of bounds may contain a match. */
export function columnNext(node: Node, target: u32): u32 {
  const op = node.op;
  if (op == OP_EXISTS_NORM) return target;
  const column = columnHeader(<usize>changetype<ColumnNode>(node).column);
  const bounds = changetype<usize>(column) + column.boundsOff;
  while (target < maxDoc) {
    const block = bounds + ((<usize>(target / BOUNDS_DOCS)) << 4);
    if (blockMayMatch(node, column, block)) return target;
    target = (target / BOUNDS_DOCS + 1) * BOUNDS_DOCS;
  }
  return NO_MORE_DOCS;
}

function blockMayMatch(node: Node, column: Column, block: usize): bool {
  if (column.flags & COLUMN_F64) {
    const least = load<f64>(block);
    const greatest = load<f64>(block, 8);
    if (!(least <= greatest)) return least != least || greatest != greatest;
    if (node.op != OP_RANGE_F64) return true;
    const range = changetype<RangeF64Node>(node);
    return greatest >= range.lo && least <= range.hi;
  }
  const least = load<u64>(block);
  const greatest = load<u64>(block, 8);
  if (least > greatest) return false;
  if (node.op != OP_RANGE) return true;
  const range = changetype<RangeNode>(node);
  return greatest >= range.lo && least <= range.hi;
}

function columnMatches(node: Node, doc: u32): bool {
  const op = node.op;
  if (op == OP_EXISTS_NORM) return load<u8>(<usize>changetype<NormsNode>(node).norms + doc) != 0;
  const column = columnHeader(<usize>changetype<ColumnNode>(node).column);
  if (op == OP_EXISTS) return hasValue(column, doc);
  const slot = slotOf(column, doc);
  if (slot == NO_SLOT) return false;
  const end = column.flags & COLUMN_MULTI ? firstValue(column, slot + 1) : slot + 1;
  for (let index = firstValue(column, slot); index < end; index++) if (valueMatches(node, column, index)) return true;
  return false;
}

function valueMatches(node: Node, column: Column, index: u32): bool {
  const op = node.op;
  if (op == OP_RANGE) {
    const range = changetype<RangeNode>(node);
    const value = storedAt(column, index);
    return value >= range.lo && value <= range.hi;
  }
  if (op == OP_RANGE_F64) {
    const range = changetype<RangeF64Node>(node);
    const value = doubleAt(column, index);
    return value >= range.lo && value <= range.hi;
  }
  const set = changetype<SetNode>(node);
  if (op == OP_IN) return inList(<usize>set.values, set.count, storedAt(column, index));
  if (op == OP_IN_F64) return inDoubles(<usize>set.values, set.count, doubleAt(column, index));
  // The packed value: latitude in the high half, longitude in the low, as unsigned numbers that increase with the degrees.
  const packed = <u64>(column.base + column.multiplier * <i64>storedAt(column, index)) ^ 0x8000000000000000;
  const latitude = <u32>(packed >> 32);
  const longitude = <u32>packed;
  if (!inBox(changetype<GeoBoxNode>(node), latitude, longitude)) return false;
  if (op == OP_GEO_BOX) return true;
  const circle = changetype<GeoDistanceNode>(node);
  return haversinMeters(circle.latitude, circle.longitude, latitudeOf(latitude), longitudeOf(longitude)) <= circle.meters;
}

// @ts-ignore: decorator
@inline
function inBox(box: GeoBoxNode, latitude: u32, longitude: u32): bool {
  if (latitude < box.south || latitude > box.north) return false;
  if (box.west <= box.east) return longitude >= box.west && longitude <= box.east;
  return longitude >= box.west || longitude <= box.east;
}

function inList(list: usize, count: u32, value: u64): bool {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u64>(list + ((<usize>middle) << 3)) < value) low = middle + 1;
    else high = middle;
  }
  return low < count && load<u64>(list + ((<usize>low) << 3)) == value;
}

function inDoubles(list: usize, count: u32, value: f64): bool {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<f64>(list + ((<usize>middle) << 3)) < value) low = middle + 1;
    else high = middle;
  }
  return low < count && load<f64>(list + ((<usize>low) << 3)) == value;
}

/** Sets the bits of the matches in [from, to). */
export function columnFill(node: Node, from: u32, to: u32, bits: usize): void {
  const op = node.op;
  if (op == OP_EXISTS_NORM) {
    const norms = <usize>changetype<NormsNode>(node).norms;
    for (let doc = from; doc < to; doc++) if (load<u8>(norms + doc)) setBit(bits, doc - from);
    return;
  }
  const column = columnHeader(<usize>changetype<ColumnNode>(node).column);
  if (op != OP_EXISTS) {
    const block = changetype<usize>(column) + column.boundsOff + ((<usize>(from / BOUNDS_DOCS)) << 4);
    if (from / BOUNDS_DOCS == (to - 1) / BOUNDS_DOCS && !blockMayMatch(node, column, block)) return;
  }
  const words = ((<usize>(to - from) + 63) >> 6) << 3;
  if (op == OP_EXISTS || (op == OP_RANGE && column.width == 0)) {
    if (op == OP_RANGE && changetype<RangeNode>(node).lo > 0) return;
    orPresence(column, from, to, bits, words);
    return;
  }
  if (op == OP_RANGE && !(column.flags & COLUMN_MULTI) && column.flags & (COLUMN_DENSE | COLUMN_DIRECT)) {
    rangeFill(changetype<RangeNode>(node), column, from, to, bits);
    return;
  }
  for (let doc = from; doc < to; doc++) if (columnMatches(node, doc)) setBit(bits, doc - from);
}

function orPresence(column: Column, from: u32, to: u32, bits: usize, words: usize): void {
  if (column.flags & COLUMN_DENSE) {
    for (let doc = from; doc < to; doc++) setBit(bits, doc - from);
    return;
  }
  const presence = changetype<usize>(column) + column.presenceOff + (from >> 3);
  for (let off: usize = 0; off < words; off += 8) store<u64>(bits + off, load<u64>(bits + off) | load<u64>(presence + off));
}

/** One slot per document: compares 64 stored values at a time and writes one word for them. */
function rangeFill(node: RangeNode, column: Column, from: u32, to: u32, bits: usize): void {
  const width = column.width;
  const values = changetype<usize>(column) + column.valuesOff;
  const all = width == 8 ? u64.MAX_VALUE : ((<u64>1) << (<u64>width << 3)) - 1;
  if (node.lo > all) return;
  const lo = node.lo;
  const span = min<u64>(node.hi, all) - lo;
  const full = (column.flags & COLUMN_DENSE) != 0;
  const presence = changetype<usize>(column) + column.presenceOff;
  for (let doc = from; doc < to; doc += 64, bits += 8) {
    const count = min<u32>(64, to - doc);
    let word: u64 = 0;
    if (width == 1) {
      for (let i: u32 = 0; i < count; i++) word |= <u64>((<u64>load<u8>(values + doc + i) - lo) <= span) << i;
    } else if (width == 2) {
      for (let i: u32 = 0; i < count; i++) word |= <u64>((<u64>load<u16>(values + ((<usize>(doc + i)) << 1)) - lo) <= span) << i;
    } else if (width == 4) {
      for (let i: u32 = 0; i < count; i++) word |= <u64>((<u64>load<u32>(values + ((<usize>(doc + i)) << 2)) - lo) <= span) << i;
    } else {
      for (let i: u32 = 0; i < count; i++) word |= <u64>((load<u64>(values + ((<usize>(doc + i)) << 3)) - lo) <= span) << i;
    }
    if (!full) word &= load<u64>(presence + (doc >> 3));
    store<u64>(bits, load<u64>(bits) | word);
  }
}

export function columnFilter(node: Node, docs: usize, count: u32): u32 {
  let out = docs;
  for (let at = docs, end = docs + ((<usize>count) << 2); at < end; at += 4) {
    const doc = load<u32>(at);
    store<u32>(out, doc);
    out += (<usize>columnMatches(node, doc)) << 2;
  }
  return <u32>((out - docs) >> 2);
}
