// Standard tokenizer: UAX #29 words, cut like Lucene's StandardTokenizer by the automaton of assembly/text/generated/word-break.ts.
//   config ├─ maxTokenLength u32 (UTF-16 units) ─┬─ flags u32: StandardFlag ─┤
// LOWER puts terms in lower case, code point by code point; NON_JOINER treats U+200C as a space (Persian); STOP_BEFORE_CJK ends a batch before
// ideographs and kana, which the bigram stage reads itself. Three ways through the text produce the same tokens: 64 bytes of words at a time as bit
// masks (letters of one and two bytes and of U+0800..U+2FFF, and what is common between them: word-run.ts), ideographs and hiragana one by one, and
// the automaton, code point by code point, for everything else.
// Pre: the stage's batch is free. Post: tokens ascend by offset, none is longer than maxTokenLength.
// standardNext is one function for the three ways, since a function for each takes longer: 1.11 for Japanese, 1.25 for Thai text.
import { lastReadable } from '../../mem/layout';
import { E_NO_SPACE } from '../../mem/status';
import { LOWER_LOW, lowerCase } from '../../text/generated/case';
import { WORD_BREAK_ACCEPT, WORD_BREAK_CLASS_LOW, WORD_BREAK_CLASSES, WORD_BREAK_NEXT, wordBreakClass } from '../../text/generated/word-break';
import { decode, encode, utf16Length } from '../../text/utf8';
import { plainAt } from '../filters/combine/cjk-run';
import { StandardFlag } from '../config-values';
import { BATCH, Chain, Stage } from '../stage';
import { TOKEN_BYTES, TokenType, writeToken } from '../token';
import { INDIC_LEAD, isIndic } from './indic-run';
import { below, bitmasks, BLOCK_BYTES, storeLower } from './masks';
import { runContinuations, runDigits, runLetters, runValid, scanRun } from './word-run';
import { StandardConfig } from '../stage-configs';
import { finishBatch } from './finish-batch';

const NON_JOINER: u32 = 0x200c;

// Classes of ASCII bytes as LOW[byte & 15] & HIGH[byte >> 4]: 1 digit, 2 and 4 letter, 8 underscore, 16 . and ', 32 comma, 64 colon, 128 semicolon.
const LOW = memory.data<u8>([0x05, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x17, 0x07, 0x07, 0x46, 0x82, 0x22, 0x02, 0x12, 0x0a]);
const HIGH = memory.data<u8>([0, 0, 0x30, 0xc1, 0x02, 0x0c, 0x02, 0x04, 0, 0, 0, 0, 0, 0, 0, 0]);
const UNKNOWN_CLASS: u32 = 255;
const HIGH_BITS: u64 = 0x8080808080808080;

/** Fills the batch. Returns the number of tokens, 0 at the end of the text, E_NO_SPACE if a single token does not fit into the area. */
export function standardNext(chain: Chain, stage: Stage): i32 {
  const config = changetype<StandardConfig>(stage.config), maxLength = config.maxLength;
  const flags = config.flags, lower = (flags & StandardFlag.LOWER) != 0;
  const space: u32 = flags & StandardFlag.NON_JOINER ? NON_JOINER : 0;
  const end = chain.textEnd;
  // A quarter of the area is left for filters that lengthen terms.
  const outEnd = stage.termsEnd - ((stage.termsEnd - stage.termsPtr) >> 2);
  const tokensEnd = stage.tokens + BATCH * TOKEN_BYTES;
  let cur = chain.cur, base = chain.unitBase, out = stage.termsPtr, token = stage.tokens;
  const mayRun = maxLength >= 64, stops = (flags & StandardFlag.STOP_BEFORE_CJK) != 0 && !chain.isStepped && !chain.isMapped;
  const lastBlock = lastReadable(BLOCK_BYTES);
  while (cur < end && token < tokensEnd) {
    const first = <u32>load<u8>(cur);
    if (first == 0x20) {
      cur++;
      continue;
    }
    if (mayRun && first < 0xe3 && (first != INDIC_LEAD || isIndic(load<u8>(cur, 1))) && cur <= lastBlock && out + 64 <= outEnd && token + 32 * TOKEN_BYTES <= tokensEnd && !hasLong(load<u64>(cur))) {
      // --- 64 bytes as masks
      const x0 = v128.load(cur), x1 = v128.load(cur, 16), x2 = v128.load(cur, 32), x3 = v128.load(cur, 48);
      // The block may extend past the end of the text; the bytes there count as spaces.
      const len = <u32>min<usize>(end - cur, 64), inText = below(len);
      const lowTable = v128.load(LOW), highTable = v128.load(HIGH);
      const c0 = classes(x0, lowTable, highTable), c1 = classes(x1, lowTable, highTable);
      const c2 = classes(x2, lowTable, highTable), c3 = classes(x3, lowTable, highTable);
      let letters = inText & anyOf(c0, c1, c2, c3, i8x16.splat(0x06));
      let digits = inText & anyOf(c0, c1, c2, c3, i8x16.splat(0x01));
      const underscores = inText & anyOf(c0, c1, c2, c3, i8x16.splat(0x08));
      const mid = bitmasks(
        i8x16.ne(v128.and(c0, i8x16.splat(-16)), i8x16.splat(0)), i8x16.ne(v128.and(c1, i8x16.splat(-16)), i8x16.splat(0)),
        i8x16.ne(v128.and(c2, i8x16.splat(-16)), i8x16.splat(0)), i8x16.ne(v128.and(c3, i8x16.splat(-16)), i8x16.splat(0)));
      if (lower) {
        storeLower(out, x0);
        storeLower(out + 16, x1);
        storeLower(out + 32, x2);
        storeLower(out + 48, x3);
      } else {
        v128.store(out, x0);
        v128.store(out, x1, 16);
        v128.store(out, x2, 32);
        v128.store(out, x3, 48);
      }
      const high = inText & bitmasks(x0, x1, x2, x3);
      let valid: u32 = 64, continuations: u64 = 0;
      if (high) {
        scanRun(cur, out, lower, high, letters, digits, space);
        letters = runLetters;
        digits = runDigits;
        valid = runValid;
        continuations = runContinuations;
      }
      let word = letters | digits | underscores;
      if (mid & (word << 1) & (word >> 1)) {
        const midLetter = anyOf(c0, c1, c2, c3, i8x16.splat(0x50));
        const midNumber = anyOf(c0, c1, c2, c3, i8x16.splat(<i8>0xb0));
        word |= (midLetter & (letters << 1) & (letters >> 1)) | (midNumber & (digits << 1) & (digits >> 1));
      }
      // A run is final if the two bytes after it are known.
      const sure: u64 = valid < 2 ? 0 : <u64>-1 >> (65 - <u64>valid);
      let starts = word & ~(word << 1);
      let ends = ~word & (word << 1) & sure;
      const unit = <u32>(cur - base);
      if (!continuations) {
        while (ends) {
          const s = <u32>ctz(starts), e = <u32>ctz(ends);
          starts &= starts - 1;
          ends &= ends - 1;
          const mask = ((<u64>1 << e) - 1) & ~((<u64>1 << s) - 1);
          const type = letters & mask ? TokenType.ALPHANUM : digits & mask ? TokenType.NUM : 0;
          if (type) {
            writeToken(token, out + s, e - s, unit + s, unit + e, type);
            token += TOKEN_BYTES;
          }
        }
      } else {
        while (ends) {
          const s = <u32>ctz(starts), e = <u32>ctz(ends);
          starts &= starts - 1;
          ends &= ends - 1;
          const before = (<u64>1 << s) - 1, until = (<u64>1 << e) - 1, mask = until & ~before;
          const type = letters & mask ? TokenType.ALPHANUM : digits & mask ? TokenType.NUM : 0;
          if (type) {
            writeToken(token, out + s, e - s, unit + s - <u32>popcnt(continuations & before), unit + e - <u32>popcnt(continuations & until), type);
            token += TOKEN_BYTES;
          }
        }
      }
      // Advance to the first byte that is not final. An ASCII byte at the end may belong to the next character: # and digits start emoji.
      let known = min(valid, len);
      if (known && known < end - cur && !((high >> (known - 1)) & 1)) known--;
      const advance = min(<u32>ctz(starts), known);
      if (advance) {
        cur += advance;
        base += <usize>popcnt(continuations & below(advance));
        out += advance;
        continue;
      }
    }
    if (stops) {
      if (token > stage.tokens && plainAt(cur, end)) break;
    } else if (first - 0xe3 < 0xea - 0xe3) {
      const behind = singles(cur, end, out, outEnd, base, token, tokensEnd);
      if (singlesCur != cur) {
        out += (behind - token) / TOKEN_BYTES * 3;
        token = behind;
        base += (singlesCur - cur) / 3 * 2;
        cur = singlesCur;
        continue;
      }
    }
    // --- one token, or one code point outside tokens, by the automaton
    let state: u32 = 1, type: u32 = 0, p = cur, units: u32 = 0, o = out;
    let acceptCur = cur, acceptUnits: u32 = 0, acceptOut = out;
    while (p < end) {
      let cp = <u32>load<u8>(p), bytes: u32 = 1, cls: u32;
      if (isCaselessLead(cp)) {
        // --- a run of such characters, none a space: no surrogate pairs, and the term's bytes are the text's (hi: 195 -> 300 MB/s)
        const run = min<usize>(min<usize>(end - p, <usize>(maxLength - units) * 3), o + 16 < outEnd ? outEnd - o - 16 : 0) / 3 * 3;
        const from = p, runEnd = p + run;
        let next = state, good = p;
        while (p < runEnd && <u32>load<u8>(p) == cp && (load<u16>(p, 1) & 0xc0c0) == 0x8080 && (cp != 0xe0 || load<u8>(p, 1) & 0x20)) {
          const unit = ((cp & 15) << 12) | ((<u32>load<u8>(p, 1) & 63) << 6) | (load<u8>(p, 2) & 63);
          cls = unit < 0x1000 ? load<u8>(WORD_BREAK_CLASS_LOW + unit) : wordBreakClass(unit);
          next = load<u8>(WORD_BREAK_NEXT + next * WORD_BREAK_CLASSES + cls);
          if (!next) break;
          state = next;
          p += 3;
          const accept = <u32>load<u8>(WORD_BREAK_ACCEPT + next);
          if (accept) {
            type = accept;
            good = p;
          }
        }
        if (p > from) {
          for (let i: usize = 0; i < p - from; i += 16) v128.store(o + i, v128.load(from + i));
          if (good > from) {
            acceptCur = good;
            acceptUnits = units + <u32>(good - from) / 3;
            acceptOut = o + (good - from);
          }
          units += <u32>(p - from) / 3;
          o += p - from;
          if (!next) break;
          continue;
        }
        if (!next) break;
      }
      // Separate tables for one and two bytes: Cyrillic, Greek, Hebrew and Arabic are twice as fast as by the tries.
      if (cp < 0x80) cls = load<u8>(WORD_BREAK_CLASS_LOW + cp);
      else if (cp < 0xe0 && cp >= 0xc2 && p + 1 < end && (load<u8>(p, 1) & 0xc0) == 0x80) {
        cp = ((cp & 31) << 6) | (load<u8>(p, 1) & 63);
        bytes = 2;
        cls = load<u8>(WORD_BREAK_CLASS_LOW + cp);
      } else if (cp - 0xe1 < 0xf0 - 0xe1 && p + 2 < end && (load<u16>(p, 1) & 0xc0c0) == 0x8080) {
        cp = ((cp & 15) << 12) | ((<u32>load<u8>(p, 1) & 63) << 6) | (load<u8>(p, 2) & 63);
        bytes = 3;
        cls = cp == space ? 0 : wordBreakClass(cp);
      } else {
        const d = decode(p, end);
        cp = d & 0xffffff;
        bytes = d >> 24;
        cls = wordBreakClass(cp);
      }
      state = load<u8>(WORD_BREAK_NEXT + state * WORD_BREAK_CLASSES + cls);
      if (!state) break;
      const cpUnits: u32 = cp > 0xffff ? 2 : 1;
      if (units + cpUnits > maxLength) break;
      if (o + 4 > outEnd) {
        // The batch is full: return what has been found; this token is the first of the next batch.
        if (token == stage.tokens) return E_NO_SPACE;
        return finishBatch(chain, stage, cur, base, out, token);
      }
      if (lower) cp = cp < 0x800 ? load<u16>(LOWER_LOW + (<usize>cp << 1)) : isCaseless(cp) ? cp : lowerCase(cp);
      if (cp < 0x80) store<u8>(o++, cp);
      else if (cp < 0x800) {
        store<u16>(o, (0xc0 | (cp >> 6)) | ((0x80 | (cp & 63)) << 8));
        o += 2;
      } else if (cp < 0x10000) {
        store<u16>(o, (0xe0 | (cp >> 12)) | ((0x80 | ((cp >> 6) & 63)) << 8));
        store<u8>(o, 0x80 | (cp & 63), 2);
        o += 3;
      } else o += encode(o, cp);
      units += cpUnits;
      p += bytes;
      const accept = <u32>load<u8>(WORD_BREAK_ACCEPT + state);
      if (accept) {
        type = accept;
        acceptCur = p;
        acceptUnits = units;
        acceptOut = o;
      }
    }
    if (type) {
      const unit = <u32>(cur - base);
      writeToken(token, out, <u32>(acceptOut - out), unit, unit + acceptUnits, type);
      token += TOKEN_BYTES;
      out = acceptOut;
      base = acceptCur - unit - acceptUnits;
      cur = acceptCur;
    } else {
      const d = decode(cur, end);
      const bytes = d >> 24;
      // A surrogate pair never fits into a buffer of one unit, which Lucene's scanner takes for the end.
      if (maxLength == 1 && bytes == 4) {
        base += utf8Surplus(cur, end);
        cur = end;
        break;
      }
      base += bytes - ((d & 0xffffff) > 0xffff ? 2 : 1);
      cur += bytes;
    }
  }
  return finishBatch(chain, stage, cur, base, out, token);
}

/** U+0800..U+0FFF, U+3000..U+9FFF, U+B000..U+CFFF: the scripts of India and their neighbours, kana, ideographs, hangul. */
// @ts-ignore: decorator
@inline
function isCaselessLead(byte: u32): bool {
  return byte == 0xe0 || byte - 0xe3 < 7 || byte - 0xeb < 2;
}

/** Whether one of 8 bytes starts a character of three or four bytes, except E0 to E2: U+0800..U+2FFF. */
// @ts-ignore: decorator
@inline
function hasLong(bytes: u64): bool {
  const long = bytes & (bytes << 1) & (bytes << 2) & HIGH_BITS;
  return long != 0 && (long & ((bytes << 3) | (bytes << 4) | (bytes << 5) | ((bytes << 6) & (bytes << 7)))) != 0;
}

/** Position that `singles` reached. */
let singlesCur: usize = 0;

/**
 * A sequence of ideographs and hiragana, each a token of three bytes unless the character after it belongs to it, and of punctuation between them.
  * Returns the end of the tokens written.
 */
function singles(from: usize, end: usize, outPtr: usize, outEnd: usize, base: usize, tokens: usize, tokensEnd: usize): usize {
  let cur = from, token = tokens, out = outPtr, unit = <u32>(from - base);
  let type = threeByteClass(cur, end);
  while (token < tokensEnd && out + 4 <= outEnd) {
    if (type == 0) {
      if (cur >= end || load<u8>(cur) < 0x80) break;
      cur += 3;
      unit++;
      type = threeByteClass(cur, end);
      continue;
    }
    if (type == UNKNOWN_CLASS) break;
    const state = load<u8>(WORD_BREAK_NEXT + WORD_BREAK_CLASSES + type), accept = <u32>load<u8>(WORD_BREAK_ACCEPT + state);
    if (accept != TokenType.IDEOGRAPHIC && accept != TokenType.HIRAGANA) break;
    const next = cur + 3;
    type = threeByteClass(next, end);
    if (type == UNKNOWN_CLASS || load<u8>(WORD_BREAK_NEXT + <usize>state * WORD_BREAK_CLASSES + type)) break;
    store<u16>(out, load<u16>(cur));
    store<u8>(out, load<u8>(cur, 2), 2);
    writeToken(token, out, 3, unit, unit + 1, accept);
    token += TOKEN_BYTES;
    unit++;
    out += 3;
    cur = next;
  }
  singlesCur = cur;
  return token;
}

/** Class of the character at `cur`: 0 for the end and ASCII, which join nothing before them; UNKNOWN_CLASS if it is not three bytes long. */
// @ts-ignore: decorator
@inline
function threeByteClass(cur: usize, end: usize): u32 {
  if (cur >= end) return 0;
  const byte = <u32>load<u8>(cur);
  if (byte < 0x80) return 0;
  if (byte - 0xe1 >= 0xf0 - 0xe1 || cur + 3 > end || (load<u16>(cur, 1) & 0xc0c0) != 0x8080) return UNKNOWN_CLASS;
  return wordBreakClass(((byte & 15) << 12) | ((<u32>load<u8>(cur, 1) & 63) << 6) | (load<u8>(cur, 2) & 63));
}

/** The scripts of India and South-East Asia, ideographs, kana and hangul have no case. */
// @ts-ignore: decorator
@inline
function isCaseless(cp: u32): bool {
  return cp - 0x900 < 0x10a0 - 0x900 || cp - 0x2e80 < 0xa640 - 0x2e80 || cp - 0xac00 < 0xff00 - 0xac00;
}

/** Number of bytes minus UTF-16 units. */
function utf8Surplus(from: usize, end: usize): usize {
  return end - from - utf16Length(from, end);
}

// @ts-ignore: decorator
@inline
function classes(x: v128, low: v128, high: v128): v128 {
  return v128.and(i8x16.swizzle(low, v128.and(x, i8x16.splat(0x0f))), i8x16.swizzle(high, i8x16.shr_u(x, 4)));
}

/** Bytes that have one of the class bits. */
// @ts-ignore: decorator
@inline
function anyOf(a: v128, b: v128, c: v128, d: v128, bits: v128): u64 {
  const zero = i8x16.splat(0);
  return bitmasks(i8x16.ne(v128.and(a, bits), zero), i8x16.ne(v128.and(b, bits), zero), i8x16.ne(v128.and(c, bits), zero), i8x16.ne(v128.and(d, bits), zero));
}
