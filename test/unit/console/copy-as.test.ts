import { describe, expect, test } from 'vitest';
import { filterJson, indentJson } from '../../../src/console/json-text.ts';
import { asClientCode, asCurl, asLibraryCode } from '../../../src/console/requests/copy-as.ts';
import { parseSheet, readBody } from '../../../src/console/requests/sheet.ts';
import { buildCatalog } from '../../../tools/console/catalog.ts';

const catalog = buildCatalog();
const URL = 'http://localhost:9200/';

function copied(sheet: string) {
  const [request] = parseSheet(sheet);
  const body = readBody(sheet, request.bodyFrom, request.to);
  return {
    curl: asCurl(URL, request, body, null),
    client: asClientCode(catalog, URL, request, body),
    library: asLibraryCode(catalog, request, body),
  };
}

describe('a copied request', () => {
  test('is quoted for the shell', () => {
    const { curl } = copied(`POST books/_search\n{ "query": { "match": { "title": "it's" } } }`);
    expect(curl).toContain(`curl -X POST 'http://localhost:9200/books/_search'`);
    expect(curl).toContain(`-d '{ "query": { "match": { "title": "it'\\''s" } } }'`);
  });

  test('calls the function of the client by the name of the API', () => {
    const { client } = copied('POST books/_search?size=3\n{ "query": { "match_all": {} } }');
    expect(client).toContain('await client.search({\n  index: "books",\n  size: 3,\n  query: {');
    expect(copied('PUT books\n{ "mappings": {} }').client).toContain('client.indices.create({');
    expect(copied('POST books/_bulk\n{ "index": {} }\n{ "a": 1 }').client).toContain('operations: [');
  });

  test('calls the library where it has a function', () => {
    expect(copied('POST books/_search\n{ "size": 1 }').library).toContain(
      'await engine.search({\n  index: "books",\n  body: {\n    size: 1',
    );
    expect(copied('GET _cat/indices').library).toBeNull();
  });
});

describe('JSON', () => {
  test('is indented without changing numbers', () => {
    expect(indentJson('{"a":12345678901234567890,"b":[1,2],"c":{},"d":[{"e":"x, [y]"}]}')).toBe(
      '{\n  "a": 12345678901234567890,\n  "b": [1, 2],\n  "c": {},\n  "d": [\n    {\n      "e": "x, [y]"\n    }\n  ]\n}',
    );
  });

  test('is filtered by names and values', () => {
    expect(filterJson({ a: { b: 'Dune' }, c: [1, 'x'], dune: 3 }, 'dune')).toEqual({ a: { b: 'Dune' }, dune: 3 });
    expect(filterJson({ a: 1 }, 'zz')).toBeUndefined();
  });
});
