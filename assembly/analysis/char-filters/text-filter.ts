// Character filters: text to text before the tokenizer, in UTF-16 units, as their rules and offsets are. The text is decoded once, runs through
// the filters of the chain and is encoded again for the tokenizer; a text that no filter changes is left where it was.
//   area of a filter ├─ TextFilter ─┬─ (first filter: units of the text) ─┬─ units of the result ─┬─ (last filter: the result in UTF-8) ─┬─ offsets ─┤
//   offsets ├─ { offset u32, diff i32 } × count ─┤   at and behind `offset` of the result, add `diff` to come to an offset of what was filtered
import { E_CORRUPT, E_NO_SPACE } from '../../mem/status';
import { decode, encode } from '../../text/utf8';
import { Chain, Stage, stageAt, tokenAt } from '../stage';
import * as ID from '../stage-ids';
import { stripHtml } from './html-strip';
import { mapText } from './mapping';

// @ts-ignore: decorator
@unmanaged
export class TextFilter {
  /** Units that are filtered. */
  units: usize;
  count: u32;
  /** Where the next unit goes, and the end of the room for them. */
  out: usize;
  cur: usize;
  end: usize;
  map: usize;
  mapCount: u32;
  mapCapacity: u32;
  isChanged: u32;
}

const HEAD: usize = 64;

// @ts-ignore: decorator
@inline
export function textFilterOf(stage: Stage): TextFilter {
  return changetype<TextFilter>((stage.termsPtr + 7) & ~7);
}

/** Runs the filters of a chain over its text, which the tokenizer then reads. Returns 0 or a status. */
export function filterText(chain: Chain): i32 {
  const first = textFilterOf(stageAt(chain, 0)), bytes = chain.textEnd - chain.textPtr;
  let units = changetype<usize>(first) + HEAD;
  if (units + (bytes << 1) + 64 > mapOf(stageAt(chain, 0))) return E_NO_SPACE;
  let count = decodeUnits(chain.textPtr, chain.textEnd, units), isChanged: u32 = 0, end: usize = 0;
  for (let i: u32 = 0; i < chain.textFilters; i++) {
    const stage = stageAt(chain, i), filter = textFilterOf(stage);
    filter.units = units;
    filter.count = count;
    filter.out = i ? changetype<usize>(filter) + HEAD : (units + (<usize>count << 1) + 7) & ~7;
    filter.cur = filter.out;
    filter.map = mapOf(stage);
    filter.end = filter.map;
    filter.mapCount = 0;
    filter.mapCapacity = <u32>((stage.termsEnd - filter.map) >> 3);
    filter.isChanged = 0;
    const status = run(stage, filter);
    if (status < 0) return status;
    isChanged |= filter.isChanged;
    units = filter.out;
    count = <u32>((filter.cur - filter.out) >> 1);
    end = filter.end;
  }
  chain.isMapped = isChanged;
  if (!isChanged) return 0;
  const text = (units + (<usize>count << 1) + 7) & ~7;
  if (text + <usize>count * 3 + 64 > end) return E_NO_SPACE;
  chain.textPtr = text;
  chain.textEnd = encodeUnits(units, count, text);
  chain.cur = text;
  chain.unitBase = text;
  return 0;
}

/** A quarter of the area is for offsets. */
// @ts-ignore: decorator
@inline
function mapOf(stage: Stage): usize {
  return (stage.termsEnd - ((stage.termsEnd - stage.termsPtr) >> 2)) & ~7;
}

function run(stage: Stage, filter: TextFilter): i32 {
  switch (stage.id) {
    case ID.S_MAPPING: return mapText(stage, filter);
    case ID.S_HTML_STRIP: return stripHtml(stage, filter);
    default: return E_CORRUPT;
  }
}

function decodeUnits(ptr: usize, end: usize, out: usize): u32 {
  const start = out;
  while (ptr < end) {
    while (ptr + 8 <= end && !(load<u64>(ptr) & 0x8080808080808080)) {
      v128.store(out, i16x8.extend_low_i8x16_u(v128.load64_zero(ptr)));
      ptr += 8;
      out += 16;
    }
    if (ptr >= end) break;
    const d = decode(ptr, end), cp = d & 0xffffff;
    ptr += d >> 24;
    if (cp > 0xffff) {
      store<u32>(out, (0xd800 + ((cp - 0x10000) >> 10)) | ((0xdc00 + (cp & 0x3ff)) << 16));
      out += 4;
    } else {
      store<u16>(out, cp);
      out += 2;
    }
  }
  return <u32>((out - start) >> 1);
}

function encodeUnits(units: usize, count: u32, out: usize): usize {
  const end = units + (<usize>count << 1);
  for (let p = units; p < end; ) {
    while (p + 16 <= end) {
      const eight = v128.load(p);
      if (v128.any_true(v128.and(eight, i16x8.splat(-128)))) break;
      v128.store64_lane(out, i8x16.narrow_i16x8_u(eight, eight), 0);
      p += 16;
      out += 8;
    }
    if (p >= end) break;
    const unit = <u32>load<u16>(p);
    p += 2;
    if ((unit & 0xfc00) == 0xd800 && p < end && (load<u16>(p) & 0xfc00) == 0xdc00) {
      out += encode(out, 0x10000 + ((unit & 0x3ff) << 10) + (load<u16>(p) & 0x3ff));
      p += 2;
    } else out += encode(out, unit);
  }
  return out;
}

// --- for the filters

// @ts-ignore: decorator
@inline
export function unitOf(filter: TextFilter, at: u32): u32 {
  return load<u16>(filter.units + (<usize>at << 1));
}

/** Units of the result so far. */
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

/** At and behind `offset` of the result, `diff` is added; a second one for the same offset replaces the first. Returns 0 or E_NO_SPACE. */
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

/** Difference that holds behind the last entry. */
// @ts-ignore: decorator
@inline
export function lastDiff(filter: TextFilter): i32 {
  return filter.mapCount ? load<i32>(filter.map + (<usize>(filter.mapCount - 1) << 3), 4) : 0;
}

// --- offsets back to the text

/** Makes offsets of a tokenizer's batch those of the text that was given. */
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
