// Valid requests that the fuzz test of bodies starts from: each query, aggregation, search option, mapping and setting once, with its parameters.

export type Json = Record<string, unknown>;

export const MAPPINGS: Json = {
  dynamic: true,
  date_detection: true,
  numeric_detection: false,
  dynamic_date_formats: ['yyyy-MM-dd'],
  _routing: { required: false },
  _source: { enabled: true, excludes: ['secret.*'] },
  dynamic_templates: [
    { codes: { match: '*_code', unmatch: 'x_*', match_mapping_type: 'string', mapping: { type: 'keyword', ignore_above: 20 } } },
    { deep: { path_match: 'deep.*', path_unmatch: '*.no', mapping: { type: '{dynamic_type}', index: false } } },
    { rule: { match_pattern: 'regex', match: '^r\\d+$', mapping: { type: 'text', copy_to: 'all_{name}' } } },
  ],
  properties: {
    text: {
      type: 'text',
      analyzer: 'standard',
      search_analyzer: 'simple',
      term_vector: 'with_positions_offsets',
      copy_to: ['all'],
      index_prefixes: { min_chars: 1, max_chars: 4 },
      fields: { raw: { type: 'keyword', ignore_above: 64 }, words: { type: 'token_count', analyzer: 'standard' } },
    },
    all: { type: 'text', norms: false, index_options: 'offsets', position_increment_gap: 10 },
    tag: { type: 'keyword', null_value: 'none', ignore_above: 30, eager_global_ordinals: true },
    n: { type: 'integer', coerce: true, ignore_malformed: false, null_value: 7 },
    big: { type: 'long' },
    ul: { type: 'unsigned_long' },
    x: { type: 'double' },
    h: { type: 'half_float', ignore_malformed: true },
    money: { type: 'scaled_float', scaling_factor: 100 },
    flag: { type: 'boolean' },
    at: { type: 'date', format: 'strict_date_optional_time||epoch_millis||dd/MM/yyyy', locale: 'en' },
    nano: { type: 'date_nanos' },
    ip: { type: 'ip' },
    place: { type: 'geo_point', ignore_z_value: true },
    span: { type: 'integer_range' },
    days: { type: 'date_range', format: 'yyyy-MM-dd' },
    rank: { type: 'rank_feature' },
    flat: { type: 'flat_object' },
    typed: { type: 'search_as_you_type', max_shingle_size: 3 },
    other: { type: 'alias', path: 'tag' },
    off: { type: 'object', enabled: false },
    lines: { type: 'nested', include_in_parent: true, properties: { sku: { type: 'keyword' }, qty: { type: 'integer' } } },
  },
};

export const SETTINGS: Json = {
  number_of_shards: 2,
  number_of_replicas: 0,
  refresh_interval: '1s',
  max_result_window: 5000,
  'mapping.total_fields.limit': 200,
  blocks: { write: false },
  analysis: {
    char_filter: { marks: { type: 'mapping', mappings: ['& => and'] } },
    tokenizer: { grams: { type: 'ngram', min_gram: 2, max_gram: 3, token_chars: ['letter', 'digit'] } },
    filter: {
      stops: { type: 'stop', stopwords: ['a', 'the'] },
      same: { type: 'synonym', synonyms: ['quick, fast', 'fox => animal'] },
      shingles: { type: 'shingle', min_shingle_size: 2, max_shingle_size: 3 },
    },
    normalizer: { low: { type: 'custom', filter: ['lowercase', 'asciifolding'] } },
    analyzer: {
      mine: { type: 'custom', char_filter: ['marks', 'html_strip'], tokenizer: 'standard', filter: ['lowercase', 'stops', 'same'] },
    },
  },
};

export const DOCUMENTS: readonly Json[] = Array.from({ length: 30 }, (_, i) => ({
  text: ['the quick brown fox', 'jumps over', 'a lazy dog & a fox', ''][i % 4],
  tag: ['red', 'green', null, ['red', 'blue']][i % 4],
  n: i,
  big: 2 ** 53 + i,
  ul: '18446744073709551615',
  x: i / 7,
  h: 1.5,
  money: 12.34 * i,
  flag: i % 2 === 0,
  at: `20${10 + i}-0${1 + (i % 9)}-15T12:00:00Z`,
  nano: '2024-01-01T00:00:00.123456789Z',
  ip: i % 2 ? '10.0.0.1' : '2001:db8::1',
  place: { lat: i, lon: -i },
  span: { gte: i, lt: i + 5 },
  days: { gte: '2024-01-01', lte: '2024-02-01' },
  rank: i + 1,
  flat: { a: { b: 'c' } },
  typed: 'some typed words',
  off: { what: [{ ever: 1 }] },
  lines: [{ sku: `s${i % 3}`, qty: i }, { sku: 's9' }],
  my_code: 'abc',
  r1: 'rule',
}));

const script = { source: "doc['n'].value * params.k + _score", params: { k: 2 } };

export const QUERIES: readonly Json[] = [
  {
    match: {
      text: {
        query: 'quick fox',
        operator: 'and',
        fuzziness: 'AUTO:3,6',
        prefix_length: 1,
        max_expansions: 10,
        minimum_should_match: '2<75%',
      },
    },
  },
  { match_phrase: { text: { query: 'quick brown', slop: 2, zero_terms_query: 'all' } } },
  { match_phrase_prefix: { text: { query: 'quick br', max_expansions: 5 } } },
  { match_bool_prefix: { text: 'quick br' } },
  {
    multi_match: { query: 'quick fox', fields: ['text^2', 'all', 'typed._2gram'], type: 'cross_fields', tie_breaker: 0.3, operator: 'or' },
  },
  {
    query_string: {
      query: 'text:(quick OR "brown fox"~2)^3 AND n:[1 TO 20} -tag:red /fo./ f*x fox~1',
      default_field: 'text',
      lenient: true,
    },
  },
  {
    simple_query_string: {
      query: '"quick brown"~1 +fox | -dog fo* (a b)',
      fields: ['text', 'all^2'],
      flags: 'ALL',
      default_operator: 'and',
    },
  },
  { term: { tag: { value: 'RED', case_insensitive: true, boost: 2, _name: 't' } } },
  { terms: { n: [1, 2, 3] } },
  { terms: { tag: { index: 'fuzz', id: '1', path: 'tag' } } },
  { terms_set: { tag: { terms: ['red', 'blue'], minimum_should_match_script: { source: 'Math.min(params.num_terms, 1)' } } } },
  { range: { at: { gte: 'now-30y/y', lt: '2030-01-01||/M', time_zone: '+01:00', format: 'strict_date_optional_time', boost: 2 } } },
  { range: { span: { gte: 3, lte: 9, relation: 'within' } } },
  { range: { ip: { gte: '10.0.0.0', lt: '10.0.1.0' } } },
  { exists: { field: 'lines.qty' } },
  { ids: { values: ['1', '2'] } },
  { prefix: { tag: { value: 're', case_insensitive: true, rewrite: 'top_terms_5' } } },
  { wildcard: { tag: { value: 'r*d?', case_insensitive: false } } },
  { regexp: { tag: { value: 're?d|b(lu|la)e{1,3}', flags: 'ALL', max_determinized_states: 1000 } } },
  { fuzzy: { tag: { value: 'rad', fuzziness: 1, transpositions: true } } },
  {
    bool: {
      must: [{ match: { text: 'fox' } }],
      filter: { term: { flag: true } },
      should: [{ term: { n: 1 } }, { term: { n: 2 } }],
      must_not: { term: { n: 3 } },
      minimum_should_match: '-1',
    },
  },
  { boosting: { positive: { match_all: {} }, negative: { term: { n: 1 } }, negative_boost: 0.5 } },
  { constant_score: { filter: { term: { n: 1 } }, boost: 2 } },
  { dis_max: { queries: [{ term: { n: 1 } }, { match: { text: 'dog' } }], tie_breaker: 0.4 } },
  {
    nested: {
      path: 'lines',
      query: { range: { 'lines.qty': { gte: 2 } } },
      score_mode: 'max',
      inner_hits: { size: 2, sort: [{ 'lines.qty': 'desc' }], highlight: { fields: { 'lines.sku': {} } } },
    },
  },
  {
    function_score: {
      query: { match_all: {} },
      functions: [
        { field_value_factor: { field: 'n', factor: 1.2, modifier: 'log1p', missing: 1 }, weight: 2 },
        { gauss: { at: { origin: '2020-01-01', scale: '10d', offset: '1d', decay: 0.5 } } },
        { exp: { place: { origin: { lat: 1, lon: 2 }, scale: '100km' } } },
        { random_score: { seed: 7, field: 'n' }, filter: { term: { flag: true } } },
        { script_score: { script } },
      ],
      score_mode: 'sum',
      boost_mode: 'replace',
      max_boost: 10,
      min_score: 0.1,
    },
  },
  {
    script_score: { query: { match_all: {} }, script: { source: "saturation(doc['n'].value, params.p)", params: { p: 3 } }, min_score: 0 },
  },
  { script: { script: { source: "doc['n'].size() > 0 && doc['n'].value > params.p", params: { p: 3 } } } },
  { distance_feature: { field: 'at', origin: 'now', pivot: '7d' } },
  { rank_feature: { field: 'rank', saturation: { pivot: 5 } } },
  { geo_distance: { distance: '200km', place: { lat: 3, lon: -3 }, distance_type: 'arc', validation_method: 'STRICT' } },
  { geo_bounding_box: { place: { top_left: { lat: 20, lon: -20 }, bottom_right: '0,5' } } },
  {
    geo_polygon: {
      place: {
        points: [
          [-10, 0],
          [0, 10],
          [10, 0],
        ],
      },
    },
  },
];

export const AGGREGATIONS: readonly Json[] = [
  {
    terms: {
      field: 'tag',
      size: 5,
      shard_size: 20,
      min_doc_count: 1,
      missing: 'none',
      order: [{ m: 'desc' }, { _key: 'asc' }],
      include: 'r.*|b.*',
    },
  },
  { terms: { field: 'n', include: { partition: 0, num_partitions: 3 }, show_term_doc_count_error: true, collect_mode: 'breadth_first' } },
  { multi_terms: { terms: [{ field: 'tag' }, { field: 'flag', missing: true }], size: 3 } },
  { rare_terms: { field: 'n', max_doc_count: 2, precision: 0.01 } },
  { significant_terms: { field: 'tag', jlh: {}, min_doc_count: 1 } },
  {
    date_histogram: {
      field: 'at',
      calendar_interval: 'month',
      time_zone: 'Europe/Oslo',
      offset: '+6h',
      min_doc_count: 0,
      format: 'yyyy-MM',
      keyed: true,
    },
  },
  {
    date_histogram: {
      field: 'at',
      fixed_interval: '90d',
      extended_bounds: { min: '2010-01-01', max: '2041-01-01' },
      hard_bounds: { min: '2000-01-01' },
    },
  },
  { auto_date_histogram: { field: 'at', buckets: 5, minimum_interval: 'day', time_zone: '-03:00' } },
  {
    histogram: { field: 'x', interval: 0.5, offset: 0.1, min_doc_count: 0, extended_bounds: { min: 0, max: 9 }, keyed: false, missing: 0 },
  },
  { range: { field: 'n', ranges: [{ to: 5, key: 'low' }, { from: 5, to: 10 }, { from: 10 }], keyed: true } },
  { date_range: { field: 'at', format: 'yyyy', ranges: [{ from: '2012||/y', to: 'now' }], time_zone: 'UTC', missing: '1990' } },
  { ip_range: { field: 'ip', ranges: [{ mask: '10.0.0.0/8' }, { from: '::', to: '10.0.0.9' }] } },
  { geo_distance: { field: 'place', origin: '1,1', unit: 'km', ranges: [{ to: 500 }, { from: 500 }] } },
  { geohash_grid: { field: 'place', precision: 3, size: 5 } },
  { geotile_grid: { field: 'place', precision: 4, shard_size: 10 } },
  { filter: { term: { flag: true } } },
  { filters: { filters: { a: { term: { n: 1 } }, b: { match_all: {} } }, other_bucket: true, other_bucket_key: 'rest' } },
  { adjacency_matrix: { filters: { a: { term: { flag: true } }, b: { range: { n: { gte: 4 } } } }, separator: '|' } },
  { missing: { field: 'tag' } },
  { global: {} },
  { sampler: { shard_size: 10 }, aggs: { most: { max: { field: 'n' } } } },
  { diversified_sampler: { field: 'n', max_docs_per_value: 1, shard_size: 10 }, aggs: { most: { max: { field: 'n' } } } },
  { nested: { path: 'lines' } },
  {
    composite: {
      size: 3,
      sources: [{ a: { terms: { field: 'tag', missing_bucket: true, order: 'desc' } } }, { b: { histogram: { field: 'n', interval: 5 } } }],
      after: { a: 'red', b: 5 },
    },
  },
  { avg: { field: 'n', missing: 1 } },
  { stats: { field: 'x' } },
  { extended_stats: { field: 'x', sigma: 3 } },
  { percentiles: { field: 'x', percents: [1, 50, 99], keyed: false, tdigest: { compression: 50 } } },
  { percentiles: { field: 'n', hdr: { number_of_significant_value_digits: 2 } } },
  { percentile_ranks: { field: 'x', values: [1, 2], keyed: true } },
  { cardinality: { field: 'tag', precision_threshold: 100 } },
  { value_count: { field: 'lines.sku' } },
  { weighted_avg: { value: { field: 'n', missing: 2 }, weight: { field: 'x' }, format: '0.0' } },
  { median_absolute_deviation: { field: 'x', compression: 100 } },
  { matrix_stats: { fields: ['n', 'x'], mode: 'avg', missing: { n: 1 } } },
  { geo_bounds: { field: 'place', wrap_longitude: true } },
  { geo_centroid: { field: 'place' } },
  { top_hits: { size: 1, sort: [{ n: 'desc' }], _source: ['n'], highlight: { fields: { text: {} } }, from: 1 } },
  {
    scripted_metric: {
      init_script: 'state.s = 0',
      map_script: "state.s += doc['n'].value",
      combine_script: 'return state.s',
      reduce_script: 'double t = 0; for (s in states) { t += s } return t',
    },
  },
];

/** Pipelines next to each other under a histogram. */
export const PIPELINES: readonly Json[] = [
  { derivative: { buckets_path: 'm', unit: '1d', gap_policy: 'insert_zeros', format: '0.00' } },
  { cumulative_sum: { buckets_path: 'm' } },
  { moving_fn: { buckets_path: 'm', window: 3, shift: 1, script: 'MovingFunctions.holt(values, 0.3, 0.1)' } },
  { serial_diff: { buckets_path: '_count', lag: 2 } },
  { bucket_script: { buckets_path: { a: 'm', b: '_count' }, script: 'params.a / params.b' } },
  { bucket_selector: { buckets_path: { a: 'm' }, script: 'params.a > 1' } },
  { bucket_sort: { sort: [{ m: { order: 'desc' } }], from: 1, size: 3, gap_policy: 'skip' } },
];

export const SIBLINGS: readonly Json[] = [
  { avg_bucket: { buckets_path: 'h>m', gap_policy: 'skip', format: '0' } },
  { extended_stats_bucket: { buckets_path: 'h>_count', sigma: 1 } },
  { percentiles_bucket: { buckets_path: 'h>m', percents: [50] } },
];

export const OPTIONS: Json = {
  from: 1,
  size: 3,
  sort: [
    { n: { order: 'desc', missing: '_first', mode: 'avg', unmapped_type: 'long', numeric_type: 'double' } },
    { 'lines.qty': { nested: { path: 'lines', filter: { term: { 'lines.sku': 's1' } } }, mode: 'sum' } },
    { _geo_distance: { place: [1, 2], unit: 'km', order: 'asc', mode: 'min' } },
    { _script: { type: 'number', script: { source: "doc['n'].value" } } },
    '_score',
  ],
  track_total_hits: 10,
  track_scores: true,
  min_score: 0.01,
  terminate_after: 100,
  timeout: '5s',
  _source: { includes: ['t*', 'lines.sku'], excludes: ['text'] },
  stored_fields: ['tag', '_source'],
  docvalue_fields: ['n', { field: 'at', format: 'yyyy' }],
  fields: ['text*', { field: 'at', format: 'epoch_millis' }, { field: 'zzz*', include_unmapped: true }],
  script_fields: { twice: { script: { source: "doc['n'].value * params.k", params: { k: 2 } }, ignore_failure: true } },
  highlight: {
    type: 'unified',
    order: 'score',
    pre_tags: ['<b>'],
    post_tags: ['</b>'],
    fields: {
      text: { fragment_size: 20, number_of_fragments: 2, no_match_size: 10, highlight_query: { match: { text: 'fox' } } },
      '*': { type: 'plain' },
    },
  },
  post_filter: { range: { n: { gte: 1 } } },
  indices_boost: [{ fuzz: 1.5 }],
  suggest: {
    words: { text: 'quik', term: { field: 'text', suggest_mode: 'always', max_edits: 2, size: 2 } },
  },
  explain: true,
  version: true,
  seq_no_primary_term: true,
  profile: false,
};

export const RESCORE: Json = {
  size: 3,
  query: { match: { text: 'fox' } },
  rescore: [
    {
      window_size: 5,
      query: { rescore_query: { match_phrase: { text: 'brown fox' } }, query_weight: 0.7, rescore_query_weight: 1.2, score_mode: 'total' },
    },
  ],
};

export const COLLAPSE: Json = {
  collapse: { field: 'n', inner_hits: [{ name: 'most', size: 1, sort: [{ x: 'asc' }] }], max_concurrent_group_searches: 2 },
  sort: ['n'],
  search_after: [3],
};
