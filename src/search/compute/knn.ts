// The documents of a shard whose vectors are most similar to a given one: those of its segments, reduced to the best.
import type { PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { scoreOfSimilarity } from '../evaluate/vector-similarity.ts';
import type { IndexQuery, KnnIndexQuery } from '../index-query/index-query.ts';
import type { ScoredDocs } from './match-runner.ts';
import type { PlanScope } from './plan-scope.ts';

/** A document that was found. `list` is the position of its segment or shard. */
export interface FoundVector {
  readonly list: number;
  readonly docId: number;
  readonly score: number;
}

/** @param planFilter  plans a filter for a segment @returns documents of each segment, ascending */
export function nearestInShard(
  query: KnnIndexQuery,
  segments: readonly SegmentReader[],
  planFilter: (filter: IndexQuery, index: number) => PlanNode,
): ScoredDocs[] {
  const found = segments.map((segment, list): FoundVector[] => {
    const filter = query.filter === null ? null : planFilter(query.filter, list);
    if (filter?.op === 'matchNone') return [];
    const { element, dims, similarity, vector, isNested } = query;
    const { docs, similarities } = segment.nearest({
      field: query.field,
      element,
      dims,
      similarity,
      vector,
      isNested,
      filter: filter?.op === 'matchAll' ? null : filter,
      size: query.k,
      candidates: query.candidates,
    });
    return Array.from(docs, (docId, i) => ({ list, docId, score: scoreOfSimilarity(similarities[i], query) }));
  });
  const best = bestOf(found.flat(), query.k).filter(({ score }) => query.minScore === null || score >= query.minScore);
  return segments.map((_, list) => scoredDocs(best.filter((one) => one.list === list)));
}

/** The `size` best by score; ties by list and document. */
export function bestOf<T extends FoundVector>(found: readonly T[], size: number): T[] {
  return [...found].sort((a, b) => b.score - a.score || a.list - b.list || a.docId - b.docId).slice(0, size);
}

/** The documents of one segment, ascending. */
export function scoredDocs(found: readonly FoundVector[]): ScoredDocs {
  const sorted = [...found].sort((a, b) => a.docId - b.docId);
  return { docs: Uint32Array.from(sorted, ({ docId }) => docId), scores: Float32Array.from(sorted, ({ score }) => score) };
}

export function planScored({ docs, scores }: ScoredDocs, { scored, boost }: PlanScope): PlanNode {
  if (docs.length === 0) return { op: 'matchNone' };
  if (!scored) return { op: 'docs', docs, scores: null };
  return { op: 'docs', docs, scores: boost === 1 ? scores : scores.map((score) => Math.fround(score * boost)) };
}
