// State that all nodes of a running query share: the scratch extent, the segment, counters. An instance runs one query at a time.
//   scratchPtr ├─ plan (host) ─┤ persistent state ─→     ←─ temporary buffers ┤ scratchEnd
// When the extent is full, `status` becomes E_NO_SPACE and the kernel traps: the host catches that and rejects the request.

import { E_NO_SPACE } from '../mem/status';
import { blocksDecoded, clearBlocksDecoded } from '../postings/cursor';

/**
 * Documents of a window: windows start at multiples of it. Of 4096, 8192, 16,384, 32,768 and 65,536 this is the fastest: with smaller ones a query of
 * rare terms spends more on windows than on postings, with larger ones the sums do not fit the cache (675 k documents, 1070 queries, top 10: 399 ms
 * against 353).
 */
export const WINDOW_DOCS: u32 = 16384;

export let maxDoc: u32 = 0;
/** Documents that a node decides at its first use, if it is evaluated for many windows at once. */
export let docsAtFirst: u32 = 0;
/** See `expectFewDocs`; a multiple of WINDOW_DOCS. */
const FEW_DOCS: u32 = WINDOW_DOCS;
let persistentCur: usize = 0;
let tempCur: usize = 0;
let status: i32 = 0;

export let docsScored: u32 = 0;
let windowsRun: u32 = 0;

export function contextInit(scratchPtr: usize, scratchEnd: usize, segmentMaxDoc: u32): void {
  persistentCur = (scratchPtr + 63) & ~63;
  tempCur = scratchEnd & ~63;
  maxDoc = segmentMaxDoc;
  docsAtFirst = segmentMaxDoc;
  status = 0;
  docsScored = 0;
  windowsRun = 0;
  clearBlocksDecoded();
}

/** The first documents of a segment that is much larger are probably all that the search examines. */
export function expectFewDocs(): void {
  if (maxDoc >= 4 * FEW_DOCS) docsAtFirst = FEW_DOCS;
}

/** Memory until the end of the query, 16-byte aligned, not cleared. */
export function allocate(bytes: usize): usize {
  const ptr = persistentCur;
  if (bytes > tempCur || ptr > tempCur - bytes) noSpace();
  persistentCur = (ptr + bytes + 15) & ~15;
  return ptr;
}

/** Memory until `releaseTemp` of an earlier mark. */
export function allocateTemp(bytes: usize): usize {
  if (bytes > tempCur || tempCur - bytes < persistentCur) noSpace();
  tempCur = (tempCur - bytes) & ~15;
  if (tempCur < persistentCur) noSpace();
  return tempCur;
}

export function tempMark(): usize {
  return tempCur;
}

export function releaseTemp(mark: usize): void {
  tempCur = mark;
}

function noSpace(): void {
  status = E_NO_SPACE;
  unreachable();
}

/** E_NO_SPACE after a trap because scratch was full, else 0. */
export function contextStatus(): i32 {
  return status;
}

// @ts-ignore: decorator
@inline
export function countScored(docs: u32): void {
  docsScored += docs;
}

// @ts-ignore: decorator
@inline
export function countWindow(): void {
  windowsRun++;
}

// Arguments of contextCounter.
export const COUNTER_BLOCKS_DECODED: u32 = 0;
export const COUNTER_DOCS_SCORED: u32 = 1;
export const COUNTER_WINDOWS: u32 = 2;

/** Work of the last run. `which`: COUNTER_* */
export function contextCounter(which: u32): u32 {
  return which == COUNTER_BLOCKS_DECODED ? blocksDecoded : which == COUNTER_DOCS_SCORED ? docsScored : windowsRun;
}
