// Sends the documents of a file by `_bulk` while they are read: a few requests at a time, retried if the service is busy. Counts progress,
// and keeps rejected documents.
import { pathPart, RequestError, reasonOf, send } from '../service.ts';
import type { DocumentReader, ReadDocument } from './document-reader.ts';

const BATCH_DOCUMENTS = 1000;
const BATCH_CHARS = 4_000_000;
const CONNECTIONS = 2;
const MAX_RETRIES = 8;
const FIRST_RETRY_MS = 200;
/** Rejected documents beyond this number are only counted. */
const MAX_KEPT = 10_000;
const MAX_KEPT_CHARS = 50_000_000;

export interface Rejected {
  readonly at: number;
  readonly source: string;
  readonly reason: string;
}

export interface ImportState {
  readonly indexed: number;
  readonly rejectedCount: number;
  /** The first rejected documents. */
  readonly rejected: readonly Rejected[];
  readonly readBytes: number;
  readonly totalBytes: number;
  readonly startedMs: number;
  readonly isDone: boolean;
}

interface BulkItem {
  readonly status: number;
  readonly error?: unknown;
}

export interface ImportRequest {
  readonly file: Blob;
  readonly index: string;
  readonly reader: DocumentReader;
  readonly signal: AbortSignal;
  onProgress(state: ImportState): void;
}

/**
 * @throws RequestError the service refuses a whole request; DOMException the import was stopped; TypeError the service cannot be reached
 */
export async function importFile(request: ImportRequest): Promise<ImportState> {
  const run = new BulkRun(request);
  const chunks = request.file.stream().pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await chunks.read();
      request.signal.throwIfAborted();
      await run.add(done ? request.reader.end() : request.reader.read(value), done ? 0 : new Blob([value]).size);
      if (done) return await run.finish();
    }
  } catch (error) {
    await chunks.cancel().catch(() => {});
    throw error;
  }
}

class BulkRun {
  readonly #request: ImportRequest;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #rejected: Rejected[] = [];
  readonly #startedMs = Date.now();
  #batch: ReadDocument[] = [];
  #batchChars = 0;
  #keptChars = 0;
  #indexed = 0;
  #rejectedCount = 0;
  #readBytes = 0;
  #failure: unknown = null;

  constructor(request: ImportRequest) {
    this.#request = request;
  }

  async add(documents: readonly ReadDocument[], bytes: number): Promise<void> {
    this.#readBytes += bytes;
    for (const document of documents) {
      if (document.error !== null) {
        this.#reject(document, document.error);
        continue;
      }
      this.#batch.push(document);
      this.#batchChars += document.source.length + (document.action?.length ?? 0);
      if (this.#batch.length >= BATCH_DOCUMENTS || this.#batchChars >= BATCH_CHARS) await this.#flush();
    }
    this.#report(false);
  }

  async finish(): Promise<ImportState> {
    await this.#flush();
    await Promise.all(this.#inFlight);
    if (this.#failure !== null) throw this.#failure;
    return this.#report(true);
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const sent = this.#send(this.#batch).catch((error: unknown) => {
      this.#failure ??= error;
    });
    this.#batch = [];
    this.#batchChars = 0;
    this.#inFlight.add(sent);
    void sent.finally(() => this.#inFlight.delete(sent));
    if (this.#inFlight.size >= CONNECTIONS) await Promise.race(this.#inFlight);
    if (this.#failure !== null) throw this.#failure;
  }

  async #send(batch: readonly ReadDocument[]): Promise<void> {
    const { index, signal } = this.#request;
    let left = batch;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt > 0) await pause(FIRST_RETRY_MS * 2 ** (attempt - 1), signal);
      const body = left.map(({ action, source }) => `${action ?? '{"index":{}}'}\n${source === '' ? '' : `${source}\n`}`).join('');
      const answer = await send('POST', `/${pathPart(index)}/_bulk?filter_path=errors,items.*.status,items.*.error`, body, {
        contentType: 'application/x-ndjson',
        signal,
      });
      const mayRetry = attempt < MAX_RETRIES;
      if (answer.status === 429 && mayRetry) continue;
      if (answer.status >= 400) throw new RequestError(answer);
      left = this.#count(left, answer.json as { items?: readonly Record<string, BulkItem>[]; errors?: boolean }, mayRetry);
      this.#report(false);
    }
  }

  /** @returns the documents to send again */
  #count(
    batch: readonly ReadDocument[],
    { items, errors }: { items?: readonly Record<string, BulkItem>[]; errors?: boolean },
    mayRetry: boolean,
  ): ReadDocument[] {
    if (errors === false) {
      this.#indexed += batch.length;
      return [];
    }
    return batch.filter((document, i) => {
      const item = Object.values(items?.[i] ?? {})[0];
      if (item === undefined || item.error === undefined) {
        this.#indexed++;
        return false;
      }
      if (item.status === 429 && mayRetry) return true;
      this.#reject(document, reasonOf(item) ?? `status ${item.status}`);
      return false;
    });
  }

  #reject({ at, source, action }: ReadDocument, reason: string): void {
    this.#rejectedCount++;
    const text = source === '' ? (action ?? '') : source;
    if (this.#rejected.length >= MAX_KEPT || this.#keptChars + text.length > MAX_KEPT_CHARS) return;
    this.#keptChars += text.length;
    this.#rejected.push({ at, source: text, reason });
  }

  #report(isDone: boolean): ImportState {
    const state: ImportState = {
      indexed: this.#indexed,
      rejectedCount: this.#rejectedCount,
      rejected: this.#rejected,
      readBytes: isDone ? this.#request.file.size : this.#readBytes,
      totalBytes: this.#request.file.size,
      startedMs: this.#startedMs,
      isDone,
    };
    this.#request.onProgress(state);
    return state;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}
