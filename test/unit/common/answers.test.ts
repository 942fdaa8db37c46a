import { expect, test } from 'vitest';
import { filterPaths, parseFilterPath } from '../../../src/common/json/filter-path.ts';
import { prettyJson, toPlain, writeJson } from '../../../src/common/json/json-write.ts';
import { JSON_TYPE, negotiate, parseMediaType } from '../../../src/common/json/media-type.ts';
import { RawJson } from '../../../src/common/json/raw-json.ts';
import { formatByteSize, parseByteSize } from '../../../src/common/text/byte-size.ts';
import { formatDuration, parseDurationMs } from '../../../src/common/text/time-unit.ts';

test('writeJson splices raw JSON, escapes strings and omits undefined members', () => {
  const value = { a: new RawJson('{ "x": 1.0 }'), b: undefined, c: [1n, 'q"\n', Number.NaN, null], d: {}, e: '\ud800', f: -0.5 };
  expect(writeJson(value)).toBe('{"a":{ "x": 1.0 },"c":[1,"q\\"\\n","NaN",null],"d":{},"e":"\\ud800","f":-0.5}');
  expect(toPlain(value)).toEqual({ a: { x: 1 }, c: [1n, 'q"\n', Number.NaN, null], d: {}, e: '\ud800', f: -0.5 });
});

test('prettyJson has the spacing of Elasticsearch', () => {
  expect(prettyJson('{"a":[1,{"b":"x:,{"}],"c":{},"d":[ ]}')).toBe(
    '{\n  "a" : [\n    1,\n    {\n      "b" : "x:,{"\n    }\n  ],\n  "c" : { },\n  "d" : [ ]\n}\n',
  );
});

const ANSWER = { took: 1, hits: { total: { value: 2 }, hits: [{ _id: '1', _source: new RawJson('{"a":{"b":1},"c":2}') }, { _id: '2' }] } };
test.each([
  ['took', { took: 1 }],
  ['hits.hits._id', { hits: { hits: [{ _id: '1' }, { _id: '2' }] } }],
  ['hits.hits._source.a', { hits: { hits: [{ _source: { a: { b: 1 } } }] } }],
  ['**.b', { hits: { hits: [{ _source: { a: { b: 1 } } }] } }],
  ['h*.t*', { hits: { total: { value: 2 } } }],
  ['-hits', { took: 1 }],
  ['hits,-hits.hits', { hits: { total: { value: 2 } } }],
  ['**._source.*,-**.c', { hits: { hits: [{ _source: { a: { b: 1 } } }] } }],
  ['nothing', {}],
])('filter_path=%s', (text, expected) => {
  expect(toPlain(filterPaths(ANSWER, parseFilterPath(text)!))).toEqual(expected);
});

test('reads media types, with vendor forms in both spellings', () => {
  expect(parseMediaType('APPLICATION/JSON; charset=utf-8')?.format).toBe('json');
  for (const spelling of ['application/vnd.elasticsearch+json; compatible-with=8', 'application/vnd.elasticsearch+json;compatible-with=8'])
    expect(parseMediaType(spelling)).toEqual({ format: 'json', answer: 'application/vnd.elasticsearch+json;compatible-with=8' });
  expect(parseMediaType('application/vnd.elasticsearch+x-ndjson;compatible-with=9')?.format).toBe('ndjson');
  expect(parseMediaType('application/vnd.elasticsearch+json;compatible-with=6')).toBeNull();
  expect(parseMediaType('application/xml')).toBeNull();
  expect(negotiate('application/vnd.elasticsearch+json; compatible-with=8,text/plain', JSON_TYPE)?.answer).toBe(
    'application/vnd.elasticsearch+json;compatible-with=8',
  );
  expect(negotiate('application/yaml;q=0.5, application/json;q=0.9', JSON_TYPE)?.format).toBe('json');
  expect(negotiate('text/html,application/xhtml+xml,*/*;q=0.8', JSON_TYPE)?.format).toBe('text');
  expect(negotiate('image/png', JSON_TYPE)).toBeNull();
});

test('formats sizes and durations', () => {
  expect([parseByteSize('1.5kb'), parseByteSize('10MB'), parseByteSize('7'), parseByteSize('0')]).toEqual([1536, 10 * 2 ** 20, null, 0]);
  expect([formatByteSize(208), formatByteSize(1260), formatByteSize(3 * 2 ** 20)]).toEqual(['208b', '1.2kb', '3mb']);
  expect([parseDurationMs('1m'), parseDurationMs('500micros'), parseDurationMs('-1'), parseDurationMs('10')]).toEqual([
    60_000,
    0.5,
    -1,
    null,
  ]);
  expect([formatDuration(1234), formatDuration(17), formatDuration(90_000)]).toEqual(['1.2s', '17ms', '1.5m']);
});
