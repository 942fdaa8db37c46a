// Finds an order of a segment's documents that puts similar ones next to each other, by recursive graph bisection: gaps between documents become small,
// and blocks with high scores few. The host lays the state out and drives it (src/wasm/bisect.ts); reorder.ts rewrites the segment.
//   keys u64[maxDoc], the documents in their present order: order-preserving bits of the last f32 bias << 32 | docId
//   docTerms u16[], the frequent terms of document d at starts[d]..starts[d + 1]
// A range of documents is split in two halves. A document's bias is the number of bits that its terms save in the right half, compared with the left one:
// the sum of log2(documents with the term on the right + 1) - log2(.. on the left + 1). The first halves are by the bias in the range before. The documents with the least bias make the left half; this
// is repeated until no document changes sides. A document changes sides only for a gain that grows with each round, so that the rounds end. Then the
// halves are split in the same way, down to LEAF_DOCS, which are ordered by docId. All of it is deterministic.
// Source: Dhulipala, Kabiljo, Karrer, Ottaviano, Pupyrev, Shalita, "Compressing graphs and indexes with recursive graph bisection" (2016); the
// gain and the growing threshold: Mackenzie, Petri, Moffat, "Faster index reordering with bipartite graph partitioning" (2021).
import { CURSOR_BYTES, cursorNext as nextDoc, cursorOpen as openPostings } from '../postings/cursor';
import { NO_MORE_DOCS } from '../postings/format';
import { TERMS_CURSOR_BYTES, TermsCursor, cursorNext, cursorOpen } from '../terms/cursor';
import { TermsHeader } from '../terms/dictionary';

/** Ranges of at most this many documents are not split. */
export const LEAF_DOCS: u32 = 32;
/** Rounds for a range at most. */
export const MAX_ROUNDS: u32 = 12;
/** Entries of Bisect.logs; logarithms of greater numbers are taken from their upper bits. */
export const LOG_ENTRIES: u32 = 4096;
/** Ranges that wait to be split at a time, at most: one for each level. */
export const MAX_RANGES: u32 = 64;

// @ts-ignore: decorator
@unmanaged
export class Bisect {
  // Written by the host, which clears the record first.
  maxDoc: u32;
  /** Terms with fewer documents are left out. */
  leastDocs: u32;
  /** u64[maxDoc] */
  keys: usize;
  /** u32[maxDoc + 2], zeroed. */
  starts: usize;
  /** u16[entries] */
  docTerms: usize;
  /** u32[terms] each, zeroed: documents with the term in the left and in the right half. */
  left: usize;
  right: usize;
  /** f32[terms] */
  biases: usize;
  /** u16[terms]: terms of the range. */
  seen: usize;
  /** f32[LOG_ENTRIES]: log2(i), 0 for 0. */
  logs: usize;
  /** u32[2 * MAX_RANGES] */
  ranges: usize;

  // State.
  terms: u32;
  rangeCount: u32;
  phase: u32;
  /** The range, its middle, and the next document of the phase. */
  lo: u32;
  middle: u32;
  hi: u32;
  at: u32;
  round: u32;
  moved: u32;
  seenCount: u32;
}

const PHASE_NEXT: u32 = 0;
const PHASE_COUNT: u32 = 1;
const PHASE_GAIN: u32 = 2;
const PHASE_SPLIT: u32 = 3;
const PHASE_MOVE: u32 = 4;

/** The number of terms with at least `leastDocs` documents, and of their postings: outPtr u32, f64 at outPtr + 8. `work`: bisectTermsBytes. */
export function bisectMeasure(dictionary: usize, leastDocs: u32, work: usize, outPtr: usize): void {
  const cursor = openTerms(dictionary, 0, work);
  let terms: u32 = 0;
  let postings: f64 = 0;
  while (cursorNext(cursor)) {
    if (cursor.docFreq < leastDocs) continue;
    terms++;
    postings += <f64>cursor.docFreq;
  }
  store<u32>(outPtr, terms);
  store<f64>(outPtr, postings, 8);
}

/** Bytes of work memory for walking a dictionary. */
export function bisectTermsBytes(longestTerm: u32): usize {
  return TERMS_CURSOR_BYTES + CURSOR_BYTES + (<usize>longestTerm) + 32;
}

function openTerms(dictionary: usize, ord: u32, work: usize): TermsCursor {
  const cursor = changetype<TermsCursor>(work);
  cursorOpen(cursor, dictionary, ord, work + TERMS_CURSOR_BYTES + CURSOR_BYTES);
  return cursor;
}

/**
 * Goes through the postings of a field's frequent terms with ordinals [from, to). Without `fill` it counts each document's terms in starts[docId + 2];
 * with `fill`, after `bisectStarts`, it writes them. `flags`: FIELD_* of the postings. Terms are numbered from state.terms on.
 */
export function bisectAdd(ptr: usize, dictionary: usize, flags: u32, from: u32, to: u32, fill: bool, work: usize): void {
  const state = changetype<Bisect>(ptr);
  const cursor = openTerms(dictionary, from, work);
  const postings = work + TERMS_CURSOR_BYTES;
  const starts = state.starts;
  while (cursor.next < to && cursorNext(cursor)) {
    if (cursor.docFreq < state.leastDocs) continue;
    const term = state.terms;
    state.terms = term + 1;
    openPostings(postings, cursor.postingsPtr, cursor.docFreq, flags, 0);
    for (let doc = nextDoc(postings); doc != NO_MORE_DOCS; doc = nextDoc(postings)) {
      const slot = starts + ((<usize>doc) << 2);
      if (fill) {
        const at = load<u32>(slot, 4);
        store<u16>(state.docTerms + ((<usize>at) << 1), <u16>term);
        store<u32>(slot, at + 1, 4);
      } else {
        store<u32>(slot, load<u32>(slot, 8) + 1, 8);
      }
    }
  }
}

/** Turns the counts into places, and begins with all documents as one range. */
export function bisectStarts(ptr: usize): void {
  const state = changetype<Bisect>(ptr);
  let total: u32 = 0;
  for (let i: u32 = 0; i < state.maxDoc + 2; i++) {
    const slot = state.starts + ((<usize>i) << 2);
    total += load<u32>(slot);
    store<u32>(slot, total);
  }
  for (let doc: u32 = 0; doc < state.maxDoc; doc++) store<u64>(state.keys + ((<usize>doc) << 3), <u64>doc);
  state.terms = 0;
  push(state, 0, state.maxDoc);
}

function push(state: Bisect, lo: u32, hi: u32): void {
  const at = state.ranges + ((<usize>state.rangeCount) << 3);
  store<u32>(at, lo);
  store<u32>(at, hi, 4);
  state.rangeCount++;
}

/** Works until about `budget` terms of documents are read. Returns 1 if there is more to do, else 0. */
export function bisectStep(ptr: usize, budget: u32): i32 {
  const state = changetype<Bisect>(ptr);
  let left = <i64>budget;
  while (left > 0) {
    switch (state.phase) {
      case PHASE_NEXT: {
        if (state.rangeCount == 0) return 0;
        left -= <i64>beginRange(state);
        break;
      }
      case PHASE_COUNT: {
        left -= <i64>countTerms(state, left);
        if (state.at == state.hi) beginRound(state);
        break;
      }
      case PHASE_GAIN: {
        left -= <i64>computeKeys(state, left);
        if (state.at == state.hi) state.phase = PHASE_SPLIT;
        break;
      }
      case PHASE_SPLIT: {
        select(state.keys, state.lo, state.hi, state.middle);
        left -= <i64>(state.hi - state.lo);
        state.phase = PHASE_MOVE;
        state.at = state.lo;
        state.moved = 0;
        break;
      }
      default: {
        left -= <i64>moveDocs(state, left);
        if (state.at < state.hi) break;
        state.round++;
        if (state.moved > 0 && state.round < MAX_ROUNDS) beginRound(state);
        else endRange(state);
      }
    }
  }
  return 1;
}

/** Takes the next range: sorts its documents if they are few. Returns the work done. */
function beginRange(state: Bisect): u32 {
  state.rangeCount--;
  const at = state.ranges + ((<usize>state.rangeCount) << 3);
  state.lo = load<u32>(at);
  state.hi = load<u32>(at, 4);
  const count = state.hi - state.lo;
  if (count <= LEAF_DOCS) {
    sortLeaf(state.keys, state.lo, state.hi);
    return count;
  }
  state.middle = state.lo + (count >> 1);
  state.at = state.lo;
  state.round = 0;
  state.seenCount = 0;
  state.phase = PHASE_COUNT;
  // The first halves are by the bias in the range before, or by docId.
  select(state.keys, state.lo, state.hi, state.middle);
  return count;
}

function sortLeaf(keys: usize, lo: u32, hi: u32): void {
  for (let i = lo; i < hi; i++) {
    const doc = <u64><u32>load<u64>(keys + ((<usize>i) << 3));
    let at = i;
    for (; at > lo && load<u64>(keys + ((<usize>at - 1) << 3)) > doc; at--) store<u64>(keys + ((<usize>at) << 3), load<u64>(keys + ((<usize>at - 1) << 3)));
    store<u64>(keys + ((<usize>at) << 3), doc);
  }
}

// @ts-ignore: decorator
@inline
function docAt(state: Bisect, index: u32): u32 {
  return <u32>load<u64>(state.keys + ((<usize>index) << 3));
}

/** Counts the terms of documents from state.at on in their halves. */
function countTerms(state: Bisect, budget: i64): u32 {
  let work: u32 = 0;
  for (; state.at < state.hi && <i64>work < budget; state.at++) {
    const doc = docAt(state, state.at);
    const half = state.at < state.middle ? state.left : state.right;
    const slot = state.starts + ((<usize>doc) << 2);
    const end = state.docTerms + ((<usize>load<u32>(slot, 4)) << 1);
    for (let cur = state.docTerms + ((<usize>load<u32>(slot)) << 1); cur < end; cur += 2, work++) {
      const term = <usize>load<u16>(cur);
      if ((load<u32>(state.left + (term << 2)) | load<u32>(state.right + (term << 2))) == 0) {
        store<u16>(state.seen + ((<usize>state.seenCount) << 1), <u16>term);
        state.seenCount++;
      }
      store<u32>(half + (term << 2), load<u32>(half + (term << 2)) + 1);
    }
    work++;
  }
  return work;
}

function beginRound(state: Bisect): void {
  for (let i: usize = 0, end = (<usize>state.seenCount) << 1; i < end; i += 2) {
    const at = (<usize>load<u16>(state.seen + i)) << 2;
    store<f32>(state.biases + at, log2(state, load<u32>(state.right + at) + 1) - log2(state, load<u32>(state.left + at) + 1));
  }
  state.phase = PHASE_GAIN;
  state.at = state.lo;
}

// @ts-ignore: decorator
@inline
function log2(state: Bisect, value: u32): f32 {
  let shift: u32 = 0;
  while (value >= LOG_ENTRIES) {
    value >>= 1;
    shift++;
  }
  return load<f32>(state.logs + ((<usize>value) << 2)) + <f32>shift;
}

/** Writes the bias of documents from state.at on into their keys; each is shifted towards the half that the document is in. */
function computeKeys(state: Bisect, budget: i64): u32 {
  const biases = state.biases;
  const threshold = <f32>state.round * <f32>0.5;
  let work: u32 = 0;
  for (; state.at < state.hi && <i64>work < budget; state.at++) {
    const doc = docAt(state, state.at);
    const slot = state.starts + ((<usize>doc) << 2);
    const end = state.docTerms + ((<usize>load<u32>(slot, 4)) << 1);
    let bias: f32 = state.at < state.middle ? <f32>0 - threshold : threshold;
    let cur = state.docTerms + ((<usize>load<u32>(slot)) << 1);
    work += <u32>((end - cur) >> 1) + 1;
    for (; cur < end; cur += 2) bias += load<f32>(biases + ((<usize>load<u16>(cur)) << 2));
    const bits = reinterpret<u32>(bias);
    const ordered = bits & 0x80000000 ? ~bits : bits | 0x80000000;
    // Bit 31 of the docId tells that the document was on the right.
    const side: u32 = state.at < state.middle ? 0 : 0x80000000;
    store<u64>(state.keys + ((<usize>state.at) << 3), ((<u64>ordered) << 32) | <u64>(doc | side));
  }
  return work;
}

/** Moves the least keys of [lo, hi) before `middle`. Keys are distinct. */
function select(keys: usize, lo: u32, hi: u32, middle: u32): void {
  let random: u32 = hi;
  while (lo < middle && middle < hi) {
    const count = hi - lo;
    random = random * 1664525 + 1013904223;
    const first = key(keys, lo + (random >> 8) % count);
    random = random * 1664525 + 1013904223;
    const pivot = median(first, key(keys, lo + (random >> 8) % count), key(keys, lo + (count >> 1)));
    let i = lo, j = hi - 1;
    for (;;) {
      while (key(keys, i) < pivot) i++;
      while (key(keys, j) > pivot) j--;
      if (i >= j) break;
      const greater = key(keys, i);
      store<u64>(keys + ((<usize>i) << 3), key(keys, j));
      store<u64>(keys + ((<usize>j) << 3), greater);
      i++;
      j--;
    }
    // i == j: the pivot is at its place. i == j + 1: those before i are at most the pivot, the others at least.
    if (middle < i) hi = i;
    else lo = i == j ? i + 1 : i;
  }
}

// @ts-ignore: decorator
@inline
function key(keys: usize, index: u32): u64 {
  return load<u64>(keys + ((<usize>index) << 3));
}

// @ts-ignore: decorator
@inline
function median(a: u64, b: u64, c: u64): u64 {
  return max<u64>(min<u64>(a, b), min<u64>(max<u64>(a, b), c));
}

/** Counts the terms of documents that have changed sides, from state.at on, in their new half. */
function moveDocs(state: Bisect, budget: i64): u32 {
  let work: u32 = 0;
  for (; state.at < state.hi && <i64>work < budget; state.at++, work++) {
    const at = state.keys + ((<usize>state.at) << 3);
    const entry = load<u64>(at);
    const wasRight = (entry & 0x80000000) != 0;
    store<u64>(at, entry & ~(<u64>0x80000000));
    if (wasRight == state.at >= state.middle) continue;
    state.moved++;
    const from = wasRight ? state.right : state.left, to = wasRight ? state.left : state.right;
    const slot = state.starts + ((<usize><u32>(entry & 0x7fffffff)) << 2);
    const end = state.docTerms + ((<usize>load<u32>(slot, 4)) << 1);
    for (let cur = state.docTerms + ((<usize>load<u32>(slot)) << 1); cur < end; cur += 2, work++) {
      const term = (<usize>load<u16>(cur)) << 2;
      store<u32>(from + term, load<u32>(from + term) - 1);
      store<u32>(to + term, load<u32>(to + term) + 1);
    }
  }
  return work;
}

/** Clears the counts and leaves the halves to be split. */
function endRange(state: Bisect): void {
  for (let i: usize = 0, end = (<usize>state.seenCount) << 1; i < end; i += 2) {
    const at = (<usize>load<u16>(state.seen + i)) << 2;
    store<u32>(state.left + at, 0);
    store<u32>(state.right + at, 0);
  }
  push(state, state.middle, state.hi);
  push(state, state.lo, state.middle);
  state.phase = PHASE_NEXT;
}

/** Fills order u32[maxDoc], the old document of each new one, and docMap, the reverse. */
export function bisectFinish(ptr: usize, order: usize, docMap: usize): void {
  const state = changetype<Bisect>(ptr);
  for (let i: u32 = 0; i < state.maxDoc; i++) {
    const doc = docAt(state, i);
    store<u32>(order + ((<usize>i) << 2), doc);
    store<u32>(docMap + ((<usize>doc) << 2), i);
  }
}
