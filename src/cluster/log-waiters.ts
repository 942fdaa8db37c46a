// Callers that wait until a copy has read its log up to a message.

interface Waiter {
  readonly seq: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class LogWaiters {
  #waiting: Waiter[] = [];

  /** The last message that a caller waits for; 0 if none waits. */
  get last(): number {
    return this.#waiting.reduce((last, { seq }) => Math.max(last, seq), 0);
  }

  /** Resolves when the message with this sequence has been read. */
  until(seq: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ seq, resolve, reject }));
  }

  /** The log has been read up to this sequence. */
  wake(read: number): void {
    const woken = this.#waiting.filter(({ seq }) => seq <= read);
    if (woken.length === 0) return;
    this.#waiting = this.#waiting.filter(({ seq }) => seq > read);
    for (const { resolve } of woken) resolve();
  }

  reject(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(error);
  }
}
