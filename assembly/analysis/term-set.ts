// A set of terms in a config blob, written by src/analysis/blob.ts: open addressing, linear probing.
//   set ├─ TermSetHeader ─┬─ slot u32 × (mask + 1) ─┬─ entries ─┤
//   slot: 0 empty, else offset from `set` of an entry ├─ TermSetEntry ─┬─ bytes ─┤
// A map has the same layout with meaningful values: an offset from `set`, or a number.
import { lowerCase } from '../text/generated/case';
import { decode, encode } from '../text/utf8';
import { TermSetEntry, TermSetHeader } from './stage-configs';

/** Offset of an entry's term. */
const TERM: usize = offsetof<TermSetEntry>();

/** Multiplicative hash, four bytes at a time, the same as the host's. Reads up to 3 bytes past the term and masks them. */
// @ts-ignore: decorator
@inline
export function hashTerm(ptr: usize, len: u32): u32 {
  let hash = len, left = len;
  for (; left >= 4; left -= 4, ptr += 4) hash = mixHash(hash ^ load<u32>(ptr));
  if (left) hash = mixHash(hash ^ (load<u32>(ptr) & ((1 << (left << 3)) - 1)));
  return hash;
}

// @ts-ignore: decorator
@inline
function mixHash(hash: u32): u32 {
  hash *= 0x9e3779b1;
  return hash ^ (hash >> 15);
}

// @ts-ignore: decorator
@inline
export function sameBytes(a: usize, b: usize, len: u32): bool {
  let i: usize = 0;
  const n = <usize>len;
  for (; i + 8 <= n; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  for (; i < n; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false;
  return true;
}

/** Length of the longest term in bytes. */
// @ts-ignore: decorator
@inline
export function longestTerm(set: usize): u32 {
  return changetype<TermSetHeader>(set).longestTerm;
}

// @ts-ignore: decorator
@inline
function slotAt(set: usize, slot: u32): u32 {
  return load<u32>(set + offsetof<TermSetHeader>() + (<usize>slot << 2));
}

/** Address of the entry of a term, 0 if it is not in the set. */
export function findTerm(set: usize, ptr: usize, len: u32): usize {
  if (len > longestTerm(set)) return 0;
  const mask = changetype<TermSetHeader>(set).mask;
  let slot = hashTerm(ptr, len) & mask;
  let offset = slotAt(set, slot);
  while (offset) {
    const entry = set + offset;
    if (changetype<TermSetEntry>(entry).termBytes == len && sameBytes(entry + TERM, ptr, len)) return entry;
    slot = (slot + 1) & mask;
    offset = slotAt(set, slot);
  }
  return 0;
}

/** Like findTerm for a set of lower-cased terms and a term in any case. `scratch` has room for len * 2 + 8 bytes. */
export function findTermIgnoringCase(set: usize, ptr: usize, len: u32, scratch: usize): usize {
  if (len > longestTerm(set) * 2 + 8) return 0;
  let out = scratch;
  for (let p = ptr, end = ptr + len; p < end; ) {
    const d = decode(p, end);
    out += encode(out, lowerCase(d & 0xffffff));
    p += d >> 24;
  }
  return findTerm(set, scratch, <u32>(out - scratch));
}

/** findTerm for an ASCII term in any case and a set of lower-cased ASCII terms, without scratch memory. */
export function findAsciiTermIgnoringCase(set: usize, ptr: usize, len: u32): usize {
  if (len > longestTerm(set)) return 0;
  let hash = len, left = len, cur = ptr;
  for (; left >= 4; left -= 4, cur += 4) hash = mixHash(hash ^ lowerFour(load<u32>(cur)));
  if (left) hash = mixHash(hash ^ lowerFour(load<u32>(cur) & ((1 << (left << 3)) - 1)));
  const mask = changetype<TermSetHeader>(set).mask;
  let slot = hash & mask;
  let offset = slotAt(set, slot);
  while (offset) {
    const entry = set + offset;
    if (changetype<TermSetEntry>(entry).termBytes == len) {
      let i: u32 = 0;
      while (i < len && load<u8>(entry + TERM + i) == lowerAscii(load<u8>(ptr + i))) i++;
      if (i == len) return entry;
    }
    slot = (slot + 1) & mask;
    offset = slotAt(set, slot);
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function lowerAscii(b: u32): u32 {
  return b - 65 < 26 ? b + 32 : b;
}

/** Lower case of four ASCII bytes. Other bytes become values that no entry equals. */
// @ts-ignore: decorator
@inline
function lowerFour(bytes: u32): u32 {
  const isUpper = ((bytes + 0x3f3f3f3f) ^ (bytes + 0x25252525)) & 0x80808080;
  return bytes | (isUpper >> 2);
}
