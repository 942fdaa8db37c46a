// Operations on whatever a query finds: delete, write again, copy to another index. A scroll reads, batches of writes go to the shards; a
// document that changed in between is a version conflict. Source: Elasticsearch's reindex module (behaviour and response).

import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson, parseJsonBytes } from '../../common/json-parse.ts';
import type { MutableJsonObject } from '../../common/json-value.ts';
import { writeJson } from '../../common/json-write.ts';
import { RawJson } from '../../common/raw-json.ts';
import { filterSource, type SourceFilter } from '../../common/source-filter.ts';
import { ApiError, type ApiErrorData } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import { errorObject } from '../../errors/error-body.ts';
import {
  compileUpdateScript,
  parseUpdateScript,
  runUpdateScript,
  type ScriptedPlace,
  type UpdateScript,
} from '../../scripting/update-script.ts';
import type { EngineContext, IndexState, WriteOperation, WriteOutcome } from '../core/context.ts';
import { storedScript } from '../core/stored-script.ts';
import { type IngestItem, ingest } from '../ingest/ingest.ts';
import { clearScrolls, continueScroll, startScroll } from '../search/scroll.ts';
import type { SearchIndices, SearchParameters } from '../search/search-call.ts';
import { type ActiveShards, requireActiveShards } from './active-shards.ts';
import { generateId } from './document-id.ts';
import { NO_CONDITIONS, operation, type WriteConditions } from './documents.ts';
import { checkWritable, routingThroughAlias, writeIndex } from './write-target.ts';

/** What to read. `body` is a search body: query, sort, slice... */
export interface ByQuerySource {
  readonly indices: SearchIndices;
  readonly body: MutableJsonObject;
  readonly parameters: SearchParameters;
  /** Documents per batch. */
  readonly batchSize: number;
  /** Stop after so many; null: all. */
  readonly maxDocs: number | null;
  readonly keepAliveMs: number;
}

export interface ByQueryOptions {
  /** false: the first conflict ends the operation with a 409. */
  readonly proceedOnConflicts: boolean;
  readonly refresh: boolean;
  /** Documents a second, the time of their batch's work included; null: as many as there are. */
  readonly requestsPerSecond: number | null;
  readonly activeShards?: ActiveShards;
  /** The client went away: stop behind the batch under way. */
  readonly isCancelled?: () => boolean;
  /** Told the counts, which go on changing, before anything is read. */
  readonly observe?: (totals: ByQueryTotals) => void;
}

export interface ByQueryHit {
  readonly index: string;
  readonly id: string;
  readonly routing: string | null;
  readonly seqNo: number;
  readonly primaryTerm: number;
  readonly version: number;
  readonly source: RawJson | null;
}

/** One write for a hit, and the index that it goes to. */
export interface PlannedWrite {
  readonly index: IndexState;
  readonly operation: WriteOperation;
}

/** A hit whose document a pipeline refused. */
export interface RefusedWrite {
  readonly index: string;
  readonly id: string;
  readonly error: ApiError;
}

/** The pipeline that changed documents go through; null: the one of their index. */
export interface ByQueryPipeline {
  readonly name: string | null;
  /** The engine in which changed documents are written; the one that reads them may see other indices. */
  readonly engine: EngineContext;
  /** Asked about indices that a pipeline or a script sends documents to. */
  readonly refusalOf: (index: string) => ApiError | null;
}

/** Counts of the answer. */
export interface ByQueryTotals {
  total: number;
  created: number;
  updated: number;
  deleted: number;
  batches: number;
  conflicts: number;
  noops: number;
  retries: number;
  throttledMs: number;
  requestsPerSecond: number | null;
  failures: MutableJsonObject[];
}

const MAX_RETRIES = 10;
const FIRST_RETRY_MS = 50;

/** Runs `plan` over every hit; null: nothing to do for it. @returns the counts; `failures` end the run early */
export async function runByQuery(
  ctx: EngineContext,
  source: ByQuerySource,
  options: ByQueryOptions,
  plan: (hit: ByQueryHit) => PlannedWrite | RefusedWrite | null | Promise<PlannedWrite | RefusedWrite | null>,
): Promise<ByQueryTotals> {
  const totals: ByQueryTotals = {
    total: 0,
    created: 0,
    updated: 0,
    deleted: 0,
    batches: 0,
    conflicts: 0,
    noops: 0,
    retries: 0,
    throttledMs: 0,
    requestsPerSecond: options.requestsPerSecond,
    failures: [],
  };
  const size = Math.min(source.batchSize, source.maxDocs ?? source.batchSize);
  const body = { ...source.body, size, seq_no_primary_term: true, version: true, sort: source.body.sort ?? ['_doc'] };
  options.observe?.(totals);
  const keepAlive = () =>
    source.keepAliveMs + (options.requestsPerSecond === null ? 0 : Math.ceil((size / options.requestsPerSecond) * 1000));
  const keepAliveMs = keepAlive();
  let page = await startScroll(ctx, { indices: source.indices, parameters: source.parameters, body: writeJson(body) }, keepAliveMs);
  const touched = new Map<string, IndexState>();
  let read = 0;
  try {
    const found = ((page.hits as MutableJsonObject).total as { value: number }).value;
    totals.total = Math.min(found, source.maxDocs ?? found);
    for (;;) {
      const hits = ((page.hits as MutableJsonObject).hits as MutableJsonObject[]).slice(0, totals.total - read).map(readHit);
      if (hits.length === 0) break;
      const started = performance.now();
      read += hits.length;
      totals.batches++;
      const planned = await Promise.all(hits.map(plan));
      const writes = planned.filter((write) => write !== null && 'operation' in write);
      for (const write of planned) {
        if (write === null) totals.noops++;
        else if ('error' in write)
          totals.failures.push({ index: write.index, id: write.id, cause: errorObject(write.error), status: write.error.status });
      }
      await writeBatch(ctx, writes, options, totals, touched);
      if (totals.failures.length > 0 || read >= totals.total || options.isCancelled?.()) break;
      const { requestsPerSecond } = options;
      totals.requestsPerSecond = requestsPerSecond;
      if (requestsPerSecond !== null) {
        const waitMs = (hits.length / requestsPerSecond) * 1000 - (performance.now() - started);
        totals.throttledMs += await throttle(waitMs, options);
        if (options.isCancelled?.()) break;
      }
      page = await continueScroll(ctx, String(page._scroll_id), keepAlive(), false);
    }
  } finally {
    await clearScrolls(ctx, [String(page._scroll_id)]);
  }
  if (options.refresh) await Promise.all([...touched.values()].map((index) => ctx.refresh(index)));
  return totals;
}

const THROTTLE_STEP_MS = 500;

/** Waits, unless the client goes away. @returns the time that it took */
async function throttle(waitMs: number, { isCancelled }: ByQueryOptions): Promise<number> {
  if (waitMs <= 0) return 0;
  const started = performance.now();
  for (let leftMs = waitMs; leftMs > 0 && !isCancelled?.(); leftMs = waitMs - (performance.now() - started))
    await sleep(Math.min(leftMs, THROTTLE_STEP_MS));
  return performance.now() - started;
}

function readHit(hit: MutableJsonObject): ByQueryHit {
  return {
    index: String(hit._index),
    id: String(hit._id),
    routing: hit._routing === undefined ? null : String(hit._routing),
    seqNo: Number(hit._seq_no),
    primaryTerm: Number(hit._primary_term),
    version: Number(hit._version),
    source: hit._source instanceof RawJson ? hit._source : hit._source === undefined ? null : new RawJson(writeJson(hit._source)),
  };
}

async function writeBatch(
  ctx: EngineContext,
  writes: readonly PlannedWrite[],
  options: ByQueryOptions,
  totals: ByQueryTotals,
  touched: Map<string, IndexState>,
): Promise<void> {
  const groups = new Map<string, { index: IndexState; shard: number; operations: WriteOperation[] }>();
  for (const { index, operation: op } of writes) {
    checkWritable(index);
    const shard = ctx.shardOf(index, op.id, op.routing);
    const key = `${index.meta.uuid}/${shard}`;
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { index, shard, operations: [] }));
    group.operations.push(op);
    touched.set(index.meta.uuid, index);
  }
  await Promise.all(
    [...groups.values()].map(async ({ index, shard, operations }) => {
      if (options.activeShards) await requireActiveShards(ctx, index, shard, options.activeShards);
      const outcomes = await writeWithRetries(ctx, index, shard, operations, totals);
      outcomes.forEach((outcome, i) => {
        settle(totals, index, operations[i], outcome, options);
      });
    }),
  );
}

/** A full queue (429) is waited out. */
async function writeWithRetries(
  ctx: EngineContext,
  index: IndexState,
  shard: number,
  operations: readonly WriteOperation[],
  totals: ByQueryTotals,
): Promise<WriteOutcome[]> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ctx.write(index, shard, operations, 'false');
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || attempt >= MAX_RETRIES) throw error;
      totals.retries++;
      await sleep(Math.min(FIRST_RETRY_MS * 2 ** attempt, 5000));
    }
  }
}

function settle(totals: ByQueryTotals, index: IndexState, op: WriteOperation, outcome: WriteOutcome, options: ByQueryOptions): void {
  if (outcome.ok) {
    if (outcome.result === 'created') totals.created++;
    else if (outcome.result === 'updated') totals.updated++;
    else if (outcome.result === 'deleted') totals.deleted++;
    else totals.noops++;
    return;
  }
  const isConflict = outcome.error.status === 409;
  if (isConflict) totals.conflicts++;
  if (isConflict && options.proceedOnConflicts) return;
  const error = ApiError.fromData(outcome.error as ApiErrorData);
  totals.failures.push({ index: index.meta.name, id: op.id, cause: errorObject(error), status: error.status });
}

/** Counts as a running task shows them. */
export function byQueryStatus(totals: ByQueryTotals): MutableJsonObject {
  const { total, updated, created, deleted } = totals;
  return { total, updated, created, deleted, ...countsOf(totals) };
}

function countsOf(totals: ByQueryTotals): MutableJsonObject {
  return {
    batches: totals.batches,
    version_conflicts: totals.conflicts,
    noops: totals.noops,
    retries: { bulk: totals.retries, search: 0 },
    throttled_millis: Math.floor(totals.throttledMs),
    requests_per_second: totals.requestsPerSecond ?? -1,
    throttled_until_millis: 0,
  };
}

/** The answer's status and body; `kinds` are the counts that this operation has. */
function byQueryAnswer(
  totals: ByQueryTotals,
  started: number,
  kinds: ReadonlyArray<'updated' | 'created' | 'deleted'>,
): { status: number; body: MutableJsonObject } {
  const body: MutableJsonObject = { took: Math.floor(performance.now() - started), timed_out: false, total: totals.total };
  for (const kind of kinds) body[kind] = totals[kind];
  Object.assign(body, countsOf(totals), { failures: totals.failures });
  const status = Math.max(200, ...totals.failures.map((failure) => Number(failure.status)));
  return { status, body };
}

/** `_delete_by_query`. */
export async function deleteByQuery(
  ctx: EngineContext,
  source: ByQuerySource,
  options: ByQueryOptions,
): Promise<{ status: number; body: MutableJsonObject }> {
  const started = performance.now();
  const totals = await runByQuery(ctx, { ...source, body: { ...source.body, _source: false } }, options, (hit) => ({
    index: stateOf(ctx, hit.index),
    operation: operation('delete', hit.id, hit.routing, { ...NO_CONDITIONS, ifSeqNo: hit.seqNo, ifPrimaryTerm: hit.primaryTerm }),
  }));
  return byQueryAnswer(totals, started, ['deleted']);
}

/** `_update_by_query`: every hit is written again, changed by the script; without one as it is, so that a changed mapping takes hold. */
export async function updateByQuery(
  ctx: EngineContext,
  source: ByQuerySource,
  options: ByQueryOptions,
  script: UpdateScript | null,
  pipeline: ByQueryPipeline,
): Promise<{ status: number; body: MutableJsonObject }> {
  const started = performance.now();
  const totals = await runByQuery(ctx, source, options, async (hit) => {
    const conditions = { ...NO_CONDITIONS, ifSeqNo: hit.seqNo, ifPrimaryTerm: hit.primaryTerm };
    const changed = scripted(hit, script, null, false);
    if (changed === null) return null;
    const index = stateOf(ctx, hit.index);
    if (changed.source === null) return { index, operation: operation('delete', hit.id, hit.routing, conditions) };
    const item = { index: hit.index, id: hit.id, routing: hit.routing, source: changed.source, conditions };
    const indexFor = async (name: string) => (name === hit.index ? index : writeIndex(pipeline.engine, name, false));
    return ingested(item, pipeline, indexFor, 'index');
  });
  return byQueryAnswer(totals, started, ['updated', 'deleted']);
}

/** The write of a document, sent through its pipelines first; null: they dropped it. */
async function ingested(
  item: IngestItem,
  { name, engine, refusalOf }: ByQueryPipeline,
  indexFor: (name: string) => Promise<IndexState>,
  opType: 'index' | 'create',
): Promise<PlannedWrite | RefusedWrite | null> {
  let changed: IngestItem | null;
  try {
    changed = ingest(engine, item, name);
    const refusal = changed !== null && changed.index !== item.index ? refusalOf(changed.index) : null;
    if (refusal) throw refusal;
  } catch (error) {
    if (error instanceof ApiError) return { index: item.index, id: item.id ?? '', error };
    throw error;
  }
  if (changed === null) return null;
  const index = await indexFor(changed.index);
  const routing = routingThroughAlias(index, changed.index, changed.routing, 'index_routing');
  return { index, operation: { ...operation(opType, changed.id ?? generateId(), routing, changed.conditions), source: changed.source } };
}

function stateOf(ctx: EngineContext, name: string): IndexState {
  const index = ctx.index(name);
  if (!index) throw illegalArgument(`index [${name}] was deleted`);
  return index;
}

/** @throws ApiError illegal_argument_exception: the index keeps no source */
function sourceBytes(hit: ByQueryHit, filter: SourceFilter | null): Uint8Array {
  if (hit.source === null) throw illegalArgument(`[${hit.index}][${hit.id}] didn't store _source`);
  if (filter === null) return Buffer.from(hit.source.text);
  return Buffer.from(writeJson(filterSource(parseJson(hit.source.text) as MutableJsonObject, filter)));
}

/** What becomes of a hit. */
interface Changed {
  /** null: it is deleted. */
  readonly source: Uint8Array | null;
  readonly place: ScriptedPlace;
}

/** The hit after the script; null: nothing to do. @param canMove  the script may change where it goes @throws ApiError script_exception */
function scripted(hit: ByQueryHit, script: UpdateScript | null, filter: SourceFilter | null, canMove: boolean): Changed | null {
  const bytes = sourceBytes(hit, filter);
  const { index, id, version, routing } = hit;
  if (script === null) return { source: bytes, place: hit };
  const source = parseJsonBytes(bytes) as MutableJsonObject;
  const outcome = runUpdateScript(script, { source, index, id, version, routing, nowMs: Date.now() }, 'index', { canMove });
  if (outcome.op === 'none') return null;
  return { source: outcome.op === 'delete' ? null : Buffer.from(writeJson(outcome.source)), place: outcome.place };
}

export interface ReindexDestination {
  readonly index: string;
  readonly opType: 'index' | 'create';
  /** `external` versions are taken over from the source. */
  readonly versionType: 'internal' | 'external' | 'external_gte';
  /** `keep`, `discard`, or `=value` for all. */
  readonly routing: string;
}

/** Copies hits into `write`'s index. @param write  gives the index when the first document comes */
export async function reindex(
  ctx: EngineContext,
  source: ByQuerySource,
  destination: ReindexDestination,
  { filter, script, pipeline }: { filter: SourceFilter | null; script: UpdateScript | null; pipeline: ByQueryPipeline },
  options: ByQueryOptions,
  write: () => Promise<IndexState>,
): Promise<{ status: number; body: MutableJsonObject }> {
  const started = performance.now();
  let target: Promise<IndexState> | null = null;
  const indexFor = (name: string) => (name === destination.index ? (target ??= write()) : writeIndex(pipeline.engine, name, false));
  const totals = await runByQuery(ctx, source, options, async (hit) => {
    const changed = scripted(hit, script, filter, true);
    if (changed === null) return null;
    const { index: name, id, routing: given } = placeInDestination(hit, changed.place, destination);
    const refusal = name === destination.index ? null : pipeline.refusalOf(name);
    if (refusal) return { index: name, id: hit.id, error: refusal };
    const conditions = conditionsOf(hit, changed.place, destination);
    if (changed.source === null) {
      const index = await indexFor(name);
      return { index, operation: operation('delete', id ?? hit.id, routingThroughAlias(index, name, given, 'index_routing'), conditions) };
    }
    return ingested({ index: name, id, routing: given, source: changed.source, conditions }, pipeline, indexFor, destination.opType);
  });
  return byQueryAnswer(totals, started, ['updated', 'created', 'deleted']);
}

/** What a script left alone is the destination's word. */
function placeInDestination(hit: ByQueryHit, { index, id, routing }: ScriptedPlace, destination: ReindexDestination) {
  const { routing: command } = destination;
  const given = command === 'keep' ? hit.routing : command === 'discard' ? null : command.slice(1);
  return { index: index === hit.index ? destination.index : index, id, routing: routing === hit.routing ? given : routing };
}

/** @throws ApiError illegal_argument_exception: a version where the destination counts by itself */
function conditionsOf(hit: ByQueryHit, { version }: ScriptedPlace, { versionType }: ReindexDestination): WriteConditions {
  if (version === null || (versionType === 'internal' && version === hit.version)) return NO_CONDITIONS;
  if (versionType === 'internal') throw illegalArgument('[_version] can be set by a script only with an external [version_type]');
  return { ...NO_CONDITIONS, version, versionType };
}

/** The script of a request body, compiled once to find its errors before anything is read. @throws ApiError script_exception */
export function readScript(ctx: EngineContext, value: unknown): UpdateScript | null {
  if (value === undefined || value === null) return null;
  const script = parseUpdateScript(value, (id) => storedScript(ctx, id));
  compileUpdateScript(script.source);
  return script;
}
