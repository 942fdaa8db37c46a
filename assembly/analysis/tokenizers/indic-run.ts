// Masks of the characters U+0800..U+0FFF in a block of 64 bytes: Devanagari, Bengali and the other scripts of India, 128 characters each, all of
// which start with the byte E0. A script's letters, marks and digits are sets of 8 rows of 16 bits, so that two 16-byte look-ups classify 16
// characters (hi: 300 -> 450 MB/s). The masks cover only the first script in the block.
import { INDIC_RUN, INDIC_SCRIPTS } from '../../text/generated/indic-run';
import { bitmasks } from './masks';

export const INDIC_LEAD: u32 = 0xe0;
const TABLE_BYTES: usize = 16;
const SCRIPT_BYTES: usize = 3 * TABLE_BYTES;
const ROW_BITS = memory.data<u8>([1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0]);

// Results of the last scan; all bytes of a character have the same bits.
/** Letters, and the marks after them. */
export let indicLetters: u64 = 0;
export let indicDigits: u64 = 0;

/**
 * @param cur            the byte before it and 72 bytes from it are readable
  * @param leads          bytes E0 of the text, not 0
  * @param continuations  continuation bytes of the text
  * @param letters        other letters of the block
  * @returns first lead byte that the masks do not cover, 64 if there is none; bits from there on are meaningless
 */
export function scanIndic(cur: usize, leads: u64, continuations: u64, letters: u64): u32 {
  const example = <u32>load<u8>(cur + <usize>ctz(leads), 1), script = (example - 0xa0) >> 1;
  indicLetters = 0;
  indicDigits = 0;
  if (!isIndic(example)) return <u32>ctz(leads);
  const x0 = v128.load(cur), x1 = v128.load(cur, 16), x2 = v128.load(cur, 32), x3 = v128.load(cur, 48);
  const s0 = v128.load(cur - 1), s1 = v128.load(cur - 1, 16), s2 = v128.load(cur - 1, 32), s3 = v128.load(cur - 1, 48);
  const pair = i8x16.splat(<i8>0xfe), second = i8x16.splat(<i8>(0xa0 | (script << 1)));
  const ofScript = bitmasks(
    i8x16.eq(v128.and(s0, pair), second), i8x16.eq(v128.and(s1, pair), second),
    i8x16.eq(v128.and(s2, pair), second), i8x16.eq(v128.and(s3, pair), second));
  // Third bytes of the script's characters.
  const thirds = ofScript & (leads << 2) & (continuations << 1) & continuations;
  const r0 = rowBits(x0, s0), r1 = rowBits(x1, s1), r2 = rowBits(x2, s2), r3 = rowBits(x3, s3);
  const nibble = i8x16.splat(15);
  const c0 = v128.and(x0, nibble), c1 = v128.and(x1, nibble), c2 = v128.and(x2, nibble), c3 = v128.and(x3, nibble);
  const tables = INDIC_RUN + <usize>script * SCRIPT_BYTES;
  const letterTable = v128.load(tables), markTable = v128.load(tables, TABLE_BYTES), digitTable = v128.load(tables, 2 * TABLE_BYTES);
  const marks = thirds & bitmasks(isIn(markTable, c0, r0), isIn(markTable, c1, r1), isIn(markTable, c2, r2), isIn(markTable, c3, r3));
  const found = marks | (thirds & bitmasks(isIn(letterTable, c0, r0), isIn(letterTable, c1, r1), isIn(letterTable, c2, r2), isIn(letterTable, c3, r3)));
  const digits = thirds & bitmasks(isIn(digitTable, c0, r0), isIn(digitTable, c1, r1), isIn(digitTable, c2, r2), isIn(digitTable, c3, r3));
  indicLetters = found | (found >> 1) | (found >> 2);
  indicDigits = digits | (digits >> 1) | (digits >> 2);
  // A mark belongs to the letter before it; after anything else it is left to the automaton.
  return <u32>ctz((leads & ~(thirds >> 2)) | ((marks >> 2) & ~((letters | indicLetters) << 1)));
}

/** Whether a second byte belongs to a script that the masks can cover. */
// @ts-ignore: decorator
@inline
export function isIndic(second: u32): bool {
  return second - 0xa0 < 32 && ((INDIC_SCRIPTS >> ((second - 0xa0) >> 1)) & 1) != 0;
}

/** Bit of the row of the character that ends at a byte: bit 0 of the second byte, bits 4 and 5 of the third. */
// @ts-ignore: decorator
@inline
function rowBits(third: v128, second: v128): v128 {
  const row = v128.or(v128.and(i16x8.shr_u(third, 4), i8x16.splat(3)), v128.and(i16x8.shl(second, 2), i8x16.splat(4)));
  return i8x16.swizzle(v128.load(ROW_BITS), row);
}

// @ts-ignore: decorator
@inline
function isIn(table: v128, column: v128, row: v128): v128 {
  return i8x16.eq(v128.and(i8x16.swizzle(table, column), row), row);
}
