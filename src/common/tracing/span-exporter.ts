// Sends spans to a collector in batches, over OTLP/HTTP in JSON. The queue is bounded: a collector that is slow or away costs spans, never requests.
import { type EndedSpan, otlpBody } from './otlp.ts';
import type { SpanAttributes } from './span.ts';

/** Most spans of one request to the collector, as in OpenTelemetry's batch processor. */
const BATCH = 512;
const MAX_DELAY_MS = 60_000;
/** Statuses after which OTLP has the same batch sent again. */
const RETRIED = new Set([429, 502, 503, 504]);

export interface ExporterOptions {
  /** Of the collector, without `/v1/traces`. */
  readonly endpoint: string;
  /** `name=value`, the value percent-encoded. */
  readonly headers: readonly string[];
  readonly timeoutMs: number;
  /** Longest time that a span waits to be sent. */
  readonly delayMs: number;
  readonly maxQueue: number;
  readonly resource: SpanAttributes;
  /** Called when sending begins to fail, and when spans are dropped because of that. */
  readonly onProblem: (message: string) => void;
}

export class SpanExporter {
  readonly #options: ExporterOptions;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  #queue: EndedSpan[] = [];
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #delayMs: number;
  #dropped = 0;
  #isFailing = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#delayMs = options.delayMs;
    this.#url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
    this.#headers = { 'content-type': 'application/json', ...headersOf(options.headers) };
  }

  add(span: EndedSpan): void {
    if (this.#queue.length >= this.#options.maxQueue) {
      this.#dropped++;
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length >= BATCH && !this.#isFailing) void this.#send();
    else this.#schedule();
  }

  /** Sends what waits; resolves when it was sent or `withinMs` have passed. */
  async flush(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    const all = async (): Promise<void> => {
      await this.#sending;
      while (this.#queue.length > 0 && !this.#isFailing) await this.#send();
    };
    await Promise.race([all(), late]);
    clearTimeout(timer);
  }

  #schedule(): void {
    if (this.#timer !== null || this.#sending !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#send();
    }, this.#delayMs);
    this.#timer.unref();
  }

  #send(): Promise<void> {
    this.#sending ??= this.#sendBatch().finally(() => {
      this.#sending = null;
      if (this.#queue.length > 0) this.#schedule();
    });
    return this.#sending;
  }

  async #sendBatch(): Promise<void> {
    const batch = this.#queue.splice(0, BATCH);
    if (batch.length === 0) return;
    const { resource, maxQueue, delayMs } = this.#options;
    const problem = await this.#post(otlpBody(batch, resource));
    if (problem === null) {
      if (this.#dropped > 0) this.#options.onProblem(`${this.#dropped} spans were dropped because the collector did not take them`);
      this.#dropped = 0;
      this.#isFailing = false;
      this.#delayMs = delayMs;
      return;
    }
    if (!this.#isFailing) this.#options.onProblem(`traces cannot be sent to ${this.#url}: ${problem.reason}`);
    this.#isFailing = true;
    this.#delayMs = Math.min(MAX_DELAY_MS, Math.max(1000, this.#delayMs * 2));
    const room = problem.isLasting ? 0 : Math.max(0, maxQueue - this.#queue.length);
    this.#dropped += batch.length - Math.min(room, batch.length);
    this.#queue = [...batch.slice(0, room), ...this.#queue];
  }

  async #post(body: string): Promise<{ readonly reason: string; readonly isLasting: boolean } | null> {
    try {
      const signal = AbortSignal.timeout(this.#options.timeoutMs);
      const response = await fetch(this.#url, { method: 'POST', headers: this.#headers, body, signal, redirect: 'error' });
      await response.arrayBuffer();
      return response.ok ? null : { reason: `status ${response.status}`, isLasting: !RETRIED.has(response.status) };
    } catch (error) {
      const { message, cause } = error as Error;
      return { reason: cause instanceof Error ? `${message}: ${cause.message}` : message, isLasting: false };
    }
  }
}

function headersOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim().toLowerCase(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}
