// variable_width_histogram against a simple way of joining neighbours; buckets of one segment that become one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clusterValues } from '../../../../../src/aggs/buckets/histograms/variable-width.ts';
import { openRestNode, type RestNode } from '../../../../support/rest-node.ts';
import { forSeeds } from '../../../../support/rng.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
});

afterAll(() => node.close());

/** Examines every pair of neighbours for each join. */
function plainClusters(values: Array<{ value: number; count: number }>, most: number) {
  const clusters = values.map(({ value, count }) => ({ min: value, max: value, docCount: count, sum: value * count }));
  while (clusters.length > most) {
    let nearest = 0;
    const distance = (i: number) => clusters[i + 1].sum / clusters[i + 1].docCount - clusters[i].sum / clusters[i].docCount;
    for (let i = 1; i + 1 < clusters.length; i++) if (distance(i) < distance(nearest)) nearest = i;
    const [a, b] = clusters.splice(nearest, 2);
    clusters.splice(nearest, 0, { min: a.min, max: b.max, docCount: a.docCount + b.docCount, sum: a.sum + b.sum });
  }
  return clusters;
}

test('clusters equal those of a simple implementation', () =>
  forSeeds(200, (rng) => {
    const values = [...new Set(Array.from({ length: rng.int(0, 40) }, () => rng.int(-100, 1000)))]
      .sort((a, b) => a - b)
      .map((value) => ({ value, count: rng.int(1, 5) }));
    const most = rng.int(1, 12);
    expect(clusterValues(values, most).map(({ min, max, docCount, sum }) => ({ min, max, docCount, sum }))).toEqual(
      plainClusters(values, most),
    );
  }));

test('buckets have bounds and sub-aggregations, in one segment and in several', async () => {
  const values = [1, 2, 2, 3, 50, 51, 52, 900];
  await node.ok('PUT /v', { mappings: { properties: { n: { type: 'integer' }, tag: { type: 'keyword' } } } });
  for (const [i, n] of values.entries()) await node.ok(`PUT /v/_doc/${i}?refresh=true`, { n, tag: i % 2 ? 'odd' : 'even' });
  const aggs = { w: { variable_width_histogram: { field: 'n', buckets: 3 }, aggs: { tags: { terms: { field: 'tag' } } } } };
  const several = await node.ok('POST /v/_search', { size: 0, aggs });
  await node.ok('POST /v/_forcemerge?max_num_segments=1');
  const one = await node.ok('POST /v/_search', { size: 0, aggs });
  expect(one.aggregations).toEqual(several.aggregations);
  expect(
    one.aggregations.w.buckets.map(({ tags, ...bucket }: { tags: { buckets: Array<{ key: string; doc_count: number }> } }) => [
      bucket,
      tags.buckets.map(({ key, doc_count }) => `${key}:${doc_count}`),
    ]),
  ).toEqual([
    [{ min: 1, key: 2, max: 3, doc_count: 4 }, ['even:2', 'odd:2']],
    [{ min: 50, key: 51, max: 52, doc_count: 3 }, ['even:2', 'odd:1']],
    [{ min: 900, key: 900, max: 900, doc_count: 1 }, ['odd:1']],
  ]);
});

test('sub-aggregations of auto_date_histogram in one segment count each term once', async () => {
  const operations = Array.from({ length: 8 }, (_, i) => [{ index: {} }, { at: `2024-01-01T0${i}:00:00Z`, tag: i % 2 ? 'a' : 'b' }]).flat();
  await node.ok('PUT /d', { mappings: { properties: { at: { type: 'date' }, tag: { type: 'keyword' } } } });
  await node.ok('POST /d/_bulk?refresh=true', operations);
  const aggs = { tags: { terms: { field: 'tag' } }, distinct: { cardinality: { field: 'tag' } } };
  const { aggregations } = await node.ok('POST /d/_search', {
    size: 0,
    aggs: { d: { auto_date_histogram: { field: 'at', buckets: 1 }, aggs } },
  });
  const [bucket] = aggregations.d.buckets;
  expect(bucket.tags.buckets).toEqual([
    { key: 'a', doc_count: 4 },
    { key: 'b', doc_count: 4 },
  ]);
  expect(bucket.distinct.value).toBe(2);
});

test.each([
  [{ field: 'n', buckets: 0 }, '[buckets] must be greater than 0 for [w]'],
  [{ field: 'n', shard_size: 1 }, 'shard_size must be greater than [1] for [w]'],
])('%j is refused', async (body, reason) => {
  const { status, text } = await node.send('POST /v/_search', { aggs: { w: { variable_width_histogram: body } } });
  expect([status, text.includes(reason)]).toEqual([400, true]);
});
