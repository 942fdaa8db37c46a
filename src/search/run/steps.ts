// Long work in steps that leave kernels' scratch empty: between two of them the thread may serve others. A search steps from segment to segment.

/** Yields where another turn of the event loop may come between. */
export type Steps<T> = Generator<void, T, void>;

/** Work that has held the event loop for so long gives way. Searches below it run in one turn, as if there were no steps. */
const SLICE_MS = 20;

export interface Turns {
  now(): number;
  /** Resolves in a later turn, when what waits for the thread has had its own. */
  next(): Promise<void>;
}

/** A metadata command is a conversation of threads: it takes some turns of the loop, and each of them some microseconds if nothing waits. */
const TURNS = 16;

const EVENT_LOOP: Turns = {
  now: () => performance.now(),
  next: async () => {
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
  },
};

/** All steps at once. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Steps with turns of the event loop between them. */
export async function runInTurns<T>(steps: Steps<T>, turns: Turns = EVENT_LOOP): Promise<T> {
  let since = turns.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (turns.now() - since < SLICE_MS) continue;
    await turns.next();
    since = turns.now();
  }
}
