// The order in which long work of this thread goes on. Each piece of it gives way after a few milliseconds; if all of them went on in the same
// iteration of the event loop, new requests would wait for the sum of their slices. So one goes on per iteration, in the order in which they gave way.

import { TURN_MS } from './turn.ts';

const waiting: Array<() => void> = [];
let isArmed = false;

/** Resolves in a later iteration of the event loop, in which no other work that waits here goes on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    arm();
  });
}

/** Time at which the first work of this iteration asked whether the thread is busy; null if none has asked. */
let askedAt: number | null = null;

/** Whether new requests already have to wait: long work waits to go on, or work of this iteration has taken long together. */
export function isBusy(): boolean {
  if (waiting.length > 0) return true;
  const now = performance.now();
  if (askedAt !== null) return now - askedAt > TURN_MS;
  askedAt = now;
  setImmediate(() => {
    askedAt = null;
  });
  return false;
}

function arm(): void {
  if (isArmed) return;
  isArmed = true;
  setImmediate(goOn);
}

function goOn(): void {
  isArmed = false;
  const resolve = waiting.shift();
  if (waiting.length > 0) arm();
  resolve?.();
}
