// Rarely used options of searches: each must take effect or be rejected, never be ignored.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /d', {
    settings: { number_of_shards: 2 },
    mappings: { dynamic: false, properties: { n: { type: 'long' }, at: { type: 'date' }, t: { type: 'text' }, o: { type: 'object' } } },
  });
  await node.ok('POST /d/_bulk?refresh=true', [
    { index: { _id: 'b' } },
    { n: 1, at: '2024-05-06T07:08:09Z', t: 'red', free: [1, { x: 'y' }], o: { deep: { k: [true, null, 'v'] } } },
    { index: { _id: 'a' } },
    { n: 2, at: '2023-01-01', t: 'red' },
    { index: { _id: 'c' } },
    { n: 3, t: 'blue' },
  ]);
});
afterAll(() => node.close());

const search = (body: unknown, parameters = '') => node.send(`POST /d/_search?${parameters}`, body);
const hits = async (body: unknown): Promise<any[]> => (await node.ok('POST /d/_search', body)).hits.hits;

async function shardError(body: unknown): Promise<unknown[]> {
  const { status, json } = await search(body);
  return [status, json.error.type, json.error.root_cause[0].type, json.error.root_cause[0].reason];
}

test('ignores null clauses of a bool', async () => {
  expect((await hits({ query: { bool: { must: null, filter: { term: { n: 2 } } } } })).map(({ _id }) => _id)).toEqual(['a']);
});

test('pages through hits sorted by _id', async () => {
  await node.ok('PUT /_cluster/settings', { persistent: { 'indices.id_field_data.enabled': true } });
  const first = await hits({ sort: [{ _id: 'desc' }], size: 2 });
  expect(first.map(({ sort }) => sort)).toEqual([['c'], ['b']]);
  expect((await hits({ sort: [{ _id: 'desc' }], search_after: ['b'] })).map(({ _id }) => _id)).toEqual(['a']);
});

test('returns dates sorted as nanoseconds as dates and continues pages after them', async () => {
  const sort = [{ at: { order: 'desc', numeric_type: 'date_nanos', format: 'yyyy-MM-dd' } }];
  expect((await hits({ sort, size: 2 })).map((hit) => hit.sort)).toEqual([['2024-05-06'], ['2023-01-01']]);
  const plain = [{ at: { order: 'asc', numeric_type: 'date_nanos' } }];
  const [first] = await hits({ sort: plain, size: 1 });
  expect(first.sort).toEqual([1672531200000000000]);
  expect((await hits({ sort: plain, size: 1, search_after: first.sort })).map(({ _id }) => _id)).toEqual(['b']);
});

test('rejects an unknown unmapped_type and search_after without a sort', async () => {
  expect(await shardError({ sort: [{ nope: { unmapped_type: 'foo' } }] })).toEqual([
    400,
    'search_phase_execution_exception',
    'illegal_argument_exception',
    'No mapper found for type [foo]',
  ]);
  expect(await shardError({ search_after: [1] })).toContain('Sort must contain at least one field.');
});

test('reports an error of every shard as a failure of the search', async () => {
  expect(await shardError({ track_total_hits: -5 })).toEqual([
    400,
    'search_phase_execution_exception',
    'illegal_argument_exception',
    'totalHitsThreshold must be >= 0, got -5',
  ]);
  expect((await shardError({ collapse: { field: 't' } })).slice(0, 3)).toEqual([
    400,
    'search_phase_execution_exception',
    'illegal_argument_exception',
  ]);
  expect((await shardError({ collapse: { field: 'nope' } }))[3]).toBe('no mapping found for `nope` in order to collapse on');
});

test('returns unmapped source fields on request', async () => {
  const shown = async (field: unknown) => (await hits({ query: { ids: { values: ['b'] } }, fields: [field], _source: false }))[0].fields;
  expect(await shown({ field: '*', include_unmapped: true })).toEqual({
    n: [1],
    at: ['2024-05-06T07:08:09.000Z'],
    t: ['red'],
    free: [1],
    'free.x': ['y'],
    'o.deep.k': [true, 'v'],
  });
  expect(await shown({ field: 'o.*', include_unmapped: true })).toEqual({ 'o.deep.k': [true, 'v'] });
  expect(await shown('o.*')).toBeUndefined();
});

test('applies the headers of a multi search and rejects unknown ones', async () => {
  const [all, none] = (await node.ok('POST /_msearch', [{ index: 'd*' }, {}, { index: 'd*', expand_wildcards: 'none' }, {}])).responses;
  expect([all.hits.total.value, none.hits.total.value]).toEqual([3, 0]);
  for (const header of [{ search_type: 'scan' }, { expand_wildcards: 'some' }, { ignore_unavailable: 'perhaps' }, { type: 'x' }])
    expect((await node.send('POST /d/_msearch', [header, {}])).status).toBe(400);
  const lines = [{}, { source: { query: { match_all: {} } }, params: {} }];
  expect((await node.ok('POST /d/_msearch/template?max_concurrent_searches=2&pre_filter_shard_size=1', lines)).responses[0].status).toBe(
    200,
  );
});

test('profiles a search template by parameter', async () => {
  const answer = await node.ok('POST /d/_search/template?profile=true', { source: { size: 0 } });
  expect(answer.profile.shards).toHaveLength(2);
});

test('shows the keyword attribute only after filters that set it', async () => {
  const { detail } = await node.ok('POST /_analyze', {
    tokenizer: 'standard',
    filter: ['lowercase', 'porter_stem'],
    text: 'Foxes',
    explain: true,
  });
  expect(detail.charfilters).toEqual([]);
  const [lowercase, stem] = detail.tokenfilters;
  expect('keyword' in lowercase.tokens[0]).toBe(false);
  expect(stem.tokens[0]).toMatchObject({ token: 'fox', keyword: false });
  const named = await node.ok('POST /_analyze', { analyzer: 'standard', text: 'a', explain: true });
  expect(Object.keys(named.detail.analyzer.tokens[0])).not.toContain('keyword');
});

test('preserves integers beyond 2^53 in mappings, templates and stored scripts', async () => {
  const big = '9007199254740993';
  await node.ok('PUT /big', `{"mappings":{"dynamic":"false","_meta":{"x":${big}},"properties":{"n":{"type":"long","null_value":${big}}}}}`);
  await node.ok('PUT /big/_mapping', `{"_meta":{"x":${big}},"properties":{"m":{"type":"long","null_value":${big}}}}`);
  await node.ok('PUT /big/_doc/1?refresh=true', { n: null });
  expect((await node.send('GET /big/_mapping')).text).toContain(`"n":{"type":"long","null_value":${big}}`);
  const total = async (line: string, body: string) => (await node.ok(line, body)).hits.total.value;
  expect(await total('POST /big/_search', `{"query":{"term":{"n":${big}}}}`)).toBe(1);
  expect(await total('POST /big/_search', '{"query":{"term":{"n":9007199254740992}}}')).toBe(0);
  expect(await total('POST /big/_search/template', `{"source":{"query":{"term":{"n":${big}}}},"explain":true}`)).toBe(1);
  expect(
    await total(
      'POST /big/_search/template',
      `{"source":"{\\"query\\":{\\"terms\\":{\\"n\\":{{#toJson}}v{{/toJson}}}}}","params":{"v":[${big}]}}`,
    ),
  ).toBe(1);
});
