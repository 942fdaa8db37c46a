// Postings encoder: turns the documents of one term after another into records of a field's postings and positions sections (format.ts).
//
//   encoderInit(e, maxDoc, flags, out.., positions..)         once per field
//   per term, in dictionary order:
//     encoderBegin(e)
//     per document, ascending:  encoderAddDoc(e, docId, freq, norm)
//                               freq times with positions: encoderAddPosition(e, position, startOffset, endOffset), positions ascending or equal
//     encoderFinish(e) -> 0 or E_NO_SPACE; then e.termOff (offset of the record in the postings section), e.docFreq, e.totalTermFreq
//                         go into the dictionary entry. A term without documents leaves docFreq 0 and no bytes.
//   at the end:  postings section = [outPtr, e.cur), positions section = [positionsPtr, e.positionsCur)
//
// e is the address of the struct (changetype<PostingsEncoder>(e) reads its results).
// Pre:  docIds of a term ascend strictly; freq >= 1 (pass 1 without freqs); norm = the document's norm byte, 1 without norms.
//       outPtr is a multiple of 4. The struct is in memory of the caller: encoderBytes(maxDoc) at a multiple of 16.
// Post: nothing is written past outEnd, positionsEnd or scratchEnd. When one of them is full, encoderFinish returns E_NO_SPACE (and so does each
//       later one): the caller starts the field again with larger extents. Worst cases: out: about 12 bytes per document of a term; positions:
//       5 bytes per position (15 with offsets).
// The term's record contains no address, so the section may be moved, and a short record (docFreq < 128) may be copied.

import { FIELD_FREQS, FIELD_OFFSETS, FIELD_POSITIONS } from '../codec/field-flags';
import { vintBytes, writeVint } from '../codec/vint';
import { E_NO_SPACE } from '../mem/status';
import { MAX_BLOCK_BYTES, writeBlockDocs, writeBlockFreqs } from './block-encoder';
import { BLOCK_DOCS, GROUP_BLOCKS, LONG_HEADER_BYTES, hasImpacts } from './format';

// @ts-ignore: decorator
@unmanaged
export class PostingsEncoder {
  flags: u32;
  status: i32;
  outPtr: usize;
  cur: usize;
  outEnd: usize;
  positionsPtr: usize;
  positionsCur: usize;
  positionsEnd: usize;
  scratchPtr: usize;
  scratchEnd: usize;
  // Results of the last finished term.
  termOff: u32;
  docFreq: u32;
  totalTermFreq: u64;
  // The term being encoded.
  recordPtr: usize;
  termPositionsPtr: usize;
  lastDoc: u32;
  blockLastDoc: u32;
  lastPosition: u32;
  lastStart: u32;
  buffered: u32;
  blocks: u32;
  /** Table entries grow up from scratchPtr; impact bytes grow down from scratchEnd. */
  impactsCur: usize;
  blockPositionsPtr: usize;
}

const DOCS_OFF: usize = 128;
const FREQS_OFF: usize = DOCS_OFF + 512;
/** Highest freq per norm byte, u32[256]: of the block, the group, the term. */
const BLOCK_IMPACTS_OFF: usize = FREQS_OFF + 512;
const GROUP_IMPACTS_OFF: usize = BLOCK_IMPACTS_OFF + 1024;
const TERM_IMPACTS_OFF: usize = GROUP_IMPACTS_OFF + 1024;
const PACKED_OFF: usize = TERM_IMPACTS_OFF + 1024;
/** Encoder without scratch; a multiple of 16. */
const ENCODER_BYTES: usize = PACKED_OFF + 512;

/** Table entry in scratch: lastDoc, blockOff, positionsOff, distance of the block's impacts from scratchEnd and, in a group's last block, of the group's. */
const ENTRY_BYTES: usize = 20;

/** Bytes of an encoder with scratch for any term of a segment of `maxDoc` documents. */
export function encoderBytes(maxDoc: u32): usize {
  return ENCODER_BYTES + (<usize>(maxDoc >> 7) + 2) * 640 + 65536;
}

/**
 * Makes an encoder in encoderBytes(maxDoc) at `ptr` (multiple of 16). `flags`: FIELD_*; postings go to [outPtr, outEnd), positions to
 * [positionsPtr, positionsEnd).
 */
export function encoderInit(ptr: usize, maxDoc: u32, flags: u32, outPtr: usize, outEnd: usize, positionsPtr: usize, positionsEnd: usize): void {
  memory.fill(ptr, 0, ENCODER_BYTES);
  const e = changetype<PostingsEncoder>(ptr);
  e.flags = flags;
  e.outPtr = outPtr;
  e.cur = outPtr;
  e.outEnd = outEnd;
  e.positionsPtr = positionsPtr;
  e.positionsCur = positionsPtr;
  e.positionsEnd = positionsEnd;
  e.scratchPtr = ptr + ENCODER_BYTES;
  e.scratchEnd = ptr + encoderBytes(maxDoc);
}

export function encoderBegin(ptr: usize): void {
  const e = changetype<PostingsEncoder>(ptr);
  e.recordPtr = e.cur;
  e.docFreq = 0;
  e.totalTermFreq = 0;
  e.lastDoc = 0;
  e.blockLastDoc = 0;
  e.buffered = 0;
  e.blocks = 0;
  e.impactsCur = e.scratchEnd;
  e.termPositionsPtr = e.positionsCur;
  e.blockPositionsPtr = e.positionsCur;
}

export function encoderAddDoc(ptr: usize, docId: u32, freq: u32, norm: u32): void {
  const e = changetype<PostingsEncoder>(ptr);
  assert(e.docFreq == 0 || docId > e.lastDoc);
  assert(freq >= 1 && norm < 256);
  if (e.buffered == BLOCK_DOCS) flushBlock(e);
  const at = changetype<usize>(e) + ((<usize>e.buffered) << 2);
  store<u32>(at, docId, DOCS_OFF);
  store<u32>(at, freq, FREQS_OFF);
  const impact = changetype<usize>(e) + ((<usize>norm) << 2);
  if (load<u32>(impact, BLOCK_IMPACTS_OFF) < freq) store<u32>(impact, freq, BLOCK_IMPACTS_OFF);
  e.buffered++;
  e.docFreq++;
  e.totalTermFreq += freq;
  e.lastDoc = docId;
  e.lastPosition = 0;
  e.lastStart = 0;
}

export function encoderAddPosition(ptr: usize, position: u32, startOffset: u32, endOffset: u32): void {
  const e = changetype<PostingsEncoder>(ptr);
  assert(position >= e.lastPosition);
  let cur = e.positionsCur;
  if (cur + 16 > e.positionsEnd) {
    e.status = E_NO_SPACE;
    return;
  }
  cur = writeVint(cur, position - e.lastPosition);
  e.lastPosition = position;
  if (e.flags & FIELD_OFFSETS) {
    cur = writeVint(cur, startOffset - e.lastStart);
    cur = writeVint(cur, endOffset - startOffset);
    e.lastStart = startOffset;
  }
  e.positionsCur = cur;
}

/** 0, or E_NO_SPACE: an extent is full and the field must be encoded again with larger ones. */
export function encoderFinish(ptr: usize): i32 {
  const e = changetype<PostingsEncoder>(ptr);
  if (e.status < 0) return e.status;
  if (e.docFreq < BLOCK_DOCS) finishShort(e);
  else finishLong(e);
  return e.status;
}

function finishShort(e: PostingsEncoder): void {
  e.termOff = <u32>(e.cur - e.outPtr);
  const positionsBytes = e.positionsCur - e.termPositionsPtr;
  if (e.cur + e.buffered * 10 + positionsBytes > e.outEnd) {
    e.status = E_NO_SPACE;
    return;
  }
  writeEntries(e);
  memory.copy(e.cur, e.termPositionsPtr, positionsBytes);
  e.cur += positionsBytes;
  e.positionsCur = e.termPositionsPtr;
  clearImpacts(changetype<usize>(e) + BLOCK_IMPACTS_OFF);
}

function finishLong(e: PostingsEncoder): void {
  // The last block may be full or a tail.
  if (e.buffered == BLOCK_DOCS) flushBlock(e);
  else if (e.buffered > 0) flushTail(e);
  if (e.blocks & (GROUP_BLOCKS - 1)) flushGroup(e);
  if (e.status < 0) return;
  const impacts = hasImpacts(e.flags);
  const base = changetype<usize>(e);
  const termImpacts = impacts ? writeImpacts(e, base + TERM_IMPACTS_OFF, 0) : 0;
  if (e.status < 0) return;
  const n = e.blocks;
  const groups = (n + GROUP_BLOCKS - 1) / GROUP_BLOCKS;
  const impactsBytes = e.scratchEnd - e.impactsCur;
  let cur = (e.cur + 3) & ~3;
  if (cur + (<usize>n) * 16 + (<usize>groups) * 4 + 4 + impactsBytes + 4 > e.outEnd) {
    e.status = E_NO_SPACE;
    return;
  }
  for (let at = e.cur; at < cur; at++) store<u8>(at, 0);
  store<u32>(e.recordPtr, <u32>(cur - e.recordPtr));
  store<u32>(e.recordPtr, <u32>(e.termPositionsPtr - e.positionsPtr), 4);
  cur = copyColumn(e, cur, 0);
  cur = copyColumn(e, cur, 4);
  if (e.flags & FIELD_POSITIONS) cur = copyColumn(e, cur, 8);
  if (impacts) {
    const impactsOff = <u32>(cur + ((<usize>n + groups + 1) << 2) + impactsBytes - e.recordPtr);
    for (let at = e.scratchPtr, end = at + (<usize>n) * ENTRY_BYTES; at < end; at += ENTRY_BYTES, cur += 4) {
      store<u32>(cur, impactsOff - load<u32>(at, 12));
    }
    for (let g: u32 = 0; g < groups; g++, cur += 4) {
      const last = min<u32>((g + 1) * GROUP_BLOCKS, n) - 1;
      store<u32>(cur, impactsOff - load<u32>(e.scratchPtr + (<usize>last) * ENTRY_BYTES, 16));
    }
    store<u32>(cur, impactsOff - termImpacts);
    cur += 4;
    memory.copy(cur, e.impactsCur, impactsBytes);
    cur += impactsBytes;
  }
  e.termOff = <u32>(e.recordPtr - e.outPtr);
  e.cur = cur;
  clearImpacts(base + TERM_IMPACTS_OFF);
}

function copyColumn(e: PostingsEncoder, cur: usize, off: usize): usize {
  for (let at = e.scratchPtr + off, end = at + (<usize>e.blocks) * ENTRY_BYTES; at < end; at += ENTRY_BYTES, cur += 4) {
    store<u32>(cur, load<u32>(at));
  }
  return cur;
}

/** Opens the record as a long one when its first block is full: alignment and room for the header. */
function openLong(e: PostingsEncoder): void {
  e.recordPtr = (e.cur + 3) & ~3;
  if (e.recordPtr + LONG_HEADER_BYTES > e.outEnd) {
    e.status = E_NO_SPACE;
    return;
  }
  for (; e.cur < e.recordPtr; e.cur++) store<u8>(e.cur, 0);
  e.cur = e.recordPtr + LONG_HEADER_BYTES;
}

function flushBlock(e: PostingsEncoder): void {
  if (e.blocks == 0) openLong(e);
  if (e.status < 0) return endBlock(e);
  if (e.cur + MAX_BLOCK_BYTES > e.outEnd) {
    e.status = E_NO_SPACE;
    return endBlock(e);
  }
  const base = changetype<usize>(e);
  addTableEntry(e);
  e.cur = writeBlockDocs(base + DOCS_OFF, base + PACKED_OFF, e.cur, e.blockLastDoc, e.blocks == 0);
  if (e.flags & FIELD_FREQS) e.cur = writeBlockFreqs(base + FREQS_OFF, base + PACKED_OFF, e.cur);
  endBlock(e);
}

function flushTail(e: PostingsEncoder): void {
  if (e.status >= 0 && e.cur + (<usize>e.buffered) * 10 > e.outEnd) e.status = E_NO_SPACE;
  if (e.status >= 0) {
    addTableEntry(e);
    writeEntries(e);
  }
  endBlock(e);
}

function endBlock(e: PostingsEncoder): void {
  e.blockLastDoc = e.lastDoc;
  e.blockPositionsPtr = e.positionsCur;
  e.buffered = 0;
  e.blocks++;
  if ((e.blocks & (GROUP_BLOCKS - 1)) == 0) flushGroup(e);
}

/** Entries of the buffered documents, after blockLastDoc. */
function writeEntries(e: PostingsEncoder): void {
  let cur = e.cur;
  let last = e.blockLastDoc;
  let at = changetype<usize>(e);
  for (const end = at + ((<usize>e.buffered) << 2); at < end; at += 4) {
    const docId = load<u32>(at, DOCS_OFF);
    const freq = load<u32>(at, FREQS_OFF);
    if (e.flags & FIELD_FREQS) {
      cur = writeVint(cur, ((docId - last) << 1) | <u32>(freq == 1));
      if (freq != 1) cur = writeVint(cur, freq);
    } else {
      cur = writeVint(cur, docId - last);
    }
    last = docId;
  }
  e.cur = cur;
}

/** Table entry and impacts of the block that starts at e.cur. */
function addTableEntry(e: PostingsEncoder): void {
  const entry = e.scratchPtr + (<usize>e.blocks) * ENTRY_BYTES;
  if (entry + ENTRY_BYTES > e.impactsCur) {
    e.status = E_NO_SPACE;
    return;
  }
  store<u32>(entry, e.lastDoc);
  store<u32>(entry, <u32>(e.cur - e.recordPtr), 4);
  store<u32>(entry, <u32>(e.blockPositionsPtr - e.termPositionsPtr), 8);
  const base = changetype<usize>(e);
  if (hasImpacts(e.flags)) store<u32>(entry, writeImpacts(e, base + BLOCK_IMPACTS_OFF, base + GROUP_IMPACTS_OFF), 12);
  else clearImpacts(base + BLOCK_IMPACTS_OFF);
}

function flushGroup(e: PostingsEncoder): void {
  if (e.status < 0 || !hasImpacts(e.flags)) return;
  const base = changetype<usize>(e);
  const dist = writeImpacts(e, base + GROUP_IMPACTS_OFF, base + TERM_IMPACTS_OFF);
  store<u32>(e.scratchPtr + (<usize>e.blocks - 1) * ENTRY_BYTES, dist, 16);
}

/**
 * Writes the competitive pairs of a table of highest freqs below impactsCur, folds the table into `intoPtr` (0: nowhere) and clears it.
 * Returns the distance of the pairs from scratchEnd.
 */
function writeImpacts(e: PostingsEncoder, tablePtr: usize, intoPtr: usize): u32 {
  let count: u32 = 0;
  let bytes: usize = 1;
  let highest: u32 = 0;
  for (let off: usize = 0; off < 1024; off += 4) {
    const freq = load<u32>(tablePtr + off);
    if (freq <= highest) continue;
    highest = freq;
    count++;
    bytes += 1 + vintBytes(freq);
  }
  const start = e.impactsCur - bytes;
  if (start < e.scratchPtr + (<usize>e.blocks + 2) * ENTRY_BYTES) {
    e.status = E_NO_SPACE;
    clearImpacts(tablePtr);
    return 0;
  }
  e.impactsCur = start;
  let cur = start;
  store<u8>(cur++, <u8>count);
  highest = 0;
  for (let norm: usize = 0; norm < 256; norm++) {
    const freq = load<u32>(tablePtr + (norm << 2));
    if (freq <= highest) continue;
    highest = freq;
    store<u8>(cur++, <u8>norm);
    cur = writeVint(cur, freq);
    if (intoPtr) {
      const into = intoPtr + (norm << 2);
      if (load<u32>(into) < freq) store<u32>(into, freq);
    }
  }
  clearImpacts(tablePtr);
  return <u32>(e.scratchEnd - start);
}

// @ts-ignore: decorator
@inline
function clearImpacts(tablePtr: usize): void {
  memory.fill(tablePtr, 0, 1024);
}
