// function_score on one segment: combines the scores of the inner query with those of functions, in Elasticsearch's double and float steps.
import type { PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { BoostMode, ScoreMode } from '../../query/scores/score-function.ts';
import type { FunctionScoreIndexQuery } from '../index-query/index-query.ts';
import type { ScoredDocs } from './match-runner.ts';

/**
 * @param base     matches of the inner query
 * @param filters  documents that match the filter of each function, null for all documents
 * @param boost    multiplies the result
 */
export function scoreByFunctions(
  query: FunctionScoreIndexQuery,
  segment: SegmentReader,
  base: ScoredDocs,
  filters: ReadonlyArray<ReadonlySet<number> | null>,
  boost: number,
): PlanNode {
  const docs: number[] = [];
  const scores: number[] = [];
  // A single function for all documents is computed for all of them at once, if possible.
  const [only] = query.functions;
  const isOnly = query.functions.length === 1 && filters[0] === null;
  const values = isOnly ? (only.value.many?.(segment, base.docs, base.scores) ?? null) : null;
  for (let i = 0; i < base.docs.length; i++) {
    const docId = base.docs[i];
    const factor = values === null ? factorOf(query, segment, docId, base.scores[i], filters) : weighted(values[i], query);
    // Without functions there is nothing to combine.
    const score =
      query.functions.length === 0 ? base.scores[i] : combine(query.boostMode, base.scores[i], Math.min(factor, query.maxBoost));
    if (query.minScore !== null && score < query.minScore) continue;
    docs.push(docId);
    scores.push(Math.fround((query.boosts === 'value' ? factor : score) * boost));
  }
  return docs.length === 0 ? { op: 'matchNone' } : { op: 'docs', docs: Uint32Array.from(docs), scores: Float32Array.from(scores) };
}

/** The value of the only function, with its weight. */
function weighted(value: number, { functions, scoreMode }: FunctionScoreIndexQuery): number {
  const { weight } = functions[0];
  return weight === null ? value : reduce(scoreMode, [value * weight], weight);
}

export function factorOf(
  { functions, scoreMode }: FunctionScoreIndexQuery,
  segment: SegmentReader,
  docId: number,
  score: number,
  filters: ReadonlyArray<ReadonlySet<number> | null>,
): number {
  const values: number[] = [];
  let weights = 0;
  for (let i = 0; i < functions.length; i++) {
    const filter = filters[i];
    if (filter && !filter.has(docId)) continue;
    const { weight, value } = functions[i];
    values.push(value(segment, docId, score) * (weight ?? 1));
    weights += weight ?? 1;
    if (scoreMode === 'first') break;
  }
  if (values.length === 0) return 1;
  return reduce(scoreMode, values, weights);
}

function reduce(mode: ScoreMode, values: readonly number[], weights: number): number {
  switch (mode) {
    case 'first':
      return values[0];
    case 'max':
      return Math.max(...values);
    case 'min':
      return Math.min(...values);
    case 'multiply':
      return values.reduce((a, b) => a * b, 1);
    case 'sum':
      return values.reduce((a, b) => a + b, 0);
    case 'avg':
      return weights === 0 ? 1 : values.reduce((a, b) => a + b, 0) / weights;
  }
}

export function combine(mode: BoostMode, score: number, factor: number): number {
  switch (mode) {
    case 'multiply':
      return Math.fround(score * factor);
    case 'replace':
      return Math.fround(factor);
    case 'sum':
      return Math.fround(score + factor);
    case 'avg':
      return Math.fround((score + factor) / 2);
    case 'max':
      return Math.fround(Math.max(score, factor));
    case 'min':
      return Math.fround(Math.min(score, factor));
  }
}
