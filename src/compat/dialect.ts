// The differences between the emulated servers, in one table: Elasticsearch 7, 8 and 9, and OpenSearch 3. Code asks for a
// difference by its name (`dialect.scoresWithFactor`), never for the flavour.

export type Flavor = 'elasticsearch' | 'opensearch';

/** The servers of the table, in the order of its columns. Versions from 7.11 on count as 7.17. */
export const SERVERS = ['7.10', '7.17', '8', '9', 'OpenSearch 3'] as const;

interface Row<T> {
  readonly about: string;
  /** Values of the servers, in the order of SERVERS. */
  readonly values: readonly [T, T, T, T, T];
}

function row<T>(about: string, ...values: readonly [T, T, T, T, T]): Row<T> {
  return { about, values };
}

/** Shorthands for rows in which few servers differ. */
const since8 = (about: string): Row<boolean> => row(about, false, false, true, true, false);
const notInOpenSearch = (about: string): Row<boolean> => row(about, true, true, true, true, false);

const onlyInOpenSearch = (about: string): Row<boolean> => row(about, false, false, false, false, true);
const onlyIn7 = (about: string): Row<boolean> => row(about, true, true, false, false, false);

const ILLEGAL_ARGUMENT = 'illegal_argument_exception';
const NOT_FOUND = 'resource_not_found_exception';
const TYPED_MAPPING = 'Failed to parse mapping [_doc]';
const MAPPER_ERROR = 'mapper_parsing_exception';
const DOCUMENT_ERROR = 'document_parsing_exception';

/** One row for each difference; docs/compatibility.md shows this table. */
export const DIFFERENCES = {
  readsPackedVectors: row('vectors of floats may be given as base64 (big-endian)', false, false, false, true, false),
  scoresWithFactor: notInOpenSearch('BM25 scores are multiplied by k1 + 1'),
  scoresTermsAlike: notInOpenSearch('`terms` with one value of a boolean field scores 1'),
  scoresKeywords: notInOpenSearch('terms of keyword fields are scored by their statistics without `use_similarity`'),
  namesValuesAboveLimit: row('`_ignored` names fields whose values `ignore_above` dropped', false, true, true, true, false),
  blamesAggregationRequests: since8('wrong uses of aggregations, and too many buckets, are errors of the request (400)'),
  readsSinglePercentiles: since8('a `buckets_path` may lead to percentiles of one percent without naming it'),
  ordersNaNAsGreatest: since8('buckets ordered descending by a metric begin with those in which it has no value'),
  refusesSortKeysAsIllegal: since8('an unknown column in `s` of `_cat` is an `illegal_argument_exception`'),
  maxClauseCount: row('default of `indices.query.bool.max_clause_count`', 1024, 1024, 16_384, 16_384, 1024),
  allowsIdFielddata: row('default of `indices.id_field_data.enabled`', true, true, false, false, true),
  listsNamedFilters: since8('the aggregation `filters` has `keyed`: false lists named filters with their `key`'),
  refusesRepeatedPercents: since8('`percentiles` refuses a percent that is given twice'),
  numbersAreMillis: row('a number in a range of a date makes both ends `epoch_millis`', false, true, true, true, false),
  readsFieldMappingFormat: row('`docvalue_fields` has the format `use_field_mapping`', true, true, false, false, true),
  filtersSourceByPath: since8('a star in a pattern of `_source` matches within one name, unless such a pattern excludes'),
  sortsByVersion: since8('`_version` can be sorted by and aggregated'),
  showsMetadataFields: since8('`fields` shows `_id`, `_ignored`, `_index`, `_routing` and `_version`'),
  limitsPrefixes: since8('prefixes longer than `index.max_regex_length` are refused'),
  maxBuckets: row('default of `search.max_buckets`', 65_535, 65_535, 65_536, 65_536, 65_535),
  lastSearchPhase: row('phase named by errors of reductions', 'fetch', 'fetch', 'rank-feature', 'rank-feature', 'fetch'),
  checksAggregationsEarly: notInOpenSearch(
    'patterns in `include` and `exclude`, and bounds of histograms, are checked while the request is parsed',
  ),
  percentileDigest: row<'tree' | 'hybrid' | 'merging'>(
    'the digest that percentiles are read from',
    'tree',
    'tree',
    'hybrid',
    'hybrid',
    'merging',
  ),
  ignoresCommonParams: row(
    'mappings ignore `store`, `meta`, `index`, `doc_values`, `boost`, `index_options` and `similarity` of types that do not have them',
    true,
    true,
    false,
    false,
    true,
  ),
  metaEntries: row('entries of `meta` in mappings', 5, 5, 5, 5, 100),
  metaKeyLength: row('characters of a key of `meta`', 20, 20, 20, 20, 255),
  metaValueLength: row('characters of a value of `meta`', 50, 50, 50, 50, 10_000),
  namesTemplateStatus: onlyInOpenSearch('responses of `_search/template` have a `status`'),
  namesClusterManager: onlyInOpenSearch('the master is called cluster manager (`_cluster`, `_nodes`, `_cat`)'),
  showsAliasErrors: since8('responses of alias changes have `errors`'),
  showsLazyRollover: since8('responses of `_rollover` have `lazy`'),
  mapsFloatListsAsVectors: since8('dynamic mapping maps lists of 128 to 4,096 floats as `dense_vector`'),
  nestsErrorTexts: onlyInOpenSearch('`_validate/query?explain` shows an error with all of its causes, as `A[reason]; nested: B[reason];`'),
  xContentPackage: row(
    'package of parser errors in `_validate/query?explain`',
    'org.elasticsearch.common.xcontent',
    'org.elasticsearch.xcontent',
    'org.elasticsearch.xcontent',
    'org.elasticsearch.xcontent',
    'org.opensearch.core.xcontent',
  ),
  showsStreamManagement: since8('data streams show who manages them, their lifecycle and all of their options'),
  datesBackingIndices: row('names of backing indices contain the date', false, true, true, true, false),
  countsFailedRelocations: since8('shards have `relocation_failure_info`'),
  showsDatasetSize: since8('`_cat/indices` and `_cat/shards` have the size of the data set, and `docs` in `_stats` its bytes'),
  showsIndexHealth: row('`_stats` has the health and status of each index', false, true, true, true, false),
  locationSpace: row('space in the `Location` of a document', '+', '+', '+', '+', '%20'),
  marksMetadataFields: row('`_field_caps` marks metadata fields', false, true, true, true, false),
  refusesMediaTypesAsBad: notInOpenSearch('a malformed Content-Type is refused with 400, not with 406'),
  errorForms: row<'7' | '8' | 'own'>('forms of errors of requests', '7', '7', '8', '8', 'own'),
  decayFieldError: row(
    'error type of a decay function on a field that is not numeric',
    'parsing_exception',
    'parsing_exception',
    'query_shard_exception',
    'query_shard_exception',
    'parsing_exception',
  ),
  comparesRootDocuments: since8('significant terms are compared with root documents only'),
  unknownSettingError: row(
    'error type of an unknown cluster setting',
    ILLEGAL_ARGUMENT,
    ILLEGAL_ARGUMENT,
    ILLEGAL_ARGUMENT,
    ILLEGAL_ARGUMENT,
    'settings_exception',
  ),
  missingComponentError: row(
    'error type of a missing component template',
    'index_template_missing_exception',
    NOT_FOUND,
    NOT_FOUND,
    NOT_FOUND,
    'index_template_missing_exception',
  ),
  validatesSearchesWhole: since8('what a scroll, a slice or a collapse excludes is a validation error of the request'),
  collapsesRescored: since8('`collapse` works together with `rescore`'),
  keepsLastFormat: since8('`docvalue_fields` with a field in several formats has its values in the last one'),
  swapsIndexingBuffer: notInOpenSearch('`_nodes` calls the number of the indexing buffer `total_indexing_buffer`, the text `…_in_bytes`'),
  repeatsGetTime: onlyInOpenSearch('readable statistics of gets have `time` besides `getTime`'),
  renamesAliasesOnRestore: onlyInOpenSearch('`_restore` takes `rename_alias_pattern` and `rename_alias_replacement`'),
  sortHidesMaxScore: notInOpenSearch('`max_score` is null if `_score` is not the only sort key'),
  showsUnterminated: since8('a count of all hits without hits says `terminated_early: false`'),
  groupsNestedFields: row('`fields` groups the fields of nested objects', false, true, true, true, false),
  reportsColumnsSearchable: since8('`_field_caps` says that fields with doc values only can be searched'),
  sortsIntegersAsLongs: notInOpenSearch('missing values of integer fields sort like the extremes of longs'),
  needsNestedSorts: since8('a sort on a nested field needs `nested`'),
  showsIgnoredValues: row('hits have `ignored_field_values` beside `fields`', false, true, true, true, false),
  resolvesNothing: row('`_resolve/index` of a missing index is an empty result', true, true, false, false, true),
  knownTotals: row<'unused' | 'always' | 'whenEmpty'>(
    'whether the total of a search with `terminate_after` is the full one where it is known without visiting documents',
    'unused',
    'unused',
    'always',
    'always',
    'whenEmpty',
  ),
  saysTerminatedWithAggregations: onlyInOpenSearch('`terminated_early` is true if aggregations run on and hits need not be counted'),
  printsNanos: since8('`docvalue_fields` of date_nanos have nine digits'),
  quantizesShapes: since8('corners of boxes and polygons are rounded to the grid of stored points'),
  templateMayMatchAnything: since8('a dynamic template without conditions is accepted'),
  hasTypes: onlyIn7('documents have a `_type`, paths and mappings may have one (`include_type_name`)'),
  namesCharset: row('the content type of JSON names the character set', true, true, false, false, true),
  deprecatesReroutedState: since8('`_cluster/reroute` warns about the state in its response'),
  warnsOfLocalAliases: since8('`_cat/aliases` warns that `local` has no effect'),
  asksForQuery: since8('`_search` and `_count` name the missing `q` where they get parameters of it'),
  refusesHiddenTemplates: since8('a new legacy template that composable ones hide is refused, and legacy templates are deprecated'),
  refusesHealthLevels: since8('an unknown `level` of `_cluster/health` is refused'),
  ignoresLocalNodes: row('`_cat/nodes` accepts `local`, and warns about it', true, true, false, false, true),
  countsSegmentMemory: onlyIn7('`_segments` has `memory_in_bytes`'),
  writesShortQueries: since8('queries are shown without most of their defaults (`_search_shards`)'),
  knowsTypedPosts: since8('unknown paths of two parts are refused as wrong methods (405), except for POST'),
  refusesDoubledBounds: onlyInOpenSearch('`range` refuses two bounds per side'),
  mapsPathsOfNull: since8('null is a value of unknown names'),
  excludesAllEarly: since8('excluding all hides other errors'),
  sortsHaveFormat: row('a sort has `format`', false, true, true, true, false),
  boostsIndicesByObject: row('`indices_boost` may be an object', true, true, false, false, true),
  formatsDatesInSortsOnly: since8('`format` of a sort on a field that is not a date is refused'),
  ignoresAliasKeys: notInOpenSearch('unknown keys of `PUT INDEX/_alias/NAME` are ignored'),
  hasDataTiers: row('new indices have `index.routing.allocation.include._tier_preference`', false, true, true, true, false),
  namesNormalShards: row(
    'refusals above `cluster.max_shards_per_node` count normal shards, not total ones',
    false,
    true,
    true,
    true,
    false,
  ),
  refusesPlainInterval: since8('`interval` of `date_histogram` is refused; `calendar_interval` and `fixed_interval` replace it'),
  namesPercolatedQueries: since8('hits of `percolate` name the clauses of the stored query that match each document'),
  highlightsLoadIds: since8('hits with highlights or `fields` have `_id` even if `stored_fields` is `_none_`'),
  showsNodeVersions: since8('nodes show the versions of their indices, transport and components'),
  profilesNodes: row('profiles name the node, shard and index', false, false, true, true, true),
  profilesCounts: since8('profiles of queries have `count_weight`'),
  countsUsage: since8('`_cluster/stats` counts searches, vectors, synonyms and indexing pressure'),
  sortsNanosFromEpoch: since8('documents without a date_nanos sort as 0 where they are last in descending order'),
  canDisableSource: since8('an update of the mapping may disable `_source`'),
  hasSourceModes: since8('`_source` has a `mode`: stored, synthetic or disabled'),
  wrapsDocumentErrors: since8('terms and mappings that a document makes too large are errors of the document'),
  mappingError: row(
    'how errors of mappings begin',
    TYPED_MAPPING,
    TYPED_MAPPING,
    'Failed to parse mapping',
    'Failed to parse mapping',
    TYPED_MAPPING,
  ),
  documentError: row(
    'error type of documents that do not fit the mapping',
    MAPPER_ERROR,
    MAPPER_ERROR,
    DOCUMENT_ERROR,
    DOCUMENT_ERROR,
    MAPPER_ERROR,
  ),
} as const satisfies Readonly<Record<string, Row<unknown>>>;

type Differences = typeof DIFFERENCES;

/** The value of each difference for one server. */
export type Dialect = {
  /** Version number that clients see. */
  readonly version: string;
} & { readonly [Name in keyof Differences]: Differences[Name]['values'][number] };

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
  const values = Object.fromEntries(Object.entries(DIFFERENCES).map(([name, { values }]) => [name, values[column]]));
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
