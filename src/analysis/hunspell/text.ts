// Characters and lines as Hunspell files use them: encodings by Hunspell's names, Java's white space and one-to-one case mapping.
import { illegalArgument } from '../../errors/catalog.ts';

/** Encodings that `SET` names otherwise than the Encoding Standard. */
const ENCODINGS: Readonly<Record<string, string>> = { 'microsoft-cp1251': 'windows-1251', 'TIS620-2533': 'windows-874' };
/** `SET` and `FLAG` are looked for in so many bytes. */
const PROLOGUE_BYTES = 30 << 10;

/** Bytes as Latin-1, all 256 of them, in pieces that fit into an argument list. */
function decodeLatin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

/** The encoding that an affix file names with `SET`; Latin-1 if it names none. */
export function encodingOf(affixFile: Uint8Array): string {
  const prologue = decodeLatin1(affixFile.subarray(0, PROLOGUE_BYTES));
  return /^(?:\u00ef\u00bb\u00bf)?\s*SET[ \t]+(\S+)/m.exec(prologue)?.[1] ?? 'ISO8859-1';
}

/** @throws ApiError illegal_argument_exception: an encoding that is not known */
export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  if (/^iso-?8859-1$/i.test(encoding)) return decodeLatin1(bytes);
  try {
    return new TextDecoder(ENCODINGS[encoding] ?? encoding).decode(bytes);
  } catch {
    throw illegalArgument(`Unknown encoding of a hunspell dictionary [${encoding}]`);
  }
}

/** Lines without their ends and without a byte order mark. */
export function linesOf(text: string): string[] {
  return text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
}

/** Fields separated by white space. White space is ASCII's: French affixes hold no-break spaces. */
export function fieldsOf(line: string): string[] {
  const fields = line.split(/[ \t\n\v\f\r]+/);
  while (fields.length && fields[fields.length - 1] === '') fields.pop();
  return fields;
}

export function lowerUnit(unit: string): string {
  if (unit === 'İ') return 'i';
  const lower = unit.toLowerCase();
  return lower.length === unit.length ? lower : unit;
}

export function upperUnit(unit: string): string {
  const upper = unit.toUpperCase();
  return upper.length === unit.length ? upper : unit;
}

type WordCase = 'upper' | 'title' | 'lower' | 'mixed' | 'neutral';

/** How a word is written; a single capital is `upper`. Pre: the word is not empty. */
export function caseOf(word: string): WordCase {
  const start = unitCase(word[0]);
  let seenUpper = false;
  let seenLower = false;
  for (let i = 1; i < word.length; i++) {
    const kind = unitCase(word[i]);
    seenUpper ||= kind === 'upper';
    seenLower ||= kind === 'lower';
  }
  if (seenLower && seenUpper) return 'mixed';
  if (start === 'lower') return seenUpper ? 'mixed' : 'lower';
  if (start === 'upper') return seenLower ? 'title' : 'upper';
  return seenLower ? 'lower' : seenUpper ? 'upper' : 'neutral';
}

export function isLowerUnit(unit: string): boolean {
  return /^\p{Lowercase}/u.test(unit);
}

function unitCase(unit: string): 'upper' | 'lower' | 'neutral' {
  if (/^\p{Uppercase}/u.test(unit)) return 'upper';
  return isLowerUnit(unit) && upperUnit(unit) !== unit ? 'lower' : 'neutral';
}
