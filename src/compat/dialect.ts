// The differences between the emulated servers, in one table: Elasticsearch 7, 8 and 9, and OpenSearch 3. Code asks for a
// difference by its name (`dialect.scoresWithFactor`), never for the flavour.

export type Flavor = 'elasticsearch' | 'opensearch';

/** The servers of the table, in the order of its columns. Versions from 7.11 on count as 7.17. */
export const SERVERS = ['7.10', '7.17', '8', '9', 'OpenSearch 3'] as const;

/** Values of the servers, in the order of SERVERS. */
type Row<T> = readonly [T, T, T, T, T];

function row<T>(...values: Row<T>): Row<T> {
  return values;
}

/** Rows in which few servers differ. */
const SINCE_8 = row(false, false, true, true, false);
const NOT_IN_OPENSEARCH = row(true, true, true, true, false);
const ONLY_IN_OPENSEARCH = row(false, false, false, false, true);
const ONLY_IN_7 = row(true, true, false, false, false);

const CARDINALITY_HINTS = 'global_ordinal, segment_ordinal, direct';
const ILLEGAL_ARGUMENT = 'illegal_argument_exception';
const NOT_FOUND = 'resource_not_found_exception';
const TYPED_MAPPING = 'Failed to parse mapping [_doc]';
const MAPPER_ERROR = 'mapper_parsing_exception';
const DOCUMENT_ERROR = 'document_parsing_exception';

/** One row for each difference. tools/docs/dialects.ts writes docs/compatibility.md from the values and the comments, which cost nothing at run time. */
export const DIFFERENCES = {
  /** whose internal metadata fields, such as `_doc_count`, `_field_caps` lists */
  internalFields: row<'7' | '8' | 'opensearch'>('7', '7', '8', '8', 'opensearch'),
  /** pipeline aggregations have the gap policy `keep_values` */
  keepsValuesOverGaps: SINCE_8,
  /** values of `execution_hint` that `cardinality` has, as an error lists them; empty: any */
  cardinalityHints: row('', '', CARDINALITY_HINTS, CARDINALITY_HINTS, 'direct, ordinals'),
  /** names of fields that are only white space are refused */
  refusesBlankNames: SINCE_8,
  /** the tokenizers `nGram` and `edgeNGram` and the character filter `htmlStrip` exist under these old names */
  knowsOldAnalysisNames: ONLY_IN_7,
  /** `resource.type` of an error about a missing index from which one document is read, or whose analyzers are used */
  missingReadResource: row('index_expression', 'index_expression', 'index_or_alias', 'index_or_alias', 'index_expression'),
  /** each token of `path_hierarchy` has a position of its own */
  stepsOverPaths: row(false, false, false, true, true),
  /** vectors of floats may be given as base64 (big-endian) */
  readsPackedVectors: row(false, false, false, true, false),
  /** BM25 scores are multiplied by k1 + 1 */
  scoresWithFactor: NOT_IN_OPENSEARCH,
  /** `terms` with one value of a boolean field scores 1 */
  scoresTermsAlike: NOT_IN_OPENSEARCH,
  /** terms of keyword fields are scored by their statistics without `use_similarity` */
  scoresKeywords: NOT_IN_OPENSEARCH,
  /** `_ignored` names fields whose values `ignore_above` dropped */
  namesValuesAboveLimit: row(false, true, true, true, false),
  /** wrong uses of aggregations, and too many buckets, are errors of the request (400) */
  blamesAggregationRequests: SINCE_8,
  /** a `buckets_path` may lead to percentiles of one percent without naming it */
  readsSinglePercentiles: SINCE_8,
  /** buckets ordered descending by a metric begin with those in which it has no value */
  ordersNaNAsGreatest: SINCE_8,
  /** an unknown column in `s` of `_cat` is an `illegal_argument_exception` */
  refusesSortKeysAsIllegal: SINCE_8,
  /** default of `indices.query.bool.max_clause_count` */
  maxClauseCount: row(1024, 1024, 16_384, 16_384, 1024),
  /** default of `indices.id_field_data.enabled` */
  allowsIdFielddata: row(true, true, false, false, true),
  /** the aggregation `filters` has `keyed`: false lists named filters with their `key` */
  listsNamedFilters: SINCE_8,
  /** `percentiles` refuses a percent that is given twice */
  refusesRepeatedPercents: SINCE_8,
  /** a number in a range of a date makes both ends `epoch_millis` */
  numbersAreMillis: row(false, true, true, true, false),
  /** `docvalue_fields` has the format `use_field_mapping` */
  readsFieldMappingFormat: row(true, true, false, false, true),
  /** a star in a pattern of `_source` matches within one name, unless such a pattern excludes */
  filtersSourceByPath: SINCE_8,
  /** `_version` can be sorted by and aggregated */
  sortsByVersion: SINCE_8,
  /** `_ignored` has doc values: it can be aggregated and sorted by */
  aggregatesIgnored: SINCE_8,
  /** `fields` shows `_id`, `_ignored`, `_index`, `_routing` and `_version` */
  showsMetadataFields: SINCE_8,
  /** prefixes longer than `index.max_regex_length` are refused */
  limitsPrefixes: SINCE_8,
  /** default of `search.max_buckets` */
  maxBuckets: row(65_535, 65_535, 65_536, 65_536, 65_535),
  /** phase named by errors of reductions */
  lastSearchPhase: row('fetch', 'fetch', 'rank-feature', 'rank-feature', 'fetch'),
  /** patterns in `include` and `exclude`, and bounds of histograms, are checked while the request is parsed */
  checksAggregationsEarly: NOT_IN_OPENSEARCH,
  /** the digest that percentiles are read from */
  percentileDigest: row<'tree' | 'hybrid' | 'merging'>('tree', 'tree', 'hybrid', 'hybrid', 'merging'),
  /** mappings ignore `store`, `meta`, `index`, `doc_values`, `boost`, `index_options` and `similarity` of types that do not have them */
  ignoresCommonParams: row(true, true, false, false, true),
  /** entries of `meta` in mappings */
  metaEntries: row(5, 5, 5, 5, 100),
  /** characters of a key of `meta` */
  metaKeyLength: row(20, 20, 20, 20, 255),
  /** characters of a value of `meta` */
  metaValueLength: row(50, 50, 50, 50, 10_000),
  /** responses of `_search/template` have a `status` */
  namesTemplateStatus: ONLY_IN_OPENSEARCH,
  /** the master is called cluster manager (`_cluster`, `_nodes`, `_cat`) */
  namesClusterManager: ONLY_IN_OPENSEARCH,
  /** responses of alias changes have `errors` */
  showsAliasErrors: SINCE_8,
  /** responses of `_rollover` have `lazy` */
  showsLazyRollover: SINCE_8,
  /** dynamic mapping maps lists of 128 to 4,096 floats as `dense_vector` */
  mapsFloatListsAsVectors: SINCE_8,
  /** `_validate/query?explain` shows an error with all of its causes, as `A[reason]; nested: B[reason];` */
  nestsErrorTexts: ONLY_IN_OPENSEARCH,
  /** package of parser errors in `_validate/query?explain` */
  xContentPackage: row(
    'org.elasticsearch.common.xcontent',
    'org.elasticsearch.xcontent',
    'org.elasticsearch.xcontent',
    'org.elasticsearch.xcontent',
    'org.opensearch.core.xcontent',
  ),
  /** data streams show who manages them, their lifecycle and all of their options */
  showsStreamManagement: SINCE_8,
  /** names of backing indices contain the date */
  datesBackingIndices: row(false, true, true, true, false),
  /** shards have `relocation_failure_info` */
  countsFailedRelocations: SINCE_8,
  /** `_cat/indices` and `_cat/shards` have the size of the data set, and `docs` in `_stats` its bytes */
  showsDatasetSize: SINCE_8,
  /** `_stats` has the health and status of each index */
  showsIndexHealth: row(false, true, true, true, false),
  /** space in the `Location` of a document */
  locationSpace: row('+', '+', '+', '+', '%20'),
  /** `_field_caps` marks metadata fields */
  marksMetadataFields: row(false, true, true, true, false),
  /** a malformed Content-Type is refused with 400, not with 406 */
  refusesMediaTypesAsBad: NOT_IN_OPENSEARCH,
  /** forms of errors of requests */
  errorForms: row<'7' | '8' | 'own'>('7', '7', '8', '8', 'own'),
  /** error type of a decay function on a field that is not numeric */
  decayFieldError: row('parsing_exception', 'parsing_exception', 'query_shard_exception', 'query_shard_exception', 'parsing_exception'),
  /** significant terms are compared with root documents only */
  comparesRootDocuments: SINCE_8,
  /** error type of an unknown cluster setting */
  unknownSettingError: row(ILLEGAL_ARGUMENT, ILLEGAL_ARGUMENT, ILLEGAL_ARGUMENT, ILLEGAL_ARGUMENT, 'settings_exception'),
  /** error type of a missing component template */
  missingComponentError: row('index_template_missing_exception', NOT_FOUND, NOT_FOUND, NOT_FOUND, 'index_template_missing_exception'),
  /** what a scroll, a slice or a collapse excludes is a validation error of the request */
  validatesSearchesWhole: SINCE_8,
  /** `collapse` works together with `rescore` */
  collapsesRescored: SINCE_8,
  /** `docvalue_fields` with a field in several formats has its values in the last one */
  keepsLastFormat: SINCE_8,
  /** `_nodes` calls the number of the indexing buffer `total_indexing_buffer`, the text `…_in_bytes` */
  swapsIndexingBuffer: NOT_IN_OPENSEARCH,
  /** readable statistics of gets have `time` besides `getTime` */
  repeatsGetTime: ONLY_IN_OPENSEARCH,
  /** `_restore` takes `rename_alias_pattern` and `rename_alias_replacement` */
  renamesAliasesOnRestore: ONLY_IN_OPENSEARCH,
  /** `max_score` is null if `_score` is not the only sort key */
  sortHidesMaxScore: NOT_IN_OPENSEARCH,
  /** a count of all hits without hits says `terminated_early: false` */
  showsUnterminated: SINCE_8,
  /** `fields` groups the fields of nested objects */
  groupsNestedFields: row(false, true, true, true, false),
  /** `_field_caps` says that fields with doc values only can be searched */
  reportsColumnsSearchable: SINCE_8,
  /** missing values of integer fields sort like the extremes of longs */
  sortsIntegersAsLongs: NOT_IN_OPENSEARCH,
  /** a sort on a nested field needs `nested` */
  needsNestedSorts: SINCE_8,
  /** hits have `ignored_field_values` beside `fields` */
  showsIgnoredValues: row(false, true, true, true, false),
  /** `_resolve/index` of a missing index is an empty result */
  resolvesNothing: row(true, true, false, false, true),
  /** whether the total of a search with `terminate_after` is the full one where it is known without visiting documents */
  knownTotals: row<'unused' | 'always' | 'whenEmpty'>('unused', 'unused', 'always', 'always', 'whenEmpty'),
  /** `terminated_early` is true if aggregations run on and hits need not be counted */
  saysTerminatedWithAggregations: ONLY_IN_OPENSEARCH,
  /** `docvalue_fields` of date_nanos have nine digits */
  printsNanos: SINCE_8,
  /** corners of boxes and polygons are rounded to the grid of stored points */
  quantizesShapes: SINCE_8,
  /** a dynamic template without conditions is accepted */
  templateMayMatchAnything: SINCE_8,
  /** documents have a `_type`, paths and mappings may have one (`include_type_name`) */
  hasTypes: ONLY_IN_7,
  /** the content type of JSON names the character set */
  namesCharset: row(true, true, false, false, true),
  /** `_cluster/reroute` warns about the state in its response */
  deprecatesReroutedState: SINCE_8,
  /** `_cat/aliases` warns that `local` has no effect */
  warnsOfLocalAliases: SINCE_8,
  /** `_search` and `_count` name the missing `q` where they get parameters of it */
  asksForQuery: SINCE_8,
  /** a new legacy template that composable ones hide is refused, and legacy templates are deprecated */
  refusesHiddenTemplates: SINCE_8,
  /** an unknown `level` of `_cluster/health` is refused */
  refusesHealthLevels: SINCE_8,
  /** `_cat/nodes` accepts `local`, and warns about it */
  ignoresLocalNodes: row(true, true, false, false, true),
  /** `_segments` has `memory_in_bytes` */
  countsSegmentMemory: ONLY_IN_7,
  /** queries are shown without most of their defaults (`_search_shards`) */
  writesShortQueries: SINCE_8,
  /** unknown paths of two parts are refused as wrong methods (405), except for POST */
  knowsTypedPosts: SINCE_8,
  /** `range` refuses two bounds per side */
  refusesDoubledBounds: ONLY_IN_OPENSEARCH,
  /** null is a value of unknown names */
  mapsPathsOfNull: SINCE_8,
  /** excluding all hides other errors */
  excludesAllEarly: SINCE_8,
  /** a sort has `format` */
  sortsHaveFormat: row(false, true, true, true, false),
  /** `indices_boost` may be an object */
  boostsIndicesByObject: row(true, true, false, false, true),
  /** `format` of a sort on a field that is not a date is refused */
  formatsDatesInSortsOnly: SINCE_8,
  /** unknown keys of `PUT INDEX/_alias/NAME` are ignored */
  ignoresAliasKeys: NOT_IN_OPENSEARCH,
  /** new indices have `index.routing.allocation.include._tier_preference` */
  hasDataTiers: row(false, true, true, true, false),
  /** refusals above `cluster.max_shards_per_node` count normal shards, not total ones */
  namesNormalShards: row(false, true, true, true, false),
  /** `interval` of `date_histogram` is refused; `calendar_interval` and `fixed_interval` replace it */
  refusesPlainInterval: SINCE_8,
  /** hits of `percolate` name the clauses of the stored query that match each document */
  namesPercolatedQueries: SINCE_8,
  /** hits with highlights or `fields` have `_id` even if `stored_fields` is `_none_` */
  highlightsLoadIds: SINCE_8,
  /** nodes show the versions of their indices, transport and components */
  showsNodeVersions: SINCE_8,
  /** profiles name the node, shard and index */
  profilesNodes: row(false, false, true, true, true),
  /** profiles of queries have `count_weight` */
  profilesCounts: SINCE_8,
  /** `_cluster/stats` counts searches, vectors, synonyms and indexing pressure */
  countsUsage: SINCE_8,
  /** documents without a date_nanos sort as 0 where they are last in descending order */
  sortsNanosFromEpoch: SINCE_8,
  /** an update of the mapping may disable `_source` */
  canDisableSource: SINCE_8,
  /** `include_defaults` of mappings shows `script`, `on_script_error` and the parameters of time series */
  showsScriptParams: SINCE_8,
  /** `_source` has a `mode`: stored, synthetic or disabled */
  hasSourceModes: SINCE_8,
  /** terms and mappings that a document makes too large are errors of the document */
  wrapsDocumentErrors: SINCE_8,
  /** how errors of mappings begin */
  mappingError: row(TYPED_MAPPING, TYPED_MAPPING, 'Failed to parse mapping', 'Failed to parse mapping', TYPED_MAPPING),
  /** `ignore_malformed` does not cover objects in place of numbers, dates, booleans and IP addresses */
  refusesMalformedObjects: NOT_IN_OPENSEARCH,
  /** value of `dynamic` in mappings besides true, false and strict */
  furtherDynamic: row<'runtime' | 'strict_allow_templates' | null>(null, 'runtime', 'runtime', 'runtime', 'strict_allow_templates'),
  /** error type of documents that do not fit the mapping */
  documentError: row(MAPPER_ERROR, MAPPER_ERROR, DOCUMENT_ERROR, DOCUMENT_ERROR, MAPPER_ERROR),
} as const satisfies Readonly<Record<string, Row<unknown>>>;

type Differences = typeof DIFFERENCES;

/** The value of each difference for one server. */
export type Dialect = {
  /** Version number that clients see. */
  readonly version: string;
} & { readonly [Name in keyof Differences]: Differences[Name][number] };

const DEFAULT_VERSIONS: Readonly<Record<Flavor, string>> = { elasticsearch: '8.15.0', opensearch: '3.8.0' };

/**
 * @param version  empty for the flavour's default
 * @throws Error a version that the flavour does not have
 */
export function dialectOf(flavor: Flavor, version: string): Dialect {
  const shown = version === '' ? DEFAULT_VERSIONS[flavor] : version;
  const server = serverOf(flavor, shown);
  if (server === null) {
    const wanted = flavor === 'opensearch' ? '3.x' : '7.x, 8.x or 9.x';
    throw new Error(`must be ${wanted} if compat.flavor is ${flavor}, not [${shown}]`);
  }
  const column = SERVERS.indexOf(server);
  const values = Object.fromEntries(Object.entries(DIFFERENCES).map(([name, values]) => [name, values[column]]));
  // Every name of the table has a value of the type of its row.
  return { version: shown, ...values } as Dialect;
}

/** Elasticsearch 8, for code that runs without a node. */
export const DEFAULT_DIALECT = dialectOf('elasticsearch', '');

function serverOf(flavor: Flavor, version: string): (typeof SERVERS)[number] | null {
  const [major, minor] = version.split('.').map(Number);
  if (flavor === 'opensearch') return major === 3 ? 'OpenSearch 3' : null;
  if (major === 7) return minor > 10 ? '7.17' : '7.10';
  return major === 8 ? '8' : major === 9 ? '9' : null;
}
