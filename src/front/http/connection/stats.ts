// Counters of connections and requests, over all event loops of the worker process.
import { Counters, loop } from '../../zone/memory.ts';

let counters: Counters;
/** open connections by activity; each loop has a row of its own */
let open: Counters;
const [ACCEPTED, HANDLED, REQUESTS] = [0, 1, 2];
const [ACTIVE, READING, WRITING] = [0, 1, 2];

/** State of a connection: waiting for a request, within a head, or responding. */
export type Activity = 'waiting' | 'reading' | 'writing';

export const stats = {
  /** Starts at the totals of the previous workers, if any. */
  begin(before: number[] | null): void {
    counters = new Counters('http', 3);
    open = new Counters('open', 3);
    if (loop.index === 0) before?.forEach((total, field) => counters.add(field, total));
  },
  get accepted(): number {
    return counters.total(ACCEPTED);
  },
  get handled(): number {
    return counters.total(HANDLED);
  },
  get requests(): number {
    return counters.total(REQUESTS);
  },
  get active(): number {
    return open.total(ACTIVE);
  },
  get reading(): number {
    return open.total(READING);
  },
  get writing(): number {
    return open.total(WRITING);
  },
  /** connections without a request */
  get waiting(): number {
    return open.total(ACTIVE) - open.total(READING) - open.total(WRITING);
  },
  connectionOpened(): void {
    counters.add(ACCEPTED);
    counters.add(HANDLED);
    open.add(ACTIVE);
  },
  connectionClosed(): void {
    open.add(ACTIVE, -1);
  },
  activityChanged(from: Activity, to: Activity): void {
    if (from !== 'waiting') open.add(from === 'reading' ? READING : WRITING, -1);
    if (to !== 'waiting') open.add(to === 'reading' ? READING : WRITING);
  },
  requestBegan(): void {
    counters.add(REQUESTS);
  },
  /** For the workers of the next configuration. */
  exportState(): number[] {
    return [ACCEPTED, HANDLED, REQUESTS].map((field) => counters.total(field));
  },
};
