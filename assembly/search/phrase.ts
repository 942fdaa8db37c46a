// Phrase node: documents that have terms at given places, and how often.
//   children  TERM nodes, all of one field, position by position │ a number of positions │ b slop
//   data      per position: place u32, first child u32, number of children u32 (several: any of them)
//   norms, normInverse, weight as in a term; cost = least docFreq of a position
// Exact (slop 0): the starts, positions of the rarest term minus its place, are narrowed by each other term.
// Sloppy: sloppy-phrase.ts. Freqs of the last window's candidates are kept for scoring.

import { cursorFreqs, cursorLoadDocs, cursorLoadFreqs, cursorSeekBlock, cursorDocs, cursorSkipPositions, PostingsCursor } from '../postings/cursor';
import { NO_MORE_DOCS, WITH_OFFSETS } from '../postings/format';
import { readVint, vintBytes } from '../codec/vint';
import { allocate, allocateTemp, countScored, releaseTemp, tempMark, WINDOW_DOCS } from './context';
import { Node, NODE_SCORES, nodeChild, setBit, testBit, Window, WINDOW_BITS_BYTES, clearBits, windowToList } from './node';
import { bm25 } from './similarity';
import { sloppyFreq, sloppyOpen } from './sloppy-phrase';
import { findInBits, matchMask, skipTo, termBound, termCursor, termFill, termFilter, termNext, termOpen, termWindow } from './term';

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
}
export const PLACE_BYTES: usize = 32;

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
  const state = changetype<PhraseState>(allocate(32));
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
    place.positions = 0;
  }
  state.docs = allocate(WINDOW_DOCS * 4);
  state.freqs = allocate(WINDOW_DOCS * 4);
  state.count = 0;
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
  phraseCandidates(node, from, to, w);
  w.isList = 1;
  w.count = checkPhrase(node, w.docs, w.count, minScore);
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
    if (scores && minScore >= 0 && phraseBoundOf(node, state, doc) <= minScore) continue;
    const freq = node.b > 0 ? loadAll(node, state, doc) ? sloppyFreq(node, state, scores) : 0 : exactFreq(node, state, doc, scores);
    if (freq == 0) continue;
    store<u32>(docs + kept, doc);
    store<u32>(state.docs + kept, doc);
    store<f32>(state.freqs + kept, freq);
    kept += 4;
  }
  state.count = <u32>(kept >> 2);
  return state.count;
}

/** Score of the document if the phrase occurred as often as its rarest term there; a sloppy one at most begins at each position of each term. */
function phraseBoundOf(node: Node, state: PhraseState, doc: u32): f32 {
  let least: u32 = u32.MAX_VALUE;
  let sum: u32 = 0;
  for (let i: u32 = 0; i < node.a; i++) {
    const place = phrasePlace(state, i);
    let freq: u32 = 0;
    for (let child: u32 = 0; child < place.childCount; child++) {
      const c = termCursor(nodeChild(node, place.firstChild + child));
      const index = seekDoc(c, doc);
      if (index < 0) continue;
      cursorLoadFreqs(c);
      freq += load<u32>(cursorFreqs(c) + ((<usize>index) << 2));
    }
    least = min(least, freq);
    sum += freq;
  }
  const norm = node.norms ? <usize>load<u8>(<usize>node.norms + doc) : 1;
  return bm25(node.weight, <f32>(node.b > 0 ? sum : least), load<f32>(<usize>node.normInverse + (norm << 2)));
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

function exactFreq(node: Node, state: PhraseState, doc: u32, all: bool): f32 {
  const lead = phrasePlace(state, 0);
  if (!loadPlace(node, lead, doc)) return 0;
  // Starts of the phrase: place 0 of it, biased so that they stay positive.
  let starts = lead.positions;
  let count = lead.count;
  for (let i: u32 = 1; i < node.a; i++) {
    const place = phrasePlace(state, i);
    if (!loadPlace(node, place, doc)) return 0;
    count = narrow(starts, count, place.positions, place.place - lead.place, all || i + 1 < node.a);
    if (count == 0) return 0;
  }
  return <f32>count;
}

/** Keeps of `starts` those with start + shift in the list; returns how many. Without `all` the first hit ends it. */
function narrow(starts: usize, count: u32, list: usize, shift: u32, all: bool): u32 {
  const first = starts;
  let kept = starts;
  for (const end = starts + ((<usize>count) << 2); starts < end; starts += 4) {
    const start = load<u32>(starts);
    const wanted = start + shift;
    // A start before the phrase's first place wraps round: beyond every position, the list's padding ends the search.
    if (wanted >= NO_MORE_DOCS) continue;
    while (load<u32>(list, 12) < wanted) list += 16;
    const hit = v128.any_true(i32x4.eq(v128.load(list), i32x4.splat(<i32>wanted)));
    store<u32>(kept, start);
    if (hit) {
      kept += 4;
      if (!all) return 1;
    }
  }
  return <u32>((kept - first) >> 2);
}

function loadAll(node: Node, state: PhraseState, doc: u32): bool {
  for (let i: u32 = 0; i < node.a; i++) if (!loadPlace(node, phrasePlace(state, i), doc)) return false;
  return true;
}

/** Reads the positions of a place in a document, ascending; false if there are none. */
function loadPlace(node: Node, place: Place, doc: u32): bool {
  place.count = 0;
  for (let child: u32 = 0; child < place.childCount; child++) {
    const c = termCursor(nodeChild(node, place.firstChild + child));
    const index = seekDoc(c, doc);
    if (index < 0) continue;
    cursorLoadFreqs(c);
    const freq = load<u32>(cursorFreqs(c) + ((<usize>index) << 2));
    ensurePositions(place, place.count + freq);
    if (<u32>index != c.positionsIndex) cursorSkipPositions(c, <u32>index);
    readPositions(c, place.positions + ((<usize>place.count) << 2), freq);
    place.count += freq;
  }
  if (place.childCount > 1) sortPositions(place.positions, place.count);
  const end = place.positions + ((<usize>place.count) << 2);
  v128.store(end, i32x4.splat(<i32>NO_MORE_DOCS));
  return place.count > 0;
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
    else freq = node.b > 0 ? loadAll(node, state, doc) ? sloppyFreq(node, state, true) : 0 : exactFreq(node, state, doc, true);
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
