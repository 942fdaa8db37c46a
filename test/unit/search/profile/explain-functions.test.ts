// Explanations of function_score, as Elasticsearch 8.15 gives them for the same documents.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  const properties = { tag: { type: 'keyword' }, count: { type: 'integer' }, at: { type: 'date' }, place: { type: 'geo_point' } };
  await node.ok('PUT /docs', { mappings: { properties } });
  await node.ok('PUT /docs/_doc/1?refresh=true', { tag: 'a', count: 8, at: '2024-10-15T13:22:58Z', place: [150.5, -7.75] });
});
afterAll(() => node.close());

/** Lines of `value description`, indented by their depth. */
async function explained(body: object): Promise<string[]> {
  const { explanation } = await node.ok('POST /docs/_explain/1', {
    query: { function_score: { query: { match_all: {} }, ...body } },
  });
  const lines: string[] = [];
  const add = ({ value, description, details }: any, depth: number): void => {
    lines.push(`${' '.repeat(depth)}${value} ${description}`);
    for (const detail of details) add(detail, depth + 1);
  };
  add(explanation, 0);
  return lines;
}

const MOST = '3.4028234663852886e+38 maxBoost'.replace('3.4028234663852886e+38', String(3.4028235e38));

test('one function multiplies the score of the query', async () => {
  const field_value_factor = { field: 'count', modifier: 'log1p', factor: 2, missing: 1 };
  expect(await explained({ field_value_factor })).toEqual([
    '1.230449 function score, product of:',
    ' 1 *:*',
    ' 1.230449 min of:',
    "  1.230449 field value function: log1p(doc['count'].value?:1.0 * factor=2.0)",
    `  ${MOST}`,
  ]);
});

test('functions are combined, those with a filter name it, the boost mode names the outer step', async () => {
  const functions = [{ weight: 2 }, { filter: { term: { tag: 'a' } }, weight: 3 }, { filter: { term: { tag: 'b' } }, weight: 5 }];
  expect(await explained({ functions, score_mode: 'sum', boost_mode: 'sum', max_boost: 4 })).toEqual([
    '5 sum of',
    ' 1 *:*',
    ' 4 min of:',
    '  5 function score, score mode [sum]',
    '   2 product of:',
    '    1 constant score 1.0 - no function provided',
    '    2 weight',
    '   3 function score, product of:',
    '    1 match filter: tag:a',
    '    3 product of:',
    '     1 constant score 1.0 - no function provided',
    '     3 weight',
    '  4 maxBoost',
  ]);
  const none = await explained({ functions: [functions[2]], boost_mode: 'replace' });
  expect(none).toEqual(['1 min of:', ' 1 No function matched', ` ${MOST}`]);
});

test('decays show the distances of the values', async () => {
  const last = async (body: object) => (await explained(body)).find((line) => /exp\(|max\(0/.test(line))?.trim();
  expect(await last({ gauss: { count: { origin: 5, scale: 2, offset: 1 } } })).toBe(
    '0.5 exp(-0.5*pow(MIN[Math.max(Math.abs(8.0(=doc value) - 5.0(=origin))) - 1.0(=offset), 0)],2.0)/2.8853900817779268)',
  );
  expect(await last({ linear: { at: { origin: '2024-01-01', scale: '100d' } } })).toBe(
    '0 max(0.0, ((1.728E10 - MIN[Math.max(Math.abs(1.728998578E12(=doc value) - 1.7040672E12(=origin))) - 0.0(=offset), 0)])/1.728E10)',
  );
  expect(await last({ exp: { place: { origin: '-7,150', scale: '1000km', offset: '1km' } } })).toBe(
    '0.933696 exp(- MIN of: [Math.max(arcDistance(-7.750000040978193, 150.49999999813735(=doc value),-7.0, 150.0(=origin)) - 1000.0(=offset), 0)] * 6.931471805599452E-7)',
  );
});

test('a score below min_score is no match', async () => {
  const { matched, explanation } = await node.ok('POST /docs/_explain/1', {
    query: { function_score: { query: { match_all: {} }, weight: 3, min_score: 10 } },
  });
  expect(matched).toBe(false);
  expect(explanation.description).toBe('Score value is too low, expected at least 10.0 but got 3.0');
});

test('queries of numbers, terms and patterns are called by themselves, others that are made constant are not', async () => {
  const description = async (query: object) => (await node.ok('POST /docs/_explain/1', { query })).explanation.description;
  expect(await description({ term: { count: 8 } })).toBe('count:[8 TO 8]');
  expect(await description({ terms: { tag: ['a', 'b'] } })).toBe('tag:(a b)');
  expect(await description({ prefix: { tag: 'a' } })).toBe('tag:a*');
  expect(await description({ constant_score: { filter: { term: { count: 8 } } } })).toBe('ConstantScore(count:[8 TO 8])');
  expect(await description({ constant_score: { filter: { term: { tag: 'a' } } } })).toBe('ConstantScore(tag:a)');
});

test('origin, scale and offset of a decay are numbers', async () => {
  for (const linear of [{ origin: true }, { scale: true }, { offset: [1] }, { decay: true }]) {
    const query = { function_score: { linear: { count: { origin: 1, scale: 2, ...linear } } } };
    const { status, json } = await node.send('POST /docs/_search', { query });
    expect([status, json.error.root_cause[0].type]).toEqual([400, 'query_shard_exception']);
  }
});

test('the boost of distance_feature multiplies before the score is rounded to a float', async () => {
  await node.ok('PUT /days/_doc/1?refresh=true', { at: '2023-06-15T14:41:26Z' });
  const query = { distance_feature: { field: 'at', origin: '2023-06-15T12:00:00Z', pivot: '1h', boost: 3 } };
  expect((await node.ok('POST /days/_search', { query })).hits.max_score).toBe(0.81294686);
});
