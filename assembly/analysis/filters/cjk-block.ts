// Ideographs, kana and the punctuation between them, 16 characters of three bytes at once: what cjkKind (assembly/text/generated/cjk-kind.ts) tells one
// by one, as far as bytes can be compared. What is not told here is left to that table.
import { isWithin } from '../tokenizers/word-run';

export const CJK_BLOCK: u32 = 16;

// What the last scan found: bit i for character i.
export let blockPlain: u32 = 0;
export let blockKatakana: u32 = 0;
/** Punctuation with which no token begins. */
export let blockGaps: u32 = 0;

/** @param at 48 readable bytes */
export function scanBlock(at: usize): void {
  const x = v128.load(at), y = v128.load(at, 16), z = v128.load(at, 32);
  const N: i8 = -128;
  // First, second and third bytes of the characters.
  const a = v128.or(v128.or(
    i8x16.swizzle(x, i8x16(0, 3, 6, 9, 12, 15, N, N, N, N, N, N, N, N, N, N)), i8x16.swizzle(y, i8x16(N, N, N, N, N, N, 2, 5, 8, 11, 14, N, N, N, N, N))),
    i8x16.swizzle(z, i8x16(N, N, N, N, N, N, N, N, N, N, N, 1, 4, 7, 10, 13)));
  const b = v128.or(v128.or(
    i8x16.swizzle(x, i8x16(1, 4, 7, 10, 13, N, N, N, N, N, N, N, N, N, N, N)), i8x16.swizzle(y, i8x16(N, N, N, N, N, 0, 3, 6, 9, 12, 15, N, N, N, N, N))),
    i8x16.swizzle(z, i8x16(N, N, N, N, N, N, N, N, N, N, N, 2, 5, 8, 11, 14)));
  const c = v128.or(v128.or(
    i8x16.swizzle(x, i8x16(2, 5, 8, 11, 14, N, N, N, N, N, N, N, N, N, N, N)), i8x16.swizzle(y, i8x16(N, N, N, N, N, 1, 4, 7, 10, 13, N, N, N, N, N, N))),
    i8x16.swizzle(z, i8x16(N, N, N, N, N, N, N, N, N, N, 0, 3, 6, 9, 12, 15)));
  const isE3 = i8x16.eq(a, byte(0xe3)), inMarks = i8x16.eq(b, byte(0x80)), inBoth = i8x16.eq(b, byte(0x82)), inKatakana = i8x16.eq(b, byte(0x83));
  // U+4E00..U+9F7F
  const ideographs = v128.andnot(
    isWithin(a, 0xe4, 6),
    v128.or(v128.and(i8x16.eq(a, byte(0xe4)), i8x16.lt_s(b, byte(0xb8))), v128.and(i8x16.eq(a, byte(0xe9)), i8x16.gt_s(b, byte(0xbd)))));
  // U+3041..U+3096; U+30A1..U+30FE without the dot U+30FB
  const dot = v128.and(inKatakana, i8x16.eq(c, byte(0xbb)));
  const hiragana = v128.or(v128.andnot(i8x16.eq(b, byte(0x81)), i8x16.eq(c, byte(0x80))), v128.and(inBoth, i8x16.lt_s(c, byte(0x97))));
  const katakana = v128.or(v128.and(inBoth, i8x16.gt_s(c, byte(0xa0))), v128.andnot(v128.andnot(inKatakana, dot), i8x16.eq(c, byte(0xbf))));
  // U+3000..U+3003, U+3008..U+3011, the dot; of full width what is before the digits, and behind them up to the letters
  const marks = v128.or(dot, v128.and(inMarks, v128.or(isWithin(c, 0x80, 4), isWithin(c, 0x88, 10))));
  const wide = v128.and(v128.and(i8x16.eq(a, byte(0xef)), i8x16.eq(b, byte(0xbc))), v128.or(isWithin(c, 0x81, 15), isWithin(c, 0x9a, 7)));
  const isWhole = i8x16.lt_s(i8x16.max_s(b, c), byte(-64));
  blockPlain = i8x16.bitmask(v128.and(isWhole, v128.or(ideographs, v128.and(isE3, v128.or(hiragana, katakana)))));
  blockKatakana = i8x16.bitmask(v128.and(isWhole, v128.and(isE3, katakana)));
  blockGaps = i8x16.bitmask(v128.and(isWhole, v128.or(wide, v128.and(isE3, marks))));
}

// @ts-ignore: decorator
@inline
function byte(value: i32): v128 {
  return i8x16.splat(<i8>value);
}
