// Java's character predicates on the host, Unicode 16, from the same data as those of the kernels (assembly/text/character.ts).
import { CATEGORY_RUNS } from './generated/categories.ts';

/** Category letters of the generated runs: V W X Y Z _ - . : ; are 0..9, A.. are 10... */
const DIGITS = 'VWXYZ_-.:;';
const PRIVATE_USE = 18;
let table: Uint8Array | null = null;
let runs: readonly CategoryRun[] | null = null;

/** A run of code points of the same category: the first, the last, the category's number. */
export type CategoryRun = readonly [first: number, last: number, category: number];

/** All code points as runs, in ascending order. */
export function categoryRuns(): readonly CategoryRun[] {
  if (runs) return runs;
  const made: CategoryRun[] = [];
  let at = 0;
  for (const [, length, code] of CATEGORY_RUNS.matchAll(/([0-9a-z]+)([A-Z_\-.:;])/g)) {
    const digit = DIGITS.indexOf(code);
    const end = at + Number.parseInt(length, 36);
    made.push([at, end - 1, digit >= 0 ? digit : code.charCodeAt(0) - 55]);
    at = end;
  }
  if (at < 0xf0000) made.push([at, 0xeffff, 0]);
  for (const plane of [0xf0000, 0x100000]) made.push([plane, plane + 0xfffd, PRIVATE_USE], [plane + 0xfffe, plane + 0xffff, 0]);
  runs = made;
  return made;
}

function categories(): Uint8Array {
  if (table) return table;
  table = new Uint8Array(0xf0000);
  for (const [first, last, category] of categoryRuns()) if (first < table.length) table.fill(category, first, last + 1);
  return table;
}

/** General category, with the numbers of java.lang.Character. */
export function category(cp: number): number {
  if (cp < 0xf0000) return categories()[cp];
  return (cp & 0xffff) < 0xfffe ? PRIVATE_USE : 0;
}

export const isLetter = (cp: number): boolean => category(cp) >= 1 && category(cp) <= 5;
export const isDigit = (cp: number): boolean => category(cp) === 9;

/** Names of categories in parameters. */
export const CATEGORY_NAMES: Readonly<Record<string, number>> = {
  unassigned: 0,
  uppercase_letter: 1,
  lowercase_letter: 2,
  titlecase_letter: 3,
  modifier_letter: 4,
  other_letter: 5,
  non_spacing_mark: 6,
  enclosing_mark: 7,
  combining_spacing_mark: 8,
  decimal_digit_number: 9,
  letter_number: 10,
  other_number: 11,
  space_separator: 12,
  line_separator: 13,
  paragraph_separator: 14,
  control: 15,
  format: 16,
  private_use: 18,
  surrogate: 19,
  dash_punctuation: 20,
  start_punctuation: 21,
  end_punctuation: 22,
  connector_punctuation: 23,
  other_punctuation: 24,
  math_symbol: 25,
  currency_symbol: 26,
  modifier_symbol: 27,
  other_symbol: 28,
  initial_quote_punctuation: 29,
  final_quote_punctuation: 30,
};
