// The term suggester on one shard: finds terms of the field that are similar to the words of a text. Source: Lucene's DirectSpellChecker.

import type { AnalyzedToken } from '../../analysis/tokens/analyzed-token.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { afterPrefix, termOfText } from '../index-query/term.ts';
import { fuzzyMatcher } from '../matchers/edit-distance.ts';
import type { Spelling } from '../request/spelling-request.ts';
import type { TermSuggestion } from '../request/suggest-request.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import type { ShardStatistics } from '../shard/statistics.ts';

export interface TermOption {
  readonly text: string;
  readonly score: number;
  freq: number;
}

export interface TermEntry {
  readonly text: string;
  readonly offset: number;
  readonly length: number;
  readonly options: readonly TermOption[];
}

const decoder = new TextDecoder();
const utf8 = new TextEncoder();

export function suggestTerms(suggestion: TermSuggestion, field: FieldType, shard: SearchShard, statistics: ShardStatistics): TermEntry[] {
  return tokensOf(suggestion, field, shard).map(({ term, startOffset, endOffset }) => ({
    text: term,
    offset: startOffset,
    length: endOffset - startOffset,
    options: similarTerms(suggestion, suggestion.shardSize, field.spec.name, term, shard.segments, statistics),
  }));
}

function tokensOf(
  { analyzer, text }: TermSuggestion,
  field: FieldType,
  shard: SearchShard,
): readonly Pick<AnalyzedToken, 'term' | 'startOffset' | 'endOffset'>[] {
  const name = analyzer ?? field.searchAnalyzer;
  return name === null ? [{ term: text, startOffset: 0, endOffset: text.length }] : shard.analysis.analyze(name, text);
}

/** Terms of a field that are similar to a word, the best first. @param limit  of their number */
export function similarTerms(
  spelling: Spelling,
  limit: number,
  name: string,
  word: string,
  segments: readonly SegmentReader[],
  statistics: ShardStatistics,
): TermOption[] {
  const { mode, minWordLength, maxTermFreq, minDocFreq, maxEdits, prefixLength, distance, accuracy } = spelling;
  if ([...word].length < minWordLength) return [];
  const docFreq = statistics.term(termOfText(name, word)).docFreq;
  if (mode === 'missing' && docFreq > 0) return [];
  const maxDoc = segments.reduce((sum, segment) => sum + segment.maxDoc, 0);
  if (docFreq > (maxTermFreq >= 1 ? maxTermFreq : Math.ceil(maxTermFreq * maxDoc))) return [];
  let floor = mode === 'popular' ? docFreq : 0;
  if (minDocFreq >= 1) floor = Math.max(floor, Math.trunc(minDocFreq));
  else if (minDocFreq > 0) floor = Math.max(floor, Math.trunc(minDocFreq * maxDoc) - 1);
  const matcher = fuzzyMatcher(word, maxEdits, prefixLength, true);
  const from = utf8.encode(matcher.prefix);
  const freqs = new Map<string, number>();
  for (const segment of segments) {
    const range = { from, to: from.length === 0 ? null : afterPrefix(from), includeTo: false };
    for (const { bytes, docFreq: own } of segment.walkTerms(name, range, Number.POSITIVE_INFINITY, matcher.matches)) {
      const text = decoder.decode(bytes);
      freqs.set(text, (freqs.get(text) ?? 0) + own);
    }
  }
  const options: TermOption[] = [];
  for (const [text, freq] of freqs) {
    if (text === word || freq <= floor) continue;
    const score = distance(word, text);
    if (score >= accuracy) options.push({ text, score, freq });
  }
  return options.sort(comparatorOf(spelling)).slice(0, limit);
}

function comparatorOf({ sort }: Spelling): (a: TermOption, b: TermOption) => number {
  const byText = (a: TermOption, b: TermOption): number => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0);
  if (sort === 'score') return (a, b) => b.score - a.score || b.freq - a.freq || byText(a, b);
  return (a, b) => b.freq - a.freq || b.score - a.score || byText(a, b);
}

/** Merges the options of several shards for one word. */
export function mergeTermOptions(suggestion: TermSuggestion, lists: readonly (readonly TermOption[])[]): TermOption[] {
  const merged = new Map<string, TermOption>();
  for (const list of lists) {
    for (const option of list) {
      const known = merged.get(option.text);
      if (known) known.freq += option.freq;
      else merged.set(option.text, { ...option });
    }
  }
  return [...merged.values()].sort(comparatorOf(suggestion)).slice(0, suggestion.size);
}
