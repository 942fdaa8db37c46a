// HTML strip: removes tags, comments, scripts and styles (block tags and breaks become line feeds), and resolves character references.
// Malformed markup is kept. Source: the behaviour that Lucene documents for HTMLStripCharFilter; HTML 4.01 for references.
//   config   ├─ HtmlStripConfig ─┬─ sets of tags ─┬─ entities ─┬─ machines ─┬─ classes ─┤
//   classes  ├─ count u32 ─┬─ class u8 × 128 ─┬─ ranges u32 ─┬─ { first u32, class u32 } × ranges, ascending ─┤
//   machine  ├─ next u16 × states × classes: state, 0x8000 if it accepts, 0xffff for none; the start state is 0 ─┤
// The machines are deterministic automata that the host compiles from the expressions in src/analysis/char-filters/html-strip.ts; each finds the
// longest match at a position. The number of their steps is limited, since unclosed processing instructions would take quadratic time.
import { E_NO_SPACE, E_WORK } from '../../mem/status';
import { lowerCase } from '../../text/generated/case';
import { encode } from '../../text/utf8';
import { HtmlEscape } from '../config-values';
import { Stage } from '../stage';
import { HtmlStripConfig, TermSetEntry } from '../stage-configs';
import { findTerm, longestTerm } from '../term-set';
import { copyUnits, madeUnits, mapOffset, TextFilter, unitOf } from './text-filter';

/** Machines, by the offsets of their tables' offsets in the config. */
const TAIL: usize = offsetof<HtmlStripConfig>('tailOff');
const NAME: usize = offsetof<HtmlStripConfig>('nameOff');
const BR: usize = offsetof<HtmlStripConfig>('brOff');
const SCRIPT: usize = offsetof<HtmlStripConfig>('scriptOff');
const STYLE: usize = offsetof<HtmlStripConfig>('styleOff');
const INSTRUCTION: usize = offsetof<HtmlStripConfig>('instructionOff');

const NONE: u32 = 0xffff;
const ACCEPTS: u32 = 0x8000;
const NOWHERE: u32 = 0xffffffff;

const LINE_FEED: u32 = 10;
const REPLACEMENT_CHARACTER: u32 = 0xfffd;

/** Limit of the machines' steps: per unit, and a constant. */
const STEPS_PER_UNIT: u64 = 2000;
const FREE_STEPS: u64 = 10_000_000;

/** State of one text. */
// @ts-ignore: decorator
@unmanaged
class Strip {
  config: usize;
  at: u32;
  diff: i32;
  status: i32;
  steps: u64;
}

const STRIP_BYTES: usize = 64;

/** Filters a text. Returns 0, E_NO_SPACE or E_WORK. */
export function stripHtml(stage: Stage, filter: TextFilter): i32 {
  const count = filter.count;
  let next = nextMark(filter, 0);
  if (next == count) return copyUnits(filter, 0, count);
  filter.end -= STRIP_BYTES;
  if (filter.end <= filter.cur) return E_NO_SPACE;
  const strip = changetype<Strip>(filter.end);
  strip.config = stage.config;
  strip.at = 0;
  strip.diff = 0;
  strip.status = 0;
  strip.steps = FREE_STEPS + <u64>count * STEPS_PER_UNIT;
  while (strip.at < count && strip.status == 0) {
    next = nextMark(filter, strip.at);
    keep(filter, strip, next);
    if (next == count) break;
    if (unitOf(filter, next) == CHAR.AMPERSAND) reference(filter, strip);
    else bracket(filter, strip);
  }
  return strip.status;
}

// @ts-ignore: decorator
@inline
function configOf(strip: Strip): HtmlStripConfig {
  return changetype<HtmlStripConfig>(strip.config);
}

/** Index of the next < or &. */
function nextMark(filter: TextFilter, from: u32): u32 {
  const count = filter.count, less = i16x8.splat(0x3c), ampersand = i16x8.splat(0x26);
  let at = from;
  while (at + 8 <= count) {
    const eight = v128.load(filter.units + (<usize>at << 1));
    const marks = <u32>i16x8.bitmask(v128.or(i16x8.eq(eight, less), i16x8.eq(eight, ampersand)));
    if (marks) return at + ctz(marks);
    at += 8;
  }
  while (at < count && unitOf(filter, at) != CHAR.LESS && unitOf(filter, at) != CHAR.AMPERSAND) at++;
  return at;
}

namespace CHAR {
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

// --- the result

/** Keeps everything up to `end` unchanged. */
function keep(filter: TextFilter, strip: Strip, end: u32): void {
  if (copyUnits(filter, strip.at, end) < 0) strip.status = E_NO_SPACE;
  strip.at = end;
}

/** Replaces everything up to `end` by `size` units, 0 to 2. */
function replace(filter: TextFilter, strip: Strip, end: u32, size: u32, first: u32, second: u32): void {
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
function peek(filter: TextFilter, at: u32): u32 {
  return at < filter.count ? unitOf(filter, at) : NOWHERE;
}

// @ts-ignore: decorator
@inline
function isSpace(unit: u32): bool {
  return (unit >= 9 && unit <= 13) || unit == 32 || unit == 0x85 || unit == 0x2028 || unit == 0x2029;
}

function skipSpace(filter: TextFilter, from: u32): u32 {
  let at = from;
  while (at < filter.count && isSpace(unitOf(filter, at))) at++;
  return at;
}

/** Whether the ASCII letters of `word` (up to four, the first in the low byte) are at `at`, in any case. */
function hasLetters(filter: TextFilter, at: u32, word: u32): bool {
  for (; word; word >>= 8, at++) if ((peek(filter, at) | 32) != (word & 0xff)) return false;
  return true;
}

/** End of the longest match of a machine at `from`, NOWHERE if there is none. */
function longest(filter: TextFilter, strip: Strip, machine: usize, from: u32): u32 {
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
function isNamed(filter: TextFilter, strip: Strip, setOff: usize, from: u32, to: u32): bool {
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

// --- &...;

function reference(filter: TextFilter, strip: Strip): void {
  const at = strip.at;
  if (peek(filter, at + 1) == CHAR.HASH) {
    numericReference(filter, strip);
    return;
  }
  const entities = strip.config + configOf(strip).entitiesOff, limit = min(longestTerm(entities), filter.count - at - 1);
  const scratch = filter.cur;
  if (scratch + limit + 8 > filter.end) {
    strip.status = E_NO_SPACE;
    return;
  }
  let length: u32 = 0;
  while (length < limit && unitOf(filter, at + 1 + length) < 0x80) {
    store<u8>(scratch + length, unitOf(filter, at + 1 + length));
    length++;
  }
  let entry: usize = 0;
  while (length && !(entry = findTerm(entities, scratch, length))) length--;
  const end = at + 1 + length;
  if (length && (peek(filter, end) == CHAR.SEMICOLON || end == filter.count)) {
    replace(filter, strip, min(end + 1, filter.count), 1, load<u32>(entities + changetype<TermSetEntry>(entry).value, 4), 0);
  } else keep(filter, strip, end);
}

function numericReference(filter: TextFilter, strip: Strip): void {
  const at = strip.at, count = filter.count;
  const high = surrogateAt(filter, at);
  if (high >= 0xd800 && high < 0xdc00) {
    const next = at + SURROGATE_UNITS, low = surrogateAt(filter, next);
    if (low >= 0xdc00 && low < 0xe000) {
      replace(filter, strip, next + SURROGATE_UNITS, 2, high, low);
      return;
    }
  }
  const isHex = (peek(filter, at + 2) | 32) == 0x78;
  const first = at + (isHex ? 3 : 2);
  let end = first, cp: u32 = 0;
  while (end < count) {
    const digit = digitOf(unitOf(filter, end), isHex);
    if (digit == NOWHERE) break;
    if (end - first < 8) cp = cp * (isHex ? 16 : 10) + digit;
    end++;
  }
  if (end == first) {
    keep(filter, strip, at + 2);
    return;
  }
  const isShort = end - first <= (isHex ? <u32>5 : <u32>7);
  if (!isShort || cp > 0x10ffff || (peek(filter, end) != CHAR.SEMICOLON && end != count)) {
    keep(filter, strip, end);
    return;
  }
  const behind = min(end + 1, count);
  if (cp > 0xffff) replace(filter, strip, behind, 2, 0xd800 + ((cp - 0x10000) >> 10), 0xdc00 + (cp & 0x3ff));
  else replace(filter, strip, behind, 1, (cp & 0xf800) == 0xd800 ? REPLACEMENT_CHARACTER : cp, 0);
}

function digitOf(unit: u32, isHex: bool): u32 {
  if (unit - 0x30 < 10) return unit - 0x30;
  if (isHex && (unit | 32) - 0x61 < 6) return (unit | 32) - 0x61 + 10;
  return NOWHERE;
}

/** Length of a reference that surrogateAt reads: &#x and four digits, or &# and five digits, and a semicolon. */
const SURROGATE_UNITS: u32 = 8;

/** Value of a reference to a surrogate, `&#xd83d;` or `&#55357;`; NOWHERE if there is none. */
function surrogateAt(filter: TextFilter, at: u32): u32 {
  if (peek(filter, at) != CHAR.AMPERSAND || peek(filter, at + 1) != CHAR.HASH) return NOWHERE;
  const isHex = (peek(filter, at + 2) | 32) == 0x78, first = at + (isHex ? 3 : 2), size: u32 = isHex ? 4 : 5;
  let value: u32 = 0;
  for (let i: u32 = 0; i < size; i++) {
    const digit = digitOf(peek(filter, first + i), isHex);
    if (digit == NOWHERE) return NOWHERE;
    value = value * (isHex ? 16 : 10) + digit;
  }
  return peek(filter, first + size) == CHAR.SEMICOLON ? value : NOWHERE;
}

// --- <...>

function bracket(filter: TextFilter, strip: Strip): void {
  const at = strip.at, next = peek(filter, at + 1);
  if (next == CHAR.BANG) declaration(filter, strip);
  else if (next == CHAR.SLASH) endTag(filter, strip);
  else {
    const end = next == CHAR.QUESTION ? longest(filter, strip, INSTRUCTION, at + 1) : NOWHERE;
    if (end != NOWHERE) replace(filter, strip, end, 0, 0, 0);
    else startTag(filter, strip);
  }
}

/** Here NOWHERE is -1, less than any index. */
// @ts-ignore: decorator
@inline
function orNone(end: u32): i32 {
  return <i32>end;
}

function startTag(filter: TextFilter, strip: Strip): void {
  const at = strip.at, spaces = skipSpace(filter, at + 1);
  const nameEnd = longest(filter, strip, NAME, spaces);
  // The longest match of the special tags and of the plain name wins.
  const br = orNone(longest(filter, strip, BR, at + 1)), script = orNone(longest(filter, strip, SCRIPT, at + 1));
  const style = orNone(longest(filter, strip, STYLE, at + 1)), special = max(br, max(script, style));
  if (special > max(orNone(nameEnd), spaces == at + 1 ? -1 : <i32>spaces)) {
    const flags = configOf(strip).escaped;
    if (special == script) element(filter, strip, 0x69726373, 0x7470, (flags & HtmlEscape.SCRIPT) != 0, script);
    else if (special == style) element(filter, strip, 0x6c797473, 0x65, (flags & HtmlEscape.STYLE) != 0, style);
    else if (flags & HtmlEscape.BR) keep(filter, strip, br);
    else replace(filter, strip, br, 1, LINE_FEED, 0);
    return;
  }
  if (nameEnd == NOWHERE) {
    keep(filter, strip, spaces);
    return;
  }
  finishTag(filter, strip, spaces, nameEnd, nameEnd == filter.count ? NOWHERE : longest(filter, strip, TAIL, nameEnd));
}

function endTag(filter: TextFilter, strip: Strip): void {
  const spaces = skipSpace(filter, strip.at + 2);
  if (hasLetters(filter, spaces, 0x7262)) {
    const close = skipSpace(filter, spaces + 2);
    if (peek(filter, close) == CHAR.GREATER) {
      if (configOf(strip).escaped & HtmlEscape.BR) keep(filter, strip, close + 1);
      else replace(filter, strip, close + 1, 1, LINE_FEED, 0);
      return;
    }
  }
  const nameEnd = longest(filter, strip, NAME, spaces);
  if (nameEnd == NOWHERE) {
    keep(filter, strip, spaces);
    return;
  }
  const close = skipSpace(filter, nameEnd);
  finishTag(filter, strip, spaces, nameEnd, nameEnd != filter.count && peek(filter, close) == CHAR.GREATER ? close + 1 : NOWHERE);
}

/** @param end end of the tag; NOWHERE if it is malformed: then the part up to `nameEnd` is text, or dropped at the end of the text */
function finishTag(filter: TextFilter, strip: Strip, nameStart: u32, nameEnd: u32, end: u32): void {
  // br, script and style are not in the set.
  const isEscaped = isNamed(filter, strip, offsetof<HtmlStripConfig>('escapedTagsOff'), nameStart, nameEnd);
  if (end != NOWHERE) {
    if (isEscaped) keep(filter, strip, end);
    else if (isNamed(filter, strip, offsetof<HtmlStripConfig>('inlineTagsOff'), nameStart, nameEnd)) replace(filter, strip, end, 0, 0, 0);
    else replace(filter, strip, end, 1, LINE_FEED, 0);
  } else if (nameEnd == filter.count && !isEscaped) replace(filter, strip, nameEnd, 0, 0, 0);
  else keep(filter, strip, nameEnd);
}

function declaration(filter: TextFilter, strip: Strip): void {
  const at = strip.at, count = filter.count;
  if (peek(filter, at + 2) == CHAR.DASH && peek(filter, at + 3) == CHAR.DASH) {
    const end = commentEnd(filter, at + 4, false);
    replace(filter, strip, end == NOWHERE ? count : end, 0, 0, 0);
    return;
  }
  // Upper case only, so bit 5 is compared.
  if (isCdata(filter, at + 2)) {
    replace(filter, strip, at + 9, 0, 0, 0);
    let end = strip.at;
    while (end < count && !(unitOf(filter, end) == CHAR.BRACKET_END && peek(filter, end + 1) == CHAR.BRACKET_END && peek(filter, end + 2) == CHAR.GREATER)) end++;
    keep(filter, strip, end);
    if (end < count) replace(filter, strip, end + 3, 0, 0, 0);
    return;
  }
  let end = at;
  while (end < count && unitOf(filter, end) != CHAR.GREATER) end++;
  if (end == count) keep(filter, strip, count);
  else replace(filter, strip, end + 1, 0, 0, 0);
}

/** Whether [CDATA[ is at `at`. */
function isCdata(filter: TextFilter, at: u32): bool {
  return peek(filter, at) == CHAR.BRACKET && peek(filter, at + 1) == 0x43 && peek(filter, at + 2) == 0x44 && peek(filter, at + 3) == 0x41 &&
    peek(filter, at + 4) == 0x54 && peek(filter, at + 5) == 0x41 && peek(filter, at + 6) == CHAR.BRACKET;
}

/** Whether <!-- is at `at`. */
// @ts-ignore: decorator
@inline
function isComment(filter: TextFilter, at: u32): bool {
  return unitOf(filter, at) == CHAR.LESS && peek(filter, at + 1) == CHAR.BANG && peek(filter, at + 2) == CHAR.DASH && peek(filter, at + 3) == CHAR.DASH;
}

/** End of -->, skipping server-side includes and, in scripts and styles, strings; NOWHERE if there is none. */
function commentEnd(filter: TextFilter, from: u32, hasStrings: bool): u32 {
  const count = filter.count;
  let at = from, isInclude = false;
  while (at < count) {
    const unit = unitOf(filter, at);
    if (unit == CHAR.DASH && peek(filter, at + 1) == CHAR.DASH && peek(filter, at + 2) == CHAR.GREATER) {
      at += 3;
      if (!isInclude) return at;
      isInclude = false;
    } else if (!isInclude && isComment(filter, at) && peek(filter, at + 4) == CHAR.HASH) {
      isInclude = true;
      at += 5;
    } else if ((isInclude || hasStrings) && (unit == CHAR.APOSTROPHE || unit == CHAR.QUOTE)) at = stringEnd(filter, at);
    else at++;
  }
  return NOWHERE;
}

function stringEnd(filter: TextFilter, from: u32): u32 {
  const quote = unitOf(filter, from);
  let at = from + 1;
  while (at < filter.count && unitOf(filter, at) != quote) at += unitOf(filter, at) == CHAR.BACKSLASH ? 2 : 1;
  return at + 1;
}

/** A script or style element, with its name in two words of letters: drops its content, and its tags unless they are escaped. */
function element(filter: TextFilter, strip: Strip, name: u32, nameRest: u32, isEscaped: bool, contentStart: u32): void {
  const count = filter.count, rest: u32 = nameRest > 0xff ? 2 : 1;
  if (isEscaped) keep(filter, strip, contentStart);
  for (let at = contentStart; at < count; ) {
    if (unitOf(filter, at) != CHAR.LESS) {
      at++;
      continue;
    }
    if (isComment(filter, at)) {
      at = min(commentEnd(filter, at + 4, true), count);
      continue;
    }
    if (peek(filter, at + 1) == CHAR.SLASH) {
      const start = skipSpace(filter, at + 2), close = skipSpace(filter, start + 4 + rest);
      if (hasLetters(filter, start, name) && hasLetters(filter, start + 4, nameRest) && peek(filter, close) == CHAR.GREATER) {
        if (isEscaped) {
          replace(filter, strip, at, 0, 0, 0);
          keep(filter, strip, close + 1);
        } else replace(filter, strip, close + 1, 1, LINE_FEED, 0);
        return;
      }
    }
    at++;
  }
  replace(filter, strip, count, 0, 0, 0);
}
