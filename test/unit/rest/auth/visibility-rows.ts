// What a user with hidden documents and fields can ask: every query, aggregation, pipeline, field type and part of a search, on a visible field
// (`v`) and on a hidden one (`h`). The walk (visibility-walk.test.ts) fails for a query, aggregation, pipeline or field type that is in no table.
import { TYPES } from './visibility-data.ts';

/** `v` for visible fields, `h` for hidden ones. */
export type Kit = 'v' | 'h';
type Bodies = (kit: Kit) => readonly object[];

const all = { match_all: {} };
const script = (source: string, params: object = {}) => ({ source, params });

/** Bodies of queries, by their names. Each finds some of the shown documents and some of the hidden ones. */
export const QUERIES: Readonly<Record<string, Bodies>> = {
  match_all: () => [{}],
  match_none: () => [{}],
  term: (k) => [
    { [`${k}_keyword`]: 'brown1' },
    { [`${k}_text`]: 'brown' },
    { [`${k}_long`]: 4003 },
    { [`${k}_kids.k`]: 'brown' },
    { [`both.${k === 'v' ? 'seen' : 'h_pin'}`]: 'pin1' },
    { [`${k}_alias`]: 4003 },
    { v_to_hidden: 4003 },
    { _field_names: `${k}_text` },
    { _ignored: `${k}_text` },
    { _id: '1' },
    { [`${k}_text.anything`]: 'brown' },
    { [`${k}_flattened.a.b`]: 'brown' },
    { 'v_text.h_raw': 'quick fox brown runs word1' },
  ],
  terms: (k) => [
    { [`${k}_keyword`]: ['brown1', 'amber0'] },
    { [`${k}_long`]: [4001, 4002] },
    { [`${k}_keyword`]: { index: 'INDEX', id: '1', path: `${k}_keyword` } },
    { [`${k}_keyword`]: { index: 'INDEX', id: '2', path: `${k}_keyword` } },
    { v_keyword: { index: 'INDEX', id: '0', path: 'h_keyword' } },
  ],
  terms_set: (k) => [
    { [`${k}_text`]: { terms: ['brown', 'quick'], minimum_should_match_script: script('2') } },
    { v_text: { terms: ['brown', 'quick'], minimum_should_match_field: `${k}_rank` } },
    { v_text: { terms: ['brown', 'quick'], minimum_should_match_field: `${k}_byte` } },
  ],
  range: (k) => [
    { [`${k}_long`]: { gte: 4003, lt: 4012 } },
    { [`${k}_date`]: { gte: '2024-01-05' } },
    { [`${k}_integer_range`]: { gte: 3, lte: 9, relation: 'within' } },
    { [`${k}_keyword`]: { gt: 'b' } },
    { [`${k}_ip`]: { gte: '10.0.0.3' } },
  ],
  exists: (k) => [
    ...Object.keys(TYPES).map((type) => ({ field: `${k}_${type}` })),
    { field: 'both' },
    { field: 'empty' },
    { field: `${k}_kids` },
    { field: 'h_object' },
    { field: `${k}_*` },
    { field: '*' },
    { field: 'relation' },
  ],
  ids: () => [{ values: ['0', '1', '2', '3'] }],
  prefix: (k) => [{ [`${k}_keyword`]: 'br' }, { [`${k}_text`]: { value: 'br', rewrite: 'top_terms_5' } }, { [`${k}_wildcard`]: 'wild b' }],
  wildcard: (k) => [{ [`${k}_keyword`]: 'b*1' }, { [`${k}_wildcard`]: '*brown*' }, { [`${k}_text`]: 'b*n' }],
  regexp: (k) => [{ [`${k}_keyword`]: 'b.*[12]' }, { [`${k}_wildcard`]: 'wild br.*' }],
  fuzzy: (k) => [{ [`${k}_text`]: 'browm' }, { [`${k}_keyword`]: { value: 'browm1', fuzziness: 2 } }],
  match: (k) => [
    { [`${k}_text`]: 'brown fox' },
    { [`${k}_text`]: { query: 'browm fix', fuzziness: 1, operator: 'and' } },
    { [`${k}_match_only_text`]: 'brown' },
    { [`${k}_boolean`]: true },
    { [`${k}_text`]: { query: 'word1 word2 quick', cutoff_frequency: 0.5 } },
  ],
  match_phrase: (k) => [{ [`${k}_text`]: 'fox brown' }, { [`${k}_match_only_text`]: 'quick brown' }],
  match_phrase_prefix: (k) => [{ [`${k}_text`]: 'fox br' }, { [`${k}_search_as_you_type`]: 'quick br' }],
  match_bool_prefix: (k) => [{ [`${k}_text`]: 'brown fo' }, { [`${k}_search_as_you_type`]: 'quick br' }],
  multi_match: (k) => [
    { query: 'brown', fields: [`${k}_text`, `${k}_keyword`] },
    { query: 'brown', fields: ['*'], lenient: true },
    { query: 'brown', fields: [`${k}_*`], lenient: true },
    { query: 'quick brown', type: 'cross_fields', fields: ['v_text', `${k}_match_only_text`] },
    { query: 'quick br', type: 'bool_prefix', fields: [`${k}_search_as_you_type`, `${k}_search_as_you_type._2gram`] },
    { query: '4003', lenient: true },
  ],
  query_string: (k) => [
    { query: 'brown' },
    { query: `${k}_text:brown AND ${k}_long:[4000 TO 4010]` },
    { query: `_exists_:${k}_keyword` },
    { query: `${k}_*:brown`, lenient: true },
    { query: 'brown', default_field: `${k}_text` },
    { query: `${k}_keyword:/b.*/ OR ${k}_text:br* OR ${k}_text:browm~` },
  ],
  simple_query_string: (k) => [
    { query: 'brown' },
    { query: 'brown | amb*', fields: [`${k}_text`, `${k}_*`], lenient: true },
    { query: '"fox brown"', fields: [`${k}_text`] },
  ],
  bool: (k) => [
    { must: [{ term: { [`${k}_keyword`]: 'brown1' } }], should: all },
    { must_not: [{ exists: { field: `${k}_long` } }] },
    { must_not: [{ term: { team: 'red' } }] },
  ],
  boosting: (k) => [{ positive: all, negative: { term: { [`${k}_text`]: 'brown' } }, negative_boost: 0.5 }],
  constant_score: (k) => [{ filter: { term: { [`${k}_text`]: 'brown' } } }],
  dis_max: (k) => [{ queries: [{ term: { [`${k}_text`]: 'brown' } }, { term: { v_text: 'quick' } }] }],
  nested: (k) => [
    { path: `${k}_kids`, query: { term: { [`${k}_kids.k`]: 'brown' } }, inner_hits: {} },
    { path: `${k}_kids`, query: all, score_mode: 'sum' },
    { path: `${k}_kids`, query: all, ignore_unmapped: true },
    { path: 'v_kids', query: { exists: { field: 'v_kids.h_k' } }, inner_hits: { docvalue_fields: ['v_kids.h_k'], _source: true } },
    { path: 'v_kids', query: all, inner_hits: { fields: ['*'], size: 5, highlight: { fields: { '*': {} } } } },
  ],
  function_score: (k) => [
    { functions: [{ field_value_factor: { field: `${k}_long`, missing: 1 } }] },
    { functions: [{ gauss: { [`${k}_date`]: { origin: '2024-01-05', scale: '3d' } } }] },
    { functions: [{ exp: { [`${k}_geo_point`]: { origin: '3,3', scale: '100km' } } }] },
    // Random scores depend on the index, so that the twin would have another order.
    { functions: [{ random_score: { seed: 1, field: `${k}_long` }, weight: 0 }] },
    { functions: [{ weight: 3, filter: { term: { [`${k}_text`]: 'brown' } } }] },
    { functions: [{ script_score: { script: script(`doc.containsKey('${k}_long') ? 2 : 1`) } }] },
  ],
  geo_distance: (k) => [
    { distance: '500km', [`${k}_geo_point`]: '3,6' },
    { distance: '500km', [`${k}_geo_point`]: '3,6', ignore_unmapped: true },
  ],
  geo_bounding_box: (k) => [{ [`${k}_geo_point`]: { top_left: '9,1', bottom_right: '1,20' } }],
  geo_polygon: (k) => [{ [`${k}_geo_point`]: { points: ['0,0', '0,20', '10,20', '10,0'] } }],
  geo_shape: (k) => [
    { [`${k}_geo_shape`]: { shape: 'ENVELOPE (1, 9, 9, 1)' } },
    { [`${k}_geo_point`]: { shape: 'ENVELOPE (1, 9, 9, 1)' } },
    { v_geo_shape: { indexed_shape: { index: 'INDEX', id: '0', path: `${k}_geo_shape` } } },
    { v_geo_shape: { indexed_shape: { index: 'INDEX', id: '1', path: 'v_geo_shape' } } },
  ],
  shape: (k) => [{ [`${k}_shape`]: { shape: 'ENVELOPE (1, 9, 9, 1)' } }, { [`${k}_point`]: { shape: 'ENVELOPE (1, 9, 9, 1)' } }],
  script: (k) => [
    { script: script(`doc.containsKey('${k}_long') && doc['${k}_long'].value > 4003`) },
    { script: script(`doc['${k}_long'].value > 4003`) },
    { script: script(`doc['${k}_text'].size() > 3`) },
    { script: script(`params._source?.${k}_long != null`) },
  ],
  script_score: (k) => [
    { query: all, script: script(`doc.containsKey('${k}_long') ? doc['${k}_long'].value : 1`) },
    { query: all, script: script(`l2norm(params.v, '${k}_dense_vector')`, { v: [1, 2] }) },
    { query: all, script: script("params._source.toString().contains('pin') ? 2 : 1") },
  ],
  rank_feature: (k) => [{ field: `${k}_rank_feature` }, { field: `${k}_rank_features.one`, linear: {} }],
  distance_feature: (k) => [
    { field: `${k}_date`, origin: '2024-01-09', pivot: '3d' },
    { field: `${k}_geo_point`, origin: [3, 3], pivot: '100km' },
  ],
  span_term: (k) => [{ [`${k}_text`]: 'brown' }],
  span_near: (k) => [{ clauses: [spanTerm(k, 'quick'), spanTerm(k, 'brown')], slop: 3, in_order: true }],
  span_or: (k) => [{ clauses: [spanTerm(k, 'brown'), spanTerm(k, 'amber')] }],
  span_not: (k) => [{ include: spanTerm(k, 'quick'), exclude: spanTerm(k, 'brown'), post: 3 }],
  span_first: (k) => [{ match: spanTerm(k, 'brown'), end: 3 }],
  span_multi: (k) => [{ match: { prefix: { [`${k}_text`]: 'br' } } }],
  span_containing: (k) => [{ big: spanNear(k), little: spanTerm(k, 'fox') }],
  span_within: (k) => [{ big: spanNear(k), little: spanTerm(k, 'fox') }],
  field_masking_span: (k) => [{ query: spanTerm(k, 'brown'), field: 'v_text' }],
  span_field_masking: (k) => [{ query: spanTerm(k, 'brown'), field: 'v_text' }],
  has_child: (k) => [
    { type: 'below', query: all },
    { type: 'below', query: { term: { [`${k}_text`]: 'dusky' } }, score_mode: 'sum', inner_hits: {} },
    { type: 'below', query: all, min_children: 2, ignore_unmapped: true },
  ],
  has_parent: (k) => [
    { parent_type: 'above', query: all, inner_hits: {} },
    { parent_type: 'above', query: { exists: { field: `${k}_text` } }, score: true },
  ],
  parent_id: () => [
    { type: 'below', id: '0' },
    { type: 'below', id: '1' },
  ],
  combined_fields: (k) => [{ query: 'brown', fields: [`${k}_text`] }],
  intervals: (k) => [
    { [`${k}_text`]: { match: { query: 'quick brown', max_gaps: 2 } } },
    { [`${k}_text`]: { prefix: { prefix: 'br' } } },
    { v_text: { match: { query: 'brown', use_field: `${k}_text` } } },
  ],
  knn: (k) => [{ field: `${k}_dense_vector`, query_vector: [5, 1], num_candidates: 20 }],
  more_like_this: (k) => [
    { fields: [`${k}_text`], like: 'brown fox', min_term_freq: 1, min_doc_freq: 1 },
    { fields: [`${k}_text`], like: [{ _id: '0' }], min_term_freq: 1, min_doc_freq: 1 },
    { fields: ['v_text'], like: [{ _index: 'INDEX', _id: '1' }], min_term_freq: 1, min_doc_freq: 1 },
    { like: [{ _id: '2' }], min_term_freq: 1, min_doc_freq: 1 },
    { like: 'brown', min_term_freq: 1, min_doc_freq: 1 },
  ],
  percolate: (k) => [
    { field: `${k}_percolator`, document: { team: 'red' } },
    { field: 'v_percolator', index: 'INDEX', id: '0' },
    { field: 'v_percolator', index: 'INDEX', id: '1' },
  ],
  pinned: () => [{ ids: ['1', '2'], organic: all }],
  sparse_vector: (k) => [{ field: `${k}_sparse_vector`, query_vector: { one: 1, brown: 2 } }],
  weighted_tokens: (k) => [{ [`${k}_sparse_vector`]: { tokens: { one: 1, brown: 2 } } }],
  wrapper: (k) => [{ query: Buffer.from(JSON.stringify({ term: { [`${k}_text`]: 'brown' } })).toString('base64') }],
};

function spanTerm(kit: Kit, value: string): object {
  return { span_term: { [`${kit}_text`]: value } };
}
function spanNear(kit: Kit): object {
  return { span_near: { clauses: [spanTerm(kit, 'quick'), spanTerm(kit, 'brown')], slop: 5 } };
}

const buckets = { field: 'v_date', calendar_interval: 'week' };
const metric = (kit: Kit) => ({ m: { max: { field: `${kit}_long` } } });

/** Bodies of aggregations, by their types. */
export const AGGREGATIONS: Readonly<Record<string, Bodies>> = {
  ...Object.fromEntries(
    `avg boxplot extended_stats max median_absolute_deviation min percentiles stats sum`
      .split(/\s+/)
      .map((type) => [type, (k: Kit) => [{ field: `${k}_long` }, { field: `${k}_histogram` }, { field: `${k}_long`, missing: 7 }]]),
  ),
  cardinality: (k) => Object.keys(TYPES).map((type) => ({ field: `${k}_${type}` })),
  value_count: (k) => Object.keys(TYPES).map((type) => ({ field: `${k}_${type}` })),
  terms: (k) => [
    ...Object.keys(TYPES).map((type) => ({ field: `${k}_${type}` })),
    { field: `${k}_keyword`, min_doc_count: 0 },
    { field: `${k}_keyword`, size: 2, show_term_doc_count_error: true, order: { _key: 'desc' } },
    { field: `${k}_keyword`, missing: 'none' },
    { script: script(`doc.containsKey('${k}_keyword') ? doc['${k}_keyword'].value : 'no'`) },
    { field: 'both.h_pin' },
    { field: 'empty.pin' },
    { field: 'v_text.h_raw' },
    { field: 'v_to_hidden' },
    { field: 'relation' },
    { field: '_id' },
    { field: '_index' },
    { field: '_routing' },
    { field: `${k}_flattened.a.b` },
  ],
  adjacency_matrix: (k) => [{ filters: { a: { term: { [`${k}_text`]: 'brown' } }, b: all } }],
  auto_date_histogram: (k) => [{ field: `${k}_date`, buckets: 5 }],
  categorize_text: (k) => [{ field: `${k}_text` }],
  children: () => [{ type: 'below' }],
  parent: () => [{ type: 'below' }],
  composite: (k) => [
    { sources: [{ a: { terms: { field: `${k}_keyword` } } }, { b: { histogram: { field: `${k}_long`, interval: 3 } } }] },
    { sources: [{ a: { terms: { field: `${k}_keyword`, missing_bucket: true } } }], size: 3 },
    { sources: [{ a: { date_histogram: { field: `${k}_date`, fixed_interval: '2d' } } }] },
    { sources: [{ a: { geotile_grid: { field: `${k}_geo_point`, precision: 6 } } }] },
  ],
  date_histogram: (k) => [
    { field: `${k}_date`, calendar_interval: 'day', min_doc_count: 0 },
    { field: `${k}_date_range`, fixed_interval: '5d' },
  ],
  date_range: (k) => [{ field: `${k}_date`, ranges: [{ to: '2024-01-07' }, { from: '2024-01-07' }] }],
  diversified_sampler: (k) => [{ field: `${k}_long`, shard_size: 3 }],
  filter: (k) => [{ term: { [`${k}_text`]: 'brown' } }],
  filters: (k) => [{ filters: { a: { term: { [`${k}_text`]: 'brown' } } }, other_bucket: true }],
  frequent_item_sets: (k) => [{ fields: [{ field: `${k}_keyword` }, { field: 'v_long' }], minimum_support: 0.05 }],
  geo_bounds: (k) => [{ field: `${k}_geo_point` }, { field: `${k}_geo_shape` }],
  geo_centroid: (k) => [{ field: `${k}_geo_point` }],
  geo_distance: (k) => [{ field: `${k}_geo_point`, origin: '3,3', ranges: [{ to: 500_000 }, { from: 500_000 }] }],
  geo_line: (k) => [{ point: { field: `${k}_geo_point` }, sort: { field: `${k}_long` } }],
  geohash_grid: (k) => [{ field: `${k}_geo_point` }, { field: `${k}_geo_shape`, precision: 3 }],
  geohex_grid: (k) => [{ field: `${k}_geo_point` }],
  geotile_grid: (k) => [{ field: `${k}_geo_point` }],
  global: () => [{}],
  histogram: (k) => [
    { field: `${k}_long`, interval: 4, min_doc_count: 0 },
    { field: `${k}_histogram`, interval: 4 },
  ],
  ip_prefix: (k) => [{ field: `${k}_ip`, prefix_length: 30 }],
  ip_range: (k) => [{ field: `${k}_ip`, ranges: [{ to: '10.0.0.7' }, { from: '10.0.0.7' }] }],
  matrix_stats: (k) => [{ fields: [`${k}_long`, `${k}_double`] }],
  missing: (k) => [...Object.keys(TYPES), 'kids.n'].map((type) => ({ field: `${k}_${type}` })),
  multi_terms: (k) => [{ terms: [{ field: `${k}_keyword` }, { field: 'team' }] }],
  nested: (k) => [{ path: `${k}_kids` }],
  reverse_nested: () => [{}],
  percentile_ranks: (k) => [{ field: `${k}_long`, values: [4005] }],
  random_sampler: () => [{ probability: 1 }],
  range: (k) => [{ field: `${k}_long`, ranges: [{ to: 4005 }, { from: 4005 }] }],
  rate: (k) => [{ unit: 'day' }, { unit: 'day', field: `${k}_long` }],
  rare_terms: (k) => [{ field: `${k}_keyword`, max_doc_count: 2 }],
  sampler: () => [{ shard_size: 4 }],
  scripted_metric: (k) => [
    {
      init_script: 'state.l = []',
      map_script: `state.l.add(doc.containsKey('${k}_long') ? doc['${k}_long'].value : -1)`,
      combine_script: 'state.l.sort(null); return state.l',
      reduce_script: 'return states',
    },
    {
      init_script: 'state.l = []',
      map_script: 'state.l.add(params._source.toString().length())',
      combine_script: 'return state.l.size()',
      reduce_script: 'return states',
    },
  ],
  significant_terms: (k) => [
    { field: `${k}_keyword`, min_doc_count: 1, percentage: {} },
    { field: `${k}_keyword`, min_doc_count: 1, jlh: {} },
    { field: `${k}_long`, min_doc_count: 1, gnd: {} },
    { field: `${k}_keyword`, min_doc_count: 1, background_filter: { exists: { field: `${k}_text` } } },
  ],
  significant_text: (k) => [{ field: `${k}_text`, min_doc_count: 1 }],
  string_stats: (k) => [{ field: `${k}_keyword`, show_distribution: true }],
  t_test: (k) => [{ a: { field: `${k}_long` }, b: { field: 'v_double' } }],
  time_series: () => [{}],
  top_hits: (k) => [
    {},
    {
      sort: [{ [`${k}_long`]: { order: 'desc', unmapped_type: 'long' } }],
      _source: [`${k}_long`],
      docvalue_fields: [`${k}_long`],
      fields: [`${k}_*`],
      stored_fields: [`${k}_keyword`],
      script_fields: { s: { script: script(`doc.containsKey('${k}_long')`) } },
      highlight: { fields: { [`${k}_text`]: {} } },
      size: 5,
    },
  ],
  top_metrics: (k) => [
    { metrics: [{ field: `${k}_long` }], sort: { v_long: 'asc' } },
    { metrics: { field: 'v_long' }, sort: { [`${k}_long`]: 'asc' } },
  ],
  variable_width_histogram: (k) => [{ field: `${k}_long`, buckets: 3 }],
  weighted_avg: (k) => [{ value: { field: `${k}_long` }, weight: { field: 'v_byte' } }],
};

/** Bodies of pipelines below a histogram with the metric `m`, or beside it. */
export const PIPELINES: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    `sum_bucket avg_bucket min_bucket max_bucket stats_bucket extended_stats_bucket percentiles_bucket change_point`
      .split(/\s+/)
      .map((type) => [type, { buckets_path: 'h>m' }]),
  ),
  bucket_correlation: { buckets_path: 'h>m', function: { count_correlation: { indicator: { expectations: [1, 2, 3], doc_count: 5 } } } },
  bucket_count_ks_test: { buckets_path: 'h>_count', alternative: ['less'] },
  derivative: { buckets_path: 'm' },
  cumulative_cardinality: { buckets_path: 'c' },
  cumulative_sum: { buckets_path: 'm' },
  serial_diff: { buckets_path: 'm' },
  moving_fn: { buckets_path: 'm', window: 2, script: 'MovingFunctions.max(values)' },
  moving_avg: { buckets_path: 'm', window: 2 },
  moving_percentiles: { buckets_path: 'p', window: 2 },
  bucket_sort: { sort: [{ m: 'desc' }] },
  normalize: { buckets_path: 'm', method: 'percent_of_sum' },
  bucket_script: { buckets_path: { a: 'm' }, script: 'params.a * 2' },
  bucket_selector: { buckets_path: { a: 'm' }, script: 'params.a > 4003' },
};

const SIBLINGS = /_bucket$|^(?:bucket_correlation|bucket_count_ks_test|change_point)$/;

export function pipelineSearch(type: string, kit: Kit): object {
  const metrics = {
    ...metric(kit),
    c: { cardinality: { field: `${kit}_keyword` } },
    p: { percentiles: { field: `${kit}_long`, percents: [50] } },
  };
  const piped = { x: { [type]: PIPELINES[type] } };
  const isSibling = SIBLINGS.test(type);
  return {
    size: 0,
    aggs: { h: { date_histogram: buckets, aggs: { ...metrics, ...(isSibling ? {} : piped) } }, ...(isSibling ? piped : {}) },
  };
}

/** Aggregations that accept others below them only in some places. */
export function aggregationSearches(type: string, body: object, kit: Kit): object[] {
  if (type === 'reverse_nested')
    return [{ size: 0, aggs: { n: { nested: { path: `${kit}_kids` }, aggs: { a: { [type]: body, aggs: metric('v') } } } } }];
  if (type === 'rate') return [{ size: 0, aggs: { h: { date_histogram: buckets, aggs: { a: { [type]: body } } } } }];
  const a = { [type]: body };
  const places = {
    a,
    t: { terms: { field: 'team' }, aggs: { a } },
    g: { global: {}, aggs: { a } },
    n: { nested: { path: 'v_kids' }, aggs: { a } },
  };
  if (type === 'global') return [{ size: 0, query: { term: { team: 'blue' } }, aggs: { a } }];
  const query = { range: { v_long: { gte: 4002 } } };
  return [
    { size: 0, query, aggs: places },
    { size: 0, aggs: { a: { ...a, aggs: { ...metric(kit), t: { top_hits: { size: 2, _source: false } } } } } },
  ];
}

/** Parts of a search by their keys in its body. */
export const PARTS: Readonly<Record<string, (kit: Kit) => readonly object[]>> = {
  sort: (k) => [
    // Ranges and binary values are sorted by their place in the segment, which hidden documents change.
    ...Object.keys(TYPES)
      .filter((type) => type !== 'binary' && !type.endsWith('_range'))
      .map((type) => ({ sort: [{ [`${k}_${type}`]: 'desc' }, 'v_long'] })),
    { sort: [{ [`${k}_long`]: { order: 'desc', unmapped_type: 'long', missing: '_first' } }, 'v_long'] },
    { sort: [{ [`${k}_kids.n`]: { order: 'desc', nested: { path: `${k}_kids` } } }] },
    {
      sort: [
        {
          [`${k}_kids.n`]: {
            order: 'desc',
            unmapped_type: 'long',
            nested: { path: 'v_kids', filter: { exists: { field: 'v_kids.h_k' } } },
          },
        },
      ],
    },
    { sort: [{ _geo_distance: { [`${k}_geo_point`]: '3,3', order: 'asc', ignore_unmapped: true } }, 'v_long'] },
    { sort: [{ _script: { type: 'number', script: script(`doc.containsKey('${k}_long') ? 1 : 2`) } }, 'v_long'] },
    { sort: ['both.h_pin', 'v_long'] },
    { sort: ['_score', 'v_long'] },
  ],
  search_after: (k) => [{ sort: [{ [`${k}_long`]: { unmapped_type: 'long' } }, 'v_long'], search_after: [4004, 4004] }],
  _source: (k) => [
    { _source: true },
    { _source: [`${k}_*`, 'both', 'empty', 'h_object', 'v_kids'] },
    { _source: { excludes: [`${k}_t*`] } },
    { _source: ['*.h_*'] },
  ],
  fields: (k) => [
    { fields: ['*'] },
    { fields: [`${k}_*`] },
    { fields: Object.keys(TYPES).map((type) => `${k}_${type}`), _source: false },
    {
      fields: [
        { field: `${k}_*`, include_unmapped: true },
        { field: 'both.*', include_unmapped: true },
      ],
    },
    { fields: [{ field: '*', include_unmapped: true }], _source: false },
    { fields: ['v_to_hidden', 'h_alias', '_ignored', '_field_names'] },
  ],
  docvalue_fields: (k) => [
    ...Object.keys(TYPES).map((type) => ({ docvalue_fields: [`${k}_${type}`] })),
    { docvalue_fields: [`${k}_*`] },
    { docvalue_fields: ['*.h_pin', 'v_to_hidden'] },
  ],
  stored_fields: (k) => [
    { stored_fields: ['*'] },
    { stored_fields: [`${k}_text`, `${k}_keyword`, `${k}_long`, '_ignored', '_routing', '_source'] },
    { stored_fields: '_none_', _source: false },
  ],
  script_fields: (k) => [
    { script_fields: { s: { script: script(`doc.containsKey('${k}_long') ? doc['${k}_long'].value : -1`) } }, sort: 'v_long' },
    { script_fields: { s: { script: script(`params._source.${k}_long`) } }, sort: 'v_long' },
    { script_fields: { s: { script: script('params._source.toString()') } }, sort: 'v_long' },
    { script_fields: { s: { script: script(`params._fields.containsKey('${k}_long')`) } }, sort: 'v_long' },
    { script_fields: { s: { script: script(`field('${k}_long').get(-1)`) } }, sort: 'v_long' },
    { script_fields: { s: { script: script(`$('${k}_keyword', 'no')`) } }, sort: 'v_long' },
  ],
  runtime_mappings: (k) => [
    {
      runtime_mappings: { r: { type: 'long', script: script(`emit(doc.containsKey('${k}_long') ? doc['${k}_long'].value : -1L)`) } },
      fields: ['r'],
      sort: 'r',
    },
    { runtime_mappings: { r: { type: 'keyword', script: script('emit(params._source.toString())') } }, fields: ['r'] },
    { runtime_mappings: { [`${k}_long`]: { type: 'keyword' } }, fields: [`${k}_long`], aggs: { a: { terms: { field: `${k}_long` } } } },
    // A runtime field in place of a hidden field is ignored.
    {
      runtime_mappings: { v_long: { type: 'long', script: script('emit(1L)') } },
      fields: ['v_long'],
      query: { range: { v_long: { lte: 2 } } },
    },
    {
      runtime_mappings: {
        r: {
          type: 'lookup',
          target_index: 'INDEX',
          input_field: 'v_keyword',
          target_field: `${k}_keyword`,
          fetch_fields: [`${k}_long`, 'team'],
        },
      },
      fields: ['r'],
      sort: 'v_long',
    },
  ],
  highlight: (k) =>
    ['unified', 'plain', 'fvh'].flatMap((type) => [
      { query: { match: { v_text: 'brown' } }, highlight: { type, fields: { [`${k}_text`]: {} } } },
      {
        query: { match: { v_text: 'brown' } },
        highlight: { type, require_field_match: false, fields: { [`${k}_*`]: { no_match_size: 20 } } },
      },
      {
        query: all,
        highlight: {
          type,
          fields: { [`${k}_text`]: { highlight_query: { query_string: { query: 'brown', fields: [`${k}_*`], lenient: true } } } },
        },
      },
      { query: { match: { v_text: 'brown' } }, highlight: { type, fields: { v_text: { matched_fields: ['v_text', `${k}_text`] } } } },
    ]),
  collapse: (k) => [
    { collapse: { field: `${k}_keyword` }, sort: 'v_long' },
    {
      collapse: {
        field: 'team',
        inner_hits: { name: 'i', size: 5, sort: [{ [`${k}_long`]: { unmapped_type: 'long' } }], fields: [`${k}_*`] },
      },
      sort: 'v_long',
    },
    { collapse: { field: `${k}_long`, inner_hits: { name: 'i' } }, sort: [{ v_long: 'desc' }] },
  ],
  rescore: (k) => [
    { query: all, rescore: { window_size: 10, query: { rescore_query: { term: { [`${k}_text`]: 'brown' } } } } },
    { query: all, rescore: { window_size: 10, query: { rescore_query: { term: { team: 'blue' } } } } },
  ],
  knn: (k) => [
    { knn: { field: `${k}_dense_vector`, query_vector: [5, 1], k: 4, num_candidates: 20 } },
    { knn: { field: `${k}_dense_vector`, query_vector: [5, 1], k: 4, num_candidates: 20, filter: { exists: { field: `${k}_text` } } } },
    { knn: { field: 'v_dense_vector', query_vector: [5, 1], k: 3, num_candidates: 3, similarity: 4 } },
  ],
  retriever: (k) => [
    { retriever: { standard: { query: { match: { [`${k}_text`]: 'brown' } } } } },
    { retriever: { knn: { field: `${k}_dense_vector`, query_vector: [5, 1], k: 4, num_candidates: 20 } } },
    {
      retriever: {
        rrf: {
          retrievers: [
            { standard: { query: { match: { [`${k}_text`]: 'brown' } } } },
            { knn: { field: 'v_dense_vector', query_vector: [5, 1], k: 4, num_candidates: 20 } },
          ],
        },
      },
    },
    { retriever: { linear: { retrievers: [{ retriever: { standard: { query: { exists: { field: `${k}_text` } } } }, weight: 2 }] } } },
  ],
  rank: (k) => [
    {
      rank: { rrf: {} },
      query: { match: { [`${k}_text`]: 'brown' } },
      knn: { field: 'v_dense_vector', query_vector: [5, 1], k: 4, num_candidates: 20 },
    },
  ],
  sub_searches: (k) => [
    { sub_searches: [{ query: { match: { [`${k}_text`]: 'brown' } } }, { query: { match: { v_text: 'amber' } } }], rank: { rrf: {} } },
  ],
  suggest: (k) => [
    { suggest: { s: { text: 'browm', term: { field: `${k}_text` } } } },
    { suggest: { s: { text: 'word1', term: { field: `${k}_text`, suggest_mode: 'always' } } } },
    { suggest: { s: { text: 'quick browm', phrase: { field: `${k}_text` } } } },
    { suggest: { s: { prefix: 'quick', completion: { field: `${k}_completion`, size: 20 } } } },
    { suggest: { s: { regex: 'qu.*', completion: { field: `${k}_completion`, size: 20 } } } },
  ],
  post_filter: (k) => [{ post_filter: { term: { [`${k}_text`]: 'brown' } }, aggs: { t: { terms: { field: 'team' } } } }],
  min_score: () => [{ query: { match: { v_text: 'brown' } }, min_score: 0.1 }],
  explain: (k) => [{ query: { match: { [`${k}_text`]: 'brown' } }, explain: true }],
  profile: (k) => [{ query: { match: { [`${k}_text`]: 'brown' } }, profile: true }],
  slice: (k) => [{ slice: { id: 0, max: 2, field: `${k}_long` }, sort: 'v_long' }],
  track_total_hits: () => [{ track_total_hits: 3 }, { track_total_hits: true, size: 0 }],
  terminate_after: () => [{ query: { term: { team: 'blue' } }, terminate_after: 1 }],
  version: () => [{ version: true }],
  seq_no_primary_term: () => [{ seq_no_primary_term: true }],
  indices_boost: () => [{ indices_boost: [{ INDEX: 2 }] }],
  from: () => [{ from: 2, size: 2, sort: 'v_long' }],
  size: () => [{ size: 100 }],
  query: () => [{ query: all }],
  track_scores: () => [{ track_scores: true, sort: 'v_long' }],
  stats: () => [{ stats: ['group'] }],
  timeout: () => [{ timeout: '10s' }],
  include_named_queries_score: (k) => [
    { query: { bool: { should: [all, { term: { [`${k}_text`]: { value: 'brown', _name: 'n' } } }] } }, include_named_queries_score: true },
  ],
};

/** Requests of APIs that read an index besides `_search`, by the names of their APIs; `null` for one that reads no document or field. */
export const APIS: Readonly<Record<string, (kit: Kit) => ReadonlyArray<readonly [line: string, body?: unknown]>>> = {
  get: (k) =>
    ids('GET /INDEX/_doc/ID').flatMap(([line]) => [
      [line],
      [`${line}?realtime=false`],
      [`${line}?_source=${k}_*,both,empty`],
      [`${line}?stored_fields=${k}_text,${k}_long`],
      [line.replace('GET', 'HEAD')],
    ]),
  get_source: () => ids('GET /INDEX/_source/ID').flatMap(([line]) => [[line], [line.replace('GET', 'HEAD')]]),
  mget: (k) => [
    ['POST /INDEX/_mget', { ids: ['0', '1', '2', '3'] }],
    [
      'POST /_mget',
      {
        docs: [
          { _index: 'INDEX', _id: '1', _source: [`${k}_*`] },
          { _index: 'INDEX', _id: '0', stored_fields: [`${k}_text`] },
        ],
      },
    ],
  ],
  termvectors: (k) => [
    ...ids(`GET /INDEX/_termvectors/ID?fields=${k}_text,${k}_keyword,v_kids.k&field_statistics=false`),
    ...ids('GET /INDEX/_termvectors/ID?fields=*&field_statistics=false'),
    ['POST /INDEX/_termvectors', { doc: { [`${k}_text`]: 'brown fox' }, fields: [`${k}_text`], field_statistics: false }],
    ['POST /INDEX/_termvectors/0', { fields: [`${k}_text`], field_statistics: false, filter: { max_num_terms: 3 } }],
    ['POST /INDEX/_termvectors/0', { fields: [`${k}_text`], per_field_analyzer: { [`${k}_text`]: 'keyword' }, field_statistics: false }],
  ],
  mtermvectors: (k) => [['POST /INDEX/_mtermvectors', { ids: ['0', '1'], parameters: { fields: [`${k}_text`], field_statistics: false } }]],
  explain: (k) => ids('POST /INDEX/_explain/ID').map(([line]) => [line, { query: { match: { [`${k}_text`]: 'brown quick' } } }]),
  count: (k) => [
    ['POST /INDEX/_count', { query: { exists: { field: `${k}_text` } } }],
    ['GET /INDEX/_count?q=brown'],
    ['GET /_cat/count/INDEX?h=count'],
  ],
  field_caps: (k) => [
    ['GET /INDEX/_field_caps?fields=*'],
    [`GET /INDEX/_field_caps?fields=${k}_*,both.*,empty.*&include_unmapped=true`],
    ['POST /INDEX/_field_caps?fields=*', { index_filter: { term: { [`${k}_keyword`]: 'brown1' } } }],
    ['POST /INDEX/_field_caps?fields=team', { index_filter: { term: { team: 'blue' } } }],
    ['POST /INDEX/_field_caps?fields=*', { runtime_mappings: { [`${k}_long`]: { type: 'keyword' } } }],
  ],
  terms_enum: (k) => [
    ...['keyword', 'flattened.a.b', 'ip', 'wildcard', 'constant_keyword', 'text', 'version'].map(
      (type) => ['POST /INDEX/_terms_enum', { field: `${k}_${type}`, size: 100 }] as const,
    ),
    ['POST /INDEX/_terms_enum', { field: `${k}_keyword`, string: 'b' }],
    ['POST /INDEX/_terms_enum', { field: 'both.h_pin' }],
    ['POST /INDEX/_terms_enum', { field: 'v_text.h_raw' }],
    ['POST /INDEX/_terms_enum', { field: 'v_keyword', index_filter: { term: { team: 'blue' } } }],
    ['POST /INDEX/_terms_enum', { field: 'v_kids.k' }],
  ],
  'indices.validate_query': (k) => [
    ['POST /INDEX/_validate/query?explain=true', { query: { prefix: { [`${k}_text`]: 'br' } } }],
    ['POST /INDEX/_validate/query?explain=true', { query: { query_string: { query: 'brown*' } } }],
    ['POST /INDEX/_validate/query?rewrite=true', { query: { match_phrase_prefix: { [`${k}_text`]: 'fox br' } } }],
    ['POST /INDEX/_validate/query?all_shards=true&explain=true', { query: { nested: { path: `${k}_kids`, query: all } } }],
  ],
  rank_eval: (k) => [
    [
      'POST /INDEX/_rank_eval',
      {
        requests: [
          { id: 'q', request: { query: { match: { [`${k}_text`]: 'brown' } } }, ratings: [{ _index: 'INDEX', _id: '1', rating: 1 }] },
        ],
        metric: { recall: { k: 10 } },
      },
    ],
  ],
  search_template: (k) => [
    ['POST /INDEX/_search/template', { source: { query: { match: { [`${k}_text`]: '{{x}}' } } }, params: { x: 'brown' } }],
  ],
  msearch_template: (k) => [
    [
      'POST /INDEX/_msearch/template',
      `{}\n${JSON.stringify({ source: { query: { match: { [`${k}_text`]: '{{x}}' } } }, params: { x: 'brown' } })}\n`,
    ],
  ],
  msearch: (k) => [['POST /_msearch', `{"index":"INDEX"}\n${JSON.stringify({ query: { match: { [`${k}_text`]: 'brown' } } })}\n`]],
  'async_search.submit': (k) => [
    [
      'POST /INDEX/_async_search?wait_for_completion_timeout=20s',
      { query: { match: { [`${k}_text`]: 'brown' } }, aggs: { t: { terms: { field: 'team' } } } },
    ],
  ],
  search: (k) => [
    ['POST /INDEX/_search?scroll=1m', { size: 3, sort: 'v_long', query: { exists: { field: `${k}_text` } } }],
    ['GET /INDEX/_search?q=brown'],
    [`GET /INDEX/_search?q=${k}_text:brown&_source_includes=${k}_*&docvalue_fields=${k}_long&stored_fields=${k}_text`],
    ['GET /INDEX/_search?search_type=dfs_query_then_fetch&q=v_text:brown'],
    ['GET /INDEX/_search?pre_filter_shard_size=1&q=v_long:4001'],
    ['GET /INDEX/_search?routing=1'],
    ['GET /INDEX/_search?rest_total_hits_as_int=true&typed_keys=true&version=true'],
    ['GET /INDEX/_search?terminate_after=1&q=team:blue'],
  ],
  search_shards: () => [['GET /INDEX/_search_shards']],
  scripts_painless_execute: (k) => [
    [
      'POST /_scripts/painless/_execute',
      {
        script: { source: `doc.containsKey('${k}_long')` },
        context: 'filter',
        context_setup: { index: 'INDEX', document: { [`${k}_long`]: 1 } },
      },
    ],
    [
      'POST /_scripts/painless/_execute',
      {
        script: { source: `emit(doc['${k}_long'].value)` },
        context: 'long_field',
        context_setup: { index: 'INDEX', document: { [`${k}_long`]: 1 } },
      },
    ],
  ],
  'indices.get': () => [['GET /INDEX?features=mappings']],
  'indices.get_mapping': () => [['GET /INDEX/_mapping']],
  'indices.get_field_mapping': (k) => [['GET /INDEX/_mapping/field/*'], [`GET /INDEX/_mapping/field/${k}_*,both.*?include_defaults=true`]],
  'indices.analyze': (k) => [
    ['POST /INDEX/_analyze', { field: `${k}_text`, text: 'Brown' }],
    ['POST /INDEX/_analyze', { field: `${k}_keyword`, text: 'Brown Fox' }],
  ],
};

function ids(line: string): Array<readonly [string]> {
  return ['0', '1', '2', '3', '14', 'nothing'].map((id) => [line.replace('ID', id)] as const);
}
