// `_bulk`: parses NDJSON lines into operations, sends them to their shards in groups, and returns the outcomes in the order of the items.
//
// The body is read as it arrives. Nothing is written before READ_AHEAD_BYTES are read or the body ends, so that a malformed line among them
// fails the request without any write, as in Elasticsearch. A malformed line after them fails the request, too, but the items before it are written.

import { writeJson } from '../../common/json/json-write.ts';
import { RawJson } from '../../common/json/raw-json.ts';
import { type SourceFilter, WHOLE_SOURCE } from '../../common/json/source-filter.ts';
import { Breath } from '../../common/turns/breath.ts';
import { inDialect } from '../../compat/error-forms.ts';
import { ApiError, type ApiErrorData } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { errorObject, toApiError } from '../../errors/error-body.ts';
import type { EngineContext } from '../core/context.ts';
import { withPosition } from '../core/error-position.ts';
import { checkWritable } from '../core/index-blocks.ts';
import type { IndexState } from '../core/index-state.ts';
import { routingThroughAlias } from '../core/read-target.ts';
import type { Refresh, WriteOperation, WriteOutcome } from '../core/write.ts';
import { type ActiveShards, requireActiveShards } from './active-shards.ts';
import { hasItemPipelines, type IngestElsewhere, ingestItem } from './bulk-ingest.ts';
import { type Action, type Item, LineReader, parseItems } from './bulk-items.ts';
import { checkRouting } from './conditions.ts';
import { idProblem, validationError } from './document-id.ts';
import { renderSource } from './render-source.ts';
import { inTimeSeries } from './time-series.ts';
import { writeBody, writeStatus } from './write-answer.ts';
import { droppedBody } from './write-document.ts';
import { checkStreamWrite, createMissing, writeIndex } from './write-target.ts';

const READ_AHEAD_BYTES = 8 << 20;

/** Bytes of operations per group once writing has begun. */
const GROUP_BYTES = 2 << 20;

/** Maximum number of operations in a group: a message with more would block the event loop for long. */
const GROUP_ITEMS = 5000;

/** Number of lines parsed between two checks of the clock. */
const PARSED_LINES = 500;

/** Number of items resolved or settled between two checks of the clock. */
const SLICE_ITEMS = 64;

/** Groups in flight at once: one is written while the next is read. */
const GROUPS_IN_FLIGHT = 2;

export interface BulkRequest {
  /** Index named in the path, for items without `_index`. */
  readonly index: string | null;
  readonly body: AsyncIterable<Uint8Array>;
  readonly refresh: Refresh;
  readonly routing: string | null;
  readonly pipeline: string | null;
  readonly requireAlias: boolean;
  /** `_source` parameter: the part of the document shown in responses to updates. */
  readonly source: SourceFilter | null;
  readonly activeShards?: ActiveShards;
  /** Items may name a type, as in version 7. */
  readonly hasTypes?: boolean;
  readonly ingestElsewhere?: IngestElsewhere | null;
}

/** @throws ApiError 400 for a malformed body. Failures of items are part of the response. */
export async function bulk(ctx: EngineContext, request: BulkRequest): Promise<Record<string, unknown>> {
  const started = performance.now();
  const breath = new Breath();
  const run = new BulkRun(ctx, request, breath);
  const reader = new LineReader();
  let items: Item[] = [];
  let bytes = 0;
  let total = 0;
  let limit = READ_AHEAD_BYTES;
  let rest: Uint8Array[] = [];
  for await (const chunk of request.body) {
    await breath.take();
    total += chunk.length;
    reader.push(chunk);
    for (let taken = PARSED_LINES; taken === PARSED_LINES; ) {
      const lines = reader.take(PARSED_LINES);
      taken = lines.length;
      const first = reader.lineNumber - taken - rest.length;
      const parsed = parseItems(rest.concat(lines), first, request);
      for (const item of parsed.items) items.push(item);
      rest = parsed.rest;
      await breath.take();
    }
    bytes += chunk.length;
    if (bytes < limit) continue;
    await run.send(items);
    items = [];
    bytes = 0;
    limit = GROUP_BYTES;
  }
  if (total === 0) throw new ApiError('parse_exception', 400, 'request body is required');
  if (reader.hasRest) throw illegalArgumentError('The bulk request must be terminated by a newline [\\n]');
  if (run.count + items.length === 0) throw validationError(['no requests added']) as ApiError;
  await run.send(items);
  return run.finish(started);
}

interface ShardGroup {
  readonly index: IndexState;
  readonly shard: number;
  readonly operations: WriteOperation[];
  /** Actions as named by the items; parallel to `operations`. */
  readonly actions: Action[];
  /** Parts of the document that the responses to updates show; parallel to `operations`. */
  readonly filters: (SourceFilter | null)[];
  /** Position of each operation among all items of the request; parallel to `operations`. */
  readonly places: number[];
}

class BulkRun {
  count = 0;
  readonly #ctx: EngineContext;
  readonly #request: BulkRequest;
  readonly #breath: Breath;
  /** Settled items as JSON, which takes a tenth of the objects' memory. */
  readonly #items: RawJson[] = [];
  readonly #touched = new Map<string, { index: IndexState; shard: number }>();
  /** Resolved index names: a name means the same index for all items of the request. */
  readonly #targets = new Map<string, Promise<IndexState>>();
  readonly #inFlight = new Set<Promise<void>>();
  /** The last group sent to each shard: groups of one shard are written one after another. */
  readonly #shardTails = new Map<string, Promise<void>>();
  #failed = false;
  /** Time that ingest pipelines took; null if no item has any. */
  #ingestMs: number | null = null;

  constructor(ctx: EngineContext, request: BulkRequest, breath: Breath) {
    this.#ctx = ctx;
    this.#request = request;
    this.#breath = breath;
  }

  /** Starts writing items. Resolves when the next group may be read. */
  async send(items: readonly Item[]): Promise<void> {
    for (let first = 0; first < items.length; first += GROUP_ITEMS) {
      await this.#sendGroup(items.slice(first, first + GROUP_ITEMS));
      await this.#breath.take();
    }
  }

  async #sendGroup(items: readonly Item[]): Promise<void> {
    for (const group of await this.#group(items)) {
      const key = `${group.index.meta.uuid}/${group.shard}`;
      this.#touched.set(key, group);
      const written = (this.#shardTails.get(key) ?? Promise.resolve()).then(() => this.#write(group));
      this.#shardTails.set(key, written);
      this.#inFlight.add(written);
      written.finally(() => this.#inFlight.delete(written));
    }
    while (this.#inFlight.size > GROUPS_IN_FLIGHT) await Promise.race(this.#inFlight);
  }

  async finish(started: number): Promise<Record<string, unknown>> {
    await Promise.all(this.#inFlight);
    if (this.#request.refresh !== 'false') {
      await Promise.all([...this.#touched.values()].map(({ index, shard }) => this.#ctx.write(index, shard, [], this.#request.refresh)));
    }
    return {
      took: Math.floor(performance.now() - started),
      ...(this.#ingestMs === null ? {} : { ingest_took: Math.floor(this.#ingestMs) }),
      errors: this.#failed,
      items: this.#items,
    };
  }

  async #group(items: readonly Item[]): Promise<ShardGroup[]> {
    const groups = new Map<string, ShardGroup>();
    const placed = await this.#ingestAll(items);
    await this.#createMissing(placed);
    for (const { place, given } of placed) {
      if (place % SLICE_ITEMS === 0) await this.#breath.take();
      let item = given;
      try {
        const index = await this.#target(item);
        checkStreamWrite(this.#ctx, index, item.indexName, item.operation);
        checkWritable(index);
        item = { ...item, operation: inTimeSeries(index, item.operation) };
        const routing = routingThroughAlias(index, item.indexName, item.operation.routing, 'index_routing');
        checkRouting(index, item.operation.id, routing);
        const shard = index.routing.shardOf(item.operation.id, routing);
        const key = `${index.meta.uuid}/${shard}`;
        let group = groups.get(key);
        if (!group) groups.set(key, (group = { index, shard, operations: [], actions: [], filters: [], places: [] }));
        group.operations.push(routing === item.operation.routing ? item.operation : { ...item.operation, routing });
        group.actions.push(item.action);
        group.filters.push(item.filter);
        group.places.push(place);
      } catch (error) {
        this.#fail(place, item.action, item.indexName, item.operation.autoId ? null : item.operation.id, toApiError(error));
      }
    }
    return [...groups.values()];
  }

  /** The items after their checks and ingest pipelines, with their places; without those that fail or are dropped. */
  async #ingestAll(items: readonly Item[]): Promise<Array<{ place: number; given: Item }>> {
    const placed: { place: number; given: Item }[] = [];
    for (const item of items) {
      const place = this.count++;
      if (place % SLICE_ITEMS === 0) await this.#breath.take();
      const { operation, action, indexName } = item;
      const id = operation.autoId ? null : operation.id;
      try {
        if (id === '') throw illegalArgumentError('if _id is specified it must not be empty');
        const failure = validationError([id === null ? null : idProblem(id)]);
        if (failure) throw failure;
        const given = await this.#timedIngest(item);
        if (given !== item) await this.#breath.take();
        if (given === null) this.#items[place] = itemJson(action, { ...droppedBody(indexName, id), status: 200 });
        else placed.push({ place, given });
      } catch (error) {
        this.#fail(place, action, indexName, id, toApiError(error));
      }
    }
    return placed;
  }

  /** One command creates several indices: with one for each, a body of new names takes seconds. */
  async #createMissing(placed: readonly { readonly given: Item }[]): Promise<void> {
    const names = new Set<string>();
    for (const { given } of placed) if (!given.requireAlias && !this.#targets.has(targetKey(given))) names.add(given.indexName);
    for (const [name, error] of await createMissing(this.#ctx, names)) {
      const failed = Promise.reject(error);
      failed.catch(() => undefined);
      this.#targets.set(targetKey({ indexName: name, requireAlias: false }), failed);
    }
  }

  /** Only an item with pipelines is changed, dropped or refused by them. */
  async #timedIngest(item: Item): Promise<Item | null> {
    if (!hasItemPipelines(this.#ctx, item)) return item;
    const before = performance.now();
    let given: Item | null | undefined;
    try {
      return (given = await ingestItem(this.#ctx, item, this.#request.ingestElsewhere ?? null));
    } finally {
      if (given !== item) this.#ingestMs = (this.#ingestMs ?? 0) + performance.now() - before;
    }
  }

  #target(item: Item): Promise<IndexState> {
    const { indexName, requireAlias } = item;
    const key = targetKey(item);
    let target = this.#targets.get(key);
    if (!target) this.#targets.set(key, (target = writeIndex(this.#ctx, indexName, requireAlias)));
    return target;
  }

  async #write(group: ShardGroup): Promise<void> {
    let outcomes: WriteOutcome[];
    const { activeShards } = this.#request;
    try {
      if (activeShards) await requireActiveShards(this.#ctx, group.index, group.shard, activeShards);
      outcomes = await this.#ctx.write(group.index, group.shard, group.operations, 'false');
    } catch (error) {
      const failure = toApiError(error).toData();
      outcomes = group.operations.map(({ id }) => ({ ok: false, id, error: failure }));
    }
    for (let i = 0; i < outcomes.length; i++) {
      this.#settle(group, i, outcomes[i]);
      if (i % SLICE_ITEMS === SLICE_ITEMS - 1) await this.#breath.take();
    }
  }

  #settle({ index, places, operations, actions, filters }: ShardGroup, i: number, outcome: WriteOutcome): void {
    const place = places[i];
    const action = actions[i];
    if (!outcome.ok) {
      const { source } = operations[i];
      const error = ApiError.fromData(outcome.error as ApiErrorData);
      this.#fail(place, action, index.meta.name, outcome.id, source === null ? error : withPosition(error, source));
      return;
    }
    const body = writeBody(index, outcome, this.#request.refresh);
    if (operations[i].wantSource && outcome.source !== null) {
      const { seqNo, primaryTerm, source } = outcome;
      const shown = renderSource(source, filters[i] ?? WHOLE_SOURCE, index.mapping.dialect);
      body.get = { _seq_no: seqNo, _primary_term: primaryTerm, found: true, _source: shown };
    }
    body.status = writeStatus(outcome);
    this.#items[place] = itemJson(action, body);
  }

  #fail(place: number, action: Action, index: string, id: string | null, error: ApiError): void {
    this.#failed = true;
    this.#items[place] = itemJson(action, {
      _index: index,
      _id: id,
      status: error.status,
      error: errorObject(inDialect(error, this.#ctx.dialect)),
    });
  }
}

function targetKey({ indexName, requireAlias }: Pick<Item, 'indexName' | 'requireAlias'>): string {
  return `${requireAlias}/${indexName}`;
}

/** @param body  holds RawJson only as `get` */
function itemJson(action: Action, body: Record<string, unknown>): RawJson {
  // JSON.stringify makes flat strings. Strings joined by writeJson take several times the memory, and are flattened only when they are
  // sent.
  return new RawJson(
    body.get === undefined && body.error === undefined ? JSON.stringify({ [action]: body }) : writeJson({ [action]: body }),
  );
}
