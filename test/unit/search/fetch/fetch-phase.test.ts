// Parts of responses besides the hits themselves: inner hits, explanations of rescored hits, reductions.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, open } from '../../../../src/library.ts';

type Body = Record<string, unknown>;
interface Hit {
  readonly _id: string;
  readonly _score: number;
  readonly inner_hits: Record<string, { hits: { total: { value: number }; hits: Array<Hit & Body> } }>;
  readonly [key: string]: unknown;
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-shown-'));
let engine: Engine;

beforeAll(async () => {
  engine = await open({ path: folder, settings: { 'memory.limit': '512mb' } });
  const author = { type: 'nested', properties: { name: { type: 'keyword' } } };
  const comment = { type: 'nested', properties: { stars: { type: 'integer' }, text: { type: 'text' }, author } };
  await engine.indices.create({ index: 'posts', body: { mappings: { properties: { comment } } } });
  await engine.index({
    index: 'posts',
    id: '1',
    refresh: true,
    document: {
      comment: [
        { stars: 1, author: [{ name: 'ann' }, { name: 'bob' }] },
        { stars: 5, author: [{ name: 'cid' }, { name: 'ann' }, { name: 'ann' }] },
        { stars: 3, author: { name: 'bob' } },
      ],
    },
  });
  await engine.indices.create({
    index: 'wide',
    body: { settings: { number_of_shards: 5 }, mappings: { properties: { n: { type: 'integer' } } } },
  });
  await engine.bulk({ index: 'wide', refresh: true, operations: [1, 2, 3].flatMap((n) => [{ index: { _id: String(n) } }, { n }]) });
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function search(index: string, body: Body, parameters: Body = {}) {
  return (await engine.search({ index, body, parameters })) as unknown as { hits: { hits: Hit[]; max_score: number } } & Body;
}

test('inner hits of a nested query within another one belong to the enclosing hit', async () => {
  const inner = { nested: { path: 'comment.author', query: { term: { 'comment.author.name': 'ann' } }, inner_hits: {} } };
  const { hits } = await search('posts', {
    query: { nested: { path: 'comment', query: inner, inner_hits: { sort: [{ 'comment.stars': 'desc' }] } } },
  });
  const comments = hits.hits[0].inner_hits['comment'].hits;
  expect(Object.keys(hits.hits[0].inner_hits)).toEqual(['comment']);
  expect(comments.hits.map((hit) => (hit['_nested'] as Body)['offset'])).toEqual([1, 0]);
  const authors = comments.hits.map((hit) => hit.inner_hits['comment.author'].hits.hits);
  expect(authors.map((list) => list.map((hit) => hit['_nested']))).toEqual([
    [1, 2].map((offset) => ({ field: 'comment', offset: 1, _nested: { field: 'author', offset } })),
    [{ field: 'comment', offset: 0, _nested: { field: 'author', offset: 0 } }],
  ]);
});

test('inner hits return version, sequence number and fields of their document', async () => {
  const { hits } = await search('posts', {
    query: {
      nested: {
        path: 'comment',
        query: { term: { 'comment.stars': 5 } },
        inner_hits: {
          version: true,
          seq_no_primary_term: true,
          docvalue_fields: ['_seq_no', 'comment.stars'],
          fields: ['comment.author.name'],
        },
      },
    },
    docvalue_fields: ['_seq_no'],
  });
  expect(hits.hits[0]['fields']).toEqual({ _seq_no: [0] });
  expect(hits.hits[0].inner_hits['comment'].hits.hits[0]).toMatchObject({
    _version: 1,
    _seq_no: 0,
    _primary_term: 1,
    fields: {
      _seq_no: [0],
      'comment.stars': [5],
      comment: [{ author: [{ name: ['cid'] }, { name: ['ann'] }, { name: ['ann'] }] }],
    },
  });
});

test('highlights only stored fields if the source is disabled, also in nested documents', async () => {
  const text = { type: 'text' };
  const properties = { text, kept: { ...text, store: true } };
  const mappings = { _source: { enabled: false }, properties: { ...properties, part: { type: 'nested', properties } } };
  await engine.indices.create({ index: 'bare', body: { mappings } });
  await engine.index({
    index: 'bare',
    id: '1',
    refresh: true,
    document: { text: 'a fox', kept: 'a fox', part: { text: 'a fox', kept: 'a fox' } },
  });
  const highlight = (prefix: string) => ({ fields: { [`${prefix}text`]: {}, [`${prefix}kept`]: {} } });
  const words = (prefix: string) => ({ multi_match: { query: 'fox', fields: [`${prefix}text`, `${prefix}kept`] } });
  const flat = await search('bare', { query: words(''), highlight: highlight('') });
  expect(flat.hits.hits[0]['highlight']).toEqual({ kept: ['a <em>fox</em>'] });
  const nested = { path: 'part', query: words('part.'), inner_hits: { highlight: highlight('part.') } };
  const { hits } = await search('bare', { query: { nested } });
  expect(hits.hits[0].inner_hits['part'].hits.hits[0]['highlight']).toEqual({ 'part.kept': ['a <em>fox</em>'] });
});

test.each([
  ['total', 5 * 1 + 10 * 2, 'sum of:'],
  ['multiply', 5 * 1 * (10 * 2), 'product of:'],
  ['max', 10 * 2, 'max of:'],
])('an explanation of a hit rescored by %s has the value of its score', async (mode, score, description) => {
  const second = { constant_score: { filter: { range: { n: { gte: 2 } } }, boost: 2 } };
  const { hits } = await search('wide', {
    explain: true,
    query: { constant_score: { filter: { match_all: {} } } },
    rescore: { window_size: 10, query: { rescore_query: second, query_weight: 5, rescore_query_weight: 10, score_mode: mode } },
  });
  expect(hits.hits.map((hit) => hit._score)).toEqual([score, score, 5]);
  expect(hits.hits.map((hit) => (hit['_explanation'] as Body)['value'])).toEqual([score, score, 5]);
  expect(hits.hits.map((hit) => (hit['_explanation'] as Body)['description'])).toEqual([description, description, 'product of:']);
});

test('multiplies the scores of hits after the rescore window by the query weight', async () => {
  await engine.bulk({ index: 'ranks', refresh: true, operations: [1, 2, 3].flatMap((n) => [{ index: { _id: String(n) } }, { n }]) });
  const { hits } = await search('ranks', {
    explain: true,
    query: { match_all: {} },
    rescore: { window_size: 2, query: { rescore_query: { match_all: {} }, query_weight: 5, rescore_query_weight: 10 } },
  });
  expect(hits.hits.map((hit) => hit._score)).toEqual([15, 15, 5]);
  expect(hits.hits.map((hit) => (hit['_explanation'] as Body)['value'])).toEqual([15, 15, 5]);
});

test.each([
  [2, 4],
  [3, 2],
  [4, 2],
  [5, undefined],
])('five shards in batches of %i take %s reductions', async (batchedReduceSize: number, phases: number | undefined) => {
  const answer = await search('wide', { size: 0, aggs: { n: { max: { field: 'n' } } } }, { batchedReduceSize });
  expect(answer['num_reduce_phases']).toBe(phases);
  const counted = await search('wide', { size: 0 }, { batchedReduceSize });
  expect(counted['num_reduce_phases']).toBeUndefined();
});

test('returns no buckets for deleted documents', async () => {
  const documents = [
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ] as const; // prettier-ignore
  const operations = documents.flatMap(([tag, n]) => [{ index: { _id: tag } }, { tag, n }]);
  const properties = { tag: { type: 'keyword' }, n: { type: 'integer' } };
  await engine.indices.create({ index: 'pairs', body: { mappings: { properties } } });
  await engine.bulk({ index: 'pairs', refresh: true, operations });
  await engine.delete({ index: 'pairs', id: 'b', refresh: true });
  const pairs = { multi_terms: { terms: [{ field: 'tag' }, { field: 'n' }], min_doc_count: 0 } };
  const answer = await search('pairs', { size: 0, query: { term: { tag: 'c' } }, aggs: { pairs } });
  const { buckets } = (answer['aggregations'] as { pairs: { buckets: Array<{ key: unknown; doc_count: number }> } }).pairs;
  expect(buckets.map(({ key, doc_count }) => [key, doc_count])).toEqual([
    [['c', 1], 1],
    [['a', 1], 0],
  ]);
});

test('refuses to sort unsigned integers of one index with other numbers of another', async () => {
  for (const type of ['unsigned_long', 'long', 'double']) {
    await engine.indices.create({ index: `sort-${type}`, body: { mappings: { properties: { n: { type } } } } });
    await engine.index({ index: `sort-${type}`, id: type, refresh: true, document: { n: 5 } });
  }
  await engine.index({ index: 'sort-none', id: 'none', refresh: true, document: { other: 1 } });
  await expect(search('sort-unsigned_long,sort-long', { sort: ['n'] })).rejects.toMatchObject({
    type: 'search_phase_execution_exception',
    status: 400,
    causedBy: { type: 'illegal_argument_exception', reason: expect.stringMatching(/\[unsigned_long\] type in one index/) },
  });
  const ids = async (index: string) =>
    (await search(index, { sort: [{ n: { order: 'asc', unmapped_type: 'long' } }] })).hits.hits.map((hit) => hit._id);
  expect(await ids('sort-long,sort-double')).toHaveLength(2);
  expect(await ids('sort-unsigned_long,sort-none')).toEqual(['unsigned_long', 'none']);
});

test('cross_fields never returns negative scores', async () => {
  const documents = [{ color: 'orange red' }, { color: 'red purple', shape: 'red square' }, { color: 'yellow red' }];
  await engine.bulk({ index: 'shapes', refresh: true, operations: documents.flatMap((one, i) => [{ index: { _id: String(i) } }, one]) });
  const multi_match = { query: 'red', type: 'cross_fields', fields: ['color', 'shape^100'], tie_breaker: 0.1 };
  const { hits } = await search('shapes', { query: { multi_match } });
  expect(hits.hits.map((hit) => hit._id)[0]).toBe('1');
  for (const { _score } of hits.hits) expect(_score).toBeGreaterThan(0);
});
