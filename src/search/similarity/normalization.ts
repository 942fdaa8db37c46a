// Normalization of a term's frequency by the length of the field, for DFR and IB.
// Source: Lucene's Normalization, NormalizationH1, H2, H3 and Z, described and written anew.
import type { Normalization } from '../../mapping/core/similarity-model.ts';
import { count, type Explanation, leaf } from './explanation.ts';
import { averageFieldLength, log2, type TermStatistics } from './term-statistics.ts';

/** The normalized frequency. */
export function normalizedFreq({ kind, parameter }: Normalization, statistics: TermStatistics, freq: number, length: number): number {
  switch (kind) {
    case 'no':
      return freq;
    case 'h1':
      return freq * parameter * (averageFieldLength(statistics) / length);
    case 'h2':
      return freq * log2(1 + (parameter * averageFieldLength(statistics)) / length);
    case 'h3': {
      const { totalTermFreq, sumTotalTermFreq } = statistics;
      // Lucene divides floats here.
      const share = Math.fround(Math.fround(totalTermFreq + 1) / Math.fround(sumTotalTermFreq + 1));
      return ((freq + Math.fround(parameter * share)) / (length + parameter)) * parameter;
    }
    case 'z':
      return freq * (averageFieldLength(statistics) / length) ** parameter;
  }
}

export function explainNormalization(normalization: Normalization, statistics: TermStatistics, freq: number, length: number): Explanation {
  const { kind, parameter } = normalization;
  const value = normalizedFreq(normalization, statistics, freq, length);
  const tf = leaf(freq, 'tf, number of occurrences of term in the document');
  const average = leaf(averageFieldLength(statistics), 'avgfl, average length of field across all documents');
  const fieldLength = leaf(length, 'fl, field length of the document');
  switch (kind) {
    case 'no':
      return count(1, 'no normalization');
    case 'h1':
      return leaf(value, 'NormalizationH1, computed as tf * c * (avgfl / fl) from:', [
        tf,
        leaf(parameter, 'c, hyper-parameter'),
        average,
        fieldLength,
      ]);
    case 'h2':
      return leaf(value, 'NormalizationH2, computed as tf * log2(1 + c * avgfl / fl) from:', [
        tf,
        leaf(parameter, 'c, hyper-parameter'),
        average,
        fieldLength,
      ]);
    case 'h3':
      return leaf(value, 'NormalizationH3, computed as (tf + mu * ((F+1) / (T+1))) / (fl + mu) * mu from:', [
        tf,
        leaf(parameter, 'mu, smoothing parameter'),
        leaf(statistics.totalTermFreq, 'F,  total number of occurrences of term across all documents'),
        leaf(statistics.sumTotalTermFreq, 'T, total number of tokens of the field across all documents'),
        fieldLength,
      ]);
    case 'z':
      return leaf(value, 'NormalizationZ, computed as tf * Math.pow(avgfl / fl, z) from:', [
        tf,
        average,
        fieldLength,
        leaf(parameter, 'z, relates to specificity of the language'),
      ]);
  }
}
