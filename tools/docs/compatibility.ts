// Tables of docs/compatibility.md: which queries, aggregations, field types, processors and analysis components there are. The names come from
// the registries of the code; only what is missing or partial is written here, and a note on a name that no registry has stops the tool.

import { PIPELINE_NAMES } from '../../src/aggs/pipelines/pipelines.ts';
import { AGG_NAMES, KNOWN_ELSEWHERE } from '../../src/aggs/registry.ts';
import { ANALYZERS, CHAR_FILTERS, TOKEN_FILTERS, TOKENIZERS } from '../../src/analysis/registry.ts';
import { MISSING_PROCESSORS, PROCESSORS } from '../../src/ingest/processors/registry.ts';
import { MAPPER_TYPES } from '../../src/mapping/types/registry.ts';
import { QUERY_NAMES } from '../../src/query/parse-query.ts';
import { code, row, table } from './markdown.ts';

type Notes = Readonly<Record<string, string>>;

const PAINLESS =
  'Painless with Date and SimpleDateFormat, but without the rest of java.text and calendars other than ISO; regular expressions without back references';

const PARTIAL_QUERIES: Notes = {
  intervals: '`script` filters, and `flags` and `case_insensitive` of patterns, are refused',
  more_like_this: '`per_field_analyzer` is refused',
  script: PAINLESS,
  script_score: PAINLESS,
  function_score: `scripts: ${PAINLESS}`,
};
const MISSING_QUERIES = ['semantic', 'xy_shape'];

const PARTIAL_AGGS: Notes = {
  bucket_count_ks_test: 'probabilities are asymptotic and differ from those of Elasticsearch',
  change_point: 'p-values come from other tests than those of Elasticsearch',
  geohex_grid: 'no scripts',
  categorize_text: 'no `categorization_analyzer`; tokens and their weights are our own, so that categories may differ',
  geo_line: '`sort` is required',
  geo_bounds: 'no scripts',
  geo_centroid: 'no scripts',
  geo_distance: 'no scripts',
  geohash_grid: 'no scripts',
  geotile_grid: 'no scripts',
  composite: 'no `bounds` in geo sources',
  moving_avg: 'no `predict`',
  bucket_script: 'no stored scripts',
  bucket_selector: 'no stored scripts',
  random_sampler: 'reads all documents, so that results are exact',
  scripted_metric: PAINLESS,
  multi_terms: 'no `min_doc_count: 0` with a script',
};

const PARTIAL_FIELDS: Notes = {
  date: 'names of months and days are English',
  percolator: 'queries must not read other documents (`terms` lookup, indexed shapes, documents of `more_like_this`)',
  constant_keyword: '',
  text: 'no `discount_overlaps: false`',
};
const MISSING_FIELDS = ['annotated_text', 'knn_vector', 'semantic_text', 'xy_point', 'xy_shape'];
/** Accepted and shown, but they change nothing. */
const IDLE_PARAMS = new Set(['skip_list', 'eager_global_ordinals']);

const PARTIAL_PROCESSORS: Notes = {
  geoip: 'databases are provided by the operator, none is downloaded',
  user_agent: "device types are found by other rules than Elasticsearch's",
  fingerprint: "no `MurmurHash3`; hashes differ from Elasticsearch's",
};

const PARTIAL_ANALYSIS: Notes = {
  thai: 'word boundaries are those of ICU and differ from Java in some words',
  pattern: 'no back references',
  pattern_replace: 'no back references',
  pattern_capture: 'no back references',
};

function check(names: Iterable<string>, notes: Notes): void {
  const known = new Set(names);
  for (const name of Object.keys(notes))
    if (!known.has(name)) throw new Error(`tools/docs/compatibility.ts has a note on an unknown name: ${name}`);
}

function nameTable(head: string, names: readonly string[], partial: Notes, missing: Iterable<string>): string {
  check(names, partial);
  const known = new Set(names);
  const rows = [...names].sort().map((name) => row(code(name), partial[name] ? 'partly' : 'yes', partial[name] ?? ''));
  for (const name of [...missing].sort()) {
    if (known.has(name)) throw new Error(`tools/docs/compatibility.ts lists ${name} as missing, but it exists`);
    rows.push(row(code(name), 'no', ''));
  }
  return table([head, 'supported', 'limits'], rows);
}

export const queries = (): string => nameTable('query', QUERY_NAMES, PARTIAL_QUERIES, MISSING_QUERIES);

export const aggregations = (): string => nameTable('aggregation', [...AGG_NAMES, ...PIPELINE_NAMES], PARTIAL_AGGS, KNOWN_ELSEWHERE);

export const processors = (): string => nameTable('processor', [...PROCESSORS.keys()], PARTIAL_PROCESSORS, MISSING_PROCESSORS);

export function fieldTypes(): string {
  check(MAPPER_TYPES.keys(), PARTIAL_FIELDS);
  // Objects are not field types of the registry: the mapping itself holds them.
  const rows = [row('`object`, `nested`, `alias`', 'yes', '', '')];
  for (const [name, { params }] of [...MAPPER_TYPES].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const note = PARTIAL_FIELDS[name] ?? '';
    const effective = Object.keys(params).filter((param) => !IDLE_PARAMS.has(param));
    rows.push(row(code(name), note === '' ? 'yes' : 'partly', effective.map(code).join(', '), note));
  }
  for (const name of MISSING_FIELDS) {
    if (MAPPER_TYPES.has(name)) throw new Error(`tools/docs/compatibility.ts lists ${name} as missing, but it exists`);
    rows.push(row(code(name), 'no', '', ''));
  }
  const idle = [...IDLE_PARAMS].map(code).join(', ');
  return `${table(['type', 'supported', 'parameters', 'limits'], rows)}\n\nAccepted without effect: ${idle}.`;
}

export function analysisComponents(): string {
  const section = (title: string, entries: ReadonlyMap<string, { readonly params: readonly string[] }>): string => {
    const rows = [...(entries.values() as Iterable<{ type: string; params: readonly string[] }>)]
      .sort((a, b) => (a.type < b.type ? -1 : 1))
      .map(({ type, params }) => row(code(type), params.map(code).join(', '), PARTIAL_ANALYSIS[type] ?? ''));
    return `### ${title}\n\n${table(['type', 'parameters', 'limits'], rows)}`;
  };
  check([...CHAR_FILTERS.keys(), ...TOKENIZERS.keys(), ...TOKEN_FILTERS.keys(), ...ANALYZERS.keys()], PARTIAL_ANALYSIS);
  return [
    section('Character filters', CHAR_FILTERS),
    section('Tokenizers', TOKENIZERS),
    section('Token filters', TOKEN_FILTERS),
    section('Analyzers', ANALYZERS),
  ].join('\n\n');
}
