// Shingles, slow and obvious: the list of tokens and fillers is made first, then every window of it is joined.
import type { PlainToken } from './token-filters.ts';

export interface Shingles {
  min: number;
  max: number;
  unigrams: boolean;
  unigramsIfNone: boolean;
  separator: string;
  filler: string;
}

interface Slot extends PlainToken {
  isFiller: boolean;
}

function slotsOf(tokens: readonly PlainToken[], endOffset: number, endHole: number, { max, filler }: Shingles): Slot[] {
  const slots: Slot[] = [];
  const fill = (count: number, at: number, like: PlainToken): void => {
    for (let i = 0; i < Math.min(count, max - 1); i++)
      slots.push({ ...like, term: filler, startOffset: at, endOffset: at, isFiller: true });
  };
  for (const token of tokens) {
    fill(token.posInc - 1, token.startOffset, token);
    slots.push({ ...token, isFiller: false });
  }
  fill(endHole, endOffset, { term: '', startOffset: 0, endOffset: 0, posInc: 1, posLen: 1, type: 'word', keyword: false });
  return slots;
}

export function shingles(tokens: readonly PlainToken[], endOffset: number, endHole: number, options: Shingles): PlainToken[] {
  const slots = slotsOf(tokens, endOffset, endHole, options);
  const lonely = options.unigramsIfNone && !options.unigrams && slots.length < options.min;
  const sizes = options.unigrams || lonely ? [1] : [];
  for (let size = options.min; size <= options.max; size++) sizes.push(size);
  const out: PlainToken[] = [];
  for (let from = 0; from < slots.length; from++) {
    const windows = sizes
      .map((size) => slots.slice(from, from + size))
      .filter((w, i) => w.length === sizes[i] && !w.every((s) => s.isFiller));
    // A position without a shingle ends the stream.
    if (!windows.length) break;
    windows.forEach((window, i) => {
      const [{ isFiller: _, ...first }] = window;
      out.push({
        ...first,
        term: window.map((slot) => slot.term).join(options.separator),
        endOffset: window[window.length - 1].endOffset,
        type: window.length > 1 ? 'shingle' : first.type,
        posInc: i === 0 ? 1 : 0,
        posLen: window.length - sizes[0] + 1,
      });
    });
  }
  return out;
}
