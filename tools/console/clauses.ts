// Descriptions of queries, aggregations and objects of request bodies for the console's completion: a sentence and the keys of each. The
// names are checked against the registries of the service (tools/console/catalog.ts). A leading `@` marks a body of one field name with an
// object of the keys. Kinds of values: see `Key` in src/console/catalog.ts; a key without a kind takes anything.

/** `[sentence, 'key key:kind ...']` by name. */
export type Clauses = Readonly<Record<string, readonly [about: string, keys: string]>>;

const BOOST = 'boost:number _name:string';
const SPAN = BOOST;
const MATCH =
  'query analyzer:analyzer operator:and|or minimum_should_match fuzziness:AUTO|0|1|2 prefix_length:number max_expansions:number fuzzy_transpositions:boolean lenient:boolean zero_terms_query:none|all';
const GEO = 'validation_method:STRICT|COERCE|IGNORE_MALFORMED ignore_unmapped:boolean';

export const QUERIES: Clauses = {
  match_all: ['Matches all documents, with the same score.', BOOST],
  match_none: ['Matches no document.', BOOST],
  term: ['Documents whose field contains exactly this term, which is not analyzed.', `@value case_insensitive:boolean ${BOOST}`],
  terms: ['Documents whose field contains one of these terms.', `field-name ${BOOST}`],
  terms_set: [
    'Documents whose field contains at least a number of these terms.',
    `@terms minimum_should_match_field:field minimum_should_match_script:object/script ${BOOST}`,
  ],
  range: [
    'Documents whose field has a value within bounds.',
    `@gte gt lte lt format:string time_zone:string relation:INTERSECTS|CONTAINS|WITHIN ${BOOST}`,
  ],
  exists: ['Documents that have a value in a field.', `field:field ${BOOST}`],
  ids: ['Documents with these ids.', `values ${BOOST}`],
  prefix: ['Documents with a term that starts with these characters.', `@value case_insensitive:boolean rewrite:string ${BOOST}`],
  wildcard: [
    'Documents with a term that matches a pattern: * for any characters, ? for one.',
    `@value case_insensitive:boolean rewrite:string ${BOOST}`,
  ],
  regexp: [
    'Documents with a term that a regular expression of Lucene matches as a whole.',
    `@value flags:string case_insensitive:boolean max_determinized_states:number rewrite:string ${BOOST}`,
  ],
  fuzzy: [
    'Documents with a term within an edit distance.',
    `@value fuzziness:AUTO|0|1|2 prefix_length:number max_expansions:number transpositions:boolean rewrite:string ${BOOST}`,
  ],
  match: [
    'Analyzes a text and matches documents that contain its terms.',
    `@${MATCH} auto_generate_synonyms_phrase_query:boolean fuzzy_rewrite:string ${BOOST}`,
  ],
  match_phrase: [
    'Documents that contain the terms of a text in this order.',
    `@query analyzer:analyzer slop:number zero_terms_query:none|all ${BOOST}`,
  ],
  match_phrase_prefix: [
    'Like match_phrase; the last term is a prefix.',
    `@query analyzer:analyzer slop:number max_expansions:number zero_terms_query:none|all ${BOOST}`,
  ],
  match_bool_prefix: ['The terms of a text in any order; the last one is a prefix.', `@${MATCH} ${BOOST}`],
  multi_match: [
    'Matches a text in several fields.',
    `${MATCH} fields:fields type:best_fields|most_fields|cross_fields|phrase|phrase_prefix|bool_prefix tie_breaker:number slop:number ${BOOST}`,
  ],
  query_string: [
    'Parses a query in the syntax of Lucene: title:(quick OR brown) AND year:[2000 TO *]. Errors of syntax fail the request.',
    `query default_field:field fields:fields default_operator:and|or analyzer:analyzer quote_analyzer:analyzer allow_leading_wildcard:boolean analyze_wildcard:boolean phrase_slop:number fuzziness:AUTO|0|1|2 minimum_should_match lenient:boolean time_zone:string type:best_fields|most_fields|cross_fields|phrase tie_breaker:number ${BOOST}`,
  ],
  simple_query_string: [
    'Parses a query with few operators: +quick -fox "exact phrase". It never fails on syntax.',
    `query fields:fields default_operator:and|or analyzer:analyzer flags:string minimum_should_match analyze_wildcard:boolean lenient:boolean ${BOOST}`,
  ],
  bool: [
    'Combines queries: must and should count for the score, filter and must_not do not.',
    `must:queries filter:queries should:queries must_not:queries minimum_should_match adjust_pure_negative:boolean ${BOOST}`,
  ],
  boosting: ['Lowers the score of documents that match a second query.', `positive:query negative:query negative_boost:number ${BOOST}`],
  constant_score: ['Gives each match of a filter the same score.', `filter:query ${BOOST}`],
  dis_max: ['The best score of several queries, plus a share of the others.', `queries:queries tie_breaker:number ${BOOST}`],
  nested: [
    'Searches objects of a nested field, each on its own.',
    `path:field query:query score_mode:avg|max|min|sum|none ignore_unmapped:boolean inner_hits:object/inner_hits ${BOOST}`,
  ],
  function_score: [
    'Changes scores by functions of fields, random numbers or scripts.',
    `query:query functions:objects/function weight:number random_score field_value_factor:object/field_value_factor script_score gauss linear exp score_mode:multiply|sum|avg|first|max|min boost_mode:multiply|replace|sum|avg|max|min max_boost:number min_score:number ${BOOST}`,
  ],
  geo_distance: ['Points within a distance of another point.', `distance:string distance_type:arc|plane ${GEO} field-name ${BOOST}`],
  geo_bounding_box: ['Points in a rectangle: top_left and bottom_right.', `field-name ${GEO} ${BOOST}`],
  geo_polygon: ['Points in a polygon.', `field-name ${GEO} ${BOOST}`],
  geo_shape: [
    'Shapes and points in relation to a shape.',
    `@shape relation:INTERSECTS|DISJOINT|WITHIN|CONTAINS indexed_shape ignore_unmapped:boolean ${BOOST}`,
  ],
  script: ['Documents for which a script returns true.', `script:object/script ${BOOST}`],
  script_score: ['Computes the score of the matches of a query by a script.', `query:query script:object/script min_score:number ${BOOST}`],
  rank_feature: ['Scores by the value of a rank_feature field.', `field:field saturation log sigmoid linear ${BOOST}`],
  distance_feature: ['Scores dates or points by their nearness to an origin.', `field:field origin pivot:string ${BOOST}`],
  span_term: ['A term, for use in other span queries.', `@value ${SPAN}`],
  span_near: ['Spans near each other.', `clauses:queries slop:number in_order:boolean ${SPAN}`],
  span_or: ['Spans of any of several queries.', `clauses:queries ${SPAN}`],
  span_not: ['Spans without others near them.', `include:query exclude:query dist:number pre:number post:number ${SPAN}`],
  span_first: ['Spans near the start of a field.', `match:query end:number ${SPAN}`],
  span_multi: ['A prefix, wildcard, regexp, fuzzy or range query as spans.', `match:query ${SPAN}`],
  span_containing: ['Large spans that contain small ones.', `little:query big:query ${SPAN}`],
  span_within: ['Small spans within large ones.', `little:query big:query ${SPAN}`],
  field_masking_span: ['Spans of one field as if they were of another.', `query:query field:field ${SPAN}`],
  span_field_masking: ['Spans of one field as if they were of another.', `query:query field:field ${SPAN}`],
  has_child: [
    'Parents of documents that match.',
    `type:string query:query score_mode:none|avg|sum|max|min min_children:number max_children:number ignore_unmapped:boolean inner_hits:object/inner_hits ${BOOST}`,
  ],
  has_parent: [
    'Children of documents that match.',
    `parent_type:string query:query score:boolean ignore_unmapped:boolean inner_hits:object/inner_hits ${BOOST}`,
  ],
  parent_id: ['Children of one document.', `type:string id:string ignore_unmapped:boolean ${BOOST}`],
  combined_fields: [
    'Matches a text in several fields as if they were one.',
    `query fields:fields operator:and|or minimum_should_match auto_generate_synonyms_phrase_query:boolean zero_terms_query:none|all ${BOOST}`,
  ],
  intervals: [
    'Terms by their order and nearness, from rules that can be nested.',
    `@match prefix wildcard fuzzy range regexp all_of any_of ${BOOST}`,
  ],
  knn: [
    'The documents whose vectors are nearest.',
    `field:field query_vector k:number num_candidates:number filter:queries similarity:number ${BOOST}`,
  ],
  more_like_this: [
    'Documents similar to texts or other documents.',
    `fields:fields like unlike max_query_terms:number min_term_freq:number min_doc_freq:number max_doc_freq:number min_word_length:number max_word_length:number stop_words analyzer:analyzer minimum_should_match boost_terms:number include:boolean ${BOOST}`,
  ],
  percolate: ['Stored queries that match a document.', `field:field document documents index:string id:string ${BOOST}`],
  pinned: ['Puts chosen documents before the matches of a query.', `ids docs organic:query ${BOOST}`],
  sparse_vector: ['Scores by weights of tokens.', `field:field query_vector ${BOOST}`],
  weighted_tokens: ['Scores by weights of tokens.', `@tokens pruning_config ${BOOST}`],
  wrapper: ['A query as base64 of its JSON.', 'query:string'],
};

const VALUES = 'field:field missing script:object/script';
const METRIC = `${VALUES} format:string`;
const ORDERED = 'size:number shard_size:number order min_doc_count:number';
const PIPELINE = 'buckets_path:string format:string gap_policy:skip|insert_zeros|keep_values';

export const AGGREGATIONS: Clauses = {
  adjacency_matrix: ['Buckets of filters and their intersections.', 'filters separator:string'],
  auto_date_histogram: [
    'Buckets of dates, as many as asked for at most.',
    'field:field buckets:number minimum_interval:year|month|day|hour|minute|second time_zone:string format:string missing',
  ],
  avg: ['The mean.', METRIC],
  boxplot: ['Minimum, quartiles, maximum and whiskers.', `${VALUES} compression:number`],
  cardinality: ['The number of distinct values.', `${VALUES} precision_threshold:number`],
  children: ['Child documents of the bucket.', 'type:string'],
  composite: ['All combinations of several sources, page by page.', 'sources size:number after'],
  date_histogram: [
    'Buckets of a calendar or fixed interval.',
    'field:field calendar_interval:minute|hour|day|week|month|quarter|year fixed_interval:string time_zone:string offset:string format:string min_doc_count:number extended_bounds:object/bounds hard_bounds:object/bounds keyed:boolean order missing',
  ],
  date_range: [
    'Buckets of given ranges of dates.',
    'field:field ranges:objects/range format:string time_zone:string keyed:boolean missing',
  ],
  diversified_sampler: ['The best documents, with few per value of a field.', 'field:field shard_size:number max_docs_per_value:number'],
  extended_stats: ['Count, sum, mean, variance and deviation.', `${METRIC} sigma:number`],
  filter: ['Documents that match a query.', 'query-name'],
  filters: ['A bucket for each of several queries.', 'filters other_bucket:boolean other_bucket_key:string keyed:boolean'],
  geo_bounds: ['The rectangle around all points.', 'field:field wrap_longitude:boolean'],
  geo_centroid: ['The mean of all points.', 'field:field'],
  geo_distance: [
    'Rings around a point.',
    'field:field origin ranges:objects/range unit:m|km|mi|yd|ft distance_type:arc|plane keyed:boolean',
  ],
  geohash_grid: ['Cells of a geohash grid.', 'field:field precision:number size:number shard_size:number bounds'],
  geotile_grid: ['Cells of map tiles.', 'field:field precision:number size:number shard_size:number bounds'],
  global: ['All documents, whatever the query.', ''],
  histogram: [
    'Buckets of a numeric interval.',
    `field:field interval:number offset:number min_doc_count:number extended_bounds:object/bounds hard_bounds:object/bounds keyed:boolean order missing`,
  ],
  ip_prefix: [
    'Buckets of networks.',
    'field:field prefix_length:number is_ipv6:boolean append_prefix_length:boolean keyed:boolean min_doc_count:number',
  ],
  ip_range: ['Buckets of ranges of addresses.', 'field:field ranges keyed:boolean'],
  matrix_stats: ['Moments and correlations of several fields.', 'fields:fields mode:avg|min|max|sum|median missing'],
  max: ['The largest value.', METRIC],
  median_absolute_deviation: ['A robust measure of spread.', `${VALUES} compression:number`],
  min: ['The smallest value.', METRIC],
  missing: ['Documents without a value.', 'field:field'],
  multi_terms: ['Buckets of combinations of values.', `terms ${ORDERED}`],
  nested: ['Objects of a nested field.', 'path:field'],
  parent: ['Parents of the documents.', 'type:string'],
  percentile_ranks: ['The percentage of values below given ones.', `${VALUES} values tdigest hdr keyed:boolean`],
  percentiles: ['Values at given percentages.', `${VALUES} percents tdigest hdr keyed:boolean`],
  random_sampler: ['A random share of the documents.', 'probability:number seed:number'],
  range: ['Buckets of given ranges.', 'field:field ranges:objects/range keyed:boolean script:object/script missing'],
  rare_terms: ['Terms that few documents have.', 'field:field max_doc_count:number include exclude missing'],
  rate: [
    'A number per unit of time, within a date_histogram.',
    'field:field unit:second|minute|hour|day|week|month|quarter|year mode:sum|value_count',
  ],
  reverse_nested: ['Back from nested objects to their documents.', 'path:field'],
  sampler: ['The best documents of each shard.', 'shard_size:number'],
  scripted_metric: [
    'A value that scripts compute.',
    'init_script:object/script map_script:object/script combine_script:object/script reduce_script:object/script params',
  ],
  significant_terms: [
    'Terms that are unusually frequent in the matches.',
    `field:field ${ORDERED} background_filter:query include exclude jlh chi_square gnd mutual_information percentage`,
  ],
  significant_text: [
    'Words that are unusually frequent in the matches.',
    `field:field ${ORDERED} filter_duplicate_text:boolean source_fields:fields include exclude`,
  ],
  stats: ['Count, minimum, maximum, mean and sum.', METRIC],
  string_stats: ['Lengths of strings and their entropy.', `${VALUES} show_distribution:boolean`],
  sum: ['The sum.', METRIC],
  t_test: ['Whether two means differ.', 'a b type:paired|homoscedastic|heteroscedastic'],
  terms: [
    'A bucket for each of the most frequent values.',
    `${VALUES} ${ORDERED} shard_min_doc_count:number include exclude show_term_doc_count_error:boolean value_type:string`,
  ],
  top_hits: [
    'The best documents of each bucket.',
    'size:number from:number sort _source highlight:object/highlight docvalue_fields stored_fields explain:boolean version:boolean',
  ],
  top_metrics: ['Values of the document that sorts first.', 'metrics sort size:number'],
  value_count: ['The number of values.', METRIC],
  variable_width_histogram: ['Buckets that follow the values.', 'field:field buckets:number shard_size:number initial_buffer:number'],
  weighted_avg: ['The mean, with weights.', 'value:object/weighted weight:object/weighted format:string'],
  bucket_correlation: [
    'The correlation of the buckets of a sibling with given values.',
    'buckets_path:string function gap_policy:skip|insert_zeros|keep_values',
  ],
  moving_percentiles: [
    'Percentiles of a window of buckets.',
    'buckets_path:string window:number shift:number gap_policy:skip|insert_zeros|keep_values',
  ],
  sum_bucket: ['The sum over the buckets of a sibling.', PIPELINE],
  avg_bucket: ['The mean over the buckets of a sibling.', PIPELINE],
  min_bucket: ['The smallest bucket of a sibling.', PIPELINE],
  max_bucket: ['The largest bucket of a sibling.', PIPELINE],
  stats_bucket: ['Statistics over the buckets of a sibling.', PIPELINE],
  extended_stats_bucket: ['More statistics over the buckets of a sibling.', `${PIPELINE} sigma:number`],
  percentiles_bucket: ['Percentiles over the buckets of a sibling.', `${PIPELINE} percents keyed:boolean`],
  derivative: ['The change from bucket to bucket.', `${PIPELINE} unit:string`],
  cumulative_cardinality: ['Distinct values up to each bucket.', 'buckets_path:string format:string'],
  cumulative_sum: ['The sum up to each bucket.', 'buckets_path:string format:string'],
  serial_diff: ['The difference to an earlier bucket.', `${PIPELINE} lag:number`],
  moving_fn: [
    'A function of a window of buckets.',
    'buckets_path:string window:number shift:number script:string gap_policy:skip|insert_zeros|keep_values',
  ],
  moving_avg: [
    'The mean of a window of buckets.',
    `${PIPELINE} window:number model:simple|linear|ewma|holt|holt_winters settings minimize:boolean predict:number`,
  ],
  bucket_sort: ['Sorts, and cuts, the buckets.', 'sort from:number size:number gap_policy:skip|insert_zeros|keep_values'],
  normalize: [
    'The share or rank of each bucket.',
    'buckets_path:string method:rescale_0_1|rescale_0_100|percent_of_sum|mean|z-score|softmax format:string',
  ],
  bucket_script: [
    'A value computed from others of the bucket.',
    'buckets_path script:object/script format:string gap_policy:skip|insert_zeros|keep_values',
  ],
  bucket_selector: [
    'Keeps the buckets for which a script returns true.',
    'buckets_path script:object/script gap_policy:skip|insert_zeros|keep_values',
  ],
};

/** Objects of request bodies by name. */
export const OBJECTS: Clauses = {
  search: [
    'The body of a search.',
    'query:query aggs:aggs size:number from:number sort _source fields:fields docvalue_fields stored_fields highlight:object/highlight post_filter:query knn:object/knn suggest rescore:object/rescore collapse:object/collapse track_total_hits min_score:number search_after pit:object/pit timeout:string terminate_after:number explain:boolean profile:boolean version:boolean seq_no_primary_term:boolean script_fields runtime_mappings slice:object/slice indices_boost stats track_scores:boolean',
  ],
  count: ['The body of a count.', 'query:query'],
  query_only: ['A query.', 'query:query'],
  by_query: ['Documents to change.', 'query:query script:object/script max_docs:number conflicts:abort|proceed slice:object/slice sort'],
  explain: ['A query to explain.', 'query:query'],
  create_index: ['Settings, mappings and aliases of a new index.', 'settings:object/settings mappings:object/mappings aliases'],
  template: [
    'An index template.',
    'index_patterns template:object/create_index composed_of priority:number version:number data_stream _meta',
  ],
  component_template: ['A part of index templates.', 'template:object/create_index version:number _meta'],
  settings: [
    'Settings of an index.',
    'index number_of_shards:number number_of_replicas:number refresh_interval:string analysis:object/analysis max_result_window:number default_pipeline:string final_pipeline:string',
  ],
  analysis: [
    'Analyzers and their parts.',
    'analyzer:named/analyzer_def tokenizer:named/tokenizer_def filter:named/filter_def char_filter:named/char_filter_def normalizer:named/normalizer_def',
  ],
  analyzer_def: [
    'An analyzer: char filters, a tokenizer, token filters.',
    'type:analyzer tokenizer:tokenizer filter:filters char_filter:char_filters position_increment_gap:number stopwords',
  ],
  tokenizer_def: ['A tokenizer.', 'type:tokenizer'],
  filter_def: ['A token filter.', 'type:filter'],
  char_filter_def: ['A character filter.', 'type:char_filter'],
  normalizer_def: ['A normalizer of keyword fields.', 'type:custom|lowercase filter:filters char_filter:char_filters'],
  mappings: [
    'The fields of an index.',
    'properties:properties dynamic:true|false|strict|runtime dynamic_templates _source _routing runtime date_detection:boolean numeric_detection:boolean _meta',
  ],
  analyze: [
    'A text to analyze.',
    'text analyzer:analyzer tokenizer:tokenizer filter:filters char_filter:char_filters normalizer:string field:field explain:boolean attributes',
  ],
  reindex: [
    'Copies documents.',
    'source:object/reindex_source dest:object/reindex_dest script:object/script conflicts:abort|proceed max_docs:number',
  ],
  reindex_source: ['Where documents are read.', 'index:index query:query size:number sort _source remote'],
  reindex_dest: [
    'Where documents are written.',
    'index:index op_type:create|index pipeline:string routing:string version_type:internal|external',
  ],
  pipeline: ['An ingest pipeline.', 'description:string processors:processors on_failure:processors version:number _meta'],
  simulate: ['Documents for a pipeline.', 'pipeline:object/pipeline docs'],
  update: [
    'A change of a document.',
    'doc script:object/script upsert doc_as_upsert:boolean scripted_upsert:boolean detect_noop:boolean _source',
  ],
  aliases: ['Changes of aliases.', 'actions'],
  terms_enum: [
    'Terms of a field that start with a string.',
    'field:field string:string size:number timeout:string case_insensitive:boolean index_filter:query search_after:string',
  ],
  point: ['A point in time.', 'id:string'],
  scroll: ['The next page of a scroll.', 'scroll:string scroll_id:string'],
  cluster_settings: ['Settings of the cluster.', 'persistent transient'],
  highlight: [
    'Marks matches in fields.',
    'fields:named/highlight_field pre_tags post_tags type:unified|plain|fvh fragment_size:number number_of_fragments:number order:score|none require_field_match:boolean highlight_query:query no_match_size:number encoder:default|html tags_schema:styled boundary_scanner:sentence|word|chars',
  ],
  highlight_field: [
    'How a field is highlighted.',
    'type:unified|plain|fvh fragment_size:number number_of_fragments:number pre_tags post_tags matched_fields:fields highlight_query:query no_match_size:number',
  ],
  knn: [
    'The documents whose vectors are nearest.',
    'field:field query_vector k:number num_candidates:number filter:queries similarity:number boost:number inner_hits:object/inner_hits',
  ],
  rescore: ['Scores the best hits again.', 'window_size:number query:object/rescore_query'],
  rescore_query: [
    'The second query.',
    'rescore_query:query query_weight:number rescore_query_weight:number score_mode:total|multiply|avg|max|min',
  ],
  collapse: ['The best hit of each value.', 'field:field inner_hits:object/inner_hits max_concurrent_group_searches:number'],
  pit: ['A point in time.', 'id:string keep_alive:string'],
  slice: ['A part of the documents.', 'id:number max:number field:field'],
  script: ['A script.', 'source:string lang:painless|expression id:string params'],
  inner_hits: ['Hits within a hit.', 'name:string size:number from:number sort _source highlight:object/highlight'],
  function: [
    'A function of a function_score.',
    'filter:query weight:number random_score field_value_factor:object/field_value_factor script_score gauss linear exp',
  ],
  field_value_factor: [
    'The value of a field.',
    'field:field factor:number modifier:none|log|log1p|log2p|ln|ln1p|ln2p|square|sqrt|reciprocal missing:number',
  ],
  bounds: ['Limits of a histogram.', 'min max'],
  range: ['A range of values.', 'from to key:string'],
  weighted: ['A value or its weight.', 'field:field missing:number script:object/script'],
};

/** The object that the body of an API is, by the name of the API. */
export const BODIES: Readonly<Record<string, string>> = {
  search: 'search',
  'async_search.submit': 'search',
  search_template: '',
  count: 'count',
  explain: 'explain',
  'indices.validate_query': 'query_only',
  delete_by_query: 'by_query',
  update_by_query: 'by_query',
  'indices.create': 'create_index',
  'indices.put_mapping': 'mappings',
  'indices.put_settings': 'settings',
  'indices.put_index_template': 'template',
  'indices.simulate_template': 'template',
  'cluster.put_component_template': 'component_template',
  'indices.analyze': 'analyze',
  reindex: 'reindex',
  'ingest.put_pipeline': 'pipeline',
  'ingest.simulate': 'simulate',
  update: 'update',
  'indices.update_aliases': 'aliases',
  terms_enum: 'terms_enum',
  close_point_in_time: 'point',
  scroll: 'scroll',
  'cluster.put_settings': 'cluster_settings',
};

export const FIELD_TYPES: Readonly<Record<string, string>> = {
  object: 'An object with properties of its own.',
  nested: 'Objects that are searched each on its own.',
  alias: 'Another name of a field.',
  text: 'Analyzed text for full-text search.',
  match_only_text: 'Text that needs less space and has constant scores.',
  search_as_you_type: 'Text that is completed while it is typed.',
  keyword: 'Exact strings for filters, sorts and aggregations.',
  wildcard: 'Strings that are searched by wildcards and regular expressions.',
  constant_keyword: 'The same string in every document.',
  byte: 'Whole numbers of 8 bits.',
  short: 'Whole numbers of 16 bits.',
  integer: 'Whole numbers of 32 bits.',
  long: 'Whole numbers of 64 bits.',
  float: 'Floating-point numbers of 32 bits.',
  half_float: 'Floating-point numbers of 16 bits.',
  double: 'Floating-point numbers of 64 bits.',
  unsigned_long: 'Whole numbers from 0 to 2^64 - 1.',
  scaled_float: 'Decimal numbers that are stored as multiples of 1 / scaling_factor.',
  token_count: 'The number of tokens of a string.',
  boolean: 'True or false.',
  date: 'Dates with milliseconds.',
  date_nanos: 'Dates with nanoseconds.',
  ip: 'IPv4 and IPv6 addresses.',
  geo_point: 'Points on the earth.',
  geo_shape: 'Lines and areas on the earth.',
  percolator: 'Queries that documents are matched with.',
  integer_range: 'Ranges of integers.',
  long_range: 'Ranges of longs.',
  float_range: 'Ranges of floats.',
  double_range: 'Ranges of doubles.',
  date_range: 'Ranges of dates.',
  ip_range: 'Networks and ranges of addresses.',
  flat_object: 'An object whose leaves are keywords of one field.',
  flattened: 'An object whose leaves are keywords of one field.',
  rank_feature: 'A number that raises scores.',
  rank_features: 'Numbers by name that raise scores.',
  dense_vector: 'Vectors of numbers, found by nearness.',
  sparse_vector: 'Weights of tokens.',
  join: 'Parents and children in one index.',
  binary: 'Bytes in base64.',
  completion: 'Suggestions while typing.',
  version: 'Versions of software, which sort as such.',
  murmur3: 'Hashes of strings, for counting distinct values.',
};
