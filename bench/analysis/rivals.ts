// What JavaScript offers beside the kernels: each rival takes a text to its terms and says how many there are. `does` tells what of an analyzer's
// work it does, so that only equals are compared: 'split' words in lower case, 'stem' also stop words and stems.
import { createRequire } from 'node:module';
import MiniSearch from 'minisearch';
import { stopList } from '../../src/analysis/languages/stop-words.ts';

export interface Rival {
  readonly name: string;
  readonly does: 'split' | 'stem';
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
const split = MiniSearch.getDefault('tokenize') as (text: string) => string[];
const processTerm = MiniSearch.getDefault('processTerm') as (term: string) => string;

/** The rivals of an analyzer: those that split, and for a language those that stem it. */
export function rivalsOf(analyzer: string): Rival[] {
  const rivals: Rival[] = [
    { name: 'twin', does: 'split', run: (text) => countTwin(text, stopList(analyzer)) },
    { name: 'minisearch', does: 'split', run: (text) => split(text).map(processTerm).length },
  ];
  const pipeline = lunrPipeline(analyzer);
  if (pipeline) rivals.push({ name: 'lunr', does: 'stem', run: (text) => pipeline.run(lunr.tokenizer(text)).length });
  if (snowball.algorithms().includes(analyzer)) {
    const stemmer = snowball.newStemmer(analyzer);
    const stop = new Set(stopList(analyzer) ?? []);
    rivals.push({ name: 'snowball', does: 'stem', run: (text) => countStems(text, stop, stemmer) });
  }
  return rivals;
}

/** The TypeScript twin of tokenizer, lower-casing and stop words: the rule of words as one regular expression. */
function countTwin(text: string, stop?: readonly string[]): number {
  const set = stop ? (stopSets.get(stop) ?? new Set(stop)) : null;
  if (stop && set) stopSets.set(stop, set);
  let count = 0;
  for (const word of text.match(WORDS) ?? []) if (!set?.has(word.toLowerCase())) count++;
  return count;
}
const stopSets = new Map<readonly string[], Set<string>>();

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
