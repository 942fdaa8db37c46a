// The bounds of the service's JavaScript heaps. bin/gannet gives them to Node as V8's flags. While a flag differs from its default V8 refuses
// the compiled code that Node carries of its own modules, and each start compiles them anew: 8 ms in main, 17 ms in each thread. V8 reads
// these flags when a heap is made: main's is there before the first line of JavaScript runs, threads are told theirs by Node.
import type { ResourceLimits } from 'node:worker_threads';

const OLD = 'max-old-space-size';
const YOUNG = 'max-semi-space-size';
const YOUNG_AT_START = 'min-semi-space-size';
/** Semi-spaces in a young generation, as V8 counts: two, and large objects. */
const SEMI_SPACES = 3;

/** Bounds that the process was started with, for its threads. */
export function threadLimits(flags: string = startFlags()): ResourceLimits {
  const old = sizeOf(OLD, flags);
  const semi = sizeOf(YOUNG, flags);
  return {
    ...(old !== null && { maxOldGenerationSizeMb: old }),
    ...(semi !== null && { maxYoungGenerationSizeMb: semi * SEMI_SPACES }),
  };
}

/** Sets the flags back to their defaults; before modules of Node's are loaded. A Node that does not allow it only starts slower. */
export function forgetHeapFlags(): void {
  const { noDeprecation } = process;
  try {
    // node:v8 has the same function, but loading it takes longer than the flags save. The binding has no type of its own.
    process.noDeprecation = true;
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

/** Megabytes; the last one given counts. */
function sizeOf(name: string, flags: string): number | null {
  const given = [...flags.matchAll(new RegExp(`--${name.replaceAll('-', '[-_]')}[= ](\\d+)`, 'g'))].at(-1);
  return given ? Number(given[1]) : null;
}
