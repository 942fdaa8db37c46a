// Generated writes: documents with and without versions, bulk requests, updates, mappings that grow, and reads of the result.
import type { Rng } from '../../support/rng.ts';
import { documentOf, type Family, INDEX, type PeerRequest, TAGS, textOf, WORDS } from '../scenario.ts';
import { broken } from './queries.ts';

type Json = Record<string, unknown>;

const idOf = (rng: Rng): string => rng.pick(['1', '2', 'a%20b', 'x']);
const settings = { number_of_shards: 1, number_of_replicas: 0 };

const WRITES: ReadonlyArray<(rng: Rng) => PeerRequest> = [
  (rng) => ({
    line: `PUT /tmp-docs/_doc/${idOf(rng)}${rng.pick(['', '?op_type=create', '?version=3&version_type=external', '?if_seq_no=0&if_primary_term=1', '?refresh=true', '?routing=r', '?require_alias=true'])}`,
    body: documentOf(rng),
  }),
  (rng) => ({ line: `PUT /tmp-docs/_create/${idOf(rng)}`, body: documentOf(rng) }),
  (rng) => ({
    line: `DELETE /tmp-docs/_doc/${idOf(rng)}${rng.pick(['', '?if_seq_no=1&if_primary_term=1', '?version=9&version_type=external'])}`,
  }),
  (rng) => ({
    line: `POST /tmp-docs/_update/${idOf(rng)}`,
    body: rng.pick<Json>([
      { doc: { count: rng.int(0, 9) } },
      { doc: { count: 1 }, doc_as_upsert: true },
      { doc: {} },
      { upsert: { count: 1 }, doc: { tag: 'x' } },
      { doc: { count: 1 }, detect_noop: false },
      { nothing: 1 },
      {},
    ]),
  }),
  (rng) => ({
    line: `GET /tmp-docs/_doc/${idOf(rng)}${rng.pick(['', '?_source=false', '?_source_includes=t*', '?realtime=false', '?version=1', '?stored_fields=title'])}`,
  }),
  (rng) => ({ line: `GET /tmp-docs/_source/${idOf(rng)}` }),
  (rng) => ({ line: `HEAD /tmp-docs/_doc/${idOf(rng)}` }),
  (rng) => ({
    line: 'POST /tmp-docs/_mget',
    body: rng.pick<Json>([
      { ids: ['1', '2', 'z'] },
      {
        docs: [
          { _id: '1', _source: false },
          { _id: 'x', _source: ['tag'] },
          { _index: 'missing', _id: '1' },
        ],
      },
      { docs: [] },
      {},
    ]),
  }),
  (rng) => ({
    line: `POST /tmp-docs/_bulk${rng.pick(['', '?refresh=true'])}`,
    body: [
      { index: { _id: '1' } },
      documentOf(rng),
      { create: { _id: idOf(rng) } },
      documentOf(rng),
      { update: { _id: 'x' } },
      { doc: { count: rng.pick<unknown>([1, 'not a number']) } },
      { delete: { _id: idOf(rng) } },
      { index: { _index: rng.pick(['tmp-docs', 'Bad Name']) } },
      { count: 1 },
    ],
  }),
  (rng) => ({
    line: 'POST /tmp-docs/_bulk',
    body: rng.pick(['{"index":{}}\n{"a":\n', '{"unknown":{}}\n{}\n', '{"index":{"_id":"1","_nothing":1}}\n{}\n', '{"index":{}}', '\n']),
  }),
  () => ({ line: 'POST /tmp-docs/_search?version=true&seq_no_primary_term=true', body: { sort: ['count', '_doc'], size: 20 } }),
  () => ({ line: 'POST /tmp-docs/_refresh' }),
  (rng) => ({ line: `PUT /tmp-docs/_doc/1`, body: broken(rng, { ...documentOf(rng), count: 1, owner: { age: 1 } }) }),
];

export const documents: Family = (rng) => [
  {
    line: 'PUT /tmp-docs',
    body: {
      settings,
      mappings: {
        properties: {
          count: { type: 'integer' },
          tag: { type: 'keyword' },
          title: { type: 'text' },
          owner: { properties: { age: { type: 'byte' } } },
        },
      },
    },
  },
  ...Array.from({ length: rng.int(2, 6) }, () => rng.pick(WRITES)(rng)),
];

const VALUES: ReadonlyArray<(rng: Rng) => unknown> = [
  (rng) => rng.int(-5, 5),
  () => 1.5,
  () => 2 ** 40,
  () => true,
  () => '2024-01-02',
  () => '2024/01/02',
  () => '12',
  (rng) => textOf(rng),
  (rng) => rng.pick(TAGS),
  (rng) => ({ [rng.pick(WORDS)]: rng.int(0, 3) }),
  (rng) => [rng.int(0, 3), rng.int(0, 3)],
  (rng) => [{ a: rng.int(0, 3) }, { b: 'x' }],
  () => null,
  () => [],
  () => ({}),
  () => [1, 'x'],
  () => '10.0.0.1',
];

export const dynamicMappings: Family = (rng) => {
  const options: Json = {
    dynamic: rng.pick<unknown>([true, false, 'strict', 'runtime']),
    date_detection: rng.bool(),
    numeric_detection: rng.bool(),
    dynamic_templates: [
      {
        t: rng.pick<Json>([
          { match_mapping_type: 'string', mapping: { type: 'keyword' } },
          { match: 'a*', mapping: { type: 'long' } },
          { path_match: 'o.*', mapping: { type: 'text' } },
          { match_mapping_type: 'long', mapping: { type: 'integer', index: false } },
          { mapping: { type: 'keyword' } },
        ]),
      },
    ],
    properties: { known: { type: rng.pick(['long', 'keyword', 'object', 'date', 'boolean', 'ip', 'geo_point']) } },
  };
  const mappings = Object.fromEntries(Object.entries(options).filter(() => rng.bool(0.4)));
  const document = Object.fromEntries(
    ['known', 'a', 'a1', 'o', 'o.x', 'd'].filter(() => rng.bool(0.5)).map((name) => [name, rng.pick(VALUES)(rng)]),
  );
  return [
    { line: 'PUT /tmp-map', body: { settings, mappings } },
    { line: 'PUT /tmp-map/_doc/1?refresh=true', body: document },
    { line: 'GET /tmp-map/_mapping' },
    { line: 'POST /tmp-map/_search', body: { fields: ['*'] } },
  ];
};

const TYPES = [
  'text',
  'keyword',
  'long',
  'integer',
  'short',
  'byte',
  'double',
  'float',
  'half_float',
  'unsigned_long',
  'boolean',
  'date',
  'date_nanos',
  'ip',
  'binary',
  'geo_point',
  'object',
  'nested',
  'integer_range',
  'date_range',
  'ip_range',
  'completion',
  'alias',
  'nothing',
];
const PARAMETERS: Json = {
  index: false,
  doc_values: false,
  store: true,
  null_value: 1,
  ignore_malformed: true,
  coerce: false,
  analyzer: 'standard',
  ignore_above: 5,
  norms: false,
  copy_to: 'all',
  boost: 2,
  format: 'yyyy',
  fielddata: true,
  eager_global_ordinals: true,
  path: 'known',
  dynamic: 'strict',
  enabled: false,
  similarity: 'boolean',
  index_options: 'docs',
  meta: { a: 'b' },
  split_queries_on_whitespace: true,
  term_vector: 'yes',
  nothing: 1,
  position_increment_gap: 3,
};

export const fieldTypes: Family = (rng) => {
  const parameters = Object.fromEntries(Object.entries(PARAMETERS).filter(() => rng.bool(0.06)));
  const field = { type: rng.pick(TYPES), ...parameters };
  return [
    { line: 'PUT /tmp-types', body: { settings, mappings: { properties: { known: { type: 'keyword' }, f: field } } } },
    { line: 'GET /tmp-types/_mapping' },
    { line: 'PUT /tmp-types/_doc/1?refresh=true', body: { f: rng.pick(VALUES)(rng) } },
    {
      line: 'POST /tmp-types/_search',
      body: { query: { exists: { field: 'f' } }, fields: ['f'], ...(rng.bool(0.5) ? { sort: ['f'] } : {}) },
    },
    {
      line: 'PUT /tmp-types/_mapping',
      body: { properties: { f: { ...field, ...Object.fromEntries(Object.entries(PARAMETERS).filter(() => rng.bool(0.05))) } } },
    },
    { line: `GET /tmp-types/_mapping/field/${rng.pick(['f', '*', 'nope'])}` },
  ];
};

export const byQuery: Family = (rng) => [
  { line: `GET /${INDEX}/_doc/${rng.int(1, 130)}?_source=${rng.pick(['true', 'false', 'tag,count', 'owner.*'])}` },
  { line: `GET /${INDEX}/_mget`, body: { ids: [String(rng.int(1, 120)), 'none'] } },
];
