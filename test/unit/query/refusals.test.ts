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
  [{ match: { body: { query: 'x', analyzer: null } } }, 'parsing_exception: [match] unknown token [VALUE_NULL] after [analyzer]'],
  [{ multi_match: { query: 'x', boost: {} } }, 'parsing_exception: [multi_match] unknown token [START_OBJECT] after [boost]'],
  [{ query_string: { query: 'x', analyzer: [1] } }, 'parsing_exception: [query_string] query does not support [analyzer]'],
  [{ fuzzy: { tag: { value: 'x', boost: null } } }, 'parsing_exception: [fuzzy] unexpected token [VALUE_NULL] after [boost]'],
  [{ bool: { boost: null } }, "x_content_parse_exception: [bool] boost doesn't support values of type: VALUE_NULL"],
  [{ bool: { boost: 'x' } }, 'x_content_parse_exception: [bool] failed to parse field [boost]'],
  [{ ids: { values: 1 } }, "parsing_exception: [ids] values doesn't support values of type: VALUE_NUMBER"],
  [{ ids: { values: [null] } }, 'parsing_exception: [ids] failed to parse field [values]'],
  [{ script_score: { query: {} } }, 'x_content_parse_exception: [script_score] failed to parse field [query]'],
  [{ nested: { path: [], query: { match_all: {} } } }, "illegal_argument_exception: [nested] requires 'path' field"],
  [{ dis_max: { queries: null } }, 'parsing_exception: [dis_max] query does not support [queries]'],
  [{ range: { count: [{ gte: 1 }] } }, 'accepted'],
  [{ boosting: { positive: [{ match_all: {} }], negative: { match_all: {} }, negative_boost: [0.5] } }, 'accepted'],
  [
    { range: { count: [{ gte: 1, lt: 5 }, { lte: 1 }] } },
    "parsing_exception: [range] query doesn't support multiple fields, found [count] and [lt]",
  ],
  [{ range: { count: { gte: 1 }, boost: 2 } }, 'parsing_exception: [range] query does not support [boost]'],
  [{ term: { tag: 'x', boost: 2 } }, "parsing_exception: [term] query doesn't support multiple fields, found [tag] and [boost]"],
  [{ match: { _name: 'x', body: 'x' } }, "parsing_exception: [match] query doesn't support multiple fields, found [_name] and [body]"],
  [{ terms: { tag: ['x'], boost: 2 } }, 'accepted'],
  [{ terms_set: { tag: { terms: ['x'] }, boost: 2 } }, 'parsing_exception: [terms_set] unknown token [FIELD_NAME]'],
  [{ terms_set: { tag: ['x'] } }, 'parsing_exception: [terms_set] unknown token [START_ARRAY]'],
  [{ span_term: { body: ['x'] } }, "parsing_exception: [span_term] query doesn't support multiple fields, found [body] and [null]"],
  [
    { function_score: { query: [{ match_all: {} }] } },
    'parsing_exception: failed to parse [function_score] query. array [query] is not supported',
  ],
  [{ function_score: { functions: [{ weight: [2], filter: [{ match_all: {} }] }] } }, 'accepted'],
  [
    { function_score: { field_value_factor: { field: ['n'], factor: [2] } } },
    "parsing_exception: [field_value_factor] field 'factor' does not support lists or objects",
  ],
  [{ match: { body: { query: 'x', lenient: '' } } }, 'accepted'],
  [{ query_string: { query: 'x', phrase_slop: -1 } }, 'accepted'],
])('%j', (query, expected) => {
  expect(errorOf(query)).toBe(expected);
});
