// Runs an operation over all matches of a query, batch by batch, at the requested rate.
// Source: Elasticsearch's reindex module (behaviour and response).

import { setTimeout as sleep } from 'node:timers/promises';
import { jsonDouble } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { EngineContext } from '../core/context.ts';
import { clearScrolls } from '../search/contexts/scroll.ts';
import {
  type BatchCounts,
  type BatchOptions,
  type BatchOutcome,
  type BatchPosition,
  type ByQueryWork,
  batchSizeOf,
  isRetried,
  retryDelayMs,
  runBatch,
} from './by-query-batch.ts';

export interface ByQueryOptions extends BatchOptions {
  readonly refresh: boolean;
  /** Documents per second, measured over the whole batch including its writes; null for no limit. */
  readonly requestsPerSecond: number | null;
  /** True when the client has disconnected or the task was cancelled: the operation stops after the current batch. */
  readonly isCancelled?: () => boolean;
  /** Receives the counts before anything is read. The object is updated as the operation proceeds. */
  readonly observe?: (totals: ByQueryTotals) => void;
  /** Runs a batch elsewhere; null if the operation was cancelled in the meantime. @throws ApiError es_rejected_execution_exception: it may be repeated */
  readonly runElsewhere?: (position: BatchPosition, isCancelled: () => boolean) => Promise<BatchOutcome | null>;
}

/** Counts shown in the response. */
export interface ByQueryTotals extends BatchCounts {
  total: number;
  batches: number;
  /** Of pages that could not be read because lanes were busy. */
  searchRetries: number;
  throttledMs: number;
  requestsPerSecond: number | null;
  /** It was cancelled during a batch. */
  isCancelled: boolean;
  failures: MutableJsonObject[];
}

type Work = Pick<ByQueryWork, 'source' | 'plan'>;

/** Calls `plan` for every hit and writes the result. @returns the counts. A failure stops the run after its batch */
export async function runByQuery(ctx: EngineContext, work: Work, options: ByQueryOptions): Promise<ByQueryTotals> {
  const { source } = work;
  const totals: ByQueryTotals = {
    total: 0,
    created: 0,
    updated: 0,
    deleted: 0,
    batches: 0,
    conflicts: 0,
    noops: 0,
    retries: 0,
    searchRetries: 0,
    throttledMs: 0,
    requestsPerSecond: options.requestsPerSecond,
    isCancelled: false,
    failures: [],
  };
  options.observe?.(totals);
  const size = batchSizeOf(source);
  const keepAlive = (): number =>
    source.keepAliveMs + (options.requestsPerSecond === null ? 0 : Math.ceil((size / options.requestsPerSecond) * 1000));
  const touched = new Set<string>();
  let scrollId: string | null = null;
  let read = 0;
  try {
    for (;;) {
      const started = performance.now();
      const position: BatchPosition = {
        scrollId,
        left: source.maxDocs === null ? null : source.maxDocs - read,
        keepAliveMs: keepAlive(),
      };
      const batch = await oneBatch(ctx, work, options, position, totals);
      totals.isCancelled = batch === null;
      if (batch === null) break;
      ({ scrollId } = batch);
      totals.total = Math.min(batch.found, source.maxDocs ?? batch.found);
      if (batch.read === 0) break;
      read += batch.read;
      for (const name of batch.touched) touched.add(name);
      addCounts(totals, batch);
      if (totals.failures.length > 0 || read >= totals.total || options.isCancelled?.()) break;
      const { requestsPerSecond } = options;
      totals.requestsPerSecond = requestsPerSecond;
      if (requestsPerSecond !== null) {
        const waitMs = (batch.read / requestsPerSecond) * 1000 - (performance.now() - started);
        totals.throttledMs += await throttle(waitMs, options);
        if (options.isCancelled?.()) break;
      }
    }
  } finally {
    if (scrollId !== null) await clearScrolls(ctx, [scrollId]);
  }
  if (options.refresh) {
    const written = [...touched].flatMap((name) => ctx.index(name) ?? []);
    await Promise.all(written.map((index) => ctx.refresh(index)));
  }
  return totals;
}

/** Runs a batch, again with growing pauses while lanes are busy. @returns null if the operation was cancelled */
async function oneBatch(
  ctx: EngineContext,
  work: Work,
  options: ByQueryOptions,
  position: BatchPosition,
  totals: ByQueryTotals,
): Promise<BatchOutcome | null> {
  const { runElsewhere } = options;
  if (!runElsewhere) return runBatch(ctx, work, options, position);
  for (let attempt = 0; ; attempt++) {
    try {
      return await runElsewhere(position, () => options.isCancelled?.() ?? false);
    } catch (error) {
      if (!isRetried(error, attempt)) throw error;
      totals.searchRetries++;
      await sleep(retryDelayMs(attempt));
      if (options.isCancelled?.()) return null;
    }
  }
}

function addCounts(totals: ByQueryTotals, batch: BatchOutcome): void {
  totals.batches++;
  for (const name of ['created', 'updated', 'deleted', 'conflicts', 'noops', 'retries'] as const) totals[name] += batch[name];
  totals.failures.push(...batch.failures);
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
    retries: { bulk: totals.retries, search: totals.searchRetries },
    throttled_millis: Math.floor(totals.throttledMs),
    requests_per_second: jsonDouble(totals.requestsPerSecond ?? -1),
    throttled_until_millis: 0,
  };
}

/** Status and body of the response. @param kinds  the counts that this operation can have */
export function byQueryAnswer(
  totals: ByQueryTotals,
  started: number,
  kinds: ReadonlyArray<'updated' | 'created' | 'deleted'>,
): { status: number; body: MutableJsonObject } {
  const body: MutableJsonObject = { took: Math.floor(performance.now() - started), timed_out: false, total: totals.total };
  for (const kind of kinds) body[kind] = totals[kind];
  Object.assign(body, countsOf(totals), totals.isCancelled ? { canceled: 'by user request' } : {}, { failures: totals.failures });
  const status = Math.max(200, ...totals.failures.map((failure) => Number(failure.status)));
  return { status, body };
}
