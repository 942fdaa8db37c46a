// Finds the parts of a word for the word delimiter filters: at delimiters, changes of case and between letters and digits.
// Works on UTF-16 units, as the recorded server does. Source: the rules that Lucene documents for WordDelimiterGraphFilter.

const LOWER = 1;
const UPPER = 2;
export const DIGIT = 4;
const DELIMITER = 8;
export const ALPHA = LOWER | UPPER;
const ALPHANUM = ALPHA | DIGIT;

type TypeTable = ReadonlyMap<number, number>;

export interface SplitOptions {
  readonly splitOnCaseChange: boolean;
  readonly splitOnNumerics: boolean;
  readonly stemEnglishPossessive: boolean;
  /** Types of single units that a definition changes. */
  readonly types: TypeTable;
}

export interface WordPart {
  start: number;
  end: number;
  /** Type of the first unit, ALPHA for both cases of letters. */
  type: number;
}

interface WordParts {
  parts: WordPart[];
  /** Whether a word has one part only, possibly between delimiters. */
  isSingle: boolean;
}

/** Types of the first 256 units where a definition has no type table: letters, digits and nothing else; ª and º are lower case. */
function builtInType(unit: number): number {
  const char = String.fromCharCode(unit);
  if (/\p{Lu}/u.test(char)) return UPPER;
  if (/[\p{Ll}ªº]/u.test(char)) return LOWER;
  return /\p{Nd}/u.test(char) ? DIGIT : DELIMITER;
}

/** Type of a unit by its category; surrogates are of both kinds, so that pairs stay together. */
function defaultType(unit: number): number {
  const char = String.fromCharCode(unit);
  if (/\p{Lu}/u.test(char)) return UPPER;
  if (/\p{Ll}/u.test(char)) return LOWER;
  if (/\p{L}|\p{M}/u.test(char)) return ALPHA;
  if (/\p{N}/u.test(char)) return DIGIT;
  return unit >= 0xd800 && unit < 0xe000 ? ALPHANUM : DELIMITER;
}

export function splitWord(text: string, options: SplitOptions): WordParts {
  const typeAt = (at: number): number => {
    const unit = text.charCodeAt(at);
    if (!options.types.size) return unit < 256 ? builtInType(unit) : defaultType(unit);
    return options.types.get(unit) ?? defaultType(unit);
  };
  const isDelimiter = (at: number): boolean => (typeAt(at) & DELIMITER) !== 0;
  let from = 0;
  let to = text.length;
  while (from < to && isDelimiter(from)) from++;
  while (to > from && isDelimiter(to - 1)) to--;

  const endsWithPossessive = (at: number): boolean =>
    options.stemEnglishPossessive &&
    at > 2 &&
    text[at - 2] === "'" &&
    (text[at - 1] === 's' || text[at - 1] === 'S') &&
    (typeAt(at - 3) & ALPHA) !== 0 &&
    (at === to || isDelimiter(at));
  const isBreak = (last: number, type: number): boolean => {
    if (last & type) return false;
    if (!options.splitOnCaseChange && last & ALPHA && type & ALPHA) return false;
    if (last & UPPER && type & ALPHA) return false;
    return options.splitOnNumerics || !((last & ALPHA && type & DIGIT) || (last & DIGIT && type & ALPHA));
  };

  const parts: WordPart[] = [];
  let at = from;
  while (at < to) {
    while (at < to && isDelimiter(at)) at++;
    if (at >= to) break;
    let last = typeAt(at);
    let end = at + 1;
    for (; end < to; end++) {
      const type = typeAt(end);
      if (isBreak(last, type)) break;
      last = type;
    }
    const first = typeAt(at);
    parts.push({ start: at, end, type: first === LOWER || first === UPPER ? ALPHA : first });
    at = end < to - 1 && endsWithPossessive(end + 2) ? end + 2 : end;
  }
  const bare = endsWithPossessive(to) ? to - 2 : to;
  return { parts, isSingle: parts.length > 0 && parts[0].start === from && parts[0].end === bare };
}
