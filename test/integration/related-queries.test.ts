// Queries on related documents and on positions of words, over HTTP: join fields, spans, intervals; and ingest pipelines of the documents.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
  await service.request('PUT', '/_cluster/settings', { persistent: { 'indices.id_field_data.enabled': true } });
  const relations = { book: ['review', 'note'], review: 'reply' };
  const properties = { kind: { type: 'join', relations }, stars: { type: 'integer' }, text: { type: 'text' } };
  await service.request('PUT', '/shelf', { settings: { number_of_shards: 2 }, mappings: { properties } });
  await service.request('PUT', '/_ingest/pipeline/stars', {
    processors: [{ grok: { field: 'text', patterns: ['%{INT:stars:int} stars'], ignore_failure: true } }],
  });
  const child = (name: string, parent: string) => ({ name, parent });
  const documents: [string, string | null, object][] = [
    ['b1', null, { kind: 'book', text: 'the old man and the sea' }],
    ['b2', null, { kind: 'book', text: 'the sea, the sea' }],
    ['r1', 'b1', { kind: child('review', 'b1'), text: 'gave it 5 stars' }],
    ['r2', 'b1', { kind: child('review', 'b1'), text: 'gave it 2 stars' }],
    ['r3', 'b2', { kind: child('review', 'b2'), text: '4 stars' }],
    ['p1', 'b1', { kind: child('reply', 'r1'), text: 'thanks' }],
    ['n1', 'b2', { kind: child('note', 'b2'), text: 'borrowed' }],
  ];
  // Separate segments, so that parents and children are joined across them.
  for (const [id, routing, source] of documents) {
    const target = `/shelf/_doc/${id}?refresh=true&pipeline=stars${routing === null ? '' : `&routing=${routing}`}`;
    expect((await service.request('PUT', target, source)).status).toBe(201);
  }
});

afterAll(() => service.stop());

async function found(query: object, more: object = {}): Promise<[string, number][]> {
  const { status, body } = await service.request('POST', '/shelf/_search', { query, ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.hits.hits.map((hit: { _id: string; _score: number }) => [hit._id, hit._score]);
}

const votes = { function_score: { field_value_factor: { field: 'stars' }, boost_mode: 'replace' } };

test.each([
  [
    'sum',
    [
      ['b1', 7],
      ['b2', 4],
    ],
  ],
  [
    'avg',
    [
      ['b2', 4],
      ['b1', 3.5],
    ],
  ],
  [
    'max',
    [
      ['b1', 5],
      ['b2', 4],
    ],
  ],
  [
    'min',
    [
      ['b2', 4],
      ['b1', 2],
    ],
  ],
  [
    'none',
    [
      ['b1', 1],
      ['b2', 1],
    ],
  ],
])('has_child scores parents by %s', async (mode, expected) => {
  const hits = await found({ has_child: { type: 'review', query: votes, score_mode: mode } });
  expect(mode === 'none' ? hits.toSorted() : hits).toEqual(expected);
});

test('has_child bounds the number of children, and finds children of children', async () => {
  expect(await found({ has_child: { type: 'review', query: { match_all: {} }, min_children: 2 } })).toEqual([['b1', 1]]);
  expect(await found({ has_child: { type: 'review', query: { match_all: {} }, max_children: 1 } })).toEqual([['b2', 1]]);
  const grandchild = { has_child: { type: 'reply', query: { match: { text: 'thanks' } } } };
  expect(await found({ has_child: { type: 'review', query: grandchild } })).toEqual([['b1', 1]]);
});

test('has_parent and parent_id find children, with inner hits', async () => {
  const ofSea = await found({ has_parent: { parent_type: 'book', query: { match: { text: 'man' } } } });
  expect(ofSea.toSorted()).toEqual([
    ['r1', 1],
    ['r2', 1],
  ]);
  expect((await found({ parent_id: { type: 'note', id: 'b2' } })).map(([id]) => id)).toEqual(['n1']);
  const query = { has_child: { type: 'review', query: { range: { stars: { gte: 4 } } }, inner_hits: { sort: ['stars'] } } };
  const { body } = await service.request('POST', '/shelf/_search', { query, sort: ['_id'] });
  const inner = body.hits.hits.map((hit: any) => hit.inner_hits.review.hits.hits.map((one: any) => [one._id, one._routing]));
  expect(inner).toEqual([[['r1', 'b1']], [['r3', 'b2']]]);
});

test('refuses unknown relations', async () => {
  const { status, body } = await service.request('POST', '/shelf/_search', {
    query: { has_child: { type: 'book', query: { match_all: {} } } },
  });
  expect([status, body.error.root_cause[0].reason]).toEqual([400, "[has_child] join field [kind] doesn't hold [book] as a child"]);
  expect(await found({ has_parent: { parent_type: 'none', query: { match_all: {} }, ignore_unmapped: true } })).toEqual([]);
});

test('spans and intervals match by positions of words, and are highlighted', async () => {
  const near = (slop: number, ...words: string[]) => ({
    span_near: { clauses: words.map((text) => ({ span_term: { text } })), slop, in_order: true },
  });
  expect((await found(near(0, 'the', 'sea'))).map(([id]) => id).toSorted()).toEqual(['b1', 'b2']);
  expect((await found(near(1, 'the', 'man'))).map(([id]) => id)).toEqual(['b1']);
  const twice = { intervals: { text: { match: { query: 'sea sea', ordered: true } } } };
  expect((await found(twice)).map(([id]) => id)).toEqual(['b2']);
  const { body } = await service.request('POST', '/shelf/_search', { query: near(1, 'the', 'man'), highlight: { fields: { text: {} } } });
  expect(body.hits.hits[0].highlight.text[0]).toContain('<em>man</em>');
  const wrong = await service.request('POST', '/shelf/_search', { query: { intervals: { stars: { match: { query: 'a' } } } } });
  expect(wrong.body.error.root_cause[0].reason).toContain('Can only use interval queries on text fields');
});
