// Phrase node: documents that have terms at given places, and how often.
// Exact (slop 0): the starts, which are the positions of the rarest term minus its place, are narrowed by each other term.
// Sloppy: sloppy-phrase.ts. Freqs of the last window's candidates are cached for scoring. Candidates are checked in batches (phrase-lists.ts), or
// one by one if a place has several terms.

import { cursorSeekBlock } from '../postings/cursor';
import { NO_MORE_DOCS } from '../postings/format';
import { allocate, allocateTemp, countScored, releaseTemp, tempMark, WINDOW_DOCS } from './context';
import { NODE_SCORES, PhraseNode, PlaceTerms, termChild } from './node';
import {
  BATCH_DOCS,
  BIAS_OFF,
  countStarts,
  FREQS_OFF,
  hasStart,
  LISTS_BYTES,
  MAP_BYTES,
  narrowStarts,
  positionLists,
} from './phrase-lists';
import { boundOfLocated, freqOfLocated, locateAll } from './phrase-document';
import { Place, PLACE_BYTES, phrasePlace, PhraseState, phraseState } from './phrase-state';
import { bm25 } from './similarity';
import { sloppyFreq, sloppyOpen, sloppyRepeats } from './sloppy-phrase';
import { nextBlock, termCursor, termFill, termFilter, termNext, termOpen, termWindow } from './term';
import { termBound } from './term-bounds';
import { termBlockOften, termKeepOften } from './term-prune';
import { andBits, clearBits, setBit, testBit, Window, WINDOW_BITS_BYTES, windowToList } from './window';

/** Average number of bytes that the positions of a batch may take. */
const BATCH_BYTES: u64 = 4 << 20;

export function phraseOpen(node: PhraseNode): void {
  for (let i: u32 = 0; i < node.childCount; i++) {
    termOpen(termChild(node, i));
    // The norm of a document and a term's freq bound the score of the phrase.
    termChild(node, i).norms = node.norms;
  }
  const state = changetype<PhraseState>(allocate(64));
  node.state = <u32>changetype<usize>(state);
  state.places = allocate(<usize>node.placeCount * PLACE_BYTES);
  for (let i: u32 = 0; i < node.placeCount; i++) {
    const source = changetype<PlaceTerms>(<usize>node.places + <usize>i * offsetof<PlaceTerms>());
    const first = source.firstChild;
    const count = source.childCount;
    let cost: u32 = 0;
    for (let child = first; child < first + count; child++) cost += termChild(node, child).docFreq;
    // Insertion sort by cost, stable.
    let at = i;
    for (; at > 0 && phrasePlace(state, at - 1).cost > cost; at--) {
      memory.copy(state.places + <usize>at * PLACE_BYTES, state.places + <usize>(at - 1) * PLACE_BYTES, PLACE_BYTES);
    }
    const place = phrasePlace(state, at);
    place.place = source.place;
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
  if (node.flags & NODE_SCORES) {
    state.map = allocate(MAP_BYTES);
    memory.fill(state.map, 0, MAP_BYTES);
  }
  state.batch = batchOf(node);
  state.sloppy = node.slop > 0 ? <u32>sloppyOpen(node, state) : 0;
  state.inverse = boundingInverse(node, state);
}

/**
 * An exact phrase occurs at most as often as each of its terms. A sloppy one of two different terms is found at most 2 * freq + 1 times, since its
 * terms take turns in beginning a match; at most freq of these matches are exact and the others count half or less, which is no more than 2 * freq.
 */
function boundingInverse(node: PhraseNode, state: PhraseState): usize {
  const inverse = <usize>node.normInverse;
  if (!(node.flags & NODE_SCORES) || !inverse || node.childCount != node.placeCount) return 0;
  if (node.slop == 0) return inverse;
  if (node.placeCount != 2 || sloppyRepeats(state)) return 0;
  const doubled = allocate(1024);
  for (let off: usize = 0; off < 1024; off += 4) store<f32>(doubled + off, load<f32>(inverse + off) * 2);
  return doubled;
}

/** Long documents make small batches. An encoded position takes one byte or more, a decoded one four. */
function batchOf(node: PhraseNode): u32 {
  let blockBytes: u64 = 1;
  for (let i: u32 = 0; i < node.childCount; i++) {
    const c = termCursor(termChild(node, i));
    if (c.positionOffsPtr && c.blocks > 1) blockBytes += <u64>load<u32>(c.positionOffsPtr + (((<usize>c.blocks) << 2) - 4)) / <u64>(c.blocks - 1);
  }
  return <u32>max<u64>(16, min<u64>(BATCH_DOCS, (BATCH_BYTES / 4 / blockBytes) * 128));
}

export function phraseNext(node: PhraseNode, target: u32): u32 {
  const state = phraseState(node);
  for (let rounds = 0; rounds < 8; rounds++) {
    const start = target;
    for (let i: u32 = 0; i < node.placeCount; i++) {
      const place = phrasePlace(state, i);
      let next: u32 = NO_MORE_DOCS;
      for (let child: u32 = 0; child < place.childCount; child++) next = min(next, termNext(termChild(node, place.firstChild + child), target));
      if (next == NO_MORE_DOCS) return next;
      target = next;
    }
    if (target == start) break;
  }
  return target;
}

/** Documents of the window that have a term at every place, at any position. */
function phraseCandidates(node: PhraseNode, from: u32, to: u32, w: Window): void {
  const state = phraseState(node);
  const lead = phrasePlace(state, 0);
  if (lead.childCount == 1) {
    termWindow(termChild(node, lead.firstChild), from, to, w);
  } else {
    w.isList = 0;
    clearBits(w.bits);
    for (let i: u32 = 0; i < lead.childCount; i++) termFill(termChild(node, lead.firstChild + i), from, to, w.bits);
  }
  if (node.placeCount > 1 && !w.isList && phrasePlace(state, 1).childCount == 1) {
    // Both are frequent: intersect their bits.
    const second = termChild(node, phrasePlace(state, 1).firstChild);
    const mark = tempMark();
    const bits = allocateTemp(WINDOW_BITS_BYTES);
    clearBits(bits);
    termFill(second, from, to, bits);
    andBits(w.bits, bits);
    releaseTemp(mark);
    windowToList(w, from);
    for (let i: u32 = 2; i < node.placeCount && w.count; i++) w.count = filterPlace(node, phrasePlace(state, i), w.docs, w.count);
    return;
  }
  windowToList(w, from);
  for (let i: u32 = 1; i < node.placeCount && w.count; i++) w.count = filterPlace(node, phrasePlace(state, i), w.docs, w.count);
}

function filterPlace(node: PhraseNode, place: Place, docs: usize, count: u32): u32 {
  if (place.childCount == 1) return termFilter(termChild(node, place.firstChild), docs, count);
  const mark = tempMark();
  const bits = allocateTemp(WINDOW_BITS_BYTES);
  const some = allocateTemp(WINDOW_DOCS * 4);
  const from = load<u32>(docs) & ~(WINDOW_DOCS - 1);
  clearBits(bits);
  for (let i: u32 = 0; i < place.childCount; i++) {
    memory.copy(some, docs, (<usize>count) << 2);
    const matched = termFilter(termChild(node, place.firstChild + i), some, count);
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

export function phraseWindow(node: PhraseNode, from: u32, to: u32, w: Window, minScore: f32): void {
  if (minScore > 0 && phraseState(node).inverse) candidatesAbove(node, from, to, w, minScore);
  else phraseCandidates(node, from, to, w);
  w.isList = 1;
  w.count = checkPhrase(node, w.docs, w.count, minScore);
}

/** Candidates of the window that could score more than `minScore` if the phrase occurred as often as state.inverse allows. */
function candidatesAbove(node: PhraseNode, from: u32, to: u32, w: Window, minScore: f32): void {
  const state = phraseState(node);
  w.isList = 1;
  w.count = 0;
  if (minScore >= node.weight) return;
  // score > minScore if freq * normInverse > minScore / (weight - minScore); a little less is required, for rounding.
  const least = <f32>((<f64>minScore / (<f64>node.weight - <f64>minScore)) * 0.99999);
  const inverse = state.inverse;
  const lead = termChild(node, phrasePlace(state, 0).firstChild);
  const c = termCursor(lead);
  let out = w.docs;
  for (let more = cursorSeekBlock(c, from); more && c.base < to; more = nextBlock(c)) {
    const first = max<u32>(c.base, from);
    const end = min<u32>(c.lastDoc + 1, to);
    let bound: f32 = node.weight;
    for (let i: u32 = 0; i < node.placeCount && bound > minScore; i++) {
      bound = min(bound, termBound(termChild(node, phrasePlace(state, i).firstChild), first, end, node.weight, inverse));
    }
    if (bound > minScore) out += (<usize>termBlockOften(lead, first, end, inverse, least, out)) << 2;
  }
  w.count = <u32>((out - w.docs) >> 2);
  for (let i: u32 = 1; i < node.placeCount && w.count; i++) {
    w.count = termKeepOften(termChild(node, phrasePlace(state, i).firstChild), w.docs, w.count, inverse, least);
  }
}

export function phraseFilter(node: PhraseNode, docs: usize, count: u32): u32 {
  const state = phraseState(node);
  for (let i: u32 = 0; i < node.placeCount && count; i++) count = filterPlace(node, phrasePlace(state, i), docs, count);
  return checkPhrase(node, docs, count, -1);
}

/** Keeps the candidates that contain the phrase and caches their freqs (1 if no scores are needed). */
function checkPhrase(node: PhraseNode, docs: usize, count: u32, minScore: f32): u32 {
  const state = phraseState(node);
  state.count = 0;
  if (node.childCount > node.placeCount) {
    checkOneByOne(node, state, docs, count, minScore);
  } else {
    if (node.slop > 0 && minScore >= 0 && !state.inverse) count = dropRare(node, state, docs, count, minScore);
    for (let at: u32 = 0; at < count; at += state.batch) {
      const mark = tempMark();
      const batch = docs + ((<usize>at) << 2);
      const size = min(state.batch, count - at);
      if (node.slop > 0) sloppyBatch(node, state, batch, size);
      else exactBatch(node, state, batch, size);
      releaseTemp(mark);
    }
  }
  memory.copy(docs, state.docs, (<usize>state.count) << 2);
  return state.count;
}

// @ts-ignore: decorator
@inline
function remember(state: PhraseState, doc: u32, freq: f32): void {
  const at = (<usize>state.count) << 2;
  store<u32>(state.docs + at, doc);
  store<f32>(state.freqs + at, freq);
  state.count++;
}

/** Narrows the starts of all documents place by place. Overwrites the batch. */
function exactBatch(node: PhraseNode, state: PhraseState, docs: usize, count: u32): void {
  const scores = (node.flags & NODE_SCORES) != 0;
  const lead = phrasePlace(state, 0);
  const starts = allocateTemp(LISTS_BYTES);
  const lists = allocateTemp(LISTS_BYTES);
  positionLists(termChild(node, lead.firstChild), docs, count, starts);
  for (let i: u32 = 1; i < node.placeCount; i++) {
    const place = phrasePlace(state, i);
    const placeShift = place.place - lead.place;
    const isLast = i + 1 == node.placeCount;
    positionLists(termChild(node, place.firstChild), docs, count, lists);
    let kept: usize = 0;
    for (let at: usize = 0, end = (<usize>count) << 2; at < end; at += 4) {
      const ptr = <usize>load<u32>(starts + at);
      const bias = load<u32>(starts + at, BIAS_OFF);
      const list = <usize>load<u32>(lists + at);
      const listFreq = load<u32>(lists + at, FREQS_OFF);
      const shift = placeShift - bias + load<u32>(lists + at, BIAS_OFF);
      let freq = load<u32>(starts + at, FREQS_OFF);
      if (!isLast) freq = narrowStarts(ptr, freq, list, listFreq, shift);
      else if (scores) freq = countStarts(ptr, freq, list, listFreq, shift, bias, state.map);
      else freq = hasStart(ptr, freq, list, listFreq, shift);
      if (freq == 0) continue;
      if (isLast) {
        remember(state, load<u32>(docs + at), <f32>freq);
        continue;
      }
      store<u32>(docs + kept, load<u32>(docs + at));
      store<u32>(starts + kept, <u32>ptr);
      store<u32>(starts + kept, freq, FREQS_OFF);
      store<u32>(starts + kept, bias, BIAS_OFF);
      kept += 4;
    }
    count = <u32>(kept >> 2);
  }
  if (node.placeCount > 1) return;
  for (let at: usize = 0, end = (<usize>count) << 2; at < end; at += 4) {
    remember(state, load<u32>(docs + at), scores ? <f32>load<u32>(starts + at, FREQS_OFF) : 1);
  }
}

function sloppyBatch(node: PhraseNode, state: PhraseState, docs: usize, count: u32): void {
  const scores = (node.flags & NODE_SCORES) != 0;
  const lists = allocateTemp(LISTS_BYTES * <usize>node.placeCount);
  for (let i: u32 = 0; i < node.placeCount; i++) {
    positionLists(termChild(node, phrasePlace(state, i).firstChild), docs, count, lists + LISTS_BYTES * <usize>i);
  }
  for (let at: usize = 0, end = (<usize>count) << 2; at < end; at += 4) {
    for (let i: u32 = 0; i < node.placeCount; i++) {
      const place = phrasePlace(state, i);
      const entry = lists + LISTS_BYTES * <usize>i + at;
      const bias = load<u32>(entry, BIAS_OFF);
      place.positions = <usize>load<u32>(entry);
      place.count = load<u32>(entry, FREQS_OFF);
      for (let p = place.positions, last = p + ((<usize>place.count) << 2); bias != 0 && p < last; p += 4) store<u32>(p, load<u32>(p) - bias);
    }
    const freq = sloppyFreq(node, state, scores);
    if (freq > 0) remember(state, load<u32>(docs + at), freq);
  }
}

/** Drops candidates of a sloppy phrase that could not score more than `minScore` even if a match began at each position of each term. */
function dropRare(node: PhraseNode, state: PhraseState, docs: usize, count: u32, minScore: f32): u32 {
  if (!(node.flags & NODE_SCORES)) return count;
  let kept = docs;
  for (let at = docs, end = docs + ((<usize>count) << 2); at < end; at += 4) {
    const doc = load<u32>(at);
    locateAll(node, state, doc);
    store<u32>(kept, doc);
    kept += (<usize>(boundOfLocated(node, state, doc) > minScore)) << 2;
  }
  return <u32>((kept - docs) >> 2);
}

function checkOneByOne(node: PhraseNode, state: PhraseState, docs: usize, count: u32, minScore: f32): void {
  const scores = (node.flags & NODE_SCORES) != 0;
  for (const end = docs + ((<usize>count) << 2); docs < end; docs += 4) {
    const doc = load<u32>(docs);
    if (!locateAll(node, state, doc)) continue;
    if (minScore >= 0 && scores && boundOfLocated(node, state, doc) <= minScore) continue;
    const freq = freqOfLocated(node, state, doc, scores);
    if (freq > 0) remember(state, doc, freq);
  }
}

/** Scores documents that passed the last filter or window. A negative weight requests the frequencies themselves. */
export function phraseScore(node: PhraseNode, docs: usize, count: u32, scores: usize): void {
  const state = phraseState(node);
  if (!node.normInverse) {
    memory.fill(scores, 0, (<usize>count) << 2);
    return;
  }
  countScored(count);
  const scoresFreqs = node.weight < 0;
  let known: usize = 0;
  const knownEnd = (<usize>state.count) << 2;
  for (let i: usize = 0, end = (<usize>count) << 2; i < end; i += 4) {
    const doc = load<u32>(docs + i);
    while (known < knownEnd && load<u32>(state.docs + known) < doc) known += 4;
    let freq: f32;
    if (known < knownEnd && load<u32>(state.docs + known) == doc) freq = load<f32>(state.freqs + known);
    else freq = locateAll(node, state, doc) ? freqOfLocated(node, state, doc, true) : 0;
    if (scoresFreqs) {
      store<f32>(scores + i, freq);
      continue;
    }
    const norm = node.norms ? <usize>load<u8>(<usize>node.norms + doc) : 1;
    store<f32>(scores + i, freq > 0 ? bm25(node.weight, freq, load<f32>(<usize>node.normInverse + (norm << 2))) : 0);
  }
}

export function phraseBound(node: PhraseNode, from: u32, to: u32): f32 {
  const state = phraseState(node);
  if (!state.inverse) return node.weight;
  let bound: f32 = node.weight;
  for (let i: u32 = 0; i < node.placeCount; i++) {
    const place = phrasePlace(state, i);
    bound = min(bound, termBound(termChild(node, place.firstChild), from, to, node.weight, state.inverse));
  }
  return bound;
}
