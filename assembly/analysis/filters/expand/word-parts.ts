// Splits words into parts for word_delimiter and word_delimiter_graph: runs of letters or digits, cut at delimiters and where case or kind change.
// word-delimiter.ts has the layouts of config and area.
import { category } from '../../../text/character';
import { decode } from '../../../text/utf8';
import { Token } from '../../token';
import { WordDelimiterConfig } from '../../stage-configs';

export const WORD_PARTS: u32 = 1;
export const NUMBER_PARTS: u32 = 2;
export const CATENATE_WORDS: u32 = 4;
export const CATENATE_NUMBERS: u32 = 8;
export const CATENATE_ALL: u32 = 16;
const SPLIT_ON_CASE: u32 = 32;
export const PRESERVE: u32 = 64;
const SPLIT_ON_NUMERICS: u32 = 128;
const POSSESSIVE: u32 = 256;
export const IGNORE_KEYWORDS: u32 = 512;
export const GRAPH: u32 = 1024;
export const ADJUST_OFFSETS: u32 = 2048;
/** Protected words are in lower case and match words in any case. */
export const ANY_CASE: u32 = 4096;

const LOWER: u32 = 1;
const UPPER: u32 = 2;
export const DIGIT: u32 = 4;
const DELIMITER: u32 = 8;
export const ALPHA: u32 = LOWER | UPPER;

const TYPES: usize = 8;
export const EXCEPTIONS: usize = TYPES + 256;

/** Part of a word: units [start, end) and the type of the first unit, ALPHA for letters of either case. */
// @ts-ignore: decorator
@unmanaged
export class Part {
  start: u32;
  end: u32;
  type: u32;
}

/** A token to be emitted. In graphs `place` and `placeEnd` are nodes; otherwise `place` is the increment. */
// @ts-ignore: decorator
@unmanaged
export class Piece {
  kind: u32;
  /** Range of parts, inclusive. */
  first: u32;
  last: u32;
  place: i32;
  placeEnd: i32;
  start: u32;
  end: u32;
}

// @ts-ignore: decorator
@unmanaged
export class Splitter {
  /** Increments of words without output. */
  carry: u32;
  lastStart: u32;
  /** Flat: 1 once a token has been written. */
  hasOutput: u32;
  /** Pieces of the current word that have not been written. */
  pieces: usize;
  count: u32;
  next: u32;
  place: i32;
  isAligned: u32;
  isSingle: u32;
  isAscii: u32;
  units: usize;
  unitCount: u32;
  types: usize;
  parts: usize;
  partCount: u32;
  /** Positions used while pieces are created. */
  madePlace: i32;
  /** Flat: state of `increment`. */
  hasPlace: u32;
  isBehindOriginal: u32;
  scratch: usize;
  scratchEnd: usize;
  /** Runs of words or numbers, and of all parts. */
  run: usize;
  all: usize;
}

function typeOf(config: usize, unit: u32): u32 {
  if (unit < 256) return load<u8>(config + TYPES + unit);
  let low: u32 = 0, high = changetype<WordDelimiterConfig>(config).exceptionCount;
  while (low < high) {
    const middle = (low + high) >> 1, entry = config + EXCEPTIONS + (<usize>middle << 3), other = load<u32>(entry);
    if (other == unit) return load<u32>(entry, 4);
    if (other < unit) low = middle + 1;
    else high = middle;
  }
  const kind = category(unit);
  if (kind == 1) return UPPER;
  if (kind == 2) return LOWER;
  if (kind >= 3 && kind <= 8) return ALPHA;
  if (kind >= 9 && kind <= 11) return DIGIT;
  // Surrogates have both types, so that pairs are not split.
  return kind == 19 ? ALPHA | DIGIT : DELIMITER;
}

// @ts-ignore: decorator
@inline
function isBreak(flags: u32, last: u32, type: u32): bool {
  if (last & type) return false;
  if (!(flags & SPLIT_ON_CASE) && last & ALPHA && type & ALPHA) return false;
  if (last & UPPER && type & ALPHA) return false;
  return (flags & SPLIT_ON_NUMERICS) != 0 || !((last & ALPHA && type & DIGIT) || (last & DIGIT && type & ALPHA));
}

/** Whether a word is a single part. Words with code points above U+FFFF are left to `split`. */
export function isWhole(config: usize, flags: u32, token: Token): bool {
  const ptr = token.termPtr, end = ptr + token.termLen;
  if (ptr == end) return false;
  let last: u32 = 0;
  for (let p = ptr; p < end; ) {
    const d = decode(p, end), cp = d & 0xffffff;
    if (cp > 0xffff) return false;
    p += d >> 24;
    const type = typeOf(config, cp);
    if (type & DELIMITER || (last && isBreak(flags, last, type))) return false;
    last = type;
  }
  return true;
}

// @ts-ignore: decorator
@inline
export function unitAt(splitter: Splitter, i: u32): u32 {
  return load<u16>(splitter.units + (<usize>i << 1));
}

// @ts-ignore: decorator
@inline
function typeAt(splitter: Splitter, i: u32): u32 {
  return load<u8>(splitter.types + i);
}

// @ts-ignore: decorator
@inline
export function partAt(splitter: Splitter, i: u32): Part {
  return changetype<Part>(splitter.parts + <usize>i * offsetof<Part>());
}

/** Finds the parts of a word. False: the scratch memory is too small for them and for the pieces made of them. */
export function split(splitter: Splitter, config: usize, flags: u32, token: Token): bool {
  const len = token.termLen;
  splitter.units = splitter.scratch;
  splitter.types = splitter.units + (<usize>len << 1);
  splitter.parts = (splitter.types + len + 7) & ~7;
  if (splitter.parts > splitter.scratchEnd) return false;
  let count: u32 = 0, isAscii: u32 = 1;
  for (let p = token.termPtr, end = p + len; p < end; ) {
    const d = decode(p, end), cp = d & 0xffffff;
    p += d >> 24;
    if (cp >= 0x80) isAscii = 0;
    if (cp > 0xffff) {
      store<u32>(splitter.units + (<usize>count << 1), (0xd800 + ((cp - 0x10000) >> 10)) | ((0xdc00 + (cp & 0x3ff)) << 16));
      count += 2;
    } else {
      store<u16>(splitter.units + (<usize>count << 1), cp);
      count++;
    }
  }
  for (let i: u32 = 0; i < count; i++) store<u8>(splitter.types + i, typeOf(config, unitAt(splitter, i)));
  splitter.unitCount = count;
  splitter.isAscii = isAscii;
  let from: u32 = 0, to = count;
  while (from < to && typeAt(splitter, from) & DELIMITER) from++;
  while (to > from && typeAt(splitter, to - 1) & DELIMITER) to--;
  splitter.partCount = 0;
  for (let at = from; at < to; ) {
    while (at < to && typeAt(splitter, at) & DELIMITER) at++;
    if (at >= to) break;
    const first = typeAt(splitter, at);
    let last = first, end = at + 1;
    for (; end < to; end++) {
      const type = typeAt(splitter, end);
      if (isBreak(flags, last, type)) break;
      last = type;
    }
    const part = partAt(splitter, splitter.partCount++);
    if (changetype<usize>(part) + offsetof<Part>() > splitter.scratchEnd) return false;
    part.start = at;
    part.end = end;
    part.type = first == LOWER || first == UPPER ? ALPHA : first;
    at = end + 1 < to && endsWithPossessive(splitter, flags, end + 2, to) ? end + 2 : end;
  }
  const bare = endsWithPossessive(splitter, flags, to, to) ? to - 2 : to;
  splitter.isSingle = splitter.partCount && partAt(splitter, 0).start == from && partAt(splitter, 0).end == bare ? 1 : 0;
  splitter.isAligned = token.endOffset - token.startOffset == count ? 1 : 0;
  // Twice the size of the pieces, since sorting needs a copy.
  splitter.pieces = (splitter.parts + <usize>splitter.partCount * offsetof<Part>() + 7) & ~7;
  return splitter.pieces + (<usize>splitter.partCount * 2 + 2) * 2 * offsetof<Piece>() <= splitter.scratchEnd;
}

/** Whether 's ends at `at`, after a letter and before the end or a delimiter. */
function endsWithPossessive(splitter: Splitter, flags: u32, at: u32, to: u32): bool {
  if (!(flags & POSSESSIVE) || at <= 2 || at > to) return false;
  if (unitAt(splitter, at - 2) != 0x27 || (unitAt(splitter, at - 1) | 32) != 0x73 || !(typeAt(splitter, at - 3) & ALPHA)) return false;
  return at == to || (typeAt(splitter, at) & DELIMITER) != 0;
}
