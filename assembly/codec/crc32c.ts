// CRC-32C of a byte range, eight bytes a step.
// Source: Kounavis and Berry, "A Systematic Approach to Building High Performance Software-based CRC Generators" (slicing-by-8); RFC 3720 B.4.
import { CRC32C_TABLES } from './crc32c-tables';

/** Checksum of [ptr, ptr + bytes), continuing `seed` (0 at the start). */
export function crc32c(ptr: usize, bytes: usize, seed: u32): u32 {
  const tables = changetype<usize>(CRC32C_TABLES);
  let crc = ~seed;
  const end = ptr + bytes;
  while (ptr < end && (ptr & 7) != 0) {
    crc = (crc >>> 8) ^ load<u32>(tables + (<usize>((crc ^ load<u8>(ptr)) & 0xff) << 2));
    ptr++;
  }
  for (const wordsEnd = ptr + ((end - ptr) & ~7); ptr < wordsEnd; ptr += 8) {
    const low = crc ^ load<u32>(ptr);
    const high = load<u32>(ptr, 4);
    crc =
      load<u32>(tables + (<usize>(low & 0xff) << 2), 7168) ^
      load<u32>(tables + (<usize>((low >>> 8) & 0xff) << 2), 6144) ^
      load<u32>(tables + (<usize>((low >>> 16) & 0xff) << 2), 5120) ^
      load<u32>(tables + (<usize>(low >>> 24) << 2), 4096) ^
      load<u32>(tables + (<usize>(high & 0xff) << 2), 3072) ^
      load<u32>(tables + (<usize>((high >>> 8) & 0xff) << 2), 2048) ^
      load<u32>(tables + (<usize>((high >>> 16) & 0xff) << 2), 1024) ^
      load<u32>(tables + (<usize>(high >>> 24) << 2));
  }
  for (; ptr < end; ptr++) crc = (crc >>> 8) ^ load<u32>(tables + (<usize>((crc ^ load<u8>(ptr)) & 0xff) << 2));
  return ~crc;
}
