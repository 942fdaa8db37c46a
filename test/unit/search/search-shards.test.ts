// Searches end to end over the engine as a library: scores against BM25 computed by hand, pages, sorts, scrolls, highlights, failures.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, open } from '../../../src/library.ts';
import { Rng } from '../../support/rng.ts';

type Body = Record<string, unknown>;
interface Hit {
  readonly _id: string;
  readonly _score: number | null;
  readonly _source?: Body;
  readonly sort?: readonly unknown[];
  readonly [key: string]: unknown;
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-search-'));
let engine: Engine;

const TEXTS = [
  'the quick brown fox',
  'quick foxes jump over lazy dogs',
  'a brown dog, a lazy dog and a quick dog',
  'nothing of interest here',
  'storm over the sea: a quick storm',
  'the sea is salt',
];

beforeAll(async () => {
  engine = await open({ path: folder, settings: { 'memory.limit': '512mb', 'compat.flavor': 'opensearch' } });
  await engine.indices.create({
    index: 'texts',
    body: {
      mappings: {
        properties: {
          body: { type: 'text' },
          tag: { type: 'keyword' },
          n: { type: 'integer' },
          price: { type: 'scaled_float', scaling_factor: 100 },
          at: { type: 'date' },
          parts: { type: 'nested', properties: { name: { type: 'keyword' }, qty: { type: 'integer' } } },
        },
      },
    },
  });
  const operations = TEXTS.flatMap((body, i) => [
    { index: { _id: String(i + 1) } },
    {
      body,
      tag: ['red', 'blue', 'red'][i % 3],
      ...(i === 3 ? {} : { n: i * 2 }),
      price: i + 0.25,
      at: `2024-01-0${i + 1}`,
      parts: [
        { name: `p${i}`, qty: i },
        { name: 'all', qty: 10 - i },
      ],
    },
  ]);
  await engine.bulk({ index: 'texts', refresh: true, operations });
  await engine.indices.create({
    index: 'other',
    body: { mappings: { properties: { n: { type: 'integer' }, body: { type: 'keyword' } } } },
  });
  await engine.bulk({ index: 'other', refresh: true, operations: [{ index: { _id: 'x' } }, { n: 4, body: 'quick' }] });
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function search(body: Body, index = 'texts') {
  const answer = (await engine.search({ index, body })) as unknown as {
    hits: { hits: Hit[]; total: { value: number }; max_score: number | null };
  } & Body;
  return {
    aggregations: answer['aggregations'],
    hits: answer.hits,
    ids: answer.hits.hits.map((hit) => hit._id),
    scores: answer.hits.hits.map((hit) => hit._score),
  };
}

const words = (text: string) => text.toLowerCase().match(/[a-z]+/g)!;

/** BM25 in doubles: k1 1.2, b 0.75; lengths below 24 are exact in the norm. */
function bm25(term: string, text: string): number {
  const lengths = TEXTS.map((one) => words(one).length);
  const docFreq = TEXTS.filter((one) => words(one).includes(term)).length;
  const idf = Math.log(1 + (TEXTS.length - docFreq + 0.5) / (docFreq + 0.5));
  const freq = words(text).filter((word) => word === term).length;
  const average = lengths.reduce((a, b) => a + b) / lengths.length;
  return (idf * freq) / (freq + 1.2 * (0.25 + (0.75 * words(text).length) / average));
}

test('scores a match as the sum of its words and returns the best hit first', async () => {
  const { hits } = await search({ query: { match: { body: 'quick dog' } } });
  const expected = TEXTS.map((text, i) => ({ id: String(i + 1), score: bm25('quick', text) + bm25('dog', text) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  expect(hits.hits.map((hit) => hit._id)).toEqual(expected.map(({ id }) => id));
  for (const [i, hit] of hits.hits.entries()) expect(hit._score).toBeCloseTo(expected[i].score, 5);
  expect(hits.max_score).toBe(hits.hits[0]._score);
});

test('scores boosts, constant_score, dis_max, boosting and filters', async () => {
  const score = async (query: Body) => (await search({ query, size: 1 })).scores[0];
  const plain = (await score({ match: { body: 'storm' } }))!;
  expect(await score({ match: { body: { query: 'storm', boost: 2 } } })).toBeCloseTo(2 * plain, 5);
  expect(await score({ constant_score: { filter: { match: { body: 'storm' } }, boost: 1.5 } })).toBe(1.5);
  expect(await score({ bool: { filter: { match: { body: 'storm' } } } })).toBe(0);
  expect(await score({ dis_max: { queries: [{ match: { body: 'storm' } }, { term: { tag: 'blue' } }], tie_breaker: 0.5 } })).toBeCloseTo(
    1 + plain / 2 > 1 ? Math.max(1, plain) + Math.min(1, plain) / 2 : 1,
    5,
  );
  expect(
    await score({ boosting: { positive: { match: { body: 'storm' } }, negative: { match: { body: 'sea' } }, negative_boost: 0.5 } }),
  ).toBeCloseTo(plain / 2, 5);
});

test('matches phrases, patterns, fuzzy words, ranges and exists', async () => {
  const ids = async (query: Body) => (await search({ query, sort: ['_doc'] })).ids;
  expect(await ids({ match_phrase: { body: 'quick brown' } })).toEqual(['1']);
  expect(await ids({ match_phrase: { body: { query: 'brown quick', slop: 2 } } })).toEqual(['1']);
  expect(await ids({ match_phrase_prefix: { body: 'lazy do' } })).toEqual(['2', '3']);
  expect(await ids({ match_bool_prefix: { body: { query: 'brown fo', operator: 'and' } } })).toEqual(['1']);
  expect(await ids({ match: { body: { query: 'quick brown fox', minimum_should_match: 2 } } })).toEqual(['1', '3']);
  expect(await ids({ fuzzy: { body: 'stomr' } })).toEqual(['5']);
  expect(await ids({ prefix: { body: 'fox' } })).toEqual(['1', '2']);
  expect(await ids({ wildcard: { body: 's?a' } })).toEqual(['5', '6']);
  expect(await ids({ regexp: { body: 'fox(es)?' } })).toEqual(['1', '2']);
  expect(await ids({ range: { n: { gt: 2, lte: 8 } } })).toEqual(['3', '5']);
  expect(await ids({ range: { at: { gte: '2024-01-05||/d', lt: '2024-01-05||+1d/d' } } })).toEqual(['5']);
  expect(await ids({ bool: { must_not: { exists: { field: 'n' } } } })).toEqual(['4']);
  expect(await ids({ terms: { tag: ['blue', 'green'] } })).toEqual(['2', '5']);
  expect(await ids({ ids: { values: ['6', '2', 'none'] } })).toEqual(['2', '6']);
  expect(await ids({ query_string: { query: 'tag:red AND (fox OR salt) -lazy', default_field: 'body' } })).toEqual(['1', '6']);
  expect(await ids({ simple_query_string: { query: '"quick storm" | salt', fields: ['body'] } })).toEqual(['5', '6']);
  expect(
    await ids({
      nested: { path: 'parts', query: { bool: { must: [{ term: { 'parts.name': 'all' } }, { range: { 'parts.qty': { lte: 6 } } }] } } },
    }),
  ).toEqual(['5', '6']);
  expect(await ids({ term: { 'parts.name': 'all' } })).toEqual([]);
});

test('pages by search_after and scroll return every hit once, in order', async () => {
  const whole = await search({ sort: [{ tag: 'desc' }, { n: { order: 'asc', missing: '_first' } }] });
  const seen: string[] = [];
  let after: unknown;
  for (;;) {
    const page = await search({
      size: 2,
      sort: [{ tag: 'desc' }, { n: { order: 'asc', missing: '_first' } }],
      ...(after ? { search_after: after } : {}),
    });
    if (page.ids.length === 0) break;
    seen.push(...page.ids);
    after = page.hits.hits.at(-1)!.sort;
  }
  expect(seen).toEqual(whole.ids);
  expect(whole.ids).toEqual(['4', '1', '3', '6', '2', '5']);
});

test('returns sort values of scaled numbers, dates and missing values', async () => {
  const { hits } = await search({ sort: [{ n: 'desc' }, 'price', { at: { order: 'asc' } }], size: 6 });
  expect(hits.hits[0].sort).toEqual([10, 5.25, Date.UTC(2024, 0, 6)]);
  expect(hits.hits.at(-1)!.sort).toEqual([-2147483648, 3.25, Date.UTC(2024, 0, 4)]);
  expect([hits.max_score, hits.hits[0]._score]).toEqual([null, null]);
});

test('limits totals, pages and collected hits', async () => {
  expect((await search({ size: 0, track_total_hits: 3 })).hits.total).toEqual({ value: 3, relation: 'gte' });
  expect((await search({ size: 0, track_total_hits: false })).hits.total).toBeUndefined();
  expect(
    (await search({ query: { match: { body: 'quick' } }, min_score: 0.3, size: 10 })).hits.hits.every((hit) => hit._score! >= 0.3),
  ).toBe(true);
  await expect(search({ from: 9999, size: 2 })).rejects.toMatchObject({ type: 'search_phase_execution_exception', status: 400 });
  await expect(search({ sort: ['body'] })).rejects.toThrow('all shards failed');
});

test('applies post_filter to hits but not to aggregations', async () => {
  const answer = await search({
    query: { match: { body: 'quick' } },
    post_filter: { term: { tag: 'blue' } },
    aggs: { tags: { terms: { field: 'tag' } } },
  });
  expect(answer.ids).toEqual(expect.arrayContaining(['2', '5']));
  expect(answer.hits.total.value).toBe(2);
  expect((answer.aggregations as { tags: { buckets: unknown[] } }).tags.buckets).toHaveLength(2);
});

test('returns the requested parts of hits', async () => {
  const { hits } = await search({
    query: {
      bool: { must: { match: { body: { query: 'storm', _name: 'word' } } }, should: { term: { tag: { value: 'red', _name: 'red' } } } },
    },
    _source: ['parts.q*', 'tag'],
    fields: ['price', { field: 'at', format: 'yyyy' }],
    docvalue_fields: ['n'],
    version: true,
    seq_no_primary_term: true,
    highlight: { fields: { body: {} } },
  });
  expect(hits.hits[0]).toMatchObject({
    _version: 1,
    _seq_no: 4,
    _primary_term: 1,
    _source: { tag: 'blue', parts: [{ qty: 4 }, { qty: 6 }] },
    fields: { price: [4.25], at: ['2024'], n: [8] },
    matched_queries: ['word'],
    highlight: { body: ['<em>storm</em> over the sea: a quick <em>storm</em>'] },
  });
});

test('explains exactly the score of a hit', async () => {
  for (const query of [
    { match: { body: 'quick dog' } },
    { match_phrase: { body: 'quick storm' } },
    { bool: { must: { term: { tag: 'red' } }, should: { match: { body: 'fox' } } } },
  ]) {
    const { hits } = await search({ query, explain: true });
    for (const hit of hits.hits) expect((hit['_explanation'] as { value: number }).value).toBe(hit._score);
  }
});

test('collapse keeps the best hit of each group and returns the others as inner hits', async () => {
  const { hits } = await search({
    sort: ['n'],
    collapse: { field: 'tag', inner_hits: { name: 'all', size: 5, sort: [{ n: 'desc' }], _source: false } },
  });
  expect(hits.hits.map((hit) => [hit._id, hit['fields']])).toEqual([
    ['1', { tag: ['red'] }],
    ['2', { tag: ['blue'] }],
  ]);
  const inner = hits.hits[1]['inner_hits'] as { all: { hits: { hits: Hit[] } } };
  expect(inner.all.hits.hits.map((hit) => hit._id)).toEqual(['5', '2']);
});

test('inner hits identify the nested objects that matched', async () => {
  const query = { nested: { path: 'parts', query: { range: { 'parts.qty': { gte: 6 } } }, inner_hits: { _source: ['parts.name'] } } };
  const { hits } = await search({ query, sort: ['_doc'], size: 1 });
  const inner = hits.hits[0]['inner_hits'] as { parts: { hits: { total: { value: number }; hits: Hit[] } } };
  expect(inner.parts.hits.total.value).toBe(1);
  expect(inner.parts.hits.hits[0]).toMatchObject({ _id: '1', _nested: { field: 'parts', offset: 1 }, _source: { name: 'all' } });
});

test('rescores only the best hits', async () => {
  const first = await search({ query: { match: { body: 'quick' } } });
  const again = await search({
    query: { match: { body: 'quick' } },
    rescore: { window_size: 1, query: { rescore_query: { match_all: {} }, rescore_query_weight: 10 } },
  });
  expect(again.ids[0]).toBe(first.ids[0]);
  expect(again.scores[0]).toBeCloseTo(first.scores[0]! + 10, 4);
  expect(again.scores.slice(1)).toEqual(first.scores.slice(1));
});

test('searches several indices by their own mappings and boosts and reports partial failures', async () => {
  const both = await search({ query: { match: { body: 'quick' } }, indices_boost: [{ other: 5 }] }, 'texts,other');
  expect(both.hits.hits[0]).toMatchObject({ _index: 'other', _score: 5 });
  const partial = (await engine.search({
    index: 'texts,other',
    body: { query: { match_phrase: { body: 'quick brown' } }, sort: ['tag'] },
  })) as unknown as {
    _shards: { failed: number; successful: number; failures: Array<{ index: string; reason: { type: string } }> };
  };
  expect(partial._shards).toMatchObject({
    failed: 1,
    successful: 1,
    failures: [{ index: 'other', reason: { type: 'query_shard_exception' } }],
  });
});

test('a repeated request finds new documents', async () => {
  const body = { query: { term: { tag: 'fresh' } } };
  expect((await search(body)).ids).toEqual([]);
  await engine.index({ index: 'texts', id: 'new', document: { tag: 'fresh' }, refresh: true });
  expect((await search(body)).ids).toEqual(['new']);
  await engine.delete({ index: 'texts', id: 'new', refresh: true });
  expect((await search(body)).ids).toEqual([]);
});

test('profile reports the counters of each shard', async () => {
  const body = { profile: true, query: { match: { body: 'quick storm' } } };
  for (let i = 0; i < 2; i++) {
    const { profile } = (await engine.search({ index: 'texts', body })) as unknown as {
      profile: { shards: Array<{ index: string; shard_id: number; searches: Array<{ query: Body[]; collector: Body[] }> }> };
    };
    expect(profile.shards).toHaveLength(1);
    expect(profile.shards[0]).toMatchObject({ index: 'texts', shard_id: 0 });
    const [{ query, collector }] = profile.shards[0].searches;
    // Four documents contain `quick`, one of them also `storm`: each clause counts a score.
    expect(query).toMatchObject([
      { type: 'BooleanQuery', description: 'body:quick body:storm', breakdown: { next_doc_count: 4, score_count: 5 } },
    ]);
    expect(collector[0]['name']).toBe('TopScoreDocCollector');
  }
});

test('profile measures each clause separately and each aggregation by the time it adds', async () => {
  const query = {
    bool: {
      must: [{ match: { body: { query: 'quick', boost: 2 } } }],
      filter: [{ bool: { should: [{ term: { body: 'storm' } }, { term: { body: 'nothing' } }] } }],
      must_not: [{ constant_score: { filter: { term: { body: 'nothing' } } } }],
    },
  };
  const aggs = {
    all: { filter: { match_all: {} }, aggs: { n: { value_count: { field: '_index' } } } },
    other: { value_count: { field: '_index' } },
  };
  const { profile } = (await engine.search({ index: 'texts', body: { profile: true, query, aggs } })) as unknown as { profile: Body };
  const [{ searches, aggregations }] = profile['shards'] as Body[];
  const [{ query: tree, collector }] = searches as Array<{ query: Body[]; collector: Body[] }>;
  const shape = ({ type, description, children }: Body): unknown => [type, description, ...((children ?? []) as Body[]).map(shape)];
  expect((tree[0]['children'] as Body[]).map(shape)).toEqual([
    ['TermQuery', 'body:quick'],
    ['BooleanQuery', 'body:storm body:nothing', ['TermQuery', 'body:storm'], ['TermQuery', 'body:nothing']],
    ['ConstantScoreQuery', 'ConstantScore(body:nothing)', ['TermQuery', 'body:nothing']],
  ]);
  const [quick, storms] = tree[0]['children'] as Array<{ breakdown: Body; time_in_nanos: number; children: Body[] }>;
  expect(quick.breakdown).toMatchObject({ next_doc_count: 4, score_count: 4, create_weight_count: 1, advance: 0, match_count: 0 });
  expect(storms.breakdown).toMatchObject({ next_doc_count: 2, score_count: 0, score: 0 });
  expect(quick.time_in_nanos).toBeGreaterThan(0);
  expect(collector[0]).toMatchObject({
    reason: 'search_query_phase',
    children: [{ reason: 'search_top_hits' }, { reason: 'aggregation' }],
  });
  expect((aggregations as Body[]).map(shape)).toEqual([
    ['FilterAggregator', 'all', ['ValueCountAggregator', 'n']],
    ['ValueCountAggregator', 'other'],
  ]);
  expect((aggregations as Array<{ breakdown: Body }>)[0].breakdown).toMatchObject({
    collect_count: 1,
    initialize_count: 1,
    reduce_count: 0,
  });
});

test('a short page over many segments is a prefix of a long one', async () => {
  const rng = new Rng(7);
  await engine.indices.create({
    index: 'segments',
    body: { settings: { refresh_interval: '-1' }, mappings: { properties: { body: { type: 'text' } } } },
  });
  const words = ['often', 'common', 'some', 'rare', 'rarer', 'scarce'];
  for (let segment = 0; segment < 6; segment++) {
    const operations = Array.from({ length: 60 }, () => [
      { index: {} },
      { body: Array.from({ length: rng.int(1, 12) }, () => words[rng.skewed(words.length)] ?? 'often').join(' ') },
    ]).flat();
    await engine.bulk({ index: 'segments', refresh: true, operations });
  }
  for (const query of ['often rare', 'some rarer scarce', 'scarce rare', 'common', 'often common some rare rarer scarce']) {
    const page = async (size: number) => {
      const { hits } = await engine.search({ index: 'segments', body: { size, query: { match: { body: query } } } });
      return (hits as unknown as { hits: Hit[] }).hits.map(({ _id, _score }) => [_id, _score]);
    };
    const all = await page(500);
    for (const size of [1, 3, 10]) expect(await page(size)).toEqual(all.slice(0, size));
  }
});
