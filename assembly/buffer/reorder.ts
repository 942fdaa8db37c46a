// Rewrites a segment with its documents in another order: `index.sort` requires it of a new segment, after a flush and after a merge. The host
// drives it like a merge (src/arena/segment-sorter.ts) with the segment as the only input.
//   order u32[maxDoc]: old document of each new one │ docMap u32[maxDoc]: the reverse
//   keys ├ u64[fields] of document 0 ┬ ··· ┤ ascending; ties keep the documents' order
// Postings of a term are decoded to an area, sorted by new document and passed to the output:
//   area ├ histogram u32[256] ┬ keys u64[maxDoc]: new document << 32 | entry ┬ spare u64[maxDoc] ┬ entries: first occurrence u32, freq u32 ┬
//        ┬ occurrences: position, start, end u32 each ┤
// Pre: the segment contains no nested documents.
import { COLUMN_F64, COLUMN_MULTI, columnValue } from '../docvalues/column';
import { columnHeader, firstValue, NO_SLOT, slotOf } from '../docvalues/column-view';
import { E_NO_SPACE } from '../mem/status';
import { NO_MORE_DOCS } from '../postings/format';
import { PostingsCursor, cursorFreq, cursorNext as nextDoc } from '../postings/cursor';
import { cursorNextPosition, cursorStartPositions } from '../postings/cursor-positions';
import { TERMS_CURSOR_BYTES, TermsCursor, cursorNext as nextTerm, cursorOpen as termsOpen } from '../terms/cursor';
import { FieldOutput, outputBegin, outputDoc, outputPosition } from './field-output';
import { idTableAdd, idTableGet } from './id-table';
import { imageFree } from './image';
import { SegmentWriter } from './segment-writer';

const SIGN: u64 = 0x8000000000000000;
const HISTOGRAM_BYTES: usize = 1024;
/** Fewer entries than this are sorted by insertion. */
const FEW: u32 = 48;

/**
 * Fills one field of the keys (`keys`: address of document 0's, `stride` bytes apart) from a column (0: no document has a value). The least value of a
 * document counts, with `greatest` the greatest; documents without a value come first with `missingFirst`, otherwise last.
 */
export function reorderKeys(columnPtr: usize, maxDoc: u32, keys: usize, stride: usize, descending: bool, greatest: bool, missingFirst: bool): void {
  const missing: u64 = missingFirst ? 0 : u64.MAX_VALUE;
  for (let doc: u32 = 0; doc < maxDoc; doc++, keys += stride) {
    store<u64>(keys, missing);
    if (!columnPtr) continue;
    const column = columnHeader(columnPtr), slot = slotOf(column, doc);
    if (slot == NO_SLOT) continue;
    let at = firstValue(column, slot);
    if (greatest && column.flags & COLUMN_MULTI) at = firstValue(column, slot + 1) - 1;
    const value = <u64>columnValue(column, at);
    const key = column.flags & COLUMN_F64 && value & SIGN ? ~value : value ^ SIGN;
    store<u64>(keys, descending ? ~key : key);
  }
}

// @ts-ignore: decorator
@inline
function isBefore(keys: usize, fields: u32, a: u32, b: u32): bool {
  let at = keys + <usize>a * ((<usize>fields) << 3), other = keys + <usize>b * ((<usize>fields) << 3);
  for (let i: u32 = 0; i < fields; i++, at += 8, other += 8) {
    const left = load<u64>(at), right = load<u64>(other);
    if (left != right) return left < right;
  }
  return false;
}

/**
 * Sorts documents by their keys, ties by document: fills `order` and `docMap`; `spare`: u32[maxDoc]. Returns 1, or 0 if they are already in order.
 * Merges runs bottom up.
 */
export function reorderSort(keys: usize, fields: u32, maxDoc: u32, order: usize, docMap: usize, spare: usize): i32 {
  let sorted = true;
  for (let doc: u32 = 0; doc < maxDoc; doc++) {
    store<u32>(order + ((<usize>doc) << 2), doc);
    if (doc && isBefore(keys, fields, doc, doc - 1)) sorted = false;
  }
  if (!sorted) {
    let from = order, to = spare;
    for (let run: u64 = 1; run < <u64>maxDoc; run *= 2) {
      for (let start: u64 = 0; start < <u64>maxDoc; start += run * 2) {
        mergeRuns(keys, fields, from, to, <u32>start, <u32>min(start + run, <u64>maxDoc), <u32>min(start + run * 2, <u64>maxDoc));
      }
      const swap = from;
      from = to;
      to = swap;
    }
    if (from != order) memory.copy(order, from, (<usize>maxDoc) << 2);
  }
  for (let doc: u32 = 0; doc < maxDoc; doc++) store<u32>(docMap + ((<usize>load<u32>(order + ((<usize>doc) << 2))) << 2), doc);
  return sorted ? 0 : 1;
}

function mergeRuns(keys: usize, fields: u32, from: usize, to: usize, start: u32, middle: u32, end: u32): void {
  let left = start, right = middle;
  for (let out = start; out < end; out++) {
    let doc: u32;
    if (left < middle && (right >= end || !isBefore(keys, fields, load<u32>(from + ((<usize>right) << 2)), load<u32>(from + ((<usize>left) << 2))))) {
      doc = load<u32>(from + ((<usize>(left++)) << 2));
    } else doc = load<u32>(from + ((<usize>(right++)) << 2));
    store<u32>(to + ((<usize>out) << 2), doc);
  }
}

/** Writes the values of a column in the new order to parallel arrays (new document, raw value). Returns their number. */
export function reorderCollect(columnPtr: usize, order: usize, docs: usize, values: usize): u32 {
  const column = columnHeader(columnPtr);
  let count: u32 = 0;
  for (let doc: u32 = 0; doc < column.maxDoc; doc++) {
    const slot = slotOf(column, load<u32>(order + ((<usize>doc) << 2)));
    if (slot == NO_SLOT) continue;
    const first = firstValue(column, slot), end = column.flags & COLUMN_MULTI ? firstValue(column, slot + 1) : first + 1;
    for (let at = first; at < end; at++, count++) {
      store<u32>(docs + ((<usize>count) << 2), doc);
      store<i64>(values + ((<usize>count) << 3), columnValue(column, at));
    }
  }
  return count;
}

/** Writes the binary section of `from` in the new order at mergeCursor. Returns the bytes of its values, or a negative status. */
export function reorderBinary(writerPtr: usize, from: usize, order: usize): f64 {
  const writer = changetype<SegmentWriter>(writerPtr), image = writer.image, start = image.cur;
  const maxDoc = writer.maxDoc, offsetsBytes = (<usize>maxDoc + 1) << 2;
  const bytes = <usize>load<u32>(from + ((<usize>maxDoc) << 2));
  if (offsetsBytes > imageFree(image) || bytes > imageFree(image) - offsetsBytes) return <f64>E_NO_SPACE;
  let used: u32 = 0;
  store<u32>(start, 0);
  for (let doc: u32 = 0; doc < maxDoc; doc++) {
    const at = from + ((<usize>load<u32>(order + ((<usize>doc) << 2))) << 2), first = load<u32>(at), length = load<u32>(at, 4) - first;
    memory.copy(start + offsetsBytes + used, from + offsetsBytes + first, length);
    used += length;
    store<u32>(start + ((<usize>doc) << 2), used, 4);
  }
  return <f64>used;
}

/** Adds the ids of all documents in the new order to the section laid out by mergeIdsOpen. `outPtr`: 8 bytes of scratch. */
export function reorderIds(writerPtr: usize, ids: usize, order: usize, outPtr: usize): void {
  const writer = changetype<SegmentWriter>(writerPtr);
  for (let doc: u32 = 0; doc < writer.maxDoc; doc++) {
    idTableGet(ids, load<u32>(order + ((<usize>doc) << 2)), outPtr);
    idTableAdd(writer.image.cur, doc, load<u32>(outPtr), load<u32>(outPtr, 4));
  }
}

/** Occurrences of a dictionary's most frequent term. `work`: as for bisectMeasure. */
export function reorderMostOccurrences(dictionary: usize, work: usize): f64 {
  const cursor = changetype<TermsCursor>(work);
  termsOpen(cursor, dictionary, 0, work + TERMS_CURSOR_BYTES);
  let most: u64 = 0;
  while (nextTerm(cursor)) most = max<u64>(most, cursor.totalTermFreq);
  return <f64>most;
}

/** Bytes of the area for the postings of a field whose terms have at most `occurrences` occurrences, 0 for fields without positions. */
export function reorderAreaBytes(maxDoc: u32, occurrences: f64): f64 {
  return <f64>HISTOGRAM_BYTES + <f64>maxDoc * 24 + occurrences * 12;
}

/** Passes the postings of an opened cursor to the output in the new order. */
export function reorderPostings(output: FieldOutput, at: usize, docMap: usize, area: usize, maxDoc: u32, hasFreqs: bool, hasPositions: bool): void {
  const postings = changetype<PostingsCursor>(at);
  const keys = area + HISTOGRAM_BYTES, spare = keys + ((<usize>maxDoc) << 3), entries = spare + ((<usize>maxDoc) << 3);
  const occurrences = entries + ((<usize>maxDoc) << 3);
  let count: u32 = 0, occurrence: u32 = 0;
  for (let doc = nextDoc(at); doc != NO_MORE_DOCS; doc = nextDoc(at)) {
    const freq = hasFreqs ? cursorFreq(at) : 1;
    store<u64>(keys + ((<usize>count) << 3), (<u64>load<u32>(docMap + ((<usize>doc) << 2)) << 32) | <u64>count);
    store<u32>(entries + ((<usize>count) << 3), occurrence);
    store<u32>(entries + ((<usize>count) << 3), freq, 4);
    count++;
    if (!hasPositions) continue;
    cursorStartPositions(at);
    for (let i: u32 = 0; i < freq; i++, occurrence++) {
      const to = occurrences + <usize>occurrence * 12;
      store<u32>(to, cursorNextPosition(at));
      store<u32>(to, postings.startOffset, 4);
      store<u32>(to, postings.endOffset, 8);
    }
  }
  const sorted = sortKeys(area, keys, spare, count, maxDoc);
  outputBegin(output);
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(sorted + ((<usize>i) << 3)), entry = entries + ((<usize>(<u32>key)) << 3), freq = load<u32>(entry, 4);
    outputDoc(output, <u32>(key >> 32), freq);
    if (!hasPositions) continue;
    let from = occurrences + <usize>load<u32>(entry) * 12;
    for (let j: u32 = 0; j < freq; j++, from += 12) outputPosition(output, load<u32>(from), load<u32>(from, 4), load<u32>(from, 8));
  }
}

/** Sorts keys by their document, byte by byte from the lowest. Returns the array that contains them: `keys` or `spare`. */
function sortKeys(histogram: usize, keys: usize, spare: usize, count: u32, maxDoc: u32): usize {
  if (count < FEW) {
    for (let i: usize = 8, end = (<usize>count) << 3; i < end; i += 8) {
      const key = load<u64>(keys + i);
      let at = i;
      for (; at > 0 && load<u64>(keys + at - 8) > key; at -= 8) store<u64>(keys + at, load<u64>(keys + at - 8));
      store<u64>(keys + at, key);
    }
    return keys;
  }
  for (let shift: u64 = 32; shift < 64 && (<u64>(maxDoc - 1) << 32) >> shift; shift += 8) {
    memory.fill(histogram, 0, HISTOGRAM_BYTES);
    const end = keys + ((<usize>count) << 3);
    for (let at = keys; at < end; at += 8) {
      const slot = histogram + ((<usize>((load<u64>(at) >> shift) & 255)) << 2);
      store<u32>(slot, load<u32>(slot) + 1);
    }
    let total: u32 = 0;
    for (let slot = histogram; slot < histogram + HISTOGRAM_BYTES; slot += 4) {
      const own = load<u32>(slot);
      store<u32>(slot, total);
      total += own;
    }
    for (let at = keys; at < end; at += 8) {
      const key = load<u64>(at), slot = histogram + ((<usize>((key >> shift) & 255)) << 2), to = load<u32>(slot);
      store<u64>(spare + ((<usize>to) << 3), key);
      store<u32>(slot, to + 1);
    }
    const swap = keys;
    keys = spare;
    spare = swap;
  }
  return keys;
}
