// Predefined stop lists by their name without underscores.
import { stopWords } from './words.ts';

/** Source: the 33 words of Lucene's EnglishAnalyzer. */
const ENGLISH =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with';

/** Lists that have been asked for: a program uses a few of forty. */
const lists = new Map<string, readonly string[]>();

/** Words of the analyzer of that name; undefined where there are none. */
export function stopList(name: string): readonly string[] | undefined {
  let list = lists.get(name);
  if (list === undefined) {
    list = name === 'english' ? ENGLISH.split(' ') : stopWords(name)?.split('|');
    if (list !== undefined) lists.set(name, list);
  }
  return list;
}

/** Words that definitions call `_name_`: not all analyzers' lists have such a name. */
export const namedStopList = (name: string): readonly string[] | undefined => (name === 'cjk' ? undefined : stopList(name));

export const englishStopWords = (): readonly string[] => stopList('english')!;
