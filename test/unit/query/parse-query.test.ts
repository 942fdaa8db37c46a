import { expect, test } from 'vitest';
import type { ApiError } from '../../../src/errors/api-error.ts';
import { parseDistance, parseGeoPoint } from '../../../src/query/geo/geo-point.ts';
import { MAX_QUERY_DEPTH, parseQuery } from '../../../src/query/parse-query.ts';
import { editsFor, parseFuzziness } from '../../../src/query/text/fuzziness.ts';
import { calculateMinimumShouldMatch } from '../../../src/query/text/minimum-should-match.ts';

function refusal(body: unknown): ApiError {
  try {
    parseQuery(body);
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('accepted');
}

test('short and long forms parse to the same tree', () => {
  expect(parseQuery({ match: { title: 'red fox' } })).toEqual(parseQuery({ match: { title: { query: 'red fox' } } }));
  expect(parseQuery({ term: { status: 'new' } })).toEqual(parseQuery({ term: { status: { value: 'new' } } }));
  expect(parseQuery({ prefix: { tag: 'a' } })).toEqual(parseQuery({ prefix: { tag: { prefix: 'a' } } }));
  expect(parseQuery({ bool: { must: { match_all: {} } } })).toEqual(parseQuery({ bool: { must: [{ match_all: {} }] } }));
  const { kind, boost, name } = parseQuery({ term: { status: { value: 1, boost: 1.1, _name: 'n' } } });
  expect([kind, boost, name]).toEqual(['term', Math.fround(1.1), 'n']);
});

test('parses every form of range bounds', () => {
  const query = parseQuery({ range: { at: { gt: 1, lte: 2, format: 'yyyy', time_zone: '+01:00', relation: 'within' } } });
  expect(query).toMatchObject({
    from: 1,
    to: 2,
    includeFrom: false,
    includeTo: true,
    format: 'yyyy',
    timeZone: '+01:00',
    relation: 'within',
  });
  expect(parseQuery({ range: { at: { from: 1, to: 2, include_upper: false } } })).toMatchObject({ includeFrom: true, includeTo: false });
});

test('parses a query wrapped in base64', () => {
  const text = Buffer.from('{"term":{"a":1}}').toString('base64');
  expect(parseQuery({ wrapper: { query: text } })).toEqual(parseQuery({ term: { a: 1 } }));
});

test.each([
  [{ mach: { note: 'x' } }, 'parsing_exception', 'unknown query [mach] did you mean [match]?'],
  [{ match_all: {}, term: {} }, 'parsing_exception', '[match_all] malformed query, expected [END_OBJECT] but found [FIELD_NAME]'],
  [{ match: 'x' }, 'parsing_exception', '[match] query malformed, no start_object after query name'],
  [{}, 'illegal_argument_exception', 'query malformed, empty clause found'],
  [{ match: { a: { operator: 'and' } } }, 'parsing_exception', 'No text specified for text query'],
  [{ match: { a: 'x', b: 'y' } }, 'parsing_exception', "[match] query doesn't support multiple fields, found [a] and [b]"],
  [{ match_phrase: { a: { query: 'x', fuzziness: 1 } } }, 'parsing_exception', '[match_phrase] query does not support [fuzziness]'],
  [{ terms: { a: 'x' } }, 'parsing_exception', '[terms] query does not support [a]'],
  [{ range: { a: { upto: 1 } } }, 'parsing_exception', '[range] query does not support [upto]'],
  [
    { boosting: { positive: { match_all: {} }, negative: { match_all: {} } } },
    'parsing_exception',
    "[boosting] query requires 'negative_boost' to be set to be a positive value'",
  ],
  [{ nested: { path: 'a' } }, 'illegal_argument_exception', "[nested] requires 'query' field"],
  [{ geo_distance: { at: '1,2', distance: '-5km' } }, 'illegal_argument_exception', 'distance must be greater than zero'],
  [
    { term: { a: { value: 1, boost: -1 } } },
    'illegal_argument_exception',
    'negative [boost] are not allowed in [term], use a value between 0 and 1 to deboost',
  ],
] as const)('%j is refused', (body, type, reason) => {
  expect(refusal(body)).toMatchObject({ type, reason, status: 400 });
});

test("the error of a clause is the root cause of the enclosing bool's error", () => {
  const error = refusal({ bool: { must: [{ nothing: {} }] } });
  expect([error.type, error.rootCauses?.[0].reason]).toEqual(['x_content_parse_exception', 'unknown query [nothing]']);
});

test('limits the depth', () => {
  const nested = (levels: number): unknown => (levels === 1 ? { match_all: {} } : { bool: { must: [nested(levels - 1)] } });
  expect(parseQuery(nested(MAX_QUERY_DEPTH)).kind).toBe('bool');
  expect(refusal(nested(MAX_QUERY_DEPTH + 1)).rootCauses ?? [refusal(nested(MAX_QUERY_DEPTH + 1))]).toBeTruthy();
  expect(JSON.stringify(refusal(nested(800)).toData())).toContain('maximum nested depth');
});

test.each([
  [5, '3', 3],
  [5, '-2', 3],
  [4, '75%', 3],
  [5, '-25%', 4],
  [2, '2<75%', 2],
  [4, '2<75%', 3],
  [3, '2<-25% 9<-3', 3],
  [12, '2<-25% 9<-3', 9],
  [2, '-5', 0],
])('minimum_should_match of %i clauses by %s', (count, spec, expected) => {
  expect(calculateMinimumShouldMatch(count, spec)).toBe(expected);
});

test('parses fuzziness by length and by number', () => {
  expect(['ab', 'abc', 'abcde', 'abcdef'].map((word) => editsFor(parseFuzziness('AUTO'), word))).toEqual([0, 1, 1, 2]);
  expect(editsFor(parseFuzziness('AUTO:1,2'), 'ab')).toBe(2);
  expect(editsFor(parseFuzziness('2.0'), 'x')).toBe(2);
  expect(() => parseFuzziness('lots')).toThrow('Invalid fuzziness value: lots');
  expect([3, '1.5', 0.5].map((given) => editsFor(parseFuzziness(given), 'x'))).toEqual([2, 1, 0]);
  expect(() => parseFuzziness(-1)).toThrow('Invalid fuzziness value: -1');
  expect(() => parseFuzziness('AUTO:5')).toThrow('failed to find low and high distance values');
});

test('parses points and distances', () => {
  for (const point of [
    '48.2,16.4',
    [16.4, 48.2],
    { lat: '48.2', lon: 16.4 },
    'POINT (16.4 48.2)',
    { type: 'Point', coordinates: [16.4, 48.2] },
  ]) {
    expect(parseGeoPoint(point)).toEqual({ lat: 48.2, lon: 16.4 });
  }
  const [low, high] = [parseGeoPoint('u2edk8'), parseGeoPoint('u2edk8', 'top_right')];
  expect([low.lat, low.lon]).toEqual([48.2080078125, 16.36962890625]);
  expect([high.lat - low.lat, high.lon - low.lon]).toEqual([180 / 2 ** 15, 360 / 2 ** 15]);
  expect([parseDistance('2km', 1), parseDistance('1mi', 1), parseDistance(5, 1000)]).toEqual([2000, 1609.344, 5000]);
  expect(() => parseDistance('5parsec', 1)).toThrow('For input string: "5parsec"');
});
