// Words as Java's BreakIterator finds them for Thai: parts cut by rules, and runs of Thai letters cut by a dictionary. Both are tables for the kernel
// (assembly/analysis/tokenizers/thai.ts). The dictionary is ICU's (thai-trie.ts); about nine words in ten are the recorded server's.
// tools/thai-rules.ts generates the tables of the rules.

import { StageId, ThaiConfig } from '../../wasm/generated/analysis.ts';
import { joinConfigs, recordBytes } from '../blob.ts';
import type { Tokenizer } from '../component.ts';
import { CLASS_COUNT, CLASSES, STATES } from '../generated/thai-rules.ts';
import { thaiTrie } from './thai-trie.ts';

const CODE_POINTS = 0x110000;
/** Code points that share an entry of the index of classes. */
const BLOCK = 128;

/** Class of each code point. */
function classTable(): Uint8Array {
  const classes = new Uint8Array(CODE_POINTS);
  let at = 0;
  for (const [, length, cls] of CLASSES.matchAll(/([0-9a-z]+)([A-Z])/g)) {
    const end = at + Number.parseInt(length, 36);
    classes.fill(cls.charCodeAt(0) - 65, at, end);
    at = end;
  }
  return classes;
}

/** Classes of code points in blocks, with equal blocks shared. */
function classBlocks(): { index: Uint8Array; blocks: Uint8Array } {
  const classes = new Uint32Array(classTable().buffer);
  const numbers = new Map<string, number>();
  const blocks: Uint32Array[] = [];
  const index = new Uint8Array((CODE_POINTS / BLOCK) * 2);
  const view = new DataView(index.buffer);
  let number = -1;
  for (let at = 0; at < CODE_POINTS; at += BLOCK) {
    const block = classes.subarray(at >> 2, (at + BLOCK) >> 2);
    // Most blocks equal the one before.
    if (number < 0 || !blocks[number].every((word, i) => word === block[i])) {
      const key = block.join();
      number = numbers.get(key) ?? blocks.push(block) - 1;
      numbers.set(key, number);
    }
    view.setUint16((at / BLOCK) * 2, number, true);
  }
  return { index, blocks: joinConfigs(blocks.map((block) => new Uint8Array(block.buffer, block.byteOffset, block.byteLength))) };
}

/** Config of the stage. The size of the blocks is a multiple of four bytes. */
function thaiConfig(): Uint8Array {
  const { index, blocks } = classBlocks();
  const entries = thaiTrie();
  const trie = new Uint8Array(entries.buffer, 0, entries.byteLength);
  const blocksAt = ThaiConfig.sizeof + index.length;
  const trieAt = blocksAt + blocks.length;
  return recordBytes(
    ThaiConfig,
    { trieOff: trieAt, statesOff: trieAt + trie.length, classCount: CLASS_COUNT, blocksOff: blocksAt },
    joinConfigs([index, blocks, trie, new Uint8Array(Uint16Array.from(STATES).buffer)]),
  );
}

let tokenizer: Tokenizer | null = null;

/** The tokenizer; its tables, a third of a megabyte, are built once. */
export function thaiTokenizer(): Tokenizer {
  tokenizer ??= { kind: 'kernel', stage: { id: StageId.THAI, config: thaiConfig() } };
  return tokenizer;
}
