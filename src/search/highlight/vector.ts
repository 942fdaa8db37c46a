// The fast vector highlighter: windows of the fragment size around words and phrases, adjusted to boundary characters.
// Source: FastVectorHighlighter, BaseFragListBuilder, SimpleBoundaryScanner (Apache Lucene), described and written anew.

import { illegalArgumentError } from '../../errors/catalog.ts';
import type { HighlightOptions } from '../request/highlight-request.ts';
import { Boundaries, Words } from './boundaries.ts';
import type { Match } from './matches.ts';
import { encodeText } from './tags.ts';

const MARGIN = 6;
/** The least size of a fragment, in margins. */
const MIN_MARGINS = 3;

/** A word, or a phrase whose consecutive words form one part. */
interface Phrase {
  readonly start: number;
  end: number;
  readonly number: number;
  readonly parts: Array<{ start: number; end: number; position: number }>;
}

interface Window {
  readonly start: number;
  readonly end: number;
  readonly phrases: Phrase[];
}

/** Fragments of one value; empty without matches. @throws ApiError illegal_argument_exception: too small a fragment size */
export function vectorFragments(
  text: string,
  matches: readonly Match[],
  options: HighlightOptions,
): Array<{ text: string; score: number }> {
  const margin = options.fragmentOffset >= 0 ? options.fragmentOffset : MARGIN;
  if (options.numberOfFragments !== 0) checkSize(options.fragmentSize, margin);
  const phrases = phrasesOf(matches).slice(0, options.phraseLimit);
  if (phrases.length === 0) return [];
  const windows =
    options.numberOfFragments === 0 ? [{ start: 0, end: text.length, phrases }] : windowsOf(phrases, options.fragmentSize, margin);
  const ordered = options.orderByScore ? [...windows].sort((a, b) => b.phrases.length - a.phrases.length || a.start - b.start) : windows;
  return ordered
    .slice(0, Math.max(options.numberOfFragments, 1))
    .map((window) => ({ text: cut(text, window, options), score: window.phrases.length }));
}

function phrasesOf(matches: readonly Match[]): Phrase[] {
  const phrases = new Map<number, Phrase>();
  for (const { start, end, position, group, number } of matches) {
    const phrase = phrases.get(group);
    if (!phrase) {
      phrases.set(group, { start, end, number, parts: [{ start, end, position }] });
      continue;
    }
    const last = phrase.parts[phrase.parts.length - 1];
    if (position - last.position === 1) {
      last.end = end;
      last.position = position;
    } else phrase.parts.push({ start, end, position });
    phrase.end = Math.max(phrase.end, end);
  }
  return [...phrases.values()].sort((a, b) => a.start - b.start);
}

function checkSize(size: number, margin: number): void {
  const least = Math.max(1, margin * MIN_MARGINS);
  if (size < least) throw illegalArgumentError(`fragCharSize(${size}) is too small. It must be ${least} or higher.`);
}

function windowsOf(phrases: readonly Phrase[], size: number, margin: number): Window[] {
  const windows: Window[] = [];
  let startOffset = 0;
  let i = 0;
  while (i < phrases.length) {
    const first = phrases[i];
    if (first.start < startOffset) {
      i++;
      continue;
    }
    const spanStart = Math.max(first.start - margin, startOffset);
    const spanEnd = Math.max(first.end, spanStart + size);
    let lastEnd = first.end;
    const inside = [first];
    for (i++; i < phrases.length && phrases[i].end <= spanEnd; i++) {
      lastEnd = phrases[i].end;
      if (lastEnd - first.start <= size) inside.push(phrases[i]);
    }
    const matchLength = lastEnd - first.start;
    const start = Math.max(first.start - Math.max(0, (size - matchLength) >> 1), startOffset);
    const end = start + Math.max(matchLength, size);
    startOffset = end;
    windows.push({ start, end, phrases: inside });
  }
  return windows;
}

/** The beginning of a value without matches: the fragment of `size` characters at its start. */
export function vectorBeginning(text: string, size: number, options: HighlightOptions): string {
  return cut(text, { start: 0, end: size, phrases: [] }, options, false);
}

function cut(text: string, window: Window, options: HighlightOptions, isWhole = options.numberOfFragments === 0): string {
  const end = isWhole || text.length < window.end ? text.length : scanEnd(text, window.end, options);
  const start = isWhole ? 0 : scanStart(text, window.start, options);
  let result = '';
  let at = start;
  for (const phrase of window.phrases) {
    const pre = options.preTags[phrase.number % options.preTags.length];
    const post = options.postTags[phrase.number % options.postTags.length];
    for (const part of phrase.parts) {
      if (part.start < at) continue;
      result += encodeText(text.slice(at, part.start), options) + pre + encodeText(text.slice(part.start, part.end), options) + post;
      at = part.end;
    }
  }
  return result + encodeText(text.slice(at, Math.max(at, end)), options);
}

function sentenceBounds(text: string, options: HighlightOptions): number[] {
  return options.boundaryScanner === 'word'
    ? new Words(text, options.locale).all()
    : new Boundaries(text, 'sentence', options.locale).all();
}

function scanStart(text: string, from: number, options: HighlightOptions): number {
  if (from > text.length || from < 1) return from;
  if (options.boundaryScanner === 'sentence' || options.boundaryScanner === 'word') {
    return sentenceBounds(text, options).findLast((bound) => bound < from) ?? 0;
  }
  let offset = from;
  for (let count = options.boundaryMaxScan; offset > 0 && count > 0; count--, offset--) {
    if (options.boundaryChars.includes(text[offset - 1])) return offset;
  }
  return offset === 0 ? 0 : from;
}

function scanEnd(text: string, from: number, options: HighlightOptions): number {
  if (from > text.length || from < 0) return from;
  if (options.boundaryScanner === 'sentence' || options.boundaryScanner === 'word') {
    return sentenceBounds(text, options).find((bound) => bound > from) ?? text.length;
  }
  let offset = from;
  for (let count = options.boundaryMaxScan; offset < text.length && count > 0; count--, offset++) {
    if (options.boundaryChars.includes(text[offset])) return offset;
  }
  return from;
}
