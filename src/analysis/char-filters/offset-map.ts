import type { FilteredText } from '../component.ts';

/**
 * Maps offsets in a filtered text back to its input: from `offsets[i]` on, add `diffs[i]`. Entries are in ascending order; a second one for the same
 * offset replaces the first. Text inserted before the start maps to the start.
 */
export class OffsetMap {
  readonly #offsets: number[] = [];
  readonly #diffs: number[] = [];

  /** @param pairs offset and difference, in ascending order */
  static of(pairs: Int32Array): OffsetMap {
    const map = new OffsetMap();
    for (let i = 0; i < pairs.length; i += 2) map.add(pairs[i], pairs[i + 1]);
    return map;
  }

  add(offset: number, diff: number): void {
    const last = this.#offsets.length - 1;
    if (last >= 0 && this.#offsets[last] === offset) this.#diffs[last] = diff;
    else {
      this.#offsets.push(offset);
      this.#diffs.push(diff);
    }
  }

  correct(offset: number): number {
    const offsets = this.#offsets;
    let low = 0;
    let high = offsets.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (offsets[mid] <= offset) low = mid + 1;
      else high = mid;
    }
    return low === 0 ? offset : Math.max(0, offset + this.#diffs[low - 1]);
  }

  /** A filter's output for `input`, with offsets that map back to the original text. */
  over(input: FilteredText, text: string): FilteredText {
    return { text, correct: (offset) => input.correct(this.correct(offset)) };
  }
}
