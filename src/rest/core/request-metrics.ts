// Latencies and statuses of requests, by API and by index, for `_metrics`. All http workers share one block of memory, in which each has a row:
// recording takes a few additions without locks, and any worker can sum up the rows for `_metrics`.
//   names:  GC_WANTED, number of names, then MAX_INDICES names: length (u32), 256 bytes of UTF-8
//   a row:  GC count, GC microseconds, then a histogram per API, then one per index and group of actions
//   a histogram: counts by bucket (u32 each), counts of 2xx-3xx, 4xx, 5xx (u32), sum in microseconds (f64)
import { PerformanceObserver } from 'node:perf_hooks';

/** Upper bounds in seconds; a last bucket takes the rest. */
export const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const;
const BUCKETS = BUCKETS_SECONDS.length + 1;
const BOUNDS_MS = BUCKETS_SECONDS.map((seconds) => seconds * 1000);
export const STATUS_CLASSES = ['success', 'client_error', 'server_error'] as const;
const SUM_OFFSET = BUCKETS + STATUS_CLASSES.length;
/** A histogram in words of 4 bytes; even, so that its sum is aligned. */
const HISTOGRAM_WORDS = SUM_OFFSET + 2;
/** Actions of one group have one histogram per index. */
const ACTION_GROUPS = ['search', 'write', 'get', 'other'] as const;
/** Further indices are counted together under the last number. */
export const MAX_INDICES = 64;
const NAME_BYTES = 256;
const NAME_WORDS = 1 + NAME_BYTES / 4;
const [GC_WANTED, NAME_COUNT, NAMES] = [0, 1, 2];
const [GC_COUNT, GC_MICROS, ROW_HEAD] = [0, 1, 2];

const HEAD_WORDS = NAMES + MAX_INDICES * NAME_WORDS;
const indexWords = (MAX_INDICES + 1) * ACTION_GROUPS.length * HISTOGRAM_WORDS;
const rowWords = (apis: number): number => ROW_HEAD + apis * HISTOGRAM_WORDS + indexWords;

/** Memory for so many http workers; untouched pages take none. @param apis  room for so many APIs */
export const newMetricsMemory = (workers: number): SharedArrayBuffer =>
  new SharedArrayBuffer((HEAD_WORDS + Math.max(1, workers) * rowWords(MAX_APIS)) * 4);
const MAX_APIS = 256;

/** The part of an API's declaration that is read here. */
export interface CountedApi {
  readonly name: string;
  readonly needs: string;
}

export interface Histogram {
  /** by bucket, not cumulative */
  readonly counts: number[];
  /** by STATUS_CLASSES */
  readonly statuses: number[];
  sumSeconds: number;
}

type ActionGroup = (typeof ACTION_GROUPS)[number];

export class RequestMetrics {
  readonly #words: Uint32Array;
  readonly #sums: Float64Array;
  readonly #row: number;
  readonly #rows: number;
  readonly #apis: readonly CountedApi[];
  /** number of an API, and group of its action; made with the first request */
  #numbers: Map<CountedApi, { readonly number: number; readonly group: number }> | null = null;
  readonly #indices = new Map<string, number>();
  /** API of the previous request */
  #lastApi: CountedApi | null = null;
  #lastNumber = 0;
  #lastGroup = 0;
  #observesGc = false;

  readonly #exists: (index: string) => boolean;

  /**
   * @param shared  of `newMetricsMemory`
   * @param row     number of this http worker
   * @param exists  whether an index has this name: other names are not counted separately, since clients choose them
   */
  constructor(shared: SharedArrayBuffer, row: number, apis: readonly CountedApi[], exists: (index: string) => boolean) {
    this.#words = new Uint32Array(shared);
    this.#sums = new Float64Array(shared);
    this.#rows = Math.floor((this.#words.length - HEAD_WORDS) / rowWords(MAX_APIS));
    this.#row = HEAD_WORDS + (row % this.#rows) * rowWords(MAX_APIS);
    this.#apis = apis;
    this.#exists = exists;
  }

  /** @param index  as in the path; null if the API has none there */
  record(api: CountedApi, index: string | null, status: number, tookMs: number): void {
    if (api !== this.#lastApi) {
      ({ number: this.#lastNumber, group: this.#lastGroup } = this.#numberOf(api));
      this.#lastApi = api;
    }
    let bucket = 0;
    while (bucket < BUCKETS - 1 && tookMs > BOUNDS_MS[bucket]) bucket++;
    const statusAt = BUCKETS + (status < 400 ? 0 : status < 500 ? 1 : 2);
    this.#add(this.#row + ROW_HEAD + this.#lastNumber * HISTOGRAM_WORDS, bucket, statusAt, tookMs);
    if (index !== null) this.#add(this.#indexAt(this.#row, this.#indexNumber(index), this.#lastGroup), bucket, statusAt, tookMs);
    if (!this.#observesGc && this.#words[GC_WANTED] !== 0) this.#observeGc();
  }

  #add(at: number, bucket: number, statusAt: number, tookMs: number): void {
    this.#words[at + bucket]++;
    this.#words[at + statusAt]++;
    this.#sums[(at + SUM_OFFSET) >> 1] += tookMs;
  }

  /** Histograms with requests, over all http workers. */
  apis(): Map<string, Histogram> {
    const found = new Map<string, Histogram>();
    this.#apis.slice(0, MAX_APIS).forEach((api, number) => {
      const sum = this.#sum((row) => row + ROW_HEAD + number * HISTOGRAM_WORDS);
      if (sum.statuses.some((n) => n > 0)) found.set(api.name, sum);
    });
    return found;
  }

  /** Histograms with requests by index and group; the name '' stands for all other requests. */
  indices(): { index: string; group: ActionGroup; histogram: Histogram }[] {
    const names = [...this.#names(), ''];
    return names.flatMap((index, i) =>
      ACTION_GROUPS.flatMap((group, g) => {
        const number = index === '' ? MAX_INDICES : i;
        const histogram = this.#sum((row) => this.#indexAt(row, number, g));
        return histogram.statuses.some((n) => n > 0) ? [{ index, group, histogram }] : [];
      }),
    );
  }

  /** Garbage collections since the first call, which makes each worker start counting with its next request. */
  gc(): { count: number; seconds: number } {
    this.#words[GC_WANTED] = 1;
    let [count, micros] = [0, 0];
    for (const row of this.#eachRow()) {
      count += this.#words[row + GC_COUNT];
      micros += this.#words[row + GC_MICROS];
    }
    return { count, seconds: micros / 1e6 };
  }

  #numberOf(api: CountedApi): { readonly number: number; readonly group: number } {
    this.#numbers ??= new Map(this.#apis.map((spec, number) => [spec, { number: Math.min(number, MAX_APIS - 1), group: groupOf(spec) }]));
    return this.#numbers.get(api) ?? { number: MAX_APIS - 1, group: groupOf(api) };
  }

  #indexAt(row: number, index: number, group: number): number {
    return row + ROW_HEAD + MAX_APIS * HISTOGRAM_WORDS + (index * ACTION_GROUPS.length + group) * HISTOGRAM_WORDS;
  }

  #sum(at: (row: number) => number): Histogram {
    const histogram: Histogram = { counts: Array(BUCKETS).fill(0), statuses: Array(STATUS_CLASSES.length).fill(0), sumSeconds: 0 };
    for (const row of this.#eachRow()) {
      const start = at(row);
      for (let i = 0; i < BUCKETS; i++) histogram.counts[i] += this.#words[start + i];
      for (let i = 0; i < STATUS_CLASSES.length; i++) histogram.statuses[i] += this.#words[start + BUCKETS + i];
      histogram.sumSeconds += this.#sums[(start + SUM_OFFSET) >> 1] / 1000;
    }
    return histogram;
  }

  *#eachRow(): Generator<number> {
    for (let row = 0; row < this.#rows; row++) yield HEAD_WORDS + row * rowWords(MAX_APIS);
  }

  // ------------------------------------------------------------------------------------------------- names of indices

  #indexNumber(name: string): number {
    const known = this.#indices.get(name);
    if (known !== undefined) return known;
    if (!this.#exists(name)) return MAX_INDICES;
    const number = this.#claim(name);
    // Bounded by MAX_INDICES: names without a number are not remembered.
    if (number < MAX_INDICES) this.#indices.set(name, number);
    return number;
  }

  /** The number that a worker gave to the name, or a new one. A name that two workers add at once gets two numbers, which share its label. */
  #claim(name: string): number {
    const bytes = Buffer.from(name);
    const existing = this.#names().indexOf(name);
    if (existing >= 0) return existing;
    if (bytes.length > NAME_BYTES || this.#words[NAME_COUNT] >= MAX_INDICES) return MAX_INDICES;
    const number = Atomics.add(this.#words, NAME_COUNT, 1);
    if (number >= MAX_INDICES) return MAX_INDICES;
    const at = NAMES + number * NAME_WORDS;
    new Uint8Array(this.#words.buffer, (at + 1) * 4, NAME_BYTES).set(bytes);
    Atomics.store(this.#words, at, bytes.length);
    return number;
  }

  #names(): string[] {
    const count = Math.min(MAX_INDICES, Atomics.load(this.#words, NAME_COUNT));
    return Array.from({ length: count }, (_, number) => {
      const at = NAMES + number * NAME_WORDS;
      const length = Atomics.load(this.#words, at);
      return Buffer.from(new Uint8Array(this.#words.buffer, (at + 1) * 4, length)).toString('utf8');
    });
  }

  #observeGc(): void {
    this.#observesGc = true;
    const row = this.#row;
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        this.#words[row + GC_COUNT]++;
        this.#words[row + GC_MICROS] += Math.round(duration * 1000);
      }
    });
    observer.observe({ entryTypes: ['gc'] });
  }
}

/** By the action that an API needs. */
function groupOf({ needs }: CountedApi): number {
  if (/^indices:data\/read\/(?:search|msearch|scroll|explain|async_search|count)/.test(needs)) return ACTION_GROUPS.indexOf('search');
  if (needs.startsWith('indices:data/write')) return ACTION_GROUPS.indexOf('write');
  if (/^indices:data\/read\/m?get/.test(needs)) return ACTION_GROUPS.indexOf('get');
  return ACTION_GROUPS.indexOf('other');
}
