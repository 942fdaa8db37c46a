// Ancestors of a path, from the front or from the back, as slices of the text.
import type { PlainToken } from './token-filters.ts';

/** One UTF-16 unit each, and how many parts are left out. */
export interface PathRules {
  readonly delimiter: string;
  readonly replacement: string;
  readonly skip: number;
  readonly reverse: boolean;
  /** Position increment after the first token. */
  readonly step: number;
}

export function pathTokens(text: string, rules: PathRules): PlainToken[] {
  const shown = text.replaceAll(rules.delimiter, () => rules.replacement);
  return (rules.reverse ? reverseSpans(text, rules) : forwardSpans(text, rules)).map(([start, end], i) => ({
    term: shown.slice(start, end),
    startOffset: start,
    endOffset: end,
    posInc: i === 0 ? 1 : rules.step,
    posLen: 1,
    type: 'word',
    keyword: false,
  }));
}

function forwardSpans(text: string, { delimiter, skip }: PathRules): [number, number][] {
  // A first delimiter belongs to the first part, so parts are cut at delimiters after the first character.
  const cuts: number[] = [];
  for (let at = 1; at < text.length; at++) if (text[at] === delimiter) cuts.push(at);
  cuts.push(text.length);
  const start = skip === 0 ? 0 : (cuts[skip - 1] ?? text.length);
  return text.length ? cuts.slice(skip).map((end) => [start, end]) : [];
}

function reverseSpans(text: string, { delimiter, skip }: PathRules): [number, number][] {
  const bounds = [0];
  for (let at = 0; at < text.length; at++) if (text[at] === delimiter) bounds.push(at + 1);
  if (bounds[bounds.length - 1] < text.length) bounds.push(text.length);
  const end = bounds[bounds.length - 1 - skip] ?? 0;
  return bounds.slice(0, Math.max(0, bounds.length - skip - 1)).map((start) => [start, end]);
}
