// `_validate/query` shows a query after rewriting; `_explain` shows how the score of a document is computed.

import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { RawJson } from '../../common/json/raw-json.ts';
import { filterSource, type SourceFilter } from '../../common/json/source-filter.ts';
import { parseToWrite } from '../../common/json/source-numbers.ts';
import { inTurn, type Mobility, STAYS, TooHeavy } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { indexNotFoundError, parsingError, validationFailedError } from '../../errors/catalog.ts';
import { detailedText } from '../../errors/detailed-text.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { Query } from '../../query/query.ts';
import { constant } from '../../search/index-query/index-query.ts';
import { queryText } from '../../search/index-query/query-text.ts';
import { Explainer } from '../../search/profile/explain.ts';
import { costOfQuery, HEAVY_US } from '../../search/request/cost.ts';
import { rewriteQuery } from '../../search/rewrite/rewrite.ts';
import { PreparedShard, withFilters } from '../../search/run/prepared-shard.ts';
import type { SearchTarget } from '../../search/run/search-environment.ts';
import { pauses } from '../../search/run/steps.ts';
import { contextOf } from '../../search/shard/rewrite-context.ts';
import { ShardStatistics, similaritiesOf } from '../../search/shard/statistics.ts';
import { explanationJson } from '../../search/similarity/explanation.ts';
import type { EngineContext } from '../core/context.ts';
import type { ShardSnapshot } from '../core/index-state.ts';
import { parseJsonText } from '../core/json-text.ts';
import type { QueryParameters } from '../core/search-parameters.ts';
import { shardOf } from '../core/search-shard.ts';
import { storedScript } from '../core/stored-script.ts';
import { queryOfParameters } from './apply-parameters.ts';
import { resolveSearch, type SearchIndices } from './search-call.ts';
import { targetOf } from './search-targets.ts';
import { resolveQuery } from './terms-lookup.ts';

async function readQuery(ctx: EngineContext, text: string, parameters: QueryParameters | undefined): Promise<Query | null> {
  if (parameters) return queryOfParameters(parameters);
  const body = parseJsonText(text);
  if (body === undefined) return null;
  if (!isObject(body)) throw parsingError('Expected [START_OBJECT]');
  for (const key of Object.keys(body)) if (key !== 'query') throw parsingError(`request does not support [${key}]`);
  return body['query'] === undefined ? null : resolveQuery(ctx, parseQuery(body['query']));
}

/** Wraps errors of the parser, which are shown as the cause of one error. */
function requestError(error: ApiError): ApiError {
  return error.type === 'x_content_parse_exception' ? parsingError('Failed to parse', null, error) : error;
}

/**
 * Body of `_validate/query`. A query that does not parse is reported in the response, not thrown.
 * @throws ApiError security_exception 400: the rewritten query would show terms of hidden documents
 */
export async function validateQuery(
  ctx: EngineContext,
  indices: SearchIndices,
  text: string,
  parameters: QueryParameters | undefined,
  { explain, rewrite, allShards }: { readonly explain: boolean; readonly rewrite: boolean; readonly allShards: boolean },
  mobility: Mobility,
): Promise<MutableJsonObject> {
  const resolved = resolveSearch(ctx, indices);
  if (rewrite && resolved.some(({ meta }) => ctx.index(meta.name)?.hidden?.documents))
    throw new ApiError('security_exception', 400, "Validate with rewrite parameter isn't supported if document level security is enabled");
  let query: Query | null;
  try {
    query = await readQuery(ctx, text, parameters);
  } catch (error) {
    if (!(error instanceof ApiError) || error.type.startsWith('json_')) throw error;
    const json: MutableJsonObject = { valid: false };
    if (explain) json['error'] = detailedText(requestError(error), ctx.dialect);
    return json;
  }
  if (query === null && parameters === undefined && text.trim() !== '') throw validationFailedError(['query cannot be null']);
  let valid = true;
  const explanations: MutableJsonObject[] = [];
  const pause = pauses(mobility);
  for (const { meta } of resolved) {
    const state = ctx.index(meta.name);
    if (!state) continue;
    await pause();
    for (let shard = 0; shard < (allShards ? state.numberOfShards : 1); shard++) {
      const snapshot = ctx.acquire(state, shard);
      const about = { index: meta.name, ...(allShards ? { shard } : {}) };
      try {
        explanations.push({ ...about, valid: true, explanation: inTurn(mobility, () => rewrittenText(ctx, query, snapshot)) });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        valid = false;
        explanations.push({ ...about, valid: false, error: `[${meta.name}/${meta.uuid}] ${detailedText(error, ctx.dialect)}` });
      } finally {
        snapshot.release();
      }
    }
  }
  const total = Math.max(explanations.length, 1);
  const json: MutableJsonObject = { _shards: { total, successful: total, failed: 0 }, valid };
  if (explain && valid) json['explanations'] = explanations;
  else if (explain) json['explanations'] = explanations.filter(({ valid: isValid }) => !isValid);
  return json;
}

function rewrittenText(ctx: EngineContext, query: Query | null, snapshot: ShardSnapshot): string {
  if (query === null) return '*:*';
  const context = contextOf(shardOf(ctx, snapshot), { nowMs: Date.now(), storedScript: (id) => storedScript(ctx, id) });
  return queryText(rewriteQuery(query, context));
}

/** Body and status of `_explain`. @param source  null to leave out the document @throws TooHeavy unless `mobility` is STAYS */
export async function explainDocument(
  ctx: EngineContext,
  index: string,
  id: string,
  routing: string | null,
  text: string,
  parameters: QueryParameters | undefined,
  source: SourceFilter | null,
  mobility: Mobility,
): Promise<{ status: number; body: MutableJsonObject }> {
  // A query in the body replaces `q`.
  const query = await readQuery(ctx, text, text === '' ? parameters : undefined);
  if (!query) throw validationFailedError(['query is missing']);
  if (index.includes('*')) throw indexNotFoundError(index);
  const [{ meta, filters }] = resolveSearch(ctx, { expressions: [index], options: { allowNoIndices: false } });
  const state = ctx.index(meta.name);
  if (!state) throw indexNotFoundError(meta.name);
  const snapshot = ctx.acquire(state, state.routing.shardOf(id, routing));
  try {
    if (mobility !== STAYS && costOfQuery(query, documentsOf(snapshot)) > HEAVY_US) throw new TooHeavy();
    return inTurn(mobility, () => explainIn(ctx, targetOf(ctx, snapshot, filters), id, query, source));
  } finally {
    snapshot.release();
  }
}

function documentsOf({ segments }: ShardSnapshot): number {
  return segments.reduce((docs, { maxDoc }) => docs + maxDoc, 0);
}

function explainIn(
  ctx: EngineContext,
  { shard, aliasFilter }: SearchTarget,
  id: string,
  query: Query,
  source: SourceFilter | null,
): { status: number; body: MutableJsonObject } {
  const { index } = shard;
  const context = contextOf(shard, { nowMs: Date.now(), storedScript: (id) => storedScript(ctx, id) });
  const filters = aliasFilter === null ? [] : [constant(rewriteQuery(aliasFilter, context))];
  const rewritten = withFilters(rewriteQuery(query, context), filters);
  const at = shard.segments.findIndex((segment) => segment.docOfId(id) >= 0);
  if (at < 0) return { status: 404, body: { _index: index, _id: id, matched: false } };
  const statistics = new ShardStatistics(shard.segments, similaritiesOf(shard.mapping, shard.dialect));
  const prepared = new PreparedShard({ ...EMPTY_SHARD_QUERY, query: rewritten }, statistics, statistics, shard.limits.maxClauseCount);
  const counters = { blocksDecoded: 0, docsCollected: 0, docsScored: 0, windows: 0 };
  const docId = shard.segments[at].docOfId(id);
  const explainer = new Explainer(prepared, at, docId, { stop: () => false, counters });
  const matched = explainer.score(rewritten) !== null;
  const body: MutableJsonObject = { _index: index, _id: id, matched, explanation: explanationJson(explainer.explain(rewritten)) };
  const document = source && shard.record(shard.segments[at].seqNo(docId));
  if (document) {
    const shown: MutableJsonObject = { _seq_no: document.seqNo, _primary_term: document.primaryTerm, found: true };
    if (source.enabled && document.source) {
      const isWhole = source.includes.length + source.excludes.length === 0;
      const text = Buffer.from(document.source).toString('utf8');
      shown['_source'] = isWhole
        ? new RawJson(text)
        : filterSource(parseToWrite(text) as MutableJsonObject, source, ctx.dialect.filtersSourceByPath);
    }
    body['get'] = shown;
  }
  return { status: 200, body };
}

const EMPTY_SHARD_QUERY = {
  filters: [],
  postFilter: null,
  sort: [],
  boost: 1,
  size: 1,
  trackScores: true,
  trackTotalHitsUpTo: 0,
  minScore: null,
  terminateAfter: 0,
  searchAfter: null,
  needsScores: true,
  isEmptyPage: false,
  isPresorted: false,
} as const;
