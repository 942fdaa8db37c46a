// composite over values at the ends of their types, whose keys exceed 2^53 or have no larger neighbour: each document counts once per bucket.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

type Value = string | number | { lat: number; lon: number };
type Key = string | number | null;

interface Case {
  readonly mapping: Record<string, unknown>;
  readonly source: Record<string, unknown>;
  /** Values of each document, each with the key of its bucket. */
  readonly docs: ReadonlyArray<ReadonlyArray<readonly [Value, Key]>>;
}

const LAST_DAY = Date.UTC(2262, 3, 11);
const FIRST_DAY = Date.UTC(1970, 0, 1);
const histogram = (interval: number) => ({ histogram: { interval } });

const CASES: Readonly<Record<string, Case>> = {
  'long, interval 1000': {
    mapping: { type: 'long' },
    source: histogram(1000),
    docs: [
      [
        ['9223372036854775806', 9223372036854776e3],
        ['9223372036854775807', 9223372036854776e3],
      ],
      [
        ['-9223372036854775808', -9223372036854776e3],
        ['-9223372036854775807', -9223372036854776e3],
        [1, 0],
        [999, 0],
      ],
      [],
    ],
  },
  'long, interval 1.7e308': {
    mapping: { type: 'long' },
    source: histogram(1.7e308),
    docs: [
      [
        [5, 0],
        [7, 0],
      ],
      [],
    ],
  },
  'double, interval 1.7e308': {
    mapping: { type: 'double' },
    source: histogram(1.7e308),
    docs: [
      [
        [5, 0],
        [7, 0],
      ],
      [],
    ],
  },
  'long, interval 0.25': {
    mapping: { type: 'long' },
    source: histogram(0.25),
    docs: [
      [
        ['9007199254740993', 9007199254740992],
        ['9007199254740992', 9007199254740992],
      ],
      [],
      [[3, 3]],
    ],
  },
  'unsigned_long, interval 10': {
    mapping: { type: 'unsigned_long' },
    source: histogram(10),
    docs: [
      [
        ['18446744073709551615', 2 ** 64],
        ['18446744073709551614', 2 ** 64],
        [7, 0],
        [8, 0],
      ],
      [],
    ],
  },
  'double, interval 3': {
    mapping: { type: 'double' },
    source: histogram(3),
    docs: [
      [
        [-1e300, -1e300],
        [-0, 0],
        [0, 0],
        [2, 0],
      ],
      [
        [1e300, 1e300],
        [1e300, 1e300],
      ],
      [],
    ],
  },
  'date_nanos up to the last day': {
    mapping: { type: 'date_nanos' },
    source: { date_histogram: { fixed_interval: '1d' } },
    docs: [
      [
        ['2262-04-11T01:00:00.000000001Z', LAST_DAY],
        ['2262-04-11T02:00:00Z', LAST_DAY],
      ],
      [],
      [['2262-04-10T23:59:59.999999999Z', LAST_DAY - 86_400_000]],
    ],
  },
  'date_nanos in calendar years of a zone': {
    mapping: { type: 'date_nanos' },
    source: { date_histogram: { calendar_interval: 'year', time_zone: 'Europe/Paris' } },
    docs: [
      [
        ['2262-01-01T00:00:00Z', Date.UTC(2261, 11, 31, 23)],
        ['2262-04-11T02:00:00Z', Date.UTC(2261, 11, 31, 23)],
      ],
      [],
      [['1970-01-02T00:00:00Z', FIRST_DAY - 3_600_000]],
    ],
  },
  'geotiles of several points': {
    mapping: { type: 'geo_point' },
    source: { geotile_grid: { precision: 1 } },
    docs: [
      [
        [{ lat: 10, lon: 10 }, '1/1/0'],
        [{ lat: 20, lon: 20 }, '1/1/0'],
        [{ lat: -20, lon: -20 }, '1/0/1'],
      ],
      [],
      [[{ lat: 89, lon: -180 }, '1/0/0']],
    ],
  },
};

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

const tileOf = (key: Key): number[] => String(key).split('/').map(Number);
const compare = (a: Key, b: Key): number => {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [tileOf(a), tileOf(b)];
  return left[1] - right[1] || left[2] - right[2];
};

test.each(Object.entries(CASES))('%s', async (name, { mapping, source, docs }) => {
  const index = name.replace(/\W+/g, '-');
  await node.ok(`PUT /${index}`, { mappings: { properties: { f: mapping } } });
  for (const [d, values] of docs.entries()) await node.ok(`PUT /${index}/_doc/${d}`, { f: values.map(([value]) => value) });
  await node.ok(`POST /${index}/_refresh`);
  const [[kind, params]] = Object.entries(source) as Array<[string, object]>;
  for (const missingBucket of [false, true]) {
    const counts = new Map<Key, number>();
    for (const values of docs) {
      const keys = new Set(values.map(([, key]) => key));
      if (keys.size === 0 && missingBucket) keys.add(null);
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const expected = [...counts].sort(([a], [b]) => compare(a, b)).map(([k, doc_count]) => ({ key: { k }, doc_count }));
    const composite = { size: 100, sources: [{ k: { [kind]: { field: 'f', ...params, missing_bucket: missingBucket } } }] };
    const { aggregations } = await node.ok(`POST /${index}/_search?size=0`, { aggs: { pages: { composite } } });
    expect(aggregations.pages.buckets, `missing_bucket ${missingBucket}`).toEqual(expected);
  }
});

test('histogram distinguishes keys beyond the range of 64-bit integers', async () => {
  await node.ok('PUT /wide', { mappings: { properties: { f: { type: 'double' } } } });
  const values = [-2e30, -1e19, 1e19, 2e19, 2e30];
  for (const [d, value] of values.entries()) await node.ok(`PUT /wide/_doc/${d}`, { f: [value, value] });
  await node.ok('POST /wide/_refresh');
  const { aggregations } = await node.ok('POST /wide/_search?size=0', {
    aggs: { h: { histogram: { field: 'f', interval: 1, min_doc_count: 1 } } },
  });
  expect(aggregations.h.buckets).toEqual(values.map((key) => ({ key, doc_count: 1 })));
});

test.each([
  ['fixed_interval', '1d'],
  ['fixed_interval', '1ms'],
  ['calendar_interval', 'day'],
])('date_histogram with %s %s counts nanoseconds next to a boundary on their own side', async (param, interval) => {
  const index = `nanos-${param}-${interval}`;
  await node.ok(`PUT /${index}`, { mappings: { properties: { f: { type: 'date_nanos' } } } });
  const stamps = [
    ['2020-02-29T23:59:59.999999999Z', '2020-03-01T00:00:00Z'],
    ['2021-01-01T00:00:00.000999999Z', '2021-01-01T00:00:00Z'],
    ['2262-04-11T23:47:16.854775807Z'],
  ];
  for (const [d, f] of stamps.entries()) await node.ok(`PUT /${index}/_doc/${d}`, { f });
  await node.ok(`POST /${index}/_refresh`);
  const width = interval === '1ms' ? 1 : 86_400_000;
  const counts = new Map<number, number>();
  for (const list of stamps) {
    const keys = new Set(list.map((stamp) => Math.floor(Date.parse(`${stamp.slice(0, 23).replace('Z', '')}Z`) / width) * width));
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const aggs = { h: { date_histogram: { field: 'f', [param]: interval, min_doc_count: 1 } } };
  const { aggregations } = await node.ok(`POST /${index}/_search?size=0`, { aggs });
  const found = aggregations.h.buckets.map(({ key, doc_count }: { key: number; doc_count: number }) => [key, doc_count]);
  expect(found).toEqual([...counts].sort(([a], [b]) => a - b));
});
