// What a search through an alias with a filter, or of a slice, looks at besides its matches; documents that queries name through aliases.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    team: { type: 'keyword' },
    word: { type: 'keyword' },
    text: { type: 'text' },
    query: { type: 'percolator' },
    n: { type: 'long' },
  };
  const aliases = { red: { filter: { term: { team: 'red' } } }, all: {}, several: {}, routed: { search_routing: 'r' } };
  await node.ok('PUT /docs', {
    settings: { number_of_shards: 2 },
    mappings: { properties: { ...properties, shape: { type: 'geo_shape' } } },
    aliases,
  });
  await node.ok('PUT /other', { aliases: { several: {} } });
  const lines = Array.from({ length: 12 }, (_, i) => {
    const team = i % 3 === 0 ? 'red' : 'blue';
    return [{ index: { _id: String(i) } }, { team, word: `${team}${i % 2}`, text: `${team} text`, n: i, shape: 'POINT (1 2)' }];
  });
  await node.ok('POST /docs/_bulk?refresh=true', [
    ...lines.flat(),
    { index: { _id: 'q' } },
    { team: 'red', query: { term: { word: 'red0' } } },
  ]);
  await node.ok('PUT /docs/_doc/r?routing=r&refresh=true', { word: 'blue1' });
});

afterAll(() => node.close());

const aggregate = async (target: string, aggs: object, rest: object = {}) =>
  (await node.ok(`POST /${target}/_search`, { size: 0, aggs, ...rest })).aggregations;

describe('through an alias with a filter', () => {
  test('global aggregations see the documents of the alias, whatever the query is', async () => {
    const query = { term: { n: 0 } };
    const words = { terms: { field: 'word' } };
    const scripted = { terms: { script: "doc['team'].size() == 0 ? '' : doc['team'].value" } };
    const { g } = await aggregate('red', { g: { global: {}, aggs: { words, scripted } } }, { query });
    expect(g.doc_count).toBe(5);
    expect(g.words.buckets.map(({ key, doc_count }: any) => [key, doc_count])).toEqual([
      ['red0', 2],
      ['red1', 2],
    ]);
    expect(g.scripted.buckets.map(({ key }: any) => key)).toEqual(['red']);
    expect((await aggregate('all', { g: { global: {} } }, { query })).g.doc_count).toBe(14);
  });

  test('significant terms and text have the documents of the alias as their background', async () => {
    const aggs = {
      terms: { significant_terms: { field: 'word', min_doc_count: 1 } },
      text: { significant_text: { field: 'text', min_doc_count: 1 } },
      filtered: { significant_terms: { field: 'word', min_doc_count: 1, background_filter: { range: { n: { lt: 9 } } } } },
    };
    const query = { term: { n: 0 } };
    const counts = async (target: string) => {
      const { terms, text, filtered } = await aggregate(target, aggs, { query });
      return [terms.bg_count, text.bg_count, filtered.bg_count];
    };
    expect(await counts('red')).toEqual([5, 5, 3]);
    expect(await counts('all')).toEqual([14, 14, 9]);
    const { terms } = await aggregate('red', aggs, { query });
    expect(terms.buckets.map(({ key, bg_count }: any) => [key, bg_count])).toEqual([['red0', 2]]);
  });

  test('an explained document outside of the alias does not match', async () => {
    const explain = (target: string, id: string) => node.ok(`POST /${target}/_explain/${id}`, { query: { match_all: {} } });
    expect((await explain('red', '1')).matched).toBe(false);
    expect(await explain('red', '0')).toMatchObject({ matched: true, explanation: { value: 1 } });
    expect((await explain('all', '1')).matched).toBe(true);
  });
});

test('global aggregations of slices together see each document once', async () => {
  const aggs = { g: { global: {} } };
  const count = async (id: number): Promise<number> => {
    const body = { size: 1, query: { match_none: {} }, slice: { id, max: 3 }, aggs };
    return (await node.ok('POST /docs/_search?scroll=1m', body)).aggregations.g.doc_count;
  };
  const counts = await Promise.all([0, 1, 2].map(count));
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(14);
  expect(Math.max(...counts)).toBeLessThan(14);
});

describe('documents that queries name through an alias', () => {
  const found = async (query: object) =>
    (await node.ok('POST /docs/_search', { query, sort: 'n', size: 30 })).hits.hits.map(({ _id }: any) => _id);

  test('are read as by their index, with the routing of the alias', async () => {
    expect(await found({ terms: { word: { index: 'red', id: '1', path: 'word' } } })).toEqual(['1', '5', '7', '11', 'r']);
    expect(await found({ terms: { word: { index: 'routed', id: 'r', path: 'word' } } })).toEqual(['1', '5', '7', '11', 'r']);
    expect(await found({ percolate: { field: 'query', index: 'all', id: '0' } })).toEqual(['q']);
    expect(await found({ geo_shape: { shape: { indexed_shape: { index: 'all', id: '0', path: 'shape' } } } })).toHaveLength(12);
    const like = [{ _index: 'red', _id: '0' }];
    expect(await found({ more_like_this: { fields: ['word'], like, min_term_freq: 1, min_doc_freq: 1 } })).toEqual(['6']);
  });

  test('need an alias of one index', async () => {
    const { status, json } = await node.send('POST /docs/_search', {
      query: { terms: { word: { index: 'several', id: '1', path: 'word' } } },
    });
    expect([status, json.error.reason]).toEqual([
      400,
      "alias [several] has more than one index associated with it [docs, other], can't execute a single index op",
    ]);
    expect((await node.send('POST /docs/_search', { query: { terms: { word: { index: 'none', id: '1', path: 'word' } } } })).status).toBe(
      404,
    );
  });
});
