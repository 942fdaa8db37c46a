// Characters and lines of Hunspell files: Hunspell's names of encodings, Java's white space, and one-to-one case mapping.
import { illegalArgumentError } from '../../errors/catalog.ts';

/** Names in `SET` that differ from the Encoding Standard's. */
const ENCODINGS: Readonly<Record<string, string>> = { 'microsoft-cp1251': 'windows-1251', 'TIS620-2533': 'windows-874' };
/** `SET` and `FLAG` must be within this many bytes. */
const PROLOGUE_BYTES = 30 << 10;

/** Decodes Latin-1 with all 256 characters, in pieces that fit into an argument list. */
function decodeLatin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

/** The encoding from an affix file's `SET`; Latin-1 by default. */
export function encodingOf(affixFile: Uint8Array): string {
  const prologue = decodeLatin1(affixFile.subarray(0, PROLOGUE_BYTES));
  return /^(?:\u00ef\u00bb\u00bf)?\s*SET[ \t]+(\S+)/m.exec(prologue)?.[1] ?? 'ISO8859-1';
}

/** @throws ApiError illegal_argument_exception: an unknown encoding */
export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  if (/^iso-?8859-1$/i.test(encoding)) return decodeLatin1(bytes);
  try {
    return new TextDecoder(ENCODINGS[encoding] ?? encoding).decode(bytes);
  } catch {
    throw illegalArgumentError(`Unknown encoding of a hunspell dictionary [${encoding}]`);
  }
}

/** Lines without line terminators and without a byte order mark. */
export function linesOf(text: string): string[] {
  return text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
}

/** Fields separated by ASCII white space; French affixes contain no-break spaces. */
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

/** Case of a word; a single capital is `upper`. Pre: the word is not empty. */
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
