// Kinds of values that parameters of a search body and of its URL take. The answers are those of Elasticsearch 8.15.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  const properties = { k: { type: 'keyword' }, n: { type: 'integer' }, r: { type: 'integer_range' }, '1': { type: 'integer' } };
  await node.ok('PUT /kinds', { settings: { number_of_shards: 1 }, mappings: { properties } });
  await node.ok('PUT /kinds/_doc/1?refresh=true', { k: 'a', n: 1, r: { gte: 4, lte: 6 }, '1': 7 });
});
afterAll(() => node.close());

const withoutPosition = (reason: string | undefined) => reason?.replace(/^\[\d+:\d+\] /, '');
const failure = async (body: object) => {
  const { status, json } = await node.send('POST /kinds/_search', body);
  return [status, json.error?.type, withoutPosition(json.error?.reason), withoutPosition(json.error?.caused_by?.reason)];
};

test.each([
  [{ sort: [{ n: { order: 1 } }] }, "[field_sort] order doesn't support values of type: VALUE_NUMBER"],
  [{ sort: [{ n: { unmapped_type: ['long'] } }] }, "[field_sort] unmapped_type doesn't support values of type: START_ARRAY"],
  [{ sort: [{ n: { nested: 'x' } }] }, "[field_sort] nested doesn't support values of type: VALUE_STRING"],
  [{ sort: [{ n: { missing: {} } }] }, "[field_sort] missing doesn't support values of type: START_OBJECT"],
  [{ collapse: { field: [] } }, "[collapse] field doesn't support values of type: START_ARRAY"],
  [
    { collapse: { field: 'k', max_concurrent_group_searches: {} } },
    "[collapse] max_concurrent_group_searches doesn't support values of type: START_OBJECT",
  ],
  [{ aggs: { a: { cardinality: { field: 'k', rehash: true } } } }, "[cardinality] rehash doesn't support values of type: VALUE_BOOLEAN"],
])('%j is refused as the parser of its part refuses it', async (body, reason) => {
  expect(await failure(body)).toEqual([400, 'x_content_parse_exception', reason, undefined]);
});

test('a parameter of the hits of groups is named with the parts around it', async () => {
  const collapse = (inner: object) => ({ collapse: { field: 'k', inner_hits: { name: 'g', ...inner } } });
  const failed = [400, 'x_content_parse_exception', '[collapse] failed to parse field [inner_hits]'];
  expect(await failure(collapse({ size: [] }))).toEqual([...failed, "[inner_hits] size doesn't support values of type: START_ARRAY"]);
  expect(await failure(collapse({ sort: [1] }))).toEqual([...failed, '[inner_hits] failed to parse field [sort]']);
  expect((await node.send('POST /kinds/_search', collapse({ ignore_unmapped: true }))).status).toBe(200);
});

test('source filters are strings or lists of strings', async () => {
  expect(await failure({ _source: { includes: -1 } })).toEqual([
    400,
    'parsing_exception',
    'Unknown key for a VALUE_NUMBER in [includes].',
    undefined,
  ]);
  expect(await failure({ _source: { excludes: [true] } })).toEqual([
    400,
    'parsing_exception',
    'Unknown key for a VALUE_BOOLEAN in [excludes].',
    undefined,
  ]);
});

test('names of fields may be numbers', async () => {
  const { hits } = await node.ok('POST /kinds/_search', { docvalue_fields: [1], _source: false });
  expect(hits.hits[0].fields).toEqual({ 1: [7] });
});

test('fractions of integers are cut off, too large ones are refused', async () => {
  const terms = (size: unknown) => ({ size: 0, aggs: { a: { terms: { field: 'k', size } } } });
  expect((await node.send('POST /kinds/_search', terms(1.5))).status).toBe(200);
  expect((await node.send('POST /kinds/_search', terms('1.5'))).status).toBe(200);
  expect(await failure(terms(99_999_999_999))).toEqual(
    expect.arrayContaining([400, 'x_content_parse_exception', '[terms] failed to parse field [size]']),
  );
  const range = 'out of range of int (-2147483648 - 2147483647)';
  const large = `Numeric value (99999999999) ${range}`;
  expect(await failure({ size: 99_999_999_999 })).toEqual([400, 'x_content_parse_exception', large, large]);
  const match = { match: { k: { query: 'a', prefix_length: 99_999_999_999 } } };
  expect(await failure({ query: match })).toEqual([400, 'x_content_parse_exception', large, large]);
});

test('tie breakers are between 0 and 1', async () => {
  for (const query of [
    { dis_max: { queries: [{ match_all: {} }], tie_breaker: 2 } },
    { multi_match: { query: 'a', fields: ['k', 'n'], tie_breaker: -1, lenient: true } },
  ]) {
    const { status, text } = await node.send('POST /kinds/_search', { query });
    expect([status, text.includes('failed to create query: tieBreakerMultiplier must be in [0, 1]')]).toEqual([400, true]);
  }
});

test('a search of all fields searches those of ranges, too', async () => {
  expect((await node.ok('GET /kinds/_search?q=5')).hits.total.value).toBe(1);
  expect((await node.ok('GET /kinds/_search?q=9')).hits.total.value).toBe(0);
});

test('parameters of a query string need one', async () => {
  for (const api of ['_search', '_count']) {
    const { status, json } = await node.send(`GET /kinds/${api}?lenient=true&df=k`);
    const reason = `request [/kinds/${api}] contains parameters [df, lenient] but missing query string parameter 'q'.`;
    expect([status, json.error.type, json.error.reason]).toEqual([400, 'illegal_argument_exception', reason]);
  }
  expect((await node.send('GET /kinds/_validate/query?df=k')).json.error.reason).toContain('unrecognized parameter: [df]');
  const other = await openRestNode({ 'compat.flavor': 'opensearch' });
  try {
    const { json } = await other.send('GET /_search?lenient=true&df=k');
    expect(json.error.reason).toBe('request [/_search] contains unrecognized parameters: [df], [lenient]');
  } finally {
    await other.close();
  }
  expect((await node.send('GET /kinds/_search?min_score=1')).json.error.reason).toContain('unrecognized parameter: [min_score]');
});
