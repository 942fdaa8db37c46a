import type { Analyzer } from './analyzer.ts';

export interface HighlightOptions {
  /** Analyzer of both text and query. */
  readonly analyzer?: string;
  readonly preTag?: string;
  readonly postTag?: string;
  /** Maximum length of a fragment in UTF-16 units; 0 returns the whole text as one fragment. */
  readonly fragmentSize?: number;
  readonly numberOfFragments?: number;
}

interface Span {
  start: number;
  end: number;
}

/**
 * Marks the tokens of a text that also occur in the query. Fragments are cut at tokens and sorted by their number of marks.
 * Cost: one analysis of the text.
 */
export function highlight(analyzer: Analyzer, text: string, query: string, options: HighlightOptions): string[] {
  const wanted = new Set(analyzer.analyze(query).map((token) => token.term));
  const tokens = analyzer.analyze(text);
  const marks = mergeSpans(
    tokens.filter((token) => wanted.has(token.term)).map((token) => ({ start: token.startOffset, end: token.endOffset })),
  );
  if (!marks.length) return [];
  const size = options.fragmentSize ?? 100;
  const fragments =
    size === 0
      ? [{ start: 0, end: text.length }]
      : fragmentsOf(
          tokens.map((token) => ({ start: token.startOffset, end: token.endOffset })),
          marks,
          size,
        );
  const scored = fragments
    .map((fragment, order) => ({
      fragment,
      order,
      score: marks.filter((mark) => mark.start >= fragment.start && mark.end <= fragment.end).length,
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, options.numberOfFragments ?? 5);
  return scored.map(({ fragment }) => mark(text, fragment, marks, options.preTag ?? '<em>', options.postTag ?? '</em>'));
}

/** Spans in ascending order, overlapping ones merged. */
function mergeSpans(spans: Span[]): Span[] {
  const out: Span[] = [];
  for (const span of spans.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start)) {
    const last = out[out.length - 1];
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else out.push({ ...span });
  }
  return out;
}

/** Windows of at most `size` units that begin at a token and contain whole marks. */
function fragmentsOf(tokens: Span[], marks: Span[], size: number): Span[] {
  const out: Span[] = [];
  let current: Span | null = null;
  for (const token of mergeSpans([...tokens, ...marks])) {
    if (current && token.end - current.start <= size) current.end = Math.max(current.end, token.end);
    else {
      current = { ...token };
      out.push(current);
    }
  }
  return out;
}

function mark(text: string, fragment: Span, marks: Span[], pre: string, post: string): string {
  let out = '';
  let at = fragment.start;
  for (const { start, end } of marks) {
    if (start < fragment.start || end > fragment.end) continue;
    out += text.slice(at, start) + pre + text.slice(start, end) + post;
    at = end;
  }
  return out + text.slice(at, fragment.end);
}
