// HTML strip: removes tags, comments, scripts and styles (block tags and breaks become line feeds), and resolves character references.
// Malformed markup is kept. Source: the behaviour that Lucene documents for HTMLStripCharFilter; HTML 4.01 for references.
// Texts and automata: html-text.ts; references: html-references.ts.
import { E_NO_SPACE } from '../../mem/status';
import { HtmlEscape } from '../config-values';
import { Stage } from '../stage';
import { HtmlStripConfig } from '../stage-configs';
import { reference } from './html-references';
import { CHAR, configOf, hasLetters, isNamed, keep, longest, NOWHERE, peek, replace, skipSpace, Strip } from './html-text';
import { copyUnits, TextFilter, unitOf } from './text-filter';

/** Machines, by the offsets of their tables' offsets in the config. */
const TAIL: usize = offsetof<HtmlStripConfig>('tailOff');
const NAME: usize = offsetof<HtmlStripConfig>('nameOff');
const BR: usize = offsetof<HtmlStripConfig>('brOff');
const SCRIPT: usize = offsetof<HtmlStripConfig>('scriptOff');
const STYLE: usize = offsetof<HtmlStripConfig>('styleOff');
const INSTRUCTION: usize = offsetof<HtmlStripConfig>('instructionOff');

const LINE_FEED: u32 = 10;

/** Limit of the machines' steps: per unit, and a constant. */
const STEPS_PER_UNIT: u64 = 2000;
const FREE_STEPS: u64 = 10_000_000;

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
