// Random scores: the numbers of Elasticsearch 8.15 and 7.10 for the same index, seed and values.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const types = {
    b: 'boolean',
    d: 'date',
    dn: 'date_nanos',
    f: 'float',
    h: 'half_float',
    db: 'double',
    ip: 'ip',
    g: 'geo_point',
    k: 'keyword',
  };
  const properties = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));
  await node.ok('PUT /a2', {
    mappings: {
      properties: { ...properties, t: { type: 'text' }, tf: { type: 'text', fielddata: true }, n: { type: 'integer' } },
      runtime: { rt: { type: 'keyword' } },
    },
  });
  await node.ok('PUT /a2/_doc/1', {
    b: true,
    d: '2020-01-01',
    dn: '2020-01-01T00:00:00.123456789Z',
    f: 1.5,
    h: 0.1,
    db: 3.25,
    ip: '1.2.3.4',
    g: '1,2',
    t: 'x y',
    tf: 'x y',
    k: ['b', 'a'],
    n: [3, 2],
    rt: 'q',
  });
  await node.ok('PUT /a2/_doc/2?refresh=true', {});
  await node.ok('PUT /a4/_doc/1?refresh=true', { k: 'a', n: 5, d: 1.5, b: true });
});

afterAll(async () => {
  await node?.close();
});

const scoresOf = async (index: string, query: unknown): Promise<number[]> => {
  const { hits } = await node.ok(`POST /${index}/_search`, { query, sort: ['_doc'], track_scores: true });
  return hits.hits.map(({ _score }: { _score: number }) => _score);
};

const WITHOUT_VALUE = 0.067938626;

test.each([
  ['b', 0.58449185],
  ['d', 0.253511],
  ['dn', 0.5690423],
  ['f', 0.9593016],
  ['h', 0.041684985],
  ['db', 0.28785348],
  ['ip', 0.58802086],
  ['g', 0.5088018],
  ['tf', 0.27646804],
  ['k', 0.77747506],
  ['n', 0.09105337],
  ['rt', 0.74096656],
])('random_score hashes the first value of %s', async (field, score) => {
  expect(await scoresOf('a2', { function_score: { random_score: { field, seed: 7 } } })).toEqual([score, WITHOUT_VALUE]);
});

test.each([
  ['_seq_no', [0.05170697, 0.58449185]],
  ['_version', [0.58449185, 0.58449185]],
  ['_index', [0.48501688, 0.48501688]],
])('random_score hashes the metadata field %s', async (field, scores) => {
  expect(await scoresOf('a2', { function_score: { random_score: { field, seed: 7 } } })).toEqual(scores);
});

test('random_score with a seed and no field hashes the ids', async () => {
  const query = { function_score: { random_score: { seed: 7 } } };
  expect((await node.send('POST /a2/_search', { query })).json.error.root_cause[0].reason).toContain('Fielddata access on the _id field');
  await node.ok('PUT /_cluster/settings', { persistent: { 'indices.id_field_data.enabled': true } });
  expect(await scoresOf('a2', query)).toEqual([0.58449185, 0.09105337]);
  await node.ok('PUT /_cluster/settings', { persistent: { 'indices.id_field_data.enabled': null } });
});

test('random_score without a seed ignores its field and differs by document', async () => {
  const scores = await scoresOf('a2', { function_score: { random_score: { field: 'none' } } });
  expect(scores[0]).not.toBe(scores[1]);
});

test.each([
  ['t', 'Text fields are not optimised'],
  ['none', 'Field [none] is not mapped on [[a2/'],
])('random_score refuses the field %s', async (field, reason) => {
  const { status, json } = await node.send('POST /a2/_search', { query: { function_score: { random_score: { field, seed: 7 } } } });
  expect([status, json.error.root_cause[0].reason]).toEqual([400, expect.stringContaining(reason)]);
});

test.each([
  ["randomScore(7, 'k.keyword')", 0.97992104],
  ["randomScore(7, 'n')", 0.784581],
  ["randomScore(7, 'd')", 0.8886929],
  ["randomScore(7, 'b')", 0.9595424],
  ["randomScore(7, '_seq_no')", 0.8636495],
  ['randomScore(7)', 0.8636495],
])('the script %s', async (source, score) => {
  expect(await scoresOf('a4', { script_score: { query: { match_all: {} }, script: { source } } })).toEqual([score]);
});
