// `wait_for_completion=false` of operations on indices, and intervals, filters and counts of terms as the servers understand them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs', {
    settings: { number_of_replicas: 0 },
    mappings: { properties: { t: { type: 'text' }, k: { type: 'keyword' } } },
  });
  await node.ok('POST /docs/_bulk?refresh=true', [
    { index: { _id: '1' } },
    { t: 'cold and wet it was', k: 'a' },
    { index: { _id: '2' } },
    { t: 'it was wet when cold', k: 'b' },
    { index: { _id: '3' } },
    { t: 'cold it is when wet', k: 'c' },
  ]);
});
afterAll(() => node.close());

const finished = async (task: string) => (await node.ok(`GET /_tasks/${task}?wait_for_completion=true&timeout=60s`)) as any;

test('resizing, opening and merging go on as tasks', async () => {
  await node.ok('PUT /docs/_settings', { 'index.blocks.write': true });
  for (const [line, body] of [
    ['POST /docs/_clone/cloned?wait_for_completion=false', undefined],
    ['POST /docs/_split/split?wait_for_completion=false', { settings: { 'index.number_of_shards': 2 } }],
    ['POST /docs/_forcemerge?wait_for_completion=false', undefined],
    ['POST /docs/_open?wait_for_completion=false', undefined],
  ] as const) {
    const { task } = await node.ok(line, body);
    const done = await finished(task);
    expect([done.completed, done.error], line).toEqual([true, undefined]);
  }
  await node.ok('PUT /docs/_settings', { 'index.blocks.write': false });
  expect((await node.ok('GET /cloned/_count')).count).toBe(3);
  expect((await node.ok('GET /split/_count')).count).toBe(3);
});

test('a task of a resize that fails reports its error', async () => {
  const { task } = await node.ok('POST /docs/_clone/other?wait_for_completion=false');
  expect((await finished(task)).error.type).toBe('illegal_state_exception');
});

const ids = async (rule: object): Promise<string[]> => {
  const { hits } = await node.ok('POST /docs/_search', { query: { intervals: { t: rule } } });
  return hits.hits.map(({ _id }: { _id: string }) => _id).sort();
};

test('unordered_no_overlap puts each source before or after all previous ones, never between them', async () => {
  expect(await ids({ match: { query: 'cold wet it', mode: 'unordered' } })).toEqual(['1', '2', '3']);
  expect(await ids({ match: { query: 'cold wet it', mode: 'unordered_no_overlap' } })).toEqual(['1', '2']);
  const many = 'cold and wet it was when';
  expect(await ids({ match: { query: many, mode: 'unordered_no_overlap' } })).toEqual([]);
});

test('patterns of intervals may ignore case', async () => {
  expect(await ids({ regexp: { pattern: 'CO.d' } })).toEqual([]);
  expect(await ids({ regexp: { pattern: 'CO.d', case_insensitive: true } })).toEqual(['1', '2', '3']);
  expect(await ids({ regexp: { pattern: 'co.d', flags: 'NONE' } })).toEqual(['1', '2', '3']);
});

test.each([
  [{ term: { k: 'a' } }, { term: { k: { value: 'a' } } }],
  [{ terms: { k: ['a'] } }, { terms: { k: ['a'], boost: 1 } }],
  [{ prefix: { k: 'a' } }, { prefix: { k: { value: 'a', boost: 1 } } }],
  [
    { bool: { filter: { term: { k: { value: 'a', boost: 2 } } }, minimum_should_match: 0 } },
    { bool: { filter: [{ term: { k: { value: 'a', boost: 2 } } }], minimum_should_match: '0', boost: 1 } },
  ],
  [{ range: { k: { gt: 'a', lte: 'b' } } }, { range: { k: { gt: 'a', lte: 'b', boost: 1 } } }],
])('_search_shards shows the filter %j in full', async (filter, shown) => {
  await node.ok('PUT /docs/_alias/some', { filter });
  expect((await node.ok('GET /some/_search_shards')).indices.docs.filter).toEqual(shown);
});

test.each([
  [{ size: 2, min_doc_count: 3, shard_size: 4 }, 4],
  [{ size: 2, min_doc_count: 3 }, 3],
  [{ size: 2, min_doc_count: 3, order: { _key: 'asc' } }, 6],
])('terms %j count %i other documents', async (options, other) => {
  const counts = { a: 5, b: 4, c: 3, d: 2, e: 1 };
  const lines = Object.entries(counts).flatMap(([k, count]) => Array.from({ length: count }, () => [{ index: {} }, { k }]).flat());
  await node.ok('PUT /counted', { settings: { number_of_replicas: 0 }, mappings: { properties: { k: { type: 'keyword' } } } });
  await node.ok('POST /counted/_bulk?refresh=true', lines);
  const { aggregations } = await node.ok('POST /counted/_search', { size: 0, aggs: { t: { terms: { field: 'k', ...options } } } });
  expect(aggregations.t.sum_other_doc_count).toBe(other);
  await node.ok('DELETE /counted');
});

test('aggregations of unmapped fields are named like those of strings', async () => {
  const aggs = { t: { terms: { field: 'none' } }, s: { significant_terms: { field: 'none' } }, r: { rare_terms: { field: 'none' } } };
  const { aggregations } = await node.ok('POST /docs/_search?typed_keys=true', { size: 0, aggs });
  expect(Object.keys(aggregations).sort()).toEqual(['sigsterms#s', 'sterms#r', 'sterms#t']);
  expect(aggregations['sigsterms#s']).toEqual({ buckets: [] });
});

test('profile shows how terms were collected', async () => {
  const aggs = { t: { terms: { field: 'k', collect_mode: 'breadth_first' }, aggs: { m: { value_count: { field: 'k' } } } } };
  const { profile } = await node.ok('POST /docs/_search', { profile: true, size: 0, aggs });
  expect(profile.shards[0].aggregations[0].debug).toMatchObject({
    deferred_aggregators: ['m'],
    collection_strategy: 'dense',
    result_strategy: 'terms',
    has_filter: false,
    segments_with_multi_valued_ords: 0,
  });
});
