// Two-stage tables: value(cp) = blocks[(index[cp >> shift] << shift) + (cp & mask)], and their source text for assembly/.
import { Numbering } from './numbering.ts';

export interface Trie {
  shift: number;
  /** Block number per code point block; trimmed after the last block that is not the default one. */
  index: number[];
  blocks: number[];
  limit: number;
}

/** The smallest trie of a few block sizes. Values from `limit` on all equal values[0x10ffff] (0 in every table here). */
export function buildTrie(values: ArrayLike<number>): Trie {
  return [4, 5, 6, 7, 8].map((shift) => trieOf(values, shift)).reduce((best, trie) => (sizeOf(trie) < sizeOf(best) ? trie : best));
}

function trieOf(values: ArrayLike<number>, shift: number): Trie {
  const size = 1 << shift;
  const seen = new Numbering<string>();
  const index: number[] = [];
  const blocks: number[] = [];
  for (let start = 0; start < 0x110000; start += size) {
    const block = Array.from({ length: size }, (_, i) => values[start + i]);
    const number = seen.of(block.join(','));
    if (number === blocks.length >> shift) blocks.push(...block);
    index.push(number);
  }
  let end = index.length;
  while (end > 0 && blocks.slice(index[end - 1] << shift, (index[end - 1] + 1) << shift).every((v) => v === 0)) end--;
  index.length = end;
  return { shift, index, blocks, limit: end << shift };
}

function sizeOf(trie: Trie): number {
  return trie.index.length * (Math.max(...trie.index) > 255 ? 2 : 1) + trie.blocks.length;
}

export function dataLine(name: string, type: string, values: ArrayLike<number>): string {
  return `const ${name} = memory.data<${type}>([${Array.from(values).join(',')}]);\n`;
}

/** Source of a lookup function over a trie: `fn(cp)` returns 0 for code points without an entry. Cost: two loads. */
export function trieSource(fn: string, doc: string, trie: Trie, prefix: string): string {
  const wide = Math.max(...trie.index) > 255;
  return (
    dataLine(`${prefix}_INDEX`, wide ? 'u16' : 'u8', trie.index) +
    dataLine(`${prefix}_BLOCKS`, 'u8', trie.blocks) +
    `/** ${doc} */\n// @ts-ignore: decorator\n@inline\nexport function ${fn}(cp: u32): u32 {\n` +
    `  if (cp >= ${trie.limit}) return 0;\n` +
    `  const block = <u32>load<${wide ? 'u16' : 'u8'}>(${prefix}_INDEX + (<usize>(cp >> ${trie.shift})${wide ? ' << 1' : ''}));\n` +
    `  return load<u8>(${prefix}_BLOCKS + <usize>((block << ${trie.shift}) + (cp & ${(1 << trie.shift) - 1})));\n}\n`
  );
}
