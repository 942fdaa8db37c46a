// Positions of terms in one document as lists of intervals: the spans of Lucene's span queries, with exclusive ends, and the minimal intervals
// of its interval queries. Source: org.apache.lucene.queries.spans, org.apache.lucene.queries.intervals (Apache Lucene), described and written anew;
// "Efficient Optimally Lazy Algorithms for Minimal-Interval Semantics", Boldi and Vigna.
import type { IntervalMode, IntervalRelation } from '../../query/positional/positional-rules.ts';
import type { IntervalSource, SpanSource } from '../index-query/positional-query.ts';
import type { Term } from '../index-query/term.ts';

/** An interval of positions. `gaps`: positions inside that no source covers; for spans, Lucene's width. */
export interface Stretch {
  readonly start: number;
  /** Exclusive for spans, inclusive for intervals. */
  readonly end: number;
  readonly gaps: number;
  /** The width to count where it is larger than the interval itself, because positions around it belong to it. */
  readonly width?: number;
}

/** Ascending positions of a term in the document. */
export type Positions = (term: Term) => readonly number[];

/** Spans ordered as in Lucene: by start, then by end. */
export function spansOf(source: SpanSource, positions: Positions): Stretch[] {
  switch (source.type) {
    case 'none':
    case 'pattern':
      return [];
    case 'term':
      return positions(source.term).map((start) => ({ start, end: start + 1, gaps: 0 }));
    case 'or':
      return source.sources.flatMap((inner) => spansOf(inner, positions)).sort(byStart);
    case 'near': {
      const lists = source.sources.map((inner) => spansOf(inner, positions));
      if (lists.some((list) => list.length === 0)) return [];
      if (lists.length === 1) return lists[0];
      return source.inOrder ? nearOrdered(lists, source.slop) : nearUnordered(lists, source.slop);
    }
    case 'not': {
      const excluded = spansOf(source.exclude, positions);
      const { pre, post } = source;
      return spansOf(source.include, positions).filter(
        ({ start, end }) => !excluded.some((other) => other.end > start - pre && other.start < end + post),
      );
    }
    case 'first':
      return spansOf(source.source, positions).filter(({ end }) => end <= source.end);
    case 'containing':
    case 'within': {
      const big = spansOf(source.big, positions);
      const little = spansOf(source.little, positions);
      const holds = (outer: Stretch, inner: Stretch) => inner.start >= outer.start && inner.end <= outer.end;
      return source.type === 'containing'
        ? big.filter((outer) => little.some((inner) => holds(outer, inner)))
        : little.filter((inner) => big.some((outer) => holds(outer, inner)));
    }
  }
}

function byStart(a: Stretch, b: Stretch): number {
  return a.start - b.start || a.end - b.end;
}

/** One match per span of the first list: each following span is the nearest one after it. */
function nearOrdered(lists: readonly (readonly Stretch[])[], slop: number): Stretch[] {
  const at = lists.map(() => 0);
  const found: Stretch[] = [];
  for (const first of lists[0]) {
    let end = first.end;
    let gaps = 0;
    for (let i = 1; i < lists.length; i++) {
      while (at[i] < lists[i].length && lists[i][at[i]].start < end) at[i]++;
      if (at[i] === lists[i].length) return found;
      const next = lists[i][at[i]];
      gaps += next.start - end;
      end = next.end;
    }
    if (gaps <= slop) found.push({ start: first.start, end, gaps });
  }
  return found;
}

/** Combines one span of each list at a time, then advances the list whose span starts first. */
function nearUnordered(lists: readonly (readonly Stretch[])[], slop: number): Stretch[] {
  const at = lists.map(() => 0);
  const found: Stretch[] = [];
  for (;;) {
    const cells = lists.map((list, i) => list[at[i]]);
    const first = cells.reduce((best, cell, i) => (byStart(cell, cells[best]) < 0 ? i : best), 0);
    const end = Math.max(...cells.map((cell) => cell.end));
    const covered = cells.reduce((sum, cell) => sum + cell.end - cell.start, 0);
    const { start } = cells[first];
    // Unlike the slop, Lucene's width includes the parts themselves.
    if (end - start - covered <= slop) found.push({ start, end, gaps: end - start });
    if (++at[first] === lists[first].length) return found;
  }
}

/** Minimal intervals, ascending: none contains another. */
export function intervalsOf(source: IntervalSource, positions: Positions): Stretch[] {
  switch (source.type) {
    case 'none':
    case 'pattern':
      return [];
    case 'term':
      return positions(source.term).map((start) => ({ start, end: start, gaps: 0 }));
    case 'or':
      return minimal(source.sources.flatMap((inner) => intervalsOf(inner, positions)));
    case 'all': {
      const lists =
        source.mode === 'unordered' ? repeated(source.sources, positions) : source.sources.map((inner) => intervalsOf(inner, positions));
      if (lists.some((list) => list.length === 0)) return [];
      if (lists.length === 1) return lists[0];
      return combine(lists, source.mode);
    }
    case 'extend':
      return intervalsOf(source.source, positions).map(({ start, end, gaps }) => ({
        start: Math.max(0, start - source.before),
        end,
        gaps,
      }));
    case 'maxGaps':
      return intervalsOf(source.source, positions).filter(({ gaps }) => gaps <= source.gaps);
    case 'filter': {
      const others = intervalsOf(source.by, positions);
      return intervalsOf(source.source, positions).filter((stretch) => holds(source.relation, stretch, others));
    }
  }
}

/** The distinct sources of a list with their multiplicities, cached for all documents of a query. */
const distinctSources = new WeakMap<readonly IntervalSource[], readonly { source: IntervalSource; count: number }[]>();

function distinct(sources: readonly IntervalSource[]): readonly { source: IntervalSource; count: number }[] {
  const known = distinctSources.get(sources);
  if (known) return known;
  const counts = new Map<string, { source: IntervalSource; count: number }>();
  for (const source of sources) {
    const key = JSON.stringify(source);
    const entry = counts.get(key);
    if (entry) entry.count++;
    else counts.set(key, { source, count: 1 });
  }
  const found = [...counts.values()];
  distinctSources.set(sources, found);
  return found;
}

/** Intervals of each distinct source. For a source that occurs n times, intervals of n consecutive ones, so that no position counts twice. */
function repeated(sources: readonly IntervalSource[], positions: Positions): Stretch[][] {
  return distinct(sources).map(({ source, count }) => {
    const found = intervalsOf(source, positions);
    if (count === 1) return found;
    return found.slice(count - 1).map(({ end }, i) => {
      const { start } = found[i];
      const gaps = gapsIn(start, end, found.slice(i, i + count));
      return { start, end, gaps, width: end - start + 1 - gaps };
    });
  });
}

/** The smallest possible extent of an interval of the source, relative to which intervals are scored. */
export function minExtent(source: IntervalSource): number {
  switch (source.type) {
    case 'or':
      return Math.min(...source.sources.map(minExtent));
    case 'all':
      return unrepeated(source).reduce((sum, inner) => sum + minExtent(inner), 0);
    case 'extend':
      return minExtent(source.source) + source.before;
    case 'maxGaps':
    case 'filter':
      return minExtent(source.source);
    default:
      return 1;
  }
}

/** The sources that Lucene counts in the extent: equal ones in a row, in an unordered list all equal ones, are one repeated source. */
function unrepeated({ sources, mode }: Extract<IntervalSource, { type: 'all' }>): readonly IntervalSource[] {
  if (mode === 'unordered') return distinct(sources).map(({ source }) => source);
  if (mode !== 'ordered') return sources;
  return sources.filter((source, i) => i === 0 || JSON.stringify(source) !== JSON.stringify(sources[i - 1]));
}

function minimal(intervals: Stretch[]): Stretch[] {
  const sorted = intervals.sort((a, b) => a.end - b.end || b.start - a.start);
  const kept: Stretch[] = [];
  // Ends ascend, so an interval contains an earlier one if and only if it does not start after it.
  for (const stretch of sorted) if (kept.length === 0 || stretch.start > kept[kept.length - 1].start) kept.push(stretch);
  return kept;
}

function combine(lists: readonly (readonly Stretch[])[], mode: IntervalMode | 'phrase'): Stretch[] {
  switch (mode) {
    case 'phrase':
      return phrases(lists);
    case 'ordered':
      return minimal(ordered(lists));
    case 'unordered':
      return minimal(unordered(lists));
    case 'unordered_no_overlap':
      // Each list follows or precedes all lists before it: it never lies between two of them.
      return lists.slice(1).reduce<Stretch[]>(besideAll, [...lists[0]]);
  }
}

/** Intervals in which one of `list` precedes or follows one of `found`; gaps inside `found` still count. */
function besideAll(found: readonly Stretch[], list: readonly Stretch[]): Stretch[] {
  const whole = found.map((one) => ({ ...one, width: one.end - one.start + 1 - one.gaps }));
  return minimal([...ordered([whole, list]), ...ordered([list, whole])]);
}

function gapsIn(start: number, end: number, parts: readonly Stretch[]): number {
  return end - start + 1 - parts.reduce((sum, part) => sum + (part.width ?? part.end - part.start + 1), 0);
}

function ordered(lists: readonly (readonly Stretch[])[]): Stretch[] {
  const at = lists.map(() => 0);
  const found: Stretch[] = [];
  for (const first of lists[0]) {
    const parts = [first];
    for (let i = 1; i < lists.length; i++) {
      while (at[i] < lists[i].length && lists[i][at[i]].start <= parts[i - 1].end) at[i]++;
      if (at[i] === lists[i].length) return found;
      parts.push(lists[i][at[i]]);
    }
    const { end } = parts[parts.length - 1];
    found.push({ start: first.start, end, gaps: gapsIn(first.start, end, parts) });
  }
  return found;
}

function phrases(lists: readonly (readonly Stretch[])[]): Stretch[] {
  const found: Stretch[] = [];
  for (const first of lists[0]) {
    let end: number | null = first.end;
    for (let i = 1; i < lists.length && end !== null; i++) {
      const wanted: number = end + 1;
      end = lists[i].find(({ start }) => start === wanted)?.end ?? null;
    }
    if (end !== null) found.push({ start: first.start, end, gaps: 0 });
  }
  return minimal(found);
}

function unordered(lists: readonly (readonly Stretch[])[]): Stretch[] {
  const at = lists.map(() => 0);
  const found: Stretch[] = [];
  for (;;) {
    const parts = lists.map((list, i) => list[at[i]]);
    const first = parts.reduce((best, part, i) => (part.start < parts[best].start ? i : best), 0);
    const end = Math.max(...parts.map((part) => part.end));
    found.push({ start: parts[first].start, end, gaps: gapsIn(parts[first].start, end, parts) });
    if (++at[first] === lists[first].length) return found;
  }
}

function holds(relation: IntervalRelation, { start, end }: Stretch, others: readonly Stretch[]): boolean {
  switch (relation) {
    case 'containing':
      return others.some((other) => other.start >= start && other.end <= end);
    case 'not_containing':
      return !others.some((other) => other.start >= start && other.end <= end);
    case 'contained_by':
      return others.some((other) => other.start <= start && other.end >= end);
    case 'not_contained_by':
      return !others.some((other) => other.start <= start && other.end >= end);
    case 'overlapping':
      return others.some((other) => other.start <= end && other.end >= start);
    case 'not_overlapping':
      return !others.some((other) => other.start <= end && other.end >= start);
    case 'before':
      return others.some((other) => other.start > end);
    case 'after':
      return others.some((other) => other.end < start);
  }
}
