// Runs an operation over everything that a query finds: a scroll reads, batches of writes go to the shards. A document that changed in between is
// a version conflict. Source: Elasticsearch's reindex module (behaviour and response).

import { setTimeout as sleep } from 'node:timers/promises';
import type { MutableJsonObject } from '../../common/json-value.ts';
import { writeJson } from '../../common/json-write.ts';
import { RawJson } from '../../common/raw-json.ts';
import { ApiError, type ApiErrorData } from '../../errors/api-error.ts';
import { errorObject } from '../../errors/error-body.ts';
import type { EngineContext } from '../core/context.ts';
import type { IndexState } from '../core/index-state.ts';
import type { SearchParameters } from '../core/search-parameters.ts';
import type { WriteOperation, WriteOutcome } from '../core/write.ts';
import { clearScrolls, continueScroll, startScroll } from '../search/scroll.ts';
import type { SearchIndices } from '../search/search-call.ts';
import { type ActiveShards, requireActiveShards } from './active-shards.ts';
import { checkWritable } from './write-target.ts';

/** Which documents to read. `body` is a search body: query, sort, slice... */
export interface ByQuerySource {
  readonly indices: SearchIndices;
  readonly body: MutableJsonObject;
  readonly parameters: SearchParameters;
  /** Documents per batch. */
  readonly batchSize: number;
  /** Largest number of documents to process; null for all. */
  readonly maxDocs: number | null;
  readonly keepAliveMs: number;
}

export interface ByQueryOptions {
  /** false: the first conflict stops the operation with a 409. */
  readonly proceedOnConflicts: boolean;
  readonly refresh: boolean;
  /** Documents per second, measured over the whole batch including its writes; null for no limit. */
  readonly requestsPerSecond: number | null;
  readonly activeShards?: ActiveShards;
  /** True when the client has disconnected or the task was cancelled: the operation stops after the current batch. */
  readonly isCancelled?: () => boolean;
  /** Receives the counts before anything is read. The object is updated as the operation proceeds. */
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

/** The write for a hit, with its index. */
export interface PlannedWrite {
  readonly index: IndexState;
  readonly operation: WriteOperation;
}

/** A hit that cannot be written: a pipeline failed, or the caller lacks a right. */
export interface RefusedWrite {
  readonly index: string;
  readonly id: string;
  readonly error: ApiError;
}

/** Counts shown in the answer. */
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

/** Calls `plan` for every hit and writes the result; null leaves the hit alone. @returns the counts. A failure stops the run after its batch */
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
  // Documents of a missing shard must not be left out silently.
  const parameters = { ...source.parameters, allowPartialResults: false };
  let page = await startScroll(ctx, { indices: source.indices, parameters, body: writeJson(body) }, keepAliveMs);
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

/** Waits, at most until the operation is cancelled. @returns the time waited, in milliseconds */
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

/** Retries with growing pauses while the queue of the shard is full (429). */
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

/** The counts as the status of a task shows them. */
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

/** Status and body of the answer. @param kinds  the counts that this operation can have */
export function byQueryAnswer(
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
