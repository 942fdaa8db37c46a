// Full blocks of a postings list: 128 documents, in the smaller of two forms, and their freqs (format.ts draws both).
// Pre: docsPtr and freqsPtr: u32[128], ascending and at least 1; the scratch at gapsPtr and valuesPtr is u32[128], too; MAX_BLOCK_BYTES at cur.

import { pack128, packedWidth } from '../codec/bit-packing';
import { vintBytes, writeVint } from '../codec/vint';
import { BITSET_KIND } from './format';

const MAX_EXCEPTIONS: u32 = 24;
/** Maximum size of one block: kind, 32-bit gaps, freq header, packed freqs, exceptions. */
export const MAX_BLOCK_BYTES: usize = 1 + 512 + 2 + 512 + MAX_EXCEPTIONS * 6;

/** Writes kind and doc data of a full block: the smaller of packed gaps and bitset. The first block of a list starts at docId 0. */
export function writeBlockDocs(docsPtr: usize, gapsPtr: usize, cur: usize, lastDoc: u32, first: bool): usize {
  let last = lastDoc;
  for (let off: usize = 0; off < 512; off += 4) {
    const docId = load<u32>(docsPtr + off);
    store<u32>(gapsPtr + off, docId - last);
    last = docId;
  }
  const width = max<u32>(packedWidth(gapsPtr), 1);
  const base = first ? 0 : lastDoc + 1;
  const words = (last - base + 64) >> 6;
  if (words > width << 1) {
    store<u8>(cur, <u8>width);
    return pack128(gapsPtr, cur + 1, width);
  }
  store<u8>(cur++, <u8>(BITSET_KIND + words));
  const end = cur + ((<usize>words) << 3);
  memory.fill(cur, 0, end - cur);
  for (let off: usize = 0; off < 512; off += 4) {
    const bit = load<u32>(docsPtr + off) - base;
    const at = cur + (bit >> 3);
    store<u8>(at, load<u8>(at) | <u8>((<u32>1) << (bit & 7)));
  }
  return end;
}

/** Writes the freqs of a full block with the width that needs the fewest bytes. */
export function writeBlockFreqs(freqsPtr: usize, valuesPtr: usize, cur: usize): usize {
  for (let off: usize = 0; off < 512; off += 4) store<u32>(valuesPtr + off, load<u32>(freqsPtr + off) - 1);
  const widest = packedWidth(valuesPtr);
  let width = widest;
  let exceptions: u32 = 0;
  let bytes = widest << 4;
  for (let narrower = <i32>widest - 1; narrower >= 0; narrower--) {
    let count: u32 = 0;
    let exceptionBytes: u32 = 0;
    for (let off: usize = 0; off < 512; off += 4) {
      const high = load<u32>(valuesPtr + off) >> narrower;
      if (!high) continue;
      count++;
      exceptionBytes += 1 + vintBytes(high);
    }
    if (count > MAX_EXCEPTIONS) break;
    if ((<u32>narrower << 4) + exceptionBytes < bytes) {
      bytes = (<u32>narrower << 4) + exceptionBytes;
      width = <u32>narrower;
      exceptions = count;
    }
  }
  store<u8>(cur, <u8>width);
  store<u8>(cur, <u8>exceptions, 1);
  cur = pack128(valuesPtr, cur + 2, width);
  for (let i: usize = 0; exceptions > 0; i++) {
    const high = load<u32>(valuesPtr + (i << 2)) >> width;
    if (!high) continue;
    store<u8>(cur++, <u8>i);
    cur = writeVint(cur, high);
    exceptions--;
  }
  return cur;
}
