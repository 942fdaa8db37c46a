// Writes of single documents: index, create, delete, update. Bodies are passed on as the bytes of the request.

import type { SourceFilter } from '../../common/json/source-filter.ts';
import { inTurn, type Mobility, STAYS } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { EngineContext } from '../core/context.ts';
import { checkWritable } from '../core/index-blocks.ts';
import type { IndexState } from '../core/index-state.ts';
import { readIndex, routingThroughAlias, withPlainName } from '../core/read-target.ts';
import { makeOperation, NO_CONDITIONS, type Refresh, type WriteConditions, type WriteOperation } from '../core/write.ts';
import { ingest, ingestUpsert } from '../ingest/ingest.ts';
import { type ActiveShards, requireActiveShards } from './active-shards.ts';
import { checkRouting, conditionProblems, EMPTY_PIPELINE } from './conditions.ts';
import { generateId, idProblem, validationError } from './document-id.ts';
import { renderSource } from './render-source.ts';
import { inTimeSeries } from './time-series.ts';
import { updateBodyOptions } from './update-body.ts';
import { writeBody, writeStatus } from './write-answer.ts';
import { checkStreamWrite, writeIndex } from './write-target.ts';

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
  readonly conditions: WriteConditions;
  readonly activeShards?: ActiveShards;
}

export interface WriteResponse {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** @throws ApiError as Elasticsearch refuses the request */
export async function indexDocument(ctx: EngineContext, given: IndexRequest): Promise<WriteResponse> {
  const request = withPlainName(given);
  const failure = validationError([
    request.id === null ? null : idProblem(request.id),
    ...conditionProblems(request.opType, request.id, request.conditions),
    request.pipeline === '' ? EMPTY_PIPELINE : null,
  ]);
  if (failure) throw failure;
  const item = ingest(ctx, request, request.pipeline);
  if (item === null) return { status: 200, body: droppedBody(request.index, request.id) };
  const index = await writeIndex(ctx, item.index, request.requireAlias);
  return writeOne(
    ctx,
    index,
    { ...request, index: item.index },
    {
      ...makeOperation(request.opType, item.id ?? generateId(), item.routing, item.conditions),
      autoId: item.id === null,
      source: item.source,
    },
  );
}

/** Response for a document that a pipeline drops. */
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

export async function deleteDocument(ctx: EngineContext, given: DeleteRequest): Promise<WriteResponse> {
  const request = withPlainName(given);
  const failure = validationError([idProblem(request.id), ...conditionProblems('delete', request.id, request.conditions)]);
  if (failure) throw failure;
  // With an external version the deletion is recorded even if the document never existed. Without one a deletion does not create the index.
  const external = request.conditions.versionType !== 'internal';
  const index = external ? await writeIndex(ctx, request.index, false) : readIndex(ctx, request.index);
  return writeOne(ctx, index, request, makeOperation('delete', request.id, request.routing, request.conditions));
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
  /** `_source` parameters: the part of the updated document to show in the `get` section of the response. */
  readonly source: SourceFilter | null;
  readonly activeShards?: ActiveShards;
  /** Other than STAYS if the caller repeats the request in a lane when this throws TooHeavy. */
  readonly mobility?: Mobility;
}

export async function updateDocument(ctx: EngineContext, given: UpdateRequest): Promise<WriteResponse> {
  const request = withPlainName(given);
  const { retryOnConflict } = request;
  const own = updateBodyOptions(request.body);
  const conditions = { ...request.conditions, ...own.conditions };
  const failure = validationError([idProblem(request.id), ...conditionProblems('update', request.id, conditions, retryOnConflict)]);
  if (failure) throw failure;
  const index = await writeIndex(ctx, request.index, request.requireAlias);
  const filter = own.source ?? request.source;
  // A turn of its own: waiting for the index has ended that of the request.
  const source = inTurn(given.mobility ?? STAYS, () => ingestUpsert(ctx, request, request.body, request.docAsUpsert, NO_CONDITIONS));
  if (source === null) return { status: 200, body: droppedBody(index.meta.name, request.id) };
  return writeOne(
    ctx,
    index,
    request,
    {
      ...makeOperation('update', request.id, request.routing, conditions),
      source,
      docAsUpsert: request.docAsUpsert,
      retryOnConflict,
      wantSource: filter?.enabled ?? false,
    },
    filter,
  );
}

async function writeOne(
  ctx: EngineContext,
  index: IndexState,
  { index: name, refresh, activeShards }: { readonly index: string; readonly refresh: Refresh; readonly activeShards?: ActiveShards },
  given: WriteOperation,
  filter: SourceFilter | null = null,
): Promise<WriteResponse> {
  checkStreamWrite(ctx, index, name, given);
  checkWritable(index);
  const op = inTimeSeries(index, given);
  const routing = routingThroughAlias(index, name, op.routing, 'index_routing');
  checkRouting(index, op.id, routing);
  const shard = index.routing.shardOf(op.id, routing);
  if (activeShards) await requireActiveShards(ctx, index, shard, activeShards);
  const [outcome] = await ctx.write(index, shard, [{ ...op, routing }], refresh);
  if (!outcome.ok) throw ApiError.fromData(outcome.error);
  const body = writeBody(index, outcome, refresh);
  if (filter !== null && outcome.source !== null) {
    const { seqNo, primaryTerm, source } = outcome;
    body.get = { _seq_no: seqNo, _primary_term: primaryTerm, found: true, _source: renderSource(source, filter, ctx.dialect) };
  }
  return { status: writeStatus(outcome), body };
}
