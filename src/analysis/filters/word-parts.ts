// Finds the parts of a word for the word delimiter filters: at delimiters, changes of case and between letters and digits.
// Works on UTF-16 units, as the recorded server does. Source: the rules that Lucene documents for WordDelimiterGraphFilter.
import { category } from '../characters.ts';

export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const DELIMITER = 8;
export const ALPHA = LOWER | UPPER;
export const ALPHANUM = ALPHA | DIGIT;

export type TypeTable = ReadonlyMap<number, number>;

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

export interface WordParts {
  parts: WordPart[];
  /** One part only, perhaps between delimiters. */
  isSingle: boolean;
}

/** Types of the first 256 units where a definition has no type table: letters, digits and nothing else; ª and º are lower case. */
function builtInType(unit: number): number {
  const kind = category(unit);
  if (kind === 1) return UPPER;
  if (kind === 2 || unit === 0xaa || unit === 0xba) return LOWER;
  return kind === 9 ? DIGIT : DELIMITER;
}

/** Type of a unit by its category; surrogates are of both kinds, so that pairs stay together. */
export function defaultType(unit: number): number {
  switch (category(unit)) {
    case 1:
      return UPPER;
    case 2:
      return LOWER;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      return ALPHA;
    case 9:
    case 10:
    case 11:
      return DIGIT;
    case 19:
      return ALPHANUM;
    default:
      return DELIMITER;
  }
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
