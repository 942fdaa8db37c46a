// Standard tokenizer: UAX #29 words as Lucene's StandardTokenizer cuts them, by the automaton of assembly/text/generated/word-break.ts.
//   config ├─ maxTokenLength u32 (UTF-16 units) ─┬─ flags u32: 1 = lower-case the terms (one code point to one),
//          2 = U+200C is a space, as in Persian ─┤
// Two ways through the text, equal token for token: 64 bytes of ASCII at a time as bit masks (standard + lowercase on English: see
// bench/kernel), and one code point at a time by the automaton where something else than ASCII is near, and at the end.
// Pre: the stage's batch is free. Post: tokens ascend by offset, none is longer than maxTokenLength.
import { E_NO_SPACE } from '../../mem/status';
import { LOWER_LOW, lowerCase } from '../../text/generated/case';
import { WORD_BREAK_ACCEPT, WORD_BREAK_CLASS_LOW, WORD_BREAK_CLASSES, WORD_BREAK_NEXT, wordBreakClass } from '../../text/generated/word-break';
import { decode, encode, utf16Length } from '../../text/utf8';
import { BATCH, Chain, Stage } from '../stage';
import { TOKEN_BYTES, TokenType, writeToken } from '../token';

const FLAG_LOWER: u32 = 1;
const FLAG_NON_JOINER: u32 = 2;
const NON_JOINER: u32 = 0x200c;

// Classes of ASCII bytes as LOW[byte & 15] & HIGH[byte >> 4]: 1 digit, 2 and 4 letter, 8 underscore, 16 . and ', 32 comma, 64 colon, 128 semicolon.
const LOW = memory.data<u8>([0x05, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x17, 0x07, 0x07, 0x46, 0x82, 0x22, 0x02, 0x12, 0x0a]);
const HIGH = memory.data<u8>([0, 0, 0x30, 0xc1, 0x02, 0x0c, 0x02, 0x04, 0, 0, 0, 0, 0, 0, 0, 0]);
const HIGH_BITS: u64 = 0x8080808080808080;

/** Fills the batch. Returns the count of tokens, 0 at the end of the text, E_NO_SPACE if a single token does not fit the term buffer. */
export function standardNext(chain: Chain, stage: Stage): i32 {
  const maxLength = load<u32>(stage.config);
  const flags = load<u32>(stage.config, 4), lower = (flags & FLAG_LOWER) != 0;
  const space: u32 = flags & FLAG_NON_JOINER ? NON_JOINER : 0;
  const end = chain.textEnd;
  // A quarter of the buffer stays free for filters that lengthen terms.
  const outEnd = stage.termsEnd - ((stage.termsEnd - stage.termsPtr) >> 2);
  const tokensEnd = stage.tokens + BATCH * TOKEN_BYTES;
  let cur = chain.cur, base = chain.unitBase, out = stage.termsPtr, token = stage.tokens;
  const mayRun = maxLength >= 64;
  while (cur < end && token < tokensEnd) {
    if (mayRun && cur + 64 <= end && out + 64 <= outEnd && token + 32 * TOKEN_BYTES <= tokensEnd && !(load<u64>(cur) & HIGH_BITS)) {
      // --- 64 bytes as masks
      const x0 = v128.load(cur), x1 = v128.load(cur, 16), x2 = v128.load(cur, 32), x3 = v128.load(cur, 48);
      const high = bitmasks(x0, x1, x2, x3);
      const valid = <u32>ctz(high);
      const lowTable = v128.load(LOW), highTable = v128.load(HIGH);
      const c0 = classes(x0, lowTable, highTable), c1 = classes(x1, lowTable, highTable);
      const c2 = classes(x2, lowTable, highTable), c3 = classes(x3, lowTable, highTable);
      let word = anyOf(c0, c1, c2, c3, i8x16.splat(0x0f));
      const letters = anyOf(c0, c1, c2, c3, i8x16.splat(0x06));
      const digits = anyOf(c0, c1, c2, c3, i8x16.splat(0x01));
      const mid = bitmasks(
        i8x16.ne(v128.and(c0, i8x16.splat(-16)), i8x16.splat(0)), i8x16.ne(v128.and(c1, i8x16.splat(-16)), i8x16.splat(0)),
        i8x16.ne(v128.and(c2, i8x16.splat(-16)), i8x16.splat(0)), i8x16.ne(v128.and(c3, i8x16.splat(-16)), i8x16.splat(0)));
      if (mid & (word << 1) & (word >> 1)) {
        const midLetter = anyOf(c0, c1, c2, c3, i8x16.splat(0x50));
        const midNumber = anyOf(c0, c1, c2, c3, i8x16.splat(<i8>0xb0));
        word |= (midLetter & (letters << 1) & (letters >> 1)) | (midNumber & (digits << 1) & (digits >> 1));
      }
      // A run is certain if the byte behind it and the one behind that are in sight.
      let sure = <u64>-1 >> (65 - <u64>min<u32>(valid, 64));
      if (valid < 2) sure = 0;
      let starts = word & ~(word << 1);
      let ends = ~word & (word << 1) & sure;
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
      const unit = <u32>(cur - base);
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
      const advance = valid < 2 ? 0 : min<u32>(<u32>ctz(starts), min<u32>(valid, 64) - 1);
      if (advance) {
        cur += advance;
        out += advance;
        continue;
      }
    }
    // --- one token, or one code point that is in none, by the automaton
    let state: u32 = 1, type: u32 = 0, p = cur, units: u32 = 0, o = out;
    let acceptCur = cur, acceptUnits: u32 = 0, acceptOut = out;
    while (p < end) {
      let cp = <u32>load<u8>(p), bytes: u32 = 1, cls: u32;
      if (cp == 0xe0) {
        // --- a run of U+0800..U+0FFF, the scripts of India and their neighbours: no case, no pairs, the term's bytes are the text's (hi: 195 -> 300)
        const run = min<usize>(min<usize>(end - p, <usize>(maxLength - units) * 3), o + 16 < outEnd ? outEnd - o - 16 : 0) / 3 * 3;
        const from = p, runEnd = p + run;
        let next = state, good = p;
        while (p < runEnd && load<u8>(p) == 0xe0 && (load<u16>(p, 1) & 0xc0e0) == 0x80a0) {
          next = load<u8>(WORD_BREAK_NEXT + next * WORD_BREAK_CLASSES + wordBreakClass(((<u32>load<u8>(p, 1) & 63) << 6) | (load<u8>(p, 2) & 63)));
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
      // One and two bytes have tables of their own: Cyrillic, Greek, Hebrew, Arabic at twice the speed of the tries.
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
        // The batch is full: what is found so far goes out, this token comes next time.
        if (token == stage.tokens) return E_NO_SPACE;
        return finish(chain, stage, cur, base, out, token);
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
      // A pair never fits a buffer of one unit, and Lucene's scanner takes that for the end.
      if (maxLength == 1 && bytes == 4) {
        base += utf8Surplus(cur, end);
        cur = end;
        break;
      }
      base += bytes - ((d & 0xffffff) > 0xffff ? 2 : 1);
      cur += bytes;
    }
  }
  return finish(chain, stage, cur, base, out, token);
}

/** The scripts of India and South-East Asia, ideographs, kana and hangul have no case. */
// @ts-ignore: decorator
@inline
function isCaseless(cp: u32): bool {
  return cp - 0x900 < 0x10a0 - 0x900 || cp - 0x2e80 < 0xa640 - 0x2e80 || cp - 0xac00 < 0xff00 - 0xac00;
}

/** Bytes of a text beyond its UTF-16 units. */
function utf8Surplus(from: usize, end: usize): usize {
  return end - from - utf16Length(from, end);
}

function finish(chain: Chain, stage: Stage, cur: usize, base: usize, out: usize, token: usize): i32 {
  chain.cur = cur;
  chain.unitBase = base;
  chain.endOffset = <u32>(cur - base);
  stage.termCur = out;
  return <i32>((token - stage.tokens) / TOKEN_BYTES);
}

// @ts-ignore: decorator
@inline
function classes(x: v128, low: v128, high: v128): v128 {
  return v128.and(i8x16.swizzle(low, v128.and(x, i8x16.splat(0x0f))), i8x16.swizzle(high, i8x16.shr_u(x, 4)));
}

/** Sign bits of 64 bytes. */
// @ts-ignore: decorator
@inline
function bitmasks(a: v128, b: v128, c: v128, d: v128): u64 {
  return <u64><u32>(i8x16.bitmask(a) | (i8x16.bitmask(b) << 16)) | (<u64><u32>(i8x16.bitmask(c) | (i8x16.bitmask(d) << 16)) << 32);
}

/** A bit for each byte that has one of the class bits. */
// @ts-ignore: decorator
@inline
function anyOf(a: v128, b: v128, c: v128, d: v128, bits: v128): u64 {
  const zero = i8x16.splat(0);
  return bitmasks(i8x16.ne(v128.and(a, bits), zero), i8x16.ne(v128.and(b, bits), zero), i8x16.ne(v128.and(c, bits), zero), i8x16.ne(v128.and(d, bits), zero));
}

// @ts-ignore: decorator
@inline
function storeLower(at: usize, x: v128): void {
  const upper = i8x16.lt_u(i8x16.sub(x, i8x16.splat(65)), i8x16.splat(26));
  v128.store(at, v128.or(x, v128.and(upper, i8x16.splat(32))));
}
