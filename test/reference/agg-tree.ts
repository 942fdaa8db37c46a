// Aggregation trees evaluated one document at a time, by definition: the expected results of the kernels. Columns are lists of values per document.

export interface RefSource {
  readonly docs: ReadonlyArray<ReadonlyArray<number>>;
  readonly missing: number | null;
}

export type RefNode =
  | { op: 'terms' | 'histogram' | 'fixed'; source: RefSource; keyOf: (value: number) => number | null; children: RefNode[] }
  | { op: 'ranges'; source: RefSource; ranges: ReadonlyArray<{ from: number; to: number }>; children: RefNode[] }
  | { op: 'filters'; filters: ReadonlyArray<(doc: number) => boolean>; other: boolean; children: RefNode[] }
  | { op: 'missing'; source: RefSource; children: RefNode[] }
  | { op: 'nested'; isParent: (doc: number) => boolean; isChild: (doc: number) => boolean; children: RefNode[] }
  | { op: 'reverse'; isParent: (doc: number) => boolean; children: RefNode[] }
  | { op: 'stats'; source: RefSource; children: RefNode[] }
  | { op: 'docs'; children: RefNode[] };

/** A plain object per node: buckets by key with count and children, or a metric's figures. */
export type RefResult = unknown;

export function evaluate(node: RefNode, docs: readonly number[]): RefResult {
  switch (node.op) {
    case 'docs':
      return [...docs];
    case 'stats': {
      const values = docs.flatMap((doc) => valuesOf(node.source, doc));
      const sum = kahan(values);
      return { count: values.length, sum, min: Math.min(...values), max: Math.max(...values) };
    }
    case 'terms':
    case 'histogram':
    case 'fixed':
      return grouped(node.children, docs, (doc) =>
        valuesOf(node.source, doc)
          .map(node.keyOf)
          .filter((key) => key !== null),
      );
    case 'ranges':
      return grouped(node.children, docs, (doc) =>
        valuesOf(node.source, doc).flatMap((value) => node.ranges.flatMap((r, i) => (value >= r.from && value < r.to ? [i] : []))),
      );
    case 'filters':
      return grouped(node.children, docs, (doc) => {
        const hits = node.filters.flatMap((filter, i) => (filter(doc) ? [i] : []));
        return hits.length === 0 && node.other ? [node.filters.length] : hits;
      });
    case 'missing':
      return grouped(node.children, docs, (doc) => (node.source.docs[doc].length === 0 ? [0] : []));
    case 'nested': {
      const children: number[] = [];
      for (const doc of docs) {
        let child = doc - 1;
        const block: number[] = [];
        while (child >= 0 && !node.isParent(child)) block.unshift(child--);
        children.push(...block.filter(node.isChild));
      }
      return grouped(node.children, children, () => [0]);
    }
    case 'reverse': {
      const parents = docs.map((doc) => {
        let parent = doc;
        while (!node.isParent(parent)) parent++;
        return parent;
      });
      return grouped(node.children, [...new Set(parents)], () => [0]);
    }
  }
}

function grouped(children: readonly RefNode[], docs: readonly number[], keysOf: (doc: number) => readonly number[]): RefResult {
  const groups = new Map<number, number[]>();
  for (const doc of docs) {
    for (const key of new Set(keysOf(doc))) {
      const group = groups.get(key);
      if (group) group.push(doc);
      else groups.set(key, [doc]);
    }
  }
  const result: Record<string, unknown> = {};
  for (const key of [...groups.keys()].sort((a, b) => a - b)) {
    const group = groups.get(key)!;
    result[String(key)] = { count: group.length, children: children.map((child) => evaluate(child, group)) };
  }
  return result;
}

function valuesOf(source: RefSource, doc: number): readonly number[] {
  const values = source.docs[doc];
  return values.length === 0 && source.missing !== null ? [source.missing] : values;
}

/** Lucene's CompensatedSum. */
function kahan(values: readonly number[]): number {
  let sum = 0;
  let delta = 0;
  for (const value of values) {
    const corrected = value + delta;
    const updated = sum + corrected;
    delta = corrected - (updated - sum);
    sum = updated;
  }
  return sum;
}
