// Reads of single documents by id: get, source alone, multi get.

import { parseJsonBytes } from '../../common/json/json-parse.ts';
import { setOwn } from '../../common/json/own-property.ts';
import type { SourceFilter } from '../../common/json/source-filter.ts';
import { type Mobility, STAYS } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { vectorFieldNames } from '../../mapping/core/vector-fields.ts';
import { pauses } from '../../search/run/steps.ts';
import type { EngineContext, StoredDocument } from '../core/context.ts';
import { checkReadable } from '../core/index-blocks.ts';
import type { IndexState } from '../core/index-state.ts';
import { readIndex, routingThroughAlias, withPlainName } from '../core/read-target.ts';
import { checkRouting } from './conditions.ts';
import { renderSource } from './render-source.ts';

export interface GetRequest {
  readonly index: string;
  readonly id: string;
  readonly routing: string | null;
  readonly realtime: boolean;
  readonly refresh: boolean;
  readonly version: number | null;
  readonly source: SourceFilter;
  readonly storedFields: readonly string[];
  /** Other than STAYS if the caller repeats the request in a lane when this throws TooHeavy: the document is large. */
  readonly mobility?: Mobility;
}

/** Response of `GET /{index}/_doc/{id}`; `found: false` if the document is missing. */
export async function getDocument(ctx: EngineContext, request: GetRequest): Promise<Record<string, unknown>> {
  const { index, document } = await loadDocument(ctx, request);
  return renderGet(index, request, document);
}

/** `_source` alone. @throws ApiError resource_not_found_exception (404) */
export async function getSource(ctx: EngineContext, request: GetRequest): Promise<unknown> {
  const { index, document } = await loadDocument(ctx, request);
  const where = `[${withPlainName(request).index}]/[${request.id}]`;
  if (document === null) throw new ApiError('resource_not_found_exception', 404, `Document not found ${where}`);
  const source =
    index.mapping.source.enabled && document.source !== null
      ? renderSource(document.source, withMapping(index, request.source), index.mapping.dialect)
      : undefined;
  if (source === undefined) throw new ApiError('resource_not_found_exception', 404, `Source not found ${where}`);
  return source;
}

/** Loads a document: its newest version, or the refreshed one if `realtime` is false. @throws ApiError index_not_found_exception and others */
export async function loadDocument(ctx: EngineContext, given: GetRequest): Promise<{ index: IndexState; document: StoredDocument | null }> {
  const request = withPlainName(given);
  const index = readIndex(ctx, request.index);
  checkReadable(index.meta);
  const routing = routingThroughAlias(index, request.index, request.routing, 'search_routing');
  checkRouting(index, request.id, routing);
  if (request.refresh) await ctx.refresh(index);
  const shard = index.routing.shardOf(request.id, routing);
  const started = performance.now();
  const document = request.realtime
    ? await ctx.getRealtime(index, shard, request.id, request.mobility)
    : getRefreshed(ctx, index, shard, request.id);
  const getMicros = (performance.now() - started) * 1000;
  ctx.reads(index.meta.uuid, shard)?.add({ gets: 1, getMicros, getsFound: document === null ? 0 : 1 });
  if (document !== null && request.version !== null && request.version !== document.version) {
    throw new ApiError(
      'version_conflict_engine_exception',
      409,
      `[${request.id}]: version conflict, current version [${document.version}] is different than the one provided [${request.version}]`,
      { details: { index: index.meta.name, shard: String(shard), index_uuid: index.meta.uuid } },
    );
  }
  return { index, document };
}

/** The version of a document that is visible to searches. */
function getRefreshed(ctx: EngineContext, index: IndexState, shard: number, id: string): StoredDocument | null {
  const snapshot = ctx.acquire(index, shard);
  try {
    for (let at = snapshot.segments.length - 1; at >= 0; at--) {
      const docId = snapshot.segments[at].docOfId(id);
      if (docId < 0) continue;
      const document = ctx.record(index, shard, snapshot.segments[at].seqNo(docId));
      // Copied, because the caller receives it in a later turn, when other reads may have reused the buffer.
      return document?.source ? { ...document, source: new Uint8Array(document.source) } : document;
    }
    return null;
  } finally {
    snapshot.release();
  }
}

function renderGet(index: IndexState, request: GetRequest, document: StoredDocument | null): Record<string, unknown> {
  const body: Record<string, unknown> = { _index: index.meta.name, _id: request.id };
  if (document === null) return { ...body, found: false };
  body._version = document.version;
  body._seq_no = document.seqNo;
  body._primary_term = document.primaryTerm;
  if (document.routing !== null) body._routing = document.routing;
  body.found = true;
  if (document.source !== null && index.mapping.source.enabled) {
    const source = request.source.enabled
      ? renderSource(document.source, withMapping(index, request.source), index.mapping.dialect)
      : undefined;
    if (source !== undefined) body._source = source;
    const fields = storedFields(index, document.source, request.storedFields);
    if (fields !== null) body.fields = fields;
  }
  return body;
}

/** Combines the request's filter with the mapping's, whose excludes hide parts of the source from every request. */
function withMapping(index: IndexState, filter: SourceFilter): SourceFilter {
  const { includes, excludes: hidden } = index.mapping.source;
  const excludes = filter.excludesVectors ? [...hidden, ...vectorFieldNames(index.mapping)] : hidden;
  if (includes.length === 0 && excludes.length === 0) return filter;
  return {
    enabled: filter.enabled,
    includes: filter.includes.length > 0 ? filter.includes : includes,
    excludes: [...filter.excludes, ...excludes],
  };
}

/** Values of fields with `store: true`. They are read from the source, since the operation log holds the whole document. */
function storedFields(index: IndexState, source: Uint8Array, names: readonly string[]): Record<string, unknown[]> | null {
  const stored = names.filter((name) => index.mapping.field(name)?.params.store === true);
  if (stored.length === 0) return null;
  const json = parseJsonBytes(source) as Record<string, unknown>;
  const fields: Record<string, unknown[]> = {};
  for (const name of stored) {
    const values = valuesAt(json, name.split('.'));
    if (values.length > 0) setOwn(fields, name, values);
  }
  return Object.keys(fields).length > 0 ? fields : null;
}

function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  if (path.length === 0) return value === null || value === undefined ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return valuesAt((value as Record<string, unknown>)[path[0]], path.slice(1));
}

export interface MultiGetItem extends Omit<GetRequest, 'realtime' | 'refresh' | 'mobility'> {}

/** Documents that are read without a pause. */
const ITEMS_AT_ONCE = 16;

/** `_mget`. A missing index or a conflict is an error of that item only. */
export async function multiGet(
  ctx: EngineContext,
  items: readonly MultiGetItem[],
  options: Pick<GetRequest, 'realtime' | 'refresh' | 'mobility'>,
): Promise<{ docs: unknown[] }> {
  const get = async (item: MultiGetItem): Promise<unknown> => {
    try {
      return await getDocument(ctx, { ...item, ...options });
    } catch (error) {
      if (error instanceof ApiError) return { _index: item.index, _id: item.id, error };
      throw error;
    }
  };
  const docs: unknown[] = [];
  const pause = pauses(options.mobility ?? STAYS);
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
    await pause();
    docs.push(...(await Promise.all(items.slice(start, start + ITEMS_AT_ONCE).map(get))));
  }
  return { docs };
}
