// Non-ASCII characters in the 64-byte masks of the standard tokenizer (standard.ts): two-byte characters by a table, the scripts of India by
// indic-run.ts, letters and marks of U+1000..U+2FFF, dashes, quotes and apostrophes. The masks end at the first other character.
//   masks: bit i for byte i of the block; all bytes of a character have the same bits
// Source of the rules: UAX #29, WB3a to WB13b; no other rule applies to the letters and digits here (assembly/text/generated/word-run.ts).
import { lowerCase } from '../../text/generated/case';
import { wordBreakClass } from '../../text/generated/word-break';
import { DIGIT_CLASS, EXTEND_CLASS, LETTER_CLASS, MID_CLASS, RUN_DIGIT, RUN_GAP, RUN_MID, WORD_RUN } from '../../text/generated/word-run';
import { encode } from '../../text/utf8';
import { INDIC_LEAD, indicDigits, indicLetters, scanIndic } from './indic-run';
import { below, bitmasks } from './masks';

// Results of the last scan.
export let runLetters: u64 = 0;
export let runDigits: u64 = 0;
/** Continuation bytes: a character has one byte more than UTF-16 units for each of them. */
export let runContinuations: u64 = 0;
/** First byte of the first character that the masks do not cover; 64 if they cover the block. Bits from here on are meaningless. */
export let runValid: u32 = 0;

/**
 * Finds the letters and digits of a block with non-ASCII bytes.
  * @param cur      64 readable bytes
  * @param out      copy of the block; letters are replaced there by their lower case, if `lower`
  * @param high     non-ASCII bytes of the text
  * @param letters  ASCII letters, and `digits` ASCII digits
  * @param space    a code point of U+2000..U+2FFF that is treated as a space, or 0
 */
export function scanRun(cur: usize, out: usize, lower: bool, high: u64, letters: u64, digits: u64, space: u32): void {
  const x0 = v128.load(cur), x1 = v128.load(cur, 16), x2 = v128.load(cur, 32), x3 = v128.load(cur, 48);
  const behind = i8x16.splat(-64), top = i8x16.splat(<i8>0xe0), pair = i8x16.splat(<i8>0xc0);
  const continuations = high & bitmasks(i8x16.lt_s(x0, behind), i8x16.lt_s(x1, behind), i8x16.lt_s(x2, behind), i8x16.lt_s(x3, behind));
  const leads = high & bitmasks(
    i8x16.eq(v128.and(x0, top), pair), i8x16.eq(v128.and(x1, top), pair), i8x16.eq(v128.and(x2, top), pair), i8x16.eq(v128.and(x3, top), pair));
  // A lead byte whose second byte is not in the block; ctz of 0 is 64.
  let valid = <u32>ctz(leads & ~(continuations >> 1));
  const pairs = leads | (leads << 1);
  letters |= pairs;
  for (let rest = leads & below(valid); rest; rest &= rest - 1) {
    const i = <u32>ctz(rest), bytes = <u32>load<u16>(cur + i);
    const kind = <u32>load<u16>(WORD_RUN + <usize>((((bytes & 31) << 6) | ((bytes >> 8) & 63)) << 1));
    if (kind > RUN_DIGIT) {
      if (lower) store<u16>(out + i, kind);
      continue;
    }
    // Nothing is joined across a space.
    if (kind != RUN_GAP && kind != RUN_DIGIT && !(kind == RUN_MID && i < 62 && load<u8>(cur + i, 2) == 0x20)) {
      valid = i;
      break;
    }
    letters &= ~(<u64>3 << i);
    if (kind == RUN_DIGIT) digits |= <u64>3 << i;
  }
  const lead = i8x16.splat(<i8>INDIC_LEAD);
  let indic = high & bitmasks(i8x16.eq(x0, lead), i8x16.eq(x1, lead), i8x16.eq(x2, lead), i8x16.eq(x3, lead));
  if (indic) {
    valid = min(valid, scanIndic(cur, indic, continuations, letters));
    letters |= indicLetters;
    digits |= indicDigits;
    indic |= (indic << 1) | (indic << 2);
  }
  for (let rest = high & ~(pairs | indic) & below(valid); rest; ) {
    const i = <u32>ctz(rest), bytes = load<u32>(cur + i), first = bytes & 0xff;
    const cp = ((first & 15) << 12) | ((bytes >> 2) & 0xfc0) | ((bytes >> 16) & 63);
    if (first - 0xe1 > 1 || i > 61 || ((continuations >> (i + 1)) & 3) != 3) {
      valid = i;
      break;
    }
    const type = cp == space ? 0 : wordBreakClass(cp), triple = <u64>7 << i, before = i ? i - 1 : 63;
    rest &= ~triple;
    if (type == LETTER_CLASS) {
      letters |= triple;
      if (!lower) continue;
      const small = lowerCase(cp);
      if (small - 0x800 < 0x10000 - 0x800) encode(out + i, small);
      else valid = i;
    } else if (type == EXTEND_CLASS) {
      if (i && (letters >> before) & 1) letters |= triple;
      else if (i && (digits >> before) & 1) digits |= triple;
      else valid = i;
    } else if (type == MID_CLASS) {
      // The next byte must be known, and must not start a mark that belongs to this character.
      if (i + 3 >= valid || (rest >> (i + 3)) & 1) valid = i;
      else if (i && (letters >> before) & (letters >> (i + 3)) & 1) letters |= triple;
      else if (i && (digits >> before) & (digits >> (i + 3)) & 1) digits |= triple;
    } else if (type == DIGIT_CLASS) digits |= triple;
    else if (type) valid = i;
    if (valid == i) break;
  }
  runLetters = letters & below(valid);
  runDigits = digits & below(valid);
  runContinuations = continuations;
  runValid = valid;
}
