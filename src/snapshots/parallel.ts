// A few tasks at a time: while one waits for the disk or the network, another one hashes.

export class Parallel {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | null = null;

  /** @param limit  tasks that may run at a time */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts a task as soon as there is a place. @throws the error of an earlier task; then nothing runs any longer */
  async add(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#limit) await Promise.race(this.#running);
    if (this.#failure !== null) return this.end();
    const running: Promise<void> = task()
      .catch((error) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all tasks. @throws the first error of one; then nothing runs any longer */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure !== null) throw this.#failure.error;
  }
}
