// Generated aggregations: buckets with metrics and pipelines below them, and slightly invalid ones.
import type { Rng } from '../../support/rng.ts';
import { type Family, INDEX } from '../scenario.ts';
import { broken, queryOf } from './queries.ts';

type Json = Record<string, unknown>;

const NUMBERS = ['count', 'price', 'ratio', 'big', 'owner.age', 'flag', 'at', 'missing', 'tag'];

const METRICS: ReadonlyArray<(rng: Rng) => Json> = [
  (rng) => ({
    [rng.pick(['min', 'max', 'sum', 'avg', 'stats', 'extended_stats', 'value_count', 'cardinality'])]: {
      field: rng.pick(NUMBERS),
      ...(rng.bool(0.2) ? { missing: 1 } : {}),
      ...(rng.bool(0.1) ? { format: '0.0' } : {}),
    },
  }),
  (rng) => ({ weighted_avg: { value: { field: rng.pick(['count', 'price']) }, weight: { field: 'ratio', missing: 1 } } }),
  () => ({ geo_bounds: { field: 'place' } }),
  () => ({ geo_centroid: { field: 'place' } }),
  (rng) => ({ top_hits: { size: rng.int(1, 2), sort: [{ count: 'desc' }, '_doc'], _source: false } }),
  (rng) => ({ percentiles: { field: rng.pick(['count', 'ratio']), percents: [50], hdr: { number_of_significant_value_digits: 3 } } }),
];

const BUCKETS: ReadonlyArray<(rng: Rng) => Json> = [
  (rng) => ({
    terms: {
      field: rng.pick(['tag', 'owner.name', 'count', 'price', 'flag', 'ip', 'at', 'missing', 'title']),
      size: rng.int(1, 5),
      ...(rng.bool(0.3) ? { order: rng.pick<Json>([{ _key: 'asc' }, { _count: 'asc' }, { m: 'desc' }]) } : {}),
      ...(rng.bool(0.2) ? { missing: rng.pick<unknown>(['none', 0]) } : {}),
      ...(rng.bool(0.2) ? { include: rng.pick<unknown>(['r.*', ['red', 'blue'], { partition: 0, num_partitions: 2 }]) } : {}),
      ...(rng.bool(0.2) ? { min_doc_count: rng.int(0, 3) } : {}),
    },
  }),
  (rng) => ({
    histogram: {
      field: rng.pick(['count', 'price', 'ratio', 'owner.age']),
      interval: rng.pick([1, 5, 0.5, 1000]),
      ...(rng.bool(0.3) ? { min_doc_count: 1 } : {}),
      ...(rng.bool(0.2) ? { keyed: true } : {}),
      ...(rng.bool(0.2) ? { offset: 0.25 } : {}),
      ...(rng.bool(0.2) ? { extended_bounds: { min: 0, max: 10 } } : {}),
    },
  }),
  (rng) => ({
    date_histogram: {
      field: rng.pick(['at', 'exact']),
      ...rng.pick<Json>([
        { calendar_interval: rng.pick(['month', 'week', 'quarter', '1y', '2M']) },
        { fixed_interval: rng.pick(['30d', '90d', '1000h', '1M']) },
        { interval: 'month' },
      ]),
      ...(rng.bool(0.3) ? { time_zone: rng.pick(['Europe/Berlin', '-03:00']) } : {}),
      ...(rng.bool(0.2) ? { format: 'yyyy-MM' } : {}),
      ...(rng.bool(0.2) ? { min_doc_count: 1 } : {}),
      ...(rng.bool(0.1) ? { offset: '+6h' } : {}),
    },
  }),
  (rng) => ({
    range: {
      field: rng.pick(['count', 'price']),
      ranges: [{ to: 2 }, { from: 2, to: 10.5 }, { from: 10.5, key: 'more' }],
      ...(rng.bool(0.3) ? { keyed: true } : {}),
    },
  }),
  () => ({ date_range: { field: 'at', format: 'yyyy-MM', ranges: [{ to: '2023-06' }, { from: '2023-06', to: '2024-01' }] } }),
  () => ({ ip_range: { field: 'ip', ranges: [{ mask: '10.0.1.0/24' }, { from: '10.0.2.0' }] } }),
  (rng) => ({ filter: queryOf(rng, 1) }),
  (rng) => ({ filters: { filters: { a: queryOf(rng, 1), b: { match_all: {} } }, ...(rng.bool(0.3) ? { other_bucket: true } : {}) } }),
  (rng) => ({ missing: { field: rng.pick(['tag', 'count', 'missing']) } }),
  () => ({ nested: { path: 'parts' } }),
  () => ({ global: {} }),
  (rng) => ({ geohash_grid: { field: 'place', precision: rng.int(1, 4) } }),
  (rng) => ({ geotile_grid: { field: 'place', precision: rng.int(0, 6) } }),
  () => ({ geo_distance: { field: 'place', origin: '0,0', unit: 'km', ranges: [{ to: 3000 }, { from: 3000 }] } }),
  (rng) => ({
    composite: {
      size: rng.int(1, 8),
      sources: [
        {
          t: {
            terms: {
              field: rng.pick(['tag', 'flag', 'count', 'owner.name']),
              ...(rng.bool(0.3) ? { missing_bucket: true } : {}),
              ...(rng.bool(0.3) ? { order: 'desc' } : {}),
            },
          },
        },
        ...(rng.bool(0.4) ? [{ h: { histogram: { field: 'price', interval: 10 } } }] : []),
        ...(rng.bool(0.3) ? [{ d: { date_histogram: { field: 'at', calendar_interval: 'quarter' } } }] : []),
      ],
    },
  }),
  (rng) => ({ rare_terms: { field: rng.pick(['tag', 'owner.name', 'count']), max_doc_count: rng.int(1, 5) } }),
  () => ({ adjacency_matrix: { filters: { a: { term: { flag: true } }, b: { range: { count: { gte: 5 } } } } } }),
  () => ({ multi_terms: { terms: [{ field: 'tag' }, { field: 'flag' }], size: 4 } }),
  (rng) => ({ auto_date_histogram: { field: 'at', buckets: rng.int(2, 12) } }),
];

const PIPELINES: ReadonlyArray<(rng: Rng) => Json> = [
  (rng) => ({ [rng.pick(['derivative', 'cumulative_sum', 'serial_diff'])]: { buckets_path: rng.pick(['m', '_count', 'nope']) } }),
  (rng) => ({ bucket_sort: { sort: [{ _count: 'desc' }], size: rng.int(1, 3) } }),
];
const SIBLINGS = ['avg_bucket', 'sum_bucket', 'min_bucket', 'max_bucket', 'stats_bucket', 'extended_stats_bucket', 'percentiles_bucket'];

function bucketsOf(rng: Rng, depth: number): Json {
  const aggs: Json = { m: rng.pick(METRICS)(rng) };
  if (depth > 1 && rng.bool(0.4)) aggs.b = bucketsOf(rng, depth - 1);
  if (rng.bool(0.15)) aggs.p = rng.pick(PIPELINES)(rng);
  return { ...rng.pick(BUCKETS)(rng), ...(rng.bool(0.7) ? { aggs } : {}) };
}

function aggsOf(rng: Rng): Json {
  const aggs: Json = { a: rng.bool(0.25) ? rng.pick(METRICS)(rng) : bucketsOf(rng, 2) };
  if (rng.bool(0.15)) aggs.s = { [rng.pick(SIBLINGS)]: { buckets_path: rng.pick(['a>m', 'a>_count', 'a._count']) } };
  return aggs;
}

export const aggregations: Family = (rng) => [
  { line: `POST /${INDEX}/_search`, body: { size: 0, aggs: aggsOf(rng), ...(rng.bool(0.3) ? { query: queryOf(rng, 1) } : {}) } },
];
export const brokenAggregations: Family = (rng) => [{ line: `POST /${INDEX}/_search`, body: { size: 0, aggs: broken(rng, aggsOf(rng)) } }];
