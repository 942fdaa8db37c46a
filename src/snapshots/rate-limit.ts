// Spreads the copying of a snapshot over time: `max_snapshot_bytes_per_sec` and `max_restore_bytes_per_sec` of a repository.

/** Bytes that may pass at once. */
const BURST_MS = 100;

export class RateLimit {
  readonly #bytesPerMs: number;
  #freeAtMs = 0;

  /** @param bytesPerSecond  0 for no limit */
  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1000;
  }

  async pass(bytes: number): Promise<void> {
    if (this.#bytesPerMs === 0 || bytes === 0) return;
    const nowMs = performance.now();
    this.#freeAtMs = Math.max(nowMs, this.#freeAtMs) + bytes / this.#bytesPerMs;
    const waitMs = this.#freeAtMs - nowMs - BURST_MS;
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
