// Sloppy phrase frequency: sum of 1 / (1 + match length) over the matches that Lucene finds, in its order and its float32.
// Each place of the query walks its positions, all shifted by its place in the query; a match is a span from the least to the greatest of
// them. Places of the same term must not be at the same position: the lesser one advances.
// Source: Lucene, SloppyPhraseMatcher. A scan for the least replaces its heap: phrases have few places and the order is total.

import { allocate } from './context';
import { PhraseNode, termChild } from './node';
import { phrasePlace, PhraseState } from './phrase-state';

// @ts-ignore: decorator
@unmanaged
class Walker {
  /** Position in the document minus `offset`; may be negative. */
  position: i32;
  /** Place in the query. */
  offset: i32;
  cur: usize;
  end: usize;
  /** Repeats of one term are a group; -1: none. `groupIndex`: rank by offset in it. */
  group: i32;
  groupIndex: u32;
  queued: bool;
  placeIndex: u32;
}
const WALKER_BYTES: usize = 32;

// @ts-ignore: decorator
@unmanaged
class Sloppy {
  walkers: usize;
  count: u32;
  groups: u32;
  /** Whether a repeating place has several terms. */
  multiTerm: bool;
  /** Greatest position of all walkers. */
  end: i32;
}

// @ts-ignore: decorator
@inline
function walker(s: Sloppy, i: u32): Walker {
  return changetype<Walker>(s.walkers + <usize>i * WALKER_BYTES);
}

/** Lays out the walkers in the order of the query and finds the groups of repeats. */
export function sloppyOpen(node: PhraseNode, state: PhraseState): usize {
  const s = changetype<Sloppy>(allocate(32));
  s.count = node.placeCount;
  s.walkers = allocate(<usize>node.placeCount * WALKER_BYTES);
  s.groups = 0;
  s.multiTerm = false;
  for (let i: u32 = 0; i < node.placeCount; i++) {
    const place = phrasePlace(state, i);
    const w = walker(s, place.source);
    w.offset = <i32>place.place;
    w.placeIndex = i;
    w.group = -1;
    w.groupIndex = 0;
  }
  for (let i: u32 = 0; i < s.count; i++) joinRepeats(node, state, s, i);
  for (let i: u32 = 0; i < s.count; i++) {
    const w = walker(s, i);
    if (w.group < 0) continue;
    if (phrasePlace(state, w.placeIndex).childCount > 1) s.multiTerm = true;
    for (let j: u32 = 0; j < s.count; j++) {
      const other = walker(s, j);
      if (other.group == w.group && (other.offset < w.offset || (other.offset == w.offset && j < i))) w.groupIndex++;
    }
  }
  return changetype<usize>(s);
}

/** Whether a term occurs at several places. */
export function sloppyRepeats(state: PhraseState): bool {
  return changetype<Sloppy>(<usize>state.sloppy).groups > 0;
}

/** Puts a place and all later ones that share a term with it into one group, and joins groups that overlap. */
function joinRepeats(node: PhraseNode, state: PhraseState, s: Sloppy, i: u32): void {
  const w = walker(s, i);
  for (let j = i + 1; j < s.count; j++) {
    const other = walker(s, j);
    if (other.offset == w.offset || !shareTerm(node, state, w.placeIndex, other.placeIndex)) continue;
    if (w.group < 0) w.group = other.group >= 0 ? other.group : <i32>(s.groups++);
    if (other.group >= 0 && other.group != w.group) {
      const old = other.group;
      for (let k: u32 = 0; k < s.count; k++) if (walker(s, k).group == old) walker(s, k).group = w.group;
    }
    other.group = w.group;
  }
}

function shareTerm(node: PhraseNode, state: PhraseState, a: u32, b: u32): bool {
  const first = phrasePlace(state, a);
  const second = phrasePlace(state, b);
  for (let i: u32 = 0; i < first.childCount; i++) {
    for (let j: u32 = 0; j < second.childCount; j++) {
      if (termChild(node, first.firstChild + i).record == termChild(node, second.firstChild + j).record) return true;
    }
  }
  return false;
}

/** Next position of a walker; false if it has none left. */
// @ts-ignore: decorator
@inline
function step(w: Walker): bool {
  if (w.cur >= w.end) return false;
  w.position = <i32>load<u32>(w.cur) - w.offset;
  w.cur += 4;
  return true;
}

function advance(s: Sloppy, w: Walker): bool {
  if (!step(w)) return false;
  if (w.position > s.end) s.end = w.position;
  return true;
}

/** The walker of the same group at the same position of the document, or null (0). */
function colliding(s: Sloppy, w: Walker): usize {
  for (let i: u32 = 0; i < s.count; i++) {
    const other = walker(s, i);
    if (other != w && other.group == w.group && other.position + other.offset == w.position + w.offset) return changetype<usize>(other);
  }
  return 0;
}

function lesser(a: Walker, b: Walker): Walker {
  return a.position < b.position || (a.position == b.position && a.offset < b.offset) ? a : b;
}

function resolve(s: Sloppy, w: Walker): bool {
  if (w.group < 0) return true;
  for (let other = colliding(s, w); other != 0; other = colliding(s, w)) {
    w = lesser(w, changetype<Walker>(other));
    if (!advance(s, w)) return false;
  }
  return true;
}

/** Start condition: no two walkers of a group at one position. */
function spreadGroups(s: Sloppy): bool {
  for (let g: u32 = 0; g < s.groups; g++) {
    for (let index: u32 = 0; index < s.count; index++) {
      for (let i: u32 = 0; i < s.count; i++) {
        const w = walker(s, i);
        if (w.group != <i32>g || w.groupIndex != index) continue;
        if (s.multiTerm) {
          for (let other = colliding(s, w); other != 0; other = colliding(s, w)) {
            if (!advance(s, lesser(w, changetype<Walker>(other)))) return false;
          }
        } else {
          for (let k: u32 = 0; k < index; k++) if (!step(w)) return false;
        }
      }
    }
  }
  return true;
}

/** The queued walker with the least (position, offset, order in the query), or 0. */
function least(s: Sloppy): usize {
  let best: usize = 0;
  for (let i: u32 = 0; i < s.count; i++) {
    const w = walker(s, i);
    if (!w.queued) continue;
    if (best) {
      const b = changetype<Walker>(best);
      if (w.position > b.position || (w.position == b.position && w.offset >= b.offset)) continue;
    }
    best = changetype<usize>(w);
  }
  return best;
}

function pop(s: Sloppy): Walker {
  const w = changetype<Walker>(least(s));
  w.queued = false;
  return w;
}

/** Frequency in the document whose positions the places hold. Without `all`: 1 if there is a match. */
export function sloppyFreq(node: PhraseNode, state: PhraseState, all: bool): f32 {
  const s = changetype<Sloppy>(<usize>state.sloppy);
  const slop = <i32>node.slop;
  s.end = i32.MIN_VALUE;
  for (let i: u32 = 0; i < s.count; i++) {
    const w = walker(s, i);
    const place = phrasePlace(state, w.placeIndex);
    w.cur = place.positions;
    w.end = place.positions + ((<usize>place.count) << 2);
    step(w);
  }
  if (s.groups > 0 && !spreadGroups(s)) return 0;
  for (let i: u32 = 0; i < s.count; i++) {
    const w = walker(s, i);
    w.queued = true;
    if (w.position > s.end) s.end = w.position;
  }
  let freq: f32 = 0;
  if (s.count < 2) return <f32>phrasePlace(state, 0).count;
  let w = pop(s);
  let length = s.end - w.position;
  let next = changetype<Walker>(least(s)).position;
  while (advance(s, w)) {
    if (s.groups > 0 && !resolve(s, w)) break;
    if (w.position > next) {
      w.queued = true;
      if (length <= slop) {
        if (!all) return 1;
        freq += <f32>1 / (<f32>1 + <f32>length);
      }
      w = pop(s);
      next = changetype<Walker>(least(s)).position;
      length = s.end - w.position;
    } else {
      length = min(length, s.end - w.position);
    }
  }
  if (length <= slop) freq += <f32>1 / (<f32>1 + <f32>length);
  return all || freq == 0 ? freq : 1;
}
