// Non-ASCII characters in the 64-byte masks of the tokenizers that cut at character classes (char-class.ts). The masks end at the first character
// that is four bytes long, malformed, or changes its length in lower case.
//   masks: bit i for byte i of the block; all bytes of a character have the same bits
import { isLetter, isWhitespace } from '../../text/character';
import { LOWER_LOW, lowerCase } from '../../text/generated/case';
import { KINDS_LOW } from '../../text/generated/category';
import { CharKind } from '../config-values';
import { below, bitmasks } from './masks';

// Results of the last scan.
export let charsOfTokens: u64 = 0;
/** Continuation bytes: a character has one byte more than UTF-16 units for each of them. */
export let charContinuations: u64 = 0;
/** First byte of the first character that the masks do not cover; 64 if they cover the block. Bits from here on are meaningless. */
export let charsValid: u32 = 0;

/**
 * Finds the non-ASCII characters that belong to tokens.
  * @param cur   64 readable bytes
  * @param out   copy of the block; letters are replaced there by their lower case if `kind` requires it
  * @param kind  CharKind.LETTER, CharKind.LOWERCASE or CharKind.WHITESPACE
  * @param high  non-ASCII bytes of the text
 */
export function scanChars(cur: usize, out: usize, kind: u32, high: u64): void {
  const x0 = v128.load(cur), x1 = v128.load(cur, 16), x2 = v128.load(cur, 32), x3 = v128.load(cur, 48);
  const behind = i8x16.splat(-64);
  const continuations = high & bitmasks(i8x16.lt_s(x0, behind), i8x16.lt_s(x1, behind), i8x16.lt_s(x2, behind), i8x16.lt_s(x3, behind));
  const pairs = high & leads(x0, x1, x2, x3, 0xe0, 0xc0), triples = high & leads(x0, x1, x2, x3, 0xf0, 0xe0);
  const expected = (pairs << 1) | (triples << 1) | (triples << 2);
  const isPair = pairs & (continuations >> 1), isTriple = triples & (continuations >> 1) & (continuations >> 2);
  // Stray and missing continuation bytes, and longer characters; ctz of 0 is 64.
  let valid = <u32>ctz((high & ~(continuations | isPair | isTriple)) | (continuations & ~expected));
  let chars = high;
  if (kind != CharKind.WHITESPACE) {
    for (let rest = isPair & below(valid); rest; rest &= rest - 1) {
      const i = <u32>ctz(rest), bytes = <u32>load<u16>(cur + i), cp = ((bytes & 31) << 6) | ((bytes >> 8) & 63);
      if (!(load<u8>(KINDS_LOW + cp) & 2)) chars &= ~(<u64>3 << i);
      else if (kind == CharKind.LOWERCASE) {
        const lower = <u32>load<u16>(LOWER_LOW + (<usize>cp << 1));
        if (lower - 0x80 >= 0x800 - 0x80) {
          valid = i;
          break;
        }
        store<u16>(out + i, (0xc0 | (lower >> 6)) | ((0x80 | (lower & 63)) << 8));
      }
    }
  }
  // Overlong forms are malformed, too.
  const overlong = pairs & leads(x0, x1, x2, x3, 0xfe, 0xc0);
  valid = min(valid, <u32>ctz(overlong));
  for (let rest = isTriple & below(valid); rest; rest &= rest - 1) {
    const i = <u32>ctz(rest), first = <u32>load<u8>(cur + i);
    const cp = ((first & 15) << 12) | ((<u32>load<u8>(cur + i, 1) & 63) << 6) | (load<u8>(cur + i, 2) & 63);
    if (cp < 0x800 || (kind == CharKind.LOWERCASE && lowerCase(cp) != cp)) {
      valid = i;
      break;
    }
    // Three-byte white space starts with E1 to E3.
    const isOfToken = kind == CharKind.WHITESPACE ? first - 0xe1 > 2 || !isWhitespace(cp) : isLetter(cp);
    if (!isOfToken) chars &= ~(<u64>7 << i);
  }
  charsOfTokens = chars & below(valid);
  charContinuations = continuations;
  charsValid = valid;
}

/** Bytes with these bits under a mask. */
// @ts-ignore: decorator
@inline
function leads(a: v128, b: v128, c: v128, d: v128, mask: u8, bits: u8): u64 {
  const m = i8x16.splat(<i8>mask), lead = i8x16.splat(<i8>bits);
  return bitmasks(i8x16.eq(v128.and(a, m), lead), i8x16.eq(v128.and(b, m), lead), i8x16.eq(v128.and(c, m), lead), i8x16.eq(v128.and(d, m), lead));
}
