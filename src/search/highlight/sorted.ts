// Binary search in sorted lists: a text may have a hundred thousand boundaries and matches.

/** The first index below `length` for which `holds`, which is false before it and true after it; `length` if there is none. */
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
