// `gannet import`: a file of documents, one JSON object a line, to a running service by `_bulk`. Lines that are bulk actions already
// (`{"index":{}}` before each document) are understood too. A 429 is waited out; refused documents are counted by reason.
import { createReadStream, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { checkFlags, flagNumber, flagText, parseArguments, UsageError } from './arguments.ts';
import { Progress } from './progress.ts';
import { ServiceClient } from './service-client.ts';

/** A request is at most this large, whatever the number of documents. */
const BATCH_BYTES = 5 * 2 ** 20;
const MAX_RETRIES = 10;
const FIRST_RETRY_MS = 100;
const SHOWN_REASONS = 10;

export interface ImportLine {
  /** Bulk lines of one document, with line feeds. */
  readonly text: string;
  /** In the file, counted from 1. */
  readonly lineNumber: number;
}

export interface ImportSummary {
  readonly indexed: number;
  readonly refused: number;
  readonly retries: number;
  /** Per reason: how many, and the line of the first. */
  readonly reasons: ReadonlyMap<string, { count: number; firstLine: number }>;
}

export async function importCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  checkFlags(args, ['index', 'url', 'id-field', 'user', 'batch-docs', 'connections']);
  const [file] = args.positionals;
  const index = flagText(args, 'index');
  if (file === undefined || args.positionals.length > 1) throw new UsageError('import needs one FILE.ndjson or FILE.ndjson.gz');
  if (index === undefined) throw new UsageError('import needs --index NAME');
  const connections = flagNumber(args, 'connections', 2, 1, 64);
  const client = new ServiceClient(flagText(args, 'url') ?? 'http://127.0.0.1:9200', flagText(args, 'user'), connections);
  let source: { total: number; lines: AsyncIterable<ImportLine>; readBytes: () => number };
  try {
    source = openFile(file, flagText(args, 'id-field') ?? null);
  } catch (error) {
    process.stderr.write(`gannet: ${file}: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}\n`);
    return 1;
  }
  const progress = new Progress(index);
  try {
    const summary = await importDocuments(client, index, source.lines, {
      batchDocs: flagNumber(args, 'batch-docs', 1000, 1, 100_000),
      connections,
      onProgress: (docs, retries) =>
        progress.update(source.readBytes() / Math.max(source.total, 1), docs, retries > 0 ? `  ${retries} retries` : ''),
    });
    progress.finish(summary.indexed + summary.refused);
    printSummary(summary);
    return summary.refused > 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(`\ngannet: import stopped: ${(error as Error).message}\n`);
    return 1;
  } finally {
    client.close();
  }
}

function openFile(file: string, idField: string | null): { total: number; lines: AsyncIterable<ImportLine>; readBytes: () => number } {
  const total = statSync(file).size;
  const input = createReadStream(file, { highWaterMark: 256 * 1024 });
  const stream = file.endsWith('.gz') ? input.pipe(createGunzip()) : input;
  input.on('error', (error) => stream.destroy(error));
  return { total, lines: documentLines(stream, idField), readBytes: () => input.bytesRead };
}

/** Bulk lines of each document of a text stream. @throws Error a line that is no JSON object, with its number */
export async function* documentLines(stream: AsyncIterable<Buffer>, idField: string | null): AsyncGenerator<ImportLine> {
  let lineNumber = 0;
  let isBulk: boolean | null = null;
  let action: string | null = null;
  for await (const line of textLines(stream)) {
    lineNumber++;
    if (line.trim() === '') continue;
    isBulk ??= isActionLine(line);
    if (isBulk) {
      if (action === null && /^\s*\{\s*"delete"/.test(line)) yield { text: `${line}\n`, lineNumber };
      else if (action === null) action = line;
      else {
        yield { text: `${action}\n${line}\n`, lineNumber };
        action = null;
      }
      continue;
    }
    yield { text: `${actionFor(line, idField, lineNumber)}\n${line}\n`, lineNumber };
  }
  if (action !== null) throw new Error(`line ${lineNumber}: an action without its document`);
}

function isActionLine(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return false;
    const [key, ...others] = Object.keys(value);
    return (
      others.length === 0 &&
      ['index', 'create', 'update', 'delete'].includes(key) &&
      typeof (value as Record<string, unknown>)[key] === 'object'
    );
  } catch {
    return false;
  }
}

function actionFor(line: string, idField: string | null, lineNumber: number): string {
  if (idField === null) return '{"index":{}}';
  let id: unknown;
  try {
    id = (JSON.parse(line) as Record<string, unknown>)[idField];
  } catch (error) {
    throw new Error(`line ${lineNumber}: ${(error as Error).message}`);
  }
  if (typeof id !== 'string' && typeof id !== 'number') throw new Error(`line ${lineNumber}: no field [${idField}] to take the id from`);
  return `{"index":{"_id":${JSON.stringify(String(id))}}}`;
}

async function* textLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: false });
  let rest = '';
  for await (const chunk of stream) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    rest = lines.pop() as string;
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

/** Sends documents in batches over several connections. @throws Error the service is gone, or refuses a whole request */
export async function importDocuments(
  client: ServiceClient,
  index: string,
  lines: AsyncIterable<ImportLine>,
  options: { batchDocs: number; connections: number; onProgress(docs: number, retries: number): void },
): Promise<ImportSummary> {
  const run = new ImportRun(client, index, options.onProgress);
  const inFlight = new Set<Promise<void>>();
  let failure: Error | null = null;
  let batch: ImportLine[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const sent = run.send(batch).catch((error: Error) => {
      failure ??= error;
    });
    batch = [];
    bytes = 0;
    inFlight.add(sent);
    void sent.finally(() => inFlight.delete(sent));
    if (inFlight.size >= options.connections) await Promise.race(inFlight);
  };
  for await (const line of lines) {
    if (failure) throw failure;
    batch.push(line);
    bytes += line.text.length;
    if (batch.length >= options.batchDocs || bytes >= BATCH_BYTES) await flush();
  }
  await flush();
  await Promise.all(inFlight);
  if (failure) throw failure;
  return run;
}

interface BulkItem {
  readonly status: number;
  readonly error?: { type: string; reason: string; caused_by?: { reason?: string } };
}

class ImportRun implements ImportSummary {
  indexed = 0;
  refused = 0;
  retries = 0;
  readonly reasons = new Map<string, { count: number; firstLine: number }>();
  readonly #client: ServiceClient;
  readonly #path: string;
  readonly #onProgress: (docs: number, retries: number) => void;

  constructor(client: ServiceClient, index: string, onProgress: (docs: number, retries: number) => void) {
    this.#client = client;
    this.#path = `/${encodeURIComponent(index)}/_bulk?filter_path=errors,items.*.status,items.*.error`;
    this.#onProgress = onProgress;
  }

  /** Until every document is in or refused for another reason than 429. */
  async send(batch: readonly ImportLine[]): Promise<void> {
    let left = batch;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt > 0) {
        this.retries++;
        await sleep(Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), 10_000));
      }
      const answer = await this.#client.send('POST', this.#path, left.map((line) => line.text).join(''), 'application/x-ndjson');
      if (answer.status === 429 && attempt < MAX_RETRIES) continue;
      if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${answer.text.slice(0, 500)}`);
      left = this.#settle(
        left,
        JSON.parse(answer.text) as { errors?: boolean; items?: Array<Record<string, BulkItem>> },
        attempt < MAX_RETRIES,
      );
      this.#onProgress(this.indexed + this.refused, this.retries);
    }
  }

  /** @returns the documents that were told to come back */
  #settle(
    batch: readonly ImportLine[],
    body: { errors?: boolean; items?: Array<Record<string, BulkItem>> },
    mayRetry: boolean,
  ): ImportLine[] {
    if (!body.errors) {
      this.indexed += batch.length;
      return [];
    }
    const again: ImportLine[] = [];
    batch.forEach((line, i) => {
      const item = Object.values(body.items?.[i] ?? {})[0];
      if (!item?.error) this.indexed++;
      else if (item.status === 429 && mayRetry) again.push(line);
      else this.#refuse(line, item.error);
    });
    return again;
  }

  #refuse(line: ImportLine, error: NonNullable<BulkItem['error']>): void {
    this.refused++;
    const cause = error.caused_by?.reason ? `: ${error.caused_by.reason}` : '';
    // Values differ from document to document; what is in brackets and quotes is left out of the grouping key's tail only by its length.
    const reason = `${error.type}: ${error.reason}${cause}`.slice(0, 300);
    const seen = this.reasons.get(reason);
    if (seen) seen.count++;
    else if (this.reasons.size < 1000) this.reasons.set(reason, { count: 1, firstLine: line.lineNumber });
  }
}

function printSummary(summary: ImportSummary): void {
  process.stdout.write(`${summary.indexed} documents indexed, ${summary.refused} refused, ${summary.retries} retries\n`);
  const reasons = [...summary.reasons].sort((a, b) => b[1].count - a[1].count);
  for (const [reason, { count, firstLine }] of reasons.slice(0, SHOWN_REASONS))
    process.stdout.write(`  ${count} x  ${reason}  (first: line ${firstLine})\n`);
  if (reasons.length > SHOWN_REASONS) process.stdout.write(`  and ${reasons.length - SHOWN_REASONS} more reasons\n`);
}
