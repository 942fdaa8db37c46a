// Long work divided into steps, between which the thread may do other work. A step leaves no scratch of kernels allocated; a search takes one
// step per segment. A promise that a step yields is awaited before the next one.

import { closeTurn, endOfTurn, type Mobility, openTurn, patience, STAYS, TooHeavy } from '../../common/turns/turn.ts';
import { nextTurn } from '../../common/turns/turn-queue.ts';

/** Yields where the event loop may take a turn, or what must be awaited. */
export type Steps<T> = Generator<Promise<void> | void, T, void>;

/** Work that has held the event loop for this long yields. Shorter searches run in one turn. */
const SLICE_MS = 20;

export interface Turns {
  now(): number;
  /** Resolves in a later turn of the event loop, after pending work of the thread. */
  next(): Promise<void>;
}

/** Turns to wait: a metadata command takes several, since it is exchanged between threads. Each costs a few microseconds if nothing is pending. */
const TURNS = 16;

const EVENT_LOOP: Turns = {
  now: () => performance.now(),
  next: async () => {
    for (let turn = 1; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
    await nextTurn();
  },
};

/** Runs all steps without interruption. None may have to be awaited. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (step.value) throw new Error('a step that must be awaited');
  }
}

/** Longest time that the turns of a search that can be repeated in a lane may take together. */
const WORK_MS = 100;

/**
 * Runs steps with turns of the event loop between them.
 * @param mobility  other than STAYS if the steps change nothing and the caller repeats them in a lane on TooHeavy
 * @throws TooHeavy unless STAYS
 */
export async function runInTurns<T>(steps: Steps<T>, mobility: Mobility = STAYS, turns: Turns = EVENT_LOOP): Promise<T> {
  let since = turns.now();
  let worked = 0;
  for (;;) {
    const step = mobility !== STAYS ? limitedStep(steps, endOfTurn(since, mobility)) : steps.next();
    if (step.done) return step.value;
    const elapsed = turns.now() - since;
    if (step.value) {
      await step.value;
      since = turns.now();
    }
    if (elapsed < SLICE_MS) continue;
    worked += elapsed;
    if (mobility !== STAYS && worked > WORK_MS * patience() * mobility) throw new TooHeavy(true);
    await turns.next();
    since = turns.now();
  }
}

/**
 * For work in many short parts: lets the event loop take a turn once the parts since the last turn have taken long.
 * @returns to be awaited between two parts. @throws TooHeavy unless STAYS: the parts have taken too long together
 */
export function pauses(mobility: Mobility, turns: Turns = EVENT_LOOP): () => Promise<void> | void {
  let since = turns.now();
  let worked = 0;
  return () => {
    const elapsed = turns.now() - since;
    if (elapsed < SLICE_MS) return;
    worked += elapsed;
    if (mobility !== STAYS && worked > WORK_MS * patience() * mobility) throw new TooHeavy(true);
    return turns.next().then(() => {
      since = turns.now();
    });
  };
}

function limitedStep<T>(steps: Steps<T>, untilMs: number): IteratorResult<Promise<void> | void, T> {
  openTurn(untilMs);
  try {
    return steps.next();
  } finally {
    closeTurn();
  }
}
