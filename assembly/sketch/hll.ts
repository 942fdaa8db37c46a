// HyperLogLog: 2^precision registers of one byte. The first bits of a 64-bit hash select a register, which keeps the largest rank of the
// other bits: their number of leading zeros plus one, at most 65 - precision. The host estimates (src/aggs/metrics/hyper-log-log.ts).
// Source: Flajolet et al., "HyperLogLog", 2007; 64-bit hashes as in Heule et al., "HyperLogLog in Practice", 2013.

/** Murmur3's finaliser: a bijection of 64-bit values, so equal hashes are equal values. */
@inline
export function hashValue(value: u64): u64 {
  let h = value;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

/** Adds a hash to the registers; precision is 4-18. */
@inline
export function hllAdd(registers: usize, precision: u32, hash: u64): void {
  const at = registers + <usize>(hash >> (64 - precision));
  // The bit after the last hash bit bounds the rank.
  const rank = <u32>clz<u64>((hash << precision) | ((<u64>1) << (precision - 1))) + 1;
  if (rank > <u32>load<u8>(at)) store<u8>(at, rank);
}
