// Estimates what a search costs before any of it runs, so that one that would block the event loop for long starts in a lane at once. Only
// work without checks of its own must be predicted: scripts, patterns, requested buckets, pages of many hits, clauses. Any other work that
// turns out to be slow is abandoned at its next check (src/common/turns/turn.ts). Unit: microseconds on a current core, right within a factor of
// three.
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import type { LeafQuery, Query } from '../../query/query.ts';
import type { ScriptSpec } from '../../scripting/script-spec.ts';
import type { SearchRequest } from './search-request.ts';

/** A search above this cost does not run on a thread with a listener. */
export const HEAVY_US = 25_000;

/** A search above this cost does not run on a busy thread with a listener. */
export const MODERATE_US = 2_500;

/** Cost of work that has no predictable end. */
const UNBOUNDED_US = Number.POSITIVE_INFINITY;

const SCRIPT_US_PER_DOC = 3;
const SHAPE_US_PER_DOC = 0.5;
const JOIN_US_PER_DOC = 0.1;
const COMBINED_US_PER_DOC = 0.1;
/** Per document of the index, although only candidates are compared. */
const PERCOLATE_US_PER_DOC = 1;
/** Per term of the dictionary, of which there are at most as many as documents in most indices. */
const PATTERN_US_PER_DOC = 0.05;
const TEXT_US_PER_DOC = 20;
const CLAUSE_US = 10;
const VALUE_US = 0.3;
const BUCKET_US = 0.5;
const HIT_US = 4;
const HIGHLIGHT_US_PER_HIT = 100;
const EXPLAIN_US_PER_HIT = 200;
const INNER_HIT_US = 20;
const RESCORE_US = 1;
const SUGGEST_US = 500;
/** Cost of a regular expression per state of its automaton, which may grow again while it is made deterministic. */
const STATE_US = 10;

/** @param docs  documents in the shards that are searched, deleted ones included */
export function costOfSearch(request: SearchRequest, docs: number): number {
  let cost = 0;
  if (request.query !== null) cost += costOfQuery(request.query, docs);
  for (const { request: one } of request.rank?.searches ?? []) cost += costOfSearch(one, docs);
  for (const { query } of request.knn) for (const filter of query.filter) cost += costOfQuery(filter, docs);
  if (request.postFilter !== null) cost += costOfQuery(request.postFilter, docs);
  if (request.aggs !== null) cost += costOfAggregations(request.aggs, docs, 1, 1);
  for (const sort of request.sort) if (sort.by === 'script') cost += costOfScript(sort.script, docs);
  for (const { windowSize, query } of request.rescore) cost += windowSize * RESCORE_US + costOfQuery(query, windowSize);
  cost += request.suggest.length * SUGGEST_US;
  if (request.runtimeMappings !== null) cost += costOfScripts(request.runtimeMappings, docs);
  return cost + costOfPage(request);
}

function costOfPage(request: SearchRequest): number {
  let perHit = HIT_US + request.fields.length + request.docvalueFields.length;
  if (request.highlight.length > 0) perHit += HIGHLIGHT_US_PER_HIT;
  if (request.explain) perHit += EXPLAIN_US_PER_HIT;
  for (const { script } of request.scriptFields) perHit += costOfScript(script, 1);
  for (const inner of request.collapse?.innerHits ?? []) perHit += (inner.request.size + 5) * INNER_HIT_US;
  return request.size * perHit;
}

/** Cost of running the query over all documents, without what kernels do quickly. */
export function costOfQuery(query: Query, docs: number): number {
  switch (query.kind) {
    case 'bool': {
      let cost = 0;
      for (const clauses of [query.must, query.filter, query.should, query.mustNot])
        for (const clause of clauses) cost += costOfQuery(clause, docs);
      return cost;
    }
    case 'dis_max':
      return query.queries.reduce((cost, child) => cost + costOfQuery(child, docs), 0);
    case 'pinned':
      return costOfQuery(query.organic, docs);
    case 'percolate':
      return docs * PERCOLATE_US_PER_DOC + (query.documents?.length ?? 1) * TEXT_US_PER_DOC;
    case 'combined_fields':
      return docs * COMBINED_US_PER_DOC * query.fields.length;
    case 'constant_score':
      return costOfQuery(query.filter, docs);
    case 'boosting':
      return costOfQuery(query.positive, docs) + costOfQuery(query.negative, docs);
    case 'knn':
      return query.filter.reduce((cost, filter) => cost + costOfQuery(filter, docs), CLAUSE_US);
    case 'vector_hits':
      return CLAUSE_US;
    case 'nested':
      return CLAUSE_US + costOfQuery(query.query, docs);
    case 'has_child':
    case 'has_parent':
      return costOfQuery(query.query, docs) + docs * JOIN_US_PER_DOC;
    case 'function_score': {
      let cost = query.query === null ? 0 : costOfQuery(query.query, docs);
      for (const { filter, function: scored } of query.functions) {
        if (filter !== null) cost += costOfQuery(filter, docs);
        if (scored.kind === 'script') cost += costOfScript(scored.script, docs);
      }
      return cost;
    }
    case 'script_score':
      return costOfQuery(query.query, docs) + costOfScript(query.script, docs);
    case 'script':
      return costOfScript(query.script, docs);
    case 'terms_set':
      return query.terms.length * CLAUSE_US + (query.minimumScript === null ? 0 : costOfScript(query.minimumScript, docs));
    case 'terms':
    case 'ids':
      return query.values.length * VALUE_US;
    case 'regexp':
      return costOfPattern(query.value) + (/^[\w ]{2}/.test(query.value) ? 0 : docs * PATTERN_US_PER_DOC);
    case 'wildcard':
      return CLAUSE_US + (/^[*?]/.test(query.value) ? docs * PATTERN_US_PER_DOC : 0);
    case 'query_string':
      return costOfQueryString(query.text, docs);
    case 'geo_shape':
      return docs * SHAPE_US_PER_DOC;
    default:
      query satisfies LeafQuery;
      return CLAUSE_US;
  }
}

function costOfQueryString(text: string, docs: number): number {
  let cost = text.length * 2;
  if (text.includes('/')) cost += costOfPattern(text) + docs * PATTERN_US_PER_DOC;
  else if (/(?:^|[\s:(])[*?]./.test(text)) cost += docs * PATTERN_US_PER_DOC;
  return cost;
}

/** Repetitions in a pattern multiply: `((a{0,60}){0,300}` has 18,000 copies of `a`. */
function costOfPattern(pattern: string): number {
  let copies = 1;
  for (const [, low, high] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) copies *= Math.max(1, Number(low), Number(high ?? 0));
  return pattern.length * copies * STATE_US;
}

/** Constructs that may repeat steps, or contain such constructs: loops, lambdas, regular expressions, functions, a stored script. */
const LOOP = /\b(?:for|while|do)\b|->|=~|==~|::|\bPattern\b|\.(?:replace|split|repeat)/;

function costOfScript({ source, lang }: ScriptSpec, docs: number): number {
  if (lang === 'expression') return docs;
  return source === null || LOOP.test(source) ? UNBOUNDED_US : docs * SCRIPT_US_PER_DOC;
}

/** Cost of the scripts anywhere in a part of the request, each over all documents. */
function costOfScripts(json: unknown, docs: number): number {
  if (typeof json !== 'object' || json === null) return 0;
  let cost = 0;
  for (const [key, value] of Object.entries(json)) {
    if (key === 'script' || key.endsWith('_script')) cost += costOfScriptJson(value, docs);
    else cost += costOfScripts(value, docs);
  }
  return cost;
}

function costOfScriptJson(script: unknown, docs: number): number {
  const source = typeof script === 'string' ? script : isObject(script) ? script['source'] : undefined;
  return typeof source !== 'string' || LOOP.test(source) ? UNBOUNDED_US : docs * SCRIPT_US_PER_DOC;
}

/** @param buckets  buckets that the levels above may return */
function costOfAggregations(aggs: JsonObject, docs: number, buckets: number, depth: number): number {
  if (depth > 20) return UNBOUNDED_US;
  let cost = 0;
  for (const name in aggs) {
    const definition = aggs[name];
    if (!isObject(definition)) continue;
    for (const type in definition) {
      const body = definition[type];
      if (type === 'meta' || type === 'aggs' || type === 'aggregations' || !isObject(body)) continue;
      const made = bucketsOf(type, body);
      cost += buckets * made * BUCKET_US + costOfAggregation(type, body, docs, buckets);
      for (const key of ['aggs', 'aggregations']) {
        const below = definition[key];
        if (isObject(below)) cost += costOfAggregations(below, docs, buckets * made, depth + 1);
      }
    }
  }
  return cost;
}

/** The cost of an aggregation in addition to its buckets. */
function costOfAggregation(type: string, body: JsonObject, docs: number, buckets: number): number {
  if (type === 'scripted_metric') return UNBOUNDED_US;
  if (type === 'significant_text') return docs * TEXT_US_PER_DOC;
  if (type === 'top_hits') return buckets * numberOf(body['size'], 3) * INNER_HIT_US;
  // Scripts of pipelines run once per bucket.
  if (type.startsWith('bucket_') || type === 'moving_fn') return costOfScripts(body, buckets);
  return costOfScripts(body, docs);
}

/** Buckets that an aggregation may return under each bucket of its parent, as far as the request states it. */
function bucketsOf(type: string, body: JsonObject): number {
  if (type === 'auto_date_histogram' || type === 'variable_width_histogram') return numberOf(body['buckets'], 10);
  for (const list of [body['filters'], body['ranges']]) {
    if (Array.isArray(list)) return list.length * (1 + CLAUSE_US);
    if (isObject(list)) return Object.keys(list).length * (1 + CLAUSE_US);
  }
  const size = numberOf(body['size'], type.endsWith('histogram') ? 100 : 10);
  return type === 'top_hits' ? 1 : size;
}

function numberOf(value: unknown, fallback: number): number {
  const number = Number(value);
  return value === undefined || !Number.isFinite(number) ? fallback : Math.max(1, number);
}
