// The time of day. Reading the system's clock costs as much as parsing a header field, and a request needs the time a dozen times, so all
// work on the bytes of one read uses the time at which they arrived.
let heldMs = 0;

/** Date.now(), or the time at which the current `holdingClock` began. */
export const nowMs = (): number => heldMs || Date.now();

export const nowSeconds = (): number => Math.floor(nowMs() / 1000);

/** Runs the work of one event, during which the clock stands still. */
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
