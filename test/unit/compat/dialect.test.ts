// Each row of the table of differences, in every column: the answer of a node in the dialect of that server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DIFFERENCES, type Dialect, dialectOf } from '../../../src/compat/dialect.ts';
import { loadSettings } from '../../../src/config/load-settings.ts';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

const SERVERS = [
  { 'compat.flavor': 'elasticsearch', 'compat.version': '7.10.2' },
  { 'compat.flavor': 'elasticsearch', 'compat.version': '7.17.5' },
  { 'compat.flavor': 'elasticsearch', 'compat.version': '8.15.0' },
  { 'compat.flavor': 'elasticsearch', 'compat.version': '9.1.0' },
  { 'compat.flavor': 'opensearch', 'compat.version': '3.8.0' },
] as const;

interface Answer {
  readonly status: number;
  readonly json: any;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}
type Ask = (line: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

const search = async (ask: Ask, body: object, index = 'docs'): Promise<any> => (await ask(`POST /${index}/_search`, body)).json;
const errorType = ({ json }: Answer): string => json.error?.root_cause?.[0]?.type ?? json.error?.type;

/** The largest of the known limits of `meta` that a mapping may reach. */
async function longestMeta(ask: Ask, name: string, metaOf: (size: number) => object): Promise<number> {
  let longest = 0;
  for (const size of [5, 20, 50, 100, 255, 10_000]) {
    const isAccepted = async (length: number): Promise<boolean> => {
      const { status } = await ask(`PUT /meta-${name}-${length}`, {
        mappings: { properties: { n: { type: 'long', meta: metaOf(length) } } },
      });
      return status === 200;
    };
    if ((await isAccepted(size)) && !(await isAccepted(size + 1))) longest = size;
  }
  return longest;
}

/** The value of each row in the answer of a node. */
const PROBES: Readonly<Record<keyof typeof DIFFERENCES, (ask: Ask) => Promise<unknown>>> = {
  scoresWithFactor: async (ask) => (await search(ask, { query: { match: { text: 'fox' } } })).hits.max_score > 0.2,
  scoresKeywords: async (ask) => (await search(ask, { query: { term: { word: 'a' } } })).hits.max_score !== 1,
  scoresTermsAlike: async (ask) => (await search(ask, { query: { terms: { flag: [true] } } })).hits.max_score === 1,
  keepsValuesOverGaps: async (ask) => {
    const aggs = {
      all: { histogram: { field: 'number', interval: 1 } },
      sum: { sum_bucket: { buckets_path: 'all>_count', gap_policy: 'keep_values' } },
    };
    return (await ask('POST /docs/_search', { aggs })).status === 200;
  },
  cardinalityHints: async (ask) => {
    const { json } = await ask('POST /docs/_search', { aggs: { a: { cardinality: { field: 'word', execution_hint: 'x' } } } });
    return /(?:one|any) of \[(.*)\]/.exec(json.error?.root_cause[0].reason)?.[1] ?? '';
  },
  refusesBlankNames: async (ask) => {
    const statuses = [
      (await ask('PUT /blank-1', { mappings: { properties: { ' ': { type: 'long' } } } })).status,
      (await ask('PUT /blank-2/_doc/1', { ' ': 1 })).status,
    ];
    expect(new Set(statuses.map((status) => status >= 400)).size).toBe(1);
    return statuses[0] === 400;
  },
  internalFields: async (ask) => {
    const { _doc_count: count, _type: type } = (await ask('GET /docs/_field_caps?fields=*')).json.fields;
    return type ? '7' : count.integer ? '8' : 'opensearch';
  },
  missingReadResource: async (ask) => (await ask('GET /none/_doc/1')).json.error['resource.type'],
  stepsOverPaths: async (ask) =>
    (await ask('POST /_analyze', { tokenizer: 'path_hierarchy', text: 'a/b' })).json.tokens.map(({ position }: any) => position)[1] === 1,
  knowsOldAnalysisNames: async (ask) => {
    const bodies = [
      { tokenizer: 'nGram', text: 'ab' },
      { tokenizer: 'keyword', char_filter: ['htmlStrip'], text: '<b>a' },
      { tokenizer: 'keyword', filter: [{ type: 'edgeNGram' }], text: 'ab' },
    ];
    const statuses = new Set<number>();
    for (const body of bodies) statuses.add((await ask('POST /_analyze', body)).status);
    expect(statuses.size).toBe(1);
    return statuses.has(200);
  },
  namesValuesAboveLimit: async (ask) => (await search(ask, { query: { exists: { field: '_ignored' } } })).hits.total.value === 1,
  namesNormalShards: async (ask) => {
    await ask('PUT /_cluster/settings', { persistent: { 'cluster.max_shards_per_node': 1 } });
    const { json } = await ask('PUT /beyond');
    await ask('PUT /_cluster/settings', { persistent: { 'cluster.max_shards_per_node': null } });
    return json.error.reason.includes('maximum normal shards open');
  },
  sortsNanosFromEpoch: async (ask) => {
    await ask('PUT /nanos', { mappings: { properties: { at: { type: 'date_nanos' } } } });
    await ask('PUT /nanos/_doc/1?refresh=true', {});
    return (await search(ask, { sort: [{ at: 'desc' }] }, 'nanos')).hits.hits[0].sort[0] === 0;
  },
  readsPackedVectors: async (ask) => {
    await ask('PUT /packed', { mappings: { properties: { v: { type: 'dense_vector', dims: 2 } } } });
    return (await ask('PUT /packed/_doc/1', { v: 'P4AAAEAAAAA=' })).status === 201;
  },
  ignoresCommonParams: async (ask) =>
    (await ask('PUT /common', { mappings: { properties: { n: { type: 'long', similarity: 'x' } } } })).status === 200,
  metaEntries: (ask) => longestMeta(ask, 'entries', (length) => Object.fromEntries(Array.from({ length }, (_, i) => [i, 'x']))),
  metaKeyLength: (ask) => longestMeta(ask, 'keys', (length) => ({ ['k'.repeat(length)]: 'x' })),
  metaValueLength: (ask) => longestMeta(ask, 'values', (length) => ({ k: 'x'.repeat(length) })),
  namesTemplateStatus: async (ask) => 'status' in (await ask('POST /docs/_search/template', { source: {} })).json,
  canDisableSource: async (ask) => {
    await ask('PUT /sources', {});
    return (await ask('PUT /sources/_mapping', { _source: { enabled: false } })).status === 200;
  },
  showsScriptParams: async (ask) => {
    const { json } = await ask('GET /docs/_mapping/field/number?include_defaults=true');
    return 'script' in json.docs.mappings.number.mapping.number;
  },
  hasSourceModes: async (ask) => (await ask('PUT /modes', { mappings: { _source: { mode: 'synthetic' } } })).status === 200,
  documentError: async (ask) => errorType(await ask('PUT /docs/_doc/2', { number: 'x' })),
  refusesMalformedObjects: async (ask) => {
    await ask('PUT /malformed', { mappings: { properties: { n: { type: 'long', ignore_malformed: true } } } });
    return (await ask('PUT /malformed/_doc/1', { n: {} })).status === 400;
  },
  furtherDynamic: async (ask) => {
    for (const dynamic of ['runtime', 'strict_allow_templates'])
      if ((await ask(`PUT /dynamic-${dynamic}`, { mappings: { dynamic } })).status === 200) return dynamic;
    return null;
  },
  writesShortQueries: async (ask) => {
    await ask('PUT /docs/_alias/few', { filter: { term: { word: 'a' } } });
    return !('boost' in (await ask('GET /few/_search_shards')).json.indices.docs.filter.term.word);
  },
  mapsFloatListsAsVectors: async (ask) => {
    await ask('PUT /floats/_doc/1', { list: Array.from({ length: 128 }, (_, i) => i + 0.5) });
    return (await ask('GET /floats/_mapping')).json.floats.mappings.properties.list.type === 'dense_vector';
  },
  allowsIdFielddata: async (ask) => {
    await ask('PUT /ids/_doc/1?refresh=true', {});
    return (await ask('POST /ids/_search', { sort: ['_id'] })).status === 200;
  },
  sortsByVersion: async (ask) => {
    await ask('PUT /versions/_doc/1?refresh=true', {});
    return (await ask('POST /versions/_search', { sort: ['_version'] })).status === 200;
  },
  aggregatesIgnored: async (ask) => {
    await ask('PUT /dropped', { mappings: { properties: { n: { type: 'long', ignore_malformed: true } } } });
    await ask('PUT /dropped/_doc/1?refresh=true', { n: 'x' });
    const { status, json } = await ask('POST /dropped/_search', { sort: ['_ignored'], aggs: { a: { terms: { field: '_ignored' } } } });
    if (status === 200) expect(json.aggregations.a.buckets).toEqual([{ key: 'n', doc_count: 1 }]);
    return status === 200;
  },
  showsMetadataFields: async (ask) => {
    await ask('PUT /shown/_doc/1?refresh=true', {});
    return (await ask('POST /shown/_search', { fields: ['_id'] })).json.hits.hits[0].fields?._id?.[0] === '1';
  },
  refusesSortKeysAsIllegal: async (ask) => (await ask('GET /_cat/indices?s=nothing')).json.error.type === 'illegal_argument_exception',
  asksForQuery: async (ask) =>
    String((await ask('GET /docs/_search?df=a')).json.error.reason).includes("missing query string parameter 'q'"),
  deprecatesReroutedState: async (ask) => 'warning' in (await ask('POST /_cluster/reroute')).headers,
  ignoresLocalNodes: async (ask) => {
    const { status, headers } = await ask('GET /_cat/nodes?local=true');
    return status === 200 && String(headers.warning).includes('Deprecated parameter [local] used.');
  },
  namesCharset: async (ask) => String((await ask('GET /docs')).headers['content-type']).endsWith('; charset=UTF-8'),
  refusesHealthLevels: async (ask) => (await ask('GET /_cluster/health?level=nothing')).status === 400,
  refusesHiddenTemplates: async (ask) => {
    await ask('PUT /_index_template/new', { index_patterns: ['hidden-*'] });
    const { status } = await ask('PUT /_template/old', { index_patterns: ['hidden-a*'] });
    await ask('DELETE /_index_template/new');
    return status === 400;
  },
  warnsOfLocalAliases: async (ask) => 'warning' in (await ask('GET /_cat/aliases?local=true')).headers,
  hasTypes: async (ask) => {
    const made = await ask('PUT /typed?include_type_name=true', { mappings: { kind: { properties: { a: { type: 'keyword' } } } } });
    return made.status === 200 && (await ask('PUT /typed/kind/1', { a: 'x' })).json._type === 'kind';
  },
  knowsTypedPosts: async (ask) => (await ask('GET /docs/nothing')).status === 405,
  refusesDoubledBounds: async (ask) =>
    (await ask('POST /docs/_search', { query: { range: { number: { gte: 1, gt: 0 } } } })).status === 400,
  mapsPathsOfNull: async (ask) => {
    await ask('PUT /paths/_doc/1', { 'inner.a': null });
    const hasPath = 'properties' in (await ask('GET /paths/_mapping')).json.paths.mappings;
    await ask('PUT /exact', { mappings: { dynamic: 'strict', properties: { inner: { properties: { a: { type: 'keyword' } } } } } });
    const isRefused = (await ask('PUT /exact/_doc/1', { inner: { b: null } })).status === 400;
    expect(isRefused).toBe(hasPath);
    return hasPath;
  },
  excludesAllEarly: async (ask) => {
    const bool = { must_not: [{ match_all: {} }], filter: [{ match: { number: 'x' } }] };
    return (await ask('POST /docs/_search', { query: { bool } })).status === 200;
  },
  sortsHaveFormat: async (ask) => {
    await ask('PUT /dated', { mappings: { properties: { at: { type: 'date' } } } });
    return (await ask('POST /dated/_search', { sort: [{ at: { format: 'yyyy' } }] })).status === 200;
  },
  boostsIndicesByObject: async (ask) => (await ask('POST /docs/_search', { indices_boost: { docs: 2 } })).status === 200,
  formatsDatesInSortsOnly: async (ask) =>
    (await ask('POST /docs/_search', { sort: [{ number: { order: 'asc', format: '#.0' } }] })).json.error?.type ===
    'search_phase_execution_exception',
  ignoresAliasKeys: async (ask) => (await ask('PUT /docs/_alias/other', { nothing: 1 })).status === 200,
  hasDataTiers: async (ask) => 'routing' in (await ask('GET /docs/_settings')).json.docs.settings.index,
  refusesPlainInterval: async (ask) => {
    const aggs = { a: { date_histogram: { field: 'number', interval: 'day' } } };
    return (await ask('POST /docs/_search', { aggs })).json.error?.type === 'x_content_parse_exception';
  },
  mappingError: async (ask) => {
    const { reason } = (await ask('PUT /wrong', { mappings: { properties: { a: { type: 'nothing' } } } })).json.error;
    return String(reason).split(':')[0];
  },
  namesPercolatedQueries: async (ask) => {
    await ask('PUT /alerts', { mappings: { properties: { query: { type: 'percolator' }, text: { type: 'text' } } } });
    await ask('PUT /alerts/_doc/1?refresh=true', { query: { match: { text: { query: 'fox', _name: 'foxes' } } } });
    const query = { percolate: { field: 'query', document: { text: 'a fox' } } };
    return '_percolator_document_slot_0_matched_queries' in (await search(ask, { query }, 'alerts')).hits.hits[0].fields;
  },
  listsNamedFilters: async (ask) => {
    const filters = { filters: { keyed: false, filters: { x: { match_all: {} } } } };
    return Array.isArray((await search(ask, { size: 0, aggs: { f: filters } })).aggregations?.f.buckets);
  },
  refusesRepeatedPercents: async (ask) =>
    (await ask('POST /docs/_search', { aggs: { p: { percentiles: { field: 'number', percents: [50, 50] } } } })).status === 400,
  readsFieldMappingFormat: async (ask) =>
    (await ask('POST /docs/_search', { docvalue_fields: [{ field: 'word', format: 'use_field_mapping' }] })).status === 200,
  filtersSourceByPath: async (ask) => {
    await ask('PUT /paths/_doc/1?refresh=true', { a: { b: { c: 1 } } });
    return !('a' in (await search(ask, { _source: '*.c' }, 'paths')).hits.hits[0]._source);
  },
  numbersAreMillis: async (ask) => {
    await ask('PUT /times', { mappings: { properties: { at: { type: 'date' } } } });
    await ask('PUT /times/_doc/1?refresh=true', { at: '2023-06-01' });
    return (await search(ask, { query: { range: { at: { gte: 0, lt: '2024' } } } }, 'times')).hits.total.value === 0;
  },
  highlightsLoadIds: async (ask) => {
    const body = { query: { match: { text: 'fox' } }, stored_fields: '_none_', highlight: { fields: { text: {} } } };
    return '_id' in (await search(ask, body)).hits.hits[0];
  },
  wrapsDocumentErrors: async (ask) =>
    errorType(await ask('PUT /docs/_doc/2', { word: 'x'.repeat(40_000) })) !== 'illegal_argument_exception',
  blamesAggregationRequests: async (ask) =>
    (await ask('POST /docs/_search', { aggs: { a: { max: { field: 'number' }, aggs: { b: { max: { field: 'number' } } } } } })).status ===
    400,
  nestsErrorTexts: async (ask) =>
    /; nested: /.test((await ask('POST /docs/_validate/query?explain=true', { query: { x: {} } })).json.error),
  xContentPackage: async (ask) => {
    const { error } = (await ask('POST /docs/_validate/query?explain=true', { query: { bool: { x: [] } } })).json;
    return /(org\.[\w.]+)\.XContentParseException: \[bool\]/.exec(error)?.[1] ?? error;
  },
  readsSinglePercentiles: async (ask) => {
    const p = { percentiles: { field: 'number', percents: [50] } };
    const aggs = { a: { terms: { field: 'word' }, aggs: { p } }, s: { avg_bucket: { buckets_path: 'a>p' } } };
    return (await ask('POST /docs/_search', { aggs })).status === 200;
  },
  ordersNaNAsGreatest: async (ask) => {
    await ask('POST /averaged/_bulk?refresh=true', '{"index":{}}\n{"word":"a","n":1}\n{"index":{}}\n{"word":"b"}\n');
    const aggs = { a: { terms: { field: 'word.keyword', order: { n: 'desc' } }, aggs: { n: { avg: { field: 'n' } } } } };
    return (await search(ask, { aggs }, 'averaged')).aggregations.a.buckets[0].key === 'b';
  },
  maxClauseCount: async (ask) => {
    const { json } = await ask('POST /docs/_search', { query: { bool: { filter: Array(20_000).fill({ match_all: {} }) } } });
    return Number(/maxClauseCount is set to (\d+)/.exec(json.error.root_cause[0].reason)?.[1]);
  },
  limitsPrefixes: async (ask) => (await ask('POST /docs/_search', { query: { prefix: { word: 'a'.repeat(1001) } } })).status === 400,
  maxBuckets: async (ask) => Number((await tooMany(ask)).json.error.caused_by.max_buckets),
  lastSearchPhase: async (ask) => (await tooMany(ask)).json.error.phase,
  checksAggregationsEarly: async (ask) => {
    const aggs = { a: { terms: { field: 'word', include: '[' } } };
    return (await ask('POST /docs/_search', { aggs })).json.error.type === 'x_content_parse_exception';
  },
  comparesRootDocuments: async (ask) => {
    const aggs = { s: { significant_terms: { field: 'word', min_doc_count: 1 } } };
    return (await search(ask, { size: 0, aggs }, 'nested')).aggregations.s.bg_count === 1;
  },
  collapsesRescored: async (ask) => {
    const body = { collapse: { field: 'number' }, rescore: { query: { rescore_query: { match_all: {} } } } };
    return (await ask('POST /docs/_search', body)).status === 200;
  },
  sortHidesMaxScore: async (ask) => (await search(ask, { sort: ['_score', 'number'] })).hits.max_score === null,
  showsUnterminated: async (ask) => (await search(ask, { size: 0, track_total_hits: true })).terminated_early === false,
  validatesSearchesWhole: async (ask) =>
    errorType(await ask('POST /docs/_search', { slice: { id: 0, max: 2 } })) === 'action_request_validation_exception',
  decayFieldError: async (ask) =>
    errorType(await ask('POST /docs/_search', { query: { function_score: { gauss: { word: { origin: 1, scale: 1 } } } } })),
  groupsNestedFields: async (ask) => {
    const [{ fields }] = (await search(ask, { fields: ['parts.n'] }, 'nested')).hits.hits;
    return fields.parts !== undefined;
  },
  printsNanos: async (ask) => (await search(ask, { docvalue_fields: ['nanos'] })).hits.hits[0].fields.nanos[0].endsWith('.123456789Z'),
  quantizesShapes: async (ask) => {
    const corners = { top_left: { lat: 44.6, lon: 26 }, bottom_right: { lat: 44.3, lon: 26.3 } };
    return (await search(ask, { query: { geo_bounding_box: { place: corners } } })).hits.total.value === 1;
  },
  marksMetadataFields: async (ask) => (await ask('GET /docs/_field_caps?fields=word')).json.fields.word.keyword.metadata_field === false,
  reportsColumnsSearchable: async (ask) => (await ask('GET /docs/_field_caps?fields=column')).json.fields.column.keyword.searchable,
  templateMayMatchAnything: async (ask) => {
    const mappings = { dynamic_templates: [{ t: { mapping: { type: 'keyword' } } }] };
    const { status } = await ask('PUT /templated', { mappings });
    await ask('DELETE /templated');
    return status === 200;
  },
  sortsIntegersAsLongs: async (ask) =>
    /"sort":\[9223372036854775807/.test((await ask('POST /nested/_search', { sort: [{ whole: 'asc' }] })).text),
  needsNestedSorts: async (ask) => (await ask('POST /nested/_search', { sort: ['parts.n'] })).status === 400,
  showsIgnoredValues: async (ask) => (await search(ask, { fields: ['short'] })).hits.hits[0].ignored_field_values?.short[0] === 'long',
  resolvesNothing: async (ask) => (await ask('GET /_resolve/index/nothing')).status === 200,
  knownTotals: async (ask) => {
    for (const n of [1, 2]) await ask('POST /early/_doc?refresh=true', { n });
    const totalOf = async (size: number): Promise<number> => (await search(ask, { terminate_after: 1, size }, 'early')).hits.total.value;
    const [empty, filled] = [await totalOf(0), await totalOf(1)];
    await ask('DELETE /early');
    if (filled === 2) return 'always';
    return empty === 2 ? 'whenEmpty' : 'unused';
  },
  saysTerminatedWithAggregations: async (ask) =>
    (await search(ask, { size: 0, track_total_hits: false, aggs: { a: { max: { field: 'number' } } } })).terminated_early === true,
  percentileDigest: async (ask) => {
    for (const n of [1, 2, 3, 4]) await ask('POST /digested/_doc?refresh=true', { n });
    const { aggregations } = await search(ask, { aggs: { p: { percentiles: { field: 'n', percents: [40] } } } }, 'digested');
    return { 2.2: 'hybrid', 2.1: 'tree', 2: 'merging' }[Number(aggregations.p.values['40.0']).toFixed(1).replace('.0', '')];
  },
  namesClusterManager: async (ask) => 'discovered_cluster_manager' in (await ask('GET /_cluster/health')).json,
  showsAliasErrors: async (ask) => 'errors' in (await ask('PUT /docs/_alias/other')).json,
  showsLazyRollover: async (ask) => {
    await ask('PUT /roll-1', { aliases: { roll: {} } });
    return 'lazy' in (await ask('POST /roll/_rollover?dry_run=true')).json;
  },
  showsStreamManagement: async (ask) => 'prefer_ilm' in (await stream(ask)),
  datesBackingIndices: async (ask) => /\d{4}\.\d\d/.test((await stream(ask)).indices[0].index_name),
  countsFailedRelocations: async (ask) => 'relocation_failure_info' in (await ask('GET /docs/_search_shards')).json.shards[0][0],
  showsDatasetSize: async (ask) => (await ask('GET /_cat/indices?v=true&help=true')).text.includes('dataset.size'),
  showsIndexHealth: async (ask) => (await ask('GET /docs/_stats')).json.indices.docs.status === 'open',
  countsSegmentMemory: async (ask) => 'memory_in_bytes' in (await ask('GET /docs/_segments')).json.indices.docs.shards[0][0].segments._0,
  showsNodeVersions: async (ask) => {
    const [info] = Object.values<any>((await ask('GET /_nodes/http')).json.nodes);
    const [identity] = Object.values<any>((await ask('GET /docs/_search_shards')).json.nodes);
    const [stored] = Object.values<any>((await ask('GET /_shard_stores?status=all')).json.indices.docs.shards[0].stores[0]);
    const shown = ['component_versions' in info, 'max_index_version' in identity, 'max_index_version' in stored];
    return shown.every(Boolean) || (shown.some(Boolean) ? 'in some' : false);
  },
  profilesNodes: async (ask) => 'node_id' in (await search(ask, { profile: true })).profile.shards[0],
  profilesCounts: async (ask) => 'count_weight' in (await search(ask, { profile: true })).profile.shards[0].searches[0].query[0].breakdown,
  countsUsage: async (ask) => {
    const { indices, nodes } = (await ask('GET /_cluster/stats')).json;
    const shown = ['search' in indices, 'dense_vector' in indices, 'synonyms' in indices.analysis, 'indexing_pressure' in nodes];
    return shown.every(Boolean) || (shown.some(Boolean) ? 'in some' : false);
  },
  locationSpace: async (ask) => /a(.*)b$/.exec(String((await ask('PUT /docs/_doc/a%20b', { number: 1 })).headers.location))?.[1],
  refusesMediaTypesAsBad: async (ask) => (await ask('POST /docs/_search', {}, { 'content-type': 'json' })).status === 400,
  errorForms: async (ask) => {
    const type = errorType(await ask('POST /docs/_search', '{"size":'));
    return type === 'json_e_o_f_exception' ? '7' : type === 'x_content_e_o_f_exception' ? '8' : 'own';
  },
  unknownSettingError: async (ask) => errorType(await ask('PUT /_cluster/settings', { transient: { nothing: 1 } })),
  keepsLastFormat: async (ask) => {
    const fields = ['number', { field: 'number', format: '0.0' }];
    return (await ask('POST /docs/_search', { docvalue_fields: fields })).json.hits.hits[0].fields.number.length === 1;
  },
  swapsIndexingBuffer: async (ask) => {
    const [node] = Object.values((await ask('GET /_nodes?human=true')).json.nodes) as any[];
    return typeof node.total_indexing_buffer === 'number';
  },
  repeatsGetTime: async (ask) => 'time' in (await ask('GET /docs/_stats/get?human=true')).json._all.total.get,
  renamesAliasesOnRestore: async (ask) => {
    await ask('PUT /_snapshot/renaming', { type: 'fs', settings: { location: 'renaming' } });
    return !JSON.stringify((await ask('POST /_snapshot/renaming/none/_restore', { rename_alias_pattern: 'a' })).json).includes(
      'Unknown parameter',
    );
  },
  missingComponentError: async (ask) => errorType(await ask('DELETE /_component_template/none')),
};

async function stream(ask: Ask): Promise<any> {
  await ask('PUT /_index_template/streams', { index_patterns: ['stream-*'], data_stream: {} });
  await ask('PUT /_data_stream/stream-1');
  return (await ask('GET /_data_stream/stream-1')).json.data_streams[0];
}

/** Too many buckets for any default. */
function tooMany(ask: Ask): Promise<Answer> {
  return ask('POST /docs/_search', {
    size: 0,
    aggs: { a: { histogram: { field: 'number', interval: 1e-5, extended_bounds: { min: 0, max: 1 } } } },
  });
}

describe.each(SERVERS)('%j', (settings) => {
  const dialect: Dialect = dialectOf(settings['compat.flavor'], settings['compat.version']);
  let node: RestNode;
  const ask: Ask = async (line, body, headers) => {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await node.exchange(line, { body: text, ...(headers ? { headers } : {}) });
    const isJson = String(answer.headers['content-type']).includes('json');
    return { status: answer.status, text: answer.text, json: isJson ? answer.json : null, headers: answer.headers };
  };

  beforeAll(async () => {
    node = await openRestNode(settings);
    const properties = {
      text: { type: 'text' },
      word: { type: 'keyword' },
      number: { type: 'long' },
      flag: { type: 'boolean' },
      place: { type: 'geo_point' },
      nanos: { type: 'date_nanos' },
      short: { type: 'keyword', ignore_above: 2 },
      column: { type: 'keyword', index: false },
    };
    await node.ok('PUT /docs', { mappings: { properties } });
    const document = {
      text: 'fox',
      word: 'a',
      number: 1,
      flag: true,
      place: [26.1, 44.3],
      nanos: '2024-02-29T12:34:56.123456789Z',
      short: 'long',
    };
    await node.ok('PUT /docs/_doc/1?refresh=true', document);
    await node.ok('PUT /nested', {
      mappings: { properties: { word: { type: 'keyword' }, whole: { type: 'integer' }, parts: { type: 'nested' } } },
    });
    await node.ok('PUT /nested/_doc/1?refresh=true', { word: 'a', parts: [{ n: 1 }, { n: 2 }] });
  });
  afterAll(() => node.close());

  test.each(Object.entries(PROBES))('%s', async (name, probe) => {
    expect(await probe(ask)).toEqual(dialect[name as keyof typeof PROBES]);
  });
});

test('whole doubles and floats of responses have a fraction, whole longs have none', async () => {
  const node = await openRestNode();
  try {
    await node.ok('PUT /docs/_doc/1?refresh=true', { long: 9223372036854775807n.toString() });
    await node.ok('PUT /docs/_mapping', { properties: { double: { type: 'double' }, big: { type: 'long' } } });
    await node.ok('PUT /docs/_doc/1?refresh=true', '{"double":3,"big":9223372036854775807}');
    const { text } = await node.send('POST /docs/_search', {
      sort: ['double', 'big'],
      track_scores: true,
      fields: ['double', 'big'],
      aggs: {
        max: { max: { field: 'double' } },
        terms: { terms: { field: 'double' } },
        percent: { percentiles: { field: 'double', percents: [50] } },
      },
    });
    expect(text).toContain('"max_score":1.0');
    expect(text).toContain('"_score":1.0');
    expect(text).toContain('"fields":{"double":[3.0],"big":[9223372036854775807]}');
    expect(text).toContain('"sort":[3.0,9223372036854775807]');
    expect(text).toContain('"max":{"value":3.0}');
    expect(text).toContain('{"key":3.0,"doc_count":1}');
    expect(text).toContain('"values":{"50.0":3.0}');
  } finally {
    await node.close();
  }
});

test('refuses a version that the flavour does not have', () => {
  const load = (flags: Record<string, string>) => () => loadSettings({ flags, file: null });
  expect(load({ 'compat.version': '3.8.0' })).toThrow('must be 7.x, 8.x or 9.x if compat.flavor is elasticsearch, not [3.8.0]');
  expect(load({ 'compat.flavor': 'opensearch', 'compat.version': '8.15.0' })).toThrow('must be 3.x if compat.flavor is opensearch');
  expect(load({ 'compat.flavor': 'opensearch' })()['compat.version']).toBe('');
  expect(dialectOf('opensearch', '').version).toBe('3.8.0');
});
