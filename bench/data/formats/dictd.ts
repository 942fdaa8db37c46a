// Dictionaries of dictd: an index of `word <tab> offset <tab> length` (base 64 numbers) into a gzipped file of entries.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readText, tidy } from './text.ts';

export interface DictionaryEntry {
  readonly word: string;
  readonly text: string;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Marks of sources in the GNU dictionary of English. */
const SOURCE_MARK = /\s*\[(?:1913 Webster|Webster 1913 Suppl\.|PJC|WordNet 1\.5|RP|RDH|Century Dict\.?[^\]]*)[^\]]*\]/g;

/** The entries in the order of the data, each under the shortest of its words. */
export function dictdEntries(indexFile: string, dataFile: string): DictionaryEntry[] {
  const data = gunzipSync(readFileSync(dataFile));
  const entries = new Map<string, { word: string; offset: number; length: number }>();
  for (const line of readText(indexFile).split('\n')) {
    const [word, offset, length] = line.split('\t');
    if (!length || /^00-?(database|dict)|^\s*$/.test(word)) continue;
    const key = `${offset} ${length.trim()}`;
    const known = entries.get(key);
    if (!known) entries.set(key, { word, offset: base64Number(offset), length: base64Number(length.trim()) });
    else if (word.length < known.word.length || (word.length === known.word.length && word < known.word)) known.word = word;
  }
  return [...entries.values()]
    .sort((a, b) => a.offset - b.offset || a.length - b.length)
    .map(({ word, offset, length }) => ({ word, text: paragraphs(data.toString('utf8', offset, offset + length)) }));
}

function base64Number(digits: string): number {
  let value = 0;
  for (const digit of digits) value = value * 64 + DIGITS.indexOf(digit);
  return value;
}

/** Blank lines separate paragraphs. */
function paragraphs(entry: string): string {
  return tidy(
    entry
      .replace(SOURCE_MARK, '')
      .split(/\n\s*\n/)
      .map((paragraph) => paragraph.replace(/\n/g, ' '))
      .join('\n'),
  );
}
