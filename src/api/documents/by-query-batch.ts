// One batch of an operation over all matches of a query: a page of a scroll, the plan for its hits, and their writes. Its position and its
// outcome are plain JSON, so that a lane can run it. A document that changed in between is a version conflict.
// Source: Elasticsearch's reindex module (behaviour).

import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { RawJson } from '../../common/json/raw-json.ts';
import { ApiError, type ApiErrorData } from '../../errors/api-error.ts';
import { errorObject } from '../../errors/error-body.ts';
import type { EngineContext } from '../core/context.ts';
import { checkWritable } from '../core/index-blocks.ts';
import type { IndexState } from '../core/index-state.ts';
import type { SearchParameters } from '../core/search-parameters.ts';
import type { WriteOperation, WriteOutcome } from '../core/write.ts';
import { clearScrolls, continueScroll, startScroll } from '../search/contexts/scroll.ts';
import type { SearchIndices } from '../search/search-call.ts';
import { type ActiveShards, requireActiveShards } from './active-shards.ts';

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

/** A hit that cannot be written: a pipeline failed, or the caller lacks a privilege. */
export interface RefusedWrite {
  readonly index: string;
  readonly id: string;
  readonly error: ApiError;
}

/** What to do with a hit; null leaves it alone. */
export type PlanHit = (hit: ByQueryHit) => PlannedWrite | RefusedWrite | null | Promise<PlannedWrite | RefusedWrite | null>;

/** The work of an operation. */
export interface ByQueryWork {
  readonly source: ByQuerySource;
  readonly plan: PlanHit;
  /** Its counts in addition to those of all operations. */
  readonly kinds: ReadonlyArray<'updated' | 'created' | 'deleted'>;
}

/** The state of an operation between two batches. */
export interface BatchPosition {
  /** null before the first batch. */
  readonly scrollId: string | null;
  /** Documents to process at most; null for all. */
  readonly left: number | null;
  readonly keepAliveMs: number;
}

/** Counts of a batch. */
export interface BatchCounts {
  created: number;
  updated: number;
  deleted: number;
  conflicts: number;
  noops: number;
  /** Retries of writes that the queue of a shard rejected. */
  retries: number;
}

/** Reads a position from JSON. */
export function readPosition({ scrollId, left, keepAliveMs }: JsonObject): BatchPosition {
  return {
    scrollId: typeof scrollId === 'string' ? scrollId : null,
    left: typeof left === 'number' ? left : null,
    keepAliveMs: Number(keepAliveMs),
  };
}

export interface BatchOutcome extends BatchCounts {
  readonly scrollId: string;
  /** Documents that the query finds in all batches. */
  readonly found: number;
  /** Documents of this batch; 0 after the last one. */
  readonly read: number;
  /** Names of the indices that were written. */
  readonly touched: readonly string[];
  readonly failures: MutableJsonObject[];
}

export interface BatchOptions {
  /** false: a conflict is a failure. */
  readonly proceedOnConflicts: boolean;
  readonly activeShards?: ActiveShards;
}

const MAX_RETRIES = 10;

const FIRST_RETRY_MS = 50;

/** Delay before a refused request is repeated. */
export function retryDelayMs(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** attempt, 5000);
}

/** Whether the request's queue is full, so that a retry may succeed. */
export function isRetried(error: unknown, attempt: number): boolean {
  return error instanceof ApiError && error.type === 'es_rejected_execution_exception' && attempt < MAX_RETRIES;
}

/** Documents per batch of the whole operation. */
export function batchSizeOf({ batchSize, maxDocs }: ByQuerySource): number {
  return Math.min(batchSize, maxDocs ?? batchSize);
}

/** Calls `plan` for every hit of the next page and writes the results. A scroll that this batch has opened is closed if the batch fails. */
export async function runBatch(
  ctx: EngineContext,
  { source, plan }: Pick<ByQueryWork, 'source' | 'plan'>,
  options: BatchOptions,
  position: BatchPosition,
): Promise<BatchOutcome> {
  const page = await nextPage(ctx, source, position);
  const scrollId = String(page['_scroll_id']);
  try {
    const { total, hits: all } = page['hits'] as { total: { value: number }; hits: MutableJsonObject[] };
    const hits = all.slice(0, position.left ?? total.value).map(readHit);
    const counts: BatchCounts = { created: 0, updated: 0, deleted: 0, conflicts: 0, noops: 0, retries: 0 };
    const failures: MutableJsonObject[] = [];
    const planned = await Promise.all(hits.map(plan));
    const writes = planned.filter((write) => write !== null && 'operation' in write);
    for (const write of planned) {
      if (write === null) counts.noops++;
      else if ('error' in write)
        failures.push({ index: write.index, id: write.id, cause: errorObject(write.error), status: write.error.status });
    }
    const touched = await writeBatch(ctx, writes, options, counts, failures);
    return { ...counts, scrollId, found: total.value, read: hits.length, touched, failures };
  } catch (error) {
    if (position.scrollId === null) await clearScrolls(ctx, [scrollId]);
    throw error;
  }
}

function nextPage(ctx: EngineContext, source: ByQuerySource, { scrollId, keepAliveMs }: BatchPosition): Promise<JsonObject> {
  if (scrollId !== null) return continueScroll(ctx, scrollId, keepAliveMs, false);
  const sort = source.body['sort'] ?? ['_doc'];
  const body = { ...source.body, size: batchSizeOf(source), seq_no_primary_term: true, version: true, sort };
  // Documents of a missing shard must not be skipped silently.
  const parameters = { ...source.parameters, allowPartialResults: false };
  return startScroll(ctx, { indices: source.indices, parameters, body: writeJson(body) }, keepAliveMs);
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
  options: BatchOptions,
  counts: BatchCounts,
  failures: MutableJsonObject[],
): Promise<string[]> {
  const touched = new Set<string>();
  const groups = new Map<string, { index: IndexState; shard: number; operations: WriteOperation[] }>();
  for (const { index, operation: op } of writes) {
    checkWritable(index);
    const shard = index.routing.shardOf(op.id, op.routing);
    const key = `${index.meta.uuid}/${shard}`;
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { index, shard, operations: [] }));
    group.operations.push(op);
    touched.add(index.meta.name);
  }
  await Promise.all(
    [...groups.values()].map(async ({ index, shard, operations }) => {
      if (options.activeShards) await requireActiveShards(ctx, index, shard, options.activeShards);
      const outcomes = await writeWithRetries(ctx, index, shard, operations, counts);
      outcomes.forEach((outcome, i) => {
        const failure = settle(counts, index, operations[i], outcome, options);
        if (failure !== null) failures.push(failure);
      });
    }),
  );
  return [...touched];
}

/** Retries with growing pauses while the queue of the shard is full (429). */
async function writeWithRetries(
  ctx: EngineContext,
  index: IndexState,
  shard: number,
  operations: readonly WriteOperation[],
  counts: BatchCounts,
): Promise<WriteOutcome[]> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ctx.write(index, shard, operations, 'false');
    } catch (error) {
      if (!isRetried(error, attempt)) throw error;
      counts.retries++;
      await sleep(retryDelayMs(attempt));
    }
  }
}

/** Counts an outcome. @returns its failure, null if it has not failed */
function settle(
  counts: BatchCounts,
  { meta }: IndexState,
  op: WriteOperation,
  outcome: WriteOutcome,
  { proceedOnConflicts }: BatchOptions,
): MutableJsonObject | null {
  if (outcome.ok) {
    if (outcome.result === 'created') counts.created++;
    else if (outcome.result === 'updated') counts.updated++;
    else if (outcome.result === 'deleted') counts.deleted++;
    else counts.noops++;
    return null;
  }
  const isConflict = outcome.error.status === 409;
  if (isConflict) counts.conflicts++;
  if (isConflict && proceedOnConflicts) return null;
  const error = ApiError.fromData(outcome.error as ApiErrorData);
  return { index: meta.name, id: op.id, cause: errorObject(error), status: error.status };
}
