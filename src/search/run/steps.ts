// Long work divided into steps, between which the thread may do other work. A step leaves no scratch of kernels allocated; a search takes one
// step per segment.

/** Yields where the event loop may take a turn. */
export type Steps<T> = Generator<void, T, void>;

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
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
  },
};

/** Runs all steps without interruption. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs steps with turns of the event loop between them. */
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
