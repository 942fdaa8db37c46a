import { describe, expect, test } from 'vitest';
import { parseJson, parseJsonTyped } from '../../../src/common/json/json-parse.ts';
import type { JsonObject } from '../../../src/common/json/json-value.ts';
import { DEFAULT_DIALECT, dialectOf } from '../../../src/compat/dialect.ts';
import { ApiError } from '../../../src/errors/api-error.ts';
import type { MappingSnapshot } from '../../../src/mapping/core/mapping-snapshot.ts';
import { createMapping, restoreMapping } from '../../../src/mapping/create-mapping.ts';
import { RecordingSink } from '../../support/recording-sink.ts';
import { simpleAnalysis } from '../../support/simple-analysis.ts';

const create = (mappings: JsonObject, settings: Record<string, string> = {}, dialect = DEFAULT_DIALECT): MappingSnapshot =>
  createMapping(mappings, simpleAnalysis, settings, dialect);

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return `${error.type}: ${error.reason}`;
    throw error;
  }
  return 'accepted';
}

/** Mapping after documents, given as JSON texts, under dynamic mapping. */
const grown = (mappings: JsonObject, ...texts: string[]): JsonObject => grownFrom(create(mappings), ...texts);

function grownFrom(first: MappingSnapshot, ...texts: string[]): JsonObject {
  let mapping = first;
  for (const text of texts) {
    for (;;) {
      const sink = new RecordingSink(() => mapping.fields);
      const outcome = mapping.parseDocument('1', parseJson(text) as JsonObject, sink, null, () => parseJsonTyped(text) as JsonObject);
      if (outcome.kind === 'parsed') break;
      expect(sink.documents).toEqual([]);
      mapping = mapping.merge(outcome.update.mappings, 'dynamic');
    }
  }
  return mapping.toJson();
}

const TEXT = { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } };

describe('mappings bodies', () => {
  test('are shown sorted, with what differs from defaults', () => {
    const body = {
      dynamic: false,
      properties: { b: { type: 'long', doc_values: true, coerce: false }, a: { properties: { z: { type: 'date', format: 'yyyy' } } } },
    };
    expect(JSON.stringify(create(body).toJson())).toBe(
      JSON.stringify({
        dynamic: 'false',
        properties: { a: { properties: { z: { type: 'date', format: 'yyyy' } } }, b: { type: 'long', coerce: false } },
      }),
    );
  });

  test.each<[JsonObject, string]>([
    [
      { properties: { a: { type: 'colour' } } },
      'mapper_parsing_exception: Failed to parse mapping: No handler for type [colour] declared on field [a]',
    ],
    [{ properties: { a: {} } }, 'mapper_parsing_exception: Failed to parse mapping: No type specified for field [a]'],
    [{ _doc: { properties: {} } }, 'illegal_argument_exception: The mapping definition cannot be nested under a type'],
    [
      { _default_: {} },
      'mapper_parsing_exception: Failed to parse mapping: Root mapping definition has unsupported parameters:  [_default_ : {}]',
    ],
    [
      { properties: { a: { type: 'keyword', analyzer: 'x' } } },
      'mapper_parsing_exception: Failed to parse mapping: unknown parameter [analyzer] on mapper [a] of type [keyword]',
    ],
    [
      { properties: { a: { type: 'text', analyzer: 'nothing' } } },
      'mapper_parsing_exception: Failed to parse mapping: analyzer [nothing] has not been configured in mappings',
    ],
    [
      { properties: { a: { type: 'alias', path: 'b' } } },
      'mapper_parsing_exception: Invalid [path] value [b] for field alias [a]: an alias must refer to an existing field in the mappings.',
    ],
    [
      { properties: { a: { type: 'text', copy_to: 'b' }, b: { type: 'object' } } },
      'illegal_argument_exception: Cannot copy to field [b] since it is mapped as an object',
    ],
    [
      { properties: { _id: { type: 'keyword' } } },
      'mapper_parsing_exception: Failed to parse mapping: Field [_id] is defined more than once',
    ],
    [
      { properties: { a: { type: 'date', format: 'nonsense' } } },
      'mapper_parsing_exception: Failed to parse mapping: Error parsing [format] on field [a]: Invalid format: [nonsense]: Unknown pattern letter: o',
    ],
  ])('%j is refused', (body, expected) => {
    expect(refusal(() => create(body))).toBe(expected);
  });

  test.each<[string, JsonObject, Record<string, string>, string]>([
    [
      'total fields',
      { properties: { a: { type: 'text', fields: { k: { type: 'keyword' } } } } },
      { 'index.mapping.total_fields.limit': '1' },
      'Limit of total fields [1] has been exceeded',
    ],
    [
      'nested fields',
      { properties: { a: { type: 'nested' }, b: { type: 'nested' } } },
      { 'index.mapping.nested_fields.limit': '1' },
      'Limit of nested fields [1] has been exceeded',
    ],
    [
      'depth',
      { properties: { a: { properties: { b: { properties: {} } } } } },
      { 'index.mapping.depth.limit': '2' },
      'Limit of mapping depth [2] has been exceeded due to object field [a.b]',
    ],
    [
      'names',
      { properties: { abcdef: { type: 'long' } } },
      { 'index.mapping.field_name_length.limit': '5' },
      'Field name [abcdef] is longer than the limit of [5] characters',
    ],
    [
      'dimensions',
      { properties: { a: { type: 'keyword', time_series_dimension: true } } },
      { 'index.mapping.dimension_fields.limit': '0' },
      'Limit of dimension fields [0] has been exceeded',
    ],
  ])('the limit of %s holds', (_name, body, settings, expected) => {
    expect(refusal(() => create(body, settings))).toBe(`illegal_argument_exception: ${expected}`);
  });
});

test('a limit that was lowered stops growth only', () => {
  const mapping = restoreMapping({ properties: { a: { type: 'long' }, b: { type: 'long' } } }, simpleAnalysis, {
    'index.mapping.total_fields.limit': '1',
  });
  expect(mapping.merge({ properties: { a: { type: 'long', meta: { unit: 'm' } } } }, 'put').fieldJson('a', false)?.['a']).toEqual({
    type: 'long',
    meta: { unit: 'm' },
  });
  expect(refusal(() => mapping.merge({ properties: { c: { type: 'long' } } }, 'put'))).toBe(
    'illegal_argument_exception: Limit of total fields [1] has been exceeded',
  );
});

describe('merging', () => {
  const before = create({
    properties: { a: { type: 'text' }, o: { properties: { x: { type: 'long' } } }, n: { type: 'nested' } },
    dynamic_templates: [{ t: { match: 'a*', mapping: { type: 'long' } } }],
  });

  test('adds fields and sub-fields, replaces templates by name, keeps field numbers', () => {
    const merged = before.merge(
      {
        properties: { a: { type: 'text', fields: { raw: { type: 'keyword' } } }, o: { properties: { y: { type: 'ip' } } } },
        dynamic_templates: [{ t: { match: 'b*', mapping: { type: 'long' } } }, { u: { match: 'c*', mapping: { type: 'ip' } } }],
      },
      'put',
    );
    expect(merged.toJson()).toEqual({
      dynamic_templates: [{ t: { match: 'b*', mapping: { type: 'long' } } }, { u: { match: 'c*', mapping: { type: 'ip' } } }],
      properties: {
        a: { type: 'text', fields: { raw: { type: 'keyword' } } },
        n: { type: 'nested' },
        o: { properties: { x: { type: 'long' }, y: { type: 'ip' } } },
      },
    });
    expect(merged.fields.slice(0, before.fields.length).map(({ name }) => name)).toEqual(before.fields.map(({ name }) => name));
    expect(restoreMapping(merged.toJson(), simpleAnalysis, {}, before).fields).toEqual(merged.fields);
  });

  test.each<[JsonObject, string]>([
    [{ a: { type: 'keyword' } }, 'mapper [a] cannot be changed from type [text] to [keyword]'],
    [
      { a: { type: 'text', analyzer: 'english' } },
      'Mapper for [a] conflicts with existing mapper:\n\tCannot update parameter [analyzer] from [default] to [english]',
    ],
    [{ o: { type: 'keyword' } }, "can't merge a non object mapping [o] with an object mapping"],
    [{ o: { type: 'nested' } }, 'cannot change object mapping from non-nested to nested'],
    [{ n: { properties: {} } }, 'cannot change object mapping from nested to non-nested'],
  ])('%j conflicts', (properties, expected) => {
    expect(refusal(() => before.merge({ properties }, 'put'))).toBe(`illegal_argument_exception: ${expected}`);
  });
});

describe('dynamic mapping', () => {
  test('types follow the JSON values', () => {
    expect(
      grown(
        {},
        '{"i":1,"d":1.5,"e":1.0,"b":true,"s":"x","t":"2024-01-01","u":"2024/01/01 10:00:00","n":"17","o":{"p":{}},"l":[{"q":1},{"r":[[2]]}],"z":null,"y":[]}',
      ).properties,
    ).toEqual({
      i: { type: 'long' },
      d: { type: 'float' },
      e: { type: 'float' },
      b: { type: 'boolean' },
      s: TEXT,
      t: { type: 'date' },
      u: { type: 'date', format: 'yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis' },
      n: TEXT,
      o: { properties: { p: { type: 'object' } } },
      l: { properties: { q: { type: 'long' }, r: { type: 'long' } } },
    });
  });

  test('dotted names make objects', () => {
    expect(grown({}, '{"a.b.c":1,"a":{"d":"x"}}').properties).toEqual({
      a: { properties: { b: { properties: { c: { type: 'long' } } }, d: TEXT } },
    });
  });

  test('detection is switched by the mapping', () => {
    expect(grown({ date_detection: false, numeric_detection: true }, '{"a":"2024-01-01","b":"17","c":"1.5"}').properties).toEqual({
      a: TEXT,
      b: { type: 'long' },
      c: { type: 'float' },
    });
  });

  test('strict_allow_templates adds what a template fits and refuses the rest', () => {
    const template = { mapping: { type: 'object', properties: { code: { type: 'keyword' }, text: { type: 'text' } } } };
    const mappings = {
      dynamic: 'strict_allow_templates',
      dynamic_templates: [
        { words: { match: 'word*', match_mapping_type: 'string', mapping: { type: 'keyword' } } },
        { objects: { match: 'object*', match_mapping_type: 'object', ...template } },
      ],
      properties: { open: { type: 'object', dynamic: true } },
    };
    const created = create(mappings, {}, dialectOf('opensearch', ''));
    const { dynamic, properties } = grownFrom(created, '{"word":["a"],"object":{"code":"x","words":"y"},"open":{"any":1}}');
    expect(dynamic).toBe('strict_allow_templates');
    expect(properties).toEqual({
      word: { type: 'keyword' },
      object: { properties: { ...template.mapping.properties, words: { type: 'keyword' } } },
      open: { dynamic: 'true', properties: { any: { type: 'long' } } },
    });
    for (const [text, name, within] of [
      ['{"word":"a","other":1}', 'other', '_doc'],
      ['{"word":1}', 'word', '_doc'],
      ['{"part":{"word":"a"}}', 'part', '_doc'],
      ['{"part.word":"a"}', 'part', '_doc'],
      ['{"object":{"code":"x","size":1}}', 'size', 'object'],
    ]) {
      expect(refusal(() => grownFrom(created, text))).toBe(
        `strict_dynamic_mapping_exception: mapping set to strict_allow_templates, dynamic introduction of [${name}] within [${within}] is not allowed`,
      );
    }
    // Data of a node that answered as OpenSearch stays readable as Elasticsearch.
    expect(refusal(() => create(mappings))).toContain('Could not convert [dynamic.dynamic] to boolean');
    expect(restoreMapping(mappings, simpleAnalysis, {}).toJson()).toEqual(created.toJson());
  });

  test('what a template maps inside a new object is not guessed from the document', () => {
    const properties = { code: { type: 'keyword' } };
    const { properties: fields } = grown(
      { dynamic_templates: [{ o: { match: 'o', mapping: { properties } } }] },
      '{"o":{"code":"a","n":1}}',
    );
    expect(fields).toEqual({ o: { properties: { ...properties, n: { type: 'long' } } } });
  });

  test('dynamic false keeps out, true inside lets in; nested objects stay nested', () => {
    const mappings = { dynamic: false, properties: { n: { type: 'nested', dynamic: true } } };
    expect(grown(mappings, '{"a":1,"n":[{"x":1}]}').properties).toEqual({
      n: { type: 'nested', dynamic: 'true', properties: { x: { type: 'long' } } },
    });
  });

  test('copy_to makes its target', () => {
    expect(grown({ properties: { a: { type: 'keyword', copy_to: 'o.all' } } }, '{"a":"x"}').properties).toEqual({
      a: { type: 'keyword', copy_to: ['o.all'] },
      o: { properties: { all: TEXT } },
    });
  });

  test('a refused document changes nothing', () => {
    const mapping = create({ properties: { n: { type: 'long' } } });
    expect(refusal(() => mapping.parseDocument('1', { n: 'x', fresh: 1 }, new RecordingSink(() => mapping.fields), null))).toContain(
      'mapper_parsing_exception',
    );
  });

  test('templates: the first that fits, names and types filled in', () => {
    const templates = [
      { ids: { match: '*_id', unmatch: 'x_*', mapping: { type: 'keyword' } } },
      { words: { match_mapping_type: 'string', path_match: 'o.*', mapping: { type: 'text', analyzer: '{name}' } } },
      { numbers: { match_pattern: 'regex', match: '^n\\d+$', mapping: { type: 'byte' } } },
      { rest: { match_mapping_type: ['long', 'double'], mapping: { type: '{dynamic_type}', store: true } } },
    ];
    const { properties } = grown({ dynamic_templates: templates }, '{"a_id":1,"x_id":1,"o":{"english":"x"},"n12":5,"nx":6}');
    expect(properties).toEqual({
      a_id: { type: 'keyword' },
      x_id: { type: 'long', store: true },
      o: { properties: { english: { type: 'text', analyzer: 'english' } } },
      n12: { type: 'byte' },
      nx: { type: 'long', store: true },
    });
  });
});
