// Timeouts of connections. They are set several times per request and almost never fire, so setting one takes two stores:
// a single timer wakes at the earliest known deadline and checks all connections.
// A check costs about 10 ns per connection and happens at most every SWEEP_MS, so timeouts may be late by that much.
import { nowMs } from './clock.ts';

const SWEEP_MS = 20;

export interface Timed {
  /** Date.now() at which `timedOut` is called, Infinity: never */
  deadlineMs: number;
  timedOut(): void;
}

const watched = new Set<Timed>();
let timer: NodeJS.Timeout | undefined;
/** when `timer` fires */
let dueMs = Infinity;

/** Starts checking the deadline of `timed`. */
export function watch(timed: Timed): void {
  watched.add(timed);
}

export function unwatch(timed: Timed): void {
  watched.delete(timed);
}

/** Sets the deadline of a watched object. */
export function setDeadline(timed: Timed, ms: number): void {
  const deadlineMs = nowMs() + ms;
  timed.deadlineMs = deadlineMs;
  if (deadlineMs < dueMs) wakeAt(deadlineMs, ms);
}

function wakeAt(atMs: number, ms: number): void {
  if (timer) clearTimeout(timer);
  dueMs = atMs;
  timer = setTimeout(sweep, Math.min(ms, 0x7fffffff));
}

function sweep(): void {
  timer = undefined;
  dueMs = Infinity;
  const now = Date.now();
  let next = Infinity;
  for (const timed of watched) {
    if (timed.deadlineMs <= now) {
      timed.deadlineMs = Infinity;
      timed.timedOut();
    }
    if (timed.deadlineMs < next) next = timed.deadlineMs;
  }
  if (next < dueMs) wakeAt(next, Math.max(SWEEP_MS, next - now));
}
