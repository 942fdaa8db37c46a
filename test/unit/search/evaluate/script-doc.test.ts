// Scripts on documents of two segments: filters, scores, fields, sorts, values of aggregations.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, open } from '../../../../src/library.ts';

type Body = Record<string, unknown>;

const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-scripts-'));
let engine: Engine;
const ROWS = [
  { n: 1, w: 0.5, tag: 'b', at: '2024-01-31T05:00:00Z', place: { lat: 10, lon: 20 }, note: 'old storm' },
  { n: 5, w: 2.5, tag: 'a', at: '2024-02-29T06:30:00Z', place: { lat: 10.5, lon: 20 }, note: 'storm' },
  { n: 3, tag: 'c', at: '2023-12-31T05:00:00Z', note: 'calm' },
  { w: 4, tag: ['a', 'd'], note: 'storm storm' },
];

beforeAll(async () => {
  engine = await open({ path: folder, settings: { 'memory.limit': '512mb' } });
  const properties = {
    n: { type: 'integer' },
    w: { type: 'double' },
    tag: { type: 'keyword' },
    at: { type: 'date' },
    place: { type: 'geo_point' },
    note: { type: 'text' },
  };
  await engine.indices.create({ index: 'rows', body: { mappings: { properties } } });
  for (const [i, row] of ROWS.entries()) {
    await engine.bulk({ index: 'rows', refresh: i % 2 === 1, operations: [{ index: { _id: String(i) } }, row] });
  }
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const search = async (body: Body) =>
  (await engine.search({ index: 'rows', body })) as unknown as {
    hits: { hits: Array<{ _id: string; _score: number; fields?: Body; sort?: unknown[]; _source?: Body }> };
    aggregations: Record<string, any>;
  };
const idsOf = async (body: Body) => (await search(body)).hits.hits.map((hit) => hit._id);
const scoresOf = async (query: Body) => (await search({ query })).hits.hits.map((hit) => [hit._id, hit._score]);
const refusal = (body: Body) =>
  search(body).then(
    () => null,
    (error) => error,
  );

test('a script filter sees only documents that match the other clauses', async () => {
  const script = (source: string) => ({ script: { script: source } });
  expect(await idsOf({ query: { bool: { filter: [{ exists: { field: 'n' } }, script("doc['n'].value > 2")] } } })).toEqual(['1', '2']);
  expect(await idsOf({ query: script("doc['n'].size() == 0 || doc['at'].value.getMonthValue() == 12") })).toEqual(['2', '3']);
  const error = await refusal({ query: script("doc['n'].value > 2") });
  expect(error.type).toBe('search_phase_execution_exception');
  expect((await refusal({ query: script('nothing > 1') })).type).toBe('search_phase_execution_exception');
});

test('script_score supports boost, min_score, functions and the expression language', async () => {
  const base = { exists: { field: 'n' } };
  const score = (script: unknown, rest: Body = {}) => scoresOf({ script_score: { query: base, script, ...rest } });
  expect(await score({ source: "doc['n'].value * params.f + _score", params: { f: 2 } })).toEqual([
    ['1', 11],
    ['2', 7],
    ['0', 3],
  ]);
  expect(await score({ source: "doc['n'].value" }, { boost: 3, min_score: 2 })).toEqual([
    ['1', 15],
    ['2', 9],
  ]);
  expect(await score({ source: 'saturation(doc["n"].value, 3)' })).toEqual([
    ['1', 0.625],
    ['2', 0.5],
    ['0', 0.25],
  ]);
  expect((await score({ lang: 'expression', source: "doc['w'].value + 1" })).map(([id]) => id)).toEqual(['1', '0', '2']);
  expect((await refusal({ query: { script_score: { query: base, script: { source: '-1' } } } })).type).toBe(
    'search_phase_execution_exception',
  );
});

test('computes script_fields and sorts by scripts', async () => {
  const fields = { double: { script: "doc['n'].value * 2" }, source: { script: 'params._source.tag' } };
  const { hits } = await search({ query: { ids: { values: ['1'] } }, script_fields: fields });
  expect(hits.hits[0].fields).toEqual({ double: [10], source: ['a'] });
  expect(hits.hits[0]._source).toBeUndefined();
  const by = (type: string, source: string, order: string) => ({ sort: [{ _script: { type, script: source, order } }] });
  const number = "doc['n'].size() == 0 ? 4 : doc['n'].value";
  expect(await idsOf(by('number', number, 'desc'))).toEqual(['1', '3', '2', '0']);
  expect(await idsOf({ ...by('number', number, 'desc'), search_after: [4] })).toEqual(['2', '0']);
  expect(await idsOf(by('string', "doc['tag'].value + doc['tag'].length", 'asc'))).toEqual(['1', '3', '0', '2']);
});

test('sorts by distance on the sphere and in the plane', async () => {
  const distances = async (type: object) => {
    const options = { place: { lat: 60, lon: -40 }, order: 'asc', ...type };
    const { hits } = (await search({ query: { exists: { field: 'place' } }, sort: [{ _geo_distance: options }] })).hits;
    return hits.map(({ sort }) => Number(sort![0]));
  };
  // In the plane: 60 degrees of longitude at the mean latitude, and the difference of latitudes.
  const flat = (lat: number) =>
    6_371_008.7714 * Math.hypot((Math.PI / 3) * Math.cos((((60 + lat) / 2) * Math.PI) / 180), ((60 - lat) * Math.PI) / 180);
  const plane = await distances({ distance_type: 'plane' });
  expect(plane.map(Math.round)).toEqual([flat(10.5), flat(10)].map((meters) => expect.closeTo(meters, -1)));
  const bounds = {
    origin: { lat: 60, lon: -40 },
    field: 'place',
    ranges: [{ from: plane[0] - 100, to: plane[0] + 100 }, { from: plane[1] - 100 }],
  };
  const counts = async (type: string) =>
    (await search({ size: 0, aggs: { far: { geo_distance: { ...bounds, distance_type: type } } } })).aggregations['far'].buckets.map(
      ({ doc_count }: { doc_count: number }) => doc_count,
    );
  expect(await counts('plane')).toEqual([1, 1]);
  expect(await counts('arc')).toEqual([0, 0]);
  const arc = await distances({ distance_type: 'arc' });
  expect(arc).toEqual(await distances({}));
  expect(Math.abs(arc[0] - plane[0])).toBeGreaterThan(10_000);
  expect((await refusal({ sort: [{ _geo_distance: { place: [1, 2], distance_type: 'bent' } }] })).message).toContain(
    'No geo distance for [bent]',
  );
});

test('aggregates values of scripts', async () => {
  const { aggregations } = await search({
    size: 0,
    query: { exists: { field: 'n' } },
    aggs: {
      sum: { sum: { script: "doc['n'].value * 10" } },
      value: { max: { field: 'n', script: '_value + 0.5' } },
      names: { terms: { script: "doc['tag'].value.toUpperCase()", order: { _key: 'desc' } }, aggs: { n: { avg: { field: 'n' } } } },
      lists: { terms: { script: "['x', doc['tag'].value]" } },
      years: { date_histogram: { script: "doc['at'].value", calendar_interval: 'year' } },
      own: {
        scripted_metric: {
          init_script: 'state.n = []',
          map_script: "state.n.add(doc['n'].value)",
          combine_script: 'long s = 0; for (v in state.n) { s += v } return s',
          reduce_script: 'long s = 0; for (v in states) { s += v } return s',
        },
      },
      all: { global: {}, aggs: { tags: { value_count: { script: "doc['tag'].length" } } } },
    },
  });
  expect(aggregations['sum'].value).toBe(90);
  expect(aggregations['value'].value).toBe(5.5);
  expect(aggregations['names'].buckets).toEqual([
    { key: 'C', doc_count: 1, n: { value: 3 } },
    { key: 'B', doc_count: 1, n: { value: 1 } },
    { key: 'A', doc_count: 1, n: { value: 5 } },
  ]);
  expect(aggregations['lists'].buckets[0]).toEqual({ key: 'x', doc_count: 3 });
  expect(aggregations['years'].buckets.map((bucket: any) => bucket.doc_count)).toEqual([1, 2]);
  expect(aggregations['own'].value).toBe(9);
  expect(aggregations['all'].tags.value).toBe(4);
});

test('supports distance_feature, and terms_set with a script', async () => {
  const near = await scoresOf({ distance_feature: { field: 'place', origin: [20, 10], pivot: '100km' } });
  expect(near.map(([id]) => id)).toEqual(['0', '1']);
  expect(near[0][1]).toBeCloseTo(1, 5);
  const script = { source: 'Math.min(params.num_terms, 2)' };
  expect(await idsOf({ query: { terms_set: { tag: { terms: ['a', 'd', 'x'], minimum_should_match_script: script } } } })).toEqual(['3']);
});
