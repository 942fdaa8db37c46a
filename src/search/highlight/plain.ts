// The plain highlighter: splits the text at token ends into pieces of about the fragment size and returns those with the most distinct words.
// Source: Highlighter, SimpleFragmenter, SimpleSpanFragmenter, QueryScorer (Apache Lucene), described and written anew.
import type { AnalyzedToken } from '../../analysis/tokens/analyzed-token.ts';
import type { HighlightOptions } from '../request/highlight-request.ts';
import type { Match } from './matches.ts';
import { encodeText } from './tags.ts';

interface Piece {
  text: string;
  readonly terms: Set<string>;
  readonly number: number;
}

/** Fragments of one value, best first; empty without matches. */
export function plainFragments(
  text: string,
  tokens: readonly AnalyzedToken[],
  matches: readonly Match[],
  options: HighlightOptions,
): Array<{ text: string; score: number }> {
  const marks = new Map(matches.map((match) => [`${match.start}/${match.end}`, match]));
  const lastPositions = new Map<number, number>();
  for (const { group, position } of matches) lastPositions.set(group, Math.max(position, lastPositions.get(group) ?? position));
  let piece: Piece = { text: '', terms: new Set(), number: 0 };
  const pieces = [piece];
  let lastEnd = 0;
  let cuts = 1;
  let waitForPosition = -1;
  let group: { start: number; end: number; matches: Match[] } | null = null;
  const flush = (): void => {
    if (!group) return;
    if (group.start > lastEnd) piece.text += encodeText(text.slice(lastEnd, group.start), options);
    const word = encodeText(text.slice(group.start, group.end), options);
    piece.text += group.matches.length > 0 ? options.preTags[0] + word + options.postTags[0] : word;
    lastEnd = Math.max(lastEnd, group.end);
    group = null;
  };
  for (const token of tokens) {
    if (group && token.startOffset >= (group as { end: number }).end) {
      flush();
      if (isCut(token)) {
        piece = { text: '', terms: new Set(), number: pieces.length };
        pieces.push(piece);
      }
    }
    const match = marks.get(`${token.startOffset}/${token.endOffset}`);
    // The score of a token counts for the piece that contains its start.
    if (match) piece.terms.add(match.term);
    group ??= { start: token.startOffset, end: token.endOffset, matches: [] };
    const open: { start: number; end: number; matches: Match[] } = group;
    open.start = Math.min(open.start, token.startOffset);
    open.end = Math.max(open.end, token.endOffset);
    if (match) open.matches.push(match);
  }
  flush();
  if (lastEnd < text.length) piece.text += encodeText(text.slice(lastEnd), options);
  return pieces
    .filter((piece) => piece.terms.size > 0)
    .sort((a, b) => b.terms.size - a.terms.size || a.number - b.number)
    .slice(0, Math.max(options.numberOfFragments, 1))
    .map((piece) => ({ text: piece.text, score: piece.terms.size }));

  function isCut(token: AnalyzedToken): boolean {
    if (options.numberOfFragments === 0) return false;
    if (options.fragmenter === 'simple') {
      const cut = token.endOffset >= options.fragmentSize * cuts;
      if (cut) cuts++;
      return cut;
    }
    if (waitForPosition <= token.position) waitForPosition = -1;
    else if (waitForPosition !== -1) return false;
    const match = marks.get(`${token.startOffset}/${token.endOffset}`);
    if (match) {
      // Phrases are not split.
      const end = lastPositions.get(match.group) ?? token.position;
      if (end > token.position) waitForPosition = end + 1;
    }
    const cut = token.endOffset >= options.fragmentSize * cuts && text.length - token.endOffset >= options.fragmentSize >>> 1;
    if (cut) cuts++;
    return cut;
  }
}

/** The beginning of a value without matches, up to the last token that ends within `size`; empty if there is none. */
export function plainBeginning(text: string, tokens: readonly AnalyzedToken[], size: number): string[] {
  let end = 0;
  for (const { endOffset } of tokens) {
    if (endOffset > size) break;
    end = endOffset;
  }
  return end > 0 ? [text.slice(0, end)] : [];
}
