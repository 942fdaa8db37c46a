// Operations on single documents: index, create, get, delete, update; and multi get. Bodies are bytes as they came.
import { parseJson, parseJsonBytes } from '../../common/json-parse.ts';
import { RawJson } from '../../common/raw-json.ts';
import { filterSource, type SourceFilter } from '../../common/source-filter.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import { readSource } from '../../search/request/search-request.ts';
import type { EngineContext, IndexState, StoredDocument, WriteOperation, WriteOutcome } from '../core/context.ts';
import { ingest, ingestUpsert } from '../ingest/ingest.ts';
import { type ActiveShards, requireActiveShards } from './active-shards.ts';
import { generateId, idProblem, validationError } from './document-id.ts';
import { checkReadable, checkWritable, readIndex, routingThroughAlias, writeIndex, writeShards } from './write-target.ts';

export type Refresh = 'false' | 'true' | 'wait_for';
export type VersionType = 'internal' | 'external' | 'external_gte';

export interface WriteConditions {
  readonly ifSeqNo: number | null;
  readonly ifPrimaryTerm: number | null;
  readonly version: number | null;
  readonly versionType: VersionType;
}

export const NO_CONDITIONS: WriteConditions = { ifSeqNo: null, ifPrimaryTerm: null, version: null, versionType: 'internal' };

export interface IndexRequest {
  readonly index: string;
  /** null: generated. */
  readonly id: string | null;
  readonly source: Uint8Array;
  readonly opType: 'index' | 'create';
  readonly routing: string | null;
  readonly refresh: Refresh;
  readonly requireAlias: boolean;
  readonly pipeline: string | null;
  /** Asked about the index that a pipeline sends the document to. */
  readonly refusalOf?: (index: string) => ApiError | null;
  readonly conditions: WriteConditions;
  readonly activeShards?: ActiveShards;
}

export interface WriteResponse {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** @throws ApiError: whatever Elasticsearch answers to the same request */
export async function indexDocument(ctx: EngineContext, request: IndexRequest): Promise<WriteResponse> {
  const failure = validationError([
    request.id === null ? null : idProblem(request.id),
    ...conditionProblems(request.opType, request.id, request.conditions),
  ]);
  if (failure) throw failure;
  const item = ingest(ctx, request, request.pipeline);
  if (item === null) return { status: 200, body: droppedBody(request.index, request.id) };
  if (item.index !== request.index) {
    const refusal = request.refusalOf?.(item.index);
    if (refusal) throw refusal;
  }
  const index = await writeIndex(ctx, item.index, request.requireAlias);
  return writeOne(
    ctx,
    index,
    { ...request, index: item.index },
    {
      ...operation(request.opType, item.id ?? generateId(), item.routing, item.conditions),
      autoId: item.id === null,
      source: item.source,
    },
  );
}

/** The answer for a document that a pipeline dropped. */
export function droppedBody(index: string, id: string | null): Record<string, unknown> {
  const shards = { total: 0, successful: 0, failed: 0 };
  return { _index: index, _id: id ?? 'auto-generated', _version: -3, result: 'noop', _shards: shards };
}

export interface DeleteRequest {
  readonly index: string;
  readonly id: string;
  readonly routing: string | null;
  readonly refresh: Refresh;
  readonly conditions: WriteConditions;
  readonly activeShards?: ActiveShards;
}

export async function deleteDocument(ctx: EngineContext, request: DeleteRequest): Promise<WriteResponse> {
  const failure = validationError([idProblem(request.id), ...conditionProblems('delete', request.id, request.conditions)]);
  if (failure) throw failure;
  // An external version is worth remembering even for a document that never was; else nothing is created for a deletion.
  const external = request.conditions.versionType !== 'internal';
  const index = external ? await writeIndex(ctx, request.index, false) : readIndex(ctx, request.index);
  return writeOne(ctx, index, request, operation('delete', request.id, request.routing, request.conditions));
}

export interface UpdateRequest {
  readonly index: string;
  readonly id: string;
  /** The request body: doc, upsert, doc_as_upsert, detect_noop. */
  readonly body: Uint8Array;
  readonly routing: string | null;
  readonly refresh: Refresh;
  readonly requireAlias: boolean;
  readonly retryOnConflict: number;
  readonly docAsUpsert: boolean;
  readonly conditions: WriteConditions;
  /** `_source` parameters: the document after the update in the answer's `get`. */
  readonly source: SourceFilter | null;
  readonly activeShards?: ActiveShards;
}

export async function updateDocument(ctx: EngineContext, request: UpdateRequest): Promise<WriteResponse> {
  const { retryOnConflict } = request;
  const own = updateBodyOptions(request.body);
  const conditions = { ...request.conditions, ...own.conditions };
  const failure = validationError([idProblem(request.id), ...conditionProblems('update', request.id, conditions, retryOnConflict)]);
  if (failure) throw failure;
  const index = await writeIndex(ctx, request.index, request.requireAlias);
  const filter = own.source ?? request.source;
  const source = ingestUpsert(ctx, request, request.body, request.docAsUpsert, NO_CONDITIONS);
  if (source === null) return { status: 200, body: droppedBody(index.meta.name, request.id) };
  return writeOne(
    ctx,
    index,
    request,
    {
      ...operation('update', request.id, request.routing, conditions),
      source,
      docAsUpsert: request.docAsUpsert,
      retryOnConflict,
      wantSource: filter?.enabled ?? false,
    },
    filter,
  );
}

/** What an update's body says about the request itself; it wins over parameters. */
export interface UpdateBodyOptions {
  /** How much of the document the answer shows. */
  readonly source: SourceFilter | null;
  readonly conditions: Partial<Pick<WriteConditions, 'ifSeqNo' | 'ifPrimaryTerm'>>;
}

const NO_OPTIONS: UpdateBodyOptions = { source: null, conditions: {} };

export function updateBodyOptions(body: Uint8Array | null): UpdateBodyOptions {
  const bytes = body && Buffer.from(body.buffer, body.byteOffset, body.length);
  if (!bytes || !(bytes.includes('"_source"') || bytes.includes('"if_'))) return NO_OPTIONS;
  let json: unknown;
  try {
    json = parseJsonBytes(bytes);
  } catch {
    // The update itself says what is wrong with it.
    return NO_OPTIONS;
  }
  if (typeof json !== 'object' || json === null) return NO_OPTIONS;
  const { _source, if_seq_no: seqNo, if_primary_term: term } = json as Record<string, unknown>;
  return {
    source: _source === undefined ? null : readSource(_source),
    conditions: {
      ...(seqNo === undefined ? {} : { ifSeqNo: wholeNumber('if_seq_no', seqNo) }),
      ...(term === undefined ? {} : { ifPrimaryTerm: wholeNumber('if_primary_term', term) }),
    },
  };
}

function wholeNumber(name: string, value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  if (!Number.isSafeInteger(number))
    throw new ApiError('x_content_parse_exception', 400, `[UpdateRequest] failed to parse field [${name}]`);
  return number as number;
}

async function writeOne(
  ctx: EngineContext,
  index: IndexState,
  { index: name, refresh, activeShards }: { readonly index: string; readonly refresh: Refresh; readonly activeShards?: ActiveShards },
  op: WriteOperation,
  filter: SourceFilter | null = null,
): Promise<WriteResponse> {
  checkWritable(index);
  const routing = routingThroughAlias(index, name, op.routing, 'index_routing');
  checkRouting(index, op.id, routing);
  const shard = ctx.shardOf(index, op.id, routing);
  if (activeShards) await requireActiveShards(ctx, index, shard, activeShards);
  const [outcome] = await ctx.write(index, shard, [{ ...op, routing }], refresh);
  if (!outcome.ok) throw ApiError.fromData(outcome.error);
  const body = writeBody(index, outcome, refresh);
  if (filter !== null && outcome.source !== null) {
    const { seqNo, primaryTerm, source } = outcome;
    body.get = { _seq_no: seqNo, _primary_term: primaryTerm, found: true, _source: renderSource(source, filter) };
  }
  return { status: writeStatus(outcome), body };
}

/** The answer to a write, in Elasticsearch's order of keys. */
export function writeBody(index: IndexState, outcome: WriteOutcome & { ok: true }, refresh: Refresh): Record<string, unknown> {
  const body: Record<string, unknown> = { _index: index.meta.name, _id: outcome.id, _version: outcome.version, result: outcome.result };
  if (outcome.result === 'noop') body._shards = { total: 0, successful: 0, failed: 0 };
  else {
    if (refresh === 'true') body.forced_refresh = true;
    body._shards = writeShards(index);
  }
  body._seq_no = outcome.seqNo;
  body._primary_term = outcome.primaryTerm;
  return body;
}

export function writeStatus(outcome: WriteOutcome & { ok: true }): number {
  if (outcome.result === 'created') return 201;
  return outcome.result === 'not_found' ? 404 : 200;
}

export function operation(kind: WriteOperation['kind'], id: string, routing: string | null, conditions: WriteConditions): WriteOperation {
  return { kind, id, autoId: false, routing, source: null, ...conditions, retryOnConflict: 0, docAsUpsert: false, wantSource: false };
}

/** @throws ApiError routing_missing_exception */
export function checkRouting(index: IndexState, id: string, routing: string | null): void {
  if (routing !== null || !index.mapping.routingRequired) return;
  const { name, uuid } = index.meta;
  throw new ApiError('routing_missing_exception', 400, `routing is required for [${name}]/[${id}]`, {
    details: { index: name, index_uuid: uuid },
  });
}

/** What is wrong with the conditions of a write, for `validationError`. @throws ApiError illegal_argument_exception: negative numbers */
export function conditionProblems(
  kind: WriteOperation['kind'],
  id: string | null,
  { ifSeqNo, ifPrimaryTerm, version, versionType }: WriteConditions,
  retryOnConflict = 0,
): (string | null)[] {
  if (ifSeqNo !== null && ifSeqNo < 0) throw illegalArgument(`sequence numbers must be non negative. got [${ifSeqNo}].`);
  if (ifPrimaryTerm !== null && ifPrimaryTerm < 0) throw illegalArgument(`primary term must be non negative. got [${ifPrimaryTerm}]`);
  const term = ifPrimaryTerm ?? 0;
  return [
    kind === 'create' && (versionType !== 'internal' || version !== null)
      ? 'create operations only support internal versioning. use index instead'
      : null,
    ifSeqNo === null && term > 0 ? `ifSeqNo is unassigned, but primary term is [${term}]` : null,
    ifSeqNo !== null && term === 0 ? 'ifSeqNo is set, but primary term is [0]' : null,
    ifSeqNo !== null && version !== null ? 'compare and write operations can not use versioning' : null,
    ifSeqNo !== null && retryOnConflict > 0 ? 'compare and write operations can not be retried' : null,
    versionType === 'internal' && version !== null
      ? 'internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead'
      : null,
    versionType !== 'internal' && version !== null && version < 0
      ? `illegal version value [${version}] for version type [${versionType.toUpperCase()}]`
      : null,
    id === null && (versionType !== 'internal' || version !== null) ? 'an id must be provided if version type or value are set' : null,
  ];
}

// -------------------------------------------------------------------------------------------------------------- reading

export interface GetRequest {
  readonly index: string;
  readonly id: string;
  readonly routing: string | null;
  readonly realtime: boolean;
  readonly refresh: boolean;
  readonly version: number | null;
  readonly source: SourceFilter;
  readonly storedFields: readonly string[];
}

/** The document as `GET /{index}/_doc/{id}` answers it; `found: false` if it is missing. */
export async function getDocument(ctx: EngineContext, request: GetRequest): Promise<Record<string, unknown>> {
  const { index, document } = await loadDocument(ctx, request);
  return renderGet(index, request, document);
}

/** `_source` alone. @throws ApiError resource_not_found_exception (404) */
export async function getSource(ctx: EngineContext, request: GetRequest): Promise<unknown> {
  const { index, document } = await loadDocument(ctx, request);
  const where = `[${request.index}]/[${request.id}]`;
  if (document === null) throw new ApiError('resource_not_found_exception', 404, `Document not found ${where}`);
  const source =
    index.mapping.source.enabled && document.source !== null
      ? renderSource(document.source, withMapping(index, request.source))
      : undefined;
  if (source === undefined) throw new ApiError('resource_not_found_exception', 404, `Source not found ${where}`);
  return source;
}

/** The index and the newest or the refreshed version of a document. @throws ApiError */
export async function loadDocument(
  ctx: EngineContext,
  request: GetRequest,
): Promise<{ index: IndexState; document: StoredDocument | null }> {
  const index = readIndex(ctx, request.index);
  checkReadable(index);
  const routing = routingThroughAlias(index, request.index, request.routing, 'search_routing');
  checkRouting(index, request.id, routing);
  if (request.refresh) await ctx.refresh(index);
  const shard = ctx.shardOf(index, request.id, routing);
  const document = request.realtime ? await ctx.getRealtime(index, shard, request.id) : getRefreshed(ctx, index, shard, request.id);
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

/** The document as searches see it. */
function getRefreshed(ctx: EngineContext, index: IndexState, shard: number, id: string): StoredDocument | null {
  const snapshot = ctx.acquire(index, shard);
  try {
    for (let at = snapshot.segments.length - 1; at >= 0; at--) {
      const docId = snapshot.segments[at].docOfId(id);
      if (docId < 0) continue;
      const document = ctx.record(index, shard, snapshot.segments[at].seqNo(docId));
      // The caller gets it in a later turn, after other reads.
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
    const source = request.source.enabled ? renderSource(document.source, withMapping(index, request.source)) : undefined;
    if (source !== undefined) body._source = source;
    const fields = storedFields(index, document.source, request.storedFields);
    if (fields !== null) body.fields = fields;
  }
  return body;
}

/** Mapping's excludes hide parts of the source from everyone; the request's filter comes on top. */
function withMapping(index: IndexState, filter: SourceFilter): SourceFilter {
  const { includes, excludes } = index.mapping.source;
  if (includes.length === 0 && excludes.length === 0) return filter;
  return {
    enabled: filter.enabled,
    includes: filter.includes.length > 0 ? filter.includes : includes,
    excludes: [...filter.excludes, ...excludes],
  };
}

/** @returns the bytes spliced when nothing is filtered, else the filtered object; undefined when `_source` is off */
export function renderSource(source: Uint8Array, filter: SourceFilter): RawJson | Record<string, unknown> | undefined {
  if (!filter.enabled) return undefined;
  const text = Buffer.from(source.buffer, source.byteOffset, source.length).toString('utf8');
  if (filter.includes.length === 0 && filter.excludes.length === 0) return new RawJson(text);
  return filterSource(parseJson(text) as Record<string, unknown>, filter);
}

/** Values of fields with `store: true`, taken from the source: the log keeps the whole document. */
function storedFields(index: IndexState, source: Uint8Array, names: readonly string[]): Record<string, unknown[]> | null {
  const stored = names.filter((name) => index.mapping.field(name)?.params.store === true);
  if (stored.length === 0) return null;
  const json = parseJsonBytes(source) as Record<string, unknown>;
  const fields: Record<string, unknown[]> = {};
  for (const name of stored) {
    const values = valuesAt(json, name.split('.'));
    if (values.length > 0) fields[name] = values;
  }
  return Object.keys(fields).length > 0 ? fields : null;
}

function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  if (path.length === 0) return value === null || value === undefined ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return valuesAt((value as Record<string, unknown>)[path[0]], path.slice(1));
}

export interface MultiGetItem extends Omit<GetRequest, 'realtime' | 'refresh'> {}

/** `_mget`: a missing index or a conflict is that item's error. */
export async function multiGet(
  ctx: EngineContext,
  items: readonly MultiGetItem[],
  options: { realtime: boolean; refresh: boolean },
): Promise<{ docs: unknown[] }> {
  const docs = await Promise.all(
    items.map(async (item) => {
      try {
        return await getDocument(ctx, { ...item, ...options });
      } catch (error) {
        if (error instanceof ApiError) return { _index: item.index, _id: item.id, error };
        throw error;
      }
    }),
  );
  return { docs };
}
