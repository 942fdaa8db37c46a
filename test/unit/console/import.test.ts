import { describe, expect, test } from 'vitest';
import { formatOf, type ReadDocument, readerOf } from '../../../src/console/import/document-reader.ts';
import { columnTypes, indexNameOf, suggestMapping } from '../../../src/console/import/suggest-mapping.ts';
import { forSeeds } from '../../support/rng.ts';

/** Reads a text in pieces of some size. */
function read(format: Parameters<typeof readerOf>[0], text: string, size = text.length): ReadDocument[] {
  const reader = readerOf(format);
  const found: ReadDocument[] = [];
  for (let at = 0; at < text.length; at += size) found.push(...reader.read(text.slice(at, at + size)));
  return [...found, ...reader.end()];
}

const sources = (documents: readonly ReadDocument[]): unknown[] =>
  documents.filter(({ error }) => error === null).map(({ source }) => JSON.parse(source));

describe('files of documents', () => {
  test('are recognized by their name or their start', () => {
    expect(formatOf('a.csv', '{')).toBe('csv');
    expect(formatOf('a.txt', ' [ {"a":1} ]')).toBe('json');
    expect(formatOf('a.json', '{"a":1}\n{"a":2}')).toBe('ndjson');
    expect(formatOf('a.json', '{\n "a": 1\n}')).toBe('json');
    expect(formatOf('a', 'name;year')).toBe('csv');
  });

  test('of lines keep the digits of long numbers, and continue after lines that are not objects', () => {
    const documents = read('ndjson', '{"n":12345678901234567890}\r\n\n[1]\n{"a":\n{"b":2}');
    expect(documents.map(({ at, error }) => [at, error !== null])).toEqual([
      [1, false],
      [3, true],
      [4, true],
      [5, false],
    ]);
    expect(documents[0].source).toBe('{"n":12345678901234567890}');
  });

  test('of [_bulk] keep their actions', () => {
    const documents = read(
      'ndjson',
      '{"index":{"_id":"1"}}\n{"a":1}\n{"delete":{"_id":"2"}}\n{"create":{}}\n{"a":3}\n{"a":4}\n{"index":{}}\n',
    );
    expect(documents.map(({ action, source }) => [action, source])).toEqual([
      ['{"index":{"_id":"1"}}', '{"a":1}'],
      ['{"delete":{"_id":"2"}}', ''],
      ['{"create":{}}', '{"a":3}'],
      [null, '{"a":4}'],
      [null, '{"index":{}}'],
    ]);
    expect(documents.map(({ error }) => error)).toEqual([
      null,
      null,
      null,
      'must be an action like {"index":{}}',
      'an action without its document',
    ]);
  });

  test('of JSON are read in any pieces, as an array or one after another', () => {
    forSeeds(50, (rng) => {
      const texts = ['', 'a"b', 'c\\', '{[', ']},', 'é\n', '🙂'];
      const documents = Array.from({ length: rng.int(1, 8) }, (_, i) => ({
        i,
        t: rng.pick(texts),
        inner: [{ x: [rng.pick(texts), null] }],
      }));
      const text = rng.pick([
        JSON.stringify(documents),
        JSON.stringify(documents, null, 2),
        documents.map((one) => JSON.stringify(one, null, 1)).join('\n'),
      ]);
      expect(sources(read('json', text, rng.int(1, 9)))).toEqual(documents);
    });
  });

  test('of JSON report elements that are not objects, and an end within one', () => {
    expect(read('json', '[{"a":1}, 7, "x", {"b":2}]').map(({ at, error }) => [at, error])).toEqual([
      [1, null],
      [2, 'must be a JSON object'],
      [3, 'must be a JSON object'],
      [4, null],
    ]);
    expect(read('json', '[{"a":1}, {"b":').map(({ error }) => error)).toEqual([null, 'the file ends within this element']);
  });

  test('of CSV have quoted values, numbers, booleans and absent values', () => {
    const text = '\ufeffname;zip;n;ok;note\r\n"a;""b""";01234;-1.5;true;\r\n"two\nlines";5;;false;x\nx;y;z;u;v;w\n"open;1';
    for (const size of [1, 3, 7, 1000]) {
      const documents = read('csv', text, size);
      expect(sources(documents)).toEqual([
        { name: 'a;"b"', zip: '01234', n: -1.5, ok: true },
        { name: 'two\nlines', zip: 5, ok: false, note: 'x' },
      ]);
      expect(documents.slice(2).map(({ at, error }) => [at, error])).toEqual([
        [5, 'has 6 values, the header 5'],
        [6, 'a quoted value is not closed'],
      ]);
    }
  });

  test('of CSV keep strings where the mapping has strings', () => {
    const reader = readerOf('csv', columnTypes({ zip: { type: 'keyword' }, n: { type: 'integer' } }));
    expect(sources([...reader.read('zip,n,flag\n123,4,true\n'), ...reader.end()])).toEqual([{ zip: '123', n: 4, flag: true }]);
  });
});

describe('suggested mappings', () => {
  test('find types by values', () => {
    const documents = [
      {
        i: 1,
        f: 1,
        b: true,
        d: '2020-01-01',
        t: 'a long way home',
        k: 'red',
        ip: '10.0.0.1',
        p: { lat: 1, lon: 2 },
        o: { x: ['a'] },
        none: null,
      },
      { i: 2, f: 1.5, b: false, d: '2020-01-01T10:00:00Z', t: 'another text', k: 'blue', ip: '10.0.0.2', o: { x: [], y: 3 } },
    ];
    expect(suggestMapping(documents)).toEqual({
      i: { type: 'long' },
      f: { type: 'double' },
      b: { type: 'boolean' },
      d: { type: 'date' },
      t: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } },
      k: { type: 'keyword' },
      ip: { type: 'ip' },
      p: { type: 'geo_point' },
      o: { properties: { x: { type: 'keyword' }, y: { type: 'long' } } },
    });
  });

  test('take few values of several words as keywords, and dates with a space by their format', () => {
    const documents = Array.from({ length: 20 }, (_, i) => ({ state: i % 2 ? 'in progress' : 'not yet', at: '2020-01-01 10:00:00' }));
    expect(suggestMapping(documents)).toEqual({
      state: { type: 'keyword' },
      at: { type: 'date', format: 'yyyy-MM-dd HH:mm:ss||strict_date_optional_time' },
    });
  });

  test('name the index after the file', () => {
    expect(indexNameOf('My Cities (1).CSV')).toBe('my-cities-1');
    expect(indexNameOf('_Ünïcode.json')).toBe('n-code');
    expect(indexNameOf('---.csv')).toBe('imported');
  });
});
