// Plan nodes as the host encodes them (src/plan/encode.ts) and the buffers of a window's matches.

import { allocateTemp, WINDOW_DOCS } from './context';

export const OP_NONE: u32 = 0;
export const OP_ALL: u32 = 1;
export const OP_TERM: u32 = 2;
export const OP_SYNONYM: u32 = 3;
export const OP_ANY_TERM: u32 = 4;
export const OP_PHRASE: u32 = 5;
export const OP_BOOL: u32 = 6;
export const OP_DIS_MAX: u32 = 7;
export const OP_CONSTANT: u32 = 8;
export const OP_BOOST: u32 = 9;
export const OP_RANGE: u32 = 10;
export const OP_RANGE_F64: u32 = 11;
export const OP_IN: u32 = 12;
export const OP_IN_F64: u32 = 13;
export const OP_EXISTS: u32 = 14;
export const OP_EXISTS_NORM: u32 = 15;
export const OP_BITSET: u32 = 16;
export const OP_DOCS: u32 = 17;
export const OP_GEO_BOX: u32 = 18;
export const OP_GEO_DISTANCE: u32 = 19;
export const OP_NESTED: u32 = 20;
export const OP_TERM_RANGE: u32 = 21;

/** Scores of this node are wanted. */
export const NODE_SCORES: u32 = 1;

/** 112 bytes at a multiple of 16; all words are set by the host, those without a meaning for the op to 0. */
// @ts-ignore: decorator
@unmanaged
export class Node {
  op: u32;
  flags: u32;
  /** Addresses of child nodes, u32[childCount]. */
  children: u32;
  childCount: u32;
  /** Estimate of the matching documents. */
  cost: u32;
  /** The op's state, set by `nodeOpen`. */
  state: u32;
  /** TERM, PHRASE, SYNONYM, ANY_TERM: flags of the postings (format.ts). BOOL: number of required clauses. Others: see their files. */
  a: u32;
  b: u32;
  c: u32;
  d: u32;
  /** Address of the norms or 0, address of normInverse f32[256] or 0 (no scores). */
  norms: u32;
  normInverse: u32;
  /** Weight, constant score, factor, tie breaker. */
  weight: f32;
  /** Address of the column or bitset or list. */
  data: u32;
  lo: u64;
  hi: u64;
  x: f64;
  y: f64;
  /** Upper bound of the whole term's score once known, as f32; < 0 before. */
  bound: f32;
  /** Block where the last search for a bound ended. */
  boundBlock: u32;
  e: u32;
  f: u32;
}

export const NODE_BYTES: usize = 112;

// @ts-ignore: decorator
@inline
export function nodeChild(node: Node, i: u32): Node {
  return changetype<Node>(<usize>load<u32>(<usize>node.children + ((<usize>i) << 2)));
}

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

/** A bit per document of a window. */
export const WINDOW_SET_BYTES: usize = WINDOW_DOCS >> 3;
/** The same with room for a word behind it, read and written by loops that look ahead. */
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

/** Turns bits into a list. */
export function windowToList(w: Window, from: u32): void {
  if (w.isList) return;
  w.isList = 1;
  w.count = listBits(w.bits, from, w.docs);
}

/** DocIds of a window's bits; returns how many. */
export function listBits(bits: usize, from: u32, docs: usize): u32 {
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

/** Keeps the documents of a list whose bit in a bitset over all documents is set; returns how many. */
export function filterByBitset(bitset: usize, docs: usize, count: u32): u32 {
  let out = docs;
  for (let at = docs, end = docs + ((<usize>count) << 2); at < end; at += 4) {
    const doc = load<u32>(at);
    store<u32>(out, doc);
    out += (<usize>testBit(bitset, doc)) << 2;
  }
  return <u32>((out - docs) >> 2);
}
