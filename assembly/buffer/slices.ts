// Byte streams that grow in slices: 16 bytes first, then twice as much up to 2 KiB. The last four bytes of a slice are the address of the
// next one, set when the stream continues. Many short streams use little memory; long ones are read mostly in sequence.
// Source: the slices of Lucene's ByteBlockPool, with other sizes.
import { Region, regionAllocate } from '../mem/region';

const FIRST_LOG2: u32 = 4;
const MAX_LEVEL: u32 = 7;
/** Maximum size of a slice. */
export const MAX_SLICE_BYTES: usize = 1 << (FIRST_LOG2 + MAX_LEVEL);
const LINK: usize = 4;

// @ts-ignore: decorator
@inline
function sliceBytes(level: u32): usize {
  assert(level <= MAX_LEVEL);
  return (<usize>1) << (FIRST_LOG2 + level);
}

/** Level of the slice that follows one of this level. */
// @ts-ignore: decorator
@inline
export function nextLevel(level: u32): u32 {
  return min(level + 1, MAX_LEVEL);
}

/** A new slice of this level. Pre: the region has room. */
export function sliceAllocate(region: Region, level: u32): usize {
  const slice = regionAllocate(region, sliceBytes(level));
  assert(slice);
  return slice;
}

/** Reads a stream from its first slice. */
// @ts-ignore: decorator
@unmanaged
export class SliceReader {
  cur: usize;
  end: usize;
  level: u32;
}

export function sliceOpen(reader: SliceReader, head: usize): void {
  reader.cur = head;
  reader.end = head ? head + sliceBytes(0) - LINK : 0;
  reader.level = 0;
}

// @ts-ignore: decorator
@inline
export function sliceEnd(slice: usize, level: u32): usize {
  return slice + sliceBytes(level) - LINK;
}

/** Next vint of the stream. Pre: there is one. */
// @ts-ignore: decorator
@inline
export function sliceVint(reader: SliceReader): u32 {
  if (reader.cur < reader.end) {
    const byte = <u32>load<u8>(reader.cur);
    if (byte < 0x80) {
      reader.cur++;
      return byte;
    }
  }
  return sliceLongVint(reader);
}

function sliceLongVint(reader: SliceReader): u32 {
  let value: u32 = 0;
  for (let shift: u32 = 0; ; shift += 7) {
    if (reader.cur == reader.end) {
      const slice = <usize>load<u32>(reader.end);
      reader.cur = slice;
      reader.level = nextLevel(reader.level);
      reader.end = sliceEnd(slice, reader.level);
    }
    const byte = <u32>load<u8>(reader.cur++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}
