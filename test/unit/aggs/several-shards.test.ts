// Aggregations over an index with several shards and segments, documents with several values, and a second index without the field.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode({ 'compat.flavor': 'elasticsearch', 'compat.version': '8.15.0' });
  const properties = {
    ip: { type: 'ip' },
    place: { type: 'geo_point' },
    tag: { type: 'keyword' },
    n: { type: 'double' },
    whole: { type: 'long' },
    weight: { type: 'double' },
    spans: { type: 'integer_range' },
  };
  await node.ok('PUT /docs', { settings: { number_of_shards: 2 }, mappings: { properties } });
  await node.ok('PUT /other', { mappings: { properties: { x: { type: 'long' } } } });
  await node.ok('POST /other/_doc?refresh=true', { x: 1 });
  // Segments of both shards have the same numbers but other terms.
  for (let bulk = 0; bulk < 3; bulk++) {
    const lines = Array.from({ length: 12 }, (_, i) => {
      const id = bulk * 12 + i;
      const ip =
        id % 4 === 0 ? [`10.${id}.0.1`, `2001:db8::${id + 1}`] : id % 4 === 1 ? `2001:db8::${id + 1}` : [`10.${id}.0.1`, '10.0.0.9'];
      return [{ index: { _id: String(id) } }, { ip, tag: id % 2 ? 'odd' : 'even', n: id, whole: id, weight: 1 }];
    });
    await node.ok('POST /docs/_bulk?refresh=true', lines.flat());
  }
});

afterAll(async () => node.close());

const answer = async (body: object, index = 'docs') => (await node.ok(`POST /${index}/_search`, { size: 0, ...body })).aggregations;
const aggregate = async (agg: object, index = 'docs') => (await answer({ aggs: { a: agg } }, index)).a;
const refusal = async (agg: object, index = 'docs') => {
  const { status, json } = await node.send(`POST /${index}/_search`, { size: 0, aggs: { a: agg } });
  return [status, (json.error.root_cause[0] ?? json.error.caused_by).reason];
};

test('ip_prefix counts each document once per subnet in every shard', async () => {
  const { buckets } = await aggregate({ ip_prefix: { field: 'ip', prefix_length: 8 } });
  // IPv6 addresses count by their last four bytes.
  expect(buckets.map((b: any) => [b.key, b.doc_count])).toEqual([
    ['0.0.0.0', 18],
    ['10.0.0.0', 27],
  ]);
});

test('a document with several points is in each of their distance ranges', async () => {
  await node.ok('PUT /docs/_doc/p?refresh=true', {
    place: [
      { lat: 0, lon: 1 },
      { lat: 0, lon: 60 },
    ],
  });
  const ranges = [{ to: 1000 }, { from: 1000, to: 2000 }, { from: 2000 }];
  for (const distance_type of ['arc', 'plane']) {
    const { buckets } = await aggregate({ geo_distance: { field: 'place', origin: '0,0', unit: 'km', distance_type, ranges } });
    expect(buckets.map((b: any) => b.doc_count)).toEqual([1, 0, 1]);
  }
  await node.ok('DELETE /docs/_doc/p?refresh=true');
});

test('documents of indices without the field do not count for significant terms', async () => {
  for (const heuristic of ['jlh', 'gnd', 'chi_square']) {
    const found = await aggregate({ significant_terms: { field: 'tag', [heuristic]: {} } }, 'docs,other');
    expect([found.doc_count, found.bg_count]).toEqual([36, 36]);
  }
});

test('the last of several heuristics scores significant terms', async () => {
  const query = { query: { term: { tag: 'odd' } } };
  const scores = async (heuristics: object) =>
    (await answer({ ...query, aggs: { a: { significant_terms: { field: 'tag', ...heuristics } } } })).a.buckets.map((b: any) => b.score);
  expect(await scores({ chi_square: {}, percentage: {} })).toEqual(await scores({ percentage: {} }));
  expect(await scores({ percentage: {}, chi_square: {} })).toEqual(await scores({ chi_square: {} }));
  expect(await scores({ percentage: {} })).not.toEqual(await scores({ chi_square: {} }));
});

test('weighted_avg refuses several weights of a document below any aggregation', async () => {
  await node.ok('PUT /docs/_doc/w?refresh=true', { tag: 'odd', n: 1, weight: [1, 2], spans: { gte: 1, lte: 3 } });
  const aggs = { m: { weighted_avg: { value: { field: 'n' }, weight: { field: 'weight' } } } };
  const refused: unknown[] = [];
  for (const outer of [
    { terms: { field: 'tag' } },
    { histogram: { field: 'spans', interval: 1 } },
    { significant_terms: { field: 'tag', min_doc_count: 1, percentage: {} } },
  ]) {
    // The shard fails that has the document.
    const { text } = await node.send('POST /docs/_search', { size: 0, aggs: { a: { ...outer, aggs } } });
    refused.push(text.includes('Encountered more than one weight for a single document'));
  }
  await node.ok('DELETE /docs/_doc/w?refresh=true');
  expect(refused).toEqual([true, true, true]);
});

test('a missing number beyond the integers keeps its value', async () => {
  for (const missing of [7e22, -7e22, 1e300, 2 ** 60]) {
    const found = await answer({ aggs: { max: { max: { field: 'nope', missing } }, sum: { sum: { field: 'nope', missing } } } });
    expect(found.max.value).toBe(missing);
    expect(found.sum.value / missing).toBeCloseTo(36);
  }
  expect(await refusal({ avg: { field: 'nope', missing: '10.0.0.1' } }, 'other')).toEqual([400, 'For input string: "10.0.0.1"']);
});

test('missing must not be null', async () => {
  const { status, json } = await node.send('POST /docs/_search', { aggs: { a: { max: { field: 'n', missing: null } } } });
  expect([status, json.error.type]).toEqual([400, 'x_content_parse_exception']);
});

test('a path into buckets that names no aggregation finds no values', async () => {
  const aggs = { a: { range: { field: 'n', ranges: [{ from: 3 }] } }, s: { min_bucket: { buckets_path: 'a._bucket_count' } } };
  expect((await answer({ aggs })).s).toEqual({ value: null, keys: [] });
});

test('named filters are a list with keyed false', async () => {
  const { buckets } = await aggregate({ filters: { keyed: false, other_bucket: true, filters: { odd: { term: { tag: 'odd' } } } } });
  expect(buckets).toEqual([
    { key: 'odd', doc_count: 18 },
    { key: '_other_', doc_count: 18 },
  ]);
});

test('misplaced and misused aggregations are refused', async () => {
  const percentiles = { m: { percentiles: { field: 'n' } } };
  expect(await refusal({ terms: { field: 'tag', order: { 'm.avg': 'asc' } }, aggs: percentiles })).toEqual([
    400,
    'Invalid aggregation order path [m.avg]. For input string: "avg"',
  ]);
  const sampler = { s: { sampler: {}, aggs: percentiles } };
  expect(await refusal({ random_sampler: { probability: 1 }, aggs: sampler })).toEqual([
    400,
    '[random_sampler] aggregation [a] does not support sampling [sampler] aggregation [s]',
  ]);
  expect(await refusal({ rare_terms: { field: 'n', exclude: ['x'] } })).toEqual([
    400,
    'RareTerms aggregation does not support floating point fields.',
  ]);
});

test('equal hits come by the number of their shard, then by the name of their index', async () => {
  await node.ok('PUT /another', { settings: { number_of_shards: 1 } });
  await node.ok('POST /another/_doc?refresh=true', { x: 1 });
  const { hits } = await node.ok('POST /other,docs,another/_search', { size: 100, explain: true, query: { match_all: {} } });
  const shards = hits.hits.map((hit: any) => hit._shard);
  expect([...new Set(shards)]).toEqual(['[another][0]', '[docs][0]', '[other][0]', '[docs][1]']);
});
