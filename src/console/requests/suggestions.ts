// Suggestions at the cursor, from the catalog: path segments, parameters, names and values in bodies. Independent of the editor.
import type { Catalog, CatalogApi, Clause, Kind } from '../catalog-types.ts';
import type { BodyContext } from './body-context.ts';

export interface Suggestion {
  readonly label: string;
  /** One or two words next to the label. */
  readonly detail?: string;
  /** A sentence. */
  readonly info?: string;
  /** JSON to insert after a name, with `|` at the cursor's place. */
  readonly value?: string;
}

/** Names from the running service. */
export interface LiveNames {
  readonly indices: readonly string[];
  /** Types by the paths of fields. */
  readonly fields: ReadonlyMap<string, string>;
}

// ------------------------------------------------------------------------------------------------------------------ paths

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');
const isParam = (segment: string): boolean => segment.startsWith('{');

function matches(route: readonly string[], path: readonly string[]): boolean {
  return path.every(
    (segment, i) => route[i] !== undefined && (isParam(route[i]) ? !segment.startsWith('_') || i > 0 : route[i] === segment),
  );
}

function routesOf(api: CatalogApi, method: string | null): string[][] {
  return api.routes
    .map((route) => route.split(' '))
    .filter(([routeMethod]) => method === null || routeMethod === method)
    .map(([, path]) => segmentsOf(path));
}

/** The API of a request; literal segments take precedence over parameters, as in the service. null if there is none. */
export function apiOfPath({ apis }: Catalog, method: string | null, path: string): CatalogApi | null {
  const segments = segmentsOf(path.split('?')[0]);
  let best: { api: CatalogApi; literals: number } | null = null;
  for (const api of apis) {
    for (const route of routesOf(api, method)) {
      if (route.length !== segments.length || !matches(route, segments)) continue;
      const literals = route.filter((segment) => !isParam(segment)).length;
      if (best === null || literals > best.literals) best = { api, literals };
    }
  }
  return best?.api ?? null;
}

/** The index expression of a path; null if it names none. */
export function indexOfPath(path: string): string | null {
  const [first] = segmentsOf(path.split('?')[0]);
  return first === undefined || first.startsWith('_') ? null : decodeURIComponentOr(first);
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Segments that may follow `before`, a path without its last, incomplete segment. */
export function segmentSuggestions(catalog: Catalog, method: string, before: string, { indices }: LiveNames): Suggestion[] {
  const segments = segmentsOf(before);
  const found = new Map<string, Suggestion>();
  const add = (suggestion: Suggestion): void => {
    if (!found.has(suggestion.label)) found.set(suggestion.label, suggestion);
  };
  for (const api of catalog.apis) {
    for (const route of routesOf(api, method)) {
      if (route.length <= segments.length || !matches(route, segments)) continue;
      const next = route[segments.length];
      if (!isParam(next)) add({ label: next, detail: route.length === segments.length + 1 ? api.name : undefined });
      else if (/^\{(?:index|target|alias|name)\}$/.test(next) && (segments.length === 0 || next === '{index}'))
        for (const index of indices) add({ label: index, detail: 'index' });
    }
  }
  return [...found.values()];
}

/** Parameters of the API of a path, or values of one of them. */
export function paramSuggestions(catalog: Catalog, method: string, path: string, query: string): Suggestion[] {
  const api = apiOfPath(catalog, method, path);
  const last = query.slice(query.lastIndexOf('&') + 1);
  const params = { ...catalog.commonParams, ...api?.params };
  const [name, value] = last.split('=', 2);
  if (value !== undefined) return valuesOfParam(params[name]).map((label) => ({ label }));
  const given = new Set(query.split('&').map((part) => part.split('=')[0]));
  return Object.entries(params)
    .filter(([param]) => !given.has(param) || param === last)
    .map(([label, detail]) => ({ label, detail }));
}

function valuesOfParam(kind: string | undefined): string[] {
  if (kind === 'boolean') return ['true', 'false'];
  if (kind === 'refresh') return ['true', 'false', 'wait_for'];
  if (kind === 'expandWildcards') return ['open', 'closed', 'hidden', 'none', 'all'];
  return [];
}

// ------------------------------------------------------------------------------------------------------------------ bodies

/** A place in a body: a kind of value, or an object whose names are known. */
type Place = { readonly kind: Kind } | { readonly clause: Clause } | { readonly special: 'agg' | 'fieldDefinition' } | null;

const ANY: Place = null;

/** Suggestions for a body of the API of a request. */
export function bodySuggestions(catalog: Catalog, api: CatalogApi | null, context: BodyContext, names: LiveNames): Suggestion[] {
  if (api === null || api.object === '') return [];
  let place: Place = { kind: `object/${api.object}` };
  for (const key of context.path) place = step(catalog, place, key);
  const given = new Set(context.siblings);
  const all = context.at === 'key' ? keysAt(catalog, place, names) : valuesAt(catalog, place, names);
  return all.filter(({ label }) => !given.has(label));
}

function step(catalog: Catalog, place: Place, key: string): Place {
  if (place === null) return ANY;
  if ('special' in place) {
    if (place.special === 'agg') {
      if (key === 'aggs' || key === 'aggregations') return { kind: 'aggs' };
      return clausePlace(catalog.aggregations[key]);
    }
    if (key === 'properties' || key === 'fields') return { kind: 'properties' };
    if (key === 'type') return { kind: 'fieldType' };
    const kinds = Object.values(catalog.fieldTypes).map(({ keys }) => keys[key]);
    const kind = kinds.find((found) => found !== undefined);
    return kind === undefined ? ANY : { kind };
  }
  if ('clause' in place) {
    const { clause } = place;
    if (clause.by === 'field') return { clause: { about: clause.about, keys: clause.keys } };
    if (clause.by === 'query') return step(catalog, { kind: 'query' }, key);
    const kind = clause.keys[key];
    return kind === undefined ? ANY : { kind };
  }
  const { kind } = place;
  const [family, object] = kind.split('/');
  switch (family) {
    case 'query':
      return clausePlace(catalog.queries[key]);
    case 'queries':
      return key === '*' ? { kind: 'query' } : clausePlace(catalog.queries[key]);
    case 'aggs':
      return { special: 'agg' };
    case 'properties':
      return { special: 'fieldDefinition' };
    case 'processors':
      return key === '*' ? { kind: 'processor' } : ANY;
    case 'object':
      return step(catalog, { clause: catalog.objects[object] }, key);
    case 'objects':
      return key === '*' ? { kind: `object/${object}` } : ANY;
    case 'named':
      return { kind: `object/${object}` };
    case 'fields':
      return { kind: 'field' };
    case 'filters':
    case 'char_filters':
      return { kind: family.slice(0, -1) };
    default:
      return ANY;
  }
}

const clausePlace = (clause: Clause | undefined): Place => (clause ? { clause } : ANY);

function keysAt(catalog: Catalog, place: Place, names: LiveNames): Suggestion[] {
  if (place === null) return [];
  if ('special' in place) {
    if (place.special === 'agg')
      return [
        ...clauses(catalog.aggregations, 'aggregation'),
        { label: 'aggs', value: '{ | }', info: 'Sub-aggregations, computed for each bucket.' },
      ];
    const params = new Map<string, Kind>();
    for (const { keys } of Object.values(catalog.fieldTypes)) for (const [key, kind] of Object.entries(keys)) params.set(key, kind);
    return [
      { label: 'type', value: '"|"', info: 'Type of the field.' },
      { label: 'fields', value: '{ | }', info: 'The same value indexed in other ways.' },
      ...[...params].map(([label, kind]) => ({ label, detail: detailOf(kind), value: valueOf(kind) })),
    ];
  }
  if ('clause' in place) return keysOfClause(catalog, place.clause, names);
  const [family, object] = place.kind.split('/');
  switch (family) {
    case 'query':
    case 'queries':
      return clauses(catalog.queries, 'query');
    case 'object':
      return keysOfClause(catalog, catalog.objects[object], names);
    case 'processor':
      return catalog.processors.map((label) => ({ label, detail: 'processor', value: '{ | }' }));
    default:
      return object === 'highlight_field' ? fieldKeys(names) : [];
  }
}

function keysOfClause(catalog: Catalog, { keys, by }: Clause, names: LiveNames): Suggestion[] {
  if (by === 'field') return fieldKeys(names);
  if (by === 'query') return clauses(catalog.queries, 'query');
  const own = Object.entries(keys).map(([label, kind]) => ({
    label,
    detail: detailOf(kind),
    value: valueOf(kind),
    info: infoOf(catalog, kind),
  }));
  return by === 'field-or-key' ? [...fieldKeys(names), ...own] : own;
}

const fieldKeys = ({ fields }: LiveNames): Suggestion[] => [...fields].map(([label, detail]) => ({ label, detail, value: '|' }));

function clauses(table: Readonly<Record<string, Clause>>, detail: string): Suggestion[] {
  return Object.entries(table).map(([label, { about }]) => ({ label, detail, info: about, value: '{ | }' }));
}

function infoOf({ objects }: Catalog, kind: Kind): string | undefined {
  const object = kind.split('/')[1];
  return object === undefined ? undefined : objects[object]?.about;
}

function detailOf(kind: Kind): string | undefined {
  return kind === 'any' || kind.includes('|') ? undefined : kind.split('/')[0];
}

function valueOf(kind: Kind): string {
  const [family] = kind.split('/');
  if (['query', 'queries', 'aggs', 'object', 'named', 'properties'].includes(family)) return '{ | }';
  if (['fields', 'filters', 'char_filters', 'processors', 'objects'].includes(family)) return '[|]';
  if (['string', 'field', 'index', 'analyzer', 'tokenizer', 'filter', 'char_filter'].includes(family) || kind.includes('|')) return '"|"';
  return '|';
}

function valuesAt(catalog: Catalog, place: Place, names: LiveNames): Suggestion[] {
  if (place === null || 'special' in place || 'clause' in place) return [];
  const { kind } = place;
  if (kind.includes('|')) return kind.split('|').map((label) => ({ label }));
  const list = (labels: readonly string[], detail: string): Suggestion[] => labels.map((label) => ({ label, detail }));
  switch (kind) {
    case 'boolean':
      return [{ label: 'true' }, { label: 'false' }];
    case 'field':
      return [...names.fields].map(([label, detail]) => ({ label, detail }));
    case 'index':
      return list(names.indices, 'index');
    case 'analyzer':
      return list(catalog.analyzers, 'analyzer');
    case 'tokenizer':
      return list(catalog.tokenizers, 'tokenizer');
    case 'filter':
      return list(catalog.tokenFilters, 'token filter');
    case 'char_filter':
      return list(catalog.charFilters, 'char filter');
    case 'fieldType':
      return Object.entries(catalog.fieldTypes).map(([label, { about }]) => ({ label, detail: 'type', info: about }));
    default:
      return [];
  }
}
