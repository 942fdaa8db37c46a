// Reads .dic files: words with flags and morphological data. Source: hunspell(5).
//   word ─┬─ / flags, or the number of a set of AF ─┬─ tab, or space before a field: st:stem po:noun, or the number of a line of AM ─┤
import { illegalArgumentError } from '../../errors/catalog.ts';
import { isLetter } from '../../regex/characters.ts';
import { type AffixFile, convert, type Flags, parseAffixFile } from './affix-file.ts';
import { caseOf, decodeBytes, linesOf, upperUnit } from './text.ts';
import { type Entry, WordTable } from './word-table.ts';

/** The files of a dictionary, as bytes in the encoding of SET, or as strings. */
export interface HunspellSource {
  readonly affix: Uint8Array | string;
  readonly dictionaries: readonly (Uint8Array | string)[];
  readonly ignoreCase?: boolean;
}

/** Separators of the parts of a line once escapes are resolved. The same characters in the file are dropped. */
const FLAGS = '\x1f';
const MORPH = '\x1e';
/** Marks entries that are added for words in unusual case (OpenOffice, ENGL), so that their capitalized form is found. */
const HIDDEN = String.fromCharCode(65_511);

/** Entries by word. Those of one word are in the order of their lines' text. */
export class HunspellDictionary {
  readonly #words: WordTable;

  private constructor(
    readonly affixes: AffixFile,
    words: WordTable,
  ) {
    this.#words = words;
  }

  /** @throws ApiError illegal_argument_exception: an invalid line */
  static read({ affix, dictionaries, ignoreCase = false }: HunspellSource): HunspellDictionary {
    const affixes = parseAffixFile(affix, ignoreCase);
    const lines = new Map<string, string | string[]>();
    for (const source of dictionaries)
      readLines(affixes, typeof source === 'string' ? source : decodeBytes(source, affixes.encoding), lines);
    const reader = new EntryReader(affixes);
    const words = new WordTable([...lines.keys()], (word) => {
      const rest = lines.get(word) ?? [];
      return typeof rest === 'string' ? [reader.entry(rest)] : reader.entriesOf(rest);
    });
    return new HunspellDictionary(affixes, words);
  }

  /** Entries of a word; empty if it is unknown. */
  lookup(word: string): readonly Entry[] {
    return this.#words.lookup(word);
  }
}

function byUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Groups the rest of each line, from FLAGS or MORPH on, by word. The first line, a count, is ignored. */
function readLines(affixes: AffixFile, text: string, out: Map<string, string | string[]>): void {
  const add = (word: string, rest: string): void => {
    if (!word) return;
    const before = out.get(word);
    if (before === undefined) out.set(word, rest);
    else if (typeof before === 'string') out.set(word, [before, rest]);
    else before.push(rest);
  };
  for (const line of linesOf(text).slice(1)) {
    if (line === '' || line[0] === '#' || line[0] === '\t') continue;
    const plain = unescapeLine(line);
    const flagsAt = plain.indexOf(FLAGS);
    const end = flagsAt < 0 ? plain.indexOf(MORPH) : flagsAt;
    if (end === 0) continue;
    const word = affixes.clean(plain.slice(0, end));
    const rest = plain.slice(end);
    add(word, rest);
    const written = word && caseOf(word);
    if (written === 'mixed' || (written === 'upper' && flagsAt > 0)) {
      add(upperUnit(word[0]) + affixes.lowerAll(word.slice(1)), FLAGS + HIDDEN + (rest[0] === FLAGS ? rest.slice(1) : rest));
    }
  }
}

/** Terminates the word by FLAGS or MORPH, and the flags by MORPH. */
function unescapeLine(line: string): string {
  const end = morphStart(line);
  let out = '';
  for (let i = 0; i < end; i++) {
    const unit = line[i];
    if (unit === '\\' && i + 1 < line.length) out += line[++i];
    else if (unit === '/' && i > 0) out += FLAGS;
    else if (unit !== FLAGS && unit !== MORPH) out += unit;
  }
  return out + MORPH + line.slice(end).replaceAll(FLAGS, '').replaceAll(MORPH, '');
}

/** Start of the morphological data: a tab, or a space before two letters and a colon. The end of the line if there are none. */
function morphStart(line: string): number {
  for (let i = 0; i < line.length; i++) {
    if (line[i] === '\t') return i;
    if (line[i] === ' ' && i > 0 && line[i + 3] === ':' && isLetterAt(line, i + 1) && isLetterAt(line, i + 2)) return i;
  }
  return line.length;
}

function isLetterAt(text: string, at: number): boolean {
  return at < text.length && isLetter(text.charCodeAt(at));
}

/** Parses the rest of lines. Equal flags share one string. */
class EntryReader {
  readonly #flags = new Map<string, Flags>();

  readonly #affixes: AffixFile;

  constructor(affixes: AffixFile) {
    this.#affixes = affixes;
  }

  /** The entries of a word; those that the reader added only count if there is no other. */
  entriesOf(lines: string[]): Entry[] {
    const given = lines.filter((rest) => !rest.startsWith(FLAGS + HIDDEN));
    return (given.length ? given : lines).sort(byUnits).map((rest) => this.entry(rest));
  }

  entry(rest: string): Entry {
    const end = rest.indexOf(MORPH);
    return { flags: rest[0] === FLAGS ? this.#flagsOf(rest.slice(1, end)) : '', stem: this.#stemOf(rest.slice(end + 1)) };
  }

  #flagsOf(text: string): Flags {
    let flags = this.#flags.get(text);
    if (flags === undefined) {
      const isHidden = text.startsWith(HIDDEN);
      const given = text.slice(isHidden ? 1 : 0).trim();
      flags = (this.#affixes.flagAliases.length && given ? this.#alias(given) : this.#affixes.parseFlags(given)) + (isHidden ? HIDDEN : '');
      this.#flags.set(text, flags);
    }
    return flags;
  }

  #alias(text: string): Flags {
    const flags = /^\d{1,9}$/.test(text) ? this.#affixes.flagAliases[Number(text) - 1] : undefined;
    if (flags === undefined) throw illegalArgumentError(`Bad flag alias number in a hunspell dictionary: ${text.slice(0, 200)}`);
    return flags;
  }

  /** The stem of `st:`, converted by OCONV. */
  #stemOf(text: string): string | null {
    const { morphAliases, outputConversion } = this.#affixes;
    const trimmed = text.trim();
    if (!trimmed) return null;
    const data = (/^\d{1,9}$/.test(trimmed) && morphAliases[Number(trimmed) - 1]) || text;
    const fields = data.split(/\s/).filter((field) => field.length > 3 && field[2] === ':' && isLetterAt(field, 0) && isLetterAt(field, 1));
    // The first of several counts. Lucene 10 keeps the colon if it is not in the first field, and so its indices contain it.
    const at = fields.sort(byUnits).findIndex((field) => field.startsWith('st:'));
    if (at < 0) return null;
    const stem = fields[at].slice(at === 0 ? 3 : 2);
    return outputConversion ? convert(outputConversion, stem) : stem;
  }
}
