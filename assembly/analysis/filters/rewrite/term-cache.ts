// Caches the result of a sequence of filters by term, from text to text, since natural text repeats its words. Keys are compared byte by byte, not
// only by their hash. When the entries are full, the whole cache is cleared.
//   area   ├─ used u32 ─┬─ 0 × 3 ─┬─ bucket × 2^k ─┬─ entries ─┤
//   bucket ├─ slot u32 × 4 ─┤   newest first     slot: tag (upper 12 bits, odd), index of an entry in units of four bytes (lower 20 bits); 0 free
//   entry  ├─ keyLen u8 ─┬─ resultLen u8 ─┬─ flags u8 ─┬─ 0 ─┬─ key ─┬─ result, unless the key starts with it ─┤   a multiple of four bytes
// Entries are packed in the order in which words first occur, so that frequent ones share cache lines: 8,192 slots of 64 bytes held 69 % of Russian
// words, this layout 97 % in less than twice the memory.

/** Maximum length of a cached term. */
export const MAX_KEY: u32 = 127;
/** Flags of an entry: the term is dropped, the key starts with the result, the term becomes a keyword. */
export const DROPPED: u32 = 1;
export const PREFIX: u32 = 2;
export const KEYWORD: u32 = 4;

const HEADER: usize = 16;
const ENTRY_HEAD: usize = 4;
/** Maximum size of an entry, including what copies of eight bytes write past its end. */
const ENTRY_ROOM: usize = ENTRY_HEAD + 2 * <usize>MAX_KEY + 16;
/** Indices of entries have 20 bits. */
const MAX_ENTRIES_BYTES: usize = 4 << 20;
const MAX_BUCKETS: u32 = 8192;
/** Size of a bucket and of the entries for its four slots. */
const BUCKET_SHARE: usize = 96;

/** Number of buckets - 1. */
// @ts-ignore: decorator
@inline
export function bucketMask(area: usize, end: usize): u32 {
  const share = <u32>((end - area) / BUCKET_SHARE);
  return min<u32>(MAX_BUCKETS, <u32>1 << (31 - clz(share | 1))) - 1;
}

// @ts-ignore: decorator
@inline
function entriesPtr(area: usize, mask: u32): usize {
  return area + HEADER + (<usize>(mask + 1) << 4);
}

/** Clears the cache, or initializes a new area. */
export function clearTerms(area: usize, end: usize): void {
  memory.fill(area, 0, entriesPtr(area, bucketMask(area, end)) - area);
}

/** Hash of 8 bytes at a time. Reads up to 7 bytes past the term. */
// @ts-ignore: decorator
@inline
export function hashBytes(ptr: usize, len: u32): u64 {
  let h: u64 = len, left = len;
  while (left > 8) {
    h = (h ^ load<u64>(ptr)) * 0x9e3779b97f4a7c15;
    h ^= h >> 29;
    ptr += 8;
    left -= 8;
  }
  return (h ^ (load<u64>(ptr) & (<u64>-1 >> (64 - (<u64>left << 3))))) * 0x9e3779b97f4a7c15;
}

// @ts-ignore: decorator
@inline
function tagOf(hash: u64): u32 {
  return (<u32>(hash >> 52)) | 1;
}

/** Entry of a term; 0 if there is none. Pre: 0 < len <= MAX_KEY; `mask` is the area's bucketMask. */
// @ts-ignore: decorator
@inline
export function recallTerm(area: usize, mask: u32, hash: u64, ptr: usize, len: u32): usize {
  const entries = entriesPtr(area, mask);
  const bucket = area + HEADER + (<usize>(<u32>(hash >> 32) & mask) << 4);
  const slots = v128.load(bucket);
  let found = i32x4.bitmask(i32x4.eq(i32x4.shr_u(slots, 20), i32x4.splat(tagOf(hash))));
  while (found) {
    const entry = entries + (<usize>(load<u32>(bucket + (<usize>ctz(found) << 2)) & 0xfffff) << 2);
    if (<u32>load<u8>(entry) == len && equalTerms(entry + ENTRY_HEAD, ptr, len)) return entry;
    found &= found - 1;
  }
  return 0;
}

/** Compares 8 bytes at a time, ignoring those past the terms. */
// @ts-ignore: decorator
@inline
function equalTerms(a: usize, b: usize, len: u32): bool {
  while (len > 8) {
    if (load<u64>(a) != load<u64>(b)) return false;
    a += 8;
    b += 8;
    len -= 8;
  }
  return ((load<u64>(a) ^ load<u64>(b)) << (64 - (<u64>len << 3))) == 0;
}

/** Address of the result of an entry whose key does not start with it. */
// @ts-ignore: decorator
@inline
export function resultPtr(entry: usize): usize {
  return entry + ENTRY_HEAD + load<u8>(entry);
}

/** Address of the result of any entry. */
// @ts-ignore: decorator
@inline
export function entryResult(entry: usize): usize {
  return entryFlags(entry) & PREFIX ? entry + ENTRY_HEAD : resultPtr(entry);
}

// @ts-ignore: decorator
@inline
export function resultLen(entry: usize): u32 {
  return load<u8>(entry, 1);
}

// @ts-ignore: decorator
@inline
export function entryFlags(entry: usize): u32 {
  return load<u8>(entry, 2);
}

/** Stores a term before it is changed. Returns an entry for `rememberTerm`, or 0 if the area is too small for any. Pre: 0 < len <= MAX_KEY. */
export function noteTerm(area: usize, end: usize, ptr: usize, len: u32): usize {
  const entries = entriesPtr(area, bucketMask(area, end)), entriesEnd = min(end, entries + MAX_ENTRIES_BYTES);
  let entry = entries + load<u32>(area);
  if (entry + ENTRY_ROOM > entriesEnd) {
    if (entries + ENTRY_ROOM > entriesEnd) return 0;
    clearTerms(area, end);
    entry = entries;
  }
  copyTerm(entry + ENTRY_HEAD, ptr, len);
  store<u32>(entry, len);
  return entry;
}

/** Completes the entry of a stored term with its result. */
export function rememberTerm(area: usize, end: usize, hash: u64, entry: usize, ptr: usize, len: u32, flags: u32): void {
  const mask = bucketMask(area, end), keyLen = <u32>load<u8>(entry), key = entry + ENTRY_HEAD;
  if (len > MAX_KEY) return;
  let bytes = keyLen;
  if (len <= keyLen && (len == 0 || equalTerms(key, ptr, len))) flags |= PREFIX;
  else {
    copyTerm(key + keyLen, ptr, len);
    bytes += len;
  }
  store<u32>(entry, keyLen | (len << 8) | (flags << 16));
  const place = load<u32>(area), bucket = area + HEADER + (<usize>(<u32>(hash >> 32) & mask) << 4);
  const slot = i32x4.splat((tagOf(hash) << 20) | (place >> 2));
  v128.store(bucket, v128.shuffle<u8>(slot, v128.load(bucket), 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  store<u32>(area, place + ((<u32>ENTRY_HEAD + bytes + 3) & ~3));
}

/** Copies exactly `len` bytes; memory.copy is a function call, and words are short. */
// @ts-ignore: decorator
@inline
export function copyTerm(to: usize, from: usize, len: u32): void {
  while (len >= 8) {
    store<u64>(to, load<u64>(from));
    to += 8;
    from += 8;
    len -= 8;
  }
  if (len & 4) {
    store<u32>(to, load<u32>(from));
    to += 4;
    from += 4;
  }
  if (len & 2) {
    store<u16>(to, load<u16>(from));
    to += 2;
    from += 2;
  }
  if (len & 1) store<u8>(to, load<u8>(from));
}
