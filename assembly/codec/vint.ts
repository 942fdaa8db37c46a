// LEB128 variable-length integers: 7 bits a byte, low bits first, top bit set on all bytes but the last.
//   u32: 1..5 bytes │ u64: 1..10 bytes
// `readVint` reads trusted bytes (checksummed sections, own buffers); `checkedVint` reads bytes from outside.

/** Writes `value` at `cur`; returns one past it. */
// @ts-ignore: decorator
@inline
export function writeVint(cur: usize, value: u32): usize {
  while (value > 0x7f) {
    store<u8>(cur++, <u8>(value | 0x80));
    value >>= 7;
  }
  store<u8>(cur, <u8>value);
  return cur + 1;
}

export function writeVlong(cur: usize, value: u64): usize {
  while (value > 0x7f) {
    store<u8>(cur++, <u8>(value | 0x80));
    value >>= 7;
  }
  store<u8>(cur, <u8>value);
  return cur + 1;
}

/** Size of `writeVint(value)` in bytes. */
// @ts-ignore: decorator
@inline
export function vintBytes(value: u32): u32 {
  return (38 - clz<u32>(value | 1)) / 7;
}

/** Value at `cur`; the next value is at `cur + vintBytes(value)`, since only the shortest form is ever written. */
// @ts-ignore: decorator
@inline
export function readVint(cur: usize): u32 {
  let byte = <u32>load<u8>(cur);
  if (byte < 0x80) return byte;
  let value = byte & 0x7f;
  byte = <u32>load<u8>(cur, 1);
  value |= (byte & 0x7f) << 7;
  if (byte < 0x80) return value;
  byte = <u32>load<u8>(cur, 2);
  value |= (byte & 0x7f) << 14;
  if (byte < 0x80) return value;
  byte = <u32>load<u8>(cur, 3);
  value |= (byte & 0x7f) << 21;
  if (byte < 0x80) return value;
  return value | ((<u32>load<u8>(cur, 4)) << 28);
}

export function readVlong(cur: usize): u64 {
  let value: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 7) {
    const byte = <u64>load<u8>(cur++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

/** Size of `writeVlong(value)` in bytes. */
// @ts-ignore: decorator
@inline
export function vlongBytes(value: u64): u32 {
  return (<u32>(70 - clz<u64>(value | 1))) / 7;
}
