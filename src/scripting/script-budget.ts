// What one run of a script may use: steps, and bytes of strings and collections that it builds. Methods and operators of the language spend from
// the budget of the script that runs; scripts run synchronously, so that there is one at a time, or one inside another (runtime fields).
import { ScriptFault } from './syntax-tree.ts';

/** Bytes that one run may allocate, garbage included. */
export const MAX_RUN_BYTES = 64 * 2 ** 20;
/** Estimated bytes of an entry of a list or map. */
export const ENTRY_BYTES = 16;

export class ScriptBudget {
  steps: number;
  bytes: number;

  constructor(steps: number, bytes: number = MAX_RUN_BYTES) {
    this.steps = steps;
    this.bytes = bytes;
  }
}

let current: ScriptBudget | null = null;

/** Runs an action whose steps and bytes come from `budget`. */
export function withBudget<T>(budget: ScriptBudget, action: () => T): T {
  const outer = current;
  current = budget;
  try {
    return action();
  } finally {
    current = outer;
  }
}

/** Free outside of scripts. @throws ScriptFault: the script has used its steps */
export function spendSteps(steps: number): void {
  if (current !== null && (current.steps -= steps) < 0)
    throw new ScriptFault('illegal_argument_exception', 'the script takes too many steps');
}

/** Free outside of scripts. @throws ScriptFault: the script has used its memory */
export function spendBytes(bytes: number): void {
  if (current === null || (current.bytes -= bytes) >= 0) return;
  throw new ScriptFault('circuit_breaking_exception', `the script needs more than ${MAX_RUN_BYTES} bytes of memory`);
}
