// composite with `missing_bucket`, over every type of field, order and page size, against all combinations counted one by one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';
import { Rng } from '../../support/rng.ts';

type Key = string | number | boolean | bigint | null;

interface Field {
  readonly mapping: Record<string, unknown>;
  /** Values of documents, in ascending order, as they are sent. */
  readonly values: readonly (string | number | boolean)[];
  /** A value as the key of its bucket; by default the value. */
  readonly key?: (value: never) => Key;
}

const days = ['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z', '2024-02-29T12:00:00.000Z'];
const numbers = [-3, 0, 1, 2.5, 7];
const bounds = (low: number, high: number) => [low, -1, 0, 1, high];

const FIELDS: Readonly<Record<string, Field>> = {
  boolean: { mapping: { type: 'boolean' }, values: [false, true] },
  keyword: { mapping: { type: 'keyword' }, values: ['', 'B', 'a', 'false', 'true', 'ä'] },
  ip: { mapping: { type: 'ip' }, values: ['10.0.0.1', '10.0.0.2', '192.168.0.1', '2001:db8::1'] },
  date: { mapping: { type: 'date' }, values: days, key: (value: string) => Date.parse(value) },
  date_nanos: { mapping: { type: 'date_nanos' }, values: days.slice(1), key: (value: string) => Date.parse(value) },
  byte: { mapping: { type: 'byte' }, values: bounds(-128, 127) },
  short: { mapping: { type: 'short' }, values: bounds(-32768, 32767) },
  integer: { mapping: { type: 'integer' }, values: bounds(-(2 ** 31), 2 ** 31 - 1) },
  long: { mapping: { type: 'long' }, values: bounds(-(2 ** 53) + 1, 2 ** 53 - 1) },
  unsigned_long: { mapping: { type: 'unsigned_long' }, values: [0, 1, 2, 2 ** 53 - 1] },
  float: { mapping: { type: 'float' }, values: numbers },
  half_float: { mapping: { type: 'half_float' }, values: numbers },
  double: { mapping: { type: 'double' }, values: numbers },
  huge: { mapping: { type: 'double' }, values: [-(2 ** 63), 0, 1e300] },
  scaled_float: { mapping: { type: 'scaled_float', scaling_factor: 10 }, values: numbers },
};
/** Runtime fields that emit what the field of the same type holds. */
const RUNTIME: Readonly<Record<string, { type: string; of: string }>> = {
  r_boolean: { type: 'boolean', of: 'boolean' },
  r_keyword: { type: 'keyword', of: 'keyword' },
  r_ip: { type: 'ip', of: 'ip' },
  r_long: { type: 'long', of: 'integer' },
  r_double: { type: 'double', of: 'float' },
};

interface Source {
  readonly field: string;
  readonly kind: 'terms' | 'histogram' | 'date_histogram';
  readonly order: 'asc' | 'desc';
  readonly missingBucket: boolean;
  readonly missingOrder: 'default' | 'first' | 'last';
}

type Doc = Readonly<Record<string, readonly (string | number | boolean)[]>>;

const FIELD_NAMES = [...Object.keys(FIELDS), ...Object.keys(RUNTIME)];
const docs: Doc[] = [];
let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const runtime = Object.fromEntries(
    Object.entries(RUNTIME).map(([name, { type, of }]) => [
      name,
      { type, script: `for (int i = 0; i < doc['${of}'].size(); i++) emit(doc['${of}'].get(i))` },
    ]),
  );
  const properties = Object.fromEntries(Object.entries(FIELDS).map(([name, { mapping }]) => [name, mapping]));
  await node.ok('PUT /docs', { settings: { number_of_shards: 2 }, mappings: { runtime, properties } });
  const rng = new Rng(7);
  for (let d = 0; d < 60; d++) {
    const doc: Record<string, readonly (string | number | boolean)[]> = {};
    for (const [name, { values }] of Object.entries(FIELDS)) {
      // Most documents hold one value; some none, some several.
      const count = rng.pick([0, 1, 1, 1, 2]);
      doc[name] = rng.shuffle([...values]).slice(0, count);
    }
    docs.push(doc);
    await node.ok(`PUT /docs/_doc/${d}`, doc);
    if (d % 20 === 19) await node.ok('POST /docs/_refresh');
  }
});
afterAll(() => node.close());

const fieldOf = (name: string): { field: Field; of: string } => {
  const of = RUNTIME[name]?.of ?? name;
  return { field: FIELDS[of], of };
};

const HISTOGRAM = 2;
const DAY_MS = 86_400_000;

function keysOf(doc: Doc, { field: name, kind, missingBucket }: Source): Key[] {
  const { field, of } = fieldOf(name);
  const plain = doc[of].map((value) => (field.key ? field.key(value as never) : value));
  const keys = plain.map((key) => {
    if (kind === 'histogram') return Math.floor(Number(key) / HISTOGRAM) * HISTOGRAM;
    return kind === 'date_histogram' ? Math.floor(Number(key) / DAY_MS) * DAY_MS : key;
  });
  return keys.length > 0 ? [...new Set(keys)] : missingBucket ? [null] : [];
}

/** Place of a key among those of its field: fields list their values in order. */
function rank(key: Key, { field: name, kind }: Source): number {
  if (kind !== 'terms') return Number(key);
  const { field } = fieldOf(name);
  return field.values.findIndex((value) => (field.key ? field.key(value as never) : value) === key);
}

function compare(a: Key, b: Key, source: Source): number {
  const sign = source.order === 'desc' ? -1 : 1;
  if (a === null || b === null) {
    if (a === b) return 0;
    const missingFirst = source.missingOrder === 'first' || (source.missingOrder === 'default' && source.order === 'asc');
    return (a === null) === missingFirst ? -1 : 1;
  }
  return sign * (rank(a, source) - rank(b, source));
}

function expected(sources: readonly Source[]): Array<{ key: Record<string, Key>; doc_count: number }> {
  const found = new Map<string, { keys: Key[]; count: number }>();
  for (const doc of docs) {
    let tuples: Key[][] = [[]];
    for (const source of sources) tuples = tuples.flatMap((tuple) => keysOf(doc, source).map((key) => [...tuple, key]));
    for (const keys of tuples) {
      const entry = found.get(JSON.stringify(keys)) ?? { keys, count: 0 };
      entry.count++;
      found.set(JSON.stringify(keys), entry);
    }
  }
  const sorted = [...found.values()].sort((a, b) => {
    for (const [s, source] of sources.entries()) {
      const by = compare(a.keys[s], b.keys[s], source);
      if (by !== 0) return by;
    }
    return 0;
  });
  return sorted.map(({ keys, count }) => ({ key: Object.fromEntries(keys.map((key, s) => [`s${s}`, key])), doc_count: count }));
}

function sourceBody({ field, kind, order, missingBucket, missingOrder }: Source): Record<string, unknown> {
  const interval = kind === 'histogram' ? { interval: HISTOGRAM } : kind === 'date_histogram' ? { fixed_interval: '1d' } : {};
  return {
    [kind]: {
      field,
      order,
      ...interval,
      ...(missingBucket ? { missing_bucket: true } : {}),
      ...(missingOrder === 'default' ? {} : { missing_order: missingOrder }),
    },
  };
}

async function pages(sources: readonly Source[], size: number, limit: number): Promise<unknown[]> {
  const buckets: unknown[] = [];
  let after: unknown;
  for (let page = 0; page <= limit; page++) {
    const composite = {
      size,
      sources: sources.map((source, s) => ({ [`s${s}`]: sourceBody(source) })),
      ...(after === undefined ? {} : { after }),
    };
    const { json, text } = await node.send('POST /docs/_search?size=0', { aggs: { pages: { composite } } });
    const answer = json.aggregations?.pages;
    if (!answer) throw new Error(text);
    if (answer.buckets.length === 0) return buckets;
    buckets.push(...answer.buckets);
    after = answer.after_key;
  }
  throw new Error(`no end after ${limit} pages: ${JSON.stringify(buckets.slice(-3))}`);
}

async function check(sources: readonly Source[], size: number): Promise<void> {
  const wanted = expected(sources);
  const what = `${JSON.stringify(sources)} size ${size}`;
  expect(await pages(sources, size, Math.ceil(wanted.length / size) + 1), what).toEqual(wanted);
}

const ORDERS = [
  ['asc', 'default'],
  ['asc', 'first'],
  ['asc', 'last'],
  ['desc', 'default'],
  ['desc', 'first'],
  ['desc', 'last'],
] as const;

const isDate = (name: string) => name.startsWith('date');
const isNumber = (name: string) => !isDate(name) && name !== 'huge' && typeof fieldOf(name).field.values[0] === 'number';

test.each(FIELD_NAMES)('pages through terms of %s in every order', async (field) => {
  for (const [order, missingOrder] of ORDERS) await check([{ field, kind: 'terms', order, missingOrder, missingBucket: true }], 1);
  for (const order of ['asc', 'desc'] as const)
    await check([{ field, kind: 'terms', order, missingOrder: 'default', missingBucket: false }], 2);
});

test.each(FIELD_NAMES.filter((name) => isDate(name) || isNumber(name)))('pages through a histogram of %s in every order', async (field) => {
  const kind = isDate(field) ? 'date_histogram' : 'histogram';
  for (const [order, missingOrder] of ORDERS) await check([{ field, kind, order, missingOrder, missingBucket: true }], 1);
});

test('pages through combinations of two sources', async () => {
  const rng = new Rng(11);
  for (let i = 0; i < 60; i++) {
    const sources = [0, 1].map((): Source => {
      const field = rng.pick(FIELD_NAMES);
      const missingBucket = rng.bool(0.7);
      const [order, missingOrder] = rng.pick(ORDERS);
      const kind = rng.bool(0.3) && isNumber(field) ? 'histogram' : rng.bool(0.3) && isDate(field) ? 'date_histogram' : 'terms';
      return { field, kind, order, missingBucket, missingOrder: missingBucket ? missingOrder : 'default' };
    });
    await check(sources, rng.pick([3, 7, 100]));
  }
});

test('the least value of a 64-bit field does not count as missing', async () => {
  await node.ok('PUT /least', { mappings: { properties: { long: { type: 'long' }, unsigned: { type: 'unsigned_long' } } } });
  await node.ok('PUT /least/_doc/1?refresh=true', '{"long":-9223372036854775808,"unsigned":0}');
  await node.ok('PUT /least/_doc/2?refresh=true', '{"long":-9223372036854775807,"unsigned":18446744073709551615}');
  await node.ok('PUT /least/_doc/3?refresh=true', {});
  for (const [field, keys] of [
    ['long', ['-9223372036854775808', '-9223372036854775807', 'null']],
    ['unsigned', ['0', '18446744073709551615', 'null']],
  ] as const) {
    const sources = [{ k: { terms: { field, missing_bucket: true, missing_order: 'last' } } }];
    let after: string | null = null;
    for (const key of keys) {
      const composite = `{"size":1,"sources":${JSON.stringify(sources)}${after === null ? '' : `,"after":{"k":${after}}`}}`;
      const { text } = await node.send('POST /least/_search?size=0', `{"aggs":{"p":{"composite":${composite}}}}`);
      after = /"after_key":\{"k":([^}]+)\}/.exec(text)?.[1] ?? text;
      expect(after, field).toBe(key);
    }
  }
});

test('tiles are the same with and without a bucket for missing points', async () => {
  await node.ok('PUT /places', { mappings: { properties: { at: { type: 'geo_point' } } } });
  const points = ['52.5,13.4', '52.6,13.3', '-90,-180', '90,180', '0,0'];
  for (const [id, at] of points.entries()) await node.ok(`PUT /places/_doc/${id}?refresh=true`, { at });
  await node.ok('PUT /places/_doc/none?refresh=true', {});
  const tiles = async (missingBucket: boolean) => {
    const geotileGrid = { field: 'at', precision: 6, missing_bucket: missingBucket };
    const aggs = { tiles: { composite: { size: 100, sources: [{ tile: { geotile_grid: geotileGrid } }] } } };
    const { json } = await node.send('POST /places/_search?size=0', { aggs });
    return json.aggregations.tiles.buckets.map((bucket: { key: { tile: string | null }; doc_count: number }) => [
      bucket.key.tile,
      bucket.doc_count,
    ]);
  };
  const present = await tiles(false);
  expect(present).toContainEqual(['6/34/20', 2]);
  expect(await tiles(true)).toEqual([[null, 1], ...present]);
});
