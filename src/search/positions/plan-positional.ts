// Span and interval queries on one segment. The executor finds the documents that have the terms; their positions are evaluated here.
import type { PlanNode } from '../../plan/query-plan.ts';
import type { TermState } from '../../plan/segment.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { bool, type IndexQuery, none } from '../index-query/index-query.ts';
import type { PatternQuery } from '../index-query/pattern-query.ts';
import type { IntervalSource, PositionalQuery, SpanSource } from '../index-query/positional-query.ts';
import type { Term } from '../index-query/term.ts';
import { intervalsOf, minExtent, type Positions, spansOf } from './sources.ts';

/** A positional query whose patterns are expanded to terms. */
export interface ExpandedPositional {
  readonly query: PositionalQuery;
  /** Documents that may match. */
  readonly candidates: IndexQuery;
  /** Every term of the query, by key. */
  readonly terms: ReadonlyMap<string, Term>;
  /** The terms that count for scores, ordered by field and bytes. */
  readonly scoring: readonly Term[];
}

/** @param expand  returns the terms of the shard that match a pattern */
export function expandPositional(
  query: PositionalQuery,
  expand: (query: PatternQuery, limit: number) => readonly Term[],
): ExpandedPositional {
  const source = spell(query.source, expand) as SpanSource & IntervalSource;
  const expanded = { ...query, source } as PositionalQuery;
  const terms = new Map<string, Term>();
  for (const term of termsOf(source)) terms.set(keyOfTerm(term), term);
  const counted = new Map(scoringTerms(source).map((term) => [keyOfTerm(term), term]));
  const scoring = [...counted.values()].sort((a, b) => (keyOfTerm(a) < keyOfTerm(b) ? -1 : 1));
  return { query: expanded, candidates: candidatesOf(source), terms, scoring };
}

function keyOfTerm({ field, key }: Term): string {
  return `${field}\u0000${key}`;
}

type Source = SpanSource | IntervalSource;

/** The sources that a source combines. */
function partsOf(source: Source): readonly Source[] {
  switch (source.type) {
    case 'or':
    case 'near':
    case 'all':
      return source.sources;
    case 'not':
      return [source.include, source.exclude];
    case 'containing':
    case 'within':
      return [source.big, source.little];
    case 'first':
    case 'extend':
    case 'maxGaps':
      return [source.source];
    case 'filter':
      return [source.source, source.by];
    default:
      return [];
  }
}

function spell(source: Source, expand: (query: PatternQuery, limit: number) => readonly Term[]): Source {
  const inner = <T extends Source>(part: T): T => spell(part, expand) as T;
  switch (source.type) {
    case 'pattern': {
      const terms = expand(source.query, source.limit).map((term) => ({ type: 'term', term }) as const);
      return terms.length === 0 ? { type: 'none' } : terms.length === 1 ? terms[0] : { type: 'or', sources: terms };
    }
    case 'or':
    case 'near':
    case 'all':
      return { ...source, sources: source.sources.map(inner) } as Source;
    case 'not':
      return { ...source, include: inner(source.include), exclude: inner(source.exclude) };
    case 'containing':
    case 'within':
      return { ...source, big: inner(source.big), little: inner(source.little) };
    case 'first':
    case 'extend':
    case 'maxGaps':
      return { ...source, source: inner(source.source) } as Source;
    case 'filter':
      return { ...source, source: inner(source.source), by: inner(source.by) };
    default:
      return source;
  }
}

function termsOf(source: Source): Term[] {
  return source.type === 'term' ? [source.term] : partsOf(source).flatMap(termsOf);
}

/** Terms that only exclude matches do not count. */
function scoringTerms(source: Source): Term[] {
  if (source.type === 'not') return scoringTerms(source.include);
  return source.type === 'term' ? [source.term] : partsOf(source).flatMap(scoringTerms);
}

/** Terms and patterns of a query, without those that exclude matches; for highlighting. */
export function matchingLeaves({ source: whole }: PositionalQuery): IndexQuery[] {
  const visit = (source: Source): IndexQuery[] => {
    if (source.type === 'not') return visit(source.include);
    if (source.type === 'filter') return visit(source.source);
    if (source.type === 'pattern') return [source.query];
    return source.type === 'term' ? [{ op: 'term', term: source.term, scored: true }] : partsOf(source).flatMap(visit);
  };
  return visit(whole);
}

function candidatesOf(source: Source): IndexQuery {
  switch (source.type) {
    case 'none':
    case 'pattern':
      return none('no term of the pattern');
    case 'term':
      return { op: 'term', term: source.term, scored: false };
    case 'or':
      return bool({ should: source.sources.map(candidatesOf), minimumShouldMatch: 1 });
    case 'near':
    case 'all':
      return bool({ filter: source.sources.map(candidatesOf) });
    case 'not':
      return candidatesOf(source.include);
    case 'containing':
    case 'within':
      return bool({ filter: [candidatesOf(source.big), candidatesOf(source.little)] });
    case 'filter': {
      const wanted = candidatesOf(source.source);
      return source.relation.startsWith('not_') ? wanted : bool({ filter: [wanted, candidatesOf(source.by)] });
    }
    default:
      return candidatesOf(source.source);
  }
}

/** Computes the score of a document from its frequency. */
export type FrequencyScore = (docId: number, freq: number) => number;

/**
 * @param docs     candidates, ascending
 * @param stateOf  returns the state of a term in this segment
 * @param score    null for matches only
 */
export function matchPositions(
  { query, terms }: ExpandedPositional,
  segment: SegmentReader,
  docs: Uint32Array,
  stateOf: (term: Term) => TermState | null,
  score: FrequencyScore | null,
): PlanNode {
  const states = new Map<string, { field: string; state: TermState }>();
  for (const [key, term] of terms) {
    const state = stateOf(term);
    if (state) states.set(key, { field: term.field, state });
  }
  const frequency = frequencyOf(query);
  const found: number[] = [];
  const scores: number[] = [];
  segment.visitPositions(docs, states, (docId, positionsOf) => {
    const freq = frequency((term) => positionsOf(keyOfTerm(term)));
    if (freq === 0) return;
    found.push(docId);
    if (score) scores.push(score(docId, freq));
  });
  if (found.length === 0) return { op: 'matchNone' };
  return { op: 'docs', docs: Uint32Array.from(found), scores: score ? Float32Array.from(scores) : null };
}

/** Sloppy frequency: the wider a match, the less it counts. Summed in float32, as in Lucene. */
function frequencyOf(query: PositionalQuery): (positions: Positions) => number {
  if (query.kind === 'spans') {
    const { source } = query;
    return (positions) =>
      spansOf(source, positions).reduce((freq, { gaps }) => Math.fround(freq + Math.fround(1 / Math.fround(1 + gaps))), 0);
  }
  const { source } = query;
  const least = minExtent(source);
  return (positions) =>
    intervalsOf(source, positions).reduce((freq, { start, end }) => Math.fround(freq + 1 / Math.max(end - start + 1 - least + 1, 1)), 0);
}
