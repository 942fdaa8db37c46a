// Limits of the service's JavaScript heaps, which bin/gannet passes to Node as V8 flags. While a flag differs from its default, V8 rejects the code
// cache of Node's own modules and compiles them at each start: 8 ms in main, 17 ms in each thread. V8 reads the flags only when it creates a
// heap: main's exists before any JavaScript runs, and threads receive theirs as resource limits, so the flags can be reset early.
import type { ResourceLimits } from 'node:worker_threads';

const OLD = 'max-old-space-size';
const YOUNG = 'max-semi-space-size';
const YOUNG_AT_START = 'min-semi-space-size';
/** Semi-spaces per young generation as V8 counts them: two, and one for large objects. */
const SEMI_SPACES = 3;

/** Limits for threads, from the flags of the process. */
export function threadLimits(flags: string = startFlags()): ResourceLimits {
  const old = sizeOf(OLD, flags);
  const semi = sizeOf(YOUNG, flags);
  return {
    ...(old !== null && { maxOldGenerationSizeMb: old }),
    ...(semi !== null && { maxYoungGenerationSizeMb: semi * SEMI_SPACES }),
  };
}

/** Resets the flags to their defaults. To be called before modules of Node are loaded. If Node does not allow it, the start is only slower. */
export function forgetHeapFlags(): void {
  const { noDeprecation } = process;
  try {
    // node:v8 has the same function, but loading it takes longer than the flags save.
    process.noDeprecation = true;
    // biome-ignore lint/plugin: the binding has no type of its own
    const { setFlagsFromString } = (process as unknown as { binding(name: 'v8'): typeof import('node:v8') }).binding('v8');
    for (const flag of [OLD, YOUNG, YOUNG_AT_START]) setFlagsFromString(`--${flag}=0`);
  } catch {
  } finally {
    process.noDeprecation = noDeprecation;
  }
}

function startFlags(): string {
  return `${process.env.NODE_OPTIONS ?? ''} ${process.execArgv.join(' ')}`;
}

/** Value of a flag in megabytes; the last occurrence counts. */
function sizeOf(name: string, flags: string): number | null {
  const given = [...flags.matchAll(new RegExp(`--${name.replaceAll('-', '[-_]')}[= ](\\d+)`, 'g'))].at(-1);
  return given ? Number(given[1]) : null;
}
