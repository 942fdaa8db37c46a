// Explanations of function_score: the functions that apply to a document, and how their values change the score of the query.
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { BoostMode } from '../../query/scores/score-function.ts';
import { combine, factorOf } from '../compute/function-score.ts';
import type { FunctionScoreIndexQuery, IndexFunction } from '../index-query/index-query.ts';
import { floatText, queryText } from '../index-query/query-text.ts';
import { type Explanation, leaf } from '../similarity/explanation.ts';

const MAX_FLOAT = Math.fround(3.4028234663852886e38);

/** Names of the modes that show the score of the query beside the value of the functions. */
const BOOST_MODES: Readonly<Record<Exclude<BoostMode, 'replace'>, string>> = {
  multiply: 'function score, product of:',
  sum: 'sum of',
  avg: 'avg of',
  max: 'max of:',
  min: 'min of',
};

/**
 * @param inner    explanation of the query
 * @param matches  whether the filter of each function matches the document
 */
export function explainFunctions(
  query: FunctionScoreIndexQuery,
  inner: Explanation,
  segment: SegmentReader,
  docId: number,
  matches: readonly boolean[],
): Explanation {
  if (query.functions.length === 0) return inner;
  const innerScore = Math.fround(inner.value);
  const parts = query.functions.flatMap((part, i) => (matches[i] ? [explainFunction(part, segment, docId, innerScore)] : []));
  const filters = matches.map((isMatch, i) => (query.functions[i].filter === null ? null : new Set(isMatch ? [docId] : [])));
  const factor = factorOf(query, segment, docId, innerScore, filters);
  const isSingle = query.functions.length === 1 && query.functions[0].filter === null;
  const combined =
    parts.length === 0
      ? leaf(1, 'No function matched')
      : isSingle
        ? parts[0]
        : leaf(factor, `function score, score mode [${query.scoreMode}]`, parts);
  const most = Math.min(query.maxBoost, MAX_FLOAT);
  const bounded = leaf(Math.min(combined.value, most), 'min of:', [combined, leaf(most, 'maxBoost')]);
  const score = combine(query.boostMode, innerScore, Math.min(factor, query.maxBoost));
  const explained = query.boostMode === 'replace' ? bounded : leaf(score, BOOST_MODES[query.boostMode], [inner, bounded]);
  if (query.minScore === null || score >= query.minScore) return explained;
  return leaf(0, `Score value is too low, expected at least ${floatText(query.minScore)} but got ${floatText(score)}`, [explained]);
}

function explainFunction({ filter, weight, value }: IndexFunction, segment: SegmentReader, docId: number, score: number): Explanation {
  const found = value(segment, docId, score);
  const [text = 'constant score 1.0 - no function provided', ...inner] = value.describe?.(segment, docId) ?? [];
  const own = leaf(
    found,
    text,
    inner.map((part) => leaf(found, part)),
  );
  const weighted = weight === null ? own : leaf(found * weight, 'product of:', [own, leaf(weight, 'weight')]);
  if (filter === null) return weighted;
  return leaf(weighted.value, 'function score, product of:', [leaf(1, `match filter: ${queryText(filter)}`), weighted]);
}
