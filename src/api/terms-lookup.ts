// `terms` queries whose values stand in a document: the document is read before the shards are searched.
import { parseJsonBytes } from '../common/json-parse.ts';
import { illegalArgument, indexNotFound } from '../errors/catalog.ts';
import type { Query } from '../query/query.ts';
import { valuesAt } from '../search/fetch-fields.ts';
import type { SearchRequest } from '../search/search-request.ts';
import type { EngineContext } from './context.ts';

export function hasLookup(request: SearchRequest): boolean {
  const has = (query: Query | null): boolean => query !== null && JSON.stringify(query, bigints).includes('"terms_lookup"');
  return has(request.query) || has(request.postFilter);
}

/** The request with every lookup replaced by the values found; the same object if there is none. */
export async function resolveLookups(ctx: EngineContext, request: SearchRequest): Promise<SearchRequest> {
  if (!hasLookup(request)) return request;
  return {
    ...request,
    query: request.query && (await resolve(ctx, request.query)),
    postFilter: request.postFilter && (await resolve(ctx, request.postFilter)),
  };
}

function bigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

async function resolve(ctx: EngineContext, query: Query): Promise<Query> {
  const all = (queries: readonly Query[]) => Promise.all(queries.map((inner) => resolve(ctx, inner)));
  switch (query.kind) {
    case 'terms_lookup': {
      const { kind: _kind, index, id, path, routing, ...rest } = query;
      const state = ctx.index(index);
      if (!state) throw indexNotFound(index);
      const document = await ctx.getRealtime(state, ctx.shardOf(state, id, routing), id);
      const values = document?.source ? valuesAt(parseJsonBytes(document.source), path.split('.')).flat(Number.POSITIVE_INFINITY) : [];
      if (values.some((value) => typeof value === 'object' && value !== null)) {
        throw illegalArgument(`[terms] lookup path [${path}] of document [${id}] holds an object`);
      }
      return { ...rest, kind: 'terms', values: values.filter((value) => value !== null) };
    }
    case 'bool':
      return {
        ...query,
        must: await all(query.must),
        filter: await all(query.filter),
        should: await all(query.should),
        mustNot: await all(query.mustNot),
      };
    case 'dis_max':
      return { ...query, queries: await all(query.queries) };
    case 'constant_score':
      return { ...query, filter: await resolve(ctx, query.filter) };
    case 'boosting':
      return { ...query, positive: await resolve(ctx, query.positive), negative: await resolve(ctx, query.negative) };
    case 'nested':
      return { ...query, query: await resolve(ctx, query.query) };
    case 'function_score': {
      const functions = await Promise.all(
        query.functions.map(async (one) => ({ ...one, filter: one.filter && (await resolve(ctx, one.filter)) })),
      );
      return { ...query, query: query.query && (await resolve(ctx, query.query)), functions };
    }
    default:
      return query;
  }
}
