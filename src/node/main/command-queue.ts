// Runs changes of shared state one after another, so that all threads see them in the same order.

export class CommandQueue {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs a change after those queued before it, whether they succeeded or not. @returns its result */
  run<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(change);
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** Resolves when everything queued so far has ended. */
  async settled(): Promise<void> {
    await this.#tail;
  }
}
