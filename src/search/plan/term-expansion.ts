// Terms of a shard that match a pattern, and the selection of the best of them, as in the rewrite methods of Lucene's MultiTermQuery.
import { tooManyClausesError } from '../../errors/search-errors.ts';
import type { TermState } from '../../plan/segment.ts';
import type { TermPattern } from '../index-query/pattern-query.ts';
import { afterPrefix, type Bytes, compareBytes, keyOf, type Term } from '../index-query/term.ts';
import type { ShardStatistics, TermEntry } from '../shard/statistics.ts';

export interface ExpandedTerm {
  readonly term: Term;
  readonly entry: TermEntry;
  readonly boost: number;
}

/**
 * Every matching term of the shard in byte order.
 * @throws ApiError too_many_clauses: more than `limit`
 */
export function expandPattern(statistics: ShardStatistics, field: string, pattern: TermPattern, limit: number): ExpandedTerm[] {
  const found = new Map<string, { bytes: Bytes; states: Array<TermState | null>; docFreq: number; totalTermFreq: number }>();
  statistics.segments.forEach((segment, i) => {
    for (const walked of segment.walkTerms(field, pattern, limit + 1, pattern.filter ?? undefined)) {
      const key = keyOf(walked.bytes);
      let entry = found.get(key);
      if (!entry) {
        if (found.size >= limit) throw tooManyClausesError(limit);
        entry = { bytes: walked.bytes, states: statistics.segments.map(() => null), docFreq: 0, totalTermFreq: 0 };
        found.set(key, entry);
      }
      entry.states[i] = walked;
      entry.docFreq += walked.docFreq;
      entry.totalTermFreq += walked.totalTermFreq;
    }
  });
  return [...found.entries()]
    .map(([key, entry]) => ({ term: { field, bytes: entry.bytes, key }, entry, boost: pattern.boostOf?.(entry.bytes) ?? 1 }))
    .sort((a, b) => compareBytes(a.term.bytes, b.term.bytes));
}

/** The `size` terms with the highest boost (ties by byte order), in byte order. Negative boosts become 0. */
export function bestTerms(terms: readonly ExpandedTerm[], size: number): ExpandedTerm[] {
  const best =
    terms.length <= size
      ? [...terms]
      : [...terms].sort((a, b) => b.boost - a.boost || compareBytes(a.term.bytes, b.term.bytes)).slice(0, size);
  return best.sort((a, b) => compareBytes(a.term.bytes, b.term.bytes)).map((term) => ({ ...term, boost: Math.max(0, term.boost) }));
}

/** Up to `limit` terms that begin with one of `prefixes`, collected segment by segment. */
export function expandPrefixes(statistics: ShardStatistics, field: string, prefixes: readonly Term[], limit: number): Term[] {
  const found = new Map<string, Term>();
  for (const prefix of prefixes) {
    for (const segment of statistics.segments) {
      const range = { from: prefix.bytes, to: afterPrefix(prefix.bytes), includeFrom: true, includeTo: false };
      for (const { bytes } of segment.walkTerms(field, range, limit)) {
        const key = keyOf(bytes);
        if (!found.has(key)) found.set(key, { field, bytes, key });
        if (found.size >= limit) return [...found.values()];
      }
    }
  }
  return [...found.values()];
}
