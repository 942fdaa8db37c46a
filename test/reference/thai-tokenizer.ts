// Twin of assembly/analysis/tokenizers/thai.ts: the rules as a lazy automaton over strings, and the host's own words of runs of Thai letters.
import { isDigit, isLetter } from '../../src/regex/characters.ts';
import { LongestMatcher } from '../../src/regex/lucene-pattern.ts';
import { thaiRules } from '../../tools/thai-rules.ts';
import { thaiWords } from './thai-words.ts';

/** Letters of the dictionary; the signs ๅ, ๆ and ฯ alone are like other letters. */
const DICTIONARY = /[\u0e01-\u0e2e\u0e30-\u0e3a\u0e40-\u0e44\u0e47-\u0e4e]/;
const THAI_RUNS = /([\u0e01-\u0e3a\u0e40-\u0e4e]+)|[^\u0e01-\u0e3a\u0e40-\u0e4e]+/g;
const matcher = new LongestMatcher(thaiRules(), 'thai');

/** Starts and ends of the parts into which the rules cut a text. */
function* runs(text: string): Generator<readonly [number, number]> {
  const endOf = matcher.start(text);
  for (let at = 0; at < text.length; ) {
    const end = endOf(at);
    yield [at, end];
    at = end;
  }
}

/** Start and end of each word. */
export function thaiTokens(text: string): number[] {
  const out: number[] = [];
  const addIfWord = (start: number, end: number): void => {
    const cp = text.codePointAt(start)!;
    if (isLetter(cp) || isDigit(cp)) out.push(start, end);
  };
  for (const [start, end] of runs(text)) {
    const run = text.slice(start, end);
    if (!DICTIONARY.test(run)) {
      addIfWord(start, end);
      continue;
    }
    for (const { 0: part, 1: thai, index } of run.matchAll(THAI_RUNS)) {
      const from = start + index;
      if (thai) out.push(...thaiWords(part).map((at) => from + at));
      else for (const [first, last] of runs(part)) addIfWord(from + first, from + last);
    }
  }
  return out;
}
