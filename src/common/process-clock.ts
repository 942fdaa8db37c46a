// A clock that all threads of the process share: it only goes forward, whatever happens to the time of day.

/** Milliseconds from an arbitrary start, the same in every thread. */
export function processClockMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
