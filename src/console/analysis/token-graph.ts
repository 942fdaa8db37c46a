// The graph of a token stream: positions are nodes, tokens are arrows from their position to the one after their length. Independent of the page's
// components.
//
//   0 ──in──> 1 ──new──> 2 ──york──> 3        row 0: tokens of one position
//             └─────────ny──────────┘         further rows: longer tokens, and alternatives
import type { Token } from './chain.ts';

export interface GraphArrow {
  readonly token: Token;
  /** Indices of nodes. */
  readonly from: number;
  readonly to: number;
  /** 0 is on the line of the nodes; arrows of a row do not overlap. */
  readonly row: number;
}

export interface TokenGraph {
  /** Positions in ascending order. */
  readonly positions: readonly number[];
  /** Widths between a node and the next one, in characters. */
  readonly gaps: readonly number[];
  readonly arrows: readonly GraphArrow[];
  readonly rows: number;
}

/** Characters of an arrow besides its term. */
const ARROW_CHARS = 4;
/** Larger graphs cannot be read any more. */
const MAX_TOKENS = 400;

const endOf = ({ position, positionLength = 1 }: Token): number => position + Math.max(1, positionLength);

/** Tokens where the stream is more than a chain, with a neighbour on each side: those that span several positions or share one, up to the last. */
export function branchingPart(tokens: readonly Token[]): readonly Token[] {
  const counts = new Map<number, number>();
  for (const { position } of tokens) counts.set(position, (counts.get(position) ?? 0) + 1);
  const branching = tokens.filter((token) => (counts.get(token.position) ?? 0) > 1 || endOf(token) - token.position > 1);
  if (branching.length === 0) return [];
  const from = Math.min(...branching.map(({ position }) => position));
  const to = Math.max(...branching.map(endOf));
  return tokens.filter((token) => endOf(token) >= from && token.position <= to);
}

/** @returns null if there are too many tokens to draw */
export function tokenGraph(tokens: readonly Token[]): TokenGraph | null {
  if (tokens.length === 0 || tokens.length > MAX_TOKENS) return null;
  const positions = [...new Set(tokens.flatMap((token) => [token.position, endOf(token)]))].sort((a, b) => a - b);
  const nodes = new Map(positions.map((position, node) => [position, node]));
  const nodeOf = (position: number): number => nodes.get(position) ?? 0;
  const ends: number[] = [];
  const arrows = [...tokens]
    .sort((a, b) => a.position - b.position || endOf(a) - endOf(b))
    .map((token): GraphArrow => {
      const [from, to] = [nodeOf(token.position), nodeOf(endOf(token))];
      // The line of the nodes has only arrows to the next node.
      const first = to - from === 1 ? 0 : 1;
      let row = first;
      while ((ends[row] ?? 0) > from) row++;
      ends[row] = to;
      return { token, from, to, row };
    });
  return { positions, gaps: gapsOf(positions.length, arrows), arrows, rows: Math.max(...arrows.map(({ row }) => row)) + 1 };
}

/** The least widths in which the terms of all arrows have room. */
function gapsOf(nodes: number, arrows: readonly GraphArrow[]): number[] {
  const gaps = new Array<number>(nodes - 1).fill(ARROW_CHARS);
  for (const { token, from, to } of [...arrows].sort((a, b) => a.to - a.from - (b.to - b.from))) {
    const wanted = token.token.length + ARROW_CHARS;
    const width = gaps.slice(from, to).reduce((sum, gap) => sum + gap, 0);
    for (let node = from; node < to; node++) gaps[node] += Math.max(0, wanted - width) / (to - from);
  }
  return gaps;
}

/** `ny from 1 to 3`, for those who do not see the graph. */
export const arrowText = ({ token }: GraphArrow): string => `${token.token} from ${token.position} to ${endOf(token)}`;
