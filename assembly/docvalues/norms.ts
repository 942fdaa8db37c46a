// Norms: one byte a document, the field's length in tokens in Lucene's code. 0: the document lacks the field; NORM_EMPTY: it has the field
// but no token (no possible length has this code). Lengths up to 39 are exact, longer ones keep four significant bits.
// Source: Lucene's SmallFloat.intToByte4 (org.apache.lucene.util).

export const NORM_EMPTY: u32 = 255;
/** 255 - longToInt4(i32.MAX_VALUE): lengths below are stored as they are. */
const EXACT: u32 = 24;

/** Code of a length >= 1. */
export function encodeNorm(length: u32): u32 {
  assert(length > 0);
  length = min<u32>(length, i32.MAX_VALUE);
  return length < EXACT ? length : min<u32>(EXACT + longToInt4(length - EXACT), NORM_EMPTY - 1);
}

/** Float-like code of an integer: 3 bits of mantissa, 5 of exponent. */
function longToInt4(value: u32): u32 {
  const bits = 32 - clz<u32>(value);
  if (value == 0 || bits < 4) return value;
  const shift = bits - 4;
  return ((value >> shift) & 0x07) | ((shift + 1) << 3);
}
