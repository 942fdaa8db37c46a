// Reads .aff files: the rules that derive the forms of words. Source: hunspell(5). Commands that only matter for spelling (REP, MAP, TRY, compounds,
// ...) are skipped, since Lucene's stemming ignores them, too.
// Sizes that a file declares (`PFX A Y 10`, `AF 300`) are checked against its lines, and no memory is allocated by them.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { type Condition, compileCondition } from './affix-condition.ts';
import { decodeBytes, encodingOf, fieldsOf, linesOf, lowerUnit } from './text.ts';

/** A flag is a character, whatever its form in the file; the flags of a word or rule are a string of them. "" is not a flag. */
export type Flags = string;

export interface Affix {
  readonly flag: string;
  readonly isPrefix: boolean;
  readonly strip: string;
  readonly condition: Condition | null;
  /** True if it may be combined with an affix on the other side. */
  readonly isCrossProduct: boolean;
  /** Flags of the affixes that may be added next, and NEEDAFFIX, CIRCUMFIX, ONLYINCOMPOUND. */
  readonly continuation: Flags;
}

/** Rules of one side by the string that they add. */
interface AffixTable {
  readonly byText: Map<string, Affix[]>;
  longest: number;
  /** Flags that occur in the continuation of a rule of this side. */
  readonly secondStage: Set<string>;
}

/** Replacements of ICONV or OCONV. */
interface ConversionTable {
  readonly byText: Map<string, string>;
  readonly longest: number;
}

type FlagForm = 'char' | 'long' | 'num' | 'utf8';

/** Contents of an affix file. */
export class AffixFile {
  readonly prefixes: AffixTable = { byText: new Map(), longest: 0, secondStage: new Set() };
  readonly suffixes: AffixTable = { byText: new Map(), longest: 0, secondStage: new Set() };
  /** Flag sets and morphological data that dictionaries refer to by number, from 1. */
  readonly flagAliases: Flags[] = [];
  readonly morphAliases: string[] = [];
  flagForm: FlagForm = 'char';
  needAffix = '';
  circumfix = '';
  onlyInCompound = '';
  isFullStrip = false;
  /** Allows two prefixes and a suffix instead of two suffixes and a prefix. */
  hasComplexPrefixes = false;
  checksSharpS = false;
  isTurkic = false;
  inputConversion: ConversionTable | null = null;
  outputConversion: ConversionTable | null = null;
  ignored = '';

  constructor(
    readonly encoding: string,
    readonly ignoresCase: boolean,
  ) {}

  lower(unit: string): string {
    if (this.isTurkic && unit === 'I') return 'ı';
    return lowerUnit(unit);
  }

  lowerAll(text: string): string {
    let out = '';
    for (let i = 0; i < text.length; i++) out += this.lower(text[i]);
    return out;
  }

  /** Normalizes a word, an entry or an affix for comparison: IGNORE, ICONV, and lower case if case is ignored. */
  clean(text: string): string {
    if (!this.ignored && !this.inputConversion && !this.ignoresCase) return text;
    let out = '';
    for (let i = 0; i < text.length; i++) if (!this.ignored.includes(text[i])) out += text[i];
    if (this.inputConversion) out = convert(this.inputConversion, out);
    return this.ignoresCase ? this.lowerAll(out) : out;
  }

  /** @throws ApiError illegal_argument_exception: not in the form that FLAG selects */
  parseFlags(text: string): Flags {
    switch (this.flagForm) {
      case 'num':
        return [...text.matchAll(/[^,]+/g)].map(([part]) => numericFlag(part)).join('');
      case 'long':
        return longFlags(text);
      case 'utf8':
        return new TextDecoder().decode(Uint8Array.from(text, (unit) => unit.charCodeAt(0)));
      default:
        return text;
    }
  }
}

/** Largest flag number; Hunspell reserves larger ones. */
const MAX_NUMERIC_FLAG = 65_509;

function numericFlag(text: string): string {
  const digits = text.replaceAll(/[^0-9]/g, '');
  if (!digits) return '';
  const flag = Number(digits);
  if (flag > MAX_NUMERIC_FLAG) throw illegalArgumentError(`Num flags should be between 0 and ${MAX_NUMERIC_FLAG + 1}, found ${digits}`);
  return String.fromCharCode(flag);
}

function longFlags(text: string): Flags {
  let flags = '';
  for (let i = 0; i + 1 < text.length; i += 2) {
    const high = text.charCodeAt(i);
    const low = text.charCodeAt(i + 1);
    if (high > 255 || low > 255) throw illegalArgumentError(`Invalid flags (LONG flags must be double ASCII): ${text}`);
    flags += String.fromCharCode((high << 8) | low);
  }
  return flags;
}

/** Whether a set has a flag; no set has the unset flag. */
export function hasFlag(flags: Flags, flag: string): boolean {
  return flag !== '' && flag !== '\0' && flags.includes(flag);
}

/** Replaces strings from left to right, the longest match first. */
export function convert(table: ConversionTable, text: string): string {
  let out = '';
  let at = 0;
  while (at < text.length) {
    let len = Math.min(table.longest, text.length - at);
    let replacement: string | undefined;
    for (; len > 0; len--) {
      replacement = table.byText.get(text.slice(at, at + len));
      if (replacement !== undefined) break;
    }
    out += replacement ?? text[at];
    at += replacement === undefined ? 1 : len;
  }
  return out;
}

/**
 * @param source bytes in the encoding of the file's own SET, or a string
 * @throws ApiError illegal_argument_exception: an invalid line, with its number
 */
export function parseAffixFile(source: Uint8Array | string, ignoresCase: boolean): AffixFile {
  const encoding = typeof source === 'string' ? 'UTF-8' : encodingOf(source);
  const file = new AffixFile(encoding, ignoresCase);
  const reader = new LineReader(linesOf(typeof source === 'string' ? source : decodeBytes(source, encoding)));
  file.flagForm = flagForm(reader, encoding);
  for (let line = reader.next(); line !== null; line = reader.next()) {
    const trimmed = trimAscii(line);
    if (trimmed) readLine(file, reader, trimmed);
  }
  return file;
}

class LineReader {
  #at = 0;

  constructor(readonly lines: readonly string[]) {}

  next(): string | null {
    return this.#at < this.lines.length ? this.lines[this.#at++] : null;
  }

  /** Fields of a line: at least `min`, and at most `max` before a comment. */
  fields(line: string | null, min: number, max = Number.POSITIVE_INFINITY): string[] {
    const fields = line === null ? [] : fieldsOf(line);
    if (fields.length < min || (fields.length > max && !fields[max].startsWith('#')))
      throw this.error('Invalid syntax', line ?? 'end of file');
    return fields;
  }

  error(what: string, line: string): Error {
    return illegalArgumentError(`${what} in a hunspell affix file, line ${this.#at}: ${line.slice(0, 200)}`);
  }
}

function trimAscii(line: string): string {
  return line.replaceAll(/^[\0- ]+|[\0- ]+$/g, '');
}

/** The form of flags from the FLAG command, which may be anywhere in the file. */
function flagForm(reader: LineReader, encoding: string): FlagForm {
  const line = reader.lines.find((text) => /^FLAG\s/.test(text));
  if (line === undefined) return 'char';
  const [, form, extra] = fieldsOf(line);
  if (extra === undefined) {
    if (form === 'num' || form === 'long') return form;
    if (form === 'UTF-8') return /^iso-?8859-1$/i.test(encoding) ? 'utf8' : 'char';
  }
  throw illegalArgumentError(`Unknown flag type: ${form}`);
}

function readLine(file: AffixFile, reader: LineReader, line: string): void {
  const single = (): string => reader.fields(line, 2, 2)[1];
  const flag = (): string => file.parseFlags(single()).charAt(0);
  const command = fieldsOf(line)[0];
  switch (command) {
    case 'PFX':
    case 'SFX':
      readAffixes(file, reader, line, command === 'PFX');
      break;
    case 'AF':
      readAliases(reader, line, file.flagAliases, ([, value]) => file.parseFlags(value ?? ''));
      break;
    case 'AM':
      readAliases(reader, line, file.morphAliases, (_, text) => text.slice(2));
      break;
    case 'ICONV':
      file.inputConversion = readConversions(reader, line);
      break;
    case 'OCONV':
      file.outputConversion = readConversions(reader, line);
      break;
    case 'NEEDAFFIX':
    case 'PSEUDOROOT':
      file.needAffix = flag();
      break;
    case 'CIRCUMFIX':
      file.circumfix = flag();
      break;
    case 'ONLYINCOMPOUND':
      file.onlyInCompound = flag();
      break;
    case 'COMPLEXPREFIXES':
      file.hasComplexPrefixes = true;
      break;
    case 'FULLSTRIP':
      file.isFullStrip = true;
      break;
    case 'CHECKSHARPS':
      file.checksSharpS = true;
      break;
    case 'IGNORE':
      file.ignored = single();
      break;
    case 'LANG':
      file.isTurkic = /^(?:tr|az)(?:_|$)/.test(single());
      break;
  }
}

/** The header gives the number of lines that follow. An alias may be empty. */
function readAliases<T>(reader: LineReader, header: string, out: T[], parse: (fields: string[], line: string) => T): void {
  const count = countOf(reader, header, 1);
  for (let i = 0; i < count; i++) {
    const line = reader.next();
    out.push(parse(reader.fields(line, 1), line as string));
  }
}

function countOf(reader: LineReader, header: string, field: number): number {
  const text = reader.fields(header, field + 1)[field];
  if (!/^\d{1,9}$/.test(text)) throw reader.error('Count expected', header);
  return Number(text);
}

function readConversions(reader: LineReader, header: string): ConversionTable {
  const byText = new Map<string, string>();
  let longest = 0;
  for (let left = countOf(reader, header, 1); left > 0; left--) {
    const line = reader.next();
    const [, from, to] = reader.fields(line, 3, 3);
    if (byText.has(from)) throw reader.error('Duplicate mapping', line as string);
    byText.set(from, to);
    longest = Math.max(longest, from.length);
  }
  return { byText, longest };
}

/** Reads the rules of one flag: `SFX D Y 2`, then lines `SFX D 0 ed [^y] ...`. */
function readAffixes(file: AffixFile, reader: LineReader, header: string, isPrefix: boolean): void {
  const count = countOf(reader, header, 3);
  const [, name, cross] = fieldsOf(header);
  const flag = file.parseFlags(name).charAt(0);
  const table = isPrefix ? file.prefixes : file.suffixes;
  for (let i = 0; i < count; i++) {
    const line = reader.next();
    const [, ruleName, stripped, added, condition] = reader.fields(line, 4);
    if (ruleName !== name) throw reader.error(`Affix rule of [${name}] expected`, line as string);
    const slash = added.lastIndexOf('/');
    const continuation = slash < 0 ? '' : continuationFlags(file, reader, added.slice(slash + 1), line as string);
    for (let k = 0; k < continuation.length; k++) table.secondStage.add(continuation[k]);
    const strip = stripped === '0' ? '' : stripped;
    const bare = slash < 0 ? added : added.slice(0, slash);
    const text = file.clean(bare === '0' ? '' : bare);
    const affix: Affix = {
      flag,
      isPrefix,
      strip,
      condition: compileCondition(isPrefix, strip, condition ?? '.'),
      isCrossProduct: cross === 'Y',
      continuation,
    };
    const rules = table.byText.get(text);
    if (rules) rules.push(affix);
    else table.byText.set(text, [affix]);
    table.longest = Math.max(table.longest, text.length);
  }
}

function continuationFlags(file: AffixFile, reader: LineReader, text: string, line: string): Flags {
  if (!file.flagAliases.length) return file.parseFlags(text);
  const flags = file.flagAliases[Number(text) - 1];
  if (flags === undefined) throw reader.error('Bad flag alias', line);
  return flags;
}
