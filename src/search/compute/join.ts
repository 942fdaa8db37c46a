// Joins of parents and children on one shard: the matches of one side are collected by parent id over all segments, then the documents of the
// other side are looked up by that id. Source: Lucene's JoinUtil (behaviour).
import type { PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { JoinQuery } from '../index-query/index-query.ts';
import { keyOf } from '../index-query/term.ts';
import type { ScoredDocs } from './match-runner.ts';

/** The documents of `from` that hold one parent id. */
export interface Joined {
  count: number;
  score: number;
}

/**
 * The documents of `from` in all segments, by parent id.
 * @param matching  documents of `from` in a segment, null if there are none
 */
export function gatherJoined(
  { column, scoreMode }: JoinQuery,
  segments: readonly SegmentReader[],
  matching: (index: number) => ScoredDocs | null,
): ReadonlyMap<string, Joined> {
  const joined = new Map<string, Joined>();
  segments.forEach((segment, index) => {
    const found = matching(index);
    if (!found || !segment.column(column)) return;
    found.docs.forEach((docId, i) => {
      const key = joinKey(segment, column, docId);
      if (key === null) return;
      const score = found.scores[i];
      const entry = joined.get(key);
      if (!entry) joined.set(key, { count: 1, score });
      else {
        entry.count++;
        entry.score =
          scoreMode === 'min'
            ? Math.min(entry.score, score)
            : scoreMode === 'max'
              ? Math.max(entry.score, score)
              : Math.fround(entry.score + score);
      }
    });
  });
  return joined;
}

/** The key of the parent id in a document's join column, null if it has none. */
export function joinKey(segment: SegmentReader, column: string, docId: number): string | null {
  const [ord] = segment.values(column, docId);
  return ord === undefined ? null : keyOf(segment.termOf(column, Number(ord)));
}

/**
 * The documents of `to` whose number of related documents is within the bounds of the query.
 * @param docs   documents of `to` in the segment, ascending
 * @param boost  the score when the query takes no score from the related documents
 */
export function planJoined(
  query: JoinQuery,
  segment: SegmentReader,
  docs: Uint32Array,
  joined: ReadonlyMap<string, Joined>,
  boost: number,
): PlanNode {
  if (!segment.column(query.column)) return { op: 'matchNone' };
  const found: number[] = [];
  const scores: number[] = [];
  for (const docId of docs) {
    const key = joinKey(segment, query.column, docId);
    const entry = key === null ? undefined : joined.get(key);
    if (!entry || entry.count < query.minChildren || entry.count > query.maxChildren) continue;
    found.push(docId);
    scores.push(scoreOf(query, entry, boost));
  }
  return found.length === 0 ? { op: 'matchNone' } : { op: 'docs', docs: Uint32Array.from(found), scores: Float32Array.from(scores) };
}

function scoreOf({ scoreMode }: JoinQuery, { count, score }: Joined, boost: number): number {
  if (scoreMode === 'none') return boost;
  return scoreMode === 'avg' ? Math.fround(score / count) : score;
}
