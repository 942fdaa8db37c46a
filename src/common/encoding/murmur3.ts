// MurmurHash3 for x64, 128 bits, of which the first 64 are returned. Source: Austin Appleby's public domain MurmurHash3_x64_128.

const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;
const MASK = (1n << 64n) - 1n;

function rotate(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & MASK;
}

function mix(value: bigint): bigint {
  let hash = value ^ (value >> 33n);
  hash = (hash * 0xff51afd7ed558ccdn) & MASK;
  hash ^= hash >> 33n;
  hash = (hash * 0xc4ceb9fe1a85ec53n) & MASK;
  return hash ^ (hash >> 33n);
}

const scrambleFirst = (k: bigint): bigint => (rotate((k * C1) & MASK, 31n) * C2) & MASK;
const scrambleSecond = (k: bigint): bigint => (rotate((k * C2) & MASK, 33n) * C1) & MASK;

/** The first 64 bits of the hash with seed 0, as a signed integer. */
export function murmur3(bytes: Uint8Array): bigint {
  const padded = Buffer.alloc(Math.ceil(bytes.length / 16) * 16);
  padded.set(bytes);
  const whole = Math.floor(bytes.length / 16) * 16;
  let [first, second] = [0n, 0n];
  for (let at = 0; at < whole; at += 16) {
    first = ((rotate(first ^ scrambleFirst(padded.readBigUInt64LE(at)), 27n) + second) * 5n + 0x52dce729n) & MASK;
    second = ((rotate(second ^ scrambleSecond(padded.readBigUInt64LE(at + 8)), 31n) + first) * 5n + 0x38495ab5n) & MASK;
  }
  if (whole < bytes.length) {
    second ^= scrambleSecond(padded.readBigUInt64LE(whole + 8));
    first ^= scrambleFirst(padded.readBigUInt64LE(whole));
  }
  const length = BigInt(bytes.length);
  first = ((first ^ length) + (second ^ length)) & MASK;
  second = ((second ^ length) + first) & MASK;
  return BigInt.asIntN(64, mix(first) + mix(second));
}
