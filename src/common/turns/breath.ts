// Gives the event loop turns during long asynchronous work, whose awaits mostly resolve at once and so never let anything else run.
import { TURN_MS } from './turn.ts';
import { nextTurn } from './turn-queue.ts';

export class Breath {
  #sinceMs = performance.now();

  /** Resolves after a turn of the event loop if this work has held it for long, else at once. */
  async take(): Promise<void> {
    if (performance.now() - this.#sinceMs < TURN_MS) return;
    await nextTurn();
    this.#sinceMs = performance.now();
  }
}
