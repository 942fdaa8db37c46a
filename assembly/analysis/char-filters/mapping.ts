// Mapping: replaces strings by strings, longest match first.
//   config ├─ a bit for each unit that starts a string, 8 KiB ─┬─ node (the root) ─┬─ node ··· ─┬─ replacements ─┤      offsets are from config
//   node   ├─ edges u32 ─┬─ replacement u32, 0 none ─┬─ { unit u32, node u32 } × edges, ascending ─┤
//   replacement ├─ count u32 ─┬─ unit u16 × count ─┤
import { E_NO_SPACE } from '../../mem/status';
import { Stage } from '../stage';
import { copyUnits, lastDiff, mapOffset, TextFilter, unitOf } from './text-filter';

const ROOT: usize = 8192;

/** Filters a text. Returns 0 or E_NO_SPACE. */
export function mapText(stage: Stage, filter: TextFilter): i32 {
  const config = stage.config, count = filter.count;
  let plain: u32 = 0;
  for (let at: u32 = 0; at < count; ) {
    const unit = unitOf(filter, at);
    if (!(load<u8>(config + (unit >> 3)) & (1 << (unit & 7)))) {
      at++;
      continue;
    }
    let node = follow(config, ROOT, unit), replacement: u32 = 0, matchEnd = at;
    for (let i = at + 1; node; i++) {
      const here = load<u32>(config + node, 4);
      if (here) {
        replacement = here;
        matchEnd = i;
      }
      if (i == count) break;
      node = follow(config, node, unitOf(filter, i));
    }
    if (!replacement) {
      at++;
      continue;
    }
    if (copyUnits(filter, plain, at) < 0 || replace(filter, config + replacement, at, matchEnd) < 0) return E_NO_SPACE;
    at = matchEnd;
    plain = matchEnd;
  }
  return copyUnits(filter, plain, count);
}

/** Replaces units [at, matchEnd). If the replacement is longer, its additional units map to the end of the match. */
function replace(filter: TextFilter, replacement: usize, at: u32, matchEnd: u32): i32 {
  const length = load<u32>(replacement), bytes = <usize>length << 1;
  if (filter.cur + bytes > filter.end) return E_NO_SPACE;
  memory.copy(filter.cur, replacement + 4, bytes);
  filter.cur += bytes;
  filter.isChanged = 1;
  const diff = <i32>(matchEnd - at - length), before = lastDiff(filter);
  if (diff > 0) return mapOffset(filter, matchEnd - diff - before, before + diff);
  for (let extra: i32 = 0; extra < -diff; extra++) {
    if (mapOffset(filter, matchEnd - before + extra, before - extra - 1) < 0) return E_NO_SPACE;
  }
  return 0;
}

/** Target of an edge, 0 if there is none. */
function follow(config: usize, node: usize, unit: u32): usize {
  const edges = config + node + 8;
  let low: u32 = 0, high = load<u32>(config + node);
  while (low < high) {
    const middle = (low + high) >> 1, other = load<u32>(edges + (<usize>middle << 3));
    if (other == unit) return <usize>load<u32>(edges + (<usize>middle << 3), 4);
    if (other < unit) low = middle + 1;
    else high = middle;
  }
  return 0;
}
