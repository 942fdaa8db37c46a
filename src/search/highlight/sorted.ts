// Search in sorted lists: a text may have a hundred thousand boundaries and matches.

/** First index below `length` from which on `holds` is true; `length` if there is none. */
export function firstIndex(length: number, holds: (i: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
