// Errors of queries that Elasticsearch 7.10, 8.15 and OpenSearch 3.8 report alike.
import { expect, test } from 'vitest';
import { parseQuery } from '../../../src/query/parse-query.ts';

function errorOf(query: object): string {
  try {
    parseQuery(query);
  } catch (error) {
    const { type, reason } = error as { type: string; reason: string };
    return `${type}: ${reason}`;
  }
  return 'accepted';
}

const POINT = { type: 'Point', coordinates: [1, 2] };

test.each([
  [
    { intervals: { body: { match: { query: null } } } },
    "x_content_parse_exception: [match] query doesn't support values of type: VALUE_NULL",
  ],
  [
    { intervals: { body: { match: { query: 5 } } } },
    "x_content_parse_exception: [match] query doesn't support values of type: VALUE_NUMBER",
  ],
  [{ intervals: { body: { match: true } } }, 'x_content_parse_exception: [match] Expected START_OBJECT but was: VALUE_BOOLEAN'],
  [{ intervals: { body: { match: { query: 'x' } }, more: 1 } }, 'parsing_exception: Expected [END_OBJECT] but got [FIELD_NAME]'],
  [{ geo_distance: { distance: '5km', place: POINT } }, 'parsing_exception: [geo_distance] query does not support [place]'],
  [{ match_phrase: { body: null } }, 'illegal_argument_exception: [match_phrase] requires query value'],
  [{ match: { body: null } }, 'parsing_exception: No text specified for text query'],
  [{ span_term: { body: null } }, 'illegal_argument_exception: value cannot be null'],
  [
    { distance_feature: { field: 'at', origin: null, pivot: '7d' } },
    "x_content_parse_exception: [distance_feature] origin doesn't support values of type: VALUE_NULL",
  ],
])('%j', (query, expected) => {
  expect(errorOf(query)).toBe(expected);
});
