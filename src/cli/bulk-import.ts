// Sends documents to a running service by `_bulk`, in batches over several connections. Waits when the service is busy (429); counts
// rejected documents by reason.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportLine } from './document-lines.ts';
import type { ServiceClient } from './service-client.ts';

/** Bound of a request's size, whatever the number of documents. */
const BATCH_BYTES = 5 * 2 ** 20;
const MAX_RETRIES = 10;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 10_000;
/** Bounds the memory that reasons take when each of them is different. */
const MAX_REASONS = 1000;
const MAX_REASON_LENGTH = 300;

export interface ImportSummary {
  readonly indexed: number;
  readonly refused: number;
  readonly retries: number;
  /** Number of documents and line of the first, by reason. */
  readonly reasons: ReadonlyMap<string, { count: number; firstLine: number }>;
}

export interface ImportOptions {
  readonly batchDocs: number;
  readonly connections: number;
  onProgress(docs: number, retries: number): void;
}

interface BulkItem {
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason: string; readonly caused_by?: { readonly reason?: string } };
}

interface BulkResponse {
  readonly errors?: boolean;
  readonly items?: ReadonlyArray<Readonly<Record<string, BulkItem>>>;
}

/** @throws Error the service cannot be reached, or rejects a whole request */
export async function importDocuments(
  client: ServiceClient,
  index: string,
  lines: AsyncIterable<ImportLine>,
  options: ImportOptions,
): Promise<ImportSummary> {
  const run = new ImportRun(client, index, options.onProgress);
  const inFlight = new Set<Promise<void>>();
  const failures: Error[] = [];
  let batch: ImportLine[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const sent = run.send(batch).catch((error: Error) => {
      failures.push(error);
    });
    batch = [];
    bytes = 0;
    inFlight.add(sent);
    void sent.finally(() => inFlight.delete(sent));
    if (inFlight.size >= options.connections) await Promise.race(inFlight);
  };
  for await (const line of lines) {
    if (failures.length > 0) break;
    batch.push(line);
    bytes += line.text.length;
    if (batch.length >= options.batchDocs || bytes >= BATCH_BYTES) await flush();
  }
  if (failures.length === 0) await flush();
  await Promise.all(inFlight);
  if (failures.length > 0) throw failures[0];
  return run;
}

class ImportRun implements ImportSummary {
  indexed = 0;
  refused = 0;
  retries = 0;
  readonly reasons = new Map<string, { count: number; firstLine: number }>();
  readonly #client: ServiceClient;
  readonly #path: string;
  readonly #onProgress: ImportOptions['onProgress'];

  constructor(client: ServiceClient, index: string, onProgress: ImportOptions['onProgress']) {
    this.#client = client;
    this.#path = `/${encodeURIComponent(index)}/_bulk?filter_path=errors,items.*.status,items.*.error`;
    this.#onProgress = onProgress;
  }

  /** Resolves once every document is indexed, or rejected for a reason other than 429. */
  async send(batch: readonly ImportLine[]): Promise<void> {
    let left = batch;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt > 0) {
        this.retries++;
        await sleep(Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS));
      }
      const mayRetry = attempt < MAX_RETRIES;
      const response = await this.#client.send('POST', this.#path, left.map((line) => line.text).join(''), 'application/x-ndjson');
      if (response.status === 429 && mayRetry) continue;
      if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${response.text.slice(0, 500)}`);
      left = this.#count(left, JSON.parse(response.text), mayRetry);
      this.#onProgress(this.indexed + this.refused, this.retries);
    }
  }

  /** @returns the documents to send again */
  #count(batch: readonly ImportLine[], { errors, items }: BulkResponse, mayRetry: boolean): ImportLine[] {
    if (!errors) {
      this.indexed += batch.length;
      return [];
    }
    return batch.filter((line, i) => {
      const item = Object.values(items?.[i] ?? {})[0];
      const isRetried = item?.error !== undefined && item.status === 429 && mayRetry;
      if (!item?.error) this.indexed++;
      else if (!isRetried) this.#refuse(line, item.error);
      return isRetried;
    });
  }

  #refuse(line: ImportLine, error: NonNullable<BulkItem['error']>): void {
    this.refused++;
    const cause = error.caused_by?.reason ? `: ${error.caused_by.reason}` : '';
    const reason = `${error.type}: ${error.reason}${cause}`.slice(0, MAX_REASON_LENGTH);
    const seen = this.reasons.get(reason);
    if (seen) seen.count++;
    else if (this.reasons.size < MAX_REASONS) this.reasons.set(reason, { count: 1, firstLine: line.lineNumber });
  }
}
