/** children and parent: documents of a join field, each in a segment of its own. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;

const QUESTIONS = { q1: 'red', q2: 'red', q3: 'blue' };
const ANSWERS = { a1: ['q1', 5], a2: ['q1', 7], a3: ['q2', 1], a4: ['q3', 100] } as const;
const VOTES = { v1: 'a1', v2: 'a1', v3: 'a4' };

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    relation: { type: 'join', relations: { question: ['answer', 'comment'], answer: 'vote' } },
    tag: { type: 'keyword' },
    votes: { type: 'integer' },
  };
  await node.ok('PUT /family', { settings: { number_of_shards: 2 }, mappings: { properties } });
  for (const [id, tag] of Object.entries(QUESTIONS))
    await node.ok(`PUT /family/_doc/${id}?routing=r&refresh=true`, { relation: 'question', tag });
  for (const [id, [parent, votes]] of Object.entries(ANSWERS))
    await node.ok(`PUT /family/_doc/${id}?routing=r&refresh=true`, { relation: { name: 'answer', parent }, votes });
  for (const [id, parent] of Object.entries(VOTES))
    await node.ok(`PUT /family/_doc/${id}?routing=r&refresh=true`, { relation: { name: 'vote', parent } });
  await node.ok('PUT /family/_doc/gone?routing=r&refresh=true', { relation: { name: 'answer', parent: 'q1' }, votes: 1000 });
  await node.ok('DELETE /family/_doc/gone?routing=r&refresh=true');
});
afterAll(() => node.close());

const answer = async (query: object, aggs: object) => (await node.ok('POST /family/_search?size=0', { query, aggs })).aggregations;

test('children finds the children of matching documents, with sub-aggregations', async () => {
  const { byTag } = await answer(
    { term: { relation: 'question' } },
    {
      byTag: {
        terms: { field: 'tag' },
        aggs: {
          answers: { children: { type: 'answer' }, aggs: { sum: { sum: { field: 'votes' } }, deeper: { children: { type: 'vote' } } } },
        },
      },
    },
  );
  expect(byTag.buckets).toEqual([
    { key: 'red', doc_count: 2, answers: { doc_count: 3, sum: { value: 13 }, deeper: { doc_count: 2 } } },
    { key: 'blue', doc_count: 1, answers: { doc_count: 1, sum: { value: 100 }, deeper: { doc_count: 1 } } },
  ]);
});

test('parent finds the parents of matching documents, each once', async () => {
  const { questions } = await answer(
    { term: { relation: 'answer' } },
    { questions: { parent: { type: 'answer' }, aggs: { tags: { terms: { field: 'tag' } } } } },
  );
  expect(questions).toMatchObject({
    doc_count: 3,
    tags: {
      buckets: [
        { key: 'red', doc_count: 2 },
        { key: 'blue', doc_count: 1 },
      ],
    },
  });
});

test('buckets are ordered by children, and scripts run over children', async () => {
  const { byTag } = await answer(
    { term: { relation: 'question' } },
    {
      byTag: {
        terms: { field: 'tag', order: { 'answers>sum': 'desc' } },
        aggs: { answers: { children: { type: 'answer' }, aggs: { sum: { sum: { script: "doc['votes'].value * 2" } } } } },
      },
    },
  );
  expect(byTag.buckets.map((bucket: { answers: { sum: { value: number } } }) => bucket.answers.sum.value)).toEqual([200, 26]);
});

test('refuses a missing type; unknown types and join fields have no documents', async () => {
  expect(await answer({ match_all: {} }, { c: { children: { type: 'nothing' } } })).toEqual({ c: { doc_count: 0 } });
  const { status, json } = await node.send('POST /family/_search', { aggs: { c: { children: {} } } });
  expect([status, json.error.root_cause[0].type]).toEqual([400, 'illegal_argument_exception']);
  await node.ok('PUT /other');
  expect((await node.ok('POST /other/_search', { aggs: { c: { parent: { type: 'answer' } } } })).aggregations).toEqual({
    c: { doc_count: 0 },
  });
});
