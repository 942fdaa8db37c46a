// min_hash: for each of several hash functions, the smallest hashes of the text's terms, in buckets by their upper bits.
//   config ├─ hashCount u32 ─┬─ bucketCount u32 ─┬─ hashSetSize u32 ─┬─ withRotation u32 ─┤
//   area   ├─ end of the last word u64 ─┬─ seed 16 × hashCount ─┬─ Bucket × hashCount × bucketCount ─┬─ Hash ··· ─┬─ terms of the batch, from the middle of the area ─┤
// Source: Broder, "On the resemblance and containment of documents" (1997); MurmurHash3 x64 128 (Appleby, public domain), as in Lucene.
import { E_NO_SPACE } from '../../../mem/status';
import { appendText, decode, encode } from '../../../text/utf8';
import { awaitToken, termsLimit } from '../../producer';
import { Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { Token, TokenType, writeToken } from '../../token';
import { MinHashConfig } from '../../stage-configs';

// @ts-ignore: decorator
@unmanaged
class MinHashState extends Stage {
  /** 1 once all terms have been hashed. */
  isCollected: u32;
  /** Hash function and bucket being written, and the next hash of it. */
  hashFunction: u32;
  bucket: u32;
  hash: usize;
  hasOutput: u32;
}

/**
 * 128-bit hash. In a bucket it is a node of a search tree, which needs no balancing, since hashes arrive in random order. Once all are inserted,
 * the tree becomes a list linked by `larger`, smallest first. 0 is the null link.
 */
// @ts-ignore: decorator
@unmanaged
class Hash {
  low: u64;
  high: u64;
  larger: usize;
  smaller: usize;
}

// @ts-ignore: decorator
@unmanaged
class Bucket {
  /** Root of the tree, then the smallest hash. */
  first: usize;
  count: u32;
}

const SEED_BYTES: usize = 16;
/** Room for a term: ten units of three bytes, and one that is being appended. */
const TERM_BYTES: usize = 48;

export function minHashNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<MinHashState>(stage), config = changetype<MinHashConfig>(stage.config);
  const hashCount = config.hashCount, bucketCount = config.bucketCount;
  const base = (stage.termsPtr + 7) & ~7, seeds = base + 8, buckets = seeds + <usize>hashCount * SEED_BYTES;
  const hashes = (buckets + <usize>hashCount * bucketCount * offsetof<Bucket>() + 7) & ~7;
  const middle = (stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 1)) & ~7;
  if (hashes + 64 > middle) return E_NO_SPACE;
  if (!state.isCollected) {
    const status = collect(chain, stage, base, hashes, middle);
    if (status < 0) return status;
    state.isCollected = 1;
    if (status) state.hash = changetype<Bucket>(buckets).first;
    else state.hashFunction = hashCount;
  }
  stage.termCur = middle;
  const outEnd = termsLimit(stage, middle);
  let made: u32 = 0;
  while (made < chain.batch && state.hashFunction < hashCount) {
    if (!state.hash) {
      if (++state.bucket == bucketCount) {
        state.bucket = 0;
        state.hashFunction++;
      }
      if (state.hashFunction < hashCount) state.hash = bucketAt(buckets, state.hashFunction * bucketCount + state.bucket).first;
      continue;
    }
    if (stage.termCur + TERM_BYTES > outEnd) break;
    const hash = changetype<Hash>(state.hash), from = stage.termCur;
    const end = writeTerm(from, hash, state.hashFunction, hashCount), token = tokenAt(stage, made++);
    writeToken(changetype<usize>(token), from, <u32>(end - from), 0, load<u32>(base), TokenType.MIN_HASH);
    token.posInc = state.hasOutput ? 0 : 1;
    state.hasOutput = 1;
    stage.termCur = end;
    // A rotated bucket shares its hash with another one; only sets of one hash rotate.
    state.hash = config.hashSetSize == 1 ? 0 : hash.larger;
  }
  return made ? made : state.hashFunction < hashCount ? E_NO_SPACE : 0;
}

// @ts-ignore: decorator
@inline
function bucketAt(buckets: usize, i: u32): Bucket {
  return changetype<Bucket>(buckets + <usize>i * offsetof<Bucket>());
}

/** Reads the text and fills the buckets. Returns 1, 0 if the text has no words, or a status. */
function collect(chain: Chain, stage: Stage, base: usize, hashes: usize, end: usize): i32 {
  const config = changetype<MinHashConfig>(stage.config), hashCount = config.hashCount, bucketCount = config.bucketCount, setSize = config.hashSetSize;
  const seeds = base + 8, buckets = seeds + <usize>hashCount * SEED_BYTES, input = inputOf(stage);
  const bucketSize = (<u64>0xffffffff + bucketCount) / bucketCount;
  memory.fill(buckets, 0, <usize>hashCount * bucketCount * offsetof<Bucket>());
  for (let i: u32 = 0; i < hashCount; i++) {
    // The number as four bytes, big-endian.
    store<u32>(hashes, bswap(i));
    murmur(hashes, 4, changetype<Hash>(seeds + <usize>i * SEED_BYTES));
  }
  let free = hashes, spare: usize = 0, hasWords = 0, status: i32;
  while ((status = awaitToken(chain, stage)) > 0) {
    const token = tokenAt(input, input.taken);
    store<u32>(base, token.endOffset);
    hasWords = 1;
    const unitBytes = writeUnits(token, free, end);
    if (unitBytes < 0) return E_NO_SPACE;
    // The term's own hash is stored after its units.
    const own = (free + unitBytes + 7) & ~7;
    if (own + offsetof<Hash>() * 2 > end) return E_NO_SPACE;
    murmur(free, unitBytes, changetype<Hash>(own));
    const low = changetype<Hash>(own).low, high = changetype<Hash>(own).high;
    for (let i: u32 = 0; i < hashCount; i++) {
      if (!spare) {
        if (free + offsetof<Hash>() > end) return E_NO_SPACE;
        spare = free;
        free += offsetof<Hash>();
      }
      const seed = changetype<Hash>(seeds + <usize>i * SEED_BYTES), hash = changetype<Hash>(spare);
      hash.low = low * 37 + seed.low;
      hash.high = high * 37 + seed.high;
      spare = insert(bucketAt(buckets, i * bucketCount + <u32>((hash.high >> 32) / bucketSize)), hash, setSize);
    }
    input.taken++;
  }
  if (status < 0) return status;
  for (let i: u32 = 0; i < hashCount * bucketCount; i++) straighten(bucketAt(buckets, i));
  if (hasWords && config.withRotation && setSize == 1) for (let i: u32 = 0; i < hashCount; i++) rotate(buckets, i * bucketCount, bucketCount);
  return hasWords;
}

// @ts-ignore: decorator
@inline
function isLess(a: Hash, b: Hash): bool {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/**
 * Inserts a hash into its bucket if it is among the smallest. A full bucket evicts its largest hash first, even if the new one turns out to be
 * a duplicate. Returns the address of an unused hash, 0 for none.
 */
function insert(bucket: Bucket, hash: Hash, setSize: u32): usize {
  let spare: usize = 0;
  if (bucket.count >= setSize) {
    let parent: usize = 0, largest = bucket.first;
    while (changetype<Hash>(largest).larger) {
      parent = largest;
      largest = changetype<Hash>(largest).larger;
    }
    if (!isLess(hash, changetype<Hash>(largest))) return changetype<usize>(hash);
    if (parent) changetype<Hash>(parent).larger = changetype<Hash>(largest).smaller;
    else bucket.first = changetype<Hash>(largest).smaller;
    bucket.count--;
    spare = largest;
  }
  let parent: usize = 0, isSmaller = false;
  for (let node = bucket.first; node; node = isSmaller ? changetype<Hash>(node).smaller : changetype<Hash>(node).larger) {
    isSmaller = isLess(hash, changetype<Hash>(node));
    // A duplicate: discard the new one; the evicted hash is not restored.
    if (!isSmaller && !isLess(changetype<Hash>(node), hash)) return changetype<usize>(hash);
    parent = node;
  }
  hash.smaller = 0;
  hash.larger = 0;
  if (!parent) bucket.first = changetype<usize>(hash);
  else if (isSmaller) changetype<Hash>(parent).smaller = changetype<usize>(hash);
  else changetype<Hash>(parent).larger = changetype<usize>(hash);
  bucket.count++;
  return spare;
}

/** Turns the tree of a bucket into a list by rotating each node that has a smaller child. */
function straighten(bucket: Bucket): void {
  let before: usize = 0, node = bucket.first;
  while (node) {
    const smaller = changetype<Hash>(node).smaller;
    if (smaller) {
      changetype<Hash>(node).smaller = changetype<Hash>(smaller).larger;
      changetype<Hash>(smaller).larger = node;
      node = smaller;
      continue;
    }
    if (before) changetype<Hash>(before).larger = node;
    else bucket.first = node;
    before = node;
    node = changetype<Hash>(node).larger;
  }
}

/** Gives empty buckets the hash of the next non-empty one, cyclically. */
function rotate(buckets: usize, from: u32, count: u32): void {
  let next: usize = 0;
  for (let i = count; i > 0; i--) {
    const bucket = bucketAt(buckets, from + i - 1);
    if (bucket.first) next = bucket.first;
    else bucket.first = next;
  }
  // The buckets after the last non-empty one continue with the first, which is filled by now.
  const first = bucketAt(buckets, from).first;
  for (let i = count; i > 0; i--) {
    const bucket = bucketAt(buckets, from + i - 1);
    if (bucket.first) break;
    bucket.first = first;
  }
}

/** Writes a term as UTF-16, little-endian; lone surrogates become U+FFFD, as in Java's encoder. Returns the bytes, -1 if there is no room. */
function writeUnits(token: Token, out: usize, end: usize): i32 {
  if (out + (<usize>token.termLen << 1) + 16 > end) return -1;
  let cur = out;
  for (let p = token.termPtr, termEnd = p + token.termLen; p < termEnd; ) {
    const d = decode(p, termEnd), cp = d & 0xffffff;
    p += d >> 24;
    if (cp > 0xffff) {
      store<u32>(cur, (0xd800 + ((cp - 0x10000) >> 10)) | ((0xdc00 + (cp & 0x3ff)) << 16));
      cur += 4;
    } else {
      store<u16>(cur, (cp & 0xf800) == 0xd800 ? 0xfffd : cp);
      cur += 2;
    }
  }
  return <i32>(cur - out);
}

/** Writes a hash as a term: the number of its function if there are several, then its bits, 16 per unit. Returns the end. */
function writeTerm(from: usize, hash: Hash, number: u32, hashCount: u32): usize {
  let cur = from;
  if (hashCount > 1) {
    cur = appendUnit(from, cur, number >>> 16);
    cur = appendUnit(from, cur, number & 0xffff);
  }
  for (let shift: i32 = 48; shift >= 0; shift -= 16) cur = appendUnit(from, cur, <u32>((hash.high >> shift) & 0xffff));
  const least = hashCount > 1 ? 32 : 0;
  for (let shift: i32 = 48; shift >= least; shift -= 16) cur = appendUnit(from, cur, <u32>((hash.low >> shift) & 0xffff));
  return cur;
}

/** Appends a UTF-16 unit to a term; a low surrogate after a high one completes the pair. */
function appendUnit(from: usize, cur: usize, unit: u32): usize {
  // The unit is encoded a little after the position that it is appended to.
  const bytes = encode(cur + 8, unit);
  return appendText(from, cur, cur + 8, bytes);
}

// --- MurmurHash3 x64 128 with seed 0

const C1: u64 = 0x87c37b91114253d5;
const C2: u64 = 0x4cf5ad432745937f;

// @ts-ignore: decorator
@inline
function finish(k: u64): u64 {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccd;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53;
  return k ^ (k >> 33);
}

function murmur(ptr: usize, bytes: u32, out: Hash): void {
  let h1: u64 = 0, h2: u64 = 0;
  const blocks = ptr + (bytes & ~15);
  for (let p = ptr; p < blocks; p += 16) {
    h1 ^= rotl(load<u64>(p) * C1, 31) * C2;
    h1 = (rotl(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= rotl(load<u64>(p, 8) * C2, 33) * C1;
    h2 = (rotl(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  let k1: u64 = 0, k2: u64 = 0;
  const left = bytes & 15;
  for (let i = <i32>left - 1; i >= 8; i--) k2 |= <u64>load<u8>(blocks + i) << ((i - 8) << 3);
  for (let i = min<i32>(left, 8) - 1; i >= 0; i--) k1 |= <u64>load<u8>(blocks + i) << (i << 3);
  if (left > 8) h2 ^= rotl(k2 * C2, 33) * C1;
  if (left) h1 ^= rotl(k1 * C1, 31) * C2;
  h1 ^= bytes;
  h2 ^= bytes;
  h1 += h2;
  h2 += h1;
  h1 = finish(h1);
  h2 = finish(h2);
  h1 += h2;
  out.low = h1;
  out.high = h2 + h1;
}
