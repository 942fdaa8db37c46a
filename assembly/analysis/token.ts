// A token as kernels, the inverter and the host see it, 32 bytes.
//   0 termPtr │ 4 termLen │ 8 startOffset │ 12 endOffset │ 16 posInc │ 20 posLen │ 24 type u16 │ 26 flags u16 │ 28 termFreq
// Terms are UTF-8 (lone surrogates as 3-byte forms) and valid until the next chainNext of the same chain. Offsets count UTF-16 units of
// the original text. The host adds types that only definitions name (src/analysis/tokens/token-types.ts).

// @ts-ignore: decorator
@unmanaged
export class Token {
  termPtr: usize;
  termLen: u32;
  startOffset: u32;
  endOffset: u32;
  /** Distance in positions from the token before: 0 at the same position, 1 for the next, more after holes. */
  posInc: u32;
  /** Number of positions that the token spans; 1 outside graphs. */
  posLen: u32;
  type: u16;
  flags: u16;
  /** Number of occurrences that the token counts for; 1 unless a filter sets it. */
  termFreq: u32;
}

export const TOKEN_BYTES: usize = 32;
/** Flag of keywords, which stemmers do not change. The other 15 bits are the number of a payload (filters/rewrite/delimited.ts). */
export const FLAG_KEYWORD: u16 = 1;

export namespace TokenType {
  export const WORD: u32 = 0;
  export const ALPHANUM: u32 = 1;
  export const NUM: u32 = 2;
  export const SOUTHEAST_ASIAN: u32 = 3;
  export const IDEOGRAPHIC: u32 = 4;
  export const HIRAGANA: u32 = 5;
  export const KATAKANA: u32 = 6;
  export const HANGUL: u32 = 7;
  export const EMOJI: u32 = 8;
  export const URL: u32 = 9;
  export const EMAIL: u32 = 10;
  export const APOSTROPHE: u32 = 11;
  export const ACRONYM: u32 = 12;
  export const COMPANY: u32 = 13;
  export const HOST: u32 = 14;
  export const CJ: u32 = 15;
  export const ACRONYM_DEP: u32 = 16;
  export const SINGLE: u32 = 17;
  export const DOUBLE: u32 = 18;
  export const SYNONYM: u32 = 19;
  export const SHINGLE: u32 = 20;
  export const GRAM: u32 = 21;
  export const FINGERPRINT: u32 = 22;
  export const MIN_HASH: u32 = 23;
}

/** Copies a token record. memory.copy is a function call, and records move for every word after a dropped one. */
// @ts-ignore: decorator
@inline
export function copyToken(to: usize, from: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
}

/** Writes a plain token (one position, keyword flag off). */
// @ts-ignore: decorator
@inline
export function writeToken(at: usize, termPtr: usize, termLen: u32, start: u32, end: u32, type: u32): void {
  store<u64>(at, <u64>termPtr | (<u64>termLen << 32));
  store<u64>(at, <u64>start | (<u64>end << 32), 8);
  v128.store(at, i32x4.replace_lane(i32x4(1, 1, 0, 1), 2, type), 16);
}
