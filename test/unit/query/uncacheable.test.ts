import { expect, test } from 'vitest';
import { parseQuery } from '../../../src/query/parse-query.ts';
import { mentionsNow, reportUncacheableValues, type UncacheableReason } from '../../../src/query/uncacheable.ts';
import { parseSearchRequest } from '../../../src/search/request/search-request.ts';

function reasonsOf(parse: (report: (reason: UncacheableReason) => void) => unknown): UncacheableReason[] {
  const reasons = new Set<UncacheableReason>();
  parse((reason) => reasons.add(reason));
  return [...reasons].sort();
}

const ofQuery = (query: unknown) => reasonsOf((report) => parseQuery(query, report));
const ofValues = (json: unknown) => reasonsOf((report) => reportUncacheableValues(json, report));
const ofRequest = (body: unknown) => reasonsOf((report) => parseSearchRequest(body, report));
const functionScore = (body: object) => ({ function_score: { query: { match_all: {} }, ...body } });

test('plain queries have no reason', () => {
  expect(ofQuery({ bool: { must: [{ match: { title: 'red' } }], filter: { range: { n: { gte: 1 } } } } })).toEqual([]);
  expect(ofQuery({ terms: { tag: ['a', 'b'] } })).toEqual([]);
  expect(ofQuery({ more_like_this: { like: ['text', { doc: { title: 'text' } }] } })).toEqual([]);
});

test('dates relative to now are found in values and keys, however the text was escaped', () => {
  expect(ofValues({ query: { range: { at: { gte: 'now-1d/d' } } } })).toEqual(['now']);
  expect(ofValues(JSON.parse('{"query":{"range":{"at":{"gte":"n\\u006fw"}}}}'))).toEqual(['now']);
  expect(ofValues({ query: { query_string: { query: 'at:[\nnow TO *]' } } })).toEqual(['now']);
  expect(ofValues({ aggs: { a: { date_range: { ranges: [{ from: 'now-1M' }] } } } })).toEqual(['now']);
  expect(ofValues({ indices_boost: [{ '<logs-{now/d}>': 2 }] })).toEqual(['now']);
});

test('now is a word of its own', () => {
  expect(['know', 'snowy', 'nowadays', 'nowhere'].filter(mentionsNow)).toEqual([]);
  expect(['now', 'now-5m', '[now TO *]', 'at:>now'].filter(mentionsNow)).toHaveLength(4);
});

test('a decay function whose origin defaults to the current time depends on it', () => {
  expect(ofQuery(functionScore({ gauss: { at: { scale: '10d' } } }))).toEqual(['now']);
  expect(ofQuery(functionScore({ gauss: { at: { origin: '2024-01-01', scale: '10d' } } }))).toEqual([]);
});

test('random scores without a seed', () => {
  expect(ofQuery(functionScore({ random_score: {} }))).toEqual(['random_score']);
  expect(ofQuery(functionScore({ functions: [{ weight: 2 }, { random_score: { field: 'n' } }] }))).toEqual(['random_score']);
  expect(ofQuery(functionScore({ random_score: { seed: 7, field: 'n' } }))).toEqual([]);
});

test('stored scripts, wherever they are', () => {
  expect(ofValues({ query: { script_score: { query: {}, script: { id: 'twice' } } } })).toEqual(['stored_script']);
  expect(ofValues({ aggs: { a: { scripted_metric: { map_script: { id: 'm' } } } } })).toEqual(['stored_script']);
  expect(ofValues({ sort: { _script: { script: { stored: 's' }, type: 'number' } } })).toEqual(['stored_script']);
  expect(ofValues({ script_fields: { f: { script: { source: '1', params: { id: 3 } } } } })).toEqual([]);
  expect(ofValues({ script_fields: { f: { script: '1' } } })).toEqual([]);
});

test('queries that read documents', () => {
  expect(ofQuery({ terms: { tag: { index: 'users', id: '1', path: 'tags' } } })).toEqual(['document_lookup']);
  expect(ofQuery({ more_like_this: { like: [{ _id: '1' }] } })).toEqual(['document_lookup']);
  expect(ofQuery({ more_like_this: { like: 'text', unlike: [{ _id: '1' }] } })).toEqual(['document_lookup']);
  expect(ofQuery({ geo_shape: { area: { indexed_shape: { id: 'p' } } } })).toEqual(['document_lookup']);
  expect(ofQuery({ geo_shape: { area: { shape: { type: 'point', coordinates: [1, 2] } } } })).toEqual([]);
});

test('reasons are reported from queries inside queries', () => {
  const random = functionScore({ random_score: {} });
  expect(ofQuery({ bool: { should: [{ nested: { path: 'p', query: random } }] } })).toEqual(['random_score']);
});

test('a wrapped query is looked through, although the body shows base64 only', () => {
  const wrap = (query: unknown) => ({ wrapper: { query: Buffer.from(JSON.stringify(query)).toString('base64') } });
  expect(ofQuery(wrap({ range: { at: { lt: 'now' } } }))).toEqual(['now']);
  expect(ofQuery(wrap({ script_score: { query: { match_all: {} }, script: { id: 's' } } }))).toEqual(['stored_script']);
  expect(ofQuery(wrap(functionScore({ random_score: {} })))).toEqual(['random_score']);
});

test('every query of a search body is reported', () => {
  const random = functionScore({ random_score: {} });
  const lookup = { terms: { tag: { index: 'users', id: '1', path: 'tags' } } };
  expect(ofRequest({ query: random })).toEqual(['random_score']);
  expect(ofRequest({ post_filter: lookup })).toEqual(['document_lookup']);
  expect(ofRequest({ rescore: { window_size: 5, query: { rescore_query: random } } })).toEqual(['random_score']);
  expect(ofRequest({ sort: [{ 'p.n': { nested: { path: 'p', filter: lookup } } }] })).toEqual(['document_lookup']);
  expect(ofRequest({ query: { match_all: {} }, size: 3 })).toEqual([]);
});
