// Families of random requests whose bodies come from users: searches with every query, aggregation and part; texts to analyze; ingest pipelines;
// lines of `_bulk`; scripts; mappings. Each starts from a valid body and is changed in a few places.
import { ANALYZERS, CHAR_FILTERS, TOKEN_FILTERS, TOKENIZERS } from '../../src/analysis/registry.ts';
import { MAPPER_TYPES } from '../../src/mapping/types/registry.ts';
import type { Rng } from '../support/rng.ts';
import { TYPES } from '../unit/rest/auth/visibility-data.ts';
import { AGGREGATIONS, APIS, aggregationSearches, PARTS, PIPELINES, pipelineSearch, QUERIES } from '../unit/rest/auth/visibility-rows.ts';
import { type Json, LEAVES, mutate, scramble } from './mutations.ts';
import { PROCESSORS, SOURCES } from './pipeline-seeds.ts';
import { scriptSource } from './script-source.ts';

/** `METHOD /path` and a body, for an index that is called `INDEX`. */
export type FuzzRequest = readonly [line: string, body: string | Buffer];
type Family = (rng: Rng) => readonly FuzzRequest[];

const FIELDS = [
  ...Object.keys(TYPES).map((type) => `v_${type}`),
  'relation',
  'relation#above',
  'v_kids',
  'v_kids.k',
  'v_kids.n',
  'both',
  'both.seen',
];
const VALUES = Object.values(TYPES).flatMap(([, value]) => (value(3) === undefined ? [] : [value(3)]));
const PARTS_OF_BODIES: readonly unknown[] = [
  ...[
    ...LEAVES,
    ...FIELDS,
    ...VALUES,
    '_field_names',
    '_routing',
    '_ignored',
    '_doc',
    '_shard_doc',
    '_seq_no',
    '_source',
    'v_text.anything',
  ],
  ...[{ lat: 1, lon: 1 }, [1, 2], 'POINT (1 1)', { type: 'Polygon', coordinates: [] }, { script: { source: '1' } }, { value: 1 }, 1e-320],
  ...[
    '2024-01-05||/d',
    'Infinity',
    -2147483649,
    9.3e18,
    '18446744073709551616',
    'AUTO',
    '10%',
    '2<-25% 9<-3',
    '1/0',
    '((',
    'a~2^',
    '\u0000',
  ],
];

const search = (body: object): FuzzRequest => ['POST /INDEX/_search', JSON.stringify(body)];
const entry = <T>(table: Readonly<Record<string, T>>, rng: Rng): readonly [string, T] => rng.pick(Object.entries(table));

function query(rng: Rng): Json {
  const [name, bodies] = entry(QUERIES, rng);
  return { [name]: rng.pick(bodies('v')) };
}

function aggregation(rng: Rng): object {
  if (rng.bool(0.2)) return pipelineSearch(entry(PIPELINES, rng)[0], 'v');
  const [type, bodies] = entry(AGGREGATIONS, rng);
  return rng.pick(aggregationSearches(type, rng.pick(bodies('v')), 'v'));
}

/** A search with one or a few parts. */
function searchBody(rng: Rng): Json {
  const body: Json = rng.bool(0.5) ? { query: query(rng) } : {};
  if (rng.bool(0.4)) Object.assign(body, aggregation(rng));
  for (let parts = rng.pick([0, 0, 1, 2]); parts > 0; parts--) Object.assign(body, rng.pick(entry(PARTS, rng)[1]('v')));
  return Object.keys(body).length === 0 ? { query: query(rng) } : body;
}

const searches: Family = (rng) => [search(mutate(searchBody(rng), searchBody(rng), rng, PARTS_OF_BODIES, 4))];

/** Requests of the other APIs that read. */
const reads: Family = (rng) => {
  const [line, body] = rng.pick(entry(APIS, rng)[1]('v'));
  if (typeof body !== 'object' || body === null) return [[line, typeof body === 'string' ? scramble(body, rng) : '']];
  return [[line, JSON.stringify(mutate(body as Json, searchBody(rng), rng, PARTS_OF_BODIES))]];
};

const TEXTS = [
  'The Quick foxes',
  '',
  'a',
  '東京都 ไทย',
  'İıß ﷺ \u0301',
  '😀😀',
  '1.5e10 http://a.b/c?d x@y.z',
  'a'.repeat(300),
  '\ud800',
  '<b>&amp;&#x0;',
  'a b\u0000c',
];
const PARAMETERS: Readonly<Record<string, readonly unknown[]>> = {
  boolean: [true, false, 'true', 'x'],
  int: [0, 1, 2, 5, 100, -1, 2147483647, '3', 1.5],
  float: [0, 0.5, -1, 'x'],
  string: ['a', '', ' ', '_', 'english', '(', '[a-z]+', '.', 'a|b', '\\', 'x'.repeat(200)],
  strings: [['a', 'the'], [], [''], ['a => b', 'b => c'], ['a, b'], ['=>'], ['ph=>f'], ['_english_'], [1], 'a,b', [null], ['\\u0']],
};
const ANY_PARAMETER = Object.values(PARAMETERS).flat();

interface Entry {
  readonly params: readonly string[];
}

/** A component by name, or a definition with random parameters. */
function component(table: ReadonlyMap<string, Entry>, rng: Rng): unknown {
  const [type, { params }] = rng.pick([...table]);
  if (rng.bool(0.15)) return type;
  const body: Json = { type };
  for (const param of params) {
    if (rng.bool(0.4)) continue;
    const [name, kind = ''] = param.split(/[:=]/).map((part) => part.trim());
    const known = Object.entries(PARAMETERS).find(([prefix]) => kind.startsWith(prefix));
    body[name] = rng.pick(rng.bool(0.8) && known ? known[1] : ANY_PARAMETER);
  }
  return body;
}

const chain = (table: ReadonlyMap<string, Entry>, most: number, rng: Rng) =>
  Array.from({ length: rng.int(0, most) }, () => component(table, rng));

function analyzeBody(rng: Rng): Json {
  const text = rng.bool(0.8) ? rng.pick(TEXTS) : [rng.pick(TEXTS), rng.pick(TEXTS)];
  if (rng.bool(0.2)) return { analyzer: rng.pick([...ANALYZERS.keys()]), text, explain: rng.bool() };
  if (rng.bool(0.1)) return { field: rng.pick(FIELDS), text };
  const parts = { char_filter: chain(CHAR_FILTERS, 2, rng), filter: chain(TOKEN_FILTERS, 3, rng) };
  return {
    ...parts,
    ...(rng.bool(0.9) ? { tokenizer: component(TOKENIZERS, rng) } : { normalizer: 'lowercase' }),
    text,
    explain: rng.bool(0.3),
  };
}

const analyses: Family = (rng) => {
  const body = rng.bool(0.6) ? analyzeBody(rng) : mutate(analyzeBody(rng), analyzeBody(rng), rng);
  return [['POST /INDEX/_analyze', JSON.stringify(body)]];
};

/** Definitions of an index, with a document that uses them. */
const definitions: Family = (rng) => {
  const analyzer = { type: 'custom', tokenizer: 't', char_filter: ['c'], filter: ['f', 'g'] };
  const analysis = {
    analyzer: { x: analyzer },
    tokenizer: { t: component(TOKENIZERS, rng) },
    char_filter: { c: component(CHAR_FILTERS, rng) },
    filter: { f: component(TOKEN_FILTERS, rng), g: component(TOKEN_FILTERS, rng) },
  };
  const body = { settings: { analysis }, mappings: { properties: { a: { type: 'text', analyzer: 'x' } } } };
  return [
    ['PUT /fuzz-new', JSON.stringify(rng.bool() ? body : mutate(body, analyzeBody(rng), rng))],
    ['POST /fuzz-new/_doc/1?refresh=true', JSON.stringify({ a: rng.pick(TEXTS) })],
    ['POST /fuzz-new/_search', JSON.stringify({ query: { match: { a: rng.pick(TEXTS) } }, highlight: { fields: { '*': {} } } })],
    ['DELETE /fuzz-new', ''],
  ];
};

function fieldBody(rng: Rng): Json {
  const type = rng.pick([...MAPPER_TYPES.keys()]);
  const body: Json = { type, ...TYPES[type]?.[0] };
  for (const name of Object.keys(MAPPER_TYPES.get(type)?.params ?? {})) if (rng.bool(0.03)) body[name] = rng.pick(PARTS_OF_BODIES);
  return body;
}

/** A mapping, a document, and a search of all its fields. */
const mappings: Family = (rng) => {
  const names = Array.from({ length: rng.int(1, 4) }, (_, i) => `f${i}`);
  const properties = Object.fromEntries(names.map((name) => [name, fieldBody(rng)]));
  const body = { dynamic: rng.pick([true, 'strict', 'runtime', false]), properties };
  const fitting = (name: string) => TYPES[String(properties[name].type)]?.[1](rng.int(0, 9));
  const document = () => Object.fromEntries(names.map((name) => [name, rng.bool(0.8) ? fitting(name) : rng.pick(PARTS_OF_BODIES)]));
  const name = rng.pick(names);
  return [
    ['PUT /fuzz-new', JSON.stringify({ mappings: rng.bool(0.8) ? body : mutate(body, { f: fieldBody(rng) }, rng, PARTS_OF_BODIES) })],
    ['POST /fuzz-new/_bulk?refresh=true', [0, 1, 2].map((i) => `{"index":{"_id":"${i}"}}\n${JSON.stringify(document())}\n`).join('')],
    [
      'PUT /fuzz-new/_mapping',
      JSON.stringify(mutate({ properties: { [name]: fieldBody(rng), new: fieldBody(rng) } }, {}, rng, PARTS_OF_BODIES)),
    ],
    ['POST /fuzz-new/_update/0?refresh=true', JSON.stringify(mutate({ doc: document(), doc_as_upsert: true }, document(), rng))],
    [
      'POST /fuzz-new/_search',
      JSON.stringify({ fields: ['*'], docvalue_fields: [name], sort: [{ [name]: 'desc' }], query: { exists: { field: name } } }),
    ],
    [
      'POST /fuzz-new/_search',
      JSON.stringify(mutate({ aggs: { t: { terms: { field: name } } }, query: { term: { [name]: 1 } } }, {}, rng, PARTS_OF_BODIES)),
    ],
    ['POST /fuzz-new/_forcemerge?max_num_segments=1', ''],
    ['GET /fuzz-new/_mapping/field/*?include_defaults=true', ''],
    ['DELETE /fuzz-new', ''],
  ];
};

function pipelineBody(rng: Rng): Json {
  const step = (): Json => {
    const [type, bodies] = entry(PROCESSORS, rng);
    const body: Json = structuredClone(rng.pick(bodies)) as Json;
    if (rng.bool(0.1)) body.if = scriptSource(rng);
    if (rng.bool(0.1)) body.on_failure = [{ set: { field: 'error', value: '{{_ingest.on_failure_message}}' } }];
    if (rng.bool(0.2)) body.ignore_failure = rng.bool();
    if (rng.bool(0.3))
      body.field = rng.pick([
        'text',
        'n',
        'list',
        'object',
        'object.a',
        'missing',
        '_index',
        '_id',
        '_ingest.timestamp',
        '{{text}}',
        'list.0',
        'a..b',
      ]);
    return { [type]: body };
  };
  return { processors: Array.from({ length: rng.int(1, 3) }, step) };
}

const pipelines: Family = (rng) => {
  const pipeline = rng.bool() ? pipelineBody(rng) : mutate(pipelineBody(rng), pipelineBody(rng), rng, PARTS_OF_BODIES);
  const docs = [0, 1].map(() => ({
    _index: 'i',
    _id: 'x',
    _source: rng.bool() ? rng.pick(SOURCES) : mutate(rng.pick(SOURCES), rng.pick(SOURCES), rng),
  }));
  const body = { pipeline, docs };
  const simulated = JSON.stringify(rng.bool(0.9) ? body : mutate(body, pipeline, rng));
  if (rng.bool(0.7)) return [[`POST /_ingest/pipeline/_simulate${rng.bool() ? '?verbose=true' : ''}`, simulated]];
  return [
    ['PUT /_ingest/pipeline/fuzz', JSON.stringify(pipeline)],
    ['PUT /fuzz-new/_doc/1?pipeline=fuzz', JSON.stringify(rng.pick(SOURCES))],
    ['POST /_bulk?pipeline=fuzz', `{"index":{"_index":"fuzz-new"}}\n${JSON.stringify(rng.pick(SOURCES))}\n`],
    ['DELETE /_ingest/pipeline/fuzz', ''],
    ['DELETE /fuzz-new', ''],
  ];
};

const ACTIONS: readonly Json[] = [
  { index: { _index: 'fuzz-new', _id: '1', routing: 'r', version: 3, version_type: 'external', pipeline: '_none' } },
  { index: { _index: 'fuzz-new', _id: '2', if_seq_no: 0, if_primary_term: 1 } },
  { index: { _index: 'fuzz-new' } },
  { create: { _index: 'fuzz-new', dynamic_templates: { a: 'x' }, require_alias: false } },
  { update: { _index: 'fuzz-new', _id: '1', retry_on_conflict: 2, _source: ['a'] } },
  { delete: { _index: 'fuzz-new', _id: '1' } },
];
const UPDATES: readonly Json[] = [
  { doc: { a: 1 }, upsert: { b: 2 }, doc_as_upsert: false, detect_noop: true, scripted_upsert: true },
  { script: { source: 'ctx._source.a = 1', params: { a: 1 } }, upsert: {} },
];
const OPERATIONS: readonly Json[] = [...SOURCES, ...UPDATES];

/** Lines, and bytes that are none. */
const bulks: Family = (rng) => {
  const changed = (body: Json) => JSON.stringify(rng.bool(0.4) ? mutate(body, rng.pick(OPERATIONS), rng, LEAVES, 1) : body);
  const lines = Array.from({ length: rng.int(1, 4) }, () => {
    const action = rng.pick(ACTIONS);
    return `${changed(action)}\n${'delete' in action ? '' : `${changed(rng.pick('update' in action ? UPDATES : SOURCES))}\n`}`;
  });
  const bytes = Buffer.from(lines.join(''));
  for (let change = rng.pick([0, 0, 0, 0, 1, 3]); change > 0; change--)
    bytes[rng.int(0, bytes.length - 1)] = rng.pick([0, 10, 13, 34, 92, 123, 125, 128, 255, 44, 58]);
  const cut = rng.bool(0.1) ? rng.int(0, bytes.length) : bytes.length;
  return [
    [
      `POST /_bulk${rng.pick(['', '?refresh=true', '?_source=a', '?require_alias=true', '?pipeline=x', '?list_executed_pipelines=true'])}`,
      bytes.subarray(0, cut),
    ],
    ['DELETE /fuzz-new', ''],
  ];
};

const CONTEXTS = [
  'painless_test',
  'filter',
  'score',
  'boolean_field',
  'date_field',
  'double_field',
  'geo_point_field',
  'ip_field',
  'keyword_field',
  'long_field',
  'composite_field',
];

/** One source in each context. */
const scripts: Family = (rng) => {
  const script = { source: scriptSource(rng), params: { k: 2, x: ['a'] } };
  const changing = {
    ...script,
    source: `${scriptSource(rng, false).replace('return', 'ctx._source.v_new =')} ctx.op = ctx._source.size() > 9 ? 'none' : ctx.op;`,
  };
  const setup = { index: 'INDEX', document: { v_long: 3, v_text: 'a fox', v_date: '2024-01-01' } };
  const runtime = {
    type: rng.pick(['long', 'keyword', 'date', 'ip', 'double', 'boolean', 'geo_point', 'composite']),
    script: rng.bool() ? script : { ...script, source: script.source.replace(/return (.*);$/, 'emit($1);') },
  };
  const metric = {
    init_script: 'state.s = []',
    map_script: script,
    combine_script: rng.bool() ? scriptSource(rng, false) : 'return state',
    reduce_script: rng.bool() ? scriptSource(rng, false) : 'return states',
  };
  const bodies: Json[] = [
    { query: { script: { script } } },
    { query: { script_score: { query: { match_all: {} }, script } } },
    { query: { function_score: { script_score: { script } } } },
    { script_fields: { s: { script } } },
    { sort: { _script: { type: rng.pick(['number', 'string', 'version']), script } } },
    { runtime_mappings: { r: runtime }, fields: ['r', 'r.a'], sort: ['r'], aggs: { t: { terms: { field: 'r' } } } },
    { size: 0, aggs: { s: { scripted_metric: metric } } },
    {
      size: 0,
      aggs: {
        t: { terms: { script } },
        s: { stats: { field: 'v_long', script } },
        h: { date_histogram: { script, fixed_interval: '1d' } },
      },
    },
    {
      size: 0,
      aggs: {
        t: {
          terms: { field: 'v_keyword' },
          aggs: {
            n: { max: { field: 'v_long' } },
            p: { bucket_script: { buckets_path: { a: 'n' }, script: { ...script, source: scriptSource(rng, false) } } },
          },
        },
      },
    },
    {
      size: 0,
      aggs: {
        h: {
          histogram: { field: 'v_long', interval: 2 },
          aggs: { n: { max: { field: 'v_long' } }, p: { moving_fn: { buckets_path: 'n', window: 2, script: scriptSource(rng, false) } } },
        },
      },
    },
    { query: { terms_set: { v_keyword: { terms: ['brown1'], minimum_should_match_script: script } } } },
    { query: { intervals: { v_text: { match: { query: 'fox', filter: { script } } } } } },
  ];
  return [
    search(rng.pick(bodies)),
    search(rng.pick(bodies)),
    [
      'POST /_scripts/painless/_execute',
      JSON.stringify({
        script: { ...script, source: rng.bool() ? script.source : script.source.replace(/return (.*);$/, 'emit($1);') },
        context: rng.pick(CONTEXTS),
        context_setup: setup,
      }),
    ],
    ['POST /fuzz-new/_update/1', JSON.stringify({ script: changing, upsert: { v_long: 1, v_text: 'a' }, scripted_upsert: true })],
    ['POST /fuzz-new/_update_by_query?refresh=true', JSON.stringify({ script: changing })],
    [
      'POST /_ingest/pipeline/_simulate',
      JSON.stringify({
        pipeline: { processors: [{ script: { ...script, source: scriptSource(rng, false).replace('return', 'ctx.new =') } }] },
        docs: [{ _source: rng.pick(SOURCES) }],
      }),
    ],
  ];
};

export const FAMILIES: Readonly<Record<string, Family>> = { searches, reads, analyses, definitions, mappings, pipelines, bulks, scripts };
