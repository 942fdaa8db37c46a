// The lookups of enrich processors: a search in the index of the policy's last execution, in the thread that runs the pipeline.
import { BoundedMap } from '../../common/bounded-map.ts';
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { isTimeUp } from '../../common/turns/turn.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { copyOf, type EnrichOptions } from '../../ingest/ingest-document.ts';
import type { EnrichPolicy } from '../../metadata/cluster-state.ts';
import { enrichAlias, enrichPolicyOf } from '../../metadata/definitions/enrich-policies.ts';
import { parseQuery } from '../../query/parse-query.ts';
import { EMPTY_REQUEST } from '../../search/request/search-request.ts';
import { runAtOnce } from '../../search/run/steps.ts';
import { searchSteps } from '../../search/search-shards.ts';
import type { EngineContext } from '../core/context.ts';
import { membersOf } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { shardOf } from '../core/search-shard.ts';

/** Results that a thread remembers, and the size of the largest one. */
const CACHED_LOOKUPS = 1000;
const MAX_CACHED_CHARS = 20_000;
/** Values of a list that are looked up together. */
const MAX_VALUES = 1024;

/** By index, options and value: an execution creates a new index, so entries never go stale. */
const cache = new BoundedMap<string, readonly JsonObject[]>(CACHED_LOOKUPS);

export interface LookupCounts {
  hits: number;
  misses: number;
  searches: number;
}

/** Lookups of this thread. */
export const lookupCounts: LookupCounts = { hits: 0, misses: 0, searches: 0 };

export function cachedLookups(): number {
  return cache.size;
}

/** The index of the last execution; null if the policy does not exist or was not executed. */
function indexOf({ whole }: EngineContext, name: string): IndexState | null {
  const [meta] = enrichPolicyOf(whole.cluster, name) === null ? [] : membersOf(whole, enrichAlias(name));
  return meta === undefined ? null : whole.index(meta.name);
}

export function isExecuted(ctx: EngineContext, name: string): boolean {
  return indexOf(ctx, name) !== null;
}

/** Sources of the matching documents; null if the policy does not exist or was not executed. @throws ApiError: the value cannot be looked up */
export function lookUp(ctx: EngineContext, name: string, value: unknown, options: EnrichOptions): MutableJsonObject[] | null {
  const { whole } = ctx;
  const policy = enrichPolicyOf(whole.cluster, name);
  const index = indexOf(ctx, name);
  if (policy === null || index === null) return null;
  const key = writeJson([index.meta.uuid, options.maxMatches, options.relation, value]);
  let found = cache.get(key);
  if (found) lookupCounts.hits++;
  else {
    lookupCounts.misses++;
    found = search(whole, index, queryOf(policy, value, options), options.maxMatches);
    if (key.length + writeJson(found).length <= MAX_CACHED_CHARS) cache.set(key, found);
  }
  // Copied, because later processors may modify the documents.
  return found.map((source) => copyOf(source) as MutableJsonObject);
}

function queryOf({ type, matchField }: EnrichPolicy, value: unknown, { relation }: EnrichOptions): JsonObject {
  if (type === 'geo_match') return { geo_shape: { [matchField]: { shape: shapeOf(value), relation: relation.toLowerCase() } } };
  const values = (Array.isArray(value) ? value : [value]).filter((item) => item !== null);
  if (values.length > MAX_VALUES)
    throw illegalArgumentError(`an enrich processor looks up at most ${MAX_VALUES} values, got ${values.length}`);
  for (const item of values)
    if (typeof item === 'object') throw illegalArgumentError('an enrich processor looks up strings, numbers and booleans, got an object');
  return { terms: { [matchField]: values.map(String) } };
}

/** A point in any notation, or a shape, as a shape. */
function shapeOf(value: unknown): unknown {
  const point = (lon: unknown, lat: unknown): JsonObject => ({ type: 'Point', coordinates: [Number(lon), Number(lat)] });
  if (Array.isArray(value) && value.length === 2 && value.every((item) => typeof item === 'number')) return point(value[0], value[1]);
  if (isObject(value) && value.lat !== undefined && value.lon !== undefined) return point(value.lon, value.lat);
  const pair = typeof value === 'string' ? /^\s*(-?[\d.]+)\s*,\s*(-?[\d.]+)\s*$/.exec(value) : null;
  return pair ? point(pair[2], pair[1]) : value;
}

function search(ctx: EngineContext, index: IndexState, query: JsonObject, size: number): JsonObject[] {
  lookupCounts.searches++;
  const snapshot = ctx.acquire(index, 0);
  try {
    const shard = shardOf(ctx, snapshot);
    const request = { ...EMPTY_REQUEST, query: parseQuery({ constant_score: { filter: query } }), size, trackTotalHitsUpTo: 0 };
    const outcome = runAtOnce(
      searchSteps([{ shard, aliasFilter: null }], { ...request, source: { enabled: false, includes: [], excludes: [] } }, null, {
        caches: ctx.searchCaches.statistics,
        nowMs: Date.now(),
        stop: isTimeUp,
        maxBuckets: 0,
        dialect: ctx.dialect,
        dfs: false,
        typedKeys: false,
        nodeId: ctx.nodeId,
        storedScript: () => null,
        indexSetting: (_index, _name, fallback) => fallback,
      }),
    );
    if (outcome.failures.length > 0) throw outcome.failures[0].error;
    return outcome.page.flatMap(({ segment, docId }) => {
      const source = ctx.record(index, 0, shard.segments[segment].seqNo(docId))?.source;
      const json = source ? parseJsonBytes(source) : null;
      return isObject(json) ? [json] : [];
    });
  } finally {
    snapshot.release();
  }
}
