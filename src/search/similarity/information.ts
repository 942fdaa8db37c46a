// Information-based models (IB). Source: Lucene's IBSimilarity with its distributions and lambdas, described and written anew.
import type { SimilarityModel } from '../../mapping/core/similarity-model.ts';
import { floatText } from '../index-query/query-text.ts';
import { count, type Explanation, leaf } from './explanation.ts';
import { explainNormalization, normalizedFreq } from './normalization.ts';
import type { TermScores, TermStatistics } from './term-statistics.ts';

type InformationModel = Extract<SimilarityModel, { type: 'IB' }>;

/** The next float32 above 1: distributions are not defined for 1. */
const ABOVE_ONE = 1 + 2 ** -23;

function lambdaOf(kind: InformationModel['lambda'], { docCount, docFreq, totalTermFreq }: TermStatistics): number {
  const lambda = Math.fround(((kind === 'df' ? docFreq : totalTermFreq) + 1) / (docCount + 1));
  return lambda === 1 ? ABOVE_ONE : lambda;
}

function explainLambda(kind: InformationModel['lambda'], statistics: TermStatistics): Explanation {
  const documents = count(statistics.docCount, 'N, total number of documents with field');
  const value = lambdaOf(kind, statistics);
  if (kind === 'df') {
    const containing = count(statistics.docFreq, 'n, number of documents containing term');
    return leaf(value, 'LambdaDF, computed as (n + 1) / (N + 1) from:', [containing, documents]);
  }
  const occurrences = count(statistics.totalTermFreq, 'F, total number of occurrences of term across all documents');
  return leaf(value, 'LambdaTTF, computed as (F + 1) / (N + 1) from:', [occurrences, documents]);
}

const view = new DataView(new ArrayBuffer(8));

/** The neighbour of a positive double. @param step  1n: above; -1n: below */
function neighbour(value: number, step: bigint): number {
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + step);
  return view.getFloat64(0);
}

const DISTRIBUTIONS: Readonly<Record<InformationModel['distribution'], (tfn: number, lambda: number) => number>> = {
  ll: (tfn, lambda) => -Math.log(lambda / (tfn + lambda)),
  spl(tfn, lambda) {
    let q = 1 - 1 / (tfn + 1);
    if (q === 1) q = neighbour(1, -1n);
    let power = lambda ** q;
    // Rounding must not make the score infinite.
    if (power === lambda) power = neighbour(lambda, lambda < 1 ? 1n : -1n);
    return Math.max(0, -Math.log((power - lambda) / (1 - lambda)));
  },
};

export function informationModel({ distribution, lambda: lambdaKind, normalization }: InformationModel) {
  const distribute = DISTRIBUTIONS[distribution];
  return (statistics: TermStatistics): TermScores => {
    const { boost } = statistics;
    const lambda = lambdaOf(lambdaKind, statistics);
    const score = (freq: number, length: number): number =>
      Math.fround(boost * distribute(normalizedFreq(normalization, statistics, freq, length), lambda));
    return {
      score,
      explain(freq, length) {
        const found = Math.fround(freq.value);
        const normalized = explainNormalization(normalization, statistics, found, length);
        const name = `Distribution${distribution.toUpperCase()}`;
        return leaf(
          score(found, length),
          `score(IBSimilarity, freq=${floatText(freq.value)}), computed as boost * distribution.score(stats, normalization.tfn(stats, freq, docLen), lambda.lambda(stats)) from:`,
          [
            ...(boost === 1 ? [] : [leaf(boost, 'boost, query boost')]),
            normalized,
            explainLambda(lambdaKind, statistics),
            leaf(distribute(Math.fround(normalized.value), lambda), name),
          ],
        );
      },
    };
  };
}
