// UTF-8 reading and writing, tolerant of any input: lone surrogates are 3-byte forms (WTF-8); a byte that starts no sequence
// or whose sequence is cut short reads as U+FFFD of one byte. Never reads at or after `end`.

/** Code point in the low 24 bits, its length in bytes (1..4) above. Pre: ptr < end. */
// @ts-ignore: decorator
@inline
export function decode(ptr: usize, end: usize): u32 {
  const b0 = <u32>load<u8>(ptr);
  if (b0 < 0x80) return b0 | (1 << 24);
  return decodeMulti(ptr, end, b0);
}

function decodeMulti(ptr: usize, end: usize, b0: u32): u32 {
  if (b0 >= 0xc2 && b0 < 0xe0 && ptr + 1 < end) {
    const b1 = <u32>load<u8>(ptr, 1);
    if ((b1 & 0xc0) == 0x80) return ((b0 & 31) << 6) | (b1 & 63) | (2 << 24);
  } else if ((b0 & 0xf0) == 0xe0 && ptr + 2 < end) {
    const b1 = <u32>load<u8>(ptr, 1), b2 = <u32>load<u8>(ptr, 2);
    const cp = ((b0 & 15) << 12) | ((b1 & 63) << 6) | (b2 & 63);
    if ((b1 & 0xc0) == 0x80 && (b2 & 0xc0) == 0x80 && cp >= 0x800) return cp | (3 << 24);
  } else if (b0 >= 0xf0 && b0 < 0xf5 && ptr + 3 < end) {
    const b1 = <u32>load<u8>(ptr, 1), b2 = <u32>load<u8>(ptr, 2), b3 = <u32>load<u8>(ptr, 3);
    const cp = ((b0 & 7) << 18) | ((b1 & 63) << 12) | ((b2 & 63) << 6) | (b3 & 63);
    if ((b1 & 0xc0) == 0x80 && (b2 & 0xc0) == 0x80 && (b3 & 0xc0) == 0x80 && cp >= 0x10000 && cp < 0x110000) return cp | (4 << 24);
  }
  return 0xfffd | (1 << 24);
}

/** Writes one code point, returns its length. Pre: 4 bytes of room. */
export function encode(ptr: usize, cp: u32): u32 {
  if (cp < 0x80) {
    store<u8>(ptr, cp);
    return 1;
  }
  if (cp < 0x800) {
    store<u8>(ptr, 0xc0 | (cp >> 6));
    store<u8>(ptr, 0x80 | (cp & 63), 1);
    return 2;
  }
  if (cp < 0x10000) {
    store<u8>(ptr, 0xe0 | (cp >> 12));
    store<u8>(ptr, 0x80 | ((cp >> 6) & 63), 1);
    store<u8>(ptr, 0x80 | (cp & 63), 2);
    return 3;
  }
  store<u8>(ptr, 0xf0 | (cp >> 18));
  store<u8>(ptr, 0x80 | ((cp >> 12) & 63), 1);
  store<u8>(ptr, 0x80 | ((cp >> 6) & 63), 2);
  store<u8>(ptr, 0x80 | (cp & 63), 3);
  return 4;
}

// @ts-ignore: decorator
@inline
export function encodedLength(cp: u32): u32 {
  return cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
}

/** Start of the code point that ends at `ptr`. Pre: start < ptr. */
export function previous(ptr: usize, start: usize): usize {
  let cur = ptr - 1;
  while (cur > start && (load<u8>(cur) & 0xc0) == 0x80 && ptr - cur < 4) cur--;
  return cur;
}

/** UTF-16 code units of bytes. Continuation bytes count zero, four-byte leads two; a broken byte counts one. */
export function utf16Length(ptr: usize, end: usize): u32 {
  let units: u32 = 0;
  while (ptr < end) {
    if (load<u8>(ptr) < 0x80) {
      units++;
      ptr++;
      continue;
    }
    const d = decode(ptr, end);
    units += (d & 0xffffff) > 0xffff ? 2 : 1;
    ptr += d >> 24;
  }
  return units;
}

/** Code points of bytes. */
export function codePointLength(ptr: usize, end: usize): u32 {
  let count: u32 = 0;
  while (ptr < end) {
    ptr += decode(ptr, end) >> 24;
    count++;
  }
  return count;
}

/**
 * Whether U+FFFD may be among the bytes; bytes after the text may count, too. Reads up to 18 bytes after it.
 * An encoder writes it for half of a surrogate pair: this check is ten times as fast as searching a string of two-byte units.
 */
export function hasReplacement(ptr: usize, bytes: u32): bool {
  for (let cur = ptr, end = ptr + bytes; cur < end; cur += 16) {
    const first = i8x16.eq(v128.load(cur), i8x16.splat(<i8>0xef));
    if (!v128.any_true(first)) continue;
    const rest = v128.and(i8x16.eq(v128.load(cur, 1), i8x16.splat(<i8>0xbf)), i8x16.eq(v128.load(cur, 2), i8x16.splat(<i8>0xbd)));
    if (v128.any_true(v128.and(first, rest))) return true;
  }
  return false;
}

/** Appends a string to the bytes [from, cur); two halves of a surrogate pair that become adjacent are joined. Returns the end. */
export function appendText(from: usize, cur: usize, ptr: usize, len: u32): usize {
  if (len >= 3 && cur >= from + 3 && load<u8>(ptr) == 0xed && load<u8>(cur - 3) == 0xed && load<u8>(ptr, 1) >= 0xb0 && (load<u8>(cur - 2) & 0xf0) == 0xa0) {
    const high = ((<u32>load<u8>(cur - 2) & 15) << 6) | (<u32>load<u8>(cur - 1) & 63);
    const low = ((<u32>load<u8>(ptr, 1) & 15) << 6) | (<u32>load<u8>(ptr, 2) & 63);
    cur -= 3;
    cur += encode(cur, 0x10000 + (high << 10) + low);
    ptr += 3;
    len -= 3;
  }
  memory.copy(cur, ptr, len);
  return cur + len;
}

/** Order of two strings by their UTF-16 units, as Java and JavaScript compare strings: below 0, 0, above 0. */
export function compareUnits(a: usize, aEnd: usize, b: usize, bEnd: usize): i32 {
  while (a < aEnd && b < bEnd) {
    const x = decode(a, aEnd), y = decode(b, bEnd);
    if (x == y) {
      a += x >> 24;
      b += y >> 24;
      continue;
    }
    const p = x & 0xffffff, q = y & 0xffffff, first = firstUnit(p) - firstUnit(q);
    if (first) return first;
    // The same high surrogate, followed by different low ones or none.
    const second = p > 0xffff ? <i32>(p & 0x3ff) + 0xdc00 : unitBehind(a + (x >> 24), aEnd);
    return second - (q > 0xffff ? <i32>(q & 0x3ff) + 0xdc00 : unitBehind(b + (y >> 24), bEnd));
  }
  return <i32>(a < aEnd) - <i32>(b < bEnd);
}

// @ts-ignore: decorator
@inline
function firstUnit(cp: u32): i32 {
  return cp > 0xffff ? 0xd800 + ((cp - 0x10000) >> 10) : cp;
}

/** First unit of the string at `ptr`, -1 at its end. */
function unitBehind(ptr: usize, end: usize): i32 {
  return ptr < end ? firstUnit(decode(ptr, end) & 0xffffff) : -1;
}
