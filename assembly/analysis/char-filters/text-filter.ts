// Character filters transform the text before the tokenizer. They work on UTF-16 units, since their rules and offsets are defined in them.
//   area of a filter ├─ TextFilter ─┬─ (first filter: units of the text) ─┬─ units of the result ─┬─ (last filter: the result in UTF-8) ─┬─ offsets ─┤
//   offsets ├─ { offset u32, diff i32 } × count ─┤   from `offset` of the result on, add `diff` to get an offset in the filter's input
import { E_NO_SPACE } from '../../mem/status';
import { Chain, Stage, stageAt, tokenAt } from '../stage';

// @ts-ignore: decorator
@unmanaged
export class TextFilter {
  /** Units of the input. */
  units: usize;
  count: u32;
  /** Start of the result, where the next unit goes, and the end of its room. */
  out: usize;
  cur: usize;
  end: usize;
  map: usize;
  mapCount: u32;
  mapCapacity: u32;
  isChanged: u32;
}

export const HEAD: usize = 64;

// @ts-ignore: decorator
@inline
export function textFilterOf(stage: Stage): TextFilter {
  return changetype<TextFilter>((stage.termsPtr + 7) & ~7);
}

/** Start of the offset corrections: the last quarter of the area. */
// @ts-ignore: decorator
@inline
export function mapOf(stage: Stage): usize {
  return (stage.termsEnd - ((stage.termsEnd - stage.termsPtr) >> 2)) & ~7;
}

// --- for the filters

// @ts-ignore: decorator
@inline
export function unitOf(filter: TextFilter, at: u32): u32 {
  return load<u16>(filter.units + (<usize>at << 1));
}

/** Length of the result so far. */
// @ts-ignore: decorator
@inline
export function madeUnits(filter: TextFilter): u32 {
  return <u32>((filter.cur - filter.out) >> 1);
}

/** Copies units [from, to) to the result. Returns 0 or E_NO_SPACE. */
export function copyUnits(filter: TextFilter, from: u32, to: u32): i32 {
  const bytes = <usize>(to - from) << 1;
  if (filter.cur + bytes > filter.end) return E_NO_SPACE;
  memory.copy(filter.cur, filter.units + (<usize>from << 1), bytes);
  filter.cur += bytes;
  return 0;
}

/** From `offset` of the result on, adds `diff`; a second call for the same offset replaces the first. Returns 0 or E_NO_SPACE. */
export function mapOffset(filter: TextFilter, offset: u32, diff: i32): i32 {
  if (filter.mapCount) {
    const last = filter.map + (<usize>(filter.mapCount - 1) << 3);
    if (load<u32>(last) == offset) {
      store<i32>(last, diff, 4);
      return 0;
    }
  }
  if (filter.mapCount == filter.mapCapacity) return E_NO_SPACE;
  const entry = filter.map + (<usize>filter.mapCount << 3);
  filter.mapCount++;
  store<u32>(entry, offset);
  store<i32>(entry, diff, 4);
  return 0;
}

/** Difference after the last entry. */
// @ts-ignore: decorator
@inline
export function lastDiff(filter: TextFilter): i32 {
  return filter.mapCount ? load<i32>(filter.map + (<usize>(filter.mapCount - 1) << 3), 4) : 0;
}

// --- mapping offsets back

/** Maps the offsets of a tokenizer's batch to the original text. */
export function correctBatch(chain: Chain, batch: Stage, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const token = tokenAt(batch, i);
    token.startOffset = correctOffset(chain, token.startOffset);
    token.endOffset = correctOffset(chain, token.endOffset);
  }
}

export function correctOffset(chain: Chain, offset: u32): u32 {
  for (let i = <i32>chain.textFilters - 1; i >= 0; i--) {
    const filter = textFilterOf(stageAt(chain, i));
    let low: u32 = 0, high = filter.mapCount;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (load<u32>(filter.map + (<usize>middle << 3)) <= offset) low = middle + 1;
      else high = middle;
    }
    if (low) offset = <u32>max(0, <i32>offset + load<i32>(filter.map + (<usize>(low - 1) << 3), 4));
  }
  return offset;
}
