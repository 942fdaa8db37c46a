// Every aggregation of the service with extreme sizes, depths and counts.
import { PIPELINE_NAMES } from '../../../src/aggs/pipelines/pipelines.ts';
import { AGG_NAMES } from '../../../src/aggs/registry.ts';
import { extremesOf } from '../extremes.ts';
import { type HostileCase, search } from '../hostile-case.ts';

type Sample = Parameters<typeof extremesOf>[0];

const TERM = { term: { tag: 't1' } };

/** A valid body of each aggregation that needs more than a numeric field. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  adjacency_matrix: { filters: { a: TERM, b: { term: { flag: true } } } },
  auto_date_histogram: { field: 'day', buckets: 10 },
  cardinality: { field: 'code', precision_threshold: 100 },
  composite: { size: 10, sources: [{ a: { terms: { field: 'code' } } }, { b: { histogram: { field: 'n', interval: 5 } } }] },
  date_histogram: { field: 'day', fixed_interval: '1d', min_doc_count: 0, extended_bounds: { min: 0, max: 1_700_000_000_000 } },
  date_range: { field: 'day', ranges: [{ from: '2020-01-01', to: 'now' }] },
  diversified_sampler: { field: 'tag', shard_size: 100, max_docs_per_value: 3 },
  filter: TERM,
  filters: { filters: { a: TERM, b: { term: { flag: true } } } },
  geo_bounds: { field: 'place' },
  geo_centroid: { field: 'place' },
  geo_distance: { field: 'place', origin: '0,0', ranges: [{ from: 0, to: 100_000 }] },
  geohash_grid: { field: 'place', precision: 5, size: 1000, shard_size: 1000 },
  geotile_grid: { field: 'place', precision: 8, size: 1000, shard_size: 1000 },
  global: {},
  histogram: { field: 'n', interval: 5, min_doc_count: 0, extended_bounds: { min: 0, max: 100 } },
  ip_range: { field: 'address', ranges: [{ from: '10.0.0.0', to: '10.0.1.0' }] },
  matrix_stats: { fields: ['n', 'd'] },
  missing: { field: 'relation' },
  multi_terms: { terms: [{ field: 'code' }, { field: 'tag' }], size: 10, shard_size: 50 },
  nested: { path: 'parts' },
  percentile_ranks: { field: 'd', values: [1, 100], tdigest: { compression: 100 } },
  percentiles: { field: 'd', percents: [1, 50, 99], hdr: { number_of_significant_value_digits: 3 } },
  range: { field: 'n', ranges: [{ from: 0, to: 100 }, { from: 50 }] },
  rare_terms: { field: 'code', max_doc_count: 1, precision: 0.01 },
  reverse_nested: {},
  sampler: { shard_size: 100 },
  scripted_metric: {
    init_script: 'state.list = []',
    map_script: "state.list.add(doc['n'].value)",
    combine_script: 'double s = 0; for (x in state.list) { s += x } return s',
    reduce_script: 'double s = 0; for (x in states) { s += x } return s',
  },
  significant_terms: { field: 'code', size: 10, min_doc_count: 1, shard_size: 20 },
  significant_text: { field: 'text', size: 10, min_doc_count: 1, filter_duplicate_text: true },
  terms: { field: 'code', size: 10, shard_size: 20, min_doc_count: 0, include: 'a.*', order: { _count: 'desc' } },
  top_hits: { size: 3, from: 0, sort: [{ n: 'asc' }], _source: ['n'] },
  variable_width_histogram: { field: 'd', buckets: 10, shard_size: 100, initial_buffer: 500 },
  weighted_avg: { value: { field: 'n' }, weight: { field: 'd' } },
  bucket_script: { buckets_path: { a: 'm' }, script: 'params.a * 2' },
  bucket_selector: { buckets_path: { a: 'm' }, script: 'params.a > 2' },
  bucket_sort: { sort: [{ m: 'desc' }], size: 3, from: 0 },
  moving_fn: { buckets_path: 'm', window: 10, shift: 0, script: 'MovingFunctions.unweightedAvg(values)' },
  moving_avg: { buckets_path: 'm', window: 10 },
  serial_diff: { buckets_path: 'm', lag: 7 },
  percentiles_bucket: { buckets_path: 'h>m', percents: [1, 50, 99] },
};

/** An aggregation within a bucket for nearly each document: the buckets of its parent multiply. */
const inTerms = (type: string, text: string): string =>
  `{"size":0,"aggs":{"t":{"terms":{"field":"code","size":1000},"aggs":{"a":{"${type}":${text}}}}}}`;
const alone = (type: string, text: string): string => `{"size":0,"aggs":{"a":{"${type}":${text}}}}`;
const inHistogram = (type: string, text: string): string =>
  `{"size":0,"aggs":{"h":{"histogram":{"field":"n","interval":10},"aggs":{"m":{"sum":{"field":"d"}},"a":{"${type}":${text}}}}}}`;
const nextToHistogram = (type: string, text: string): string =>
  `{"size":0,"aggs":{"h":{"histogram":{"field":"n","interval":10},"aggs":{"m":{"sum":{"field":"d"}}}},"a":{"${type}":${text}}}}`;

export function* aggregationCases(): Generator<HostileCase> {
  for (const type of AGG_NAMES) {
    const sample = SAMPLES[type] ?? { field: 'd', missing: 0 };
    for (const { name, body } of extremesOf(sample, (text) => alone(type, text))) yield search('aggregation', `${type} ${name}`, body);
    if (type === 'global') continue;
    yield search('aggregation', `${type} in 1000 terms`, inTerms(type, JSON.stringify(sample)));
    for (const outer of ['terms', 'filter', 'nested'])
      yield search('aggregation', `${type} below 500 x ${outer}`, deepIn(outer, type, sample));
  }
  for (const type of PIPELINE_NAMES) {
    const isSibling = type.endsWith('_bucket');
    const sample = SAMPLES[type] ?? { buckets_path: isSibling ? 'h>m' : 'm' };
    const wrap = isSibling ? nextToHistogram : inHistogram;
    for (const { name, body } of extremesOf(sample, (text) => wrap(type, text))) yield search('pipeline', `${type} ${name}`, body);
  }
}

/** An aggregation below 500 levels of another. */
function deepIn(outer: string, type: string, sample: Sample): () => string {
  return () => {
    let text = `{"a":{"${type}":${JSON.stringify(sample)}}}`;
    const own = JSON.stringify(outer === 'terms' ? { field: 'tag', size: 100 } : SAMPLES[outer]);
    for (let i = 0; i < 500; i++) text = `{"o":{"${outer}":${own},"aggs":${text}}}`;
    return `{"size":0,"aggs":${text}}`;
  };
}
