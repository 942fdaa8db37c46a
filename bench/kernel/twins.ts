// TypeScript twins of kernels, written as one would write them without WebAssembly: typed arrays, no allocation in the loops.

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc >>> 0;
});

export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ bytes[i]) & 0xff];
  return ~crc >>> 0;
}

function popcount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function countAnd(a: Uint32Array, b: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < a.length; i++) count += popcount(a[i] & b[i]);
  return count;
}

/** Offset, common divisor and width of a single-valued dense column; values as stored. */
export function writeColumn(values: Float64Array): {
  base: number;
  multiplier: number;
  stored: Uint8Array | Uint16Array | Uint32Array | Float64Array;
} {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  let divisor = high - low;
  for (let i = 0; i < values.length && divisor > 1; i++) {
    let rest = values[i] - low;
    while (rest !== 0) [rest, divisor] = [divisor % rest, rest];
  }
  const multiplier = Math.max(divisor, 1);
  const range = (high - low) / multiplier;
  const stored =
    range < 256
      ? new Uint8Array(values.length)
      : range < 65536
        ? new Uint16Array(values.length)
        : range < 2 ** 32
          ? new Uint32Array(values.length)
          : new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) stored[i] = (values[i] - low) / multiplier;
  return { base: low, multiplier, stored };
}

/** Ordinal of a term in a sorted list, -1 if it is not there. */
export function lookup(terms: readonly Buffer[], term: Uint8Array): number {
  let low = 0;
  let high = terms.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = Buffer.compare(terms[middle], term);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Inverted index of texts in JavaScript: term to alternating document and positions. Returns terms and occurrences. */
export function invert(texts: readonly string[]): { terms: number; occurrences: number } {
  const index = new Map<string, number[]>();
  let occurrences = 0;
  for (let docId = 0; docId < texts.length; docId++) {
    let position = 0;
    for (const [word] of texts[docId].matchAll(/[A-Za-z0-9]+/g)) {
      const term = word.toLowerCase();
      let postings = index.get(term);
      if (!postings) {
        postings = [];
        index.set(term, postings);
      }
      postings.push(docId, position++);
      occurrences++;
    }
  }
  return { terms: index.size, occurrences };
}
