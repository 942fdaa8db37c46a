// Character references of HTML, `&eacute;` and `&#233;`, as html-strip.ts resolves them. What is not a complete reference is kept.
// Source: HTML 4.01; a pair of references to surrogates is one character, as in Lucene's HTMLStripCharFilter.
import { E_NO_SPACE } from '../../mem/status';
import { TermSetEntry } from '../stage-configs';
import { findTerm, longestTerm } from '../term-set';
import { CHAR, configOf, keep, NOWHERE, peek, replace, Strip } from './html-text';
import { TextFilter, unitOf } from './text-filter';

const REPLACEMENT_CHARACTER: u32 = 0xfffd;

/** Resolves the reference at `strip.at`, or keeps what looks like one. */
export function reference(filter: TextFilter, strip: Strip): void {
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
