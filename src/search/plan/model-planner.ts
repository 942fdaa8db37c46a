// Plans of terms whose field has a similarity other than BM25: the host scores their documents by frequency and norm.
// The kernels find the documents and their frequencies; every score is known before the query runs, so pruning stays exact.
import { checkTurn } from '../../common/turns/turn.ts';
import type { PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { FREQUENCY_SCORER, freqOf, PHRASE_FREQUENCY_SCORER } from '../compute/combined-fields.ts';
import type { MatchRunner } from '../compute/match-runner.ts';
import type { Term } from '../index-query/term.ts';
import { lengthOfNorm } from '../shard/bm25.ts';
import type { FieldModel, Statistics } from '../shard/statistics.ts';
import { cachedScores, scoresTogether } from '../similarity/scoring.ts';
import type { TermScores, TermStatistics } from '../similarity/term-statistics.ts';

/** A plan of one field's terms that a similarity can score. */
export type TermsPlan = Extract<PlanNode, { op: 'term' | 'synonym' | 'phrase' }>;

/** Frequencies of terms that are scored together. */
export interface TermFreqs {
  readonly docFreq: number;
  readonly totalTermFreq: number;
}

/** Number of documents scored between two checks whether the request should yield. */
const DOCS_PER_TURN = 8192;

/** The scorer of terms of a field that are scored together, null if no document has the field. */
export function modelScores(
  { model }: FieldModel,
  field: string,
  freqs: readonly TermFreqs[],
  boost: number,
  weights: Statistics,
): TermScores | null {
  const statistics = weights.field(field);
  if (!statistics) return null;
  const { docCount, sumDocFreq, sumTotalTermFreq } = statistics;
  const terms = freqs.map((freq): TermStatistics => ({ boost, docCount, sumDocFreq, sumTotalTermFreq, ...freq }));
  return scoresTogether(model, terms);
}

export function freqsOf(term: Term, weights: Statistics): TermFreqs {
  return { docFreq: weights.docFreq(term), totalTermFreq: weights.totalTermFreq(term) };
}

/** The plan with frequencies as scores, which `freqOfScore` reads. */
export function withFrequencies(plan: TermsPlan): PlanNode {
  return { ...plan, scorer: plan.op === 'phrase' ? PHRASE_FREQUENCY_SCORER : FREQUENCY_SCORER };
}

export function freqOfScore(isPhrase: boolean, score: number): number {
  return isPhrase ? score : freqOf(score);
}

/** Scores the documents of a plan. @param index  position of the segment in the shard */
export function planByModel(
  plan: TermsPlan,
  field: string,
  scores: TermScores,
  nestedPath: string | null,
  runner: MatchRunner,
  segment: SegmentReader,
  index: number,
): PlanNode {
  const scopePtr = nestedPath === null ? null : segment.nestedDocsPtr(nestedPath);
  const found = runner.matchesOf(index, withFrequencies(plan), scopePtr);
  if (found.docs.length === 0) return { op: 'matchNone' };
  const { hasNorms } = plan.postings;
  const scoreOf = cachedScores(scores, lengthOfNorm);
  const byDoc = new Float32Array(found.docs.length);
  for (let i = 0; i < byDoc.length; i++) {
    if (i % DOCS_PER_TURN === 0) checkTurn();
    const freq = freqOfScore(plan.op === 'phrase', found.scores[i]);
    byDoc[i] = scoreOf(freq, hasNorms ? segment.norm(field, found.docs[i]) : 1);
  }
  return { op: 'docs', docs: found.docs, scores: byDoc };
}
