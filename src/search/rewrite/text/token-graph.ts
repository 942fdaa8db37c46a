// Token streams as graphs, where tokens may span several positions: articulation points and paths.
import type { AnalyzedToken } from '../../../analysis/tokens/analyzed-token.ts';

/** Whether tokens span positions. Shingles do, too, but count as synonyms of their first word. */
export function isGraph(tokens: readonly AnalyzedToken[]): boolean {
  return tokens.some((token) => token.positionLength > 1 && token.type !== 'shingle');
}

/** Splits the stream at positions that every path passes: no token spans such a position. */
export function splitAtArticulations(tokens: readonly AnalyzedToken[]): AnalyzedToken[][] {
  const parts: AnalyzedToken[][] = [];
  let part: AnalyzedToken[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const token of tokens) {
    if (token.position >= end) {
      part = [];
      parts.push(part);
    }
    part.push(token);
    end = Math.max(end, token.position + token.positionLength);
  }
  return parts;
}

/**
 * The paths from the first position to the last, at most `limit`, as tokens at successive positions. Holes left by removed stop words keep
 * their width; on side paths, positions count the tokens of the path.
 */
export function finiteStrings(tokens: readonly AnalyzedToken[], limit: number): AnalyzedToken[][] {
  const starts = new Map<number, AnalyzedToken[]>();
  for (const token of tokens) {
    const list = starts.get(token.position);
    if (list) list.push(token);
    else starts.set(token.position, [token]);
  }
  const positions = [...starts.keys()].sort((a, b) => a - b);
  const paths: AnalyzedToken[][] = [];
  const walk = (from: number, shift: number, path: AnalyzedToken[]): void => {
    if (paths.length >= limit) return;
    const next = positions.find((position) => position >= from);
    if (next === undefined) {
      paths.push(path);
      return;
    }
    for (const token of starts.get(next) ?? []) {
      const position = token.position - shift;
      walk(next + token.positionLength, shift + token.positionLength - 1, [...path, { ...token, position, positionLength: 1 }]);
    }
  };
  if (positions.length > 0) walk(positions[0], 0, []);
  return paths;
}
