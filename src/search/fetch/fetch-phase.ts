// The fetch phase: the hits of a page with sources, fields, versions, sort values, matched queries.

import { jsonFloat } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { RawJson } from '../../common/json/raw-json.ts';
import { filterSource, type SourceFilter } from '../../common/json/source-filter.ts';
import { hasJavaNumbers, parseToWrite } from '../../common/json/source-numbers.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { TSID } from '../../mapping/core/time-series.ts';
import { vectorFieldNames } from '../../mapping/core/vector-fields.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import type { FieldRequest } from '../request/request-parts.ts';
import type { PendingLookup } from '../run/pending-lookup.ts';
import type { ResolvedSort } from '../run/resolved-sort.ts';
import type { RunControl } from '../run/run-control.ts';
import { scoreDocs } from '../run/score-docs.ts';
import type { ShardHit } from '../run/shard-hits.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import { docvalueFields } from './docvalue-fields.ts';
import { documentOf, type FetchPart, type FetchShard, type FetchTarget, fetchShardOf, lazySource } from './fetch-target.ts';
import { sourceFields } from './fields.ts';
import { runtimeFields } from './runtime-fields.ts';

/** The contents of hits. */
export interface FetchRequest {
  /** null returns the whole source, unless stored fields are requested. */
  readonly source: SourceFilter | null;
  readonly fields: readonly FieldRequest[];
  readonly docvalueFields: readonly FieldRequest[];
  readonly storedFields: readonly string[] | null;
  readonly highlight: readonly unknown[];
  readonly version: boolean;
  readonly seqNoPrimaryTerm: boolean;
  readonly scriptFields: readonly unknown[];
  /** Whether `matched_queries` contains scores. */
  readonly includeNamedScores: boolean;
}

/**
 * The hits as JSON, in order.
 * @param sortOf  returns the sort keys of the hit's shard
 * @param parts  see FetchPart
 */
export function fetchHits(
  hits: readonly ShardHit[],
  shards: readonly (FetchShard | null)[],
  request: FetchRequest,
  sortOf: (hit: ShardHit) => readonly ResolvedSort[],
  parts: readonly FetchPart[],
  options: RunControl,
): MutableJsonObject[] {
  if (hits.length === 0) return [];
  const matched = matchedQueries(hits, shards, request.includeNamedScores, options);
  const ignored = ignoredFields(hits, shards, options);
  return hits.map((hit, i) => {
    if ((i & HITS_PER_CHECK_MASK) === HITS_PER_CHECK_MASK) checkTurn();
    const begun = options.fetchMs ? performance.now() : 0;
    const at = fetchShardOf(shards, hit);
    const segment = at.shard.segments[hit.segment];
    const document = documentOf(at.shard, segment, hit.docId);
    options.fetched?.add(document.source);
    const json = hitJson(
      { at, segment, hit, document, source: lazySource(document) },
      request,
      sortOf(hit),
      matched?.get(hit),
      ignored?.get(hit),
      parts,
      options.lookups ?? null,
    );
    if (options.fetchMs) options.fetchMs[hit.shard] += performance.now() - begun;
    return json;
  });
}

function hitJson(
  target: FetchTarget,
  request: FetchRequest,
  sort: readonly ResolvedSort[],
  matched: ReadonlyMap<string, number> | undefined,
  ignored: readonly string[] | undefined,
  parts: readonly FetchPart[],
  lookups: PendingLookup[] | null,
): MutableJsonObject {
  const { at, segment, hit, document } = target;
  const hasNoFields = request.storedFields?.includes('_none_') ?? false;
  const out: MutableJsonObject = { _index: at.shard.index };
  // Highlighters of Elasticsearch 8 load the id, too.
  if (!hasNoFields || (request.highlight.length + request.fields.length > 0 && at.shard.mapping.dialect.highlightsLoadIds))
    out['_id'] = document.id;
  if (request.version) out['_version'] = document.version;
  if (request.seqNoPrimaryTerm) {
    out['_seq_no'] = document.seqNo;
    out['_primary_term'] = document.primaryTerm;
  }
  out['_score'] = Number.isNaN(hit.score) ? null : jsonFloat(hit.score);
  if (!hasNoFields) {
    if (ignored) out['_ignored'] = ignored;
    if (document.routing !== null) out['_routing'] = document.routing;
    const source = sourceOf(target, request);
    if (source !== null) out['_source'] = source;
  }
  const fields: MutableJsonObject = {};
  if (request.storedFields) storedFields(target, request.storedFields, fields);
  if (request.docvalueFields.length > 0) docvalueFields(at.shard, segment, hit.docId, request.docvalueFields, fields);
  // The identity of a series is not part of the source.
  const tsid = request.fields.filter(({ field }) => field === TSID && !Object.hasOwn(fields, TSID));
  if (tsid.length > 0) docvalueFields(at.shard, segment, hit.docId, tsid, fields);
  const dropped: MutableJsonObject = {};
  if (request.fields.length > 0) sourceFields(at.shard, target.source(), request.fields, fields, dropped);
  runtimeFields(target, request.fields, out, fields, lookups);
  if (at.shard.mapping.field('_size')) addSize(target, request, out, fields);
  if (at.shard.dialect.showsMetadataFields) metadataFields(target, request.fields, ignored, fields);
  for (const field of at.scriptFields) field(target, fields);
  for (const _ in fields) {
    out['fields'] = fields;
    break;
  }
  const ignoredValues = Object.entries(dropped).filter(([name]) => ignored?.includes(name));
  if (ignoredValues.length > 0 && at.shard.mapping.dialect.showsIgnoredValues)
    out['ignored_field_values'] = Object.fromEntries(ignoredValues);
  for (const part of parts) part(target, out);
  if (sort.length > 0) out['sort'] = sort.map((key, i) => key.render(hit.sort[i]));
  if (matched)
    out['matched_queries'] = request.includeNamedScores
      ? Object.fromEntries([...matched].map(([name, score]) => [name, jsonFloat(score)]))
      : [...matched.keys()];
  return out;
}

/** Adds the metadata fields that are requested by name. */
function metadataFields(
  { at, document }: FetchTarget,
  wanted: readonly FieldRequest[],
  ignored: readonly string[] | undefined,
  into: MutableJsonObject,
): void {
  for (const { field } of wanted) {
    if (field === '_id') into['_id'] = [document.id];
    else if (field === '_index') into['_index'] = [at.shard.index];
    else if (field === '_version') into['_version'] = [document.version];
    else if (field === '_routing' && document.routing !== null) into['_routing'] = [document.routing];
    else if (field === '_ignored' && ignored) into['_ignored'] = ignored;
  }
}

/** `_source` of a hit: the stored bytes, or an object without what the filters exclude; null if the hit has none. */
function sourceOf({ at, document, source }: FetchTarget, request: FetchRequest): unknown {
  const { mapping } = at.shard;
  const hasFields = request.storedFields !== null || request.scriptFields.length > 0;
  // As a stored field the source is shown even where `_source` is false.
  const isNamed = request.storedFields?.includes('_source') ?? false;
  const wanted = isNamed || (request.source === null ? !hasFields : request.source.enabled);
  if (!wanted || !mapping.source.enabled || !document.source) return null;
  const stored = mapping.source;
  const vectors = request.source?.excludesVectors ? { includes: [], excludes: vectorFieldNames(mapping) } : null;
  const filters = [stored, request.source, vectors]
    .filter((filter) => filter !== null)
    .filter(({ includes, excludes }) => includes.length + excludes.length > 0);
  const text = utf8String(document.source);
  if (filters.length === 0) return new RawJson(text);
  let filtered = hasJavaNumbers(text) ? (parseToWrite(text) as MutableJsonObject) : source();
  const byPath = mapping.dialect.filtersSourceByPath;
  for (const { includes, excludes } of filters) filtered = filterSource(filtered, { enabled: true, includes, excludes }, byPath);
  return filtered;
}

function utf8String(bytes: Uint8Array): string {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8');
}

/** Adds fields with `store: true`. Their values are read from the source, which is always stored. */
function storedFields(target: FetchTarget, wanted: readonly string[], fields: MutableJsonObject): void {
  const { mapping } = target.at.shard;
  const stored = wanted
    .filter((name) => !name.startsWith('_'))
    .flatMap((name) => (name.includes('*') ? mapping.matchFields(name) : [name]))
    .filter((name) => mapping.field(name)?.params['store'] === true);
  if (stored.length > 0) {
    sourceFields(
      target.at.shard,
      target.source(),
      stored.map((field) => ({ field, format: null })),
      fields,
    );
  }
}

/** Adds the size of the source if it is requested: to the hit as a stored field, otherwise to its fields. */
function addSize({ segment, hit }: FetchTarget, request: FetchRequest, out: MutableJsonObject, fields: MutableJsonObject): void {
  const [size] = segment.values('_size', hit.docId);
  if (size === undefined) return;
  if (request.storedFields?.includes('_size')) out['_size'] = Number(size);
  if (request.fields.some(({ field }) => field === '_size')) fields['_size'] = [Number(size)];
}

/** Groups hits by shard and segment. */
function grouped(hits: readonly ShardHit[]): Map<string, ShardHit[]> {
  const groups = new Map<string, ShardHit[]>();
  for (const hit of hits) {
    const key = `${hit.shard}/${hit.segment}`;
    const group = groups.get(key);
    if (group) group.push(hit);
    else groups.set(key, [hit]);
  }
  return groups;
}

function matchedQueries(
  hits: readonly ShardHit[],
  shards: readonly (FetchShard | null)[],
  scored: boolean,
  options: RunControl,
): ReadonlyMap<ShardHit, ReadonlyMap<string, number>> | null {
  if (shards.every((at) => !at || at.named.length === 0)) return null;
  const matched = new Map<ShardHit, Map<string, number>>();
  for (const group of grouped(hits).values()) {
    const at = fetchShardOf(shards, group[0]);
    const { segment: index } = group[0];
    const docs = group.map((hit) => hit.docId);
    for (const { name, query } of at.named) {
      const found = scoreDocs(at.prepared, query, index, docs, scored, options);
      for (const hit of group) {
        const score = found.get(hit.docId);
        if (score === undefined) continue;
        const names = matched.get(hit);
        if (!names) matched.set(hit, new Map([[name, score]]));
        else if (!names.has(name)) names.set(name, score);
      }
    }
  }
  return new Map([...matched].map(([hit, names]) => [hit, new Map([...names].sort(([a], [b]) => (a < b ? -1 : 1)))]));
}

/** Hits between two checks, less one. */
const HITS_PER_CHECK_MASK = 15;

const MAX_IGNORED_FIELDS = 1000;

/** `_ignored` of each hit. The field has few terms, so each term is matched against all hits. */
function ignoredFields(
  hits: readonly ShardHit[],
  shards: readonly (FetchShard | null)[],
  options: RunControl,
): ReadonlyMap<ShardHit, readonly string[]> | null {
  if (!hits.some((hit) => fetchShardOf(shards, hit).shard.segments[hit.segment].postings('_ignored'))) return null;
  const ignored = new Map<ShardHit, string[]>();
  for (const group of grouped(hits).values()) {
    const at = fetchShardOf(shards, group[0]);
    const { segment: index } = group[0];
    const segment = at.shard.segments[index];
    if (!segment.postings('_ignored')) continue;
    const docs = group.map((hit) => hit.docId);
    for (const { bytes } of segment.walkTerms('_ignored', { from: null, to: null }, MAX_IGNORED_FIELDS)) {
      const name = utf8String(bytes);
      const query: IndexQuery = { op: 'term', term: { field: '_ignored', bytes, key: name }, scored: false };
      const found = scoreDocs(at.prepared, query, index, docs, false, options);
      for (const hit of group) if (found.has(hit.docId)) ignored.set(hit, [...(ignored.get(hit) ?? []), name]);
    }
  }
  return ignored;
}

/** @throws ApiError illegal_argument_exception: more than the index allows */
export function checkDocvalueFields(shard: SearchShard, count: number): void {
  const limit = shard.limits.maxDocvalueFields;
  if (count <= limit) return;
  throw illegalArgumentError(
    `Trying to retrieve too many docvalue_fields. Must be less than or equal to: [${limit}] but was [${count}]. This limit can be set by changing ` +
      'the [index.max_docvalue_fields_search] index level setting.',
  );
}
