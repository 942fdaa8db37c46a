// `_rank_eval`: metrics computed by hand, and over searches of an index.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evaluate, type Metric } from '../../../../src/api/search/rank-eval.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  for (const [i, text] of ['storm storm storm', 'storm storm calm', 'storm calm calm', 'calm'].entries())
    await node.ok(`PUT /w/_doc/${i + 1}?refresh=true`, { text });
});

afterAll(() => node.close());

const PLAIN: Metric = {
  name: 'precision',
  k: 10,
  relevantThreshold: 1,
  ignoreUnlabeled: false,
  normalize: false,
  maximumRelevance: 3,
  unknownDocRating: null,
};
const scoreOf = (metric: Partial<Metric>, ranked: Array<number | null>, all: number[]) =>
  evaluate({ ...PLAIN, ...metric }, ranked, all).score;

test('metrics', () => {
  const ranked = [3, null, 0, 2];
  const all = [3, 2, 0, 1];
  expect(scoreOf({}, ranked, all)).toBe(2 / 4);
  expect(scoreOf({ ignoreUnlabeled: true }, ranked, all)).toBe(2 / 3);
  expect(scoreOf({ name: 'recall' }, ranked, all)).toBe(2 / 3);
  expect(scoreOf({ name: 'mean_reciprocal_rank', relevantThreshold: 2 }, [null, 1, 2], all)).toBe(1 / 3);
  expect(scoreOf({ name: 'mean_reciprocal_rank' }, [null], all)).toBe(0);
  const dcg = 7 + 0 + 3 / Math.log2(5);
  expect(scoreOf({ name: 'dcg' }, ranked, all)).toBeCloseTo(dcg, 10);
  expect(scoreOf({ name: 'dcg', normalize: true }, ranked, all)).toBeCloseTo(dcg / (7 + 3 / Math.log2(3) + 1 / 2), 10);
  expect(scoreOf({ name: 'expected_reciprocal_rank' }, [3, null, 2], all)).toBeCloseTo(7 / 8 + (1 / 8) * (3 / 8) * (1 / 3), 10);
});

test('searches and templates with their hits, and failures apart', async () => {
  const ratings = [
    { _index: 'w', _id: '1', rating: 1 },
    { _index: 'w', _id: '4', rating: 1 },
  ];
  const answer = await node.ok('POST /w/_rank_eval', {
    templates: [{ id: 'by', template: { source: '{"query":{"match":{"text":"{{word}}"}}}' } }],
    requests: [
      { id: 'storms', request: { query: { match: { text: 'storm' } } }, ratings },
      { id: 'calms', template_id: 'by', params: { word: 'calm' }, ratings },
      { id: 'wrong', request: { query: { nonsense: {} } }, ratings },
    ],
    metric: { precision: { k: 2 } },
  });
  expect(answer.details.storms.hits.map(({ hit, rating }: { hit: { _id: string }; rating: number | null }) => [hit._id, rating])).toEqual([
    ['1', 1],
    ['2', null],
  ]);
  expect(answer.details.storms).toMatchObject({
    metric_score: 0.5,
    unrated_docs: [{ _index: 'w', _id: '2' }],
    metric_details: { precision: { relevant_docs_retrieved: 1, docs_retrieved: 2 } },
  });
  expect(answer.metric_score).toBe((0.5 + answer.details.calms.metric_score) / 2);
  expect(answer.failures.wrong.error.type).toBe('parsing_exception');
});

test.each([
  [{ requests: [], metric: { precision: {} } }, 'must have at least one rated request'],
  [{ requests: [{ id: 'a', ratings: [] }], metric: { precision: {} } }, 'Either evaluation request or template id'],
  [{ requests: [{ id: 'a', request: {}, ratings: [] }], metric: { nothing: {} } }, 'unknown metric [nothing]'],
  [{ requests: [{ id: 'a', request: {}, ratings: [] }], metric: { precision: { k: 0 } } }, 'Window size k must be positive.'],
])('%j is refused', async (body, reason) => {
  const { status, text } = await node.send('POST /w/_rank_eval', body);
  expect([status, text.includes(reason)]).toEqual([400, true]);
});

test('a cached search can be ranked', async () => {
  const body = { requests: [{ id: 'q', request: { query: { match: { text: 'calm' } } }, ratings: [] }], metric: { dcg: {} } };
  const first = await node.ok('POST /w/_rank_eval', body);
  expect(first.details.q.hits).toHaveLength(3);
  expect(await node.ok('POST /w/_rank_eval', body)).toEqual(first);
});
