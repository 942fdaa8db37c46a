// `inner_hits` of nested and join queries: for each hit, the nested or related documents that matched, as hits of their own.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { boolPlan, COUNT_ALL, type PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { LeafQuery, NestedQuery, Query, RelatedQuery } from '../../query/query.ts';
import { joinKey } from '../compute/join.ts';
import { scoreScope } from '../compute/plan-scope.ts';
import { bool } from '../index-query/index-query.ts';
import type { Term } from '../index-query/term.ts';
import { parseSearchRequest, type SearchRequest } from '../request/search-request.ts';
import { rewriteRelated } from '../rewrite/join.ts';
import { rewriteQuery } from '../rewrite/rewrite.ts';
import type { SearchTarget } from '../run/search-environment.ts';
import type { ShardHit } from '../run/shard-hits.ts';
import { contextOf } from '../shard/rewrite-context.ts';
import type { FetchPart, FetchShard } from './fetch-target.ts';
import { blockStart, nestedDocs } from './nested-hits.ts';
import { type Candidates, selectHits, type TopHitsEnvironment } from './top-hits.ts';

const DEFAULT_SIZE = 3;

export interface InnerHits {
  readonly name: string;
  readonly query: NestedQuery | RelatedQuery;
  readonly request: SearchRequest;
  /** Inner hits of nested queries inside this one, returned within its hits. */
  readonly children: readonly InnerHits[];
}

const NONE: readonly InnerHits[] = [];
const known = new WeakMap<Query, readonly InnerHits[]>();

/** All definitions in the query and the post filter. @throws ApiError illegal_argument_exception: a name is used twice */
export function innerHitsOf({ query, postFilter }: Pick<SearchRequest, 'query' | 'postFilter'>): readonly InnerHits[] {
  const ofQuery = definitionsIn(query);
  const ofFilter = definitionsIn(postFilter);
  for (const { name } of ofFilter) if (ofQuery.some((other) => other.name === name)) throw duplicateNameError(name);
  return ofFilter.length === 0 ? ofQuery : [...ofQuery, ...ofFilter];
}

function duplicateNameError(name: string): Error {
  return illegalArgumentError(`[inner_hits] already contains an entry for key [${name}]`);
}

function definitionsIn(query: Query | null): readonly InnerHits[] {
  if (!query) return NONE;
  const definitions = known.get(query) ?? collect(query);
  // Empty results are not cached: recomputing them is as fast as a lookup.
  if (definitions.length > 0) known.set(query, definitions);
  return definitions;
}

function collect(query: Query): readonly InnerHits[] {
  const found = new Map<string, InnerHits>();
  const visit = (inner: Query): void => {
    switch (inner.kind) {
      case 'has_child':
      case 'has_parent':
      case 'nested': {
        if (inner.innerHits) {
          const { name, ignore_unmapped: _ignored, ...body } = inner.innerHits as MutableJsonObject;
          const key = typeof name === 'string' ? name : inner.kind === 'nested' ? inner.path : inner.type;
          if (found.has(key)) throw duplicateNameError(key);
          found.set(key, {
            name: key,
            query: inner,
            request: parseSearchRequest({ size: DEFAULT_SIZE, ...body }),
            children: collect(inner.query),
          });
        } else visit(inner.query);
        return;
      }
      case 'bool':
        // Documents excluded by must_not cannot be hits.
        for (const clause of [...inner.must, ...inner.filter, ...inner.should]) visit(clause);
        return;
      case 'dis_max':
        inner.queries.forEach(visit);
        return;
      case 'pinned':
        visit(inner.organic);
        return;
      case 'constant_score':
        visit(inner.filter);
        return;
      case 'function_score':
        if (inner.query) visit(inner.query);
        return;
      case 'script_score':
        visit(inner.query);
        return;
      case 'boosting':
        visit(inner.positive);
        visit(inner.negative);
        return;
      case 'knn':
      case 'vector_hits':
        return;
      default:
        inner satisfies LeafQuery;
    }
  };
  visit(query);
  return found.size === 0 ? NONE : [...found.values()];
}

/** @throws ApiError illegal_argument_exception: the window is larger than the index allows */
export function checkInnerHits(definitions: readonly InnerHits[], limit: number): void {
  for (const { request, children } of definitions) {
    checkInnerHits(children, limit);
    const wanted = request.from + request.size;
    if (wanted <= limit) continue;
    throw illegalArgumentError(
      `Inner result window is too large, the inner hit definition's [null]'s from + size must be less than or equal to: [${limit}] but was ` +
        `[${wanted}]. This limit can be set by changing the [index.max_inner_result_window] index level setting.`,
    );
  }
}

/** @param within  path of the hits if they are nested documents, null for root documents */
export function innerHitsPart(
  definitions: readonly InnerHits[],
  targets: readonly SearchTarget[],
  env: TopHitsEnvironment,
  within: string | null = null,
): FetchPart {
  return ({ at, segment, hit }, json) => {
    const inner: MutableJsonObject = (json['inner_hits'] as MutableJsonObject | undefined) ?? {};
    // The documents nested in a hit are stored before it, after its preceding sibling.
    const start = blockStart(segment, within === null ? hit.docId : segment.rootOf(hit.docId)) - 1;
    const after = within === null ? start : (nestedDocs(segment, within, start, hit.docId, env).at(-1) ?? start);
    for (const { name, query, request, children } of definitions) {
      if (query.kind !== 'nested') {
        const parts = children.length === 0 ? [] : [innerHitsPart(children, targets, env)];
        setOwn(inner, name, selectHits(request, relatedCandidates(query, at, segment, hit, env), null, targets, env, parts));
        continue;
      }
      const context = { ...contextOf(at.shard, env), nestedPath: query.path, comparesAllVectors: true };
      const docs = nestedDocs(segment, query.path, after, hit.docId, env);
      const wanted: PlanNode = docs.length === 0 ? { op: 'matchNone' } : { op: 'docs', docs: Uint32Array.from(docs), scores: null };
      const plan = at.prepared.planner.planAmong(rewriteQuery(query.query, context), wanted, scoreScope(hit.segment));
      const restricted = boolPlan({ must: [plan], filter: [wanted] });
      const collect = { ...COUNT_ALL, size: docs.length, sort: [{ by: 'doc', descending: false } as const], trackScores: true };
      const found =
        plan.op === 'matchNone'
          ? { docs: new Uint32Array(0), scores: new Float32Array(0) }
          : segment.execute(restricted, collect, { stop: env.stop, counters: env.counters, withNested: true });
      const candidates = [{ shard: hit.shard, prepared: at.prepared, index: hit.segment, docs: found.docs, scores: found.scores }];
      const parts = children.length === 0 ? [] : [innerHitsPart(children, targets, env, query.path)];
      setOwn(inner, name, selectHits(request, candidates, query.path, targets, env, parts));
    }
    json['inner_hits'] = inner;
  };
}

/** The matching children of a parent, or the matching parent of a child, in all segments of the hit's shard. */
function relatedCandidates(
  query: RelatedQuery,
  at: FetchShard,
  segment: SegmentReader,
  hit: ShardHit,
  env: TopHitsEnvironment,
): Candidates[] {
  const context = contextOf(at.shard, env);
  const join = rewriteRelated(query, rewriteQuery(query.query, context), context);
  const key = join.op === 'join' ? joinKey(segment, join.column, hit.docId) : null;
  if (join.op !== 'join' || key === null) return [];
  const term: Term = { field: join.column, bytes: Uint8Array.from(key, (char) => char.charCodeAt(0)), key };
  const wanted = bool({ must: [join.from], filter: [{ op: 'term', term, scored: false }] });
  return at.shard.segments.flatMap((other, index): Candidates[] => {
    const plan = at.prepared.planner.plan(wanted, scoreScope(index));
    if (plan.op === 'matchNone') return [];
    const collect = { ...COUNT_ALL, size: other.maxDoc, sort: [{ by: 'doc', descending: false } as const], trackScores: true };
    const { docs, scores } = other.execute(plan, collect, { stop: env.stop, counters: env.counters });
    return [{ shard: hit.shard, prepared: at.prepared, index, docs, scores }];
  });
}
