// Counts the steps of loops whose iterations differ in length, and checks the turn every few thousand of them.
import { checkTurn } from './turn.ts';

/** Steps between two checks: up to a millisecond of arithmetic on lists. */
export const STEPS_PER_CHECK = 1 << 15;

/** Each iteration counts as this many steps more than its own. */
const STEPS_OF_ITERATION = 64;

export class WorkCounter {
  #left = STEPS_PER_CHECK;

  /** To be called before an iteration of about `steps` steps. @throws TooHeavy, ApiError as checkTurn */
  add(steps: number): void {
    this.#left -= steps + STEPS_OF_ITERATION;
    if (this.#left > 0) return;
    this.#left = STEPS_PER_CHECK;
    checkTurn();
  }
}
