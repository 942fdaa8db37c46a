// Finds the words of a text that a query matches: compares the tokens of the text with the query's terms, patterns and phrases.

import type { AnalyzedToken } from '../../analysis/tokens/analyzed-token.ts';
import type { IndexQuery, LeafIndexQuery } from '../index-query/index-query.ts';
import { keyOf, termOfText } from '../index-query/term.ts';
import { matchingLeaves } from '../positions/plan-positional.ts';
import { firstIndex } from './sorted.ts';

/** A part of the query to highlight in a field. */
export type Needle =
  | { readonly kind: 'term'; readonly field: string; readonly key: string; readonly number: number }
  | {
      readonly kind: 'pattern';
      readonly field: string;
      readonly matches: (term: Uint8Array) => boolean;
      readonly label: string;
      readonly number: number;
    }
  | {
      readonly kind: 'phrase';
      readonly field: string;
      readonly positions: ReadonlyArray<{ readonly position: number; readonly keys: ReadonlySet<string> }>;
      /** The terms at the last position are prefixes. */
      readonly isPrefix: boolean;
      readonly slop: number;
      readonly number: number;
    };

/** A highlighted part of a text, in code units. `group` identifies the phrase or word that it belongs to. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly position: number;
  readonly term: string;
  readonly group: number;
  /** Position of the needle in the query, which selects the tag. */
  readonly number: number;
}

/** The parts of a query to highlight: everything that does not exclude documents. */
export function needlesOf(query: IndexQuery): Needle[] {
  const needles: Needle[] = [];
  const visit = (inner: IndexQuery): void => {
    const number = needles.length;
    switch (inner.op) {
      case 'term':
        needles.push({ kind: 'term', field: inner.term.field, key: inner.term.key, number });
        return;
      case 'positional':
        matchingLeaves(inner).forEach(visit);
        return;
      case 'synonym':
      case 'anyTerm':
        for (const term of inner.terms) needles.push({ kind: 'term', field: term.field, key: term.key, number: needles.length });
        return;
      case 'blended':
        for (const { term } of inner.terms) needles.push({ kind: 'term', field: term.field, key: term.key, number: needles.length });
        return;
      case 'combined':
        for (const { field } of inner.fields)
          for (const { key } of inner.terms) needles.push({ kind: 'term', field, key, number: needles.length });
        return;
      case 'phrase': {
        const positions = inner.positions.map(({ position, terms }) => ({ position, keys: new Set(terms.map((term) => term.key)) }));
        needles.push({
          kind: 'phrase',
          field: inner.field,
          positions,
          isPrefix: inner.prefixExpansions !== null,
          slop: inner.slop,
          number,
        });
        return;
      }
      case 'pattern': {
        const { from, to, filter } = inner.pattern;
        const [low, high] = [from && keyOf(from), to && keyOf(to)];
        const matches = (term: Uint8Array): boolean => {
          const key = keyOf(term);
          return (low === null || key >= low) && (high === null || key < high) && (!filter || filter(term));
        };
        needles.push({ kind: 'pattern', field: inner.field, matches, label: inner.label, number });
        return;
      }
      case 'bool':
        for (const clause of [...inner.must, ...inner.should, ...inner.filter]) visit(clause);
        return;
      case 'disMax':
        inner.queries.forEach(visit);
        return;
      case 'boosting':
        visit(inner.positive);
        return;
      case 'termsSet':
        inner.clauses.forEach(visit);
        return;
      case 'constant':
      case 'boost':
      case 'named':
      case 'nested':
      case 'functionScore':
        visit(inner.query);
        return;
      case 'join':
      case 'knn':
      case 'percolate':
      case 'perShard':
        // Their terms are those of other documents, of filters, of stored queries, or not known before the statistics of a shard.
        return;
      default:
        inner satisfies LeafIndexQuery;
    }
  };
  visit(query);
  return needles;
}

interface KeyedToken extends AnalyzedToken {
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** The matches in a text, ordered by position. @param tokens  of the text, from the analyzer of the field */
export function findMatches(tokens: readonly AnalyzedToken[], needles: readonly Needle[]): Match[] {
  const keyed = tokens.map((token): KeyedToken => {
    const { key, bytes } = termOfText('', token.term);
    return { ...token, key, bytes };
  });
  const matches = new Map<string, Match>();
  let group = 0;
  const add = (token: KeyedToken, own: number, number: number, term = token.key): void => {
    const offsets = `${token.startOffset}/${token.endOffset}`;
    if (!matches.has(offsets)) {
      matches.set(offsets, { start: token.startOffset, end: token.endOffset, position: token.position, term, group: own, number });
    }
  };
  for (const needle of needles)
    if (needle.kind === 'phrase')
      for (const found of phraseMatches(keyed, needle)) {
        group++;
        for (const token of found) add(token, group, needle.number);
      }
  const terms = new Map<string, number>();
  for (const needle of needles) if (needle.kind === 'term' && !terms.has(needle.key)) terms.set(needle.key, needle.number);
  for (const token of keyed) {
    const number = terms.get(token.key);
    if (number !== undefined) add(token, ++group, number);
    else {
      const pattern = needles.find((needle) => needle.kind === 'pattern' && needle.matches(token.bytes));
      if (pattern?.kind === 'pattern') add(token, ++group, pattern.number, pattern.label);
    }
  }
  return [...matches.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Occurrences of a phrase: a token for each of its positions, with at most `slop` moves in total. */
function phraseMatches(tokens: readonly KeyedToken[], phrase: Extract<Needle, { kind: 'phrase' }>): KeyedToken[][] {
  const slots = phrase.positions.map(({ position, keys }, i) => {
    const isLast = i === phrase.positions.length - 1;
    const fits = (token: KeyedToken): boolean =>
      isLast && phrase.isPrefix ? [...keys].some((key) => token.key.startsWith(key)) : keys.has(token.key);
    return { position, tokens: tokens.filter(fits) };
  });
  const found: KeyedToken[][] = [];
  if (slots.some((slot) => slot.tokens.length === 0)) return found;
  const [first, ...rest] = slots;
  for (const start of first.tokens) {
    const chosen = [start];
    let low = start.position - first.position;
    let high = low;
    for (const slot of rest) {
      // The nearest token that keeps the total within the slop.
      let best: KeyedToken | null = null;
      const { tokens, position } = slot;
      const from = high - phrase.slop + position;
      for (let i = firstIndex(tokens.length, (at) => tokens[at].position >= from); i < tokens.length; i++) {
        const token = tokens[i];
        const shift = token.position - position;
        if (shift > low + phrase.slop) break;
        if (chosen.includes(token)) continue;
        if (!best || Math.abs(shift - low) < Math.abs(best.position - slot.position - low)) best = token;
      }
      if (!best) break;
      const shift = best.position - slot.position;
      low = Math.min(low, shift);
      high = Math.max(high, shift);
      chosen.push(best);
    }
    if (chosen.length === slots.length) found.push(chosen);
  }
  return found;
}
