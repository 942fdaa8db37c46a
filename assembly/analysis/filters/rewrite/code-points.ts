// A term as an array of code points, for filters that look at neighbours, delete and insert. The array is stored after termCur, in the unused
// part of the batch's area, and is valid until the next call here.
//   termCur ├─ (aligned) u32 × count ─┬─ room for encoding ─┤
import { E_NO_SPACE } from '../../../mem/status';
import { decode, encode, encodedLength } from '../../../text/utf8';
import { Stage } from '../../stage';
import { Token } from '../../token';

/** Extra code points that a filter may insert. */
const SLACK: u32 = 64;

// @ts-ignore: decorator
@inline
export function codePoints(batch: Stage): usize {
  return (batch.termCur + 7) & ~7;
}

/** Decodes the term. Returns the count, or E_NO_SPACE. */
export function loadCodePoints(batch: Stage, token: Token): i32 {
  const array = codePoints(batch);
  if (array + (<usize>(token.termLen * 2 + SLACK) << 2) + token.termLen * 8 > batch.termsEnd) return E_NO_SPACE;
  let out = array;
  for (let p = token.termPtr, end = p + token.termLen; p < end; ) {
    const d = decode(p, end);
    store<u32>(out, d & 0xffffff);
    out += 4;
    p += d >> 24;
  }
  return <i32>((out - array) >> 2);
}

/** Encodes `count` code points as the term. */
export function storeCodePoints(batch: Stage, token: Token, count: u32): i32 {
  const array = codePoints(batch), end = array + (<usize>count << 2);
  let bytes: u32 = 0;
  for (let p = array; p < end; p += 4) bytes += encodedLength(load<u32>(p));
  let out = token.termPtr;
  if (bytes > token.termLen) {
    // Write after the array first, since the new term starts where the array is.
    out = end;
    if (out + bytes > batch.termsEnd) return E_NO_SPACE;
  }
  let cur = out;
  for (let p = array; p < end; p += 4) cur += encode(cur, load<u32>(p));
  if (bytes > token.termLen) {
    memory.copy(batch.termCur, out, bytes);
    token.termPtr = batch.termCur;
    batch.termCur += bytes;
  }
  token.termLen = bytes;
  return 0;
}

// @ts-ignore: decorator
@inline
export function at(array: usize, i: i32): u32 {
  return load<u32>(array + (<usize>i << 2));
}

// @ts-ignore: decorator
@inline
export function put(array: usize, i: i32, cp: u32): void {
  store<u32>(array + (<usize>i << 2), cp);
}

/** Removes element `i` of `count`. Returns count - 1. */
export function removeAt(array: usize, i: i32, count: i32): i32 {
  const p = array + (<usize>i << 2);
  memory.copy(p, p + 4, <usize>(count - i - 1) << 2);
  return count - 1;
}

/** Inserts an element at `i`. Returns count + 1. */
export function insertAt(array: usize, i: i32, count: i32, cp: u32): i32 {
  const p = array + (<usize>i << 2);
  memory.copy(p + 4, p, <usize>(count - i) << 2);
  store<u32>(p, cp);
  return count + 1;
}

/** True if the term has a byte outside ASCII. */
export function hasNonAscii(token: Token): bool {
  for (let p = token.termPtr, end = p + token.termLen; p < end; p++) if (load<u8>(p) >= 0x80) return true;
  return false;
}
