// concatenate_graph: each path through the token graph becomes one token.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ComponentEntry, FilterFactory, TokenFilter } from '../component.ts';
import { MAX_TOKENS, makeToken, type Token, type TokenStream } from '../tokens/token-stream.ts';
import { encodeWtf8 } from '../tokens/wtf8.ts';
import { filterEntry } from './kernel-filters.ts';

/** Value of `max_graph_expansions` for no limit. */
const NO_LIMIT = -1;
/** Maximum number of arcs that are followed, in addition to those of one path. */
const MAX_STEPS = 1 << 24;

interface Options {
  readonly separator: string;
  readonly preservePositions: boolean;
  readonly maxExpansions: number;
}

/** Arcs that leave each node: term and target. Holes are arcs with empty terms. */
function graphOf(
  stream: TokenStream,
  { preservePositions, separator }: Options,
): { arcs: Map<number, { term: string; to: number }[]>; end: number } {
  const arcs = new Map<number, { term: string; to: number }[]>();
  const add = (from: number, term: string, to: number): void => {
    const list = arcs.get(from) ?? [];
    if (!list.some((arc) => arc.term === term && arc.to === to)) list.push({ term, to });
    arcs.set(from, list);
  };
  let node = -1;
  let reached = 0;
  for (const token of stream.tokens) {
    const posInc =
      node < 0 ? Math.max(1, preservePositions ? token.posInc : 1) : preservePositions ? token.posInc : Math.min(1, token.posInc);
    node += posInc;
    // A node without incoming arcs follows a hole.
    for (let hole = reached; hole < node; hole++) add(hole, '', hole + 1);
    // Separators inside a term are doubled.
    add(node, separator ? token.term.replaceAll(separator, separator + separator) : token.term, node + token.posLen);
    reached = Math.max(reached, node + token.posLen);
  }
  let end = reached;
  if (preservePositions) {
    for (let hole = 0; hole < stream.endPosInc; hole++) add(end, '', ++end);
  }
  return { arcs, end };
}

function concatenate(stream: TokenStream, options: Options): Token[] {
  if (!stream.tokens.length) return [];
  const { arcs, end } = graphOf(stream, options);
  const terms = new Set<string>();
  const { maxExpansions } = options;
  if (maxExpansions !== NO_LIMIT && maxExpansions <= 0)
    throw illegalArgumentError(`limit must be -1 (which means no limit), or > 0; got: ${maxExpansions}`);
  const limit = maxExpansions === NO_LIMIT ? MAX_TOKENS : maxExpansions;
  let steps = Math.min(limit * 1000, MAX_STEPS) + 2 * (end + 1);
  // An explicit stack, since paths are as long as the input.
  const open: [node: number, text: string][] = [[0, '']];
  for (let next = open.pop(); next; next = open.pop()) {
    const [from, text] = next;
    if (--steps < 0) throw new ApiError('too_complex_to_determinize_exception', 500, `graph has more than ${limit} ways`);
    if (from === end) terms.add(text);
    else for (const arc of arcs.get(from) ?? []) open.push([arc.to, from === 0 ? arc.term : text + options.separator + arc.term]);
  }
  return [...terms]
    .sort(byBytes)
    .slice(0, limit)
    .map((term, i) => makeToken(term, 0, stream.endOffset, 'word', i === 0 ? 1 : 0));
}

/** Compares by UTF-8 bytes, the order in which an automaton enumerates its strings. */
function byBytes(a: string, b: string): number {
  const x = encodeWtf8(a);
  const y = encodeWtf8(b);
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
}

export const CONCATENATE_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'concatenate_graph',
    ['token_separator: string = " "', 'max_graph_expansions: int = 100', 'preserve_position_increments: bool = false'],
    ({ settings }): TokenFilter => {
      const separator = settings.get('token_separator', ' ');
      if (separator.length > 1) throw illegalArgumentError('token_separator must be either empty or a single character');
      const options = {
        separator,
        preservePositions: settings.bool('preserve_position_increments', false),
        maxExpansions: settings.int('max_graph_expansions', 100),
      };
      return { kind: 'host', apply: (stream) => ({ ...stream, tokens: concatenate(stream, options), endPosInc: 0 }) };
    },
  ),
];
