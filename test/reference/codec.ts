// Slow twins of assembly/codec.

/** CRC-32C bit by bit. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Bytes of the bitset with these bits, padded to a multiple of 64. */
export function bitset(bits: number, members: Iterable<number>): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(bits / 512) * 64);
  for (const member of members) bytes[member >> 3] |= 1 << (member & 7);
  return bytes;
}

/** LEB128: seven bits a byte, low bits first, the top bit set on all but the last. */
export function vints(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (let value of numbers) {
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
    bytes.push(value);
  }
  return Uint8Array.from(bytes);
}
