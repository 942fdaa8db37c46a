// Buckets of integers beyond 2^53, which are stored as small distances from the least value of a segment: whichever segments hold the documents.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';
import { Rng } from '../../support/rng.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

const FIELDS: Readonly<Record<string, readonly [type: string, values: readonly bigint[]]>> = {
  small: ['unsigned_long', [0n, 1n, 2n, 300n]],
  wide: ['unsigned_long', [0n, 1n, 2n, 2n ** 53n - 1n]],
  greatest: ['unsigned_long', [2n ** 64n - 4097n, 2n ** 64n - 2049n, 2n ** 64n - 1n]],
  long: ['long', [-(2n ** 53n) + 1n, -1n, 0n, 1n, 2n ** 53n - 1n]],
  apart: ['long', [-(2n ** 62n) - 1n, 2n ** 10n + 1n, 2n ** 62n + 1537n]],
  far: ['long', [2n ** 60n + 101n, 2n ** 60n + 161n, 2n ** 60n + 4097n]],
};
const NAMES = Object.keys(FIELDS);
const INTERVALS: Readonly<Record<string, number>> = { small: 2, wide: 2, greatest: 2048, long: 2, apart: 512, far: 128 };

/** The buckets of histograms, by their keys as doubles. */
function histogram(docs: readonly Doc[], name: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const doc of docs) {
    const keys = new Set(doc[name].map((value) => Math.floor(Number(value) / INTERVALS[name]) * INTERVALS[name]));
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

type Doc = Readonly<Record<string, readonly bigint[]>>;

/** Documents in segments of random sizes. */
async function fill(index: string, seed: number): Promise<Doc[]> {
  const rng = new Rng(seed);
  const properties = Object.fromEntries(NAMES.map((name) => [name, { type: FIELDS[name][0] }]));
  await node.ok(`PUT /${index}`, { mappings: { properties } });
  const docs: Doc[] = [];
  for (let d = 0; d < 30; d++) {
    const doc = Object.fromEntries(NAMES.map((name) => [name, rng.shuffle([...FIELDS[name][1]]).slice(0, rng.pick([0, 1, 1, 2]))]));
    docs.push(doc);
    const source = NAMES.map((name) => `"${name}":[${doc[name].join(',')}]`).join(',');
    await node.ok(`PUT /${index}/_doc/${d}`, `{${source}}`);
    if (rng.bool(0.4) || d === 29) await node.ok(`POST /${index}/_refresh`);
  }
  return docs;
}

test.each([1, 2, 3, 4, 5, 6])('histograms, ranges and missing values, with the segments of seed %d', async (seed) => {
  const index = `numbers${seed}`;
  const docs = await fill(index, seed);
  for (const name of NAMES) {
    const wanted = histogram(docs, name);
    const middle = Number(FIELDS[name][1][1]);
    const sources = [{ key: { terms: { field: name, missing_bucket: true } } }];
    const { json, text } = await node.send(`POST /${index}/_search?size=0`, {
      aggs: {
        // Empty buckets between distant values would be too many.
        histogram: { histogram: { field: name, interval: INTERVALS[name], min_doc_count: 1 } },
        ranges: { range: { field: name, ranges: [{ to: middle }, { from: middle }] } },
        composite: { composite: { size: 100, sources: [{ key: { histogram: { field: name, interval: INTERVALS[name] } } }] } },
        terms: { composite: { size: 100, sources } },
      },
    });
    const { aggregations } = json;
    if (!aggregations) throw new Error(text);
    const counts = (buckets: { key: number; doc_count: number }[]) => new Map(buckets.map(({ key, doc_count }) => [key, doc_count]));
    expect(counts(aggregations.histogram.buckets), name).toEqual(wanted);
    expect(new Map(aggregations.composite.buckets.map(({ key, doc_count }: any) => [key.key, doc_count])), name).toEqual(wanted);
    // Ranges of unsigned_long compare integers, those of long doubles.
    const comparable = (value: bigint) => (FIELDS[name][0] === 'long' ? Number(value) : value);
    const having = (accept: (value: bigint | number) => boolean) =>
      docs.filter((doc) => doc[name].some((value) => accept(comparable(value)))).length;
    expect(
      aggregations.ranges.buckets.map(({ doc_count }: any) => doc_count),
      name,
    ).toEqual([having((value) => value < middle), having((value) => value >= middle)]);
    const missing = aggregations.terms.buckets.find(({ key }: any) => key.key === null)?.doc_count ?? 0;
    expect(missing, name).toBe(docs.filter((doc) => doc[name].length === 0).length);
  }
});
