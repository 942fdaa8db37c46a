// A text that html-strip.ts filters: how it is read, what its automata match, and how the result is written.
//   config   ├─ HtmlStripConfig ─┬─ sets of tags ─┬─ entities ─┬─ machines ─┬─ classes ─┤
//   classes  ├─ count u32 ─┬─ class u8 × 128 ─┬─ ranges u32 ─┬─ { first u32, class u32 } × ranges, ascending ─┤
//   machine  ├─ next u16 × states × classes: state, 0x8000 if it accepts, 0xffff for none; the start state is 0 ─┤
// The machines are deterministic automata that the host compiles from the expressions in src/analysis/char-filters/html-strip.ts; each finds the
// longest match at a position. The number of their steps is limited, since unclosed processing instructions would take quadratic time.
import { E_NO_SPACE, E_WORK } from '../../mem/status';
import { lowerCase } from '../../text/generated/case';
import { encode } from '../../text/utf8';
import { HtmlStripConfig } from '../stage-configs';
import { findTerm, longestTerm } from '../term-set';
import { copyUnits, madeUnits, mapOffset, TextFilter, unitOf } from './text-filter';

const NONE: u32 = 0xffff;
const ACCEPTS: u32 = 0x8000;
export const NOWHERE: u32 = 0xffffffff;

/** State of one text. */
// @ts-ignore: decorator
@unmanaged
export class Strip {
  config: usize;
  at: u32;
  diff: i32;
  status: i32;
  steps: u64;
}

export namespace CHAR {
  export const AMPERSAND: u32 = 0x26;
  export const LESS: u32 = 0x3c;
  export const GREATER: u32 = 0x3e;
  export const SLASH: u32 = 0x2f;
  export const BANG: u32 = 0x21;
  export const QUESTION: u32 = 0x3f;
  export const HASH: u32 = 0x23;
  export const SEMICOLON: u32 = 0x3b;
  export const DASH: u32 = 0x2d;
  export const QUOTE: u32 = 0x22;
  export const APOSTROPHE: u32 = 0x27;
  export const BACKSLASH: u32 = 0x5c;
  export const BRACKET: u32 = 0x5b;
  export const BRACKET_END: u32 = 0x5d;
}

// @ts-ignore: decorator
@inline
export function configOf(strip: Strip): HtmlStripConfig {
  return changetype<HtmlStripConfig>(strip.config);
}

// --- the result

/** Keeps everything up to `end` unchanged. */
export function keep(filter: TextFilter, strip: Strip, end: u32): void {
  if (copyUnits(filter, strip.at, end) < 0) strip.status = E_NO_SPACE;
  strip.at = end;
}

/** Replaces everything up to `end` by `size` units, 0 to 2. */
export function replace(filter: TextFilter, strip: Strip, end: u32, size: u32, first: u32, second: u32): void {
  if (filter.cur + 4 > filter.end) {
    strip.status = E_NO_SPACE;
    return;
  }
  if (size) store<u16>(filter.cur, first);
  if (size > 1) store<u16>(filter.cur, second, 2);
  filter.cur += <usize>size << 1;
  filter.isChanged = 1;
  strip.diff += <i32>(end - strip.at - size);
  if (mapOffset(filter, madeUnits(filter), strip.diff) < 0) strip.status = E_NO_SPACE;
  strip.at = end;
}

// --- reading

/** The unit at an index, NOWHERE past the end. */
// @ts-ignore: decorator
@inline
export function peek(filter: TextFilter, at: u32): u32 {
  return at < filter.count ? unitOf(filter, at) : NOWHERE;
}

// @ts-ignore: decorator
@inline
function isSpace(unit: u32): bool {
  return (unit >= 9 && unit <= 13) || unit == 32 || unit == 0x85 || unit == 0x2028 || unit == 0x2029;
}

export function skipSpace(filter: TextFilter, from: u32): u32 {
  let at = from;
  while (at < filter.count && isSpace(unitOf(filter, at))) at++;
  return at;
}

/** Whether the ASCII letters of `word` (up to four, the first in the low byte) are at `at`, in any case. */
export function hasLetters(filter: TextFilter, at: u32, word: u32): bool {
  for (; word; word >>= 8, at++) if ((peek(filter, at) | 32) != (word & 0xff)) return false;
  return true;
}

/** End of the longest match of a machine at `from`, NOWHERE if there is none. */
export function longest(filter: TextFilter, strip: Strip, machine: usize, from: u32): u32 {
  const classes = strip.config + configOf(strip).classesOff, classCount = load<u32>(classes);
  const table = strip.config + load<u32>(strip.config + machine);
  let state: u32 = 0, end = NOWHERE, at = from;
  while (at < filter.count) {
    let cp = unitOf(filter, at++);
    if ((cp & 0xfc00) == 0xd800 && at < filter.count && (unitOf(filter, at) & 0xfc00) == 0xdc00) {
      cp = 0x10000 + ((cp & 0x3ff) << 10) + (unitOf(filter, at++) & 0x3ff);
    }
    const next = <u32>load<u16>(table + (<usize>(state * classCount + classOf(classes, cp)) << 1));
    if (next == NONE) break;
    state = next & 0x7fff;
    if (next & ACCEPTS) end = at;
  }
  const steps = <u64>(at - from);
  if (steps > strip.steps) strip.status = E_WORK;
  else strip.steps -= steps;
  return end;
}

function classOf(classes: usize, cp: u32): u32 {
  if (cp < 128) return load<u8>(classes + 4 + cp);
  const ranges = classes + 4 + 128 + 4;
  let low: u32 = 0, high = load<u32>(classes + 4 + 128);
  // The first range starts at 128, so one of them starts at or before `cp`.
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (load<u32>(ranges + (<usize>middle << 3)) <= cp) low = middle;
    else high = middle;
  }
  return load<u32>(ranges + (<usize>low << 3), 4);
}

/** Whether the name of a tag, in any case, is in the set whose offset is at `setOff` of the config. */
export function isNamed(filter: TextFilter, strip: Strip, setOff: usize, from: u32, to: u32): bool {
  const set = strip.config + load<u32>(strip.config + setOff);
  if (to - from > longestTerm(set)) return false;
  const scratch = filter.cur;
  if (scratch + <usize>(to - from) * 3 + 8 > filter.end) {
    strip.status = E_NO_SPACE;
    return false;
  }
  let out = scratch;
  for (let i = from; i < to; i++) {
    let cp = unitOf(filter, i);
    if ((cp & 0xfc00) == 0xd800 && i + 1 < to && (unitOf(filter, i + 1) & 0xfc00) == 0xdc00) {
      cp = 0x10000 + ((cp & 0x3ff) << 10) + (unitOf(filter, ++i) & 0x3ff);
    }
    out += encode(out, lowerCase(cp));
  }
  return findTerm(set, scratch, <u32>(out - scratch)) != 0;
}
