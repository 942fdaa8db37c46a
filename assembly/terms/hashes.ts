// Hashes of all terms of a dictionary, which identify terms across segments without comparing their bytes. 64 bits a term, so that among a million
// terms two share a hash once in 37 million indexes.
import { hashBytes } from '../codec/hash';
import { TermsCursor, cursorNext, cursorOpen } from './cursor';

const LOW_SEED: u64 = 0x9e3779b97f4a7c15;
const HIGH_SEED: u64 = 0xc2b2ae3d27d4eb4f;

/** Writes u32 low, u32 high of the hash of [ptr, ptr + length) to `out`. May read up to 7 bytes after the term. */
export function termsHash(ptr: usize, length: u32, out: usize): void {
  store<u32>(out, hashBytes(ptr, length, LOW_SEED));
  store<u32>(out, hashBytes(ptr, length, HIGH_SEED), 4);
}

/** Hashes of all terms in order of their ordinals; `cursorPtr`: TERMS_CURSOR_BYTES, followed by room for the longest term and 8 bytes. */
export function termsHashes(headerPtr: usize, out: usize, cursorPtr: usize): void {
  const cursor = changetype<TermsCursor>(cursorPtr);
  cursorOpen(cursor, headerPtr, 0, cursorPtr + 64);
  while (cursorNext(cursor)) {
    termsHash(cursor.termPtr, cursor.termLen, out);
    out += 8;
  }
}
