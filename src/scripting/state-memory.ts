// Bounds values that live longer than one run of a script, such as the states of scripted_metric. Allocations of the runs add up; once
// they exceed the size at the last measurement, the values that are still reachable are measured, as a garbage collector would.
import { circuitBreakingError } from '../errors/search-errors.ts';
import { ENTRY_BYTES, MAX_RUN_BYTES, ScriptBudget } from './java/budget.ts';
import { isCollection } from './java/objects.ts';
import type { Value } from './java/values.ts';

/** Most bytes that stay reachable between the runs. */
export const MAX_STATE_BYTES = 64 * 2 ** 20;
/** Allocations that need no measurement. */
const FREE_BYTES = 8 * 2 ** 20;

export class StateMemory {
  readonly #roots: () => Iterable<Value>;
  #allocated = 0;
  #nextCheck = FREE_BYTES;

  /** @param roots  the values that stay reachable */
  constructor(roots: () => Iterable<Value>) {
    this.#roots = roots;
  }

  /**
   * Runs a script with a budget of its own.
   * @throws ApiError circuit_breaking_exception (429): the values take too much memory
   */
  run<T>(steps: number, action: (budget: ScriptBudget) => T): T {
    const budget = new ScriptBudget(steps);
    const result = action(budget);
    this.#allocated += MAX_RUN_BYTES - budget.bytes;
    if (this.#allocated > this.#nextCheck) this.#measure();
    return result;
  }

  #measure(): void {
    const live = bytesOf(this.#roots());
    if (live > MAX_STATE_BYTES) throw circuitBreakingError('scripted_metric', live, MAX_STATE_BYTES);
    this.#allocated = 0;
    this.#nextCheck = Math.max(FREE_BYTES, live);
  }
}

/** Estimated bytes of everything that is reachable, each part counted once. */
function bytesOf(roots: Iterable<Value>): number {
  const seen = new Set<unknown>();
  const open: Value[] = [...roots];
  let bytes = 0;
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    bytes += ENTRY_BYTES;
    if (typeof value === 'string') bytes += value.length;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (Array.isArray(value) || isCollection(value)) for (const item of value) open.push(item);
    else if (value instanceof Map) {
      for (const [key, item] of value) {
        bytes += String(key).length + ENTRY_BYTES;
        open.push(item);
      }
    }
  }
  return bytes;
}
