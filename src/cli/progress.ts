// Progress of a long command on standard error: a bar on a terminal, elsewhere a line for every 10%.

const WIDTH = 30;
const REDRAW_MS = 100;

export class Progress {
  readonly #label: string;
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #startedMs = performance.now();
  #drawnMs = 0;
  #lastTenth = 0;

  constructor(label: string) {
    this.#label = label;
  }

  /**
   * @param share part that is done, 0..1
   * @param docs documents so far
   */
  update(share: number, docs: number, note = ''): void {
    const now = performance.now();
    if (this.#isTerminal) {
      if (now - this.#drawnMs < REDRAW_MS) return;
      this.#drawnMs = now;
      process.stderr.write(`\r${this.#line(share, docs, note)}\u001b[K`);
    } else if (Math.floor(share * 10) > this.#lastTenth) {
      this.#lastTenth = Math.floor(share * 10);
      process.stderr.write(`${this.#line(share, docs, note)}\n`);
    }
  }

  finish(docs: number, note = ''): void {
    process.stderr.write(`${this.#isTerminal ? '\r' : ''}${this.#line(1, docs, note)}${this.#isTerminal ? '\u001b[K' : ''}\n`);
  }

  #line(share: number, docs: number, note: string): string {
    const filled = Math.max(0, Math.min(WIDTH, Math.round(share * WIDTH)));
    const seconds = (performance.now() - this.#startedMs) / 1000;
    const rate = Math.round(docs / Math.max(seconds, 0.001));
    return `${this.#label} [${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${String(Math.round(share * 100)).padStart(3)}%  ${docs} docs  ${rate} docs/s  ${seconds.toFixed(1)} s${note}`;
  }
}
