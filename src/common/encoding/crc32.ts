// CRC-32 (ISO 3309, ITU-T V.42) by tables, eight bytes a step ("slicing by 8", Kounavis and Berry 2005). As fast as node:zlib's for inputs up
// to 300 bytes, whose module adds some milliseconds to each start; longer ones use it where Node has it (4.1 instead of 0.7 GB/s).

const SLICES = 8;
const POLYNOMIAL = 0xedb88320;
/** CRC-32C (Castagnoli 1993), which segment images use. */
const POLYNOMIAL_C = 0x82f63b78;
/** [slice * 256 + byte]: checksum of the byte followed by `slice` zero bytes. */
const TABLES = makeTables(POLYNOMIAL);
let tablesC: Int32Array | null = null;
/** From this length on, words are read instead of bytes. */
const WORDS_BYTES = 1 << 12;
const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
/** From this length on, node:zlib's function is faster in spite of its call. */
const NATIVE_BYTES = 512;

type NativeCrc = (bytes: Uint8Array, seed?: number) => number;
/** undefined: not looked for yet; null: this Node has none. */
let native: NativeCrc | null | undefined;

function makeTables(polynomial: number): Int32Array {
  const tables = new Int32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    tables[byte] = crc;
  }
  for (let at = 256; at < tables.length; at++) tables[at] = (tables[at - 256] >>> 8) ^ tables[tables[at - 256] & 255];
  return tables;
}

/**
 * @param seed  checksum of the preceding bytes
 * @param from  offset of the first byte to include
 * @returns u32
 */
export function crc32(bytes: Uint8Array, seed = 0, from = 0): number {
  if (bytes.length - from < NATIVE_BYTES) return checksum(TABLES, bytes, seed, from);
  if (native === undefined) native = findNative();
  if (native === null) return checksum(TABLES, bytes, seed, from);
  return native(from === 0 ? bytes : bytes.subarray(from), seed);
}

/** `crc32` of node:zlib, in Node 20.16 and 22.3 and newer, and not in browsers. */
function findNative(): NativeCrc | null {
  const zlib = globalThis.process?.getBuiltinModule?.('node:zlib') as { readonly crc32?: NativeCrc } | undefined;
  return zlib?.crc32 ?? null;
}

/** @param seed  checksum of the preceding bytes. @returns u32 */
export function crc32c(bytes: Uint8Array, seed = 0): number {
  tablesC ??= makeTables(POLYNOMIAL_C);
  return checksum(tablesC, bytes, seed, 0);
}

function checksum(t: Int32Array, bytes: Uint8Array, seed: number, from: number): number {
  const { length } = bytes;
  let crc = ~seed;
  let i = from;
  if (length - i >= WORDS_BYTES && IS_LITTLE_ENDIAN) {
    for (; ((bytes.byteOffset + i) & 3) !== 0; i++) crc = (crc >>> 8) ^ t[(crc ^ bytes[i]) & 255];
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + i, ((length - i) >>> 3) << 1);
    crc = wordsChecksum(t, words, crc);
    i += words.byteLength;
  }
  for (const end = length - SLICES; i <= end; i += SLICES) {
    crc ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    crc =
      t[1792 | (crc & 255)] ^
      t[1536 | ((crc >>> 8) & 255)] ^
      t[1280 | ((crc >>> 16) & 255)] ^
      t[1024 | (crc >>> 24)] ^
      t[768 | bytes[i + 4]] ^
      t[512 | bytes[i + 5]] ^
      t[256 | bytes[i + 6]] ^
      t[bytes[i + 7]];
  }
  for (; i < length; i++) crc = (crc >>> 8) ^ t[(crc ^ bytes[i]) & 255];
  return ~crc >>> 0;
}

/** @param words  an even number of them */
function wordsChecksum(t: Int32Array, words: Int32Array, seed: number): number {
  let crc = seed;
  for (let i = 0; i < words.length; i += 2) {
    const low = crc ^ words[i];
    const high = words[i + 1];
    crc =
      t[1792 | (low & 255)] ^
      t[1536 | ((low >>> 8) & 255)] ^
      t[1280 | ((low >>> 16) & 255)] ^
      t[1024 | (low >>> 24)] ^
      t[768 | (high & 255)] ^
      t[512 | ((high >>> 8) & 255)] ^
      t[256 | ((high >>> 16) & 255)] ^
      t[high >>> 24];
  }
  return crc;
}

/** Checksum of a string whose characters are bytes (latin1). */
export function crc32Latin1(text: string): number {
  return crc32(Buffer.from(text, 'latin1'));
}
