// The best hits of an aggregation bucket or among nested documents: selected from given documents, then fetched like the hits of a search.

import type { DocGroup } from '../../aggs/index.ts';
import type { TopHitsRequest } from '../../aggs/reduce/segment-reads.ts';
import type { DistantHits } from '../../aggs/types.ts';
import { type JsonFloat, jsonFloat } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { RawJson } from '../../common/json/raw-json.ts';
import { filterSource } from '../../common/json/source-filter.ts';
import { parseToWrite } from '../../common/json/source-numbers.ts';
import { present } from '../../common/present.ts';
import { ApiError } from '../../errors/api-error.ts';
import { COUNT_ALL, type CollectPlan, type PlanNode } from '../../plan/query-plan.ts';
import { matchScope } from '../compute/plan-scope.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import { parseSearchRequest, type SearchRequest } from '../request/search-request.ts';
import type { PreparedShard } from '../run/prepared-shard.ts';
import { type ResolvedSort, withSortColumns } from '../run/resolved-sort.ts';
import type { RunControl } from '../run/run-control.ts';
import type { SearchEnvironment, SearchTarget } from '../run/search-environment.ts';
import { hitComparator, mergeHits, type ShardHit } from '../run/shard-hits.ts';
import { resolveSort } from '../run/sort-keys.ts';
import { contextOf } from '../shard/rewrite-context.ts';
import { docvalueFields } from './docvalue-fields.ts';
import { fetchParts } from './fetch-parts.ts';
import { fetchHits } from './fetch-phase.ts';
import { documentOf, type FetchPart, type FetchShard, fetchShardOf, lazySource } from './fetch-target.ts';
import { sourceFields } from './fields.ts';
import { nestedIdentity, nestedSource } from './nested-hits.ts';
import { runtimeFields } from './runtime-fields.ts';
import { compileScriptFields } from './script-fields.ts';

const DEFAULT_SIZE = 3;

export type TopHitsEnvironment = SearchEnvironment & RunControl;

/** Documents of one segment from which hits are selected. */
export interface Candidates {
  readonly shard: number;
  /** null for a segment of another node. */
  readonly prepared: PreparedShard | null;
  /** Position of the segment in the shard. */
  readonly index: number;
  /** Ascending. */
  readonly docs: Uint32Array;
  readonly scores: Float32Array | null;
  /** What another node has selected; absent for a segment of this node. */
  readonly distant?: DistantHits;
}

/** `{ hits: { total, max_score, hits } }` for the documents of a bucket. `body` is the body of the aggregation. */
export function topHits(
  body: MutableJsonObject,
  groups: readonly DocGroup[],
  nestedPath: string | null,
  targets: readonly SearchTarget[],
  env: TopHitsEnvironment,
): MutableJsonObject {
  const candidates = groups.map(({ segment, docs, scores }): Candidates => {
    const handle = segment.handle as { prepared?: PreparedShard; index: number };
    const distant = segment.distantHits?.(body, docs, scores, nestedPath);
    return { shard: segment.shard, prepared: handle.prepared ?? null, index: handle.index, docs, scores, distant };
  });
  return selectHits(parseSearchRequest({ size: DEFAULT_SIZE, ...body }), candidates, nestedPath, targets, env);
}

/** A shard as the fetch phase sees it, and the sort resolved against its index. */
interface SortedShard {
  /** null for a shard of another node. */
  readonly at: FetchShard | null;
  readonly sort: readonly ResolvedSort[];
}

/** @param extra  further parts of the fetch phase, after those of the request */
export function selectHits(
  request: SearchRequest,
  candidates: readonly Candidates[],
  nestedPath: string | null,
  targets: readonly SearchTarget[],
  env: TopHitsEnvironment,
  extra: readonly FetchPart[] = [],
): MutableJsonObject {
  const { json, total, maximum } = selectPage(request, candidates, nestedPath, targets, env, extra);
  return { hits: { total: { value: total, relation: 'eq' }, max_score: maximum, hits: json } };
}

function selectPage(
  request: SearchRequest,
  candidates: readonly Candidates[],
  nestedPath: string | null,
  targets: readonly SearchTarget[],
  env: TopHitsEnvironment,
  extra: readonly FetchPart[],
): SelectedHits {
  const control = { stop: env.stop, counters: env.counters, fetched: env.fetched };
  const wanted = request.from + request.size;
  const isByScore = request.sort.length === 0;
  const needsScores = isByScore || request.trackScores || request.sort.some((spec) => spec.by === 'score');
  const shards: Array<SortedShard | null> = targets.map(() => null);
  let hits: ShardHit[] = [];
  let total = 0;
  let maxScore = Number.NEGATIVE_INFINITY;
  for (const group of candidates) {
    const sorted = (shards[group.shard] ??= sortShard(request, group.prepared, targets[group.shard], nestedPath, env));
    const found = group.distant ? asHits(group, group.distant) : bestOf(group, sorted, wanted, needsScores, nestedPath !== null, control);
    total += found.total;
    if (needsScores && group.scores) for (const score of group.scores) if (score > maxScore) maxScore = score;
    hits = mergeHits(hits, found.hits, hitComparator(sorted.sort), wanted);
  }
  const page = hits.slice(request.from, wanted);
  const maximum = Number.isFinite(maxScore) && wanted > 0 && (isByScore || request.trackScores) ? jsonFloat(maxScore) : null;
  if (page.every(({ distant }) => distant !== undefined)) return { page, json: page.map(fetchedHit), total, maximum };
  const parts = [...fetchParts(request, { ...control, nodeId: env.nodeId, contextOf: (shard) => contextOf(shard, env) }), ...extra];
  const sortOf = (hit: ShardHit) => shards[hit.shard]?.sort ?? [];
  const fetchShards = shards.map((sorted) => sorted?.at ?? null);
  const own = page.filter(({ distant }) => distant === undefined);
  const rendered =
    nestedPath === null
      ? fetchHits(own, fetchShards, request, sortOf, parts, control)
      : own.map((hit) => nestedHit(fetchShardOf(fetchShards, hit), hit, nestedPath, request, sortOf(hit), parts, control));
  const fetched = new Map(own.map((hit, i) => [hit, rendered[i]]));
  return { page, json: page.map((hit) => fetched.get(hit) ?? fetchedHit(hit)), total, maximum };
}

/** A hit that another node has fetched. */
function fetchedHit({ distant }: ShardHit): MutableJsonObject {
  if (distant === undefined || distant.fetched instanceof ApiError) throw new Error('a hit without contents');
  return distant.fetched;
}

interface SelectedHits {
  readonly page: readonly ShardHit[];
  /** Parallel to the page. */
  readonly json: readonly MutableJsonObject[];
  readonly total: number;
  readonly maximum: JsonFloat | number | null;
}

/** What another node asks for: the best hits of one segment of this node, up to the end of the page. */
export function bestHits(
  { body, nestedPath }: TopHitsRequest,
  group: DocGroup,
  targets: readonly SearchTarget[],
  env: TopHitsEnvironment,
): DistantHits {
  const request = parseSearchRequest({ size: DEFAULT_SIZE, ...body });
  const { prepared, index } = group.segment.handle as { prepared: PreparedShard; index: number };
  const candidates = [{ shard: group.segment.shard, prepared, index, docs: group.docs, scores: group.scores }];
  const { page, json, total } = selectPage(
    { ...request, from: 0, size: request.from + request.size },
    candidates,
    nestedPath,
    targets,
    env,
    [],
  );
  const hits = page.map(({ docId, score, sort }, i) => ({
    docId,
    score,
    sort,
    members: Object.entries(json[i]).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, writeJson(value)]],
    ),
  }));
  return { total, hits };
}

/** Its source is shown as it is stored. */
function hitOf(members: DistantHits['hits'][number]['members']): MutableJsonObject {
  return Object.fromEntries(members.map(([name, json]) => [name, name === '_source' ? new RawJson(json) : parseToWrite(json)]));
}

function sortShard(
  request: SearchRequest,
  prepared: PreparedShard | null,
  { shard }: SearchTarget,
  nestedPath: string | null,
  env: TopHitsEnvironment,
): SortedShard {
  const context = contextOf(shard, env);
  const scriptFields = compileScriptFields(request.scriptFields, shard, context);
  const sort = request.sort.map((spec) => resolveSort(spec, { ...context, nestedPath }));
  return { at: prepared && { shard, prepared, named: [], scriptFields }, sort };
}

function asHits({ shard, index }: Candidates, { total, hits }: DistantHits): { hits: ShardHit[]; total: number } {
  const found = hits.map(({ members, ...hit }): ShardHit => {
    return { ...hit, shard, segment: index, distant: { fetched: hitOf(members), group: null } };
  });
  return { hits: found, total };
}

/** The best of the documents of one segment. */
function bestOf(
  { shard, index, docs, scores }: Candidates,
  { at: fetched, sort }: SortedShard,
  size: number,
  needsScores: boolean,
  withNested: boolean,
  control: RunControl,
): { hits: ShardHit[]; total: number } {
  const at = present(fetched);
  const { prepared } = at;
  const segment = at.shard.segments[index];
  const plan: PlanNode = { op: 'docs', docs: Uint32Array.from(docs), scores: needsScores && scores ? Float32Array.from(scores) : null };
  const found = withSortColumns(segment, sort, () => {
    const planFilter = (filter: IndexQuery): PlanNode => prepared.planner.plan(filter, matchScope(index));
    const keys = sort.map((key) => key.keyFor(segment, planFilter, () => docs));
    const collect: CollectPlan = { ...COUNT_ALL, size, sort: keys, trackScores: needsScores };
    return segment.execute(plan, collect, { ...control, withNested });
  });
  const docBase = prepared.docBases[index];
  const hits = [...found.docs].map((docId, i): ShardHit => {
    const score = needsScores ? found.scores[i] : Number.NaN;
    const values = sort.map((key, k) => key.valueOf(found.sortValues[i]?.[k] ?? null, segment, docId, docBase, score));
    return { shard, segment: index, docId, score, sort: values };
  });
  return { hits, total: found.total };
}

/** A nested document as a hit. */
function nestedHit(
  at: FetchShard,
  hit: ShardHit,
  nestedPath: string,
  request: SearchRequest,
  sort: readonly ResolvedSort[],
  parts: readonly FetchPart[],
  control: RunControl,
): MutableJsonObject {
  const segment = at.shard.segments[hit.segment];
  const document = documentOf(at.shard, segment, hit.docId);
  control.fetched?.add(document.source);
  const source = lazySource(document);
  const identity = nestedIdentity(at.shard.mapping, segment, nestedPath, hit.docId, control);
  const out: MutableJsonObject = { _index: at.shard.index, _id: document.id, _nested: identity };
  if (request.version) out['_version'] = document.version;
  if (request.seqNoPrimaryTerm) {
    out['_seq_no'] = document.seqNo;
    out['_primary_term'] = document.primaryTerm;
  }
  out['_score'] = Number.isNaN(hit.score) ? null : jsonFloat(hit.score);
  const atItsPath = () => wrap(nestedPath, nestedSource(source(), identity));
  if (request.source?.enabled !== false && at.shard.mapping.source.enabled) {
    const text = document.source ? Buffer.from(document.source).toString('utf8') : '{}';
    const own = nestedSource(parseToWrite(text) as MutableJsonObject, identity);
    const filter = request.source;
    out['_source'] = filter && filter.includes.length + filter.excludes.length > 0 ? nestedFilter(own, nestedPath, filter) : own;
  }
  const fields: MutableJsonObject = {};
  docvalueFields(at.shard, segment, hit.docId, request.docvalueFields, fields);
  if (request.fields.length > 0) sourceFields(at.shard, atItsPath(), request.fields, fields);
  runtimeFields({ at, segment, hit, document, source }, request.fields, out, fields, null);
  if (Object.keys(fields).length > 0) out['fields'] = fields;
  for (const part of parts) part({ at, segment, hit, document, source: atItsPath }, out);
  if (sort.length > 0) out['sort'] = sort.map((key, i) => key.render(hit.sort[i]));
  return out;
}

/** Filters the object of a nested document. Source filters contain full paths. */
function nestedFilter(
  own: MutableJsonObject,
  path: string,
  filter: { includes: readonly string[]; excludes: readonly string[] },
): MutableJsonObject {
  let filtered: unknown = filterSource(wrap(path, own), { enabled: true, includes: filter.includes, excludes: filter.excludes }, false);
  for (const part of path.split('.')) filtered = (filtered as MutableJsonObject | undefined)?.[part];
  return (filtered ?? {}) as MutableJsonObject;
}

/** Wraps an object so that it is found at its path, as in a source. */
function wrap(path: string, value: MutableJsonObject): MutableJsonObject {
  return path.split('.').reduceRight<MutableJsonObject>((inner, part) => ({ [part]: inner }), value);
}
