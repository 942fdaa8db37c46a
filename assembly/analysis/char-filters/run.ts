// Runs the character filters of a chain. The text is decoded once, passes through the filters and is encoded again for the tokenizer; a text
// that no filter changes is left in place. text-filter.ts draws the areas.
import { E_CORRUPT, E_NO_SPACE } from '../../mem/status';
import { decode, encode } from '../../text/utf8';
import { Chain, Stage, stageAt } from '../stage';
import { StageId } from '../stage-ids';
import { stripHtml } from './html-strip';
import { mapText } from './mapping';
import { HEAD, mapOf, TextFilter, textFilterOf } from './text-filter';

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

function run(stage: Stage, filter: TextFilter): i32 {
  switch (stage.id) {
    case StageId.MAPPING: return mapText(stage, filter);
    case StageId.HTML_STRIP: return stripHtml(stage, filter);
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
