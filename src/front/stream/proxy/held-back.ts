// The bytes of one direction of a proxied connection that its rate holds back.
import { Throttle } from './throttle.ts';

/** Bytes of one direction that are delayed by a rate limit. */
export class HeldBack {
  readonly throttle: Throttle;
  readonly #limit: number;
  readonly #emit: (data: Buffer) => void;
  readonly #onEmpty: () => void;
  #held: Buffer[] = [];
  #timer: NodeJS.Timeout | null = null;

  /** @param limit  bytes that pass at once @param onEmpty  nothing is held any more */
  constructor(rate: number, limit: number, emit: (data: Buffer) => void, onEmpty: () => void) {
    this.throttle = new Throttle(rate);
    this.#limit = limit;
    this.#emit = emit;
    this.#onEmpty = onEmpty;
  }

  get empty(): boolean {
    return this.#held.length === 0;
  }

  push(data: Buffer): void {
    this.#held.push(data);
    if (!this.#timer) this.#pump();
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#held = [];
  }

  #pump(): void {
    this.#timer = null;
    const { throttle } = this;
    while (this.#held.length > 0) {
      const { allowance } = throttle;
      if (allowance <= 0) {
        this.#wait(throttle.waitMs);
        return;
      }
      const [first] = this.#held;
      const part = first.subarray(0, Math.min(allowance, this.#limit));
      if (part.length === first.length) this.#held.shift();
      else this.#held[0] = first.subarray(part.length);
      const pauseMs = throttle.pass(part.length);
      this.#emit(part);
      if (pauseMs > 0) {
        this.#wait(pauseMs);
        return;
      }
    }
    this.#onEmpty();
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#pump(), ms);
  }
}
