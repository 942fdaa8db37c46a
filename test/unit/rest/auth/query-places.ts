// Every place of a request that accepts a query, and every query that names an index: the walk over bodies (body-walk.test.ts) puts each of the
// latter into each of the former. Its tests fail for a query or aggregation that is in none of these tables.

/** Queries that read a document of another index. */
export const LOOKUPS: Readonly<Record<string, (name: string) => object>> = {
  terms: (index) => ({ terms: { k: { index, id: '1', path: 'k' } } }),
  'terms with routing': (index) => ({ terms: { k: { index, id: '1', path: 'k', routing: 'r' }, boost: 2 } }),
  geo_shape: (index) => ({ geo_shape: { place: { indexed_shape: { index, id: '1', path: 'place' } } } }),
  'geo_shape on a point': (index) => ({ geo_shape: { point: { indexed_shape: { index, id: '1', path: 'place' }, relation: 'within' } } }),
  shape: (index) => ({ shape: { plane: { indexed_shape: { index, id: '1', path: 'place' } } } }),
  'more_like_this like': (_index) => ({ more_like_this: { fields: ['text'], like: [{ _index, _id: '1' }], min_term_freq: 1 } }),
  'more_like_this unlike': (_index) => ({ more_like_this: { fields: ['text'], like: 'mine', unlike: [{ _index, _id: '1' }] } }),
  percolate: (index) => ({ percolate: { field: 'stored', index, id: '1' } }),
};

/** Queries that compare with the name of an index, without reading one. */
export const MENTIONS: Readonly<Record<string, (name: string) => object>> = {
  term: (name) => ({ term: { _index: name } }),
  terms: (name) => ({ terms: { _index: [name, 'own-2'] } }),
  prefix: (name) => ({ prefix: { _index: name.slice(0, 3) } }),
  wildcard: (name) => ({ wildcard: { _index: `*${name.slice(2)}` } }),
  exists: () => ({ exists: { field: '_index' } }),
  query_string: (name) => ({ query_string: { query: `_index:${name}` } }),
  pinned: (_index) => ({ pinned: { docs: [{ _index, _id: '1' }], organic: { match_all: {} } } }),
  'script of sources': (name) => ({ script: { script: { source: 'params._source.toString().contains(params.n)', params: { n: name } } } }),
};

/** Bodies of the queries that contain queries, by their names. */
export const COMPOUND: Readonly<Record<string, (query: object) => readonly object[]>> = {
  bool: (query) => [{ must: [query] }, { filter: query }, { should: [query] }, { must_not: [{ bool: { must: [query] } }] }],
  boosting: (query) => [
    { positive: query, negative: { match_all: {} }, negative_boost: 0.5 },
    { positive: { match_all: {} }, negative: query, negative_boost: 0.5 },
  ],
  constant_score: (query) => [{ filter: query }],
  dis_max: (query) => [{ queries: [{ match_all: {} }, query] }],
  nested: (query) => [{ path: 'kids', query }],
  function_score: (query) => [{ query }, { functions: [{ weight: 2, filter: query }] }],
  script_score: (query) => [{ query, script: { source: '1' } }],
  has_child: (query) => [{ type: 'below', query }],
  has_parent: (query) => [{ parent_type: 'above', query }],
  knn: (query) => [{ field: 'vector', query_vector: [1, 0], num_candidates: 2, filter: query }],
  pinned: (query) => [{ ids: ['1'], organic: query }],
  wrapper: (query) => [{ query: Buffer.from(JSON.stringify(query)).toString('base64') }],
};

/** Queries without queries in them; those of spans and intervals accept spans and intervals only. */
export const SIMPLE: readonly string[] =
  `match_all match_none term terms terms_set range exists ids prefix wildcard regexp fuzzy match match_phrase match_phrase_prefix match_bool_prefix
  multi_match query_string simple_query_string geo_distance geo_bounding_box geo_polygon geo_shape shape script rank_feature distance_feature span_term
  span_near span_or span_not span_first span_multi span_containing span_within field_masking_span span_field_masking parent_id combined_fields intervals
  more_like_this percolate sparse_vector weighted_tokens`.split(/\s+/);

/** Bodies of the aggregations that contain queries, by their types. */
export const AGGREGATIONS: Readonly<Record<string, (query: object) => readonly object[]>> = {
  filter: (query) => [query],
  filters: (query) => [{ filters: [query] }, { filters: { named: query }, other_bucket: true }],
  adjacency_matrix: (query) => [{ filters: { a: query, b: { match_all: {} } } }],
  significant_terms: (background_filter) => [{ field: 'k', background_filter, min_doc_count: 1 }],
  significant_text: (background_filter) => [{ field: 'text', background_filter, min_doc_count: 1 }],
  frequent_item_sets: (filter) => [{ fields: [{ field: 'k' }, { field: 'n' }], minimum_support: 0.1, filter }],
  t_test: (filter) => [{ a: { field: 'n', filter }, b: { field: 'n' }, type: 'heteroscedastic' }],
};

/** Aggregations without queries in them. */
export const PLAIN_AGGREGATIONS: readonly string[] =
  `auto_date_histogram avg boxplot cardinality categorize_text children composite date_histogram date_range diversified_sampler extended_stats
  geo_bounds geo_centroid geo_distance geo_line geohash_grid geohex_grid geotile_grid global histogram ip_prefix ip_range matrix_stats max
  median_absolute_deviation min missing multi_terms nested parent percentile_ranks percentiles random_sampler range rate rare_terms reverse_nested sampler
  scripted_metric stats string_stats sum terms time_series top_hits top_metrics value_count variable_width_histogram weighted_avg`.split(
    /\s+/,
  );

/** A query inside each compound query. */
export const insideCompounds = (query: object): object[] =>
  Object.entries(COMPOUND).flatMap(([kind, bodies]) => bodies(query).map((body) => ({ [kind]: body })));

const standard = (query: object) => ({ standard: { query } });
const all = { match_all: {} };

/** A query in each place of hits that are read after the search: those inside hits and those of buckets. No lookup is resolved there. */
export const lateSearchesWith = (query: object): object[] =>
  [
    { highlight: { highlight_query: query, fields: { '*': {} } } },
    { sort: [{ 'kids.n': { nested: { path: 'kids', filter: query }, unmapped_type: 'long' } }] },
    { query },
  ].flatMap((hits) => [
    { query: { nested: { path: 'kids', query: all, inner_hits: hits } } },
    { size: 0, aggs: { a: { top_hits: hits } } },
  ]);

/** A query in each place of a search. */
export const searchesWith = (query: object): object[] => [
  { query },
  { post_filter: query },
  { knn: { field: 'vector', query_vector: [1, 0], k: 1, num_candidates: 2, filter: query } },
  { knn: [{ field: 'vector', query_vector: [1, 0], k: 1, num_candidates: 2, filter: [all, query] }] },
  { rescore: { window_size: 1, query: { rescore_query: query } } },
  {
    rescore: [
      { window_size: 1, query: { rescore_query: all } },
      { window_size: 1, query: { rescore_query: query } },
    ],
  },
  { sort: [{ 'kids.n': { nested: { path: 'kids', filter: query }, unmapped_type: 'long' } }] },
  { highlight: { fields: { text: { highlight_query: query } } } },
  { highlight: { highlight_query: query, fields: { text: {} } } },
  { collapse: { field: 'k', inner_hits: { name: 'h', highlight: { highlight_query: query, fields: { text: {} } } } } },
  { retriever: standard(query) },
  { retriever: { standard: { filter: query } } },
  { retriever: { knn: { field: 'vector', query_vector: [1, 0], k: 1, num_candidates: 2, filter: query } } },
  { retriever: { rrf: { retrievers: [standard(query), standard(all)] } } },
  { retriever: { rrf: { retrievers: [standard(all), standard(all)], filter: query } } },
  { retriever: { linear: { retrievers: [{ retriever: standard(query), weight: 2 }, { retriever: standard(all) }] } } },
  { retriever: { rrf: { retrievers: [{ linear: { retrievers: [{ retriever: standard(query) }] } }, standard(all)] } } },
  { rank: { rrf: {} }, query, knn: { field: 'vector', query_vector: [1, 0], k: 1, num_candidates: 2 } },
  ...Object.entries(AGGREGATIONS).flatMap(([type, bodies]) =>
    bodies(query).flatMap((body) => [
      { size: 0, aggs: { a: { [type]: body } } },
      { size: 0, aggs: { outer: { terms: { field: 'k' }, aggs: { a: { [type]: body } } } } },
    ]),
  ),
  { size: 0, aggs: { g: { global: {}, aggs: { a: { filter: query, aggs: { t: { top_hits: {} } } } } } } },
];
