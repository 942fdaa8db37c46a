// Limits of searches: excessive ones are refused before the work is done, with Elasticsearch's types and reasons.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
const DOCUMENTS = 3000;

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs', {
    mappings: { properties: { code: { type: 'keyword' }, n: { type: 'integer' }, day: { type: 'date' }, text: { type: 'text' } } },
  });
  const lines = Array.from({ length: DOCUMENTS }, (_, i) => [
    { index: { _id: String(i) } },
    { code: `c${String(i).padStart(5, '0')}`, n: i, day: i * 86_400_000, text: `w${i % 10}` },
  ]);
  await node.ok('POST /docs/_bulk?refresh=true', lines.flat());
});

afterAll(() => node.close());

/** Status, and type and reason of the innermost cause. */
async function failure(body: object): Promise<{ status: number; type: string; reason: string }> {
  const { status, json } = await node.send('POST /docs/_search', body);
  let cause = json.error?.failed_shards?.[0]?.reason ?? json.error?.caused_by ?? json.error ?? {};
  while (cause.caused_by) cause = cause.caused_by;
  return { status, type: cause.type, reason: cause.reason };
}

function setMaxClauses(value: number | null): Promise<unknown> {
  return node.ok('PUT /_cluster/settings', { transient: { 'indices.query.bool.max_clause_count': value } });
}

const terms = (count: number): object[] => Array.from({ length: count }, (_, i) => ({ term: { n: i } }));

describe('clauses', () => {
  beforeAll(() => setMaxClauses(1024));
  afterAll(() => setMaxClauses(null));

  test('of one bool', async () => {
    const reason = 'maxClauseCount is set to 1024';
    expect(await failure({ query: { bool: { should: terms(1025) } } })).toEqual({ status: 400, type: 'too_many_clauses', reason });
  });

  test('of several bools together', async () => {
    const query = { bool: { should: [{ bool: { should: terms(600) } }, { bool: { must_not: terms(600) } }] } };
    const reason = 'Query contains too many nested clauses; maxClauseCount is set to 1024';
    expect(await failure({ query })).toEqual({ status: 400, type: 'too_many_nested_clauses', reason });
  });

  test.each([
    ['dis_max', { dis_max: { queries: terms(1025) } }],
    ['span_or', { span_or: { clauses: Array.from({ length: 1025 }, (_, i) => ({ span_term: { text: `w${i}` } })) } }],
    ['nested function_score', { function_score: { functions: terms(1025).map((filter) => ({ filter, weight: 1 })) } }],
  ])('of %s', async (_name, query) => {
    expect(await failure({ query })).toMatchObject({ status: 400, type: 'too_many_nested_clauses' });
  });

  test('are limited by indices.query.bool.max_clause_count', async () => {
    await setMaxClauses(2000);
    expect((await node.ok('POST /docs/_search', { query: { bool: { should: terms(1999) } } })).hits.total.value).toBe(1999);
    await setMaxClauses(10);
    expect(await failure({ query: { bool: { filter: terms(11) } } })).toMatchObject({ type: 'too_many_clauses' });
    expect(await failure({ query: { prefix: { code: { value: 'c0000', rewrite: 'scoring_boolean' } } } })).toMatchObject({ status: 200 });
    expect(await failure({ query: { prefix: { code: { value: 'c000', rewrite: 'scoring_boolean' } } } })).toMatchObject({
      type: 'too_many_clauses',
    });
    await setMaxClauses(1024);
  });

  test('ids are limited like terms', async () => {
    const values = Array.from({ length: 65_537 }, (_, i) => String(i));
    expect(await failure({ query: { ids: { values } } })).toEqual({
      status: 400,
      type: 'illegal_argument_exception',
      reason:
        'The number of ids [65537] used in the Ids Query request has exceeded the allowed maximum of [65536]. ' +
        'This maximum can be set by changing the [index.max_terms_count] index level setting.',
    });
  });
});

describe('buckets', () => {
  const aggs = (a: object): object => ({ size: 0, aggs: { a } });

  test('requested by auto_date_histogram', async () => {
    expect(await failure(aggs({ auto_date_histogram: { field: 'day', buckets: 1e9 } }))).toEqual({
      status: 400,
      type: 'illegal_argument_exception',
      reason: 'buckets must be less than 2184',
    });
    expect(await failure(aggs({ auto_date_histogram: { field: 'day', buckets: 2184 } }))).toMatchObject({ status: 200 });
  });

  test('of every pair of values', async () => {
    const all = { field: 'code', size: 1_000_000, min_doc_count: 0 };
    expect(await failure(aggs({ terms: all, aggs: { b: { terms: all } } } as object))).toMatchObject({
      status: 400,
      type: 'too_many_buckets_exception',
    });
  });

  test.each([
    [{ _key: 'asc' }, ['c00000', 'c00001', 'c00002']],
    [{ _key: 'desc' }, ['c02999', 'c02998', 'c02997']],
    [{ _count: 'desc' }, ['c00002', 'c00000', 'c00001']],
    [{ _count: 'asc' }, ['c00000', 'c00001', 'c00003']],
  ])('empty ones come in the order %j below many parents', async (order, keys) => {
    const body = {
      size: 0,
      query: { range: { n: { lt: 500 } } },
      aggs: {
        a: {
          terms: { field: 'n', size: 500, order: { _key: 'asc' } },
          aggs: { b: { terms: { field: 'code', size: 3, min_doc_count: 0, order } } },
        },
      },
    };
    const { aggregations } = await node.ok('POST /docs/_search', body);
    expect(aggregations.a.buckets).toHaveLength(500);
    const shown = aggregations.a.buckets[2].b.buckets.map(({ key }: { key: string }) => key);
    expect(shown).toEqual(keys);
  });

  test('of 100,000 filters or ranges', async () => {
    expect(await failure(aggs({ filters: { filters: Array(100_000).fill({ match_all: {} }) } }))).toMatchObject({ status: 400 });
    expect(await failure(aggs({ range: { field: 'n', ranges: Array(100_000).fill({ from: 1 }) } }))).toMatchObject({
      status: 503,
      type: 'too_many_buckets_exception',
    });
  });
});

describe('lists of a search body', () => {
  test.each([
    ['sort', { sort: Array(10_000).fill('n') }],
    ['rescore', { rescore: Array(1000).fill({ query: { rescore_query: { match_all: {} } } }) }],
    ['highlight', { highlight: { fields: Array(2000).fill({ text: {} }) } }],
    ['inner_hits', { collapse: { field: 'code', inner_hits: Array.from({ length: 200 }, (_, i) => ({ name: `i${i}` })) } }],
  ])('[%s] is limited', async (name, body) => {
    const { status, json } = await node.send('POST /docs/_search', body);
    expect({ status, type: json.error.type }).toEqual({ status: 400, type: 'illegal_argument_exception' });
    expect(json.error.reason).toMatch(new RegExp(`^\\[${name}\\] may have at most \\[\\d+\\] entries, got \\[\\d+\\]$`));
  });
});

test('hits of a response are counted over all inner hits', async () => {
  const filler = 'x'.repeat(30_000);
  await node.ok('PUT /wide', { mappings: { properties: { tag: { type: 'keyword' }, filler: { enabled: false, type: 'object' } } } });
  const lines = Array.from({ length: 100 }, (_, i) => [{ index: {} }, { tag: `t${i % 10}`, filler: { filler } }]).flat();
  await node.ok('POST /wide/_bulk?refresh=true', lines);
  // 10 groups with 100 inner hits of 10 documents each: 300 MB.
  const collapse = { field: 'tag', inner_hits: Array.from({ length: 100 }, (_, i) => ({ name: `h${i}`, size: 100 })) };
  const { status, text } = await node.send('POST /wide/_search', { size: 10, collapse });
  expect(status).toBe(429);
  expect(text).toContain('circuit_breaking_exception');
});

test('a document with more new fields than a mapping may have is refused, and one that fits is not', async () => {
  const fields = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]));
  const { status, text } = await node.send('POST /fields/_doc', fields(50_000));
  expect(status).toBe(400);
  expect(text).toContain('Limit of total fields [1000] has been exceeded');
  expect((await node.send('POST /fields/_doc', fields(1001))).status).toBe(400);
  expect((await node.send('POST /fields/_doc', fields(1000))).status).toBe(201);
  expect((await node.send('POST /fields/_doc', fields(1000))).status).toBe(201);
});

test('the names of all fields of an index together are limited', async () => {
  const long = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`${'k'.repeat(10_000)}${i}`, i]));
  const refusal = 'Limit of [512000] characters in the names of all fields has been exceeded';
  expect((await node.send('POST /names/_doc', long(60))).text).toContain(refusal);
  expect((await node.send('POST /names/_doc', long(40))).status).toBe(201);
  const properties = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${'p'.repeat(10_000)}${i}`, { type: 'long' }]));
  const { status, text } = await node.send('PUT /names/_mapping', { properties });
  expect([status, text.includes(refusal)]).toEqual([400, true]);
  // The path of a field contains the names of the objects around it.
  const nested = { ['o'.repeat(10_000)]: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, i])) };
  expect((await node.send('POST /paths/_doc', nested)).text).toContain(refusal);
});

test('the settings of an index are limited', async () => {
  const normalizers = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, { type: 'custom' }]));
  const { status, json } = await node.send('PUT /settings', { settings: { analysis: { normalizer: normalizers(3001) } } });
  expect([status, json.error.reason]).toEqual([400, 'Limit of [3000] settings in one index has been exceeded']);
});

test('runtime fields count as fields', async () => {
  await node.ok('PUT /runtime', { mappings: { dynamic: 'runtime' } });
  const fields = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`f${i}`, i]));
  expect((await node.send('POST /runtime/_doc', fields)).text).toContain('Limit of total fields [1000] has been exceeded');
});

test('a bulk request of many tiny documents keeps their order', async () => {
  const count = 12_000;
  const lines = Array.from({ length: count }, (_, i) => `{"index":{"_id":"${i % 6000}"}}\n{"v":${i}}\n`).join('');
  const { items, errors } = await node.ok('POST /tiny/_bulk?refresh=true', lines);
  expect(errors).toBe(false);
  expect(items).toHaveLength(count);
  expect(items[5999].index).toMatchObject({ _id: '5999', result: 'created' });
  expect(items[11_999].index).toMatchObject({ _id: '5999', result: 'updated' });
  expect((await node.ok('GET /tiny/_doc/0'))._source).toEqual({ v: 6000 });
});

test('an analyzer with a hundred thousand filters is refused', async () => {
  const filter = Array(100_000).fill('lowercase');
  for (const analysis of [{ analyzer: { a: { tokenizer: 'standard', filter } } }, { normalizer: { n: { type: 'custom', filter } } }]) {
    const { status, text } = await node.send('PUT /chained', { settings: { analysis } });
    expect(status).toBe(400);
    expect(text).toContain('at most [1000] components of a kind, got [100000]');
  }
});
