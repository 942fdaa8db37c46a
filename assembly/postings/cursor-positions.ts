// Positions of the current document of a cursor (cursor.ts).
//   cursorStartPositions(c); freq times: position = cursorNextPosition(c), then c.startOffset, c.endOffset with offsets
// Documents whose positions are not read are skipped.
import { FIELD_OFFSETS } from '../codec/field-flags';
import { readVint, vintBytes } from '../codec/vint';
import { cursorFreqs, cursorLoadFreqs, PostingsCursor } from './cursor';

/** Goes to the first position of the current document; then as many positions as its freq may be read. May be called again for the same document. */
export function cursorStartPositions(ptr: usize): void {
  const c = changetype<PostingsCursor>(ptr);
  if (c.positionsIndex != c.index) cursorSkipPositions(c, c.index);
  c.readCur = c.positionsCur;
  c.position = 0;
  c.startOffset = 0;
}

/**
 * Moves positionsCur to the positions of the document at `index` of the block. Pre: those of positionsIndex begin at positionsCur.
 * Numbers end at bytes below 0x80: they are counted 16 bytes at a time.
 */
export function cursorSkipPositions(c: PostingsCursor, index: u32): void {
  cursorLoadFreqs(c);
  if (index < c.positionsIndex) cursorRewindPositions(c);
  let at = cursorFreqs(c) + ((<usize>c.positionsIndex) << 2);
  const end = cursorFreqs(c) + ((<usize>index) << 2);
  let numbers: u32 = 0;
  for (; at < end; at += 4) numbers += load<u32>(at);
  if (c.flags & FIELD_OFFSETS) numbers *= 3;
  c.positionsCur = skipNumbers(c.positionsCur, numbers);
  c.positionsIndex = index;
}

function cursorRewindPositions(c: PostingsCursor): void {
  c.positionsIndex = 0;
  c.positionsCur = c.positionsPtr;
  if (c.positionOffsPtr) c.positionsCur += load<u32>(c.positionOffsPtr + ((<usize>c.block) << 2));
}

/** One past `count` vints from `cur` on. */
// @ts-ignore: decorator
@inline
export function skipNumbers(cur: usize, count: u32): usize {
  while (count >= 16) {
    count -= popcnt<u32>(~i8x16.bitmask(v128.load(cur)) & 0xffff);
    cur += 16;
  }
  for (; count > 0; cur++) count -= <u32>(load<u8>(cur) < 0x80);
  return cur;
}

/** Next position of the current document; pre: fewer than freq of them were read. */
export function cursorNextPosition(ptr: usize): u32 {
  const c = changetype<PostingsCursor>(ptr);
  let cur = c.readCur;
  const gap = readVint(cur);
  cur += vintBytes(gap);
  c.position += gap;
  if (c.flags & FIELD_OFFSETS) {
    const start = readVint(cur);
    cur += vintBytes(start);
    const length = readVint(cur);
    cur += vintBytes(length);
    c.startOffset += start;
    c.endOffset = c.startOffset + length;
  }
  c.readCur = cur;
  return c.position;
}
