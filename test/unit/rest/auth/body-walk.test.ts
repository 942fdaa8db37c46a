// Walks over bodies: every query that names an index, in every place of a search and inside every compound query, and the definitions that are
// stored first and used later. Whatever the body, no byte of a foreign index may be in the answer, and the answer may not reveal whether it exists.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { AGG_NAMES } from '../../../../src/aggs/registry.ts';
import { QUERY_NAMES } from '../../../../src/query/parse-query.ts';
import { CANARY, ForeignData } from './foreign-data.ts';
import {
  AGGREGATIONS,
  COMPOUND,
  insideCompounds,
  LOOKUPS,
  lateSearchesWith,
  MENTIONS,
  PLAIN_AGGREGATIONS,
  SIMPLE,
  searchesWith,
} from './query-places.ts';

const FOREIGN = ['zzsecret', 'zzalias', 'zzstream', '<zzsecret>', 'remote:zzsecret', '<zzsecret-{now/d}>'];

let data: ForeignData;
beforeAll(async () => {
  data = await ForeignData.open();
});
afterAll(() => data.close());
beforeEach(() => data.restoreOwn());

/** Answers that differ only in the requested name are the same. */
const normal = ({ status, text }: { status: number; text: string }, name: string): string =>
  `${status} ${text.replaceAll(name, 'NAME').replaceAll(JSON.stringify(name).slice(1, -1), 'NAME')}`.replaceAll(/"took":\d+/g, '');

test('every query and aggregation is in a table of places', () => {
  const queries = [...Object.keys(COMPOUND), ...SIMPLE];
  expect([...new Set(queries)].sort()).toEqual([...QUERY_NAMES].sort());
  expect([...Object.keys(AGGREGATIONS), ...PLAIN_AGGREGATIONS].sort()).toEqual([...AGG_NAMES].sort());
});

/** Sends a search, and checks that it shows nothing foreign and is answered as one with the name of no index. */
async function checkSearch(body: (name: string) => object, name: string): Promise<{ status: number; text: string }> {
  const answer = await data.as('owner', 'POST /own-1/_search', body(name));
  const where = JSON.stringify(body(name));
  expect(answer.text, where).not.toMatch(CANARY);
  expect(answer.status, `${where} ${answer.text}`).toBeLessThan(500);
  const missing = name.replaceAll(/zz(secret|alias|stream)/g, 'zzmissing');
  expect(normal(answer, name), where).toBe(normal(await data.as('owner', 'POST /own-1/_search', body(missing)), missing));
  return answer;
}

/** As checkSearch, over documents that have the foreign key themselves. */
async function checkLookup(body: (name: string) => object, name: string): Promise<{ status: number; text: string }> {
  const answer = await data.as('owner', 'POST /own-1/_search', body(name));
  const where = JSON.stringify(body(name));
  expect(answer.text, where).not.toMatch(/canaryword|canaryfield|canaryid|zzhidden|zzveil/);
  expect(answer.status, `${where} ${answer.text}`).toBeLessThan(500);
  return answer;
}

/** A search that reads a document is refused because of its index, and not for its form, which would test nothing. */
async function checkRefused(body: (name: string) => object, name: string): Promise<void> {
  expect((await checkSearch(body, name)).text, JSON.stringify(body(name))).toContain('security_exception');
}

test.each(Object.keys(LOOKUPS))('a lookup of %s reads no foreign document from any place of a search', async (kind) => {
  const lookup = LOOKUPS[kind];
  const before = await data.state();
  const places = searchesWith(lookup('zzsecret')).length;
  for (let i = 0; i < places; i++) await checkRefused((name) => searchesWith(lookup(name))[i], 'zzsecret');
  for (const name of FOREIGN.slice(1)) await checkRefused((asked) => ({ query: lookup(asked) }), name);
  expect(await data.state()).toBe(before);
});

test.each(Object.keys(LOOKUPS))('a lookup of %s reads no foreign document from inside any compound query', async (kind) => {
  const compounds = (name: string) => insideCompounds(LOOKUPS[kind](name));
  for (let i = 0; i < compounds('').length; i++) await checkRefused((name) => ({ query: compounds(name)[i] }), 'zzsecret');
});

test.each(Object.keys(LOOKUPS))('a lookup of %s reads no foreign document from hits that are read after the search', async (kind) => {
  for (const at of lateSearchesWith({}).keys()) await checkSearch((name) => lateSearchesWith(LOOKUPS[kind](name))[at], 'zzsecret');
});

test('a runtime field of the type lookup reads no foreign document', async () => {
  const body = (target_index: string) => ({
    runtime_mappings: { found: { type: 'lookup', target_index, input_field: 'k', target_field: 'k', fetch_fields: ['*', 'text'] } },
    fields: ['found'],
  });
  await data.as('root', 'PUT /own-1/_doc/2?refresh=true', { k: 'canarykey', text: 'mine' });
  for (const name of FOREIGN) expect((await checkLookup(body, name)).text, name).not.toContain('"found":[{');
  await data.as('owner', 'PUT /own-1/_mapping', { runtime: body('zzsecret').runtime_mappings });
  expect((await data.as('owner', 'POST /own-1/_search', { fields: ['found'] })).text).not.toMatch(/canaryword|canaryid|"found":\[\{/);
});

test.each(Object.keys(MENTIONS))('a query [%s] that mentions an index does not tell whether it exists', async (kind) => {
  const mention = MENTIONS[kind];
  for (const name of ['zzsecret', 'zzalias']) {
    for (const body of [
      (asked: string) => ({ query: mention(asked) }),
      (asked: string) => ({ size: 0, aggs: { g: { global: {}, aggs: { a: { filter: mention(asked) } } } } }),
    ])
      expect((await checkSearch(body, name)).status).toBe(200);
  }
});

test.each(['regexp', 'fuzzy'])('a query [%s] on the names of indices is refused, whether the index exists or not', async (kind) => {
  for (const name of ['zzsecret', 'zzalias'])
    expect((await checkSearch((asked) => ({ query: { [kind]: { _index: asked } } }), name)).status).toBe(400);
});

test.each(Object.entries(LOOKUPS))('a definition with a lookup of %s reads no foreign document when it is used', async (kind, lookup) => {
  const stored = lookup('zzsecret');
  const before = await data.state();
  const definitions: ReadonlyArray<readonly [line: string, body: unknown, use: string, body?: unknown]> = [
    ['PUT /own-1/_alias/own-filtered', { filter: stored }, 'GET /own-filtered/_search'],
    ['PUT /own-1/_alias/own-filtered', { filter: stored }, 'GET /own-filtered/_count'],
    [
      'PUT /own-1/_alias/own-filtered',
      { filter: { bool: { must_not: stored } } },
      'POST /own-filtered/_delete_by_query',
      { query: { match_all: {} } },
    ],
    [
      'PUT /own-1/_doc/q?refresh=true',
      { stored },
      'POST /own-1/_search',
      { query: { percolate: { field: 'stored', document: { k: 'canarykey' } } } },
    ],
    [
      'PUT /_search/pipeline/walk',
      { request_processors: [{ filter_query: { query: stored } }] },
      'GET /own-1/_search?search_pipeline=walk',
    ],
    ['PUT /_scripts/walk', { script: { lang: 'mustache', source: { query: stored } } }, 'POST /own-1/_search/template', { id: 'walk' }],
  ];
  for (const [line, body, use, used] of definitions) {
    const defined = await data.as('owner', line, body);
    const answer = await data.as('owner', use, used);
    const where = `${kind}: ${line} ${defined.status}; ${use} ${answer.text}`;
    expect(`${defined.text} ${answer.text}`, where).not.toMatch(CANARY);
    expect([defined.status >= 500, answer.status >= 500], where).toEqual([false, false]);
    expect(await data.state(), where).toBe(before);
    await data.restoreOwn();
  }
});
