// Queries that refer to documents (`terms` with a path, `geo_shape` and `shape` with an indexed shape, more_like_this): the documents are read before the
// shards are searched.
import type { AggTree } from '../../aggs/index.ts';
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { parseShape, type Shape, type ShapeRules } from '../../mapping/values/geo-shape-value.ts';
import { rulesOf } from '../../query/geo/geo-shape-query.ts';
import type { GeoShapeQuery, LikeItem, PercolateQuery } from '../../query/leaf-query.ts';
import type { KnnQuery, LeafQuery, Query } from '../../query/query.ts';
import { valuesAt } from '../../search/evaluate/source-values.ts';
import type { HighlightField } from '../../search/request/highlight-request.ts';
import type { CollapseRequest, SearchRequest } from '../../search/request/search-request.ts';
import type { SortSpec } from '../../search/request/sort-request.ts';
import type { EngineContext, StoredDocument } from '../core/context.ts';
import { membersOf, ownNames } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { readIndex, routingThroughAlias } from '../core/read-target.ts';
import type { ParsedBody } from '../core/search-caches.ts';

/** True if a query of the body refers to documents that must be read first. */
export function hasLookups({ uncacheable }: ParsedBody): boolean {
  return uncacheable.has('document_lookup');
}

/** Replaces the lookups of a search by the values found. @throws ApiError index_not_found_exception, illegal_argument_exception */
export async function resolveLookups(
  ctx: EngineContext,
  parsed: ParsedBody,
): Promise<{ readonly request: SearchRequest; readonly aggs: AggTree | null }> {
  const { request, aggs } = parsed;
  if (!hasLookups(parsed)) return { request, aggs };
  return { request: await resolveRequest(ctx, request), aggs: aggs && (await resolveAggregations(ctx, aggs)) };
}

async function resolveRequest(ctx: EngineContext, request: SearchRequest): Promise<SearchRequest> {
  return {
    ...request,
    query: request.query && (await resolveQuery(ctx, request.query)),
    knn: await Promise.all(request.knn.map(async (one) => ({ ...one, query: await resolveFilters(ctx, one.query) }))),
    rank: request.rank && {
      ...request.rank,
      searches: await Promise.all(request.rank.searches.map(async (one) => ({ ...one, request: await resolveRequest(ctx, one.request) }))),
    },
    postFilter: request.postFilter && (await resolveQuery(ctx, request.postFilter)),
    rescore: await Promise.all(request.rescore.map(async (one) => ({ ...one, query: await resolveQuery(ctx, one.query) }))),
    sort: await Promise.all(request.sort.map((spec) => resolveSort(ctx, spec))),
    collapse: request.collapse && (await resolveCollapse(ctx, request.collapse)),
    highlight: await Promise.all(request.highlight.map((field) => resolveHighlight(ctx, field))),
  };
}

async function resolveAggregations(ctx: EngineContext, aggs: AggTree): Promise<AggTree> {
  const resolved = new Map<object, object>();
  for (const query of aggs.queries as readonly Query[]) resolved.set(query, await resolveQuery(ctx, query));
  return { ...aggs, resolved };
}

async function resolveSort(ctx: EngineContext, spec: SortSpec): Promise<SortSpec> {
  if (spec.by !== 'field' || !spec.nested?.filter) return spec;
  return { ...spec, nested: { ...spec.nested, filter: await resolveQuery(ctx, spec.nested.filter) } };
}

async function resolveCollapse(ctx: EngineContext, { field, innerHits }: CollapseRequest): Promise<CollapseRequest> {
  const resolved = innerHits.map(async ({ name, request }) => ({ name, request: await resolveRequest(ctx, request) }));
  return { field, innerHits: await Promise.all(resolved) };
}

async function resolveHighlight(ctx: EngineContext, { field, options }: HighlightField): Promise<HighlightField> {
  return { field, options: options.query ? { ...options, query: await resolveQuery(ctx, options.query) } : options };
}

/** Replaces document ids by the documents. An item without `_index` is read from every index, since each shard compares with its own. */
async function likeSources(ctx: EngineContext, items: readonly LikeItem[]): Promise<LikeItem[]> {
  const found: LikeItem[] = [];
  for (const item of items) {
    if (typeof item === 'string' || item.kind === 'like_source') {
      found.push(item);
      continue;
    }
    const { id, fields, routing } = item;
    for (const name of item.index === null ? ownNames(ctx) : [item.index]) {
      const state = ctx.index(name) ?? soleMember(ctx, name);
      if (state?.meta.state !== 'open') continue;
      const routed = item.index === null ? routing : routingThroughAlias(state, name, routing, 'search_routing');
      const document = await ctx.getRealtime(state, state.routing.shardOf(id, routed), id);
      if (document?.source)
        found.push({
          kind: 'like_source',
          index: state.meta.name,
          id,
          source: parseJsonBytes(document.source) as JsonObject,
          fields,
          analyzers: item.analyzers,
        });
    }
  }
  return found;
}

/** The index that an alias means; null if it means none or several. */
function soleMember(ctx: EngineContext, alias: string): IndexState | null {
  const members = membersOf(ctx, alias);
  return members.length === 1 ? ctx.index(members[0].name) : null;
}

/** Replaces the lookups of a query by the values found. @throws ApiError index_not_found_exception, illegal_argument_exception */
export async function resolveQuery(ctx: EngineContext, query: Query): Promise<Query> {
  const all = (queries: readonly Query[]) => Promise.all(queries.map((inner) => resolveQuery(ctx, inner)));
  switch (query.kind) {
    case 'terms_lookup': {
      const { kind: _kind, index, id, path, routing, ...rest } = query;
      const { document } = await referred(ctx, index, id, routing);
      const values = document?.source ? valuesAt(parseJsonBytes(document.source), path.split('.')).flat(Number.POSITIVE_INFINITY) : [];
      if (values.some((value) => typeof value === 'object' && value !== null)) {
        throw illegalArgumentError(`[terms] lookup path [${path}] of document [${id}] is an object, but must be a value`);
      }
      return { ...rest, kind: 'terms', values: values.filter((value) => value !== null) };
    }
    case 'geo_shape':
      return query.indexed === null
        ? query
        : { ...query, shape: await indexedShape(ctx, query.indexed, rulesOf(query.space)), indexed: null };
    case 'percolate':
      return query.stored === null ? query : { ...query, documents: [await storedDocument(ctx, query.stored)], stored: null };
    case 'more_like_this':
      return { ...query, like: await likeSources(ctx, query.like), unlike: await likeSources(ctx, query.unlike) };
    case 'bool':
      return {
        ...query,
        must: await all(query.must),
        filter: await all(query.filter),
        should: await all(query.should),
        mustNot: await all(query.mustNot),
      };
    case 'knn':
      return await resolveFilters(ctx, query);
    case 'vector_hits':
      return query;
    case 'pinned':
      return { ...query, organic: await resolveQuery(ctx, query.organic) };
    case 'dis_max':
      return { ...query, queries: await all(query.queries) };
    case 'constant_score':
      return { ...query, filter: await resolveQuery(ctx, query.filter) };
    case 'boosting':
      return { ...query, positive: await resolveQuery(ctx, query.positive), negative: await resolveQuery(ctx, query.negative) };
    case 'nested':
    case 'has_child':
    case 'has_parent':
    case 'script_score':
      return { ...query, query: await resolveQuery(ctx, query.query) };
    case 'function_score': {
      const functions = await Promise.all(
        query.functions.map(async (one) => ({ ...one, filter: one.filter && (await resolveQuery(ctx, one.filter)) })),
      );
      return { ...query, query: query.query && (await resolveQuery(ctx, query.query)), functions };
    }
    default:
      return query satisfies LeafQuery;
  }
}

/** The document that a query names, in an index or through an alias of one. @throws ApiError index_not_found_exception, illegal_argument_exception */
async function referred(
  ctx: EngineContext,
  name: string,
  id: string,
  routing: string | null,
): Promise<{ state: IndexState; document: StoredDocument | null }> {
  const state = readIndex(ctx, name);
  const routed = routingThroughAlias(state, name, routing, 'search_routing');
  return { state, document: await ctx.getRealtime(state, state.routing.shardOf(id, routed), id) };
}

/** @throws ApiError index_not_found_exception, resource_not_found_exception */
async function storedDocument(ctx: EngineContext, { index, id, routing }: NonNullable<PercolateQuery['stored']>): Promise<JsonObject> {
  const { state, document } = await referred(ctx, index, id, routing);
  if (!document?.source) throw new ApiError('resource_not_found_exception', 404, `indexed document [${index}/${id}] couldn't be found`);
  if (!state.mapping.source.enabled) throw illegalArgumentError(`indexed document [${index}/${id}] source disabled`);
  return parseJsonBytes(document.source) as JsonObject;
}

async function resolveFilters(ctx: EngineContext, query: KnnQuery): Promise<KnnQuery> {
  return { ...query, filter: await Promise.all(query.filter.map((inner) => resolveQuery(ctx, inner))) };
}

/** @throws ApiError index_not_found_exception, illegal_argument_exception: no document, or no shape at its path */
async function indexedShape(
  ctx: EngineContext,
  { index, id, path, routing }: NonNullable<GeoShapeQuery['indexed']>,
  rules: ShapeRules,
): Promise<Shape> {
  const { document } = await referred(ctx, index, id, routing);
  if (!document?.source) throw illegalArgumentError(`Shape with ID [${id}] not found`);
  const [value] = valuesAt(parseJsonBytes(document.source), path.split('.'));
  if (value === undefined) throw illegalArgumentError(`Shape with name [${id}] found but missing ${path} field`);
  return parseShape(value, rules);
}
