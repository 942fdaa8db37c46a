// State of a phrase node: one record per place of the phrase, and one for the node (phrase.ts).

import { PhraseNode } from './node';

/** One place of the phrase; sorted by rarity. */
// @ts-ignore: decorator
@unmanaged
export class Place {
  place: u32;
  firstChild: u32;
  childCount: u32;
  cost: u32;
  /** Positions in the current document: u32[count], then four numbers that are not less. */
  positions: usize;
  count: u32;
  /** Room for `capacity` positions. */
  buffer: usize;
  capacity: u32;
  /** Index in the query. */
  source: u32;
  /** Freq in the last located document, and its index in the block of a place's only term. */
  freq: u32;
  index: u32;
}
export const PLACE_BYTES: usize = 48;

// @ts-ignore: decorator
@unmanaged
export class PhraseState {
  /** Place[placeCount], rarest first. */
  places: usize;
  /** Candidates of the last filter that matched: docIds and freqs f32. */
  docs: usize;
  freqs: usize;
  count: u32;
  sloppy: u32;
  /** For `countStarts`. */
  map: usize;
  /** Candidates whose positions are decoded at a time. */
  batch: u32;
  /** f32[256] by norm: with it the freq of each of its terms bounds the score of the phrase (boundingInverse); 0 if no such bound is known. */
  inverse: usize;
}

// @ts-ignore: decorator
@inline
export function phraseState(node: PhraseNode): PhraseState {
  return changetype<PhraseState>(<usize>node.state);
}

// @ts-ignore: decorator
@inline
export function phrasePlace(state: PhraseState, i: u32): Place {
  return changetype<Place>(state.places + <usize>i * PLACE_BYTES);
}
