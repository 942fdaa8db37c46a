// Recursive graph bisection on plain documents, as assembly/buffer/bisect.ts does it.
const LEAF_DOCS = 32;
const MAX_ROUNDS = 12;
const LOG_ENTRIES = 4096;

function log2(value: number): number {
  let shift = 0;
  for (; value >= LOG_ENTRIES; value >>>= 1) shift++;
  return Math.fround(Math.fround(Math.log2(value)) + shift);
}

interface Item {
  readonly doc: number;
  readonly bias: number;
}

/** @param terms the terms of each document, by number, ascending @returns the documents in their new order */
export function bisectOrder(terms: readonly (readonly number[])[]): number[] {
  const order = (items: readonly Item[]): number[] => {
    if (items.length <= LEAF_DOCS) return items.map(({ doc }) => doc).sort((a, b) => a - b);
    const halves = split(items);
    return halves.flatMap(order);
  };
  const split = (items: readonly Item[]): Item[][] => {
    let current = [...items].sort((a, b) => a.bias - b.bias || a.doc - b.doc);
    const middle = current.length >> 1;
    const sideOf = (index: number): number => Number(index >= middle);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const counts = [new Map<number, number>(), new Map<number, number>()];
      for (const [i, { doc }] of current.entries()) {
        const half = counts[sideOf(i)];
        for (const term of terms[doc]) half.set(term, (half.get(term) ?? 0) + 1);
      }
      const gain = (term: number): number => {
        const [left, right] = counts.map((half) => log2((half.get(term) ?? 0) + 1));
        return Math.fround(right - left);
      };
      const keys = current.map(({ doc }, i) => {
        let bias = sideOf(i) === 0 ? -round / 2 : round / 2;
        for (const term of terms[doc]) bias = Math.fround(bias + gain(term));
        return { doc, bias, side: sideOf(i) };
      });
      keys.sort((a, b) => a.bias - b.bias || a.side - b.side || a.doc - b.doc);
      current = keys;
      if (keys.every(({ side }, i) => side === sideOf(i))) break;
    }
    return [current.slice(0, middle), current.slice(middle)];
  };
  return order(terms.map((_, doc) => ({ doc, bias: 0 })));
}
