// How Java's BreakIterator splits Thai text, as an expression; tools/generate-thai-rules.ts makes tables from it.
// Source: the documentation of java.text.BreakIterator's word instance, checked against recorded results.
import { type CategoryRun, categoryRuns } from '../src/regex/characters.ts';
import { parseJavaRegex } from '../src/regex/parser.ts';
import type { Node } from '../src/regex/syntax.ts';

const KATAKANA = '\\u30a1-\\u30fa';
const HIRAGANA = '\\u3041-\\u3094';
const KANA_MARKS = '\\u3099-\\u309c';
const KANJI = '\\u3005\\u4e00-\\u9fa5\\uf900-\\ufa2d';
const NO_LETTER = `[^${KANJI}${KATAKANA}${HIRAGANA}${KANA_MARKS}]`;

const seq = (...parts: Node[]): Node => ({ kind: 'seq', parts });
const alt = (...parts: Node[]): Node => ({ kind: 'alt', parts });
const repeat = (part: Node, min: number, max = 0x7fffffff): Node => ({ kind: 'repeat', part, min, max, mode: 'greedy' });
const optional = (part: Node): Node => repeat(part, 0, 1);

/**
 * Marks and format characters, which belong to the preceding character, except the soft hyphen and the marks of kana and Thai. Java's table
 * omits the last one of each run of them above U+FFFF: the virama of Chakma, U+11134, ends a word.
 */
function ignoredClass(): string {
  const isIgnored = (run: CategoryRun | undefined): boolean => run !== undefined && [6, 7, 16].includes(run[2]);
  let others = '\\u00ad\\u3099\\u309a\\u0e31\\u0e34-\\u0e3a\\u0e47-\\u0e4e';
  const runs = categoryRuns();
  for (const [i, run] of runs.entries()) {
    if (run[0] >= 0x10000 && isIgnored(run) && !isIgnored(runs[i + 1])) others += `\\x{${run[1].toString(16)}}`;
  }
  return `[[\\p{Mn}\\p{Me}\\p{Cf}]&&[^${others}]]`;
}

/** Pieces of a text: the longest match at each position, which is at least one code point. */
export function thaiRules(): Node {
  const ignored = repeat(parseJavaRegex(ignoredClass(), 0).node, 0);
  /** A character of a class of Java's expressions, with the marks that belong to it. */
  const one = (of: string): Node => seq(parseJavaRegex(of, 0).node, ignored);
  const letters = repeat(one(`[[\\p{L}\\p{Mc}\\u0e30-\\u0e3a\\u0e47-\\u0e4e]&&${NO_LETTER}]`), 1);
  const digits = repeat(one('\\p{N}'), 1);
  const midWord = one('[\\p{Pd}\\u00ad\\u2027"\'.]');
  const midNumber = one('["\',\\u066b.]');
  const word = seq(letters, repeat(seq(midWord, letters), 0), optional(one('[\\u0964\\u0965]')));
  const number = seq(digits, repeat(seq(midNumber, digits), 0));
  const tail = seq(repeat(seq(number, word), 0), optional(seq(number, optional(one('[\\u00a2%\\u066a\\u2030\\u2031&]')))));
  return seq(
    ignored,
    alt(
      seq(optional(word), tail),
      seq(one('[[\\p{Sc}#.]&&[^\\u00a2]]'), tail),
      seq(one(`[${KATAKANA}]`), repeat(one(`[${KATAKANA}${KANA_MARKS}]`), 0)),
      repeat(one(`[${HIRAGANA}${KANA_MARKS}]`), 1),
      repeat(one(`[${KANJI}]`), 1),
      one('[\\x{0}-\\x{10ffff}]'),
    ),
  );
}
