import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    n: { type: 'long' },
    k: { type: 'keyword' },
    t: { type: 'text', fields: { raw: { type: 'keyword' } } },
    d: { type: 'date' },
  };
  await node.ok('PUT /things', { mappings: { properties } });
});
afterAll(() => node.close());

const document = { n: [5, 3], k: 'x', t: 'hello world', d: '2020-01-02' };
const execute = async (source: string, context?: string, setup: unknown = { index: 'things', document }) => {
  const body = { script: { source }, ...(context === undefined ? {} : { context, context_setup: setup }) };
  return node.send('POST /_scripts/painless/_execute', body);
};

test.each([
  ['1 + 1', undefined, '2'],
  ["doc['n'].value > 3", 'filter', false],
  ["doc['n'].size() == 2 && doc['k'].value == 'x'", 'filter', true],
  ["doc['d'].value.getYear() == 2020", 'filter', true],
  ["doc['t.raw'].value.length() == 11", 'filter', true],
  ["doc['n'].value * 2.5 + _score", 'score', 8.5],
  ["for (x in doc['n']) { emit(x * 2) }", 'long_field', [6, 10]],
  ["emit(doc['k'].value + '!')", 'keyword_field', ['x!']],
  ['emit(52.5, 13.4)', 'geo_point_field', [{ coordinates: [13.4, 52.5], type: 'Point' }]],
  ["emit(doc['d'].value.plusDays(1).toInstant().toEpochMilli())", 'date_field', ['2020-01-03T00:00:00.000Z']],
])('%s in %s', async (source, context, result) => {
  const { status, json } = await execute(source, context);
  expect([status, json]).toEqual([200, { result }]);
});

test('refuses unknown contexts, fields and indices', async () => {
  const refusal = async (...args: Parameters<typeof execute>) => {
    const { status, json } = await execute(...args);
    return [status, json.error.type, json.error.caused_by?.reason ?? json.error.reason];
  };
  expect(await refusal('1', 'nothing')).toEqual([400, 'x_content_parse_exception', 'unsupported script context name [nothing]']);
  expect(await refusal("doc['zz'].value > 1", 'filter')).toEqual([400, 'script_exception', 'No field found for [zz] in mapping']);
  expect(await refusal('true', 'filter', { index: 'none', document })).toEqual([404, 'index_not_found_exception', 'no such index [none]']);
  expect(await refusal('true', 'filter', { index: 'things' })).toEqual([
    400,
    'action_request_validation_exception',
    'Validation Failed: 1: document is a required parameter for current context;',
  ]);
  expect(await refusal('1', 'filter')).toEqual([400, 'script_exception', 'Cannot cast from [int] to [boolean].']);
});
