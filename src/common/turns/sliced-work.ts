// Synchronous work in steps, which slices.ts runs with turns of the event loop between them. Apart from it, since the analyzer for browsers
// describes such work, too, and browsers have no setImmediate.

/** Work that can be left between two of its steps. */
export type SlicedWork<T> = Generator<void, T, void>;

/** Runs the work without turns. */
export function runAtOnce<T>(work: SlicedWork<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
