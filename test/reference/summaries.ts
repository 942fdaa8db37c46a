// common_grams, fingerprint and min_hash over lists of tokens and strings.
import type { PlainToken } from './token-filters.ts';

export function withGrams(tokens: readonly PlainToken[], isCommon: (term: string) => boolean): PlainToken[] {
  const out: PlainToken[] = [];
  tokens.forEach((token, i) => {
    const before = tokens[i - 1];
    if (before && (isCommon(before.term) || isCommon(token.term))) {
      out.push({
        ...token,
        term: `${before.term}_${token.term}`,
        startOffset: before.startOffset,
        type: 'gram',
        posInc: 0,
        posLen: 2,
        keyword: false,
      });
    }
    out.push(token);
  });
  return out;
}

/** Behaviour of CommonGramsQueryFilter for any stream: a token is written if the next one is not a gram; the last one unless a gram was written before. */
export function gramsOnly(tokens: readonly PlainToken[]): PlainToken[] {
  const out: PlainToken[] = [];
  tokens.forEach((token, i) => {
    const isGram = token.type === 'gram';
    const isShown = i + 1 < tokens.length ? tokens[i + 1].type !== 'gram' : out[out.length - 1]?.type !== 'gram';
    if (isShown) out.push(isGram ? { ...token, posInc: 1, posLen: 1 } : token);
  });
  return out;
}

/** Distinct terms in order of their UTF-16 units as one token; none if that is longer than `maxSize`. */
export function fingerprint(tokens: readonly PlainToken[], endOffset: number, separator: string, maxSize: number): PlainToken[] {
  const terms = [...new Set(tokens.map((token) => token.term))].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const size = terms.reduce((sum, term) => sum + term.length, terms.length - 1);
  return terms.length && size <= maxSize ? [summary(terms.filter((term) => term !== '').join(separator), endOffset, 'fingerprint', 1)] : [];
}

function summary(term: string, endOffset: number, type: string, posInc: number): PlainToken {
  return { term, startOffset: 0, endOffset, posInc, posLen: 1, type, keyword: false };
}

// --- min_hash: Source: Broder 1997; MurmurHash3 x64 128 (Appleby, public domain)

const MASK = (1n << 64n) - 1n;
const rotate = (x: bigint, r: bigint): bigint => ((x << r) | (x >> (64n - r))) & MASK;

function mix(k: bigint): bigint {
  k ^= k >> 33n;
  k = (k * 0xff51afd7ed558ccdn) & MASK;
  k ^= k >> 33n;
  k = (k * 0xc4ceb9fe1a85ec53n) & MASK;
  return k ^ (k >> 33n);
}

/** MurmurHash3 x64 128 with seed 0. */
function murmur128(bytes: Uint8Array): [bigint, bigint] {
  const c1 = 0x87c37b91114253d5n;
  const c2 = 0x4cf5ad432745937fn;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let h1 = 0n;
  let h2 = 0n;
  const blocks = bytes.length & ~15;
  for (let i = 0; i < blocks; i += 16) {
    const k1 = (rotate((view.getBigUint64(i, true) * c1) & MASK, 31n) * c2) & MASK;
    h1 = (rotate(h1 ^ k1, 27n) + h2) & MASK;
    h1 = (h1 * 5n + 0x52dce729n) & MASK;
    const k2 = (rotate((view.getBigUint64(i + 8, true) * c2) & MASK, 33n) * c1) & MASK;
    h2 = (rotate(h2 ^ k2, 31n) + h1) & MASK;
    h2 = (h2 * 5n + 0x38495ab5n) & MASK;
  }
  let k1 = 0n;
  let k2 = 0n;
  for (let i = bytes.length - 1; i >= blocks; i--) {
    const at = i - blocks;
    if (at >= 8) k2 |= BigInt(bytes[i]) << BigInt((at - 8) * 8);
    // Lucene's eighth byte is signed.
    else k1 |= at === 7 ? (BigInt.asUintN(64, BigInt.asIntN(8, BigInt(bytes[i]))) << 56n) & MASK : BigInt(bytes[i]) << BigInt(at * 8);
  }
  if (bytes.length & 15) {
    if ((bytes.length & 15) > 8) h2 ^= (rotate((k2 * c2) & MASK, 33n) * c1) & MASK;
    h1 ^= (rotate((k1 * c1) & MASK, 31n) * c2) & MASK;
  }
  h1 ^= BigInt(bytes.length);
  h2 ^= BigInt(bytes.length);
  h1 = (h1 + h2) & MASK;
  h2 = (h2 + h1) & MASK;
  h1 = mix(h1);
  h2 = mix(h2);
  h1 = (h1 + h2) & MASK;
  return [h1, (h2 + h1) & MASK];
}

function utf16Bytes(text: string): Uint8Array {
  const out = new Uint8Array(text.length * 2);
  for (let i = 0; i < text.length; i++) {
    out[i * 2] = text.charCodeAt(i) & 0xff;
    out[i * 2 + 1] = text.charCodeAt(i) >> 8;
  }
  return out;
}

type Hash = readonly [low: bigint, high: bigint];

const compare = (a: Hash, b: Hash): number => (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0);

export interface MinHashOptions {
  readonly hashCount: number;
  readonly bucketCount: number;
  readonly hashSetSize: number;
  readonly withRotation: boolean;
}

export function minHash(tokens: readonly PlainToken[], options: MinHashOptions): PlainToken[] {
  const { hashCount, bucketCount, hashSetSize, withRotation } = options;
  if (!tokens.length) return [];
  const bucketSize = BigInt(Math.ceil(2 ** 32 / bucketCount));
  const seeds = Array.from({ length: hashCount }, (_, i) => murmur128(Uint8Array.of(i >>> 24, i >>> 16, i >>> 8, i)));
  const sets: Hash[][][] = seeds.map(() => Array.from({ length: bucketCount }, () => []));
  for (const token of tokens) {
    const [low, high] = murmur128(utf16Bytes(token.term.replace(/\p{Surrogate}/gu, '\ufffd')));
    seeds.forEach(([seedLow, seedHigh], i) => {
      const hash: Hash = [(low * 37n + seedLow) & MASK, (high * 37n + seedHigh) & MASK];
      addTo(sets[i][Number((hash[1] >> 32n) / bucketSize)], hash, hashSetSize);
    });
  }
  if (withRotation && hashSetSize === 1) for (const buckets of sets) rotateInto(buckets);
  const { endOffset } = tokens[tokens.length - 1];
  return sets
    .flatMap((buckets, i) => buckets.flat().map((hash) => hashTerm(hash, i, hashCount)))
    .map((term, i) => summary(term, endOffset, 'MIN_HASH', i === 0 ? 1 : 0));
}

/** Keeps the smallest `size` distinct hashes in order. */
function addTo(bucket: Hash[], hash: Hash, size: number): void {
  if (bucket.length >= size) {
    if (compare(hash, bucket[bucket.length - 1]) >= 0) return;
    bucket.pop();
  }
  const at = bucket.findIndex((other) => compare(hash, other) <= 0);
  if (at < 0) bucket.push(hash);
  else if (compare(hash, bucket[at]) !== 0) bucket.splice(at, 0, hash);
}

/** Empty buckets get the hash of the next non-empty one, cyclically; buckets filled in this way count as filled for those after them. */
function rotateInto(buckets: Hash[][]): void {
  for (let i = 0; i < buckets.length; i++) {
    if (buckets[i].length) continue;
    for (let step = 1; step < buckets.length; step++) {
      const other = buckets[(i + step) % buckets.length];
      if (other.length) {
        buckets[i].push(other[0]);
        break;
      }
    }
  }
}

function hashTerm([low, high]: Hash, index: number, hashCount: number): string {
  const units: number[] = hashCount > 1 ? [index >>> 16, index & 0xffff] : [];
  const unit = (value: bigint, shift: bigint): number => Number((value >> shift) & 0xffffn);
  for (const shift of [48n, 32n, 16n, 0n]) units.push(unit(high, shift));
  units.push(unit(low, 48n), unit(low, 32n));
  if (hashCount === 1) units.push(unit(low, 16n), unit(low, 0n));
  return String.fromCharCode(...units);
}
