// Bytes of a postings section (kind 3) and a positions section (kind 4); docs/internals/segment-format.md has the same drawing for readers of images.
// A term's record starts at the offset in its dictionary entry; docFreq and the field's flags are stored elsewhere.
//
//   short record, docFreq < 128, any alignment
//     ├─ entry x docFreq ─┬─ positions of all documents ─┤
//   long record, multiple of 4 bytes in the section
//     ├ tableOff u32 ┼ positionsOff u32 ┼ block ┼ block ┼ ··· ┼ tail: entries ┼ table ┤
//
//   entry     with freqs: vint(gap << 1 | (freq == 1)), then vint(freq) unless it is 1; without: vint(gap).
//             gap = docId - docId before (of the block before; 0 at the record's start).
//   block     128 documents: kind u8, doc data, then with freqs: width u8, exceptions u8, 16 * width bytes, exceptions x (index u8, vint high)
//             kind 1..32: gaps packed with that many bits, 4 lanes of 32 bits side by side: value i is in lane i & 3
//             kind 64 + n: bitset of n u64 words, bit 0 = last docId before the block + 1
//             a packed freq is freq - 1; an exception adds high << width to the packed value at its index
//   table     n = ceil(docFreq / 128) blocks, the tail counts as one; g = ceil(n / 32) groups
//             lastDoc u32[n], blockOff u32[n], with positions positionsOff u32[n], with freqs or norms impactsOff u32[n + g + 1], impacts
//             Offsets count from the record's start; positionsOff in the table from the term's positions. impactsOff: blocks, groups of 32, whole term.
//   impacts   count u8, then count x (norm u8, vint freq): the pairs that no other pair beats (higher freq and not longer), norms ascending
//   positions per document, freq times: vint(position - position before, 0 at the document's start);
//             with offsets each is followed by vint(start - start before), vint(end - start).
//             Long records keep them in the positions section from positionsOff on.

import { FIELD_FREQS, FIELD_NORMS } from '../codec/field-flags';

/** Documents of a full block. Part of the format, not a setting: packing, positions of exceptions (u8) and the drawing above are made for 128. */
export const BLOCK_DOCS: u32 = 128;
/** Blocks of a group of impacts; part of the format, too (`table` above). */
export const GROUP_BLOCKS: u32 = 32;

/** End of a list of documents; greater than any docId. */
export const NO_MORE_DOCS: u32 = 0x7fffffff;

export const LONG_HEADER_BYTES: usize = 8;
export const BITSET_KIND: u32 = 64;

/** Whether long records of a field with these flags have impacts. */
// @ts-ignore: decorator
@inline
export function hasImpacts(flags: u32): bool {
  return (flags & (FIELD_FREQS | FIELD_NORMS)) != 0;
}
