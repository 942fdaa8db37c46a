// Predefined stop lists by their name without underscores.
import { stopWords } from './words.ts';

/** Source: the 33 words of Lucene's EnglishAnalyzer. */
const english: readonly string[] =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  );

/** Lists split so far: a program uses few of the forty. */
const lists = new Map<string, readonly string[]>();

/** Stop words of the analyzer of that name; undefined if it has none. */
export function stopList(name: string): readonly string[] | undefined {
  let list = lists.get(name);
  if (list === undefined) {
    list = name === 'english' ? english : stopWords(name)?.split('|');
    if (list !== undefined) lists.set(name, list);
  }
  return list;
}

/** Words that definitions call `_name_`; the list of the cjk analyzer has no such name. */
export const namedStopList = (name: string): readonly string[] | undefined => (name === 'cjk' ? undefined : stopList(name));

export const englishStopWords = (): readonly string[] => english;
