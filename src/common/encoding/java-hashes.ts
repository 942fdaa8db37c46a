// Hash functions of Java, Lucene and HPPC. Slices, partitions of terms and random scores divide documents by them as Elasticsearch does.

/** String.hashCode of Java. */
export function stringHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

/** MurmurHash3 x86 32 (Austin Appleby, public domain), as Lucene's StringHelper: a signed integer. */
export function murmur3x86(bytes: Uint8Array, seed: number): number {
  let hash = seed;
  const blocks = bytes.length & ~3;
  for (let i = 0; i < blocks; i += 4) {
    hash ^= scramble(bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let i = bytes.length - 1; i >= blocks; i--) tail = (tail << 8) | bytes[i];
  if (bytes.length > blocks) hash ^= scramble(tail);
  return mix32(hash ^ bytes.length);
}

function scramble(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

/** HPPC's BitMixer.mix32. */
export function mix32(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** HPPC's BitMixer.mix64 (David Stafford's variant 9): a signed integer. */
export function mix64(value: bigint): bigint {
  let hash = BigInt.asUintN(64, value);
  hash = BigInt.asUintN(64, (hash ^ (hash >> 32n)) * 0x4cd6944c5cc20b6dn);
  hash = BigInt.asUintN(64, (hash ^ (hash >> 29n)) * 0xfc12c5b19d3259e9n);
  return BigInt.asIntN(64, hash ^ (hash >> 32n));
}

/** Math.floorMod of Java: 0..divisor-1, also of negative values. */
export function floorMod(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
