// Builds the query for analyzed text: a term, terms at one position, a bool, a phrase, a phrase prefix, or a graph of multi-word synonyms.

import type { AnalyzedToken } from '../../../analysis/tokens/analyzed-token.ts';
import type { ApiError } from '../../../errors/api-error.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import { bool, disMax, type IndexQuery, none } from '../../index-query/index-query.ts';
import { type Term, termOfText } from '../../index-query/term.ts';
import { finiteStrings, isGraph, splitAtArticulations } from './token-graph.ts';

export type TextMode = 'boolean' | 'bool_prefix' | 'phrase' | 'phrase_prefix';

/** Builds queries from tokens; the query of a token depends on the field and on fuzziness. */
export interface TokenQueries {
  /** Name of the field in segments. */
  readonly field: string;
  readonly hasPositions: boolean;
  term(token: string): IndexQuery;
  prefix(token: string): IndexQuery;
  synonyms(tokens: readonly string[]): IndexQuery;
  phrase(positions: ReadonlyArray<{ position: number; terms: readonly Term[] }>, slop: number, prefixExpansions: number | null): IndexQuery;
}

export interface TextOptions {
  readonly operator: 'and' | 'or';
  readonly slop: number;
  readonly maxExpansions: number;
  readonly autoPhrase: boolean;
  /** Whether phrases preserve the positions of removed words. */
  readonly gaps: boolean;
}

const MAX_PATHS = 1024;

/**
 * @param textLength  code units of the analyzed text. The last token is a prefix only if it ends there
 * @returns null if the text has no tokens
 */
export function buildTextQuery(
  tokens: readonly AnalyzedToken[],
  textLength: number,
  mode: TextMode,
  queries: TokenQueries,
  options: TextOptions,
): IndexQuery | null {
  if (tokens.length === 0) return null;
  const last = tokens[tokens.length - 1];
  const reachesEnd = last.endOffset === textLength;
  if (tokens.length === 1) {
    if (mode === 'phrase_prefix') return phrase(tokens, queries, options, options.maxExpansions);
    return mode === 'bool_prefix' && reachesEnd ? queries.prefix(tokens[0].term) : queries.term(tokens[0].term);
  }
  if (isGraph(tokens)) return graphQuery(tokens, textLength, mode, queries, options);
  const positions = new Set(tokens.map((token) => token.position)).size;
  const hasGaps = last.position > tokens[0].position;
  if (mode === 'phrase' && (positions > 1 || hasGaps)) return phrase(tokens, queries, options, null);
  if (mode === 'phrase_prefix') return phrase(tokens, queries, options, options.maxExpansions);
  if (positions === 1) return queries.synonyms(tokens.map((token) => token.term));
  return booleanQuery(groupByPosition(tokens), mode === 'bool_prefix' && reachesEnd, queries, options.operator);
}

function groupByPosition(tokens: readonly AnalyzedToken[]): Array<{ position: number; terms: string[] }> {
  const groups: Array<{ position: number; terms: string[] }> = [];
  for (const token of tokens) {
    const last = groups.at(-1);
    if (last && last.position === token.position) last.terms.push(token.term);
    else groups.push({ position: token.position, terms: [token.term] });
  }
  return groups;
}

function booleanQuery(
  groups: ReadonlyArray<{ terms: readonly string[] }>,
  lastIsPrefix: boolean,
  queries: TokenQueries,
  operator: 'and' | 'or',
): IndexQuery {
  const clauses = groups.map(({ terms }, i) => {
    if (terms.length > 1) return queries.synonyms(terms);
    return lastIsPrefix && i === groups.length - 1 ? queries.prefix(terms[0]) : queries.term(terms[0]);
  });
  return combine(clauses, operator);
}

function combine(clauses: readonly IndexQuery[], operator: 'and' | 'or'): IndexQuery {
  return operator === 'and' ? bool({ must: clauses }) : bool({ should: clauses });
}

function phrase(
  tokens: readonly AnalyzedToken[],
  queries: TokenQueries,
  { slop, gaps }: TextOptions,
  prefixExpansions: number | null,
): IndexQuery {
  const first = tokens[0].position;
  const positions = groupByPosition(tokens).map(({ position, terms }, i) => ({
    position: gaps ? position - first : i,
    terms: terms.map((term) => termOfText(queries.field, term)),
  }));
  return queries.phrase(positions, slop, prefixExpansions);
}

/** The error for a phrase on a field without positions. */
export function noPositionsError(field: string): ApiError {
  return illegalArgumentError(`field:[${field}] was indexed without position data; cannot run PhraseQuery`);
}

function graphQuery(
  tokens: readonly AnalyzedToken[],
  textLength: number,
  mode: TextMode,
  queries: TokenQueries,
  options: TextOptions,
): IndexQuery | null {
  if (mode === 'phrase' || mode === 'phrase_prefix') {
    // One phrase for each path through the graph.
    const paths = finiteStrings(tokens, MAX_PATHS).map((path) =>
      phrase(path, queries, options, mode === 'phrase' ? null : options.maxExpansions),
    );
    return paths.length === 1 ? paths[0] : bool({ should: paths });
  }
  const parts = splitAtArticulations(tokens);
  const clauses: IndexQuery[] = [];
  parts.forEach((part, i) => {
    const isPrefix = mode === 'bool_prefix' && i === parts.length - 1;
    const paths = finiteStrings(part, MAX_PATHS);
    if (paths.every((path) => path.length === 1)) {
      const terms = paths.map((path) => path[0].term);
      clauses.push(terms.length > 1 ? queries.synonyms(terms) : isPrefix ? queries.prefix(terms[0]) : queries.term(terms[0]));
      return;
    }
    const sideMode: TextMode = options.autoPhrase && queries.hasPositions ? (isPrefix ? 'phrase_prefix' : 'phrase') : 'boolean';
    const sides = paths.map((path) => buildTextQuery(path, textLength, sideMode, queries, { ...options, operator: 'and', slop: 0 }));
    const kept = sides.filter((side) => side !== null);
    if (kept.length > 0) clauses.push(bool({ should: kept, minimumShouldMatch: 1 }));
  });
  return clauses.length === 0 ? null : combine(clauses, options.operator);
}

/** Combines the queries for several fields: best field (tie breaker 0), sum (1), or in between. */
export function combineFields(queries: readonly IndexQuery[], tieBreaker: number, zeroTerms: IndexQuery | null): IndexQuery | null {
  return queries.length === 0 ? zeroTerms : disMax(queries, tieBreaker);
}

export const NO_TERMS = none('Matching no documents because no terms present');
