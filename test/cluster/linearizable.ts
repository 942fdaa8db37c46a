// Whether a history of concurrent operations is linearizable: a search for an order that respects time and the rules of a model.
// Source: Wing and Gong, Testing and Verifying Concurrent Objects (1993), with the memoization of Lowe, Testing for Linearizability (2017).

export interface Operation<Action> {
  readonly action: Action;
  readonly callMs: number;
  /** Infinity if there was no answer: the operation takes effect at any time after the call, or never. */
  readonly returnMs: number;
}

/** @returns the state after the action; undefined if the action, with its result, is impossible in this state */
export type Step<State, Action> = (state: State, action: Action) => State | undefined;

/** Configurations to visit before the search gives up. */
const MAX_CONFIGURATIONS = 1_000_000;

interface Configuration<State> {
  readonly done: bigint;
  readonly state: State;
}

/**
 * @param initial  states are compared as strings
 * @throws RangeError the history has too many concurrent operations to be decided
 */
export function isLinearizable<State extends string | null, Action>(
  history: readonly Operation<Action>[],
  initial: State,
  step: Step<State, Action>,
): boolean {
  const operations = [...history].sort((a, b) => a.callMs - b.callMs);
  const answered = operations.reduce((bits, { returnMs }, at) => (returnMs === Infinity ? bits : bits | (1n << BigInt(at))), 0n);
  const open: Configuration<State>[] = [{ done: 0n, state: initial }];
  const seen = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { done, state } = next;
    if ((done & answered) === answered) return true;
    for (const at of candidates(operations, done)) {
      const after = step(state, operations[at].action);
      if (after === undefined) continue;
      const configuration = { done: done | (1n << BigInt(at)), state: after };
      const key = `${configuration.done.toString(36)} ${after}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (seen.size > MAX_CONFIGURATIONS) throw new RangeError(`undecided after ${MAX_CONFIGURATIONS} configurations`);
      open.push(configuration);
    }
  }
  return false;
}

/** Operations that may be next: those called before any remaining one returned. Unanswered ones come first, so that they are tried last. */
function candidates<Action>(operations: readonly Operation<Action>[], done: bigint): number[] {
  const found: number[] = [];
  let firstReturnMs = Infinity;
  for (let at = 0; at < operations.length; at++) {
    const { callMs, returnMs } = operations[at];
    if (callMs > firstReturnMs) break;
    if ((done >> BigInt(at)) & 1n) continue;
    found.push(at);
    firstReturnMs = Math.min(firstReturnMs, returnMs);
  }
  return found.sort((a, b) => (operations[a].returnMs < operations[b].returnMs ? 1 : -1));
}
