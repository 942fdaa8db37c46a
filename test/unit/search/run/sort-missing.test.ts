// Values in place of missing ones, `numeric_type` and `unmapped_type` of sorts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const types = { flag: 'boolean', n: 'long', d: 'double', at: 'date', ns: 'date_nanos', k: 'keyword', t: 'text' };
  const properties = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));
  await node.ok('PUT /docs', { mappings: { properties } });
  await node.ok('POST /docs/_bulk?refresh=true', [
    { index: { _id: '1' } },
    { flag: true, n: 1, d: 1.5, at: '2024-01-01', ns: '2024-01-01T00:00:00.000000001Z', k: 'a' },
    { index: { _id: '2' } },
    {},
  ]);
});

afterAll(() => node?.close());

/** The hits as `id:value`, or the type and reason of the shard's error. */
async function sorted(field: string, options: Record<string, unknown>): Promise<string> {
  const { json, text } = await node.send('POST /docs/_search', { sort: [{ [field]: options }] });
  if (json.error) return `${json.error.root_cause[0].type}: ${json.error.root_cause[0].reason}`;
  return [...text.matchAll(/"_id":"(\d)".*?"sort":\[(.*?)\]/g)].map(([, id, value]) => `${id}:${value}`).join(' ');
}

describe('missing', () => {
  test('is a number in the unit of the values, of which whole ones drop the fraction', async () => {
    expect(await sorted('n', { missing: 1.9, order: 'desc' })).toBe('1:1 2:1');
    expect(await sorted('flag', { missing: 0 })).toBe('2:0 1:1');
    expect(await sorted('flag', { missing: 1.5, numeric_type: 'double' })).toBe('1:1.0 2:1.0');
    expect(await sorted('at', { missing: 5 })).toBe('2:5 1:1704067200000');
    expect(await sorted('ns', { missing: 5 })).toBe('2:5 1:1704067200000000001');
    expect(await sorted('d', { missing: '0.5' })).toBe('2:0.5 1:1.5');
  });

  test('is refused if it is not a number', async () => {
    for (const [field, missing] of [
      ['n', 'x'],
      ['n', '1.5'],
      ['flag', true],
      ['at', '2024-01-01'],
      ['d', true],
    ] as const) {
      expect(await sorted(field, { missing }), `${field} ${missing}`).toBe(`number_format_exception: For input string: "${missing}"`);
    }
  });
});

describe('numeric_type', () => {
  test('converts nanoseconds to milliseconds for doubles and dates, doubles to whole numbers for dates', async () => {
    expect(await sorted('ns', { numeric_type: 'double', missing: 1 })).toBe('2:1.0 1:1.7040672E12');
    expect(await sorted('ns', { numeric_type: 'date' })).toBe('1:1704067200000 2:9223372036854775807');
    expect(await sorted('d', { numeric_type: 'date' })).toBe('1:1 2:9223372036854775807');
  });

  test('date_nanos is for dates, every type for fields with numbers, names are checked by the parser', async () => {
    expect(await sorted('n', { numeric_type: 'date_nanos' })).toBe(
      'illegal_argument_exception: trying to convert a known date time formatter to a nanosecond one, wrong field used?',
    );
    expect(await sorted('k', { numeric_type: 'long', mode: 'sum' })).toBe(
      'query_shard_exception: we only support AVG, MEDIAN and SUM on number based fields',
    );
    expect(await sorted('n', { numeric_type: 'int' })).toMatch(
      /^x_content_parse_exception: .*\[field_sort\] failed to parse field \[numeric_type\]$/,
    );
  });
});

describe('unmapped_type', () => {
  test('stands for a field of that type without values', async () => {
    expect(await sorted('none', { unmapped_type: 'long' })).toBe('1:9223372036854775807 2:9223372036854775807');
    expect(await sorted('none', { unmapped_type: 'double', missing: 1, numeric_type: 'long' })).toBe('1:1 2:1');
    expect(await sorted('none', { unmapped_type: 'long', numeric_type: 'double' })).toBe('1:"Infinity" 2:"Infinity"');
    expect(await sorted('none', { unmapped_type: 'keyword', missing: 'x' })).toBe('1:"x" 2:"x"');
    expect(await sorted('none', { unmapped_type: 'double', format: 'yyyy' })).toBe(
      'illegal_argument_exception: require a date_time formatter; got [decimal]',
    );
  });

  test('of a text or an unknown type is refused', async () => {
    expect(await sorted('none', { unmapped_type: 'text' })).toMatch(
      /^illegal_argument_exception: Fielddata is disabled on \[.*\] in \[docs\]\. Text fields/,
    );
    expect(await sorted('none', { unmapped_type: 'nothing' })).toBe('illegal_argument_exception: No mapper found for type [nothing]');
  });
});
