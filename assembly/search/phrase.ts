// Phrase node: documents that have terms at given places, and how often.
//   children  TERM nodes, all of one field, position by position │ a number of positions │ b slop
//   data      per position: place u32, first child u32, number of children u32 (several: any of them)
//   norms, normInverse, weight as in a term; cost = least docFreq of a position
// Exact (slop 0): the starts, positions of the rarest term minus its place, are narrowed by each other term.
// Sloppy: sloppy-phrase.ts. Freqs of the last window's candidates are kept for scoring.
// Where many documents of a block are candidates its gaps are decoded at once, else one document's positions are skipped to ("of the" on
// 675 k documents: 300 ns a candidate by skipping alone).

import { cursorFreqs, cursorLoadDocs, cursorLoadFreqs, cursorSeekBlock, cursorDocs, cursorSkipPositions, PostingsCursor } from '../postings/cursor';
import { NO_MORE_DOCS, WITH_OFFSETS } from '../postings/format';
import { readVint, vintBytes } from '../codec/vint';
import { allocate, allocateTemp, countScored, releaseTemp, tempMark, WINDOW_DOCS } from './context';
import { Node, NODE_SCORES, nodeChild, setBit, testBit, Window, WINDOW_BITS_BYTES, clearBits, windowToList } from './node';
import { bm25 } from './similarity';
import { sloppyFreq, sloppyOpen } from './sloppy-phrase';
import {
  findInBits,
  matchMask,
  nextBlock,
  skipTo,
  termBlockOften,
  termBound,
  termCursor,
  termFill,
  termFilter,
  termKeepOften,
  termNext,
  termOpen,
  termWindow,
} from './term';

/** One position of the phrase, sorted by rareness. */
// @ts-ignore: decorator
@unmanaged
export class Place {
  place: u32;
  firstChild: u32;
  childCount: u32;
  cost: u32;
  /** Positions of the document at hand: u32[count], then 16 words of NO_MORE_DOCS. */
  positions: usize;
  count: u32;
  /** Positions that fit. */
  capacity: u32;
  /** Index in the query. */
  source: u32;
  /** Freq in the document that was located last. */
  freq: u32;
  /**
   * A place of one term, its current block decoded as a whole: block number + 1; sums u32[] of all gaps so far in the block, one 0 ahead of
   * them; per document where its sums begin u32[128]. A position is its sum minus the one before its document's first.
   */
  prepared: u32;
  sums: usize;
  sumsCapacity: u32;
  starts: usize;
  /** Index in the block of the located document. */
  index: u32;
  /** Its positions plus `bias`, ascending u32[freq]. */
  list: usize;
  bias: u32;
}
export const PLACE_BYTES: usize = 80;

// @ts-ignore: decorator
@unmanaged
export class PhraseState {
  /** Place[node.a], rarest first. */
  places: usize;
  /** Candidates of the last filter that matched: docIds and freqs f32. */
  docs: usize;
  freqs: usize;
  count: u32;
  sloppy: u32;
  /** Possible starts of the phrase in a document, u32[startsCapacity]. */
  starts: usize;
  startsCapacity: u32;
}

// @ts-ignore: decorator
@inline
export function phraseState(node: Node): PhraseState {
  return changetype<PhraseState>(<usize>node.state);
}

// @ts-ignore: decorator
@inline
export function phrasePlace(state: PhraseState, i: u32): Place {
  return changetype<Place>(state.places + <usize>i * PLACE_BYTES);
}

export function phraseOpen(node: Node): void {
  for (let i: u32 = 0; i < node.childCount; i++) termOpen(nodeChild(node, i));
  const state = changetype<PhraseState>(allocate(48));
  node.state = <u32>changetype<usize>(state);
  state.places = allocate(<usize>node.a * PLACE_BYTES);
  for (let i: u32 = 0; i < node.a; i++) {
    const source = <usize>node.data + <usize>i * 12;
    const first = load<u32>(source, 4);
    const count = load<u32>(source, 8);
    let cost: u32 = 0;
    for (let child = first; child < first + count; child++) cost += nodeChild(node, child).b;
    // Insertion sort by cost, stable.
    let at = i;
    for (; at > 0 && phrasePlace(state, at - 1).cost > cost; at--) {
      memory.copy(state.places + <usize>at * PLACE_BYTES, state.places + <usize>(at - 1) * PLACE_BYTES, PLACE_BYTES);
    }
    const place = phrasePlace(state, at);
    place.place = load<u32>(source);
    place.firstChild = first;
    place.childCount = count;
    place.cost = cost;
    place.capacity = 0;
    place.source = i;
    place.prepared = 0;
    place.sumsCapacity = 0;
    place.starts = allocate(512);
    place.positions = 0;
  }
  state.docs = allocate(WINDOW_DOCS * 4);
  state.freqs = allocate(WINDOW_DOCS * 4);
  state.count = 0;
  state.startsCapacity = 0;
  state.sloppy = node.b > 0 ? <u32>sloppyOpen(node, state) : 0;
}

export function phraseNext(node: Node, target: u32): u32 {
  const state = phraseState(node);
  for (let rounds = 0; rounds < 8; rounds++) {
    const start = target;
    for (let i: u32 = 0; i < node.a; i++) {
      const place = phrasePlace(state, i);
      let next: u32 = NO_MORE_DOCS;
      for (let child: u32 = 0; child < place.childCount; child++) next = min(next, termNext(nodeChild(node, place.firstChild + child), target));
      if (next == NO_MORE_DOCS) return next;
      target = next;
    }
    if (target == start) break;
  }
  return target;
}

/** Documents of the window that have a term at every place, whatever its position. */
export function phraseCandidates(node: Node, from: u32, to: u32, w: Window): void {
  const state = phraseState(node);
  const lead = phrasePlace(state, 0);
  if (lead.childCount == 1) {
    termWindow(nodeChild(node, lead.firstChild), from, to, w);
  } else {
    w.isList = 0;
    clearBits(w.bits);
    for (let i: u32 = 0; i < lead.childCount; i++) termFill(nodeChild(node, lead.firstChild + i), from, to, w.bits);
  }
  if (node.a > 1 && !w.isList && phrasePlace(state, 1).childCount == 1) {
    // Both frequent: bits against bits.
    const second = nodeChild(node, phrasePlace(state, 1).firstChild);
    const mark = tempMark();
    const bits = allocateTemp(WINDOW_BITS_BYTES);
    clearBits(bits);
    termFill(second, from, to, bits);
    for (let off: usize = 0; off < 512; off += 16) v128.store(w.bits + off, v128.and(v128.load(w.bits + off), v128.load(bits + off)));
    releaseTemp(mark);
    windowToList(w, from);
    for (let i: u32 = 2; i < node.a && w.count; i++) w.count = filterPlace(node, phrasePlace(state, i), w.docs, w.count);
    return;
  }
  windowToList(w, from);
  for (let i: u32 = 1; i < node.a && w.count; i++) w.count = filterPlace(node, phrasePlace(state, i), w.docs, w.count);
}

function filterPlace(node: Node, place: Place, docs: usize, count: u32): u32 {
  if (place.childCount == 1) return termFilter(nodeChild(node, place.firstChild), docs, count);
  const mark = tempMark();
  const bits = allocateTemp(WINDOW_BITS_BYTES);
  const some = allocateTemp(WINDOW_DOCS * 4);
  const from = load<u32>(docs) & ~(WINDOW_DOCS - 1);
  clearBits(bits);
  for (let i: u32 = 0; i < place.childCount; i++) {
    memory.copy(some, docs, (<usize>count) << 2);
    const matched = termFilter(nodeChild(node, place.firstChild + i), some, count);
    for (let j: usize = 0; j < <usize>matched << 2; j += 4) setBit(bits, load<u32>(some + j) - from);
  }
  let kept: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    const doc = load<u32>(docs + i);
    store<u32>(docs + ((<usize>kept) << 2), doc);
    kept += <u32>testBit(bits, doc - from);
  }
  releaseTemp(mark);
  return kept;
}

export function phraseWindow(node: Node, from: u32, to: u32, w: Window, minScore: f32): void {
  if (minScore > 0 && mayPruneByFreqs(node)) candidatesAbove(node, from, to, w, minScore);
  else phraseCandidates(node, from, to, w);
  w.isList = 1;
  w.count = checkPhrase(node, w.docs, w.count, minScore);
}

/** Whether each place of an exact, scoring phrase is one term: the phrase occurs at most as often as each. */
function mayPruneByFreqs(node: Node): bool {
  return node.b == 0 && (node.flags & NODE_SCORES) != 0 && node.normInverse != 0 && node.childCount == node.a;
}

/** Candidates of the window that could score more than `minScore` if each occurrence of any of their terms were one of the phrase. */
function candidatesAbove(node: Node, from: u32, to: u32, w: Window, minScore: f32): void {
  const state = phraseState(node);
  w.isList = 1;
  w.count = 0;
  if (minScore >= node.weight) return;
  // score > minScore where freq * normInverse > minScore / (weight - minScore); a little less asked, for rounding.
  const least = <f32>((<f64>minScore / (<f64>node.weight - <f64>minScore)) * 0.99999);
  const inverse = <usize>node.normInverse;
  const lead = nodeChild(node, phrasePlace(state, 0).firstChild);
  const c = termCursor(lead);
  let out = w.docs;
  for (let more = cursorSeekBlock(c, from); more && c.base < to; more = nextBlock(c)) {
    const first = max<u32>(c.base, from);
    const end = min<u32>(c.lastDoc + 1, to);
    let bound: f32 = node.weight;
    for (let i: u32 = 0; i < node.a && bound > minScore; i++) {
      bound = min(bound, termBound(nodeChild(node, phrasePlace(state, i).firstChild), first, end, node.weight, inverse));
    }
    if (bound > minScore) out += (<usize>termBlockOften(lead, first, end, inverse, least, out)) << 2;
  }
  w.count = <u32>((out - w.docs) >> 2);
  for (let i: u32 = 1; i < node.a && w.count; i++) {
    w.count = termKeepOften(nodeChild(node, phrasePlace(state, i).firstChild), w.docs, w.count, inverse, least);
  }
}

export function phraseFilter(node: Node, docs: usize, count: u32): u32 {
  const state = phraseState(node);
  for (let i: u32 = 0; i < node.a && count; i++) count = filterPlace(node, phrasePlace(state, i), docs, count);
  return checkPhrase(node, docs, count, -1);
}

/**
 * Keeps of the candidates those with the phrase and remembers their freqs (1 where no scores are wanted).
 * Documents that could not score more than `minScore` even if every occurrence of the rarest term were one of the phrase are dropped.
 */
function checkPhrase(node: Node, docs: usize, count: u32, minScore: f32): u32 {
  const state = phraseState(node);
  const scores = (node.flags & NODE_SCORES) != 0;
  let kept: usize = 0;
  for (let i: usize = 0, end = (<usize>count) << 2; i < end; i += 4) {
    const doc = load<u32>(docs + i);
    const ahead = i + DENSE_BYTES < end ? load<u32>(docs + i + DENSE_BYTES) : NO_MORE_DOCS;
    if (!locateAll(node, state, doc, ahead)) continue;
    if (minScore >= 0 && scores && boundOfLocated(node, state, doc) <= minScore) continue;
    const freq = freqOfLocated(node, state, doc, scores);
    if (freq == 0) continue;
    store<u32>(docs + kept, doc);
    store<u32>(state.docs + kept, doc);
    store<f32>(state.freqs + kept, freq);
    kept += 4;
  }
  state.count = <u32>(kept >> 2);
  return state.count;
}

/** A block is decoded as a whole when that many candidates (times 4) more are in it. */
const DENSE_BYTES: usize = 12 << 2;

/** Finds the document in every place's postings; `ahead` is a candidate some places further on. */
function locateAll(node: Node, state: PhraseState, doc: u32, ahead: u32): bool {
  for (let i: u32 = 0; i < node.a; i++) if (!locate(node, phrasePlace(state, i), doc, ahead)) return false;
  return true;
}

function locate(node: Node, place: Place, doc: u32, ahead: u32): bool {
  if (place.childCount > 1) {
    place.freq = 0;
    for (let child: u32 = 0; child < place.childCount; child++) {
      const c = termCursor(nodeChild(node, place.firstChild + child));
      const index = seekDoc(c, doc);
      if (index < 0) continue;
      cursorLoadFreqs(c);
      place.freq += load<u32>(cursorFreqs(c) + ((<usize>index) << 2));
    }
    return place.freq > 0;
  }
  const c = termCursor(nodeChild(node, place.firstChild));
  if (place.prepared == c.block + 1 && c.docsReady && c.freqsReady && doc <= c.lastDoc && doc >= c.base) {
    const block = cursorDocs(c);
    let index = <usize>place.index;
    if (load<u32>(block + (index << 2)) > doc) index = 0;
    while (load<u32>(block + (index << 2)) < doc) index++;
    if (load<u32>(block + (index << 2)) != doc) return false;
    place.index = <u32>index;
    place.freq = load<u32>(cursorFreqs(c) + (index << 2));
    return true;
  }
  const index = seekDoc(c, doc);
  if (index < 0) return false;
  place.prepared = 0;
  if (ahead <= c.lastDoc && !(c.flags & WITH_OFFSETS)) prepare(place, c);
  else cursorLoadFreqs(c);
  place.index = <u32>index;
  place.freq = load<u32>(cursorFreqs(c) + ((<usize>index) << 2));
  return true;
}

/** Decodes documents, freqs and all gaps of the current block. */
function prepare(place: Place, c: PostingsCursor): void {
  cursorLoadDocs(c);
  cursorLoadFreqs(c);
  const freqs = cursorFreqs(c);
  let sum: u32 = 0;
  for (let i: usize = 0, end = (<usize>c.count) << 2; i < end; i += 4) {
    store<u32>(place.starts + i, sum);
    sum += load<u32>(freqs + i);
  }
  if (sum > place.sumsCapacity) {
    place.sumsCapacity = max<u32>(1024, sum * 2);
    place.sums = allocate(((<usize>place.sumsCapacity) << 2) + 80) + 16;
  }
  if (c.positionsIndex != 0) cursorSkipPositions(c, 0);
  const greatest = decodeNumbers(c.positionsCur, place.sums, sum);
  // The sums must stay below 2^31.
  if (<u64>greatest * <u64>sum >= 0x7fffffff) return;
  store<u32>(place.sums - 4, 0);
  addUp(place.sums, sum);
  v128.store(place.sums + ((<usize>sum) << 2), i32x4.splat(0x7fffffff));
  place.prepared = c.block + 1;
}

/** Decodes `count` vints to u32[]; runs of one-byte numbers 16 at a time. Writes up to 64 bytes past the last. Returns a bound of all numbers. */
function decodeNumbers(cur: usize, out: usize, count: u32): u32 {
  let bound: u32 = 0x7f;
  const end = out + ((<usize>count) << 2);
  while (out < end) {
    const bytes = v128.load(cur);
    const low = i16x8.extend_low_i8x16_u(bytes);
    const high = i16x8.extend_high_i8x16_u(bytes);
    v128.store(out, i32x4.extend_low_i16x8_u(low));
    v128.store(out, i32x4.extend_high_i16x8_u(low), 16);
    v128.store(out, i32x4.extend_low_i16x8_u(high), 32);
    v128.store(out, i32x4.extend_high_i16x8_u(high), 48);
    const long = <u32>i8x16.bitmask(bytes);
    const singles = long ? <usize>ctz<u32>(long) : 16;
    out += singles << 2;
    cur += singles;
    if (singles == 16 || out >= end) continue;
    const value = readVint(cur);
    cur += vintBytes(value);
    store<u32>(out, value);
    bound |= value;
    out += 4;
  }
  return bound;
}

/** Replaces numbers by the sums up to them; up to 3 numbers past the last are spoilt. */
function addUp(at: usize, count: u32): void {
  const zero = i32x4.splat(0);
  let sum = zero;
  for (const end = at + ((<usize>count) << 2); at < end; at += 16) {
    let value = v128.load(at);
    value = i32x4.add(value, v128.shuffle<i8>(zero, value, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
    value = i32x4.add(value, v128.shuffle<i8>(zero, value, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23));
    sum = i32x4.add(value, v128.shuffle<i32>(sum, sum, 3, 3, 3, 3));
    v128.store(at, sum);
  }
}

/** Score of the located document if the phrase occurred as often as its rarest term there; a sloppy one at most begins at each position of each term. */
function boundOfLocated(node: Node, state: PhraseState, doc: u32): f32 {
  let least: u32 = u32.MAX_VALUE;
  let sum: u32 = 0;
  for (let i: u32 = 0; i < node.a; i++) {
    const freq = phrasePlace(state, i).freq;
    least = min(least, freq);
    sum += freq;
  }
  const norm = node.norms ? <usize>load<u8>(<usize>node.norms + doc) : 1;
  return bm25(node.weight, <f32>(node.b > 0 ? sum : least), load<f32>(<usize>node.normInverse + (norm << 2)));
}

/** Phrase freq of the located document; without `all` 1 if it is there. */
function freqOfLocated(node: Node, state: PhraseState, doc: u32, all: bool): f32 {
  if (node.b == 0) return exactFreq(node, state, doc, all);
  for (let i: u32 = 0; i < node.a; i++) {
    const place = phrasePlace(state, i);
    loadPlace(node, place, doc);
    if (place.prepared) copyPositions(place);
  }
  return sloppyFreq(node, state, all);
}

function exactFreq(node: Node, state: PhraseState, doc: u32, all: bool): f32 {
  const lead = phrasePlace(state, 0);
  loadPlace(node, lead, doc);
  if (lead.freq > state.startsCapacity) {
    state.startsCapacity = max<u32>(256, lead.freq * 2);
    state.starts = allocate((<usize>state.startsCapacity) << 2);
  }
  // Positions of the lead's term, narrowed place by place to those of a phrase.
  let starts = lead.list;
  let count = lead.freq;
  for (let i: u32 = 1; i < node.a; i++) {
    const place = phrasePlace(state, i);
    loadPlace(node, place, doc);
    count = narrow(starts, count, state.starts, place, place.place - lead.place - lead.bias + place.bias, all || i + 1 < node.a);
    if (count == 0) return 0;
    starts = state.starts;
  }
  return <f32>count;
}

/**
 * Writes to `out` (may be `starts`) those starts with start + shift in the place's list, returns how many. Without `all` the first hit ends it.
 * A prepared list is followed by the sums of the next documents, which are not less than its last.
 */
function narrow(starts: usize, count: u32, out: usize, place: Place, shift: u32, all: bool): u32 {
  const first = out;
  let list = place.list;
  const last = <i32>load<u32>(list + ((<usize>place.freq - 1) << 2));
  for (const end = starts + ((<usize>count) << 2); starts < end; starts += 4) {
    const start = load<u32>(starts);
    const wanted = <i32>(start + shift);
    if (wanted > last) break;
    while (<i32>load<u32>(list, 12) < wanted) list += 16;
    if (!v128.any_true(i32x4.eq(v128.load(list), i32x4.splat(wanted)))) continue;
    if (!all) return 1;
    store<u32>(out, start);
    out += 4;
  }
  return <u32>((out - first) >> 2);
}

/** Makes place.list the located document's positions. */
function loadPlace(node: Node, place: Place, doc: u32): void {
  if (place.prepared) {
    const at = load<u32>(place.starts + ((<usize>place.index) << 2));
    place.list = place.sums + ((<usize>at) << 2);
    place.bias = load<u32>(place.list - 4);
    return;
  }
  place.count = 0;
  ensurePositions(place, place.freq);
  if (place.childCount == 1) {
    const c = termCursor(nodeChild(node, place.firstChild));
    if (place.index != c.positionsIndex) cursorSkipPositions(c, place.index);
    readPositions(c, place.positions, place.freq);
    place.count = place.freq;
  } else {
    for (let child: u32 = 0; child < place.childCount; child++) {
      const c = termCursor(nodeChild(node, place.firstChild + child));
      const index = seekDoc(c, doc);
      if (index < 0) continue;
      const freq = load<u32>(cursorFreqs(c) + ((<usize>index) << 2));
      if (<u32>index != c.positionsIndex) cursorSkipPositions(c, <u32>index);
      readPositions(c, place.positions + ((<usize>place.count) << 2), freq);
      place.count += freq;
    }
    sortPositions(place.positions, place.count);
  }
  v128.store(place.positions + ((<usize>place.count) << 2), i32x4.splat(0x7fffffff));
  place.list = place.positions;
  place.bias = 0;
}

/** Sloppy phrases walk plain positions. */
function copyPositions(place: Place): void {
  place.count = 0;
  ensurePositions(place, place.freq);
  for (let i: usize = 0, end = (<usize>place.freq) << 2; i < end; i += 4) {
    store<u32>(place.positions + i, load<u32>(place.list + i) - place.bias);
  }
  place.count = place.freq;
}

/** Index of the document in its block, which becomes current; -1 if the term is not in it. */
// @ts-ignore: decorator
@inline
function seekDoc(c: PostingsCursor, doc: u32): i32 {
  if (!cursorSeekBlock(c, doc)) return -1;
  if (c.bitsPtr) return findInBits(c, doc);
  cursorLoadDocs(c);
  const block = cursorDocs(c);
  const j = skipTo(block, 0, doc);
  const mask = matchMask(block, j, doc);
  return mask ? <i32>j + <i32>ctz<u32>(mask) : -1;
}

function ensurePositions(place: Place, count: u32): void {
  if (count <= place.capacity) return;
  const capacity = max<u32>(256, count * 2);
  const positions = allocate((<usize>capacity) * 4 + 64);
  memory.copy(positions, place.positions, (<usize>place.count) << 2);
  place.positions = positions;
  place.capacity = capacity;
}

function readPositions(c: PostingsCursor, out: usize, freq: u32): void {
  let cur = c.positionsCur;
  let position: u32 = 0;
  const offsets = (c.flags & WITH_OFFSETS) != 0;
  for (const end = out + ((<usize>freq) << 2); out < end; out += 4) {
    const gap = readVint(cur);
    cur += gap < 0x80 ? 1 : <usize>vintBytes(gap);
    position += gap;
    store<u32>(out, position);
    if (!offsets) continue;
    cur += vintBytes(readVint(cur));
    cur += vintBytes(readVint(cur));
  }
}

/** Insertion sort: the lists of a few terms, each ascending already. */
function sortPositions(positions: usize, count: u32): void {
  for (let i: usize = 4; i < <usize>count << 2; i += 4) {
    const value = load<u32>(positions + i);
    let at = i;
    for (; at > 0 && load<u32>(positions + at - 4) > value; at -= 4) store<u32>(positions + at, load<u32>(positions + at - 4));
    store<u32>(positions + at, value);
  }
}

/** Scores of documents that the last filter or window let through. */
export function phraseScore(node: Node, docs: usize, count: u32, scores: usize): void {
  const state = phraseState(node);
  if (!node.normInverse) {
    memory.fill(scores, 0, (<usize>count) << 2);
    return;
  }
  countScored(count);
  let known: usize = 0;
  const knownEnd = (<usize>state.count) << 2;
  for (let i: usize = 0, end = (<usize>count) << 2; i < end; i += 4) {
    const doc = load<u32>(docs + i);
    while (known < knownEnd && load<u32>(state.docs + known) < doc) known += 4;
    let freq: f32;
    if (known < knownEnd && load<u32>(state.docs + known) == doc) freq = load<f32>(state.freqs + known);
    else freq = locateAll(node, state, doc, NO_MORE_DOCS) ? freqOfLocated(node, state, doc, true) : 0;
    const norm = node.norms ? <usize>load<u8>(<usize>node.norms + doc) : 1;
    store<f32>(scores + i, freq > 0 ? bm25(node.weight, freq, load<f32>(<usize>node.normInverse + (norm << 2))) : 0);
  }
}

/** The exact phrase occurs at most as often as each of its terms. */
export function phraseBound(node: Node, from: u32, to: u32): f32 {
  if (node.b > 0) return node.weight;
  const state = phraseState(node);
  let bound: f32 = node.weight;
  for (let i: u32 = 0; i < node.a; i++) {
    const place = phrasePlace(state, i);
    if (place.childCount > 1) continue;
    bound = min(bound, termBound(nodeChild(node, place.firstChild), from, to, node.weight, <usize>node.normInverse));
  }
  return bound;
}
