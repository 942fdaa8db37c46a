// The time of day. Asking the system costs as much as parsing a header field, and a request asks a dozen times: what comes from a socket
// is worked on at the time at which it came.
let heldMs = 0;

/** Date.now(), or within `holding` the time at which that began. */
export const nowMs = (): number => heldMs || Date.now();

export const nowSeconds = (): number => Math.floor(nowMs() / 1000);

/** Runs the work of one event, for which the clock stands still. */
export function holdingClock<A, B>(work: (a: A, b: B) => void, a: A, b: B): void {
  if (heldMs !== 0) {
    work(a, b);
    return;
  }
  heldMs = Date.now();
  try {
    work(a, b);
  } finally {
    heldMs = 0;
  }
}
