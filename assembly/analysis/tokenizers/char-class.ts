// Tokenizers that cut at character classes: letter, lowercase, whitespace, char_group; equivalent to Lucene's CharTokenizer.
//   config ├─ maxTokenLength u32 ─┬─ kind u32: CharKind ─┬─ classes u32 ─┬─ count u32 ─┬─ code point u32 × count, ascending ─┤
// NOT_LISTED: tokens contain what is in none of `classes` (bits: 1 whitespace, 2 letter, 4 digit, 8 punctuation, 16 symbol) and not listed. A token is
// cut as soon as it has maxTokenLength UTF-16 units (a surrogate pair may exceed it). The other kinds read 64 bytes at a time as bit masks where
// possible (whitespace, English: 180 -> 700 MB/s), with the same tokens.
import { lastReadable } from '../../mem/layout';
import { E_NO_SPACE } from '../../mem/status';
import { isDigit, isLetter, isPunctuation, isSymbol, isWhitespace } from '../../text/character';
import { KINDS_LOW } from '../../text/generated/category';
import { LOWER_LOW, lowerCase } from '../../text/generated/case';
import { decode, encode } from '../../text/utf8';
import { CharKind } from '../config-values';
import { BATCH, Chain, Stage } from '../stage';
import { TOKEN_BYTES, writeToken } from '../token';
import { charContinuations, charsOfTokens, charsValid, scanChars } from './char-run';
import { below, bitmasks, BLOCK_BYTES, isWithin, storeLower } from './masks';
import { CharClassConfig } from '../stage-configs';
import { finishBatch } from './finish-batch';

export function charClassNext(chain: Chain, stage: Stage): i32 {
  const config = changetype<CharClassConfig>(stage.config), maxLength = config.maxLength, kind = config.kind;
  const end = chain.textEnd;
  const outEnd = stage.termsEnd - ((stage.termsEnd - stage.termsPtr) >> 2);
  const tokensEnd = stage.tokens + BATCH * TOKEN_BYTES;
  let cur = chain.cur, base = chain.unitBase, out = stage.termsPtr, token = stage.tokens;
  const isMasked = kind <= CharKind.WHITESPACE && maxLength >= 64, lastBlock = lastReadable(BLOCK_BYTES);
  while (cur < end && token < tokensEnd) {
    if (isMasked && cur <= lastBlock && out + 64 <= outEnd && token + 32 * TOKEN_BYTES <= tokensEnd) {
      // --- 64 bytes as masks. The block may extend past the end of the text; the bytes there count as separators.
      const x0 = v128.load(cur), x1 = v128.load(cur, 16), x2 = v128.load(cur, 32), x3 = v128.load(cur, 48);
      const len = <u32>min<usize>(end - cur, 64), inText = below(len), unit = <u32>(cur - base);
      copyBlock(out, x0, kind);
      copyBlock(out + 16, x1, kind);
      copyBlock(out + 32, x2, kind);
      copyBlock(out + 48, x3, kind);
      let chars: u64, high: u64 = 0;
      if (kind == CharKind.WHITESPACE) {
        const blank = i8x16.splat(32);
        chars = inText & ~bitmasks(i8x16.eq(x0, blank), i8x16.eq(x1, blank), i8x16.eq(x2, blank), i8x16.eq(x3, blank));
        // Most input has no other white space, and no non-ASCII bytes, which are negative.
        if (inText & bitmasks(i8x16.lt_s(x0, blank), i8x16.lt_s(x1, blank), i8x16.lt_s(x2, blank), i8x16.lt_s(x3, blank))) {
          high = inText & bitmasks(x0, x1, x2, x3);
          chars &= ~(high | bitmasks(spaces(x0), spaces(x1), spaces(x2), spaces(x3)));
        }
      } else {
        high = inText & bitmasks(x0, x1, x2, x3);
        chars = inText & ~high & bitmasks(letters(x0), letters(x1), letters(x2), letters(x3));
      }
      if (!high) {
        const starts = chars & ~(chars << 1), ends = ~chars & (chars << 1), count = <u32>popcnt(ends);
        writeTokens(token, starts, ends, out, unit);
        token += count * TOKEN_BYTES;
        // Continue with the token that extends past the block.
        const advance = <u32>popcnt(starts) > count ? 63 - <u32>clz(starts) : len;
        if (advance) {
          cur += advance;
          out += advance;
          continue;
        }
      } else {
        scanChars(cur, out, kind, high);
        chars |= charsOfTokens;
        const valid = charsValid, continuations = charContinuations;
        let starts = chars & ~(chars << 1), ends = ~chars & (chars << 1) & below(valid);
        for (; ends; ends &= ends - 1) {
          const s = <u32>ctz(starts), e = <u32>ctz(ends);
          starts &= starts - 1;
          const from = unit + s - <u32>popcnt(continuations & below(s)), to = unit + e - <u32>popcnt(continuations & below(e));
          writeToken(token, out + s, e - s, from, to, 0);
          token += TOKEN_BYTES;
        }
        const advance = min(<u32>ctz(starts), min(valid, len));
        if (advance) {
          cur += advance;
          base += <usize>popcnt(continuations & below(advance));
          out += advance;
          continue;
        }
      }
    }
    // --- one token, code point by code point: skip separators
    let cp: u32 = 0, bytes: u32 = 0;
    while (cur < end) {
      const d = decode(cur, end);
      cp = d & 0xffffff;
      bytes = d >> 24;
      if (isTokenChar(stage.config, kind, cp)) break;
      cur += bytes;
      base += bytes - (cp > 0xffff ? 2 : 1);
    }
    if (cur >= end) break;
    const tokenCur = cur, tokenBase = base;
    const start = <u32>(cur - base);
    let o = out, units: u32 = 0;
    while (true) {
      if (o + 4 > outEnd) {
        if (token == stage.tokens) return E_NO_SPACE;
        return finishBatch(chain, stage, tokenCur, tokenBase, out, token);
      }
      if (kind == CharKind.LOWERCASE) cp = cp < 0x800 ? load<u16>(LOWER_LOW + (<usize>cp << 1)) : lowerCase(cp);
      if (cp < 0x80) store<u8>(o++, cp);
      else o += encode(o, cp);
      const cpUnits: u32 = bytes == 4 ? 2 : 1;
      units += cpUnits;
      cur += bytes;
      base += bytes - cpUnits;
      if (units >= maxLength || cur >= end) break;
      const d = decode(cur, end);
      cp = d & 0xffffff;
      bytes = d >> 24;
      if (!isTokenChar(stage.config, kind, cp)) break;
    }
    writeToken(token, out, <u32>(o - out), start, start + units, 0);
    token += TOKEN_BYTES;
    out = o;
  }
  return finishBatch(chain, stage, cur, base, out, token);
}

/**
 * Writes the tokens of type 0 that start and end at the bits of an ASCII block, at most 32. Four per iteration, since the number of iterations is
  * predicted better than the number of tokens; surplus tokens of the last iteration are overwritten (English: 146 -> 127 ns per paragraph).
  * @param tokens room for 32
  * @param out    address of the block's copy; `unit` is its offset in the text
 */
// @ts-ignore: decorator
@inline
function writeTokens(tokens: usize, starts: u64, ends: u64, out: usize, unit: u32): void {
  const units = <u64>unit | (<u64>unit << 32);
  for (let to = tokens; ends; to += 4 * TOKEN_BYTES) {
    writeSpan(to, ctz(starts), ctz(ends), out, units);
    starts &= starts - 1;
    ends &= ends - 1;
    writeSpan(to + TOKEN_BYTES, ctz(starts), ctz(ends), out, units);
    starts &= starts - 1;
    ends &= ends - 1;
    writeSpan(to + 2 * TOKEN_BYTES, ctz(starts), ctz(ends), out, units);
    starts &= starts - 1;
    ends &= ends - 1;
    writeSpan(to + 3 * TOKEN_BYTES, ctz(starts), ctz(ends), out, units);
    starts &= starts - 1;
    ends &= ends - 1;
  }
}

// @ts-ignore: decorator
@inline
function writeSpan(token: usize, s: u64, e: u64, out: usize, units: u64): void {
  const span = s + (e << 32);
  store<u64>(token, <u64>out + span - (s << 32));
  store<u64>(token, units + span, 8);
  v128.store(token, i32x4(1, 1, 0, 1), 16);
}

/** ASCII white space: 9..13 and 28..32. */
// @ts-ignore: decorator
@inline
function spaces(x: v128): v128 {
  return v128.or(isWithin(x, 9, 5), isWithin(x, 28, 5));
}

// @ts-ignore: decorator
@inline
function letters(x: v128): v128 {
  return isWithin(v128.or(x, i8x16.splat(32)), 97, 26);
}

// @ts-ignore: decorator
@inline
function copyBlock(to: usize, x: v128, kind: u32): void {
  if (kind == CharKind.LOWERCASE) storeLower(to, x);
  else v128.store(to, x);
}

// @ts-ignore: decorator
@inline
function isTokenChar(config: usize, kind: u32, cp: u32): bool {
  if (kind == CharKind.WHITESPACE) return cp < 0x800 ? !(load<u8>(KINDS_LOW + cp) & 1) : !isWhitespace(cp);
  if (kind <= CharKind.LOWERCASE) return cp < 0x800 ? (load<u8>(KINDS_LOW + cp) & 2) != 0 : isLetter(cp);
  return !isSeparator(config, cp);
}

function isSeparator(config: usize, cp: u32): bool {
  const classes = changetype<CharClassConfig>(config).classes, count = changetype<CharClassConfig>(config).codePointCount;
  if (cp < 0x800) {
    if (load<u8>(KINDS_LOW + cp) & classes) return true;
  } else if (isOfKind(classes, cp)) return true;
  for (let i: u32 = 0; i < count; i++) if (load<u32>(config + offsetof<CharClassConfig>() + (<usize>i << 2)) == cp) return true;
  return false;
}

function isOfKind(classes: u32, cp: u32): bool {
  if (classes & 1 && isWhitespace(cp)) return true;
  if (classes & 2 && isLetter(cp)) return true;
  if (classes & 4 && isDigit(cp)) return true;
  if (classes & 8 && isPunctuation(cp)) return true;
  return (classes & 16) != 0 && isSymbol(cp);
}
