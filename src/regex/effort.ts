// Limits the steps of all regular expressions in one unit of work together: a document can pass any number of them in its pipelines.
// State of the module, not a parameter: the work is synchronous, and patterns are many layers below the code that knows what belongs together.

let left = Number.POSITIVE_INFINITY;

/** Runs `work` with a budget of `steps` for all its matchers; within another budget, with that one. */
export function withEffort<T>(steps: number, work: () => T): T {
  if (left !== Number.POSITIVE_INFINITY) return work();
  left = steps;
  try {
    return work();
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}

/** Steps that are left for a new matcher. */
export function effortLeft(): number {
  return left;
}

export function spendEffort(steps: number): void {
  left -= steps;
}
