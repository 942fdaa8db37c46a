// A request body over uWebSockets' onData (guard 8): chunks are copied, since the native buffer is gone after the callback.
// Until somebody reads, at most HIGH_WATER bytes are held, then the socket is paused; so is it while an iterating reader is busy.
import { BodyAborted, BodyTooLarge, type HttpBody } from './listener.ts';
import type { RawResponse } from './uws-guards.ts';

const HIGH_WATER = 256 * 1024;

export class UwsBody implements HttpBody {
  readonly length: number | null;
  /** All of it has come. */
  complete = false;
  /** Moves with every chunk; the listener's watch compares it. */
  receivedBytes = 0;
  isPaused = false;
  readonly #raw: RawResponse;
  readonly #listenerLimit: number;
  #limit: number;
  #chunks: Buffer[] = [];
  #heldBytes = 0;
  #highWater = HIGH_WATER;
  #isDiscarding = false;
  #error: Error | null = null;
  #wake: (() => void) | null = null;

  constructor(raw: RawResponse, length: number | null, listenerLimit: number) {
    this.#raw = raw;
    this.length = length;
    this.#listenerLimit = listenerLimit;
    this.#limit = listenerLimit;
    if (length === 0) this.complete = true;
    else raw.onData((chunk, isLast) => this.#onData(chunk, isLast));
  }

  #onData(chunk: ArrayBuffer, isLast: boolean): void {
    this.receivedBytes += chunk.byteLength;
    if (isLast) this.complete = true;
    if (!this.#isDiscarding && !this.#error) {
      if (this.receivedBytes > this.#limit) {
        this.fail(new BodyTooLarge(this.#limit));
        return;
      }
      if (chunk.byteLength > 0) {
        const copy = Buffer.allocUnsafe(chunk.byteLength);
        copy.set(new Uint8Array(chunk));
        this.#chunks.push(copy);
        this.#heldBytes += copy.length;
        if (this.#heldBytes > this.#highWater && !isLast) this.#pause();
      }
    }
    this.#notify();
  }

  /** Ends reading with an error; later chunks are dropped. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#chunks = [];
    this.#heldBytes = 0;
    this.#notify();
  }

  abort(): void {
    // After an abort the raw response may not be touched: no resume.
    this.isPaused = false;
    if (!this.complete) this.fail(new BodyAborted());
  }

  /** Nobody will read the rest: take it off the socket and drop it. */
  discard(): void {
    this.#isDiscarding = true;
    this.#chunks = [];
    this.#heldBytes = 0;
    this.#resume();
  }

  async bytes(limit: number): Promise<Buffer> {
    this.#limit = Math.min(limit, this.#listenerLimit);
    if (this.length !== null && this.length > this.#limit) throw new BodyTooLarge(this.#limit);
    this.#highWater = Number.POSITIVE_INFINITY;
    this.#resume();
    while (!this.complete && !this.#error) await this.#changed();
    if (this.#error) throw this.#error;
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
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

  #pause(): void {
    if (this.isPaused || this.complete) return;
    this.isPaused = true;
    this.#raw.pause();
  }

  #resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.#raw.resume();
  }
}
