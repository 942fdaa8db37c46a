// Ids section: from `_id` to document and back.
//   header 32 bytes: slots u32 │ ids u32 │ tagsOff u32 │ docsOff u32 │ offsetsOff u32 │ bytesOff u32 │ maxDoc u32 │ 0
//   tags u8[slots]: 0 empty, else 1 + (hash >> 24) % 255 │ docs u32[slots] │ offsets u32[maxDoc + 1] into │ bytes
// slots is a power of two, at most three quarters full; linear probing from hash & (slots - 1); hashBytes with seed 0. Offsets in the
// header are relative to it. Documents without an `_id` (nested children) have no bytes.
import { equalBytes, hashBytes } from '../codec/hash';

// @ts-ignore: decorator
@unmanaged
class IdTable {
  slots: u32;
  ids: u32;
  tagsOff: u32;
  docsOff: u32;
  offsetsOff: u32;
  bytesOff: u32;
  maxDoc: u32;
  reserved: u32;
}

const ID_TABLE_HEADER_BYTES: usize = 32;

/** Lays out a section at `ptr` for `ids` ids of `idBytes` bytes in total. Returns its size, or 0 if it does not fit before `end`. */
export function idTableOpen(ptr: usize, end: usize, ids: u32, maxDoc: u32, idBytes: u64): usize {
  let slots: u32 = 16;
  while (<u64>slots * 3 < <u64>ids * 4) slots *= 2;
  const docsOff = ID_TABLE_HEADER_BYTES + <usize>slots;
  const offsetsOff = docsOff + (<usize>slots << 2);
  const bytesOff = offsetsOff + (<usize>maxDoc + 1) * 4;
  const bytes = <u64>bytesOff + idBytes;
  if (ptr > end || bytes > <u64>(end - ptr)) return 0;
  memory.fill(ptr, 0, offsetsOff);
  const table = changetype<IdTable>(ptr);
  table.slots = slots;
  table.ids = ids;
  table.tagsOff = <u32>ID_TABLE_HEADER_BYTES;
  table.docsOff = <u32>docsOff;
  table.offsetsOff = <u32>offsetsOff;
  table.bytesOff = <u32>bytesOff;
  table.maxDoc = maxDoc;
  store<u32>(ptr + offsetsOff, 0);
  return <usize>bytes;
}

/** Sets the id of `docId`, in order of documents without gaps; `idLen` 0: none. */
export function idTableAdd(ptr: usize, docId: u32, idPtr: usize, idLen: u32): void {
  const table = changetype<IdTable>(ptr);
  const offset = ptr + table.offsetsOff + ((<usize>docId) << 2), from = load<u32>(offset);
  memory.copy(ptr + table.bytesOff + from, idPtr, idLen);
  store<u32>(offset, from + idLen, 4);
  if (idLen == 0) return;
  const hash = hashBytes(idPtr, idLen, 0), mask = table.slots - 1;
  let slot = hash & mask;
  while (load<u8>(ptr + table.tagsOff + slot)) slot = (slot + 1) & mask;
  store<u8>(ptr + table.tagsOff + slot, tagOf(hash));
  store<u32>(ptr + table.docsOff + ((<usize>slot) << 2), docId);
}

// @ts-ignore: decorator
@inline
function tagOf(hash: u32): u8 {
  return <u8>(1 + (hash >> 24) % 255);
}

/** Live document with this id (`liveDocs` 0: any); -1 if there is none. A segment may contain deleted documents with the same id. */
export function idTableFind(ptr: usize, idPtr: usize, idLen: u32, liveDocs: usize): i32 {
  const table = changetype<IdTable>(ptr);
  const hash = hashBytes(idPtr, idLen, 0), mask = table.slots - 1, tag = tagOf(hash);
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const here = load<u8>(ptr + table.tagsOff + slot);
    if (here == 0) return -1;
    if (here != tag) continue;
    const doc = load<u32>(ptr + table.docsOff + ((<usize>slot) << 2));
    const offset = ptr + table.offsetsOff + ((<usize>doc) << 2), from = load<u32>(offset);
    if (load<u32>(offset, 4) - from != idLen || !equalBytes(ptr + table.bytesOff + from, idPtr, idLen)) continue;
    if (liveDocs && !(load<u8>(liveDocs + (doc >> 3)) & (1 << (doc & 7)))) continue;
    return <i32>doc;
  }
}

/** Writes address and length of a document's id to `outPtr` (u32 x 2). */
export function idTableGet(ptr: usize, docId: u32, outPtr: usize): void {
  const table = changetype<IdTable>(ptr);
  const offset = ptr + table.offsetsOff + ((<usize>docId) << 2), from = load<u32>(offset);
  store<u32>(outPtr, <u32>(ptr + table.bytesOff + from));
  store<u32>(outPtr, load<u32>(offset, 4) - from, 4);
}
