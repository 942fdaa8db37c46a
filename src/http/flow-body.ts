// A request body between the socket that feeds it and the handler that reads it. At most HIGH_WATER bytes are stored before a handler reads,
// and while an iterating handler is busy; then the socket is paused.
import { BodyAborted, BodyTooLarge, BodyTooSlow, type HttpBody } from './listener.ts';

/** Pauses and resumes the socket of a body. */
export interface BodyFlow {
  pause(): void;
  resume(): void;
}

const HIGH_WATER = 256 * 1024;
/** Larger bodies are placed in one buffer while they arrive. */
const LARGE_BODY = 1 << 20;
/** Bodies may arrive at any speed for this long: short ones are complete by then. */
const RATE_GRACE_MS = 10_000;

export class FlowBody implements HttpBody {
  readonly length: number | null;
  /** Whether the whole body has arrived. */
  complete: boolean;
  /** Increases with every chunk. */
  receivedBytes = 0;
  isPaused = false;
  /** Time during which the sender could send, as counted by `watch`. */
  #readingMs = 0;
  #stalledMs = 0;
  #watchedBytes = 0;
  readonly #flow: BodyFlow;
  readonly #listenerLimit: number;
  #limit: number;
  #highWater = HIGH_WATER;
  #chunks: Buffer[] = [];
  /** The whole body, in which chunks are placed as they arrive: joining many at its end would take long. */
  #whole: Buffer | null = null;
  #wholeBytes = 0;
  #heldBytes = 0;
  #isDiscarding = false;
  #error: Error | null = null;
  #wake: (() => void) | null = null;

  /** @param length announced bytes, null if chunked */
  constructor(length: number | null, limit: number, flow: BodyFlow) {
    this.length = length;
    this.#listenerLimit = limit;
    this.#limit = limit;
    this.#flow = flow;
    this.complete = length === 0;
  }

  /** Adds bytes from the socket; the body keeps `chunk`. */
  push(chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    if (this.#isDiscarding || this.#error) return;
    if (this.receivedBytes > this.#limit) {
      this.#fail(new BodyTooLarge(this.#limit));
      return;
    }
    if (this.#whole !== null) {
      this.#wholeBytes += chunk.copy(this.#whole, this.#wholeBytes);
      this.#notify();
      return;
    }
    this.#chunks.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > this.#highWater && !this.isPaused && !this.complete) {
      this.isPaused = true;
      this.#flow.pause();
    }
    this.#notify();
  }

  /** The end may arrive with bytes read before the socket was paused: the next request must not wait for the handler to read. */
  finish(): void {
    this.complete = true;
    this.#resume();
    this.#notify();
  }

  /** Called when the client has disconnected: the socket must not be used any more. */
  abort(): void {
    this.isPaused = false;
    if (!this.complete) this.#fail(new BodyAborted());
  }

  /**
   * Called every `elapsedMs` while the sender could send. Fails the body if nothing has arrived for `timeoutMs`, or fewer bytes per second than
   * `minRate` after a start of `RATE_GRACE_MS`.
   * @param timeoutMs  -1: never. @returns false if the body failed
   */
  watch(elapsedMs: number, timeoutMs: number, minRate: number): boolean {
    this.#stalledMs = this.receivedBytes === this.#watchedBytes ? this.#stalledMs + elapsedMs : 0;
    this.#watchedBytes = this.receivedBytes;
    this.#readingMs += elapsedMs;
    const hasStalled = timeoutMs >= 0 && this.#stalledMs >= timeoutMs;
    const isDripping = this.#readingMs > RATE_GRACE_MS && (this.receivedBytes * 1000) / this.#readingMs < minRate;
    if (!hasStalled && !isDripping) return true;
    this.#fail(new BodyTooSlow());
    return false;
  }

  /** Receives and drops the rest, which will not be read. */
  discard(): void {
    this.#isDiscarding = true;
    this.#drop();
    this.#resume();
  }

  async bytes(limit: number): Promise<Buffer> {
    this.#limit = Math.min(limit, this.#listenerLimit);
    if (this.length !== null && this.length > this.#limit) throw new BodyTooLarge(this.#limit);
    this.#highWater = Number.POSITIVE_INFINITY;
    if (this.length !== null && this.length > LARGE_BODY) this.#place(this.length);
    this.#resume();
    while (!this.complete && !this.#error) await this.#changed();
    if (this.#error) throw this.#error;
    if (this.#whole !== null) return this.#whole.subarray(0, this.#wholeBytes);
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
  }

  /** Provides a buffer for all of the body. Its pages are not touched before their bytes arrive. */
  #place(length: number): void {
    this.#whole = Buffer.allocUnsafeSlow(length);
    for (const chunk of this.#chunks) this.#wholeBytes += chunk.copy(this.#whole, this.#wholeBytes);
    this.#chunks = [];
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Buffer> {
    for (;;) {
      if (this.#error) throw this.#error;
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#heldBytes -= chunk.length;
        yield chunk;
      } else if (this.complete) {
        return;
      } else {
        this.#resume();
        await this.#changed();
      }
    }
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#drop();
    this.#notify();
  }

  #drop(): void {
    this.#chunks = [];
    this.#whole = null;
    this.#heldBytes = 0;
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }

  #resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.#flow.resume();
  }
}
