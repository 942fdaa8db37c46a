// One request for many callers at the same time.

/** Each caller gets the result of a run that began after its call. Runs do not overlap. */
export class SharedCall<T> {
  readonly #action: () => Promise<T>;
  /** The run that has not begun; callers that come before it begins share it. */
  #next: Promise<T> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(action: () => Promise<T>) {
    this.#action = action;
  }

  run(): Promise<T> {
    this.#next ??= this.#last
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        const running = this.#action();
        this.#last = running;
        return running;
      });
    return this.#next;
  }
}
