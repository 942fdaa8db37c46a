// Predefined stop lists by their name without underscores.
import { STOP_WORDS } from '../generated/stop-words.ts';

/** Source: the 33 words of Lucene's EnglishAnalyzer. */
const ENGLISH =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with';

/** Lists that have been asked for: a program uses a few of forty. */
const lists = new Map<string, readonly string[]>();

/** Words of the analyzer of that name; undefined where there are none. */
export function stopList(name: string): readonly string[] | undefined {
  if (!Object.hasOwn(STOP_WORDS, name) && name !== 'english') return undefined;
  let words = lists.get(name);
  if (words === undefined) {
    words = name === 'english' ? ENGLISH.split(' ') : STOP_WORDS[name].split('|');
    lists.set(name, words);
  }
  return words;
}

/** Words that definitions call `_name_`: not all analyzers' lists have such a name. */
export const namedStopList = (name: string): readonly string[] | undefined => (name === 'cjk' ? undefined : stopList(name));

export const englishStopWords = (): readonly string[] => stopList('english')!;
