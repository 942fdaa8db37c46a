// Hits of a search over indices of several nodes equal those of one node that has all of them, byte for byte.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiError } from '../../../../../src/errors/api-error.ts';
import { type ApartNodes, apartNodes } from '../../../../support/apart-nodes.ts';
import { openRestNode, type RestNode } from '../../../../support/rest-node.ts';
import { fillApart, PLACEMENT } from './documents.ts';

let whole: RestNode;
let nodes: ApartNodes;
beforeAll(async () => {
  whole = await openRestNode();
  await fillApart(whole);
  nodes = apartNodes(whole, { ...PLACEMENT });
});
afterAll(() => whole.close());

const unTimed = (text: string) =>
  text
    .replaceAll(/"took":\d+/g, '"took":0')
    .replaceAll(/"_node":"[^"]*"/g, '"_node":"x"')
    .replaceAll(/"node":"[^"]*"/g, '"node":"x"');

async function expectSame(line: string, body?: unknown): Promise<string> {
  const expected = await whole.send(line, body);
  for (const node of Object.keys(PLACEMENT)) {
    const answer = await nodes.send(node, line, body);
    expect([answer.status, unTimed(answer.text)]).toEqual([expected.status, unTimed(expected.text)]);
  }
  return expected.text;
}

const QUERIES: Record<string, unknown> = {
  match_all: {},
  match: { title: 'quick fox' },
  match_phrase: { title: 'brown fox' },
  match_phrase_prefix: { title: 'quick br' },
  match_bool_prefix: { title: 'lazy do' },
  multi_match: { query: 'fox dog', fields: ['title^2', 'body'] },
  combined_fields: { query: 'fox dog', fields: ['title', 'body'] },
  query_string: { query: 'title:fo* OR tag:red' },
  simple_query_string: { query: 'fox + lazy', fields: ['title'] },
  term: { tag: 'red' },
  terms: { tag: ['red', 'blue'] },
  terms_set: { tag: { terms: ['red', 'blue'], minimum_should_match: '1' } },
  range: { n: { gte: 3, lt: 40 } },
  exists: { field: 'opt' },
  prefix: { tag: 'r' },
  wildcard: { tag: '*e*' },
  regexp: { tag: 'r.*' },
  fuzzy: { title: 'quik' },
  ids: { values: ['a1', 'b2', 'c3'] },
  constant_score: { filter: { term: { tag: 'red' } }, boost: 2 },
  bool: { must: [{ match: { title: 'fox' } }], should: [{ term: { tag: 'red' } }], must_not: [{ range: { n: { gt: 50 } } }] },
  boosting: { positive: { match: { title: 'fox' } }, negative: { term: { tag: 'red' } }, negative_boost: 0.3 },
  dis_max: { queries: [{ match: { title: 'fox' } }, { match: { body: 'dog' } }], tie_breaker: 0.4 },
  function_score: { query: { match: { title: 'fox' } }, field_value_factor: { field: 'n', missing: 1 } },
  script_score: { query: { match_all: {} }, script: { source: "doc['n'].size() == 0 ? 0 : doc['n'].value" } },
  nested: { path: 'parts', query: { match: { 'parts.name': 'wheel' } }, score_mode: 'max', inner_hits: {} },
  has_child: { type: 'answer', query: { match_all: {} }, score_mode: 'sum', inner_hits: { size: 1 } },
  has_parent: { parent_type: 'question', query: { match_all: {} }, score: true },
  geo_distance: { distance: '2000km', at: { lat: 50, lon: 10 } },
  geo_bounding_box: { at: { top_left: { lat: 60, lon: 0 }, bottom_right: { lat: 40, lon: 15 } } },
  distance_feature: { field: 'when', origin: '2024-01-10', pivot: '3d' },
  rank_feature: { field: 'rank' },
  more_like_this: { fields: ['title'], like: 'quick brown fox', min_term_freq: 1, min_doc_freq: 1 },
  intervals: { title: { match: { query: 'quick fox', max_gaps: 2 } } },
  span_near: { clauses: [{ span_term: { title: 'quick' } }, { span_term: { title: 'fox' } }], slop: 3 },
  match_none: {},
};

describe('each query', () => {
  for (const [kind, body] of Object.entries(QUERIES))
    test(kind, async () => {
      await expectSame('POST /a,b,c/_search', { query: { [kind]: body }, size: 7 });
    });
});

const SEARCHES: Record<string, unknown> = {
  'a later page': { query: { match: { title: 'fox' } }, from: 5, size: 6 },
  'no hits': { query: { match: { title: 'fox' } }, size: 0 },
  'all hits': { size: 1000 },
  'exact totals': { query: { match: { title: 'fox' } }, track_total_hits: true, size: 2 },
  'limited totals': { query: { match: { title: 'fox' } }, track_total_hits: 4, size: 2 },
  'no totals': { query: { match: { title: 'fox' } }, track_total_hits: false, size: 2 },
  'a sort by numbers': { sort: [{ n: 'desc' }], size: 12 },
  'a sort by keywords and score': { query: { match: { title: 'fox' } }, sort: ['tag', '_score'], size: 12 },
  'a sort by dates': { sort: [{ when: { order: 'desc', format: 'yyyy-MM-dd' } }], size: 5 },
  'a sort by documents': { sort: ['_doc'], size: 9 },
  'a sort by shards': { sort: ['_shard_doc'], size: 9 },
  'a sort by distance': { sort: [{ _geo_distance: { at: [10, 50], unit: 'km' } }], size: 9 },
  'a sort by a script': { sort: [{ _script: { type: 'number', script: "doc['n'].size() == 0 ? 1 : doc['n'].value * 2" } }], size: 9 },
  'a sort by nested documents': { sort: [{ 'parts.size': { nested: { path: 'parts' }, mode: 'max' } }], size: 9 },
  'a sort by long integers': { sort: [{ big: 'desc' }], size: 9 },
  'missing values first': { sort: [{ opt: { missing: '_first' } }, { n: 'asc' }], size: 15 },
  'scores with a sort': { query: { match: { title: 'fox' } }, sort: ['n'], track_scores: true, size: 5 },
  'a page after values': { sort: ['n', 'tag'], search_after: [10, 'blue'], size: 5 },
  'a smallest score': { query: { match: { title: 'quick fox' } }, min_score: 0.5 },
  'an early end': { query: { match_all: {} }, terminate_after: 3, size: 20 },
  'a rescorer': { query: { match: { title: 'fox' } }, rescore: { window_size: 5, query: { rescore_query: { match: { body: 'dog' } } } } },
  'a filter after the query': { query: { match: { title: 'fox' } }, post_filter: { term: { tag: 'red' } } },
  'boosts of indices': { query: { match: { title: 'fox' } }, indices_boost: [{ a: 2 }, { 'c*': 0.5 }] },
  'source filters': { _source: { includes: ['t*', 'parts.name'], excludes: ['title'] }, size: 3 },
  'no source': { _source: false, size: 3 },
  fields: { fields: ['n', 'when', 'parts.*', '_index'], docvalue_fields: ['tag', 'big'], stored_fields: ['kept'], size: 9 },
  'fields of scripts': { script_fields: { twice: { script: "doc['n'].size() == 0 ? 0 : doc['n'].value * 2" } }, size: 5 },
  'runtime fields': {
    runtime_mappings: { half: { type: 'double', script: "emit(doc['n'].size() == 0 ? 0 : doc['n'].value / 2.0)" } },
    fields: ['half'],
    sort: ['half'],
  },
  highlights: { query: { match: { title: 'quick fox' } }, highlight: { fields: { title: {}, body: { type: 'plain' } } } },
  explanations: { query: { match: { title: 'fox' } }, explain: true, size: 3 },
  'versions and names': {
    query: {
      bool: { should: [{ match: { title: { query: 'fox', _name: 'first' } } }, { term: { tag: { value: 'red', _name: 'second' } } }] },
    },
    version: true,
    seq_no_primary_term: true,
  },
  'a collapsed field': { query: { match: { title: 'fox' } }, collapse: { field: 'tag' } },
  'a collapsed number': { collapse: { field: 'small' }, sort: ['n'], from: 1, size: 4 },
  'a group of statistics': { stats: ['one'], size: 1 },
};

describe('each part of a search', () => {
  for (const [name, body] of Object.entries(SEARCHES))
    test(name, async () => {
      await expectSame('POST /a,b,c/_search', body);
    });
});

const PARAMETERS = [
  'GET /_search?q=fox&size=3',
  'GET /_all/_search?q=title:fox&df=title&sort=n:desc',
  'GET /*/_search?size=2&rest_total_hits_as_int=true&track_total_hits=true',
  'GET /a,b,c/_search?routing=x&size=5',
  'GET /a,b,c/_search?preference=_shards:1&size=5',
  'GET /a,b,c/_search?preference=session&size=5',
  'GET /a,b,c/_search?filter_path=hits.hits._source.title,_shards&size=5',
  'GET /named/_search?size=20',
  'GET /a,b,c/_search?pre_filter_shard_size=1&size=2',
  'GET /a,b,c/_search?allow_partial_search_results=false&size=1',
  'GET /a,b,missing/_search',
  'GET /a,b,missing/_search?ignore_unavailable=true',
  'GET /a,b,closed/_search',
  'GET /a,b/_search?batched_reduce_size=2',
];

describe('each parameter', () => {
  for (const line of PARAMETERS) test(line, () => expectSame(line).then(() => undefined));

  test('a range that some shards cannot match', async () => {
    await expectSame('POST /a,b,c/_search?pre_filter_shard_size=1', { query: { range: { when: { gte: '2024-03-01' } } } });
    await expectSame('POST /a,b,c/_search?pre_filter_shard_size=1', { query: { range: { when: { gte: '2034-03-01' } } } });
  });
});

test('failures of shards are those of one node', async () => {
  await expectSame('POST /a,b,c/_search', { query: { match: { missing: 'x' } } });
  await expectSame('POST /a,b,c/_search', { sort: ['only_b'] });
  await expectSame('POST /a,b,c/_search', { query: { range: { when: { gte: 'nonsense' } } } });
  await expectSame('POST /a,b,c/_search', { query: { term: { only_c: 'x' } }, sort: ['only_c'], size: 2 });
  await expectSame('POST /a,b,c/_search?allow_partial_search_results=false', { sort: ['only_b'] });
  await expectSame('POST /a,b,c/_search', { query: { nonsense: {} } });
  await expectSame('POST /a,b,c/_search', { from: 10_000, size: 1 });
});

test('a profile has every shard in order', async () => {
  const body = { query: { match: { title: 'fox' } }, profile: true };
  const shown = (text: string) =>
    JSON.parse(text).profile.shards.map(({ id, searches }: any) => [id.replace(/^\[[^\]]*\]/, ''), searches[0].query[0].type]);
  const expected = shown((await whole.send('POST /a,b,c/_search', body)).text);
  for (const node of Object.keys(PLACEMENT)) expect(shown((await nodes.send(node, 'POST /a,b,c/_search', body)).text)).toEqual(expected);
});

test('what needs all shards in one place is refused by its name', async () => {
  const refused: Record<string, unknown> = {
    knn: { knn: { field: 'vec', query_vector: [1, 0], k: 2, num_candidates: 5 } },
    suggest: { suggest: { s: { text: 'fix', term: { field: 'title' } } } },
    'inner_hits of collapse': { collapse: { field: 'tag', inner_hits: { name: 'all' } } },
  };
  for (const [what, body] of Object.entries(refused)) {
    const { status, json } = await nodes.send('A', 'POST /a,b,c/_search', body);
    expect([status, json.error.reason]).toEqual([400, expect.stringContaining(`[${what}] is not supported over indices of several nodes`)]);
  }
  for (const line of ['POST /a,b/_search?search_type=dfs_query_then_fetch', 'POST /a,b/_search?scroll=1m', 'POST /a,b/_pit?keep_alive=1m'])
    expect([line, (await nodes.send('A', line)).status]).toEqual([line, 400]);
});

describe('requests around searches', () => {
  test('counts', async () => {
    await expectSame('GET /a,b,c/_count');
    await expectSame('POST /a,b,c/_count?min_score=0.4', { query: { match: { title: 'fox' } } });
    await expectSame('GET /named/_count?q=fox');
    await expectSame('POST /a,b,c/_count?q=dog', { query: { match: { title: 'fox' } } });
    await expectSame('POST /a,b,c/_count?terminate_after=2', { query: { match: { title: 'fox' } } });
    await expectSame('POST /a,b,c/_count', { query: { match: { title: 'fox' } }, size: 3 });
  });

  test('several searches of different nodes, of which some fail', async () => {
    const lines = [
      { index: 'a' },
      { size: 1 },
      { index: ['b', 'c'] },
      { query: { match: { title: 'fox' } } },
      { index: 'none' },
      {},
      {},
      { query: { range: { when: { gte: 'x' } } } },
    ];
    const body = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
    const expected = await whole.send('POST /_msearch', body);
    for (const node of Object.keys(PLACEMENT)) {
      const answer = await nodes.send(node, 'POST /_msearch', body);
      expect([answer.status, unTimed(answer.text)]).toEqual([expected.status, unTimed(expected.text)]);
    }
  });
});

describe('nodes that fail', () => {
  test('the shards of a node that does not answer fail', async () => {
    nodes.beforePart = (node) => {
      if (node === 'C') throw new ApiError('circuit_breaking_exception', 429, 'too much');
    };
    try {
      const { json } = await nodes.send('A', 'POST /a,b,c/_search', { size: 100 });
      expect(json._shards).toMatchObject({
        total: 6,
        successful: 5,
        failed: 1,
        failures: [{ index: 'b', shard: 0, node: 'C', reason: { reason: 'too much' } }],
      });
      expect(new Set(json.hits.hits.map(({ _index }: { _index: string }) => _index))).toEqual(new Set(['a', 'c']));
      const strict = await nodes.send('A', 'POST /a,b,c/_search?allow_partial_search_results=false');
      expect([strict.status, strict.json.error.reason]).toEqual([429, 'Partial shards failure']);
    } finally {
      nodes.beforePart = () => undefined;
    }
  });

  test('a part is repeated on another node with the copy, and where a copy has moved to', async () => {
    nodes.placement['A'] = ['c', 'a'];
    nodes.placement['B'] = ['a', 'b'];
    let isLost = true;
    nodes.beforePart = (node) => {
      if (node === 'C' && isLost) {
        isLost = false;
        throw new ApiError('node_disconnected_exception', 503, 'gone');
      }
    };
    try {
      nodes.asked.length = 0;
      for (let i = 0; isLost && i < 50; i++) await expectSame('POST /a,b,c/_search', { size: 5 });
      expect(isLost).toBe(false);
      nodes.placement['C'] = ['closed'];
      nodes.believed = { A: ['c', 'a'], B: ['a'], C: ['b', 'closed'] };
      nodes.asked.length = 0;
      const { json } = await nodes.send('A', 'POST /a,b,c/_search', {});
      expect(json._shards).toMatchObject({ total: 6, failed: 0 });
      expect(nodes.asked.map(({ node }) => node)).toEqual(['C', 'B']);
    } finally {
      nodes.beforePart = () => undefined;
      Object.assign(nodes.placement, PLACEMENT);
    }
  });
});

test('_cat/count', async () => {
  for (const node of Object.keys(PLACEMENT))
    expect((await nodes.send(node, 'GET /_cat/count/a,b,c?h=count')).text).toBe((await whole.send('GET /_cat/count/a,b,c?h=count')).text);
});
