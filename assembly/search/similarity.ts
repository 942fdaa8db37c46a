// BM25 in Lucene's float32 arithmetic: score = weight - weight / (1 + freq * normInverse[norm]). Every step is monotone in freq and
// norm after rounding, so the score of a competitive pair bounds the scores of the documents that the pair represents.
// Source: Lucene, BM25Similarity.BM25Scorer.doScore.

import { readVint, vintBytes } from '../codec/vint';

/** Factor that widens sums of bounds: f64 additions in another order than the scorer's may differ in the last bit. */
export const SLACK: f64 = 1.000000000001;

// @ts-ignore: decorator
@inline
export function bm25(weight: f32, freq: f32, normInverse: f32): f32 {
  return weight - weight / (<f32>1 + freq * normInverse);
}

/** Highest score of the pairs (norm, freq) at `impacts` (format.ts). */
export function boundOfImpacts(impacts: usize, weight: f32, normInverse: usize): f32 {
  let count = <u32>load<u8>(impacts++);
  // The greatest freq * normInverse scores most: one division at the end.
  let most: f32 = 0;
  for (; count > 0; count--) {
    const pair = <u32>load<u16>(impacts);
    const norm = <usize>(pair & 0xff);
    let freq = pair >> 8;
    impacts += 2;
    if (freq >= 0x80) {
      freq = readVint(impacts - 1);
      impacts += vintBytes(freq) - 1;
    }
    most = max<f32>(most, <f32>freq * load<f32>(normInverse + (norm << 2)));
  }
  return weight - weight / (<f32>1 + most);
}
