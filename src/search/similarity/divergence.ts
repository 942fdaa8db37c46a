// Divergence from randomness (DFR) and from independence (DFI).
// Source: Lucene's DFRSimilarity with its basic models and after effects, DFISimilarity, described and written anew.
import type { SimilarityModel } from '../../mapping/core/similarity-model.ts';
import { floatText } from '../index-query/query-text.ts';
import { count, type Explanation, leaf } from './explanation.ts';
import { explainNormalization, normalizedFreq } from './normalization.ts';
import { log2, type TermScores, type TermStatistics } from './term-statistics.ts';

type Dfr = Extract<SimilarityModel, { type: 'DFR' }>;
type Dfi = Extract<SimilarityModel, { type: 'DFI' }>;

/** A basic model for one term: the score of a normalized frequency, times the part of the after effect that is the same for all documents. */
interface BasicModel {
  score(tfn: number): number;
  explain(value: number, tfn: Explanation): Explanation;
}

/** Models whose score is a constant times the saturated frequency. */
function idfModel(factor: number, effect: number, description: string, details: readonly Explanation[]): BasicModel {
  return {
    score: (tfn) => factor * effect * (1 - 1 / (1 + tfn)),
    explain: (value, tfn) => leaf(value, description, [tfn, ...details]),
  };
}

const OCCURRENCES = 'F, total number of occurrences of term across all docs';
const DOCUMENTS = 'N, total number of documents with field';

function basicModel(kind: Dfr['basicModel'], { docCount: N, docFreq: n, totalTermFreq }: TermStatistics, effect: number): BasicModel {
  switch (kind) {
    case 'g': {
      const F = totalTermFreq + 1;
      const lambda = F / (N + F);
      const A = log2(lambda + 1);
      const B = log2((1 + lambda) / lambda);
      const lambdaPart = leaf(lambda, 'lambda, computed as F / (N + F) from:', [leaf(F, `${OCCURRENCES} + 1`), leaf(N, DOCUMENTS)]);
      return {
        score: (tfn) => (B - (B - A) / (1 + tfn)) * effect,
        explain: (value, tfn) =>
          leaf(value, 'BasicModelG, computed as log2(lambda + 1) + tfn * log2((1 + lambda) / lambda) from:', [tfn, lambdaPart]),
      };
    }
    case 'if':
      return idfModel(
        log2(1 + (N + 1) / (totalTermFreq + 0.5)),
        effect,
        'BasicModelIF, computed as tfn * log2(1 + (N + 1) / (F + 0.5)) from:',
        [count(N, DOCUMENTS), count(totalTermFreq, 'F, total number of occurrences of term across all documents')],
      );
    case 'in':
      return idfModel(log2((N + 1) / (n + 0.5)), effect, 'BasicModelIn, computed as tfn * log2((N + 1) / (n + 0.5)) from:', [
        count(N, DOCUMENTS),
        count(n, 'n, number of documents containing term'),
      ]);
    case 'ine': {
      const expected = N * (1 - ((N - 1) / N) ** totalTermFreq);
      return idfModel(log2((N + 1) / (expected + 0.5)), effect, 'BasicModelIne, computed as tfn * log2((N + 1) / (ne + 0.5)) from:', [
        leaf(expected, 'ne, computed as N * (1 - Math.pow((N - 1) / N, F)) from:', [leaf(totalTermFreq, OCCURRENCES), leaf(N, DOCUMENTS)]),
      ]);
    }
  }
}

/** The part of the after effect that is the same for all documents: the effect times 1 + tfn. */
function afterEffect(kind: Dfr['afterEffect'], { docFreq, totalTermFreq }: TermStatistics): number {
  return kind === 'l' ? 1 : (totalTermFreq + 2) / (docFreq + 1);
}

function explainAfterEffect(kind: Dfr['afterEffect'], statistics: TermStatistics, tfn: number): Explanation {
  const value = afterEffect(kind, statistics) / (1 + tfn);
  const part = leaf(tfn, 'tfn, normalized term frequency');
  if (kind === 'l') return leaf(value, 'AfterEffectL, computed as 1 / (tfn + 1) from:', [part]);
  return leaf(value, 'AfterEffectB, computed as (F + 1) / (n * (tfn + 1)) from:', [
    part,
    count(statistics.totalTermFreq, 'F, total number of occurrences of term across all documents + 1'),
    count(statistics.docFreq, 'n, number of documents containing term + 1'),
    part,
  ]);
}

export function divergenceFromRandomness({ basicModel: kind, afterEffect: effectKind, normalization }: Dfr) {
  return (statistics: TermStatistics): TermScores => {
    const effect = afterEffect(effectKind, statistics);
    const model = basicModel(kind, statistics, effect);
    const { boost } = statistics;
    const tfnOf = (freq: number, length: number): number => normalizedFreq(normalization, statistics, freq, length);
    const score = (freq: number, length: number): number => Math.fround(boost * model.score(tfnOf(freq, length)));
    return {
      score,
      explain(freq, length) {
        const found = Math.fround(freq.value);
        const tfn = tfnOf(found, length);
        const value = (model.score(tfn) * (1 + tfn)) / effect;
        return leaf(
          score(found, length),
          `score(DFRSimilarity, freq=${floatText(freq.value)}), computed as boost * basicModel.score(stats, tfn) * afterEffect.score(stats, tfn) from:`,
          [
            ...(boost === 1 ? [] : [leaf(boost, 'boost, query boost')]),
            explainNormalization(normalization, statistics, found, length),
            model.explain(value, leaf(tfn, 'tfn, normalized term frequency')),
            explainAfterEffect(effectKind, statistics, tfn),
          ],
        );
      },
    };
  };
}

const MEASURES: Readonly<Record<Dfi['measure'], (freq: number, expected: number) => number>> = {
  standardized: (freq, expected) => (freq - expected) / Math.sqrt(expected),
  saturated: (freq, expected) => (freq - expected) / expected,
  chisquared: (freq, expected) => ((freq - expected) * (freq - expected)) / expected,
};

export function divergenceFromIndependence({ measure }: Dfi) {
  const independence = MEASURES[measure];
  return ({ boost, totalTermFreq, sumTotalTermFreq }: TermStatistics): TermScores => {
    const expectedIn = (length: number): number => ((totalTermFreq + 1) * length) / (sumTotalTermFreq + 1);
    const score = (freq: number, length: number): number => {
      const expected = expectedIn(length);
      return freq <= expected ? 0 : Math.fround(boost * log2(independence(freq, expected) + 1));
    };
    return {
      score,
      explain(freq, length) {
        const found = Math.fround(freq.value);
        const expected = expectedIn(length);
        const name = `score(DFISimilarity, freq=${floatText(freq.value)})`;
        if (found <= expected) return leaf(0, `${name}, equals to 0`);
        const expectedPart = leaf(expected, 'expected, computed as (F + 1) * dl / (T + 1) from:', [
          count(totalTermFreq, OCCURRENCES),
          leaf(length, 'dl, length of field'),
          count(sumTotalTermFreq, 'T, total number of tokens in the field'),
        ]);
        return leaf(score(found, length), `${name}, computed as boost * log2(measure + 1) from:`, [
          leaf(boost, 'boost, query boost'),
          leaf(independence(found, expected), 'measure, computed as independence.score(freq, expected) from:', [freq, expectedPart]),
        ]);
      },
    };
  };
}
