// Rescoring: combines the scores of a shard's best hits with those of a second query.
import type { RescoreRequest } from '../request/request-parts.ts';
import { rewriteQuery } from '../rewrite/rewrite.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import type { PreparedShard } from './prepared-shard.ts';
import type { RunControl } from './run-control.ts';
import { scoreDocs } from './score-docs.ts';
import { hitComparator, type ShardHit, type ShardHits } from './shard-hits.ts';

export function rescoreHits(
  found: ShardHits,
  rescores: readonly RescoreRequest[],
  prepared: PreparedShard,
  context: RewriteContext,
  control: RunControl,
): ShardHits {
  let hits = found.hits;
  const compare = hitComparator([]);
  for (const rescore of rescores) {
    const window = hits.slice(0, rescore.windowSize);
    const query = rewriteQuery(rescore.query, context);
    const segments = new Set(window.map((hit) => hit.segment));
    const scores = new Map<ShardHit, number>();
    for (const index of segments) {
      const inSegment = window.filter((hit) => hit.segment === index);
      const docs = inSegment.map((hit) => hit.docId);
      const second = scoreDocs(prepared, query, index, docs, true, control);
      for (const hit of inSegment) {
        const score = second.get(hit.docId);
        if (score !== undefined) scores.set(hit, score);
      }
    }
    // Hits after the window are treated as if the second query did not match them, so that all scores are comparable.
    hits = hits
      .map((hit, i): ShardHit => {
        const pass = { rescore, query: i < rescore.windowSize ? query : null };
        return { ...hit, score: combine(hit.score, scores.get(hit), rescore), rescored: [...(hit.rescored ?? []), pass] };
      })
      .sort(compare);
  }
  return { ...found, hits, maxScore: hits.length === 0 ? found.maxScore : hits[0].score };
}

/** Combines the score of the first query with that of the second one, if it matches. */
export function combine(first: number, second: number | undefined, { queryWeight, rescoreWeight, scoreMode }: RescoreRequest): number {
  const a = Math.fround(first * queryWeight);
  if (second === undefined) return a;
  const b = Math.fround(second * rescoreWeight);
  switch (scoreMode) {
    case 'total':
      return Math.fround(a + b);
    case 'multiply':
      return Math.fround(a * b);
    case 'avg':
      return Math.fround((a + b) / 2);
    case 'max':
      return Math.max(a, b);
    case 'min':
      return Math.min(a, b);
  }
}
