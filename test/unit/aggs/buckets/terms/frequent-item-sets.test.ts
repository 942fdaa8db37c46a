/** frequent_item_sets: the miner against all subsets, and the aggregation. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closedItemSets } from '../../../../../src/aggs/buckets/terms/item-sets.ts';
import { openRestNode, type RestNode } from '../../../../support/rest-node.ts';
import { Rng } from '../../../../support/rng.ts';

/** Closed sets of all subsets of the items. */
function plain(transactions: readonly number[][], itemCount: number, minCount: number, minSize: number): string[] {
  const counts = new Map<number, number>();
  for (let set = 1; set < 1 << itemCount; set++) {
    const items = Array.from({ length: itemCount }, (_, i) => i).filter((i) => (set >> i) & 1);
    counts.set(set, transactions.filter((transaction) => items.every((item) => transaction.includes(item))).length);
  }
  const isClosed = (set: number, count: number) =>
    !Array.from({ length: itemCount }, (_, i) => i).some((i) => !((set >> i) & 1) && counts.get(set | (1 << i)) === count);
  return [...counts]
    .filter(([set, count]) => count >= minCount && isClosed(set, count))
    .map(([set, count]) => ({ items: Array.from({ length: itemCount }, (_, i) => i).filter((i) => (set >> i) & 1), count }))
    .filter(({ items }) => items.length >= minSize)
    .map(({ items, count }) => `${count}:${items.join(',')}`)
    .sort();
}

describe('the miner', () => {
  test('finds the closed sets among all subsets', () => {
    const rng = new Rng(7);
    for (let round = 0; round < 30; round++) {
      const itemCount = rng.int(1, 7);
      const transactions = Array.from({ length: rng.int(0, 40) }, () =>
        Array.from({ length: itemCount }, (_, i) => i).filter(() => rng.bool(0.6)),
      );
      const [minCount, minSize] = [rng.int(1, 5), rng.int(1, 3)];
      const found = closedItemSets(transactions, itemCount, { minCount, minSize, size: 1000 });
      expect(found.map(({ items, count }) => `${count}:${items.join(',')}`).sort()).toEqual(
        plain(transactions, itemCount, minCount, minSize),
      );
    }
  });
  test('returns the same best sets as an unlimited search', () => {
    const rng = new Rng(8);
    const transactions = Array.from({ length: 200 }, () => Array.from({ length: 14 }, (_, i) => i).filter(() => rng.bool(0.7)));
    const all = closedItemSets(transactions, 14, { minCount: 2, minSize: 2, size: 100_000 });
    expect(closedItemSets(transactions, 14, { minCount: 2, minSize: 2, size: 3 })).toEqual(all.slice(0, 3));
    expect(all.length).toBeGreaterThan(500);
  });
});

describe('the aggregation', () => {
  let node: RestNode;
  beforeAll(async () => {
    node = await openRestNode();
    const properties = { what: { type: 'keyword' }, city: { type: 'keyword' }, day: { type: 'date' }, n: { type: 'integer' } };
    await node.ok('PUT /orders', { mappings: { properties } });
    const docs = [
      { what: ['milk', 'bread'], city: 'Oslo', n: 1, day: '2024-01-01' },
      { what: ['milk', 'bread'], city: 'Oslo', n: 1, day: '2024-01-01' },
      { what: ['milk'], city: 'Bern', n: 1 },
      { what: ['salt'], city: 'Rome', n: 2 },
    ];
    for (const [i, doc] of docs.entries()) await node.ok(`PUT /orders/_doc/${i}?refresh=true`, doc);
  });
  afterAll(() => node.close());
  const sets = async (params: object) =>
    (await node.ok('POST /orders/_search?size=0', { aggs: { s: { frequent_item_sets: params } } })).aggregations.s.buckets;

  test('orders sets of values by their documents', async () => {
    const buckets = await sets({ fields: [{ field: 'what' }, { field: 'city' }], minimum_support: 0.5 });
    expect(buckets).toEqual([
      { key: { what: ['milk'] }, doc_count: 3, support: 0.75 },
      { key: { what: ['bread', 'milk'], city: ['Oslo'] }, doc_count: 2, support: 0.5 },
    ]);
  });
  test('supports numbers, dates, a filter, a minimum size and excluded values', async () => {
    const [first] = await sets({ fields: [{ field: 'n' }, { field: 'day' }], minimum_set_size: 2, minimum_support: 0.1 });
    expect(first).toEqual({ key: { n: [1], day: ['2024-01-01T00:00:00.000Z'] }, doc_count: 2, support: 0.5 });
    const filtered = await sets({ fields: [{ field: 'what', exclude: ['milk'] }], filter: { term: { city: 'Oslo' } } });
    expect(filtered).toEqual([{ key: { what: ['bread'] }, doc_count: 2, support: 1 }]);
  });
  test('checks its parameters', async () => {
    for (const params of [{ fields: [] }, { fields: [{ field: 'what' }], minimum_support: 2 }, { fields: [{ field: 'what' }], size: 0 }])
      expect((await node.send('POST /orders/_search', { aggs: { s: { frequent_item_sets: params } } })).status).toBe(400);
  });
});
