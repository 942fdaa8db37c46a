// word_delimiter and word_delimiter_graph: parses their parameters; a kernel splits the words.

import { category } from '../../regex/characters.ts';
import { StageId, WordDelimiterConfig } from '../../wasm/generated/analysis.ts';
import { joinConfigs, recordBytes, termSet, words } from '../blob.ts';
import { splitRule, unescapeRule } from '../char-filters/mapping.ts';
import { type BuildContext, type ComponentEntry, type FilterFactory, kernelFilter, type TokenFilter } from '../component.ts';
import { atLine, lowerCodePoints, ruleLines, runtimeError, wordSet } from '../languages/word-lists.ts';
import { filterEntry } from './kernel-filters.ts';

const [LOWER, UPPER, DIGIT, DELIMITER] = [1, 2, 4, 8];
const ALPHA = LOWER | UPPER;
const ALPHANUM = ALPHA | DIGIT;

const TYPE_NAMES: Readonly<Record<string, number>> = { LOWER, UPPER, ALPHA, DIGIT, ALPHANUM, SUBWORD_DELIM: DELIMITER };

/** Flags of the kernel and their defaults. */
const FLAGS: readonly (readonly [name: string, flag: number, isOn: boolean])[] = [
  ['generate_word_parts', 1, true],
  ['generate_number_parts', 2, true],
  ['catenate_words', 4, false],
  ['catenate_numbers', 8, false],
  ['catenate_all', 16, false],
  ['split_on_case_change', 32, true],
  ['preserve_original', 64, false],
  ['split_on_numerics', 128, true],
  ['stem_english_possessive', 256, true],
  ['ignore_keywords', 512, false],
];
const GRAPH = 1024;
const ADJUST_OFFSETS = 2048;
/** Protected words are in lower case and match words in any case. */
const ANY_CASE = 4096;

/** Types of UTF-16 units that a definition overrides. */
type TypeTable = ReadonlyMap<number, number>;

/** Type of one of the first 256 units: with a type table the general rules apply; without one there are only letters and digits. */
function lowType(unit: number, types: TypeTable): number {
  const kind = category(unit);
  if (kind === 1) return types.get(unit) ?? UPPER;
  if (kind === 2) return types.get(unit) ?? LOWER;
  if (!types.size) return kind === 9 ? DIGIT : unit === 0xaa || unit === 0xba ? LOWER : DELIMITER;
  return types.get(unit) ?? (kind >= 3 && kind <= 8 ? ALPHA : kind >= 9 && kind <= 11 ? DIGIT : DELIMITER);
}

/** Config of the word delimiter stage. */
export function wordDelimiterConfig(flags: number, types: TypeTable, protectedWords: Iterable<string>): Uint8Array {
  const high = [...types].filter(([unit]) => unit > 255).sort((a, b) => a[0] - b[0]);
  const low = Uint8Array.from({ length: 256 }, (_, unit) => lowType(unit, types));
  return joinConfigs([
    recordBytes(WordDelimiterConfig, { flags, exceptionCount: high.length }, low),
    words(high.flat()),
    termSet(protectedWords),
  ]);
}

// --- parameters

function typeTable(context: BuildContext): TypeTable {
  const table = new Map<number, number>();
  for (const line of ruleLines(context, 'type_table') ?? []) {
    const fail = (what: string) => runtimeError(`Line [${line.number}]: Invalid mapping rule: [${line.text}]${what}`);
    const sides = splitRule(line.text);
    if (!sides) throw fail('');
    const from = atLine(line.number, () => unescapeRule(sides[0]));
    const type = TYPE_NAMES[sides[1]];
    if (from.length !== 1) throw fail('. Only a single character is allowed.');
    if (type === undefined) throw fail('. Illegal type.');
    table.set(from.charCodeAt(0), type);
  }
  return table;
}

function delimiterFilter(context: BuildContext, kind: number): TokenFilter {
  const { settings } = context;
  const types = typeTable(context);
  const whole = wordSet(context, 'protected_words') ?? { words: [], ignoreCase: false };
  const start = whole.ignoreCase ? kind | ANY_CASE : kind;
  const flags = FLAGS.reduce((sum, [name, flag, isOn]) => sum | (settings.bool(name, isOn) ? flag : 0), start);
  const words = whole.ignoreCase ? whole.words.map(lowerCodePoints) : whole.words;
  return kernelFilter(StageId.WORD_DELIMITER, wordDelimiterConfig(flags, types, words));
}

const PARAMS = [
  ...FLAGS.map(([name, , isOn]) => `${name}: bool = ${isOn}`),
  'protected_words: list',
  'protected_words_path: string',
  'protected_words_case: bool = false',
  'type_table: list',
  'type_table_path: string',
];

export const WORD_DELIMITER_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry('word_delimiter', PARAMS, (context) => delimiterFilter(context, 0), { inSynonymRules: 'refused' }),
  filterEntry(
    'word_delimiter_graph',
    [...PARAMS, 'adjust_offsets: bool = true'],
    (context) => delimiterFilter(context, GRAPH | (context.settings.bool('adjust_offsets', true) ? ADJUST_OFFSETS : 0)),
    { inSynonymRules: 'refused' },
  ),
];
