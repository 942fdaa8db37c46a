// The budget of one run of a script: steps (iterations of loops and calls, weighted by the size of their code), and bytes of strings and
// collections that it builds. Compiled scripts and methods spend from the budget of the script that runs; scripts run synchronously, so
// that there is one at a time, or one inside another (runtime fields).
import { checkTurn } from '../../common/turns/turn.ts';
import { raise, ScriptFault } from './faults.ts';

/** Steps of one run, as Elasticsearch's limit of iterations. */
export const MAX_STEPS = 1_000_000;
/** Bytes that one run may allocate, garbage included. */
export const MAX_RUN_BYTES = 64 * 2 ** 20;
/** Estimated bytes of an entry of a list or map. */
export const ENTRY_BYTES = 16;
/** Maximum length of a string that a script may build, in UTF-16 code units. */
const MAX_TEXT = 1 << 20;
const STEPS_PER_CHECK = 4096;

export class ScriptBudget {
  steps: number;
  bytes: number;
  /** Steps at which the time of the request is checked again. */
  nextCheck: number;

  constructor(steps: number = MAX_STEPS, bytes: number = MAX_RUN_BYTES) {
    this.steps = steps;
    this.bytes = bytes;
    this.nextCheck = Math.max(0, steps - STEPS_PER_CHECK);
  }

  reset(): this {
    this.steps = MAX_STEPS;
    this.bytes = MAX_RUN_BYTES;
    this.nextCheck = MAX_STEPS - STEPS_PER_CHECK;
    return this;
  }
}

/** Budget of code that runs outside of scripts, such as the conversion of a result. */
const FREE = new ScriptBudget(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);

let current = FREE;

/** Makes a budget the current one. @returns the one that was current before */
export function enterBudget(budget: ScriptBudget): ScriptBudget {
  const outer = current;
  current = budget;
  return outer;
}

export function leaveBudget(outer: ScriptBudget): void {
  current = outer;
}

/** Counts nothing outside of scripts. @throws ScriptFault: the script has used its steps; TooHeavy, ApiError of `checkTurn` */
export function spendSteps(steps: number): void {
  if ((current.steps -= steps) < current.nextCheck) checkSteps();
}

function checkSteps(): void {
  if (current.steps < 0)
    raise('org.elasticsearch.painless.PainlessError', 'The maximum number of statements that can be executed in a loop has been reached.');
  current.nextCheck = Math.max(0, current.steps - STEPS_PER_CHECK);
  checkTurn();
}

/** Counts nothing outside of scripts. @throws ScriptFault: the script has used its memory */
export function spendBytes(bytes: number): void {
  if ((current.bytes -= bytes) >= 0) return;
  throw new ScriptFault('circuit_breaking_exception', `the script needs more than ${MAX_RUN_BYTES} bytes of memory`);
}

/** Counts a new string of this length. @throws ScriptFault: it is too long, or the script has used its memory */
export function spendText(length: number): void {
  checkLength(length);
  spendBytes(length);
}

export function checkLength(length: number): void {
  if (length > MAX_TEXT) throw new ScriptFault('circuit_breaking_exception', `a string may have at most ${MAX_TEXT} characters`);
}
