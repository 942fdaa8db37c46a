// Words as Java's BreakIterator finds them for Thai: runs by rules, and runs of Thai letters by a dictionary. Both are tables for the kernel
// (assembly/analysis/tokenizers/thai.ts). The dictionary is ICU's (thai-trie.ts), which finds about nine words in ten as the recorded server does.
// Source of the rules: the documentation of java.text.BreakIterator's word instance, checked against the recorded answers.
import { joinConfigs, words } from '../blob.ts';
import { type CategoryRun, categoryRuns } from '../characters.ts';
import type { Tokenizer } from '../component.ts';
import { compileMachines, type Machines } from '../regex/machine.ts';
import { parseJavaRegex } from '../regex/parser.ts';
import type { Node } from '../regex/syntax.ts';
import { STAGE } from '../stage-ids.ts';
import { thaiTrie } from './thai-trie.ts';

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
 * Marks and format characters, which belong to what is before them, but the soft hyphen and marks of kana and Thai. Of each run of them above
 * U+FFFF Java's table leaves the last one out: the virama of Chakma, U+11134, ends a word.
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

/** What a text is cut into: the longest match at each place, which is a code point at least. */
export function thaiRules(): Node {
  const ignored = repeat(parseJavaRegex(ignoredClass(), 0).node, 0);
  /** A character of a class of Java's expressions, with what belongs to it. */
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

const CODE_POINTS = 0x110000;
/** Code points that share an entry of the index of classes. */
const BLOCK = 128;

/** Classes of code points in blocks, equal ones once. */
function classBlocks({ ascii, ranges }: Machines): { index: Uint8Array; blocks: Uint8Array } {
  const classOf = new Uint8Array(CODE_POINTS);
  classOf.set(ascii);
  ranges.forEach(([first, cls], i) => {
    classOf.fill(cls, first, ranges[i + 1]?.[0] ?? CODE_POINTS);
  });
  // Most blocks lie within a range.
  const isMixed = new Uint8Array(CODE_POINTS / BLOCK);
  isMixed.fill(1, 0, 128 / BLOCK);
  for (const [first] of ranges) isMixed[Math.floor(first / BLOCK)] = 1;
  const numbers = new Map<string, number>();
  const blocks: Uint8Array[] = [];
  const index = new Uint8Array((CODE_POINTS / BLOCK) * 2);
  const view = new DataView(index.buffer);
  for (let at = 0; at < CODE_POINTS; at += BLOCK) {
    const block = classOf.subarray(at, at + BLOCK);
    const key = isMixed[at / BLOCK] ? String.fromCharCode(...block) : String.fromCharCode(block[0]).repeat(BLOCK);
    let number = numbers.get(key);
    if (number === undefined) {
      number = blocks.push(block) - 1;
      numbers.set(key, number);
    }
    view.setUint16((at / BLOCK) * 2, number, true);
  }
  return { index, blocks: joinConfigs(blocks) };
}

const HEADER_BYTES = 16;

/** Config of the stage; the blocks have a multiple of four bytes. */
function thaiConfig(): Uint8Array {
  const machines = compileMachines([thaiRules()]);
  const { index, blocks } = classBlocks(machines);
  const trie = words([...thaiTrie()]);
  const blocksAt = HEADER_BYTES + index.length;
  const trieAt = blocksAt + blocks.length;
  return words(
    [trieAt, trieAt + trie.length, machines.classCount, blocksAt],
    joinConfigs([index, blocks, trie, Uint8Array.from([...machines.tables[0]].flatMap((state) => [state & 255, state >> 8]))]),
  );
}

let tokenizer: Tokenizer | null = null;

/** Its tables, a third of a megabyte, are made once. */
export function thaiTokenizer(): Tokenizer {
  tokenizer ??= { kind: 'kernel', stage: { id: STAGE.THAI, config: thaiConfig() } };
  return tokenizer;
}
