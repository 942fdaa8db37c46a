// A phrase in one document: its places are found in the postings and bounded by their freqs, and only then are positions read. For phrases with
// several terms at a place, and for documents that are checked one by one; phrase.ts checks batches.

import { cursorDocs, cursorFreqAt, cursorFreqs, cursorLoadDocs, cursorLoadFreqs, cursorSeekBlock, PostingsCursor } from '../postings/cursor';
import { cursorSkipPositions } from '../postings/cursor-positions';
import { allocate } from './context';
import { PhraseNode, termChild } from './node';
import { narrowStarts, readPositions } from './phrase-lists';
import { Place, phrasePlace, PhraseState } from './phrase-state';
import { bm25 } from './similarity';
import { sloppyFreq } from './sloppy-phrase';
import { findInBits, matchMask, skipTo, termCursor } from './term';

/** Finds the document in every place's postings. */
export function locateAll(node: PhraseNode, state: PhraseState, doc: u32): bool {
  for (let i: u32 = 0; i < node.placeCount; i++) if (!locate(node, phrasePlace(state, i), doc)) return false;
  return true;
}

function locate(node: PhraseNode, place: Place, doc: u32): bool {
  place.freq = 0;
  for (let child: u32 = 0; child < place.childCount; child++) {
    const c = termCursor(termChild(node, place.firstChild + child));
    const index = seekDoc(c, doc);
    if (index < 0) continue;
    place.index = <u32>index;
    place.freq += cursorFreqAt(c, <u32>index);
  }
  return place.freq > 0;
}

/**
 * The place whose positions are counted as starts: the rarest, unless several terms share a place. Then it is the query's first, since two of its
 * terms at one position count as two starts, as in Lucene.
 */
function leadPlace(node: PhraseNode, state: PhraseState): Place {
  if (node.childCount == node.placeCount) return phrasePlace(state, 0);
  let i: u32 = 0;
  while (phrasePlace(state, i).source != 0) i++;
  return phrasePlace(state, i);
}

/** Score of the located document if the phrase occurred as often as its rarest term there; a sloppy one begins at most at each position of each term. */
export function boundOfLocated(node: PhraseNode, state: PhraseState, doc: u32): f32 {
  let least: u32 = node.childCount > node.placeCount ? leadPlace(node, state).freq : u32.MAX_VALUE;
  let sum: u32 = 0;
  for (let i: u32 = 0; i < node.placeCount; i++) {
    const freq = phrasePlace(state, i).freq;
    if (node.childCount == node.placeCount) least = min(least, freq);
    sum += freq;
  }
  const norm = node.norms ? <usize>load<u8>(<usize>node.norms + doc) : 1;
  return bm25(node.weight, <f32>(node.slop > 0 ? sum : least), load<f32>(<usize>node.normInverse + (norm << 2)));
}

/** Phrase freq of the located document; without `all`: 1 if the phrase occurs. */
export function freqOfLocated(node: PhraseNode, state: PhraseState, doc: u32, all: bool): f32 {
  const lead = leadPlace(node, state);
  loadPlace(node, lead, doc);
  let count = lead.count;
  for (let i: u32 = 0; i < node.placeCount; i++) {
    const place = phrasePlace(state, i);
    if (place.source == lead.source) continue;
    loadPlace(node, place, doc);
    if (node.slop > 0) continue;
    count = narrowStarts(lead.positions, count, place.positions, place.count, place.place - lead.place);
    if (count == 0) return 0;
  }
  return node.slop > 0 ? sloppyFreq(node, state, all) : all ? <f32>count : 1;
}

/** Loads the located document's positions into place.positions. */
function loadPlace(node: PhraseNode, place: Place, doc: u32): void {
  place.count = 0;
  if (place.freq > place.capacity) {
    place.capacity = max<u32>(256, place.freq * 2);
    place.buffer = allocate((<usize>place.capacity) * 4 + 64);
  }
  place.positions = place.buffer;
  for (let child: u32 = 0; child < place.childCount; child++) {
    const c = termCursor(termChild(node, place.firstChild + child));
    const index = place.childCount == 1 ? <i32>place.index : seekDoc(c, doc);
    if (index < 0) continue;
    cursorLoadFreqs(c);
    const freq = load<u32>(cursorFreqs(c) + ((<usize>index) << 2));
    if (<u32>index != c.positionsIndex) cursorSkipPositions(c, <u32>index);
    readPositions(c, place.positions + ((<usize>place.count) << 2), freq);
    place.count += freq;
  }
  if (place.childCount > 1) sortPositions(place.positions, place.count);
  v128.store(place.positions + ((<usize>place.count) << 2), i32x4.splat(0x7fffffff));
}

/** Index of the document in its block, which becomes current; -1 if the term does not occur in it. */
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

/** Insertion sort: the lists of a few terms, each ascending already. */
function sortPositions(positions: usize, count: u32): void {
  for (let i: usize = 4; i < <usize>count << 2; i += 4) {
    const value = load<u32>(positions + i);
    let at = i;
    for (; at > 0 && load<u32>(positions + at - 4) > value; at -= 4) store<u32>(positions + at, load<u32>(positions + at - 4));
    store<u32>(positions + at, value);
  }
}
