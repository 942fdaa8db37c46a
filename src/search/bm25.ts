// BM25 in Lucene's float32 arithmetic, step for step: k1 = 1.2, b = 0.75, no factor k1 + 1, lengths in the one-byte code of SmallFloat.
// Source: org.apache.lucene.search.similarities.BM25Similarity, org.apache.lucene.util.SmallFloat (Apache Lucene), described and written anew.

const K1 = Math.fround(1.2);
const B = Math.fround(0.75);
const ONE_MINUS_B = Math.fround(1 - B);

/** Lengths below are their own code; above, three bits of mantissa. */
const FREE_VALUES = 24;

/** Field length that a norm byte stands for. */
export function lengthOfNorm(norm: number): number {
  if (norm < FREE_VALUES) return norm;
  const code = norm - FREE_VALUES;
  const shift = (code >>> 3) - 1;
  const bits = code & 7;
  return FREE_VALUES + (shift < 0 ? bits : (bits | 8) * 2 ** shift);
}

const LENGTHS = Float32Array.from({ length: 256 }, (_, norm) => lengthOfNorm(norm));

/** Inverse document frequency; a term of a field that `docCount` documents have, `docFreq` of them with the term. */
export function idf(docFreq: number, docCount: number): number {
  return Math.fround(Math.log(1 + (docCount - docFreq + 0.5) / (docFreq + 0.5)));
}

export function averageLength(sumTotalTermFreq: number, docCount: number): number {
  return Math.fround(sumTotalTermFreq / docCount);
}

/** f32[256]: 1 / (k1 * ((1 - b) + b * length / average)) by norm byte; without norms every document counts as one term long. */
export function normInverseTable(average: number, hasNorms: boolean): Float32Array {
  const table = new Float32Array(256);
  for (let norm = 0; norm < 256; norm++) {
    const length = LENGTHS[hasNorms ? norm : 1];
    const share = Math.fround(Math.fround(B * length) / average);
    table[norm] = 1 / Math.fround(K1 * Math.fround(ONE_MINUS_B + share));
  }
  return table;
}

/** Score of a term that occurs `freq` times; `freq` may be a sloppy phrase's fraction. */
export function bm25Score(weight: number, freq: number, normInverse: number): number {
  const w = Math.fround(weight);
  const denominator = Math.fround(1 + Math.fround(Math.fround(freq) * normInverse));
  return Math.fround(w - Math.fround(w / denominator));
}
