// `_bulk`: NDJSON lines become operations, operations travel to their shards in groups, outcomes come back as items in order.
//
// The body is read as it arrives. Nothing is written before READ_AHEAD_BYTES are read or the body ends, so that a body with a malformed line
// within them leaves no trace, as in Elasticsearch; behind them a malformed line still fails the request, with what stood before it written.
import { JsonSyntaxError, parseJsonBytes } from '../../common/json-parse.ts';
import { type SourceFilter, WHOLE_SOURCE } from '../../common/source-filter.ts';
import { ApiError, type ApiErrorData } from '../../errors/api-error.ts';
import { illegalArgument, jsonSyntax } from '../../errors/catalog.ts';
import { errorObject, toApiError } from '../../errors/error-body.ts';
import { readSource } from '../../search/request/search-request.ts';
import type { EngineContext, IndexState, WriteOperation, WriteOutcome } from '../core/context.ts';
import { ingest, ingestUpsert } from '../ingest/ingest.ts';
import { type ActiveShards, requireActiveShards } from './active-shards.ts';
import { generateId, idProblem, validationError } from './document-id.ts';
import {
  checkRouting,
  conditionProblems,
  droppedBody,
  NO_CONDITIONS,
  operation,
  type Refresh,
  renderSource,
  updateBodyOptions,
  type VersionType,
  writeBody,
  writeStatus,
} from './documents.ts';
import { checkWritable, routingThroughAlias, writeIndex } from './write-target.ts';

const READ_AHEAD_BYTES = 8 << 20;
/** Bytes of operations that are sent on their way together once writing has begun. */
const GROUP_BYTES = 2 << 20;
/** Groups under way at once: the next is read while one is written. */
const GROUPS_IN_FLIGHT = 2;
const LINE_FEED = 10;
const ACTIONS = ['create', 'delete', 'index', 'update'] as const;
type Action = (typeof ACTIONS)[number];

export interface BulkRequest {
  /** Index of the path, for items without `_index`. */
  readonly index: string | null;
  readonly body: AsyncIterable<Uint8Array>;
  readonly refresh: Refresh;
  readonly routing: string | null;
  readonly pipeline: string | null;
  readonly requireAlias: boolean;
  /** Asked once per item; the error it gives is the item's. */
  readonly refusalOf?: (index: string) => ApiError | null;
  /** `_source` of the request: updates answer with this much of the document. */
  readonly source: SourceFilter | null;
  readonly activeShards?: ActiveShards;
}

interface Item {
  readonly action: Action;
  readonly indexName: string;
  readonly requireAlias: boolean;
  readonly operation: WriteOperation;
  readonly filter: SourceFilter | null;
  readonly pipeline: string | null;
}

/** @throws ApiError 400 for a malformed body; failures of items are in the answer */
export async function bulk(ctx: EngineContext, request: BulkRequest): Promise<Record<string, unknown>> {
  const started = performance.now();
  const run = new BulkRun(ctx, request);
  const reader = new LineReader();
  let items: Item[] = [];
  let bytes = 0;
  let total = 0;
  let limit = READ_AHEAD_BYTES;
  let lines: Uint8Array[] = [];
  for await (const chunk of request.body) {
    total += chunk.length;
    lines = lines.concat(reader.push(chunk));
    const parsed = parseItems(lines, reader.lineNumber - lines.length, request);
    lines = parsed.rest;
    items = items.concat(parsed.items);
    bytes += chunk.length;
    if (bytes < limit) continue;
    await run.send(items);
    items = [];
    bytes = 0;
    limit = GROUP_BYTES;
  }
  if (total === 0) throw new ApiError('parse_exception', 400, 'request body is required');
  if (reader.hasRest) throw illegalArgument('The bulk request must be terminated by a newline [\\n]');
  if (run.count + items.length === 0) throw validationError(['no requests added']) as ApiError;
  await run.send(items);
  return run.finish(started);
}

/** Cuts chunks into lines. */
class LineReader {
  #rest: Uint8Array[] = [];
  /** Lines given so far. */
  lineNumber = 0;

  get hasRest(): boolean {
    return this.#rest.length > 0;
  }

  /** Complete lines, without their ends. */
  push(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end < 0) break;
      let line = chunk.subarray(start, end);
      if (this.#rest.length > 0) {
        line = Buffer.concat([...this.#rest, line]);
        this.#rest = [];
      }
      lines.push(line);
      start = end + 1;
    }
    // The chunk's memory belongs to the listener once the next one is asked for.
    if (start < chunk.length) this.#rest.push(Uint8Array.prototype.slice.call(chunk, start));
    this.lineNumber += lines.length;
    return lines.map((line) => (line.length > 0 && line[line.length - 1] === 13 ? line.subarray(0, -1) : line));
  }
}

/** Pairs action lines with source lines; `rest` is an action line whose source has not come yet. */
function parseItems(lines: readonly Uint8Array[], firstLine: number, request: BulkRequest): { items: Item[]; rest: Uint8Array[] } {
  const items: Item[] = [];
  let at = 0;
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at++;
      continue;
    }
    const { action, meta } = parseAction(lines[at], firstLine + at + 1);
    if (action === 'delete') {
      items.push(makeItem(action, meta, null, request, firstLine + at + 1));
      at++;
      continue;
    }
    if (at + 1 >= lines.length) return { items, rest: [new Uint8Array(lines[at])] };
    // Copied: the line is a view of a chunk, and waits for its group.
    items.push(makeItem(action, meta, new Uint8Array(lines[at + 1]), request, firstLine + at + 1));
    at += 2;
  }
  return { items, rest: [] };
}

function isBlank(line: Uint8Array): boolean {
  let at = 0;
  while (at < line.length && (line[at] === 32 || line[at] === 9)) at++;
  return at === line.length;
}

function parseAction(line: Uint8Array, number: number): { action: Action; meta: Record<string, unknown> } {
  const malformed = (text: string) => illegalArgument(`Malformed action/metadata line [${number}], ${text}`);
  let json: unknown;
  try {
    json = parseJsonBytes(line);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw jsonSyntax(error);
    throw error;
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw malformed(`expected START_OBJECT but found [${tokenName(json)}]`);
  }
  const keys = Object.keys(json);
  if (keys.length === 0) throw malformed('expected FIELD_NAME but found [END_OBJECT]');
  const action = keys[0] as Action;
  const meta = (json as Record<string, unknown>)[action];
  if (!ACTIONS.includes(action)) throw malformed(`expected one of [create, delete, index, update] but found [${action}]`);
  if (keys.length > 1) throw malformed('expected END_OBJECT but found [FIELD_NAME]');
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) {
    throw malformed(`expected START_OBJECT or END_OBJECT but found [${tokenName(meta)}]`);
  }
  return { action, meta: meta as Record<string, unknown> };
}

function tokenName(value: unknown): string {
  if (value === null) return 'VALUE_NULL';
  if (Array.isArray(value)) return 'START_ARRAY';
  if (typeof value === 'object') return 'START_OBJECT';
  if (typeof value === 'number') return 'VALUE_NUMBER';
  return typeof value === 'string' ? 'VALUE_STRING' : 'VALUE_BOOLEAN';
}

function makeItem(action: Action, meta: Record<string, unknown>, source: Uint8Array | null, request: BulkRequest, line: number): Item {
  let indexName = request.index;
  let id: string | null = null;
  let { routing, requireAlias, pipeline, source: filter } = request;
  const conditions: { -readonly [K in keyof typeof NO_CONDITIONS]: (typeof NO_CONDITIONS)[K] } = { ...NO_CONDITIONS };
  let retryOnConflict = 0;
  let opType: string | null = null;
  let dynamicTemplates: Record<string, string> | null = null;
  for (const key in meta) {
    const value = meta[key];
    if (typeof value === 'object' && value !== null && key !== '_source' && key !== 'dynamic_templates') {
      throw illegalArgument(
        `Malformed action/metadata line [${line}], expected a simple value for field [${key}] but found [${tokenName(value)}]`,
      );
    }
    switch (key) {
      case '_index':
        indexName = String(value);
        break;
      case '_id':
        id = value === null ? null : String(value);
        break;
      case 'routing':
      case '_routing':
        routing = value === null ? null : String(value);
        break;
      case 'op_type':
        opType = String(value);
        break;
      case 'version':
      case '_version':
        conditions.version = integer(key, value);
        break;
      case 'version_type':
      case '_version_type':
        conditions.versionType = versionType(String(value));
        break;
      case 'if_seq_no':
        conditions.ifSeqNo = integer(key, value);
        break;
      case 'if_primary_term':
        conditions.ifPrimaryTerm = integer(key, value);
        break;
      case 'retry_on_conflict':
      case '_retry_on_conflict':
        retryOnConflict = integer(key, value);
        break;
      case 'pipeline':
        pipeline = value === null ? null : String(value);
        break;
      case 'require_alias':
        requireAlias = value === true || value === 'true';
        break;
      case 'dynamic_templates':
        dynamicTemplates = readTemplates(value);
        break;
      case 'list_executed_pipelines':
        break;
      case '_source':
        filter = readSource(value);
        break;
      default:
        throw illegalArgument(`Action/metadata line [${line}] contains an unknown parameter [${key}]`);
    }
  }
  if (action === 'update') {
    const own = updateBodyOptions(source);
    filter = own.source ?? filter;
    Object.assign(conditions, own.conditions);
  }
  const kind = action === 'index' && opType === 'create' ? 'create' : action;
  const problem = validationError([
    indexName === null ? 'index is missing' : null,
    id === null && (action === 'update' || action === 'delete') ? 'id is missing' : null,
    ...conditionProblems(kind, id, conditions, retryOnConflict),
  ]);
  if (problem) throw problem;
  const autoId = id === null;
  return {
    action: action === 'index' && opType === 'create' ? 'create' : action,
    indexName: indexName as string,
    requireAlias,
    pipeline,
    operation: {
      ...operation(kind, id ?? generateId(), routing, conditions),
      autoId,
      source,
      retryOnConflict,
      wantSource: action === 'update' && filter !== null && filter.enabled,
      ...(dynamicTemplates === null ? {} : { dynamicTemplates }),
    },
    filter,
  };
}

/** `{ field: template }`. */
function readTemplates(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw illegalArgument(`[dynamic_templates] must be an object of template names by field, found [${tokenName(value)}]`);
  return Object.fromEntries(Object.entries(value).map(([field, template]) => [field, String(template)]));
}

function integer(name: string, value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw illegalArgument(`Failed to parse parameter [${name}] with value [${value}]`);
  return number;
}

function versionType(name: string): VersionType {
  if (name === 'internal' || name === 'external' || name === 'external_gte') return name;
  throw illegalArgument(`No version type match [${name}]`);
}

interface ShardGroup {
  readonly index: IndexState;
  readonly shard: number;
  readonly operations: WriteOperation[];
  /** What each update's answer shows; parallel to operations. */
  readonly filters: (SourceFilter | null)[];
  /** Place of each operation among all items. */
  readonly places: number[];
}

class BulkRun {
  count = 0;
  readonly #ctx: EngineContext;
  readonly #request: BulkRequest;
  readonly #items: Record<string, unknown>[] = [];
  readonly #touched = new Map<string, { index: IndexState; shard: number }>();
  /** What an index name came to: the same for all items of the request. */
  readonly #targets = new Map<string, Promise<IndexState>>();
  readonly #inFlight = new Set<Promise<void>>();
  /** Groups of one shard go one after another, in order. */
  readonly #shardTails = new Map<string, Promise<void>>();
  #failed = false;

  constructor(ctx: EngineContext, request: BulkRequest) {
    this.#ctx = ctx;
    this.#request = request;
  }

  /** Starts writing; resolves when the next group may be read. */
  async send(items: readonly Item[]): Promise<void> {
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
    return { took: Math.floor(performance.now() - started), errors: this.#failed, items: this.#items };
  }

  async #group(items: readonly Item[]): Promise<ShardGroup[]> {
    const groups = new Map<string, ShardGroup>();
    for (const given of items) {
      const place = this.count++;
      let item = given;
      try {
        if (item.operation.id === '' && !item.operation.autoId) throw illegalArgument('if _id is specified it must not be empty');
        const failure = validationError([item.operation.autoId ? null : idProblem(item.operation.id)]);
        if (failure) throw failure;
        this.#checkAllowed(item.indexName);
        const ingested = this.#ingest(item);
        if (ingested === null) {
          const id = item.operation.autoId ? null : item.operation.id;
          this.#items[place] = { [item.action]: { ...droppedBody(item.indexName, id), status: 200 } };
          continue;
        }
        if (ingested.indexName !== item.indexName) this.#checkAllowed(ingested.indexName);
        item = ingested;
        const index = await this.#target(item);
        checkWritable(index);
        const routing = routingThroughAlias(index, item.indexName, item.operation.routing, 'index_routing');
        checkRouting(index, item.operation.id, routing);
        const shard = this.#ctx.shardOf(index, item.operation.id, routing);
        const key = `${index.meta.uuid}/${shard}`;
        let group = groups.get(key);
        if (!group) groups.set(key, (group = { index, shard, operations: [], filters: [], places: [] }));
        group.operations.push(routing === item.operation.routing ? item.operation : { ...item.operation, routing });
        group.filters.push(item.filter);
        group.places.push(place);
        this.#items[place] = { [item.action]: null };
      } catch (error) {
        this.#fail(place, item.action, item.indexName, item.operation.autoId ? null : item.operation.id, toApiError(error));
      }
    }
    return [...groups.values()];
  }

  #checkAllowed(index: string): void {
    const refusal = this.#request.refusalOf?.(index) ?? null;
    if (refusal) throw refusal;
  }

  /** The item as ingest pipelines leave it; null: dropped. */
  #ingest(item: Item): Item | null {
    const { operation: op, indexName } = item;
    if (op.source === null) return item;
    if (op.kind === 'update') {
      const source = ingestUpsert(
        this.#ctx,
        { index: indexName, id: op.id, routing: op.routing },
        op.source,
        op.docAsUpsert,
        NO_CONDITIONS,
      );
      return source === null ? null : source === op.source ? item : { ...item, operation: { ...op, source } };
    }
    const given = { index: indexName, id: op.autoId ? null : op.id, routing: op.routing, source: op.source, conditions: op };
    const changed = ingest(this.#ctx, given, item.pipeline);
    if (changed === null || changed === given) return changed && item;
    const { index, id, routing, source, conditions } = changed;
    return { ...item, indexName: index, operation: { ...op, id: id ?? op.id, autoId: id === null, routing, source, ...conditions } };
  }

  #target({ indexName, requireAlias }: Item): Promise<IndexState> {
    const key = `${requireAlias}/${indexName}`;
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
    outcomes.forEach((outcome, i) => this.#settle(group, i, outcome));
  }

  #settle({ index, places, operations, filters }: ShardGroup, i: number, outcome: WriteOutcome): void {
    const place = places[i];
    const action = Object.keys(this.#items[place])[0] as Action;
    if (!outcome.ok) {
      this.#fail(place, action, index.meta.name, outcome.id, ApiError.fromData(outcome.error as ApiErrorData));
      return;
    }
    const body = writeBody(index, outcome, this.#request.refresh);
    if (operations[i].wantSource && outcome.source !== null) {
      const { seqNo, primaryTerm, source } = outcome;
      body.get = { _seq_no: seqNo, _primary_term: primaryTerm, found: true, _source: renderSource(source, filters[i] ?? WHOLE_SOURCE) };
    }
    body.status = writeStatus(outcome);
    this.#items[place] = { [action]: body };
  }

  #fail(place: number, action: Action, index: string, id: string | null, error: ApiError): void {
    this.#failed = true;
    this.#items[place] = { [action]: { _index: index, _id: id, status: error.status, error: errorObject(error) } };
  }
}

/** A body that is there as a whole. */
export async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
