// UTF-8 reading and writing, tolerant of anything: lone surrogates are 3-byte forms (WTF-8), a byte that starts no sequence
// or whose sequence is cut short reads as U+FFFD of one byte. Never reads at or behind `end`.

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

/** UTF-16 code units of bytes. Continuation bytes count nothing, four-byte leads two; a broken byte counts one. */
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
