// JavaScript rivals of the kernels: each turns a text into terms and returns their number. Only those that do the work of the
// analyzer are here: they make the terms (in lower case where the analyzer does), leave out the stop words and stem where it stems. A language for
// which JavaScript has no stemmer has no rival. The bench leaves out rivals whose number of terms differs from the analyzer's.
import { createRequire } from 'node:module';
import MiniSearch from 'minisearch';
import { stopList } from '../../src/analysis/languages/stop-words.ts';

export interface Rival {
  readonly name: string;
  run(text: string): number;
}

interface LunrPipeline {
  add(...functions: unknown[]): void;
  run(tokens: unknown[]): unknown[];
}
interface Lunr {
  Builder: new () => { pipeline: LunrPipeline; use(plugin: unknown): void };
  tokenizer(text: string): unknown[];
  trimmer: unknown;
  stopWordFilter: unknown;
  stemmer: unknown;
  [language: string]: unknown;
}

const require = createRequire(import.meta.url);
const lunr = require('lunr') as Lunr;
const snowball = require('snowball-stemmers') as { algorithms(): string[]; newStemmer(name: string): { stem(word: string): string } };
const lunrLanguages: Readonly<Record<string, string>> = {
  arabic: 'ar',
  armenian: 'hy',
  danish: 'da',
  german: 'de',
  dutch: 'nl',
  greek: 'el',
  spanish: 'es',
  finnish: 'fi',
  french: 'fr',
  hungarian: 'hu',
  italian: 'it',
  norwegian: 'no',
  portuguese: 'pt',
  romanian: 'ro',
  russian: 'ru',
  swedish: 'sv',
  turkish: 'tr',
};

const WORDS = /[\p{L}\p{M}\p{N}_]+(?:['’.][\p{L}\p{M}\p{N}_]+)*/gu;
/** The same with ideographs and kana, as the standard tokenizer cuts them. */
const JAPANESE = '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}';
const JAPANESE_WORDS = new RegExp(
  `[\\p{sc=Han}\\p{sc=Hira}]|[\\p{sc=Kana}ー]+|(?:(?![${JAPANESE}])[\\p{L}\\p{M}\\p{N}_])+(?:['’.](?:(?![${JAPANESE}])[\\p{L}\\p{N}_])+)*`,
  'gu',
);
const split = MiniSearch.getDefault('tokenize') as (text: string) => string[];
const processTerm = MiniSearch.getDefault('processTerm') as (term: string) => string;

/** The rivals of an analyzer on texts of a language. */
export function rivalsOf(analyzer: string, language: string): Rival[] {
  const words = language === 'ja' ? JAPANESE_WORDS : WORDS;
  switch (analyzer) {
    case 'standard':
      return [
        { name: 'twin', run: (text) => countLower(text.match(words)) },
        { name: 'minisearch', run: (text) => split(text).map(processTerm).length },
      ];
    case 'simple':
      return [{ name: 'twin', run: (text) => countLower(text.match(/\p{L}+/gu)) }];
    case 'whitespace':
      return [{ name: 'twin', run: (text) => text.match(/\S+/g)?.length ?? 0 }];
    case 'cjk':
      return [{ name: 'twin', run: countBigrams }];
    case 'thai':
      return [{ name: 'segmenter', run: countThai }];
    default:
      return stemmers(analyzer);
  }
}

function stemmers(analyzer: string): Rival[] {
  const rivals: Rival[] = [];
  const pipeline = lunrPipeline(analyzer);
  if (pipeline) rivals.push({ name: 'lunr', run: (text) => pipeline.run(lunr.tokenizer(text)).length });
  if (snowball.algorithms().includes(analyzer)) {
    const stemmer = snowball.newStemmer(analyzer);
    const stop = new Set(stopList(analyzer) ?? []);
    rivals.push({ name: 'snowball', run: (text) => countStems(text, stop, stemmer) });
  }
  return rivals;
}

function countLower(words: readonly string[] | null): number {
  let count = 0;
  for (const word of words ?? []) if (word.toLowerCase() !== '') count++;
  return count;
}

const englishStopWords = new Set(stopList('english') ?? []);

/** Terms with folded widths in lower case: pairs of adjacent ideographs and kana, single ones, and words that are not stop words. */
function countBigrams(text: string): number {
  const terms: string[] = [];
  const folded = text.replace(/[\uff01-\uff5e\uff65-\uff9f]+/g, (wide) => wide.normalize('NFKC')).toLowerCase();
  for (const run of folded.match(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー]+|[\p{L}\p{M}\p{N}_]+/gu) ?? []) {
    if (run.charCodeAt(0) >= 0x2e80 && run.length > 1) for (let i = 0; i + 1 < run.length; i++) terms.push(run.slice(i, i + 2));
    else if (!englishStopWords.has(run)) terms.push(run);
  }
  return terms.length;
}

const thaiWords = new Intl.Segmenter('th', { granularity: 'word' });
const thaiStopWords = new Set(stopList('thai') ?? []);

function countThai(text: string): number {
  let count = 0;
  for (const { segment, isWordLike } of thaiWords.segment(text)) if (isWordLike && !thaiStopWords.has(segment.toLowerCase())) count++;
  return count;
}

function countStems(text: string, stop: ReadonlySet<string>, stemmer: { stem(word: string): string }): number {
  let count = 0;
  for (const word of text.match(WORDS) ?? []) {
    const lower = word.toLowerCase();
    if (!stop.has(lower) && stemmer.stem(lower) !== '') count++;
  }
  return count;
}

/** lunr's own chain for English, its plugins' for other languages; null where there is none. */
function lunrPipeline(analyzer: string): LunrPipeline | null {
  const builder = new lunr.Builder();
  const { trimmer, stopWordFilter, stemmer } = lunr;
  if (analyzer === 'english') builder.pipeline.add(trimmer, stopWordFilter, stemmer);
  else {
    const code = lunrLanguages[analyzer];
    if (!code) return null;
    require('lunr-languages/lunr.stemmer.support')(lunr);
    require(`lunr-languages/lunr.${code}`)(lunr);
    builder.use(lunr[code]);
  }
  return builder.pipeline;
}
