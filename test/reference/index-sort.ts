// The order of index.sort on plain documents.
import type { PlainDocument } from './segment.ts';

export interface PlainSortKey {
  readonly field: string;
  readonly descending: boolean;
  readonly greatest: boolean;
  readonly missingFirst: boolean;
}

type Value = bigint | number | Buffer;

const before = (a: Value, b: Value): number => {
  if (a instanceof Buffer) return Buffer.compare(a, b as Buffer);
  // -0 sorts before 0.
  if (a === 0 && b === 0) return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
  return a < b ? -1 : a > b ? 1 : 0;
};

/** Documents in the order of the keys; equal ones keep their order. */
export function sortDocuments(documents: readonly PlainDocument[], keys: readonly PlainSortKey[]): PlainDocument[] {
  const valueOf = (document: PlainDocument, { field, greatest }: PlainSortKey): Value | null => {
    const words = document.keywords[field]?.map((word) => Buffer.from(word));
    const values: Value[] = [...(words ?? document.integers[field] ?? document.doubles[field] ?? [])].sort(before);
    return (greatest ? values.at(-1) : values[0]) ?? null;
  };
  return [...documents].sort((a, b) => {
    for (const key of keys) {
      const left = valueOf(a, key);
      const right = valueOf(b, key);
      let order: number;
      if (left === null || right === null) order = (Number(left === null) - Number(right === null)) * (key.missingFirst ? -1 : 1);
      else order = before(left, right) * (key.descending ? -1 : 1);
      if (order !== 0) return order;
    }
    return 0;
  });
}
