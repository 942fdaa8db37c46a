// BM25 in Lucene's float32 arithmetic, step by step: no factor k1 + 1, lengths in the one-byte encoding of SmallFloat.
// Source: org.apache.lucene.search.similarities.BM25Similarity, org.apache.lucene.util.SmallFloat (Apache Lucene), described and written anew.
import { type Bm25, DEFAULT_BM25 } from '../../mapping/core/similarity.ts';

/** Smaller lengths are encoded as themselves, larger ones with three bits of mantissa. */
const FREE_VALUES = 24;

/** The field length that a norm byte encodes. */
export function lengthOfNorm(norm: number): number {
  if (norm < FREE_VALUES) return norm;
  const code = norm - FREE_VALUES;
  const shift = (code >>> 3) - 1;
  const bits = code & 7;
  return FREE_VALUES + (shift < 0 ? bits : (bits | 8) * 2 ** shift);
}

const LENGTHS = Float32Array.from({ length: 256 }, (_, norm) => lengthOfNorm(norm));

/** The norm byte of a field length: the largest one whose length is not greater. */
export function normOfLength(length: number): number {
  let [low, high] = [0, 255];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (LENGTHS[middle] <= length) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Inverse document frequency of a term. @param docCount  documents that have the field */
export function idf(docFreq: number, docCount: number): number {
  return Math.fround(Math.log(1 + (docCount - docFreq + 0.5) / (docFreq + 0.5)));
}

export function averageLength(sumTotalTermFreq: number, docCount: number): number {
  return Math.fround(sumTotalTermFreq / docCount);
}

/** f32[256] by norm byte: 1 / (k1 * ((1 - b) + b * length / average)). Without norms, every document has length 1. */
export function normInverseTable(average: number, hasNorms: boolean, params: Bm25 = DEFAULT_BM25): Float32Array {
  const k1 = Math.fround(params.k1);
  const b = Math.fround(params.b);
  const oneMinusB = Math.fround(1 - b);
  const table = new Float32Array(256);
  for (let norm = 0; norm < 256; norm++) {
    const length = LENGTHS[hasNorms ? norm : 1];
    const share = Math.fround(Math.fround(b * length) / average);
    table[norm] = 1 / Math.fround(k1 * Math.fround(oneMinusB + share));
  }
  return table;
}
