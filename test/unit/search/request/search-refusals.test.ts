// Parts of search bodies that are refused, or read in a way that is easily overlooked.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode({ 'compat.flavor': 'elasticsearch', 'compat.version': '8.15.0' });
  const properties = {
    text: { type: 'text' },
    at: { type: 'date' },
    day: { type: 'date', format: 'yyyy-MM-dd' },
    flag: { type: 'boolean' },
    place: { type: 'geo_point' },
    words: { type: 'completion' },
  };
  await node.ok('PUT /docs', { mappings: { properties } });
  const document = { text: 'storm sea', at: '2023-06-01', day: '2023-06-01', flag: false, place: '1,2', words: ['storm', 'river'] };
  await node.ok('PUT /docs/_doc/1?refresh=true', document);
});

afterAll(async () => node.close());

const refusal = async (body: object) => {
  const { status, json } = await node.send('POST /docs/_search', body);
  return [status, json.error.root_cause[0].type, json.error.root_cause[0].reason];
};
const total = async (query: object) => (await node.ok('POST /docs/_search', { query })).hits.total.value;

test('the pivot of distance_feature must be positive', async () => {
  const at = (pivot: string) => ({ query: { distance_feature: { field: 'at', origin: 'now', pivot } } });
  expect(await refusal(at('0d'))).toEqual([400, 'query_shard_exception', 'failed to create query: pivotDistance must be > 0, got 0']);
  const place = { query: { distance_feature: { field: 'place', origin: [0, 0], pivot: '0km' } } };
  expect(await refusal(place)).toEqual([400, 'query_shard_exception', 'failed to create query: pivotDistance must be > 0, got 0.0']);
});

test('a box without a corner, or upside down, is refused whatever the validation', async () => {
  for (const validation_method of ['STRICT', 'COERCE', 'IGNORE_MALFORMED']) {
    const box = (place: object) => ({ query: { geo_bounding_box: { place, validation_method } } });
    const reason = (problem: string) => [400, 'illegal_argument_exception', problem];
    expect(await refusal(box({ top_left: '10,10' }))).toEqual(reason('bottom latitude is invalid: NaN'));
    expect(await refusal(box({ top: -4, left: 0, bottom: 4, right: 1 }))).toEqual(reason('top is below bottom corner: -4.0 vs. 4.0'));
  }
});

test('an empty string is no boolean in a query', async () => {
  for (const query of [{ term: { flag: '' } }, { match: { flag: '' } }])
    expect((await refusal({ query }))[2]).toContain("Can't parse boolean value [], expected [true] or [false]");
});

test('a number in a range of a date makes both ends milliseconds, whatever the format of the field', async () => {
  expect(await total({ range: { day: { gte: Date.UTC(2023, 0, 1) } } })).toBe(1);
  expect(await total({ range: { day: { gte: Date.UTC(2024, 0, 1) } } })).toBe(0);
  expect(await total({ term: { day: Date.UTC(2023, 5, 1) } })).toBe(1);
  expect(await total({ range: { at: { gte: 0, lt: '2024' } } })).toBe(0);
  expect(await total({ range: { at: { gte: 0, lt: '2024', format: 'epoch_millis||yyyy' } } })).toBe(0);
  expect(await total({ range: { at: { lt: '2024' } } })).toBe(1);
});

test('highlights need tags in pairs, and fragment_offset in a field', async () => {
  const highlight = (options: object, field: object = {}) => ({ highlight: { fields: { text: field }, ...options } });
  expect((await refusal(highlight({ pre_tags: ['<b>'] }))).slice(1)).toEqual([
    'parsing_exception',
    'pre_tags are set but post_tags are not set',
  ]);
  expect((await refusal(highlight({}, { pre_tags: ['<b>'] })))[2]).toContain('pre_tags are set but post_tags are not set');
  expect((await refusal(highlight({ fragment_offset: 3 })))[2]).toContain('[highlight] unknown field [fragment_offset]');
  await node.ok('POST /docs/_search', highlight({ post_tags: ['</b>'] }, { fragment_offset: 3 }));
});

test('suggestions show their text, and find what begins with their prefix, else with their text', async () => {
  const suggest = async (suggestion: object) => {
    const { suggest } = await node.ok('POST /docs/_search', { suggest: { s: { ...suggestion, completion: { field: 'words' } } } });
    return [suggest.s[0].text, suggest.s[0].options.map((option: any) => option.text)];
  };
  expect(await suggest({ text: 'storm', regex: 'r.*' })).toEqual(['storm', ['storm']]);
  expect(await suggest({ text: 'storm', prefix: 'ri' })).toEqual(['storm', ['river']]);
  expect(await suggest({ prefix: 'ri' })).toEqual(['ri', ['river']]);
  expect(await suggest({ regex: 'r.*' })).toEqual(['r.*', ['river']]);
});

test('null is no value of a key', async () => {
  for (const key of ['sort', 'size', 'from', 'timeout', '_source', 'stored_fields', 'min_score', 'track_total_hits', 'explain', 'version'])
    expect(await refusal({ [key]: null })).toEqual([400, 'parsing_exception', `Unknown key for a VALUE_NULL in [${key}].`]);
  const hits = await refusal({ aggs: { hits: { top_hits: { size: 2, sort: null } } } });
  expect(hits).toEqual([400, 'parsing_exception', 'Unknown key for a VALUE_NULL in [sort].']);
});

test.each([
  [
    { query: { rescore_query: { match_all: {} }, score_mode: null } },
    'x_content_parse_exception',
    "[query] score_mode doesn't support values of type: VALUE_NULL",
  ],
  [{ window_size: [10] }, 'parsing_exception', 'unexpected token [START_ARRAY] after [window_size]'],
  [{ query: null }, 'parsing_exception', 'unexpected token [VALUE_NULL] after [query]'],
  [{ other: {} }, 'named_object_not_found_exception', 'unknown field [other]'],
  [{ window_size: 10 }, 'parsing_exception', 'missing rescore type'],
  [{ query: {} }, 'illegal_argument_exception', 'rescore_query cannot be null'],
  [{ query: { rescore_queryx: {} } }, 'x_content_parse_exception', '[query] unknown field [rescore_queryx] did you mean'],
])('a rescorer is refused: %j', async (rescore, type, reason) => {
  const refused = await refusal({ rescore });
  expect(refused.slice(0, 2)).toEqual([400, type]);
  expect(refused[2]).toContain(reason);
});

test('the intervals of a group are a list or one rule', async () => {
  const group = (intervals: unknown) => ({ query: { intervals: { text: { any_of: { intervals } } } } });
  expect((await refusal(group(-1)))[1]).toBe('x_content_parse_exception');
  expect(await total(group({ match: { query: 'sea' } }).query)).toBe(1);
});

test('a coordinate that is an object is refused by the parser', async () => {
  const query = { geo_distance: { distance: '5km', place: { lat: 1, lon: {} } } };
  expect((await refusal({ query }))[1]).toBe('parsing_exception');
});
