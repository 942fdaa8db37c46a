// Progress of a long command on standard error: a bar on a terminal, elsewhere a line for every 10%.

import { formatByteSize } from '../common/text/byte-size.ts';

const WIDTH = 30;
const REDRAW_MS = 100;

export class Progress {
  readonly #label: string;
  readonly #unit: 'docs' | 'bytes';
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #startedMs = performance.now();
  #drawnMs = 0;
  #lastTenth = 0;

  constructor(label: string, unit: 'docs' | 'bytes' = 'docs') {
    this.#label = label;
    this.#unit = unit;
  }

  /**
   * @param share part that is done, 0..1
   * @param count documents or bytes so far
   */
  update(share: number, count: number, note = ''): void {
    const now = performance.now();
    if (this.#isTerminal) {
      if (now - this.#drawnMs < REDRAW_MS) return;
      this.#drawnMs = now;
      process.stderr.write(`\r${this.#line(share, count, note)}\u001b[K`);
    } else if (Math.floor(share * 10) > this.#lastTenth) {
      this.#lastTenth = Math.floor(share * 10);
      process.stderr.write(`${this.#line(share, count, note)}\n`);
    }
  }

  finish(count: number, note = ''): void {
    process.stderr.write(`${this.#isTerminal ? '\r' : ''}${this.#line(1, count, note)}${this.#isTerminal ? '\u001b[K' : ''}\n`);
  }

  #line(share: number, count: number, note: string): string {
    const filled = Math.max(0, Math.min(WIDTH, Math.round(share * WIDTH)));
    const seconds = (performance.now() - this.#startedMs) / 1000;
    const rate = Math.round(count / Math.max(seconds, 0.001));
    const amount = this.#unit === 'docs' ? `${count} docs  ${rate} docs/s` : `${formatByteSize(count)}  ${formatByteSize(rate)}/s`;
    return `${this.#label} [${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${String(Math.round(share * 100)).padStart(3)}%  ${amount}  ${seconds.toFixed(1)} s${remainingText(share, seconds)}${note}`;
  }
}

/** Estimated remaining time at the rate so far; empty at the beginning and at the end. */
export function remainingText(share: number, seconds: number): string {
  if (share < 0.01 || share >= 1 || seconds < 0.5) return '';
  const left = Math.ceil((seconds / share) * (1 - share));
  if (left < 60) return `, ${left} s left`;
  const minutes = Math.floor(left / 60);
  return minutes < 60 ? `, ${minutes} min ${left % 60} s left` : `, ${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
}
