// Checks the scripts of similarities when an index is created: they must compile, and scores must not be negative, must not fall when a term
// occurs more often, and must not rise when a field is longer. Source: SimilarityService of Elasticsearch 7.10 and OpenSearch.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { similarityOf } from '../../mapping/core/similarity.ts';
import { count, explanationText } from './explanation.ts';
import { scriptedModel, type Unchecked } from './scripted.ts';
import type { TermStatistics } from './term-statistics.ts';

const SAMPLE: TermStatistics = { boost: 2, docCount: 1100, sumDocFreq: 2000, sumTotalTermFreq: 3000, docFreq: 100, totalTermFreq: 130 };
const SAMPLE_LENGTH = 20;
const MOST = 10;

const SCRIPTED = /^index\.similarity\.([^.]+)\.type$/;

/** @throws ApiError script_exception, illegal_argument_exception */
export function checkSimilarityScripts(settings: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(settings)) {
    const [, similarity] = SCRIPTED.exec(name) ?? [];
    if (similarity === undefined || value !== 'scripted') continue;
    const { model } = similarityOf(settings, similarity, similarity);
    if (model?.type === 'scripted') checkScores(scriptedModel(model)(SAMPLE));
  }
}

function checkScores(scores: Unchecked): void {
  const explained = (freq: number, length: number): string => explanationText(scores.explain(count(freq, 'term freq'), length));
  let previous = 0;
  for (let freq = 1; freq <= MOST; freq++) {
    const score = scores.scoreAny(freq, SAMPLE_LENGTH);
    if (score < 0) throw illegalArgumentError(`Similarities should not return negative scores:\n${explained(freq, SAMPLE_LENGTH)}`);
    if (score < previous) {
      throw illegalArgumentError(
        `Similarity scores should not decrease when term frequency increases:\n${explained(freq - 1, SAMPLE_LENGTH)}\n${explained(freq, SAMPLE_LENGTH)}`,
      );
    }
    previous = score;
  }
  previous = Number.POSITIVE_INFINITY;
  for (let length = 1; length <= MOST; length++) {
    const score = scores.scoreAny(1, length);
    if (score > previous) {
      throw illegalArgumentError(
        `Similarity scores should not increase when norm increases:\n${explained(1, length - 1)}\n${explained(1, length)}`,
      );
    }
    previous = score;
  }
}
