import { describe, expect, test } from 'vitest';
import { bodyContext } from '../../../src/console/requests/body-context.ts';
import { offsetOf, offsetOfName, serverError } from '../../../src/console/requests/server-error.ts';
import { apiOfPath, bodySuggestions, paramSuggestions, segmentSuggestions } from '../../../src/console/requests/suggestions.ts';
import { buildCatalog } from '../../../tools/console/catalog.ts';

const catalog = buildCatalog();
const names = {
  indices: ['books', 'logs'],
  fields: new Map([
    ['title', 'text'],
    ['year', 'integer'],
  ]),
};

/** Labels offered in a body of an API at the end of `before`. */
function offered(method: string, path: string, before: string): string[] {
  const context = bodyContext(before);
  return context === null ? [] : bodySuggestions(catalog, apiOfPath(catalog, method, path), context, names).map(({ label }) => label);
}

describe('suggestions', () => {
  test('complete paths by routes and indices', () => {
    const first = segmentSuggestions(catalog, 'GET', '/', names).map(({ label }) => label);
    expect(first).toEqual(expect.arrayContaining(['books', '_cat', '_search', '_cluster']));
    const second = segmentSuggestions(catalog, 'POST', '/books/', names).map(({ label }) => label);
    expect(second).toEqual(expect.arrayContaining(['_search', '_bulk', '_doc']));
    expect(second).not.toContain('_cat');
  });

  test('complete parameters and their values', () => {
    expect(paramSuggestions(catalog, 'POST', '/books/_search', 'si').map(({ label }) => label)).toEqual(
      expect.arrayContaining(['size', 'pretty']),
    );
    expect(paramSuggestions(catalog, 'POST', '/books/_doc', 'refresh=').map(({ label }) => label)).toContain('wait_for');
  });

  test.each([
    ['{', ['query', 'aggs', 'size']],
    ['{ "query": { ', ['match', 'bool', 'term']],
    ['{ "query": { "bool": { "filter": [ { "te', ['term', 'terms']],
    ['{ "query": { "match": { ', ['title', 'year']],
    ['{ "query": { "match": { "title": { "op', ['operator', 'fuzziness']],
    ['{ "query": { "match": { "title": { "operator": "', ['and', 'or']],
    ['{ "query": { "multi_match": { "fields": ["', ['title', 'year']],
    ['{ "aggs": { "by": { ', ['terms', 'date_histogram', 'aggs']],
    ['{ "aggs": { "by": { "terms": { "field": "', ['title', 'year']],
    ['{ "aggs": { "by": { "terms": {}, "aggs": { "x": { "av', ['avg']],
    ['{ "aggs": { "by": { "filter": { "', ['range', 'exists']],
    ['{ "highlight": { "fields": { "title": { "', ['fragment_size']],
  ])('of a search after %s', (before, expected) => {
    expect(offered('POST', '/books/_search', before)).toEqual(expect.arrayContaining(expected));
  });

  test('of mappings name types and their parameters', () => {
    expect(offered('PUT', '/books', '{ "mappings": { "properties": { "a": { "type": "')).toEqual(
      expect.arrayContaining(['text', 'keyword', 'nested']),
    );
    expect(offered('PUT', '/books', '{ "mappings": { "properties": { "a": { "')).toEqual(
      expect.arrayContaining(['type', 'analyzer', 'fields']),
    );
    expect(offered('PUT', '/books', '{ "settings": { "analysis": { "analyzer": { "mine": { "tokenizer": "')).toContain('standard');
  });

  test('omit names that the object has', () => {
    expect(offered('POST', '/books/_search', '{ "size": 1, "')).not.toContain('size');
  });
});

describe('an error of the service', () => {
  test('has the innermost position that a cause reports', () => {
    const json = {
      error: {
        type: 'x_content_parse_exception',
        reason: '[1:20] [bool] failed',
        caused_by: { type: 'a', reason: '[3:7] unknown field [x]' },
      },
    };
    expect(serverError(json)).toEqual({ type: 'x_content_parse_exception', reason: '[3:7] unknown field [x]', line: 3, column: 7 });
    expect(offsetOf('a\nbc\ndef', 3, 2)).toBe(6);
  });

  test.each([
    ['unknown query [nonsense]', '{ "query": { "nonsense": {} } }', '"nonsense"'],
    ['[bool] unknown field [musst] did you mean any of [must, mustNot]?', '{ "query": { "bool": { "musst": [] } } }', '"musst"'],
    ['[range] query does not support [foo]', '{ "query": { "range": { "a": { "foo": 1 } } } }', '"foo"'],
    ['For input string: "abc"', '{ "size": "abc" }', '"abc"'],
  ])('without a position is found by its name: %s', (reason, body, found) => {
    const at = offsetOfName(reason, body);
    expect(at === null ? null : body.slice(at, at + found.length)).toBe(found);
  });

  test('that names nothing in the body has no position', () => {
    expect(offsetOfName('all shards failed', '{ "query": {} }')).toBeNull();
  });
});
