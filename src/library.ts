// The engine inside a Node program: the same operations and request bodies as the REST API, no socket.
//   import { open } from 'gannet';
//   const engine = await open({ path: './data' });

import { clusterHealth } from './api/cluster/cluster-health.ts';
import type { EngineContext } from './api/core/context.ts';
import { type IndexTarget, TARGETS, targetNames } from './api/core/index-names.ts';
import { NO_CONDITIONS, type Refresh, type WriteConditions } from './api/core/write.ts';
import { bulk } from './api/documents/bulk.ts';
import { type GetRequest, getDocument, getSource, multiGet } from './api/documents/get-document.ts';
import { deleteDocument, indexDocument, updateDocument } from './api/documents/write-document.ts';
import { deleteAlias, getAliases, putAlias, updateAliases } from './api/indices/aliases.ts';
import { analyze } from './api/indices/analyze.ts';
import { indexStats } from './api/indices/index-stats.ts';
import { closeIndex, createIndex, deleteIndex, getIndex, indexExists, openIndex } from './api/indices/indices.ts';
import { flushIndices, forceMerge, refreshIndices } from './api/indices/maintenance.ts';
import { getMapping, putMapping } from './api/indices/mappings.ts';
import { getSettings, putSettings, type SettingsView } from './api/indices/settings.ts';
import { deleteTemplate, getTemplates, putTemplate, type TemplateKind } from './api/indices/templates.ts';
import { count } from './api/search/count.ts';
import { multiSearch } from './api/search/multi-search.ts';
import { search } from './api/search/search.ts';
import type { SearchParameters } from './api/search/search-call.ts';
import { toPlain, writeJson } from './common/json-write.ts';
import { oneChunk } from './common/one-chunk.ts';
import { WHOLE_SOURCE } from './common/source-filter.ts';
import { loadSettings } from './config/load-settings.ts';
import { ApiError } from './errors/api-error.ts';
import { errorBody } from './errors/error-body.ts';
import { type OpenNode, openNode } from './node/open-node.ts';

export type { IndexTarget, Refresh, WriteConditions };
export { ApiError };

export type JsonObject = Record<string, unknown>;

export interface OpenOptions {
  /** Folder of the data; one process at a time. */
  readonly path: string;
  /** Settings by their names, as in gannet.yml: `{ 'memory.limit': '1gb', threads: 2 }`. `threads` is 1 unless given. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface WriteOptions extends Partial<WriteConditions> {
  readonly routing?: string;
  /** true: visible when the promise resolves; `wait_for`: resolves when it is. */
  readonly refresh?: boolean | 'wait_for';
  readonly requireAlias?: boolean;
}

export interface IndexDocument<T = JsonObject> extends WriteOptions {
  readonly index: string;
  /** Generated when left out. */
  readonly id?: string;
  readonly document: T;
  readonly opType?: 'index' | 'create';
}

export interface UpdateDocument extends WriteOptions {
  readonly index: string;
  readonly id: string;
  /** `{ doc, upsert, doc_as_upsert, detect_noop }`. */
  readonly body: JsonObject;
  readonly retryOnConflict?: number;
}

export interface DocumentRef {
  readonly index: string;
  readonly id: string;
  readonly routing?: string;
}

export interface WriteResult {
  readonly _index: string;
  readonly _id: string;
  readonly _version: number;
  readonly result: 'created' | 'updated' | 'deleted' | 'not_found' | 'noop';
  readonly _seq_no: number;
  readonly _primary_term: number;
}

export interface GetResult<T = JsonObject> {
  readonly _index: string;
  readonly _id: string;
  readonly found: boolean;
  readonly _version?: number;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
  readonly _source?: T;
}

export interface BulkResult {
  readonly took: number;
  readonly errors: boolean;
  readonly items: ReadonlyArray<Record<string, { status: number; error?: JsonObject } & Partial<WriteResult>>>;
}

export interface SearchOptions {
  /** Expression: names, aliases, patterns, comma-separated; all indices when left out. */
  readonly index?: string;
  /** The body of `_search` or `_count`. */
  readonly body?: JsonObject;
  /** What the URL says in the REST API: `from`, `size`, `sort`, `routing`... */
  readonly parameters?: SearchParameters;
}

export interface SearchHit<T = JsonObject> {
  readonly _index: string;
  readonly _id: string;
  readonly _score: number | null;
  readonly _source?: T;
  readonly sort?: readonly unknown[];
  readonly [key: string]: unknown;
}

export interface SearchResult<T = JsonObject> {
  readonly took: number;
  readonly timed_out: boolean;
  readonly hits: {
    readonly total?: { readonly value: number; readonly relation: 'eq' | 'gte' };
    readonly max_score: number | null;
    readonly hits: ReadonlyArray<SearchHit<T>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: the shape follows the request
  readonly aggregations?: Record<string, any>;
}

/** Opens the data folder, recovers what it holds. @throws ApiError the folder is in use or corrupt; Error a bad setting, by name */
export async function open(options: OpenOptions): Promise<Engine> {
  const settings = loadSettings({ flags: { threads: 1, ...options.settings, 'path.data': options.path }, file: null });
  return new Engine(await openNode(settings));
}

/** Answers have the shape of the REST API's. Every method rejects with ApiError: `type`, `reason`, `status`. */
export class Engine {
  readonly indices: IndicesClient;
  readonly #node: OpenNode;

  constructor(node: OpenNode) {
    this.#node = node;
    this.indices = new IndicesClient(node.context);
  }

  get #ctx(): EngineContext {
    return this.#node.context;
  }

  async index<T = JsonObject>(request: IndexDocument<T>): Promise<WriteResult> {
    const { body } = await indexDocument(this.#ctx, {
      ...writeDefaults(request),
      index: request.index,
      id: request.id ?? null,
      source: Buffer.from(writeJson(request.document)),
      opType: request.opType ?? 'index',
      pipeline: null,
    });
    return plain(body);
  }

  /** As `index`, but a document of this id must not exist. */
  create<T = JsonObject>(request: IndexDocument<T> & { readonly id: string }): Promise<WriteResult> {
    return this.index({ ...request, opType: 'create' });
  }

  async update(request: UpdateDocument): Promise<WriteResult> {
    const { body } = await updateDocument(this.#ctx, {
      ...writeDefaults(request),
      index: request.index,
      id: request.id,
      body: Buffer.from(writeJson(request.body)),
      retryOnConflict: request.retryOnConflict ?? 0,
      docAsUpsert: false,
      source: null,
    });
    return plain(body);
  }

  /** `result: 'not_found'` when there was none. */
  async delete(request: DocumentRef & WriteOptions): Promise<WriteResult> {
    const { body } = await deleteDocument(this.#ctx, { ...writeDefaults(request), index: request.index, id: request.id });
    return plain(body);
  }

  /** Realtime: sees every acknowledged write. `found: false` when there is none. */
  async get<T = JsonObject>(request: DocumentRef): Promise<GetResult<T>> {
    return plain(await getDocument(this.#ctx, getDefaults(request)));
  }

  async getSource<T = JsonObject>(request: DocumentRef): Promise<T> {
    return plain(await getSource(this.#ctx, getDefaults(request)));
  }

  async exists(request: DocumentRef): Promise<boolean> {
    return (await getDocument(this.#ctx, getDefaults(request))).found === true;
  }

  async mget<T = JsonObject>(request: {
    docs: readonly DocumentRef[];
  }): Promise<{ docs: ReadonlyArray<GetResult<T> | { error: JsonObject }> }> {
    const { docs } = await multiGet(this.#ctx, request.docs.map(getDefaults), { realtime: true, refresh: false });
    return plain({ docs: docs.map((doc) => withErrorBody(doc as JsonObject)) });
  }

  /** `operations`: actions and documents in turn, as in an NDJSON body; or the NDJSON itself, whole or in parts. */
  async bulk(request: {
    readonly operations: readonly object[] | string | Uint8Array | AsyncIterable<Uint8Array>;
    readonly index?: string;
    readonly refresh?: WriteOptions['refresh'];
    readonly routing?: string;
  }): Promise<BulkResult> {
    const answer = await bulk(this.#ctx, {
      index: request.index ?? null,
      body: bulkBody(request.operations),
      refresh: refreshOf(request.refresh),
      routing: request.routing ?? null,
      pipeline: null,
      requireAlias: false,
      source: null,
    });
    return plain(answer);
  }

  async search<T = JsonObject>(request: SearchOptions = {}): Promise<SearchResult<T>> {
    return plain(await search(this.#ctx, searchCall(request)));
  }

  async count(request: SearchOptions = {}): Promise<{ readonly count: number }> {
    return plain(await count(this.#ctx, searchCall(request)));
  }

  /** Several searches; each answer has its `status`, and `error` in place of hits when it failed. */
  async msearch(request: { readonly searches: ReadonlyArray<{ readonly header?: JsonObject; readonly body: JsonObject }> }): Promise<{
    readonly responses: ReadonlyArray<Partial<SearchResult> & { readonly status: number; readonly error?: JsonObject }>;
  }> {
    const items = request.searches.map(({ header, body }) => ({ header: writeJson(header ?? {}), body: writeJson(body) }));
    return plain(await multiSearch(this.#ctx, { expressions: [] }, items, {}));
  }

  /** The body of `_analyze`, at an index or with built-in components only. */
  async analyze(request: { readonly index?: string; readonly body: JsonObject }): Promise<JsonObject> {
    return plain(analyze(this.#ctx, { index: request.index ?? null, body: writeJson(request.body) }).body);
  }

  async health(request: { readonly index?: string } = {}): Promise<JsonObject> {
    const names = targetNames(this.#ctx, { index: request.index ?? null, expandWildcards: ['all'] }, TARGETS.any);
    return plain(clusterHealth(this.#ctx, { indices: names, level: 'cluster' }));
  }

  /** Flushes and closes; the folder may be opened again when it resolves. */
  close(): Promise<void> {
    return this.#node.close();
  }
}

type Target = Partial<IndexTarget>;

class IndicesClient {
  readonly #ctx: EngineContext;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
  }

  async create(request: { readonly index: string; readonly body?: JsonObject }): Promise<JsonObject> {
    return plain(await createIndex(this.#ctx, request));
  }

  async delete(request: Target): Promise<JsonObject> {
    return plain(await deleteIndex(this.#ctx, target(request)));
  }

  async exists(request: Target): Promise<boolean> {
    return indexExists(this.#ctx, target(request));
  }

  async get(request: Target = {}): Promise<JsonObject> {
    return plain(getIndex(this.#ctx, target(request)));
  }

  async getMapping(request: Target = {}): Promise<JsonObject> {
    return plain(getMapping(this.#ctx, target(request)));
  }

  async putMapping(request: Target & { readonly body: JsonObject }): Promise<JsonObject> {
    return plain(await putMapping(this.#ctx, { ...target(request), body: request.body }));
  }

  async getSettings(request: Target & SettingsView = {}): Promise<JsonObject> {
    return plain(getSettings(this.#ctx, { ...request, ...target(request) }));
  }

  async putSettings(request: Target & { readonly body: JsonObject; readonly preserveExisting?: boolean }): Promise<JsonObject> {
    return plain(await putSettings(this.#ctx, { ...request, ...target(request) }));
  }

  async open(request: Target): Promise<JsonObject> {
    return plain(await openIndex(this.#ctx, target(request)));
  }

  async close(request: Target): Promise<JsonObject> {
    return plain(await closeIndex(this.#ctx, target(request)));
  }

  async refresh(request: Target = {}): Promise<JsonObject> {
    return plain(await refreshIndices(this.#ctx, target(request)));
  }

  async flush(request: Target & { readonly force?: boolean } = {}): Promise<JsonObject> {
    return plain(await flushIndices(this.#ctx, { ...target(request), force: request.force }));
  }

  async forceMerge(
    request: Target & { readonly maxNumSegments?: number; readonly onlyExpungeDeletes?: boolean } = {},
  ): Promise<JsonObject> {
    return plain(await forceMerge(this.#ctx, { ...request, ...target(request) }));
  }

  async stats(request: Target & { readonly metrics?: readonly string[] } = {}): Promise<JsonObject> {
    return plain(await indexStats(this.#ctx, { ...target(request), metrics: request.metrics ?? [] }));
  }

  async getAlias(request: Target & { readonly name?: string } = {}): Promise<JsonObject> {
    return plain(getAliases(this.#ctx, target(request), request.name?.split(',') ?? null).body);
  }

  async putAlias(request: { readonly index: string; readonly name: string; readonly body?: JsonObject }): Promise<JsonObject> {
    return plain(await putAlias(this.#ctx, { ...request, body: request.body ?? {} }));
  }

  async deleteAlias(request: { readonly index: string; readonly name: string }): Promise<JsonObject> {
    return plain(await deleteAlias(this.#ctx, { index: request.index, names: request.name.split(',') }));
  }

  async updateAliases(request: { readonly body: JsonObject }): Promise<JsonObject> {
    return plain(await updateAliases(this.#ctx, request));
  }

  async putTemplate(request: { readonly kind?: TemplateKind; readonly name: string; readonly body: JsonObject }): Promise<JsonObject> {
    return plain(
      await putTemplate(this.#ctx, {
        kind: request.kind ?? 'indexTemplates',
        name: request.name,
        body: request.body,
        create: false,
        order: null,
      }),
    );
  }

  async getTemplate(request: { readonly kind?: TemplateKind; readonly name?: string } = {}): Promise<JsonObject> {
    return plain(getTemplates(this.#ctx, request.kind ?? 'indexTemplates', request.name ?? null) ?? {});
  }

  async deleteTemplate(request: { readonly kind?: TemplateKind; readonly name: string }): Promise<JsonObject> {
    return plain(await deleteTemplate(this.#ctx, { kind: request.kind ?? 'indexTemplates', name: request.name }));
  }
}

function target(request: Target): IndexTarget {
  const { index, ignoreUnavailable, allowNoIndices, expandWildcards } = request;
  return { index: index ?? null, ignoreUnavailable, allowNoIndices, expandWildcards };
}

function searchCall(request: SearchOptions): Parameters<typeof search>[1] {
  return {
    indices: { expressions: request.index === undefined ? [] : [request.index] },
    parameters: request.parameters ?? {},
    body: request.body === undefined ? null : writeJson(request.body),
  };
}

function refreshOf(refresh: WriteOptions['refresh']): Refresh {
  return refresh === true ? 'true' : refresh === 'wait_for' ? 'wait_for' : 'false';
}

function writeDefaults(request: WriteOptions): {
  routing: string | null;
  refresh: Refresh;
  requireAlias: boolean;
  conditions: WriteConditions;
} {
  const { ifSeqNo, ifPrimaryTerm, version, versionType } = request;
  return {
    routing: request.routing ?? null,
    refresh: refreshOf(request.refresh),
    requireAlias: request.requireAlias ?? false,
    conditions: {
      ifSeqNo: ifSeqNo ?? NO_CONDITIONS.ifSeqNo,
      ifPrimaryTerm: ifPrimaryTerm ?? NO_CONDITIONS.ifPrimaryTerm,
      version: version ?? NO_CONDITIONS.version,
      versionType: versionType ?? NO_CONDITIONS.versionType,
    },
  };
}

function getDefaults({ index, id, routing }: DocumentRef): GetRequest {
  return { index, id, routing: routing ?? null, realtime: true, refresh: false, version: null, source: WHOLE_SOURCE, storedFields: [] };
}

function bulkBody(operations: readonly object[] | string | Uint8Array | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  if (typeof operations === 'string') return oneChunk(Buffer.from(operations));
  if (operations instanceof Uint8Array) return oneChunk(operations);
  if (Array.isArray(operations)) return oneChunk(Buffer.from(operations.map((line) => `${writeJson(line)}\n`).join('')));
  return operations as AsyncIterable<Uint8Array>;
}

function withErrorBody(doc: JsonObject): JsonObject {
  return doc.error instanceof ApiError ? { ...doc, error: errorBody(doc.error).error } : doc;
}

function plain<T>(answer: unknown): T {
  return toPlain(answer) as T;
}
