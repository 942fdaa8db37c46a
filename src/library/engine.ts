// The engine as an object: documents and searches. Operations on indices are in indices-client.ts.
import { clusterHealth } from '../api/cluster/cluster-health.ts';
import type { EngineContext } from '../api/core/context.ts';
import { TARGETS, targetNames } from '../api/core/index-names.ts';
import { NO_CONDITIONS, type Refresh, type WriteConditions } from '../api/core/write.ts';
import { bulk } from '../api/documents/bulk.ts';
import { type GetRequest, getDocument, getSource, multiGet } from '../api/documents/get-document.ts';
import { deleteDocument, indexDocument, updateDocument } from '../api/documents/write-document.ts';
import { analyze } from '../api/indices/analyze.ts';
import { count } from '../api/search/count.ts';
import { multiSearch } from '../api/search/multi-search.ts';
import { search } from '../api/search/search.ts';
import type { SearchCall } from '../api/search/search-call.ts';
import { isObject } from '../common/json/json-value.ts';
import { writeJson } from '../common/json/json-write.ts';
import { WHOLE_SOURCE } from '../common/json/source-filter.ts';
import { oneChunk } from '../common/one-chunk.ts';
import { ApiError } from '../errors/api-error.ts';
import { errorBody } from '../errors/error-body.ts';
import type { OpenNode } from '../node/open-node.ts';
import { IndicesClient } from './indices-client.ts';
import { plain } from './plain.ts';
import type {
  BulkOptions,
  BulkResult,
  DocumentRef,
  GetResult,
  IndexDocument,
  JsonObject,
  MultiGetResult,
  MultiSearchOptions,
  MultiSearchResult,
  SearchOptions,
  SearchResult,
  UpdateDocument,
  WriteOptions,
  WriteResult,
} from './types.ts';

/** Responses have the shapes of the REST API. Every method rejects with an ApiError: `type`, `reason`, `status`. */
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

  /** As `index`, but fails if there is a document with this id. */
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

  /** `result: 'not_found'` if there was no such document. */
  async delete(request: DocumentRef & WriteOptions): Promise<WriteResult> {
    const { body } = await deleteDocument(this.#ctx, { ...writeDefaults(request), index: request.index, id: request.id });
    return plain(body);
  }

  /** Realtime: sees every acknowledged write. `found: false` if there is no such document. */
  async get<T = JsonObject>(request: DocumentRef): Promise<GetResult<T>> {
    return plain(await getDocument(this.#ctx, getDefaults(request)));
  }

  async getSource<T = JsonObject>(request: DocumentRef): Promise<T> {
    return plain(await getSource(this.#ctx, getDefaults(request)));
  }

  async exists(request: DocumentRef): Promise<boolean> {
    return (await getDocument(this.#ctx, getDefaults(request))).found === true;
  }

  async mget<T = JsonObject>(request: { readonly docs: readonly DocumentRef[] }): Promise<MultiGetResult<T>> {
    const { docs } = await multiGet(this.#ctx, request.docs.map(getDefaults), { realtime: true, refresh: false });
    return plain({ docs: docs.map(withErrorBody) });
  }

  async bulk(request: BulkOptions): Promise<BulkResult> {
    const response = await bulk(this.#ctx, {
      index: request.index ?? null,
      body: bulkBody(request.operations),
      refresh: refreshOf(request.refresh),
      routing: request.routing ?? null,
      pipeline: null,
      requireAlias: false,
      source: null,
    });
    return plain(response);
  }

  async search<T = JsonObject>(request: SearchOptions = {}): Promise<SearchResult<T>> {
    return plain(await search(this.#ctx, searchCall(request)));
  }

  async count(request: SearchOptions = {}): Promise<{ readonly count: number }> {
    return plain(await count(this.#ctx, searchCall(request)));
  }

  /** Runs several searches; each response has a `status`, and `error` instead of hits if it failed. */
  async msearch(request: MultiSearchOptions): Promise<MultiSearchResult> {
    const items = request.searches.map(({ header, body }) => ({ header: writeJson(header ?? {}), body: writeJson(body) }));
    return plain(await multiSearch(this.#ctx, { indices: { expressions: [] }, items, parameters: {} }));
  }

  /** Runs the body of an `_analyze` request, with the analyzers of an index or the built-in ones. */
  async analyze(request: { readonly index?: string; readonly body: JsonObject }): Promise<JsonObject> {
    return plain(analyze(this.#ctx, { index: request.index ?? null, body: writeJson(request.body) }).body);
  }

  async health(request: { readonly index?: string } = {}): Promise<JsonObject> {
    const names = targetNames(this.#ctx, { index: request.index ?? null, expandWildcards: ['all'] }, TARGETS.any);
    return plain(clusterHealth(this.#ctx, { indices: names, level: 'cluster' }));
  }

  /** Flushes and closes. The folder can be opened again once the promise resolves. */
  close(): Promise<void> {
    return this.#node.close();
  }
}

function searchCall(request: SearchOptions): SearchCall {
  return {
    indices: { expressions: request.index === undefined ? [] : [request.index] },
    parameters: request.parameters ?? {},
    body: request.body === undefined ? null : writeJson(request.body),
  };
}

function refreshOf(refresh: WriteOptions['refresh']): Refresh {
  return refresh === true ? 'true' : refresh === 'wait_for' ? 'wait_for' : 'false';
}

interface WriteDefaults {
  readonly routing: string | null;
  readonly refresh: Refresh;
  readonly requireAlias: boolean;
  readonly conditions: WriteConditions;
}

function writeDefaults(request: WriteOptions): WriteDefaults {
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

function bulkBody(operations: BulkOptions['operations']): AsyncIterable<Uint8Array> {
  if (typeof operations === 'string') return oneChunk(Buffer.from(operations));
  if (operations instanceof Uint8Array) return oneChunk(operations);
  if (Symbol.asyncIterator in operations) return operations;
  return oneChunk(Buffer.from(operations.map((line) => `${writeJson(line)}\n`).join('')));
}

function withErrorBody(doc: unknown): unknown {
  return isObject(doc) && doc.error instanceof ApiError ? { ...doc, error: errorBody(doc.error).error } : doc;
}
