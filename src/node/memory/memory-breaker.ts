// Circuit breakers of the process, shared by all threads: the bytes of request bodies, and the total memory of the process. A request that
// would exceed memory.limit is rejected before its body is read or its work begins; light requests need no reservation.
//   words of the shared array: IN_FLIGHT (KB), SEGMENTS (KB), BASE (KB), then a count of refusals for each breaker
import { setTimeout as sleep } from 'node:timers/promises';
import type { BreakerStats, RequestMemory } from '../../api/core/request-memory.ts';
import { formatByteSize } from '../../common/text/byte-size.ts';
import { collectGarbage } from '../../common/turns/collect-garbage.ts';
import type { Settings } from '../../config/settings.ts';
import { ApiError } from '../../errors/api-error.ts';
import { anonymousBytes } from './process-memory.ts';

const [IN_FLIGHT, SEGMENTS, BASE, TRIPPED_IN_FLIGHT, TRIPPED_PARENT, TRIPPED_REQUEST, WORDS] = [0, 1, 2, 3, 4, 5, 6];
const KB = 1024;
/** A measurement of the process is used for this long. */
const SAMPLE_MS = 10;
/** Elasticsearch counts a body twice: as bytes and as the objects made of it. */
const IN_FLIGHT_OVERHEAD = 2;

/** A thread collects its garbage when it has released bodies of this size, and a request waits for that if at least MIN_GARBAGE may come of it. */
const MAX_GARBAGE = 16 << 20;
const MIN_GARBAGE = 1 << 20;
/** Garbage is left to V8 as long as the process uses less than this share of memory.limit. */
const RELAXED_SHARE = 0.25;
/** Between two collections a thread works at least this long, and for this many times the duration of the last one. */
const MIN_PAUSE_MS = 100;
const PAUSE_FACTOR = 20;
/** V8 returns the buffers that it has collected within this time. */
const RETURN_MS = 50;
const RETURN_CHECK_MS = 5;

export const newBreakerMemory = (): SharedArrayBuffer => new SharedArrayBuffer(WORDS * 4);

export class MemoryBreaker implements RequestMemory {
  readonly #words: Int32Array;
  readonly #limit: number;
  readonly #measure: () => number;
  readonly #collect: () => void;
  /** Bytes of sections of paged segments in memory. */
  #sections: () => number = () => 0;
  #sampled = 0;
  #sampledMs = Number.NEGATIVE_INFINITY;
  /** Bytes that this thread has released since its last collection. */
  #garbage = 0;
  #collecting: Promise<void> | null = null;
  #nextCollectionMs = 0;

  /**
   * @param shared  of `newBreakerMemory` @param limit  memory.limit in bytes
   * @param measure  memory of the process @param collect  collects the garbage of this thread
   */
  constructor(shared: SharedArrayBuffer, limit: number, measure: () => number = anonymousBytes, collect: () => void = collectGarbage) {
    this.#words = new Int32Array(shared);
    this.#limit = limit;
    this.#measure = measure;
    this.#collect = collect;
  }

  /** @param residentBytes  of the sections of paged segments, which threads load and evict at any time */
  useSections(residentBytes: () => number): void {
    this.#sections = residentBytes;
  }

  /** Measures the memory without data and requests, which does not count. To be called once after the start. */
  setBase(): void {
    Atomics.store(this.#words, BASE, Math.max(0, Math.floor((this.#measure() - this.#segmentBytes) / KB)));
  }

  /** Bytes of the segments that are in memory as a whole, and of live docs. */
  setSegments(bytes: number): void {
    Atomics.store(this.#words, SEGMENTS, Math.floor(bytes / KB));
  }

  /** Memory of data and requests in bytes. */
  get usedBytes(): number {
    const now = performance.now();
    if (now - this.#sampledMs > SAMPLE_MS) {
      this.#sampled = this.#measure();
      this.#sampledMs = now;
    }
    return Math.max(0, this.#sampled - this.#bytes(BASE));
  }

  reserve(bytes: number, label: string, held = 0): void {
    const wanted = (this.#bytes(IN_FLIGHT) + bytes) * IN_FLIGHT_OVERHEAD;
    if (wanted > this.#limit) {
      Atomics.add(this.#words, TRIPPED_IN_FLIGHT, 1);
      throw tooLargeError('in_flight_requests', label, wanted, this.#limit, '');
    }
    this.check(bytes, label);
    // Rounded as the sum that is released: rounding each part would leave a rest behind.
    Atomics.add(this.#words, IN_FLIGHT, Math.ceil((held + bytes) / KB) - Math.ceil(held / KB));
  }

  release(bytes: number): void {
    Atomics.sub(this.#words, IN_FLIGHT, Math.ceil(bytes / KB));
    this.#garbage += bytes;
    if (this.#garbage >= MAX_GARBAGE && this.usedBytes > this.#limit * RELAXED_SHARE) void this.#collected(0);
  }

  makeRoom(bytes: number): Promise<void> | null {
    if (this.#garbage < MIN_GARBAGE || this.usedBytes + bytes <= this.#limit) return null;
    return this.#collected(bytes);
  }

  /** Collects the garbage of this thread, and waits until the process has room for `bytes` or the buffers are returned. */
  async #collected(bytes: number): Promise<void> {
    this.#collecting ??= this.#collectInTime();
    await this.#collecting;
    const end = performance.now() + RETURN_MS;
    while (this.usedBytes + bytes > this.#limit && performance.now() < end) await sleep(RETURN_CHECK_MS);
  }

  async #collectInTime(): Promise<void> {
    // Waits at least one turn, until requests that are ending have released their references.
    await sleep(Math.max(0, this.#nextCollectionMs - performance.now()));
    this.#collecting = null;
    this.#garbage = 0;
    const start = performance.now();
    this.#collect();
    const end = performance.now();
    this.#nextCollectionMs = end + Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (end - start));
    this.#sampledMs = Number.NEGATIVE_INFINITY;
  }

  check(bytes: number, label: string): void {
    const used = this.usedBytes;
    if (used + bytes <= this.#limit) return;
    throw this.parentError(bytes, label, used);
  }

  /** The error for `bytes` more, with the current use of memory. */
  parentError(bytes: number, label: string, used = this.usedBytes): ApiError {
    Atomics.add(this.#words, TRIPPED_PARENT, 1);
    const { segments, inFlight, request } = this.#parts(used);
    const usages = `request=${both(request)}, in_flight_requests=${both(inFlight)}, segments=${both(segments)}`;
    const details = `, real usage: [${both(used)}], new bytes reserved: [${both(bytes)}], usages [${usages}]`;
    return tooLargeError('parent', label, used + bytes, this.#limit, details);
  }

  /** Counts a request that was refused by the limits of its thread. */
  countRequest(): void {
    Atomics.add(this.#words, TRIPPED_REQUEST, 1);
  }

  stats(): BreakerStats[] {
    const used = this.usedBytes;
    const { segments, inFlight, request } = this.#parts(used);
    const limit = this.#limit;
    return [
      { name: 'request', limit, estimated: request, overhead: 1, tripped: this.#words[TRIPPED_REQUEST] },
      { name: 'fielddata', limit, estimated: segments, overhead: 1, tripped: 0 },
      { name: 'in_flight_requests', limit, estimated: inFlight, overhead: IN_FLIGHT_OVERHEAD, tripped: this.#words[TRIPPED_IN_FLIGHT] },
      { name: 'parent', limit, estimated: used, overhead: 1, tripped: this.#words[TRIPPED_PARENT] },
    ];
  }

  /** `request` is the memory other than segments and bodies: heaps, kernels, dirty pages of the log. */
  #parts(used: number): { segments: number; inFlight: number; request: number } {
    const segments = this.#segmentBytes;
    const inFlight = Math.max(0, this.#bytes(IN_FLIGHT));
    return { segments, inFlight, request: Math.max(0, used - segments - inFlight) };
  }

  get #segmentBytes(): number {
    return this.#bytes(SEGMENTS) + this.#sections();
  }

  #bytes(word: number): number {
    return Atomics.load(this.#words, word) * KB;
  }
}

/** 429 in Elasticsearch's words. */
function tooLargeError(breaker: string, label: string, wanted: number, limit: number, details: string): ApiError {
  return new ApiError(
    'circuit_breaking_exception',
    429,
    `[${breaker}] Data too large, data for [${label}] would be [${both(wanted)}], which is larger than the limit of [${both(limit)}]${details}`,
    { details: { bytes_wanted: wanted, bytes_limit: limit, durability: 'TRANSIENT' } },
  );
}

function both(bytes: number): string {
  return `${bytes}/${formatByteSize(bytes)}`;
}

/** The breakers for a thread of the node. */
export function breakerOf({
  breakers,
  settings,
}: {
  readonly breakers: SharedArrayBuffer | null;
  readonly settings: Settings;
}): MemoryBreaker {
  const limit = settings['memory.limit'];
  return breakers === null ? new MemoryBreaker(newBreakerMemory(), limit, () => 0) : new MemoryBreaker(breakers, limit);
}
