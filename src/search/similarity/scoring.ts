// The scorer of each kind of similarity other than BM25, and the scores of terms that are scored together.
import type { SimilarityModel } from '../../mapping/core/similarity-model.ts';
import { divergenceFromIndependence, divergenceFromRandomness } from './divergence.ts';
import { leaf } from './explanation.ts';
import { informationModel } from './information.ts';
import { dirichlet, jelinekMercer } from './language-models.ts';
import { scriptedModel } from './scripted.ts';
import type { Scoring, TermScores, TermStatistics } from './term-statistics.ts';

/** The scoring of each model; a mapping keeps its models. */
const scorings = new WeakMap<SimilarityModel, Scoring>();

/** @throws ApiError script_exception: a script does not compile */
function scoringOf(model: SimilarityModel): Scoring {
  let scoring = scorings.get(model);
  if (!scoring) scorings.set(model, (scoring = makeScoring(model)));
  return scoring;
}

function makeScoring(model: SimilarityModel): Scoring {
  switch (model.type) {
    case 'DFR':
      return divergenceFromRandomness(model);
    case 'DFI':
      return divergenceFromIndependence(model);
    case 'IB':
      return informationModel(model);
    case 'LMDirichlet':
      return dirichlet(model);
    case 'LMJelinekMercer':
      return jelinekMercer(model);
    case 'scripted':
      return scriptedModel(model);
  }
}

/** The scorer of terms that occur together (a phrase): the sum of their scores for the same frequency. */
export function scoresTogether(model: SimilarityModel, terms: readonly TermStatistics[]): TermScores {
  const parts = terms.map(scoringOf(model));
  if (parts.length === 1) return parts[0];
  const score = (freq: number, length: number): number => Math.fround(parts.reduce((sum, part) => sum + part.score(freq, length), 0));
  return {
    score,
    explain: (freq, length) =>
      leaf(
        score(Math.fround(freq.value), length),
        model.type === 'scripted' ? 'Sum of:' : 'sum of:',
        parts.map((part) => part.explain(freq, length)),
      ),
  };
}

/** Frequencies up to here are scored once for each norm. */
const CACHED_FREQS = 16;

/** Scores by frequency and norm byte. Documents of similar length share norms, so a script runs a few hundred times, not once for each document. */
export function cachedScores(scores: TermScores, lengthOfNorm: (norm: number) => number): (freq: number, norm: number) => number {
  const known = new Float32Array(256 * (CACHED_FREQS + 1)).fill(Number.NaN);
  return (freq, norm) => {
    if (freq > CACHED_FREQS || !Number.isInteger(freq)) return scores.score(freq, lengthOfNorm(norm));
    const at = norm * (CACHED_FREQS + 1) + freq;
    if (Number.isNaN(known[at])) known[at] = scores.score(freq, lengthOfNorm(norm));
    return known[at];
  };
}
