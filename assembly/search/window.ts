// The matches of a node in one window of documents, as bits or as a list, and operations on both.

import { allocateTemp, WINDOW_DOCS } from './context';

/** The matches of a node in one window, as bits or as a list. */
// @ts-ignore: decorator
@unmanaged
export class Window {
  /** 1: `docs` holds `count` ascending docIds; 0: `bits` holds a bit per document of the window, WINDOW_SET_BYTES. */
  isList: u32;
  count: u32;
  bits: usize;
  docs: usize;
}

/** One bit for each document of a window. */
export const WINDOW_SET_BYTES: usize = WINDOW_DOCS >> 3;
/** WINDOW_SET_BYTES and one more word, which loops that look ahead read and write. */
export const WINDOW_BITS_BYTES: usize = WINDOW_SET_BYTES + 16;
/** Room for every document of a window and 16 more words. */
export const WINDOW_DOCS_BYTES: usize = WINDOW_DOCS * 4 + 64;

export function newWindow(): Window {
  const w = changetype<Window>(allocateTemp(32));
  w.bits = allocateTemp(WINDOW_BITS_BYTES);
  w.docs = allocateTemp(WINDOW_DOCS_BYTES);
  return w;
}

// @ts-ignore: decorator
@inline
export function clearBits(bits: usize): void {
  memory.fill(bits, 0, WINDOW_BITS_BYTES);
}

// @ts-ignore: decorator
@inline
export function setBit(bits: usize, bit: u32): void {
  const at = bits + ((<usize>(bit >> 6)) << 3);
  store<u64>(at, load<u64>(at) | ((<u64>1) << bit));
}

// @ts-ignore: decorator
@inline
export function testBit(bits: usize, bit: u32): bool {
  return ((load<u64>(bits + ((<usize>(bit >> 6)) << 3)) >> bit) & 1) != 0;
}

/** Converts bits to a list. */
export function windowToList(w: Window, from: u32): void {
  if (w.isList) return;
  w.isList = 1;
  w.count = listBits(w.bits, from, w.docs);
}

/** Writes the docIds of a window's bits; returns how many. */
function listBits(bits: usize, from: u32, docs: usize): u32 {
  const start = docs;
  for (const end = bits + WINDOW_SET_BYTES; bits < end; bits += 8, from += 64) {
    for (let word = load<u64>(bits); word != 0; word &= word - 1, docs += 4) store<u32>(docs, from + <u32>ctz<u64>(word));
  }
  return <u32>((docs - start) >> 2);
}

export function windowToBits(w: Window, from: u32): void {
  if (!w.isList) return;
  w.isList = 0;
  clearBits(w.bits);
  orList(w.bits, w.docs, w.count, from);
}

export function orList(bits: usize, docs: usize, count: u32, from: u32): void {
  for (const end = docs + ((<usize>count) << 2); docs < end; docs += 4) setBit(bits, load<u32>(docs) - from);
}

export function orBits(into: usize, bits: usize): void {
  for (let off: usize = 0; off < WINDOW_SET_BYTES; off += 16) v128.store(into + off, v128.or(v128.load(into + off), v128.load(bits + off)));
}

export function andBits(into: usize, bits: usize): void {
  for (let off: usize = 0; off < WINDOW_SET_BYTES; off += 16) v128.store(into + off, v128.and(v128.load(into + off), v128.load(bits + off)));
}

export function andNotBits(into: usize, bits: usize): void {
  for (let off: usize = 0; off < WINDOW_SET_BYTES; off += 16) v128.store(into + off, v128.andnot(v128.load(into + off), v128.load(bits + off)));
}

export function countBits(bits: usize): u32 {
  let count: u64 = 0;
  for (const end = bits + WINDOW_SET_BYTES; bits < end; bits += 8) count += popcnt<u64>(load<u64>(bits));
  return <u32>count;
}

/** Copies the bits [from, to) of a bitset over all documents into a window's bits. */
export function copyBits(bits: usize, bitset: usize, from: u32, to: u32): void {
  clearBits(bits);
  memory.copy(bits, bitset + (from >> 3), ((<usize>(to - from) + 63) >> 6) << 3);
}

/** Keeps the documents of a list whose bit is set in a bitset over all documents; returns how many. */
export function filterByBitset(bitset: usize, docs: usize, count: u32): u32 {
  let out = docs;
  for (let at = docs, end = docs + ((<usize>count) << 2); at < end; at += 4) {
    const doc = load<u32>(at);
    store<u32>(out, doc);
    out += (<usize>testBit(bitset, doc)) << 2;
  }
  return <u32>((out - docs) >> 2);
}
