// HyperLogLog on the host: the hash and registers of assembly/sketch/hll.ts, and the estimator.
// Source: Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", 2017, algorithm 6: unbiased over the whole range without
// correction tables.

const MASK = (1n << 64n) - 1n;

/** Finalizer of MurmurHash3 over 64 bits. */
function hashValue(value: bigint): bigint {
  let h = value & MASK;
  h = ((h ^ (h >> 33n)) * 0xff51afd7ed558ccdn) & MASK;
  h = ((h ^ (h >> 33n)) * 0xc4ceb9fe1a85ec53n) & MASK;
  return h ^ (h >> 33n);
}

/** Adds the 64 bits of a raw value to the registers. */
export function addValue(registers: Uint8Array, precision: number, bits: bigint): void {
  const hash = hashValue(bits);
  const at = Number(hash >> BigInt(64 - precision));
  const rest = ((hash << BigInt(precision)) & MASK) | (1n << BigInt(precision - 1));
  const rank = 65 - rest.toString(2).length;
  if (rank > registers[at]) registers[at] = rank;
}

/** Merges a sketch into `into`. */
export function mergeRegisters(into: Uint8Array, from: Uint8Array): void {
  for (let i = 0; i < into.length; i++) if (from[i] > into[i]) into[i] = from[i];
}

/** Estimated number of distinct values; the relative standard error is about 1.04 / sqrt(registers). */
export function estimate(registers: Uint8Array): number {
  const m = registers.length;
  const q = 64 - Math.log2(m);
  const counts = new Float64Array(q + 2);
  for (const rank of registers) counts[rank]++;
  let z = m * tau(1 - counts[q + 1] / m);
  for (let rank = q; rank >= 1; rank--) z = 0.5 * (z + counts[rank]);
  z += m * sigma(counts[0] / m);
  return Math.round((m * m) / (2 * Math.LN2 * z));
}

function sigma(x: number): number {
  if (x === 1) return Infinity;
  let y = 1;
  let z = x;
  for (let power = x, before = Number.NaN; z !== before; ) {
    power *= power;
    before = z;
    z += power * y;
    y += y;
  }
  return z;
}

function tau(x: number): number {
  if (x === 0 || x === 1) return 0;
  let y = 1;
  let z = 1 - x;
  for (let root = x, before = Number.NaN; z !== before; ) {
    root = Math.sqrt(root);
    before = z;
    y *= 0.5;
    z -= (1 - root) ** 2 * y;
  }
  return z / 3;
}
