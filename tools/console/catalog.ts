// Writes a description of the APIs as JSON: routes and parameters of all APIs, queries, aggregations, field types, processors, analysis.
// The console completes requests by it, and `/_console/api.json` offers it to other editors.
//   npx tsx tools/console/catalog.ts FILE
// Names come from the tables of the service; tools/console/clauses.ts adds sentences and keys.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { PIPELINE_NAMES } from '../../src/aggs/pipelines/pipelines.ts';
import { AGG_NAMES } from '../../src/aggs/registry.ts';
import { ANALYZERS, CHAR_FILTERS, TOKEN_FILTERS, TOKENIZERS } from '../../src/analysis/registry.ts';
import type { Catalog, CatalogApi, Clause } from '../../src/console/catalog-types.ts';
import { PROCESSORS } from '../../src/ingest/processors/registry.ts';
import { MAPPER_TYPES } from '../../src/mapping/types/registry.ts';
import { QUERY_NAMES } from '../../src/query/parse-query.ts';
import { ALL_APIS } from '../../src/rest/all-apis.ts';
import { type ApiSpec, COMMON_PARAMS } from '../../src/rest/core/api.ts';
import { UNSUPPORTED_APIS } from '../../src/rest/core/unsupported.ts';
import { AGGREGATIONS, BODIES, type Clauses, FIELD_TYPES, OBJECTS, QUERIES } from './clauses.ts';

const BODY_KINDS: Readonly<Record<string, CatalogApi['body']>> = {
  none: 'none',
  ignored: 'none',
  json: 'optional',
  'json!': 'required',
  bytes: 'optional',
  'bytes!': 'required',
  'ndjson!': 'ndjson',
  'stream!': 'ndjson',
};

function apiOf({ name, routes, params, body }: ApiSpec): CatalogApi {
  const kinds = typeof params === 'object' ? Object.entries(params) : [];
  return {
    name,
    routes: Object.keys(routes).map((route) => route.replace(/ +/, ' ')),
    params: Object.fromEntries(kinds.filter(([param]) => !Object.hasOwn(COMMON_PARAMS, param))),
    body: BODY_KINDS[body ?? 'none'],
    object: BODIES[name] ?? '',
  };
}

function clauseOf(name: string, [about, keys]: Clauses[string]): Clause {
  const isByField = keys.startsWith('@');
  const parts = keys
    .replace('@', '')
    .split(' ')
    .filter((part) => part !== '');
  const given = parts.filter((part) => part !== 'field-name' && part !== 'query-name');
  const kinds = given.map((part): [string, string] => {
    const colon = part.indexOf(':');
    return colon < 0 ? [part, 'any'] : [part.slice(0, colon), part.slice(colon + 1)];
  });
  for (const [key, kind] of kinds) {
    const object = /^(?:object|objects|named)\/(.+)$/.exec(kind)?.[1];
    if (object !== undefined && !Object.hasOwn(OBJECTS, object)) throw new Error(`[${name}.${key}] names an unknown object [${object}]`);
  }
  const by = isByField ? 'field' : parts.includes('field-name') ? 'field-or-key' : parts.includes('query-name') ? 'query' : undefined;
  return { about, keys: Object.fromEntries(kinds), ...(by ? { by } : {}) };
}

/** A name without a description is offered without one, so that the tables of the service can grow alone. */
function clausesOf(names: readonly string[], clauses: Clauses): Record<string, Clause> {
  return Object.fromEntries(names.map((name) => [name, clauseOf(name, clauses[name] ?? ['', ''])]));
}

function fieldTypes(): Record<string, Clause> {
  const inMappings = new Set(['object', 'nested', 'alias']);
  const names = [...inMappings, ...MAPPER_TYPES.keys()];
  const clauses = clausesOf(names, Object.fromEntries(Object.entries(FIELD_TYPES).map(([name, about]) => [name, [about, '']])));
  for (const [name, { params }] of MAPPER_TYPES)
    clauses[name] = { ...clauses[name], keys: Object.fromEntries(Object.keys(params).map((param) => [param, paramKind(param)])) };
  for (const name of ['object', 'nested'])
    clauses[name] = { ...clauses[name], keys: { properties: 'properties', dynamic: 'true|false|strict', enabled: 'boolean' } };
  clauses.alias = { ...clauses.alias, keys: { path: 'field' } };
  return clauses;
}

function paramKind(param: string): string {
  if (param.endsWith('analyzer')) return 'analyzer';
  return ['index', 'store', 'doc_values', 'norms', 'fielddata', 'ignore_malformed', 'coerce'].includes(param) ? 'boolean' : 'any';
}

/** @throws Error a key of tools/console/clauses.ts names an object that it does not describe */
export function buildCatalog(): Catalog {
  return {
    apis: ALL_APIS.filter((api) => !UNSUPPORTED_APIS.includes(api)).map(apiOf),
    commonParams: Object.fromEntries(Object.entries(COMMON_PARAMS)) as Record<string, string>,
    queries: clausesOf(QUERY_NAMES, QUERIES),
    aggregations: clausesOf([...AGG_NAMES, ...PIPELINE_NAMES], AGGREGATIONS),
    fieldTypes: fieldTypes(),
    processors: [...PROCESSORS.keys()].sort(),
    analyzers: [...ANALYZERS.keys()].sort(),
    tokenizers: [...TOKENIZERS.keys()].sort(),
    tokenFilters: [...TOKEN_FILTERS.keys()].sort(),
    charFilters: [...CHAR_FILTERS.keys()].sort(),
    objects: clausesOf(Object.keys(OBJECTS), OBJECTS),
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync(process.argv[2], JSON.stringify(buildCatalog()));
