// Two-stage tables: value(cp) = blocks[(index[cp >> shift] << shift) + (cp & mask)], and their source text for assembly/.

export interface Trie {
  shift: number;
  /** Block number per code point block; trimmed behind the last block that is not the default one. */
  index: number[];
  blocks: number[];
  limit: number;
}

/** Smallest of a few block sizes. Values behind `limit` are all equal to values[0x10ffff] (0 in every table here). */
export function buildTrie(values: ArrayLike<number>): Trie {
  let best: Trie | null = null;
  for (const shift of [4, 5, 6, 7, 8]) {
    const size = 1 << shift;
    const seen = new Map<string, number>();
    const index: number[] = [];
    const blocks: number[] = [];
    for (let start = 0; start < 0x110000; start += size) {
      const block = Array.from({ length: size }, (_, i) => values[start + i]);
      const key = block.join(',');
      if (!seen.has(key)) {
        seen.set(key, seen.size);
        blocks.push(...block);
      }
      index.push(seen.get(key)!);
    }
    let end = index.length;
    while (end > 0 && blocks.slice(index[end - 1] << shift, (index[end - 1] + 1) << shift).every((v) => v === 0)) end--;
    index.length = end;
    const trie = { shift, index, blocks, limit: end << shift };
    if (!best || sizeOf(trie) < sizeOf(best)) best = trie;
  }
  return best!;
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
