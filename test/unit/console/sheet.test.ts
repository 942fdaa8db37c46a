import { describe, expect, test } from 'vitest';
import { compactJson, parseSheet, readBody, requestAt, requestsIn, scanValues } from '../../../src/console/requests/sheet.ts';

const SHEET = `# all
GET /

POST books/_search?size=1
# within
{
  "query": { "match_all": {} } // every one
}

delete /books
`;

describe('a sheet', () => {
  const requests = parseSheet(SHEET);

  test('is divided at the request lines', () => {
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /', 'POST /books/_search?size=1', 'DELETE /books']);
  });

  test('ends a request at its last line that is neither blank nor a comment', () => {
    expect(requests.map(({ to }) => SHEET.slice(0, to).split('\n').length)).toEqual([2, 8, 10]);
    expect(SHEET.slice(requests[1].pathFrom)).toMatch(/^books/);
  });

  test('finds the request at a position and those of a selection', () => {
    expect(requestAt(requests, 0)?.method).toBe('GET');
    expect(requestAt(requests, SHEET.indexOf('match_all'))?.method).toBe('POST');
    expect(requestsIn(requests, SHEET.indexOf('match_all'), SHEET.length).map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect(requestsIn(requests, 0, 0)).toHaveLength(1);
  });

  test('does not take request lines within raw strings for requests', () => {
    expect(parseSheet('PUT a/_doc/1\n{ "text": """\nGET /b\n""" }\nGET c').map(({ path }) => path)).toEqual(['/a/_doc/1', '/c']);
  });
});

describe('a body', () => {
  const read = (text: string) => readBody(text, 0, text.length);

  test('is sent without comments, in the same lines', () => {
    expect(read('{\n# one\n "a": 1 // "two"\n}').text).toBe('{\n\n "a": 1 \n}');
    expect(read('{ "url": "http://x#y" }').text).toBe('{ "url": "http://x#y" }');
  });

  test('turns raw strings into JSON strings', () => {
    expect(JSON.parse(read('{ "a": """x "y"\n z""" }').text)).toEqual({ a: 'x "y"\n z' });
    expect(JSON.parse(read('{ "a": """\n  x\n""" }').text)).toEqual({ a: '  x' });
  });

  test('with several values is NDJSON', () => {
    const { text, isNdjson } = read('{ "index": {} }\n{\n  "a b": [1, 2]\n}\n');
    expect(isNdjson).toBe(true);
    expect(text).toBe('{ "index": {} }\n{"a b":[1,2]}\n');
  });

  test('maps positions back to the sheet', () => {
    const sheet = '{ # one\n "a": """\nx""", "b": 1 }';
    const { text, sourceOf } = read(sheet);
    expect(sourceOf(text.indexOf('"b"'))).toBe(sheet.indexOf('"b"'));
  });

  test.each([
    ['{ "a": 1, }', 10],
    ['{ "a" 1 }', 6],
    ['{ "a": [1 2] }', 10],
    ['[1,]', 3],
    ['{ "a": tru }', 7],
    ['{ "a": "b', 7],
    ['{ "a": 1', 8],
    ['{ a: 1 }', 2],
  ])('names the first syntax error of %s', (text, at) => {
    expect(read(text).error?.at).toBe(at);
    expect(() => JSON.parse(text)).toThrow();
  });

  test.each(['{}', '[]', '{"a":[{},[],1.5e3,-0,true,null,"\\u00e9"]}', '"x"', '3'])('finds no error in %s', (text) => {
    expect(read(text).error).toBeNull();
    expect(scanValues(text).values).toEqual([{ from: 0, to: text.length }]);
  });

  test('loses only white space outside of strings', () => {
    expect(compactJson('{ "a b" : [ 1 , "c \\" d" ] }')).toBe('{"a b":[1,"c \\" d"]}');
  });
});
