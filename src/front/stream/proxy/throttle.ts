// proxy_upload_rate and proxy_download_rate: limits the bytes that may pass. As in nginx, the average since the start is kept below the
// rate, counted in whole seconds, and each read is followed by a proportional pause.
import { nowSeconds } from '../../../http/wire/clock.ts';

export class Throttle {
  readonly #rate: number;
  readonly #startSecond = nowSeconds();
  #passed = 0;

  /** @param rate  bytes per second */
  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Bytes that may pass now; 0 or less: none. */
  get allowance(): number {
    return this.#rate * (nowSeconds() - this.#startSecond + 1) - this.#passed;
  }

  /** Milliseconds until something may pass, if `allowance` is not positive. */
  get waitMs(): number {
    return Math.floor((-this.allowance * 1000) / this.#rate) + 1;
  }

  /** Counts bytes that pass. @returns milliseconds to pause before more may */
  pass(bytes: number): number {
    this.#passed += bytes;
    return Math.floor((bytes * 1000) / this.#rate);
  }
}

/** Passes items one by one when the rate allows it. */
export class Pacer {
  readonly #throttle: Throttle;
  readonly #waiting: { bytes: number; pass: () => void }[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(rate: number) {
    this.#throttle = new Throttle(rate);
  }

  get idle(): boolean {
    return this.#waiting.length === 0;
  }

  /** Runs `pass` when this many bytes may pass; drops it if too much is waiting. */
  push(bytes: number, pass: () => void): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push({ bytes, pass });
    if (!this.#timer) this.#pump();
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  #pump(): void {
    this.#timer = null;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (this.#throttle.allowance <= 0) {
        this.#wait(this.#throttle.waitMs);
        return;
      }
      this.#waiting.shift();
      const pauseMs = this.#throttle.pass(next.bytes);
      next.pass();
      if (pauseMs > 0) {
        this.#wait(pauseMs);
        return;
      }
    }
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#pump(), ms);
  }
}

/** Datagrams; nginx leaves them in the buffer of the socket, which holds about as many. */
const MAX_WAITING = 256;
