// A collection of the calling thread's heap at a chosen moment.
import v8 from 'node:v8';
import vm from 'node:vm';

let collect: (() => void) | null = null;

/** The flag belongs to the process: a thread may reset it just when another one needs it. */
const MAX_ATTEMPTS = 100;

/** Takes about 10 ms for the heap of an idle thread. Freed buffers go back to the system a few milliseconds later. */
export function collectGarbage(): void {
  for (let attempt = 0; collect === null && attempt < MAX_ATTEMPTS; attempt++) collect = exposedCollection();
  collect?.();
}

/** V8 offers no other way to request a collection. @returns null: another thread has reset the flag */
function exposedCollection(): (() => void) | null {
  v8.setFlagsFromString('--expose-gc');
  const exposed = vm.runInNewContext('globalThis.gc') as (() => void) | undefined;
  // Before other code can see `gc`.
  v8.setFlagsFromString('--no-expose-gc');
  return exposed ?? null;
}
