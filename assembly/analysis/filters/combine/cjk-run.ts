// Bigrams of ideographs and kana directly from the text, so that the standard tokenizer need not cut it into characters (Japanese: 75 -> 240 MB/s).
// A plain character is one whose token is the character itself or its run of katakana: the text after it must not join it, as marks and half-width
// kana would. Everything else is left to the tokenizer. The state of the current run is shared with cjk-bigram.ts, so that pairs may span both.
// Pre: the standard tokenizer; stages between change no plain character (`fuse` in src/analysis/fusion.ts); offsets are not mapped.
import { lastReadable } from '../../../mem/layout';
import { CJK_KATAKANA, CJK_PLAIN, cjkKind } from '../../../text/generated/cjk-kind';
import { WORD_BREAK_CLASS_LOW, WORD_BREAK_CLASSES, WORD_BREAK_NEXT, wordBreakClass } from '../../../text/generated/word-break';
import { BATCH, Chain, Stage, stateOf, tokenAt } from '../../stage';
import { TOKEN_BYTES, TokenType, writeToken } from '../../token';
import { below, isWithin, storeLower } from '../../tokenizers/masks';
import { BigramState } from './bigram-state';

/** Size of a character in the area, see cjk-bigram.ts. */
const ENTRY: usize = 12;
/** Size of a pair. */
const PAIR: usize = 6;
const START_STATE: u32 = 1;

/** Characters per block, and the bytes that reading a block touches. */
const BLOCK: u32 = 64;
const BLOCK_BYTES: usize = 3 * <usize>BLOCK + 32;

/** Code point of the three bytes at `at`, 0 if they are not a character. */
// @ts-ignore: decorator
@inline
function threeAt(at: usize): u32 {
  return three(<u32>load<u16>(at) | (<u32>load<u8>(at, 2) << 16));
}

/** The same for bytes in a word, the first one lowest. */
// @ts-ignore: decorator
@inline
function three(bytes: u32): u32 {
  const cp = ((bytes & 15) << 12) | ((bytes >> 2) & 0xfc0) | ((bytes >> 16) & 63);
  return (bytes & 0xc0c0f0) == 0x8080e0 ? cp : 0;
}

/** The plain character at `at`, 0 if there is none. */
// @ts-ignore: decorator
@inline
export function plainAt(at: usize, end: usize): u32 {
  if (at + 3 > end) return 0;
  const cp = threeAt(at);
  return cjkKind(cp) & CJK_PLAIN ? cp : 0;
}

/** The same for the four characters at `at`, in lanes of 32 bits. Reads 16 bytes. */
// @ts-ignore: decorator
@inline
function fourAt(at: usize): v128 {
  const bytes = i8x16.swizzle(v128.load(at), i8x16(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
  const high = i32x4.shl(v128.and(bytes, i32x4.splat(15)), 12), middle = v128.and(i32x4.shr_u(bytes, 2), i32x4.splat(0xfc0));
  const cps = v128.or(v128.or(high, middle), v128.and(i32x4.shr_u(bytes, 16), i32x4.splat(63)));
  return v128.and(cps, i32x4.eq(v128.and(bytes, i32x4.splat(0xc0c0f0)), i32x4.splat(0x8080e0)));
}

/** Lanes of 16 bits in [first, last]. */
// @ts-ignore: decorator
@inline
function isFromTo(x: v128, first: i32, last: i32): v128 {
  return i16x8.lt_s(i16x8.sub(x, i16x8.splat(<i16>(first - 0x8000))), i16x8.splat(<i16>(last + 1 - first - 0x8000)));
}

/**
 * Classifies eight characters at `at` at once, for those that most input consists of: hiragana, katakana, common ideographs and punctuation.
  * Reads 28 bytes.
  * @returns bit i: character i is plain; bit 8 + i: it is one of the above. For all others use `cjkKind`
 */
// @ts-ignore: decorator
@inline
function eightKinds(at: usize): u32 {
  const cps = i16x8.narrow_i32x4_u(fourAt(at), fourAt(at + 12));
  const kana = v128.or(isFromTo(cps, 0x3041, 0x3096), isFromTo(cps, 0x309b, 0x30ff));
  const dot = i16x8.eq(cps, i16x8.splat(0x30fb));
  const letters = v128.or(kana, isFromTo(cps, 0x4e00, 0x9fef));
  const known = v128.or(letters, isFromTo(cps, 0x3000, 0x3004));
  return <u32>i8x16.bitmask(i8x16.narrow_i16x8_s(v128.andnot(letters, dot), known));
}

/** Word-break class of the character at `at`: 0 at the end, WORD_BREAK_CLASSES if it is neither ASCII nor three bytes long. */
function classAt(at: usize, end: usize): u32 {
  if (at >= end) return 0;
  const byte = <u32>load<u8>(at);
  if (byte < 0x80) return load<u8>(WORD_BREAK_CLASS_LOW + byte);
  if (byte - 0xe1 >= 0xf0 - 0xe1 || at + 3 > end || (load<u16>(at, 1) & 0xc0c0) != 0x8080) return WORD_BREAK_CLASSES;
  return wordBreakClass(((byte & 15) << 12) | ((<u32>load<u8>(at, 1) & 63) << 6) | (load<u8>(at, 2) & 63));
}

/** Whether the character at `at` may belong to the token of the plain character before it. */
function joins(plain: u32, at: usize, end: usize): bool {
  const type = classAt(at, end);
  if (type >= WORD_BREAK_CLASSES) return true;
  const state = <usize>load<u8>(WORD_BREAK_NEXT + START_STATE * WORD_BREAK_CLASSES + wordBreakClass(plain));
  return load<u8>(WORD_BREAK_NEXT + state * WORD_BREAK_CLASSES + type) != 0;
}

/** Whether no token starts with the single-byte character at `at`. */
// @ts-ignore: decorator
@inline
function isGap(at: usize): bool {
  const byte = <u32>load<u8>(at);
  return byte < 0x80 && !load<u8>(WORD_BREAK_NEXT + START_STATE * WORD_BREAK_CLASSES + load<u8>(WORD_BREAK_CLASS_LOW + byte));
}

/** Type of the last word found by asciiWord. */
let wordType: u32 = 0;

/** Length of a word of ASCII letters and digits at `at` that nothing else joins; 0 if there is none of less than 16 bytes. */
function asciiWord(at: usize, end: usize): u32 {
  const x = v128.load(at);
  const letters = <u32>i8x16.bitmask(isWithin(v128.or(x, i8x16.splat(32)), 97, 26)), digits = <u32>i8x16.bitmask(isWithin(x, 48, 10));
  const length = min(<u32>ctz(~(letters | digits)), <u32>(end - at));
  if (length - 1 >= 15) return 0;
  wordType = letters & ((1 << length) - 1) ? TokenType.ALPHANUM : TokenType.NUM;
  return classAt(at + length, end) == 0 || plainAt(at + length, end) ? length : 0;
}

/** Whether a batch has room for the output of a block: a token for each of its characters and the one before. */
// @ts-ignore: decorator
@inline
export function hasBlockRoom(stage: Stage, token: usize, out: usize, outEnd: usize): bool {
  return token + (BLOCK + 1) * TOKEN_BYTES <= stage.tokens + BATCH * TOKEN_BYTES && out + (BLOCK + 2) * PAIR <= outEnd;
}

/**
 * Emits bigrams from the tokenizer's position on and advances it: a block of up to 64 characters at a time, while there is room.
  * @param area    characters of the current run, of which at most the last one is pending, directly before `chain.cur`
  * @param outEnd  end of the room for terms
  * @param asWords also emits ASCII words, in lower case
  * @returns number of tokens in the batch, including the `made` there were before
 */
export function bigramRuns(chain: Chain, stage: Stage, area: usize, made: u32, outEnd: usize, asWords: bool): u32 {
  const state = stateOf<BigramState>(stage);
  const end = chain.textEnd, lastBlock = lastReadable(BLOCK_BYTES);
  let cur = chain.cur, unit = <u32>(cur - chain.unitBase), out = stage.termCur, token = changetype<usize>(tokenAt(stage, made));
  // The previous character (0 for none), whether it is in no pair yet, and its offset.
  let previous: u32 = 0, isAlone = false, start: u32 = 0;
  if (state.runLength != state.started) {
    const entry = area + (state.runLength - 1) * ENTRY;
    previous = load<u32>(entry);
    start = load<u32>(entry, 4);
    isAlone = state.runLength == 1;
    // Pairs with characters of other lengths are left to cjk-bigram.ts.
    if (previous - 0x800 >= 0x10000 - 0x800) return made;
  }
  while (cur < end && cur <= lastBlock && hasBlockRoom(stage, token, out, outEnd)) {
    // --- classify the characters: bit i for character i
    let plain: u64 = 0, count: u64 = 0, at = cur;
    if (load<u8>(cur) >= 0xe0) for (const blockEnd = min(end, cur + 3 * <usize>BLOCK); at + 3 <= blockEnd; ) {
      const kinds = eightKinds(at);
      // A separate path, so that the next eight need not wait for the result.
      if (kinds >> 8 == 0xff && at + 24 <= blockEnd) {
        plain |= <u64>(kinds & 0xff) << count;
        count += 8;
        at += 24;
        continue;
      }
      const known = min(<u32>ctz(~(kinds >> 8)), <u32>(blockEnd - at) / 3);
      plain |= (<u64>(kinds & 0xff) & below(known)) << count;
      count += known;
      at += 3 * known;
      if (at + 3 > blockEnd) break;
      const kind = <u64>cjkKind(three(load<u32>(at)));
      if (!kind) break;
      plain |= (kind & CJK_PLAIN) << count;
      count++;
      at += 3;
    }
    if (!count) {
      const word = asWords ? asciiWord(cur, end) : 0;
      if (!word && !isGap(cur)) break;
      if (isAlone) {
        token = emitSingle(token, out, previous, start, unit);
        out += 3;
      }
      previous = 0;
      isAlone = false;
      if (word) {
        storeLower(out, v128.load(cur));
        writeToken(token, out, word, unit, unit + word, wordType);
        token += TOKEN_BYTES;
        out += word;
      }
      cur += max(word, 1);
      unit += max(word, 1);
      continue;
    }
    // --- keep those that nothing after the block can join: all but the last, or but the last run of katakana
    let sure = <u32>count;
    if ((plain >> (count - 1)) & 1 && joins(threeAt(at - 3), at, end)) {
      sure--;
      if (cjkKind(threeAt(at - 3)) & CJK_KATAKANA) while (sure && cjkKind(threeAt(cur + 3 * (sure - 1))) & CJK_KATAKANA) sure--;
      if (!sure) break;
      plain &= below(sure);
    }
    // --- emit pairs, and single characters
    const pairs = plain & (plain >> 1), open = plain & (<u64>1 << (sure - 1));
    let singles = plain & ~(pairs | (pairs << 1));
    if (previous) {
      if (plain & 1) {
        store<u64>(out, threeBytes(previous) | (threeBytes(threeAt(cur)) << 24));
        writeToken(token, out, PAIR, start, unit + 1, TokenType.DOUBLE);
        token += TOKEN_BYTES;
        out += PAIR;
        singles &= ~1;
      } else if (isAlone) {
        token = emitSingle(token, out, previous, start, unit);
        out += 3;
      }
    }
    isAlone = (singles & open) != 0;
    singles &= ~open;
    if (singles) emitMixed(token, out, cur, unit, pairs, singles);
    else emitPairs(token, out, cur, unit, pairs);
    const pairCount = <usize>popcnt(pairs), singleCount = <usize>popcnt(singles);
    token += (pairCount + singleCount) * TOKEN_BYTES;
    out += pairCount * PAIR + singleCount * 3;
    cur += 3 * sure;
    unit += sure;
    previous = open ? threeAt(cur - 3) : 0;
    start = unit - 1;
    if (sure < <u32>count) break;
  }
  if (cur == chain.cur) return made;
  chain.cur = cur;
  chain.unitBase = cur - unit;
  chain.endOffset = unit;
  stage.termCur = out;
  saveRun(state, area, previous, start, unit, isAlone);
  return <u32>((token - stage.tokens) / TOKEN_BYTES);
}

/** Makes the last character (0 for none) the current run of cjk-bigram.ts. */
function saveRun(state: BigramState, area: usize, cp: u32, start: u32, end: u32, isAlone: bool): void {
  state.runLength = cp ? (isAlone ? 1 : 2) : 0;
  state.started = cp && !isAlone ? 1 : 0;
  if (!cp) return;
  const entry = area + (state.runLength - 1) * ENTRY;
  store<u32>(entry, cp);
  store<u32>(entry, start, 4);
  store<u32>(entry, end, 8);
  state.runEnd = end;
}

/** Emits the pairs of a block: bit i of `pairs` for characters i and i + 1. */
// @ts-ignore: decorator
@inline
function emitPairs(token: usize, out: usize, cur: usize, unit: u32, pairs: u64): void {
  const spans = <u64>unit | (<u64>(unit + 2) << 32);
  for (let rest = pairs; rest; rest &= rest - 1) {
    const i = ctz(rest);
    store<u64>(out, load<u64>(cur + 3 * <usize>i));
    store<u64>(token, <u64>out | (<u64>PAIR << 32));
    store<u64>(token, spans + (i | (i << 32)), 8);
    v128.store(token, i32x4(1, 1, TokenType.DOUBLE, 1), 16);
    token += TOKEN_BYTES;
    out += PAIR;
  }
}

/** Emits the pairs of a block, and the characters that are in none. */
function emitMixed(token: usize, out: usize, cur: usize, unit: u32, pairs: u64, singles: u64): void {
  for (let rest = pairs | singles; rest; rest &= rest - 1) {
    const i = <u32>ctz(rest), isPair = <u32>((pairs >> i) & 1), bytes = 3 + 3 * isPair;
    store<u64>(out, load<u64>(cur + 3 * i));
    writeToken(token, out, bytes, unit + i, unit + i + 1 + isPair, TokenType.SINGLE + isPair);
    token += TOKEN_BYTES;
    out += bytes;
  }
}

/** Emits a token of the character `cp` at `out`. Returns the address of the next token. */
function emitSingle(token: usize, out: usize, cp: u32, start: u32, end: u32): usize {
  store<u32>(out, <u32>threeBytes(cp));
  writeToken(token, out, 3, start, end, TokenType.SINGLE);
  return token + TOKEN_BYTES;
}

/** UTF-8 of a three-byte character, the first byte lowest. */
// @ts-ignore: decorator
@inline
function threeBytes(cp: u32): u64 {
  return (0x8080e0 | (cp >> 12)) | ((cp & 0xfc0) << 2) | ((cp & 63) << 16);
}
