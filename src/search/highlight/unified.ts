// The unified highlighter: passages are sentences, joined or split to about the fragment size, ranked by a BM25 of passages.
// Source: UnifiedHighlighter, PassageScorer (Apache Lucene), BoundedBreakIteratorScanner (OpenSearch), described and written anew.

import type { HighlightOptions } from '../request/highlight-request.ts';
import { Boundaries, Words } from './boundaries.ts';
import type { Match } from './matches.ts';
import { encodeText } from './tags.ts';

interface Passage {
  readonly start: number;
  readonly end: number;
  readonly matches: Match[];
  score: number;
}

const PIVOT = 87;
const K1 = 1.2;
const B = 0.75;

/** Finds the passages around ascending offsets of a text. */
interface PassageFinder {
  /** The passage around the word that starts at `at`. */
  around(at: number): { start: number; end: number };
}

function passageFinder(text: string, options: HighlightOptions): PassageFinder {
  const isWord = options.boundaryScanner === 'word';
  if (!isWord && options.fragmentSize > 0) return new BoundedSentences(text, options.fragmentSize, options.locale);
  // Single words, whatever the fragment size, or single sentences of any length.
  const parts = isWord ? new Words(text, options.locale) : new Boundaries(text, 'sentence', options.locale);
  return { around: (at) => ({ start: parts.preceding(at + 1), end: parts.following(at) ?? text.length }) };
}

/** Sentences up to a maximum length; longer sentences are split at words. */
class BoundedSentences implements PassageFinder {
  readonly #sentences: Boundaries;
  readonly #words: Words;
  readonly #maxLength: number;
  #windowStart = -1;
  #windowEnd = -1;
  #start = -1;
  #end = -1;

  constructor(text: string, maxLength: number, locale: string) {
    this.#maxLength = maxLength;
    this.#sentences = new Boundaries(text, 'sentence', locale);
    this.#words = new Words(text, locale);
  }

  around(at: number): { start: number; end: number } {
    const offset = at + 1;
    if (offset > this.#windowStart && offset < this.#windowEnd) {
      this.#start = this.#end;
      this.#end = this.#windowEnd;
    } else {
      this.#windowStart = this.#start = this.#sentences.preceding(offset);
      this.#windowEnd = this.#end = this.#sentences.following(offset - 1) ?? offset;
      while (this.#end - this.#start < this.#maxLength) {
        const end = this.#sentences.following(this.#end);
        if (end === null || end - this.#start > this.#maxLength) break;
        this.#windowEnd = this.#end = end;
      }
    }
    if (this.#end - this.#start > this.#maxLength) {
      if (offset - this.#maxLength > this.#start) {
        this.#start = Math.max(this.#start, this.#words.preceding(offset - this.#maxLength));
      }
      const remaining = Math.max(0, this.#maxLength - (offset - this.#start));
      if (offset + remaining < this.#windowEnd) {
        this.#end = Math.min(this.#windowEnd, this.#words.following(offset + remaining) ?? this.#windowEnd);
      }
    }
    return { start: this.#start, end: this.#end };
  }
}

/** Fragments of one value; empty without matches. @param valueStart  offset of the value among all values of the field */
export function unifiedFragments(
  text: string,
  matches: readonly Match[],
  options: HighlightOptions,
): Array<{ text: string; score: number }> {
  if (matches.length === 0) return [];
  if (options.numberOfFragments === 0)
    return [{ text: mark(text, { start: 0, end: text.length, matches: [...matches], score: 1 }, options), score: 1 }];
  const finder = passageFinder(text, options);
  const passages: Passage[] = [];
  let passage: Passage | null = null;
  for (const match of matches) {
    if (!passage || match.start >= passage.end) {
      const { start, end } = finder.around(match.start);
      passage = { start, end, matches: [], score: 0 };
      passages.push(passage);
    }
    passage.matches.push(match);
  }
  const freqs = new Map<string, number>();
  for (const { term } of matches) freqs.set(term, (freqs.get(term) ?? 0) + 1);
  for (const one of passages) one.score = scoreOf(one, text.length, freqs);
  const best = [...passages].sort((a, b) => b.score - a.score || a.start - b.start).slice(0, options.numberOfFragments);
  if (!options.orderByScore) best.sort((a, b) => a.start - b.start);
  return best.map((one) => ({ text: mark(text, one, options), score: one.score }));
}

function scoreOf({ start, end, matches }: Passage, contentLength: number, freqs: ReadonlyMap<string, number>): number {
  const counts = new Map<string, number>();
  for (const { term } of matches) counts.set(term, (counts.get(term) ?? 0) + 1);
  const norm = K1 * (1 - B + B * ((end - start) / PIVOT));
  const documents = 1 + contentLength / PIVOT;
  let score = 0;
  for (const [term, count] of counts) {
    const weight = (K1 + 1) * Math.log(1 + (documents + 0.5) / ((freqs.get(term) ?? 0) + 0.5));
    score += (count / (count + norm)) * weight;
  }
  return score * (1 + 1 / Math.log(PIVOT + start));
}

function mark(text: string, passage: Passage, options: HighlightOptions): string {
  const [pre] = options.preTags;
  const [post] = options.postTags;
  let result = '';
  let at = passage.start;
  for (let i = 0; i < passage.matches.length; i++) {
    const { start } = passage.matches[i];
    let { end } = passage.matches[i];
    while (i + 1 < passage.matches.length && passage.matches[i + 1].start < end) end = Math.max(end, passage.matches[++i].end);
    if (start > at) result += encodeText(text.slice(at, start), options);
    if (end > at) {
      result += pre + encodeText(text.slice(Math.max(at, start), end), options) + post;
      at = end;
    }
  }
  return (result + encodeText(text.slice(at, Math.max(at, passage.end)), options)).trim();
}

/** The beginning of a value without matches, up to the end of the word at `size`. */
export function unifiedBeginning(text: string, size: number, options: HighlightOptions): string {
  const end = size < text.length ? (new Words(text, options.locale).following(size) ?? text.length) : text.length;
  return encodeText(text.slice(0, end), options).trim();
}
