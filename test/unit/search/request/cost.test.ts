import { expect, test } from 'vitest';
import { costOfSearch, HEAVY_US } from '../../../../src/search/request/cost.ts';
import { parseSearchRequest } from '../../../../src/search/request/search-request.ts';

const isHeavy = (body: object, docs = 1_000_000) => costOfSearch(parseSearchRequest(body), docs) > HEAVY_US;

const script = (source: string) => ({ script: { script: { source } } });

test.each([
  ['a match query', { query: { match: { title: 'a b c' } } }],
  [
    'a filter with facets',
    { query: { bool: { filter: [{ term: { a: 1 } }, { range: { n: { gt: 1 } } }] } }, aggs: { a: { terms: { field: 'a', size: 100 } } } },
  ],
  [
    'a histogram of facets',
    { size: 0, aggs: { a: { date_histogram: { field: 'd', fixed_interval: '1d' }, aggs: { b: { terms: { field: 'k' } } } } } },
  ],
  ['a highlighted page', { size: 20, query: { match: { title: 'a' } }, highlight: { fields: { title: {} } } }],
  ['a page of 1,000 hits', { size: 1000 }],
  ['a prefix', { query: { prefix: { k: 'ab' } } }],
  ['a bool of 500 clauses', { query: { bool: { should: Array.from({ length: 500 }, () => ({ term: { a: 1 } })) } } }],
])('%s stays in the http worker', (_, body) => {
  expect(isHeavy(body)).toBe(false);
});

test.each([
  ['a script over many documents', { query: script("doc['n'].value > 1") }],
  ['a sort by a script', { sort: [{ _script: { type: 'number', script: { source: "doc['n'].value" } } }] }],
  ['a leading wildcard', { query: { wildcard: { k: '*a' } } }],
  ['a regular expression that begins with anything', { query: { regexp: { k: '.*a' } } }],
  ['a query string with one', { query: { query_string: { query: 'k:*a' } } }],
  ['10,000 hits', { size: 10_000 }],
  ['300 highlighted hits', { size: 300, highlight: { fields: { t: {} } } }],
  [
    'nested terms of large sizes',
    { aggs: { a: { terms: { field: 'k', size: 1000 }, aggs: { b: { terms: { field: 'n', size: 1000 } } } } } },
  ],
  ['a scripted metric', { aggs: { a: { scripted_metric: { map_script: '1', combine_script: '1', reduce_script: '1' } } } }],
  ['text analysed for an aggregation', { aggs: { a: { significant_text: { field: 't' } } } }],
  ['100,000 filters', { aggs: { a: { filters: { filters: Array.from({ length: 10_000 }, () => ({ match_all: {} })) } } } }],
  ['100,000 ids', { query: { ids: { values: Array.from({ length: 100_000 }, String) } } }],
])('%s runs in a lane', (_, body) => {
  expect(isHeavy(body)).toBe(true);
});

test.each(['for (int i = 0; i < 3; i++) {} return 1', 'while (true) {}', "['a'].forEach(x -> x)", "/a+/.matcher(doc['k'].value) =~ 1"])(
  'a script that may repeat its steps runs in a lane, however few documents there are: %s',
  (source) => {
    expect(isHeavy({ query: script(source) }, 1)).toBe(true);
    expect(isHeavy({ query: script("doc['n'].value > 1") }, 1)).toBe(false);
  },
);

test('repetitions in a pattern multiply', () => {
  expect(isHeavy({ query: { regexp: { k: '(k|[a-z0-9]{0,60}){0,300}' } } }, 1)).toBe(true);
  expect(isHeavy({ query: { query_string: { query: '/(k|[a-z0-9]{0,60}){0,300}/' } } }, 1)).toBe(true);
  expect(isHeavy({ query: { regexp: { k: 'ab{1,3}c' } } }, 1)).toBe(false);
});
