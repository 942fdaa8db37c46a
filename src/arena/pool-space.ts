// Room in a pool of sections: the gaps between those that it holds, and which neighbours to evict for more.

/** A section in a pool: bytes [start, end) of the arena. Lists of them ascend and do not overlap. */
export interface Resident {
  readonly row: number;
  readonly start: number;
  readonly end: number;
}

/** The lowest address with `size` free bytes, -1 if there is none. */
export function firstGap(residents: readonly Resident[], start: number, end: number, size: number): number {
  let at = start;
  for (const resident of residents) {
    if (resident.start - at >= size) return at;
    at = Math.max(at, resident.end);
  }
  return end - at >= size ? at : -1;
}

/** The highest address with `size` free bytes, -1 if there is none. */
export function lastGap(residents: readonly Resident[], start: number, end: number, size: number): number {
  let at = end;
  for (let i = residents.length - 1; i >= 0; i--) {
    if (at - residents[i].end >= size) return at - size;
    at = residents[i].start;
  }
  return at - start >= size ? at - size : -1;
}

/**
 * Neighbours whose eviction makes enough room, those whose most recent use is longest ago.
 * @param ageOf  -1 if a section must stay. @returns null if no eviction makes enough room
 */
export function cheapestWindow(
  residents: readonly Resident[],
  { start, end, size }: { readonly start: number; readonly end: number; readonly size: number },
  ageOf: (i: number) => number,
): { from: number; to: number } | null {
  let best: { from: number; to: number; age: number } | null = null;
  for (let from = 0; from < residents.length; from++) {
    const low = from === 0 ? start : residents[from - 1].end;
    let age = Number.POSITIVE_INFINITY;
    for (let to = from; to < residents.length; to++) {
      age = Math.min(age, ageOf(to));
      if (age < 0 || (best !== null && age <= best.age)) break;
      const high = Math.min(end, to + 1 === residents.length ? end : residents[to + 1].start);
      if (high - low < size) continue;
      best = { from, to: to + 1, age };
      break;
    }
  }
  return best;
}
