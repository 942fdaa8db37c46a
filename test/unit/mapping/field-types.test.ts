import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/common/json/json-value.ts';
import type { FieldType, RangeSpec } from '../../../src/mapping/core/field-type.ts';
import { createMapping } from '../../../src/mapping/create-mapping.ts';
import { DecimalFormat } from '../../../src/mapping/values/decimal-format.ts';
import { formatIp, parseIp } from '../../../src/mapping/values/ip-address.ts';
import { toHalf } from '../../../src/mapping/values/number-values.ts';
import { simpleAnalysis } from '../../support/simple-analysis.ts';

const fieldOf = (body: JsonObject): FieldType => createMapping({ properties: { f: body } }, simpleAnalysis, {}).field('f')!;
const NOW = Date.UTC(2024, 1, 29, 12);
const range = (ends: { gt?: unknown; gte?: unknown; lt?: unknown; lte?: unknown }, more: Partial<RangeSpec> = {}): RangeSpec => ({
  from: ends.gt ?? ends.gte ?? null,
  to: ends.lt ?? ends.lte ?? null,
  includeFrom: ends.gt === undefined,
  includeTo: ends.lt === undefined,
  format: null,
  timeZone: null,
  nowMs: NOW,
  ...more,
});
const bounds = (body: JsonObject, spec: RangeSpec): unknown => {
  const result = fieldOf(body).rangeBounds(spec);
  if (result.kind === 'bytes') return result;
  return result.empty ? 'empty' : [result.min, result.max];
};

describe('ranges', () => {
  test.each<[JsonObject, RangeSpec, unknown]>([
    [{ type: 'integer' }, range({ gt: 3.5, lte: 7 }), [4n, 7n]],
    [{ type: 'integer' }, range({ gte: -3.5, lt: -1.5 }), [-3n, -2n]],
    [{ type: 'byte' }, range({ gt: 3, lt: 4 }), 'empty'],
    [{ type: 'byte' }, range({ gte: 1000 }), 'empty'],
    [{ type: 'long' }, range({ gte: '9007199254740993' }), [9_007_199_254_740_993n, 2n ** 63n - 1n]],
    [{ type: 'unsigned_long' }, range({ lte: 5 }), [-(2n ** 63n), 5n - 2n ** 63n]],
    [{ type: 'double' }, range({ gt: 1, lt: 2 }), [1 + Number.EPSILON, 2 - Number.EPSILON]],
    [{ type: 'float' }, range({ gt: 1, lte: 0.1 }), 'empty'],
    [{ type: 'half_float' }, range({ gt: 1, lt: 2 }), [1 + 2 ** -10, 2 - 2 ** -10]],
    [{ type: 'scaled_float', scaling_factor: 10 }, range({ gt: 1, lte: 2.06 }), [11n, 21n]],
    // Bounds are rounded as values are: 19.99 * 100 is 1998.9999999999998 in doubles.
    [{ type: 'scaled_float', scaling_factor: 100 }, range({ gte: 0.29, lte: 19.99 }), [29n, 1999n]],
    [{ type: 'scaled_float', scaling_factor: 100 }, range({ gt: 0.29, lt: 19.99 }), [30n, 1998n]],
    [{ type: 'date' }, range({ gte: '2024-01-01', lt: '2024-02-01' }), [1_704_067_200_000n, 1_706_745_599_999n]],
    [{ type: 'date' }, range({ gt: '2024-01-01', lte: '2024-02-01' }), [1_704_153_600_000n, 1_706_831_999_999n]],
    [{ type: 'date' }, range({ gte: 'now/d', lte: 'now/d' }), [1_709_164_800_000n, 1_709_251_199_999n]],
    [{ type: 'date' }, range({ gte: '01/02/2024' }, { format: 'dd/MM/yyyy', timeZone: '+01:00' }), [1_706_742_000_000n, 2n ** 63n - 1n]],
    [{ type: 'date_nanos' }, range({ gte: '2024-01-01T00:00:00.000000001Z' }), [1_704_067_200_000_000_001n, 2n ** 63n - 1n]],
    [{ type: 'boolean' }, range({ gte: false, lt: true }), [0n, 0n]],
  ])('%j %o', (body, spec, expected) => {
    expect(bounds(body, spec)).toEqual(expected);
  });

  test('an address block is a range', () => {
    const block = fieldOf({ type: 'ip' }).rangeBounds(range({ gte: '10.0.0.0/8', lte: '10.0.0.0/8' }));
    if (block.kind !== 'bytes') throw new Error('not bytes');
    expect([formatIp(block.from!), formatIp(block.to!)]).toEqual(['10.0.0.0', '10.255.255.255']);
  });

  test('fields of points have none', () => {
    expect(() => bounds({ type: 'geo_point' }, range({ gte: 1 }))).toThrow('Field [f] of type [geo_point] does not support range queries');
  });

  test('a path inside a flat object: all of its terms, without its neighbours', () => {
    const mapping = createMapping({ properties: { f: { type: 'flat_object' } } }, simpleAnalysis, {});
    const inner = mapping.field('f.a.b')!;
    const all = inner.rangeBounds(range({}));
    expect([
      inner.spec.name,
      all.kind === 'bytes' && Buffer.from(all.from!).toString(),
      all.kind === 'bytes' && Buffer.from(all.to!).toString(),
    ]).toEqual(['f._keyed', 'a.b\0', 'a.b\x01']);
    expect(inner.format(null, null).formatBytes(inner.termBytes('red'))).toBe('red');
  });
});

describe('exact values', () => {
  test.each<[JsonObject, unknown, unknown]>([
    [{ type: 'integer' }, 3.5, null],
    [{ type: 'integer' }, '3.0', 3n],
    [{ type: 'byte' }, 1000, null],
    [{ type: 'float' }, 0.1, Math.fround(0.1)],
    [{ type: 'scaled_float', scaling_factor: 100 }, 19.99, 1999n],
    [{ type: 'unsigned_long' }, '18446744073709551615', 2n ** 63n - 1n],
    [{ type: 'date' }, '2024-01-01', 1_704_067_200_000n],
    [{ type: 'boolean' }, 'true', 1n],
  ])('%j %o', (body, value, expected) => {
    expect(fieldOf(body).exactValue(value)).toBe(expected);
  });

  test('wrong values are refused with a reason', () => {
    expect(() => fieldOf({ type: 'integer' }).exactValue('abc')).toThrow('For input string: "abc"');
    expect(() => fieldOf({ type: 'boolean' }).termBytes('x')).toThrow("Can't parse boolean value [x], expected [true] or [false]");
    expect(() => fieldOf({ type: 'date' }).exactValue('someday')).toThrow(
      'failed to parse date field [someday] with format [strict_date_optional_time||epoch_millis]',
    );
  });
});

describe('formats', () => {
  test('of columns', () => {
    expect(fieldOf({ type: 'scaled_float', scaling_factor: 100 }).format('0.0', null).format(1999n)).toBe('20.0');
    expect(
      fieldOf({ type: 'unsigned_long' })
        .format(null, null)
        .format(2n ** 63n - 1n),
    ).toBe(18_446_744_073_709_551_615n);
    expect(fieldOf({ type: 'boolean' }).format(null, null).keyAsString(1)).toBe('true');
    expect(fieldOf({ type: 'date' }).format('yyyy-MM', '+01:00').keyAsString(1_706_742_000_000)).toBe('2024-02');
    expect(fieldOf({ type: 'date_nanos' }).format('strict_date_optional_time_nanos', null).format(1_709_210_096_123_456_789n)).toBe(
      '2024-02-29T12:34:56.123456789Z',
    );
    expect(() => fieldOf({ type: 'keyword' }).format('0.0', null)).toThrow('Field [f] of type [keyword] does not support custom formats');
  });

  test.each([
    ['#,##0.00', 1_234_567.891, '1,234,567.89'],
    ['0.0', 0.25, '0.2'],
    ['0.0', 0.35, '0.3'],
    ['0.0', -1.05, '-1.1'],
    ['#.00', 0.5, '.50'],
    ['#', 1234.5, '1234'],
    ['000', 7, '007'],
    ['0.###', 1.5, '1.5'],
    ['0.00E0', 12_345, '1.23E4'],
    ['##0.##E0', 12_345, '12.3E3'],
    ['0%', 0.256, '26%'],
    ["'#'0", 5, '#5'],
    ['$#,##0;($#,##0)', -1234, '($1,234)'],
    ['0.0', 1e21, '1000000000000000000000.0'],
  ])('%s of %d', (pattern, value, expected) => {
    expect(DecimalFormat.of(pattern).format(value)).toBe(expected);
  });

  test.each(['0.0.0', '#0#', '0,'])('%s is no pattern', (pattern) => {
    expect(() => DecimalFormat.of(pattern)).toThrow(`Malformed pattern "${pattern}"`);
  });
});

test.each(['10.0.0.1', '::1', '2001:db8::1', '2001:db8:0:1:1:1:1:1', '::', 'fe80::1:0:0:1'])(
  'address %s is its own canonical text',
  (text) => {
    expect(formatIp(parseIp(text))).toBe(text);
  },
);

test.each(['1.2.3', '1.2.3.256', '01.2.3.4', ':::', '1:2:3:4:5:6:7', '1::2::3', 'x'])('%s is no address', (text) => {
  expect(() => parseIp(text)).toThrow(`'${text}' is not an IP string literal.`);
});

test.each([
  [1, 1],
  [0.1, 0.0999755859375],
  [65_504, 65_504],
  [65_519, 65_504],
  [65_520, Number.POSITIVE_INFINITY],
  [2 ** -24, 2 ** -24],
  [2 ** -26, 0],
  [2049, 2048],
  [2051, 2052],
])('half of %d', (value, expected) => {
  expect(toHalf(value)).toBe(expected);
  expect(toHalf(-value)).toBe(-expected);
});
