import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/common/json/json-value.ts';
import { ApiError } from '../../../../src/errors/api-error.ts';
import { createMapping } from '../../../../src/mapping/create-mapping.ts';
import { readCompletions } from '../../../../src/mapping/types/completion.ts';
import { RecordingSink } from '../../../support/recording-sink.ts';
import { simpleAnalysis } from '../../../support/simple-analysis.ts';

function parse(
  properties: JsonObject,
  source: JsonObject,
  options: { mappings?: JsonObject; settings?: Record<string, string>; routing?: string } = {},
) {
  const mapping = createMapping({ dynamic: 'strict', properties, ...options.mappings }, simpleAnalysis, options.settings ?? {});
  const sink = new RecordingSink(() => mapping.fields);
  mapping.parseDocument('1', source, sink, options.routing ?? null);
  return sink.documents;
}

/** Values of the root document. */
const values = (...args: Parameters<typeof parse>) => parse(...args).at(-1)!.values;

function refusal(...args: Parameters<typeof parse>): string {
  try {
    parse(...args);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.causedBy
      ? `${error.type}: ${error.reason} <- ${error.causedBy.type}: ${error.causedBy.reason}`
      : `${error.type}: ${error.reason}`;
  }
  return 'accepted';
}

describe('values', () => {
  test('integers: strings, fractions and lists are coerced, the empty string is null', () => {
    expect(values({ n: { type: 'integer', null_value: 5 } }, { n: ['17', 7.9, '1e2', '', null] })).toEqual([
      ['i64', 'n', 17n],
      ['i64', 'n', 7n],
      ['i64', 'n', 100n],
      ['i64', 'n', 5n],
      ['i64', 'n', 5n],
    ]);
  });

  test('longs beyond 2^53 are exact', () => {
    expect(
      values({ n: { type: 'long' }, u: { type: 'unsigned_long' } }, { n: 9_007_199_254_740_993n, u: 18_446_744_073_709_551_615n }),
    ).toEqual([
      ['i64', 'n', 9_007_199_254_740_993n],
      ['i64', 'u', 9_223_372_036_854_775_807n],
    ]);
  });

  test('floats are rounded to their width, scaled floats to their factor', () => {
    expect(
      values(
        { f: { type: 'float' }, h: { type: 'half_float' }, d: { type: 'double' }, s: { type: 'scaled_float', scaling_factor: 100 } },
        { f: 0.1, h: 0.1, d: 0.1, s: -19.999 },
      ),
    ).toEqual([
      ['f64', 'f', Math.fround(0.1)],
      ['f64', 'h', 0.0999755859375],
      ['f64', 'd', 0.1],
      ['i64', 's', -2000n],
    ]);
  });

  test('keywords: null_value, ignore_above, normalizer, numbers as text', () => {
    expect(
      values(
        {
          a: { type: 'keyword', null_value: 'NULL' },
          b: { type: 'keyword', ignore_above: 3 },
          c: { type: 'keyword', normalizer: 'lowercase' },
        },
        { a: [null, 'x'], b: ['long', 'ok'], c: ['ÀB', 5, true] },
      ),
    ).toEqual([
      ['keyword', 'a', 'NULL'],
      ['keyword', 'a', 'x'],
      ['keyword', 'b', 'ok'],
      ['keyword', 'c', 'àb'],
      ['keyword', 'c', '5'],
      ['keyword', 'c', 'true'],
      ['keyword', '_ignored', 'b'],
      ['term', '_field_names', '_ignored'],
    ]);
  });

  test('text, its multi-fields and copies', () => {
    const fields = { raw: { type: 'keyword' }, count: { type: 'token_count', analyzer: 'standard' } };
    expect(values({ t: { type: 'text', fields, copy_to: 'all' }, all: { type: 'text' } }, { t: 'One two' })).toEqual([
      ['text', 't', 'One two'],
      ['keyword', 't.raw', 'One two'],
      ['i64', 't.count', 2n],
      ['text', 'all', 'One two'],
    ]);
  });

  test('fields without column and norms, and text without words, are named in _field_names, but not fields of which nothing is kept', () => {
    expect(
      values(
        {
          k: { type: 'keyword', doc_values: false },
          t: { type: 'text' },
          n: { type: 'text', norms: false },
          h: { type: 'keyword', doc_values: false, index: false },
        },
        { k: 'a', t: '?', n: 'x', h: 'y' },
      ),
    ).toEqual([
      ['term', '_field_names', 'k'],
      ['keyword', 'k', 'a'],
      ['text', 't', '?'],
      ['term', '_field_names', 't'],
      ['text', 'n', 'x'],
      ['term', '_field_names', 'n'],
    ]);
  });

  test('every form of a point', () => {
    const forms = [{ lat: 1, lon: 2 }, '1,2', [2, 1], 'POINT (2 1)', { type: 'Point', coordinates: [2, 1] }, [[2, 1], '1,2']];
    for (const form of forms) {
      for (const value of values({ p: { type: 'geo_point' } }, { p: form })) expect(value).toEqual(['geo', 'p', [1, 2]]);
    }
    const [[, , corner]] = values({ p: { type: 'geo_point' } }, { p: 's0' }) as unknown as [[string, string, number[]]];
    expect(corner).toEqual([0, 0]);
  });

  test('addresses', () => {
    const mapped = [...new Array(10).fill(0), 255, 255];
    expect(values({ a: { type: 'ip' } }, { a: ['10.0.0.1', '::1', '::ffff:1.2.3.4'] })).toEqual([
      ['keyword', 'a', [...mapped, 10, 0, 0, 1]],
      ['keyword', 'a', [...new Array(15).fill(0), 1]],
      ['keyword', 'a', [...mapped, 1, 2, 3, 4]],
    ]);
  });

  test('ranges of one document share a binary value', () => {
    const [[op, field, bytes]] = values({ r: { type: 'integer_range' } }, { r: [{ gt: 10, lt: 20 }, { gte: -1 }] }) as unknown as [
      [string, string, number[]],
    ];
    const view = new DataView(Uint8Array.from(bytes).buffer);
    expect([
      op,
      field,
      view.getBigInt64(0, true),
      view.getBigInt64(8, true),
      view.getBigInt64(16, true),
      view.getBigInt64(24, true),
    ]).toEqual(['binary', 'r', 11n, 19n, -1n, 2n ** 31n - 1n]);
  });

  test('flat objects hold leaf values and keyed values', () => {
    expect(values({ f: { type: 'flat_object' } }, { f: { a: 'x', b: { c: [1, null, 'y'] } } })).toEqual([
      ['keyword', 'f', 'x'],
      ['keyword', 'f._keyed', 'a\0x'],
      ['keyword', 'f', '1'],
      ['keyword', 'f._keyed', 'b.c\x001'],
      ['keyword', 'f', 'y'],
      ['keyword', 'f._keyed', 'b.c\0y'],
    ]);
  });

  test('completions: a term per input, its words joined', () => {
    const written = values({ c: { type: 'completion' } }, { c: ['north sea', { input: ['a', 'b c d'], weight: 3 }] });
    const kept = written.find(([kind]) => kind === 'binary') as unknown as [string, string, ArrayLike<number>];
    expect([...readCompletions(Uint8Array.from(kept[2]), false)].map(({ text, weight }) => [text, weight])).toEqual([
      ['north sea', 1],
      ['a', 3],
      ['b c d', 3],
    ]);
    expect(written.filter(([kind]) => kind !== 'binary')).toEqual([
      ['term', 'c', 'north\x1fsea'],
      ['term', '_field_names', 'c'],
      ['term', 'c', 'a'],
      ['term', 'c', 'b\x1fc\x1fd'],
      ['term', '_field_names', 'c'],
    ]);
    expect(refusal({ c: { type: 'completion' } }, { c: { input: 'a', weight: -1 } })).toContain(
      'weight must be in the interval [0..2147483647], but was [-1]',
    );
  });

  test('joins name the relation and the parent', () => {
    const join = { j: { type: 'join', relations: { question: ['answer'] } } };
    expect(values(join, { j: 'question' })).toEqual([
      ['keyword', 'j#question', '1'],
      ['keyword', 'j', 'question'],
    ]);
    expect(values(join, { j: { name: 'answer', parent: 'q1' } }, { routing: 'q1' })).toEqual([
      ['keyword', 'j#question', 'q1'],
      ['keyword', 'j', 'answer'],
      ['term', '_routing', 'q1'],
      ['term', '_field_names', '_routing'],
    ]);
    expect(refusal(join, { j: { name: 'answer', parent: 'q1' } })).toContain('[routing] is missing for join field [j]');
  });
});

describe('objects', () => {
  const nested = {
    lines: { type: 'nested', properties: { sku: { type: 'keyword', copy_to: 'all' }, n: { type: 'long' } } },
    all: { type: 'keyword' },
  };

  test('nested objects are documents of their own, copies go where the target is', () => {
    expect(parse(nested, { lines: [{ sku: 'a', n: 1 }, { sku: 'b' }] })).toEqual([
      {
        path: 'lines',
        values: [
          ['keyword', 'lines.sku', 'a'],
          ['i64', 'lines.n', 1n],
        ],
      },
      { path: 'lines', values: [['keyword', 'lines.sku', 'b']] },
      {
        path: null,
        values: [
          ['keyword', 'all', 'a'],
          ['keyword', 'all', 'b'],
        ],
      },
    ]);
  });

  test('include_in_parent repeats the values in the parent', () => {
    const mapping = { o: { type: 'nested', include_in_parent: true, properties: { k: { type: 'keyword' } } } };
    expect(parse(mapping, { o: { k: 'x' } })).toEqual([
      { path: 'o', values: [['keyword', 'o.k', 'x']] },
      { path: null, values: [['keyword', 'o.k', 'x']] },
    ]);
  });

  test('too many nested objects are refused', () => {
    expect(refusal(nested, { lines: [{}, {}, {}] }, { settings: { 'index.mapping.nested_objects.limit': '2' } })).toContain(
      'The number of nested documents has exceeded the allowed limit of [2]',
    );
  });

  test('dotted names, disabled objects', () => {
    const properties = { o: { properties: { p: { properties: { q: { type: 'long' } } } } }, off: { type: 'object', enabled: false } };
    expect(values(properties, { 'o.p.q': 1, o: { 'p.q': 2 }, off: { any: ['thing', 1] } })).toEqual([
      ['i64', 'o.p.q', 1n],
      ['i64', 'o.p.q', 2n],
    ]);
  });
});

describe('refusals', () => {
  const around = (field: string, type: string, value: string): string =>
    `mapper_parsing_exception: failed to parse field [${field}] of type [${type}] in document with id '1'. Preview of field's value: '${value}' <- `;
  test.each<[JsonObject, JsonObject, string]>([
    [
      { n: { type: 'byte' } },
      { n: 128 },
      `${around('n', 'byte', '128')}illegal_argument_exception: Value [128] is out of range for a byte`,
    ],
    [
      { n: { type: 'byte' } },
      { n: 2 ** 40 },
      `${around('n', 'byte', '1099511627776')}input_coercion_exception: Numeric value (1099511627776) out of range of \`int\` (-2147483648 - 2147483647)`,
    ],
    [{ n: { type: 'long' } }, { n: 'x1' }, `${around('n', 'long', 'x1')}illegal_argument_exception: For input string: "x1"`],
    [
      { b: { type: 'boolean' } },
      { b: 1.5 },
      `${around('b', 'boolean', '1.5')}input_coercion_exception: Current token (VALUE_NUMBER_FLOAT) not of boolean type`,
    ],
    [
      { k: { type: 'keyword' } },
      { k: { lt: 1e19, gt: { b: 1, a: 2 } } },
      `${around('k', 'keyword', '{lt=1.0E19, gt={a=2, b=1}}')}illegal_state_exception: Can't get text on a START_OBJECT`,
    ],
    [
      { r: { type: 'integer_range' } },
      { r: 'x' },
      `${around('r', 'integer_range', 'x')}mapper_parsing_exception: error parsing field [r], expected an object but got r`,
    ],
    [
      { r: { type: 'integer_range' } },
      { r: ['x'] },
      `${around('r', 'integer_range', 'x')}mapper_parsing_exception: error parsing field [r], expected an object but got null`,
    ],
    [
      { r: { type: 'integer_range' } },
      { r: { gte: 1, other: [2] } },
      `${around('r', 'integer_range', '[2]')}mapper_parsing_exception: error parsing field [r], with unknown parameter [other]`,
    ],
    [{ r: { type: 'long_range' } }, { r: { lt: 'a' } }, `${around('r', 'long_range', 'a')}number_format_exception: For input string: "a"`],
    [
      { r: { type: 'integer_range' } },
      { r: { gt: 4, lte: 1 } },
      `${around('r', 'integer_range', 'null')}illegal_argument_exception: min value (5) is greater than max value (1)`,
    ],
    [{ n: { type: 'integer' } }, { n: 'x1' }, `${around('n', 'integer', 'x1')}number_format_exception: For input string: "x1"`],
    [
      { n: { type: 'integer', coerce: false } },
      { n: '5' },
      `${around('n', 'integer', '5')}illegal_argument_exception: Integer value passed as String`,
    ],
    [
      { n: { type: 'integer', coerce: false } },
      { n: 5.5 },
      `${around('n', 'integer', '5.5')}illegal_argument_exception: 5.5 cannot be converted to Integer without data loss`,
    ],
    [
      { n: { type: 'float' } },
      { n: 'Infinity' },
      `${around('n', 'float', 'Infinity')}illegal_argument_exception: [float] supports only finite values, but got [Infinity]`,
    ],
    [
      { b: { type: 'boolean' } },
      { b: 'yes' },
      `${around('b', 'boolean', 'yes')}illegal_argument_exception: Failed to parse value [yes] as only [true] or [false] are allowed.`,
    ],
    [
      { k: { type: 'keyword' } },
      { k: { a: 1 } },
      `${around('k', 'keyword', '{a=1}')}illegal_state_exception: Can't get text on a START_OBJECT`,
    ],
    [
      { a: { type: 'ip' } },
      { a: 'localhost' },
      `${around('a', 'ip', 'localhost')}illegal_argument_exception: 'localhost' is not an IP string literal.`,
    ],
    [
      { p: { type: 'geo_point' } },
      { p: '91,0' },
      'mapper_parsing_exception: failed to parse field [p] of type [geo_point] <- illegal_argument_exception: illegal latitude value [91.0] for geo_point',
    ],
    [
      { o: { properties: {} } },
      { o: 'x' },
      'mapper_parsing_exception: object mapping for [o] tried to parse field [o] as object, but found a concrete value',
    ],
    [
      { o: { properties: {} } },
      { o: { z: 1 } },
      'strict_dynamic_mapping_exception: mapping set to strict, dynamic introduction of [z] within [o] is not allowed',
    ],
    [
      {},
      { _id: '5' },
      `${around('_id', '_id', '5')}mapper_parsing_exception: Field [_id] is a metadata field and cannot be added inside a document. Use the index API request parameters.`,
    ],
    [{}, { '': 1 }, 'mapper_parsing_exception: failed to parse <- illegal_argument_exception: field name cannot be an empty string'],
    [
      { r: { type: 'rank_feature' } },
      { r: 0 },
      `${around('r', 'rank_feature', '0')}illegal_argument_exception: featureValue must be a positive normal float, got: 0.0 for feature r on field _feature which is less than the minimum positive normal float: 1.1754944E-38`,
    ],
    [
      { s: { type: 'geo_shape' } },
      {
        s: {
          type: 'polygon',
          coordinates: [
            [
              [0, 0],
              [2, 2],
              [2, 0],
              [0, 2],
              [0, 0],
            ],
          ],
        },
      },
      'mapper_parsing_exception: failed to parse field [s] of type [geo_shape] <- illegal_argument_exception: Unable to Tessellate shape. Possible malformed shape detected.',
    ],
  ])('%j with %j', (properties, source, expected) => {
    expect(refusal(properties, source)).toBe(expected);
  });

  test('ignore_malformed leaves the value out and names the field', () => {
    expect(values({ n: { type: 'integer', ignore_malformed: true } }, { n: [1, 'bad', 3] })).toEqual([
      ['i64', 'n', 1n],
      ['i64', 'n', 3n],
      ['keyword', '_ignored', 'n'],
      ['term', '_field_names', '_ignored'],
    ]);
  });

  test.each(['long', 'scaled_float', 'date', 'boolean', 'ip'])('ignore_malformed of %s does not cover objects', (type) => {
    const more = type === 'scaled_float' ? { scaling_factor: 10 } : {};
    const properties = { f: { type, ignore_malformed: true, ...more } };
    for (const f of [{}, { a: 0 }, [{ a: 0 }]]) expect(refusal(properties, { f })).toContain(`failed to parse field [f] of type [${type}]`);
  });

  test.each(['geo_point', 'aggregate_metric_double'])('ignore_malformed of %s covers objects', (type) => {
    const more = type === 'geo_point' ? {} : { metrics: ['min'], default_metric: 'min' };
    expect(values({ f: { type, ignore_malformed: true, ...more } }, { f: { a: 0 } })).toContainEqual(['keyword', '_ignored', 'f']);
  });

  test('terms longer than Lucene takes are refused', () => {
    expect(refusal({ k: { type: 'keyword' } }, { k: 'x'.repeat(32_767) })).toContain(
      'illegal_argument_exception: Document contains at least one immense term in field="k"',
    );
  });

  test.each([{ any: null }, { any: [] }, { any: [null] }])('strict mappings refuse %j', (document) => {
    expect(refusal({}, document)).toContain('strict_dynamic_mapping_exception: mapping set to strict, dynamic introduction of [any]');
  });
});
