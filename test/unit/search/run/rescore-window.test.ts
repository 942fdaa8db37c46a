import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const lines = Array.from({ length: 20 }, (_, n) => [{ index: { _id: String(n) } }, { n: n + 1 }]).flat();
  await node.ok('POST /r/_bulk?refresh=true', lines);
});

afterAll(() => node.close());

const query = { function_score: { field_value_factor: { field: 'n' } } };
const rescore = { window_size: 10, query: { rescore_query: { match_all: { boost: 0 } }, score_mode: 'min' } };

test('an offset does not let hits after the window into the page', async () => {
  const { hits } = await node.ok('POST /r/_search', { query, rescore, from: 2, size: 5 });
  expect(hits.hits.map((hit: any) => hit._score)).toEqual([0, 0, 0, 0, 0]);
});

test('hits of the page after the window keep their scores', async () => {
  const { hits } = await node.ok('POST /r/_search', { query, rescore, size: 12 });
  expect(hits.hits.slice(0, 3).map((hit: any) => hit._score)).toEqual([10, 9, 0]);
});

test('errors of a rescorer name its field', async () => {
  const send = (inner: object) => node.send('POST /r/_search', { rescore: { query: inner } });
  const mode = await send({ rescore_query: { match_all: {} }, score_mode: 'most' });
  expect(mode.json.error).toMatchObject({
    type: 'x_content_parse_exception',
    reason: expect.stringMatching(/^\[1:\d+\] \[query\] failed to parse field \[score_mode\]$/),
  });
  const unknown = await send({ rescore_query: { nothing: {} } });
  expect(unknown.json.error).toMatchObject({
    type: 'x_content_parse_exception',
    reason: '[1:49] [query] failed to parse field [rescore_query]',
  });
});
