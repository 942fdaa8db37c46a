// The numbers of random_score, and the scores of function_score without functions. The numbers are those of Elasticsearch 8.15 for the same index name.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  const properties = { k: { type: 'keyword' }, xk: { type: 'keyword', index: false }, dn: { type: 'date_nanos' }, bin: { type: 'binary' } };
  await node.ok('PUT /mx', { settings: { number_of_shards: 1 }, mappings: { properties } });
  await node.ok('PUT /mx/_doc/1', { xk: 'a', dn: '2024-02-27T00:00:00.123456789Z', bin: 'U29tZQ==' });
  await node.ok('PUT /mx/_doc/2?refresh=true', { k: 'a', xk: 'b' });
});
afterAll(() => node.close());

const scores = async (query: object): Promise<Record<string, number>> => {
  const { hits } = await node.ok('POST /mx/_search', { query });
  return Object.fromEntries(hits.hits.map((hit: any) => [hit._id, hit._score]));
};

test('a document without a value draws by the seed, the name of the index and the shard', async () => {
  const drawn = await scores({ function_score: { random_score: { seed: 10, field: 'k' } } });
  expect(drawn['1']).toBe(0.8117767);
  expect(drawn['2']).not.toBe(drawn['1']);
});

test('_seq_no is hashed as text', async () => {
  // The third document of the recorded index has the sequence number 2.
  await node.ok('PUT /mx/_doc/3?refresh=true', {});
  expect((await scores({ function_score: { random_score: { seed: 10, field: '_seq_no' } } }))['3']).toBe(0.9893367);
});

test('a text of digits is hashed like any other text', async () => {
  const number = await scores({ function_score: { random_score: { seed: 10, field: 'k' } } });
  const text = await scores({ function_score: { random_score: { seed: '10', field: 'k' } } });
  expect(text['1']).not.toBe(number['1']);
});

test('without functions the score of the query stays, whatever the modes', async () => {
  expect((await scores({ function_score: { query: { match_all: {} }, boost_mode: 'sum', max_boost: 0.5 } }))['1']).toBe(1);
});

test('field_value_factor reads date_nanos as milliseconds', async () => {
  const found = await scores({
    function_score: { query: { term: { xk: 'a' } }, field_value_factor: { field: 'dn' }, boost_mode: 'replace' },
  });
  expect(Math.fround(found['1'])).toBe(Math.fround(Date.parse('2024-02-27T00:00:00.123Z')));
});

test('terms of a field with doc values only have a constant score', async () => {
  expect(await scores({ term: { xk: 'a' } })).toEqual({ 1: 1 });
});

test('a binary field that is neither stored nor has doc values does not exist', async () => {
  expect(await scores({ exists: { field: 'bin' } })).toEqual({});
});
