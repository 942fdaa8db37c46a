// Rewrites terms: stemmers, and the normalizations and case mappings beside them, one after the other.
//   config ├─ op u32 ─┬─ op u32 ─┬─ ··· ─┤   a stemmer's id, or NORMALIZE + variant, or CASE + variant
//   KSTEM is followed by its word list: ├─ op u32 ─┬─ bytes u32 ─┬─ lexicon (stemmers/lexicon.ts), a multiple of 4 bytes ─┤
// What becomes of a term depends on the term alone (and its keyword flag), and words come again: the stage's area is a cache of results, one
// entry for each value of a hash, kept from text to text. Keywords, which stemmers leave alone, go by it.
//   area  ├─ entry × 2^k ─┬─ index of suffix lists (stemmers/suffix-index.ts) ─┤
//   entry (64 bytes) ├─ keyLen u8, 0 free ─┬─ resultLen u8 ─┬─ key ─┬─ result, unless the key begins with it ─┤
import { E_CORRUPT, E_NO_SPACE } from '../../mem/status';
import { decode, encode } from '../../text/utf8';
import { renewTerm, Stage, tokenAt } from '../stage';
import { ENGLISH_POSSESSIVE, KSTEM, runStemmer } from '../stemmers/stemmers';
import { clearSuffixIndex, useSuffixIndex } from '../stemmers/suffix-index';
import { GROWTH, setWord, unitAt, word, wordLen } from '../stemmers/word';
import { sameBytes } from '../term-set';
import { FLAG_KEYWORD, Token } from '../token';
import { changeCase } from './lowercase';
import { normalizeToken } from './normalize';

const NORMALIZE: u32 = 0x100;
const CASE: u32 = 0x200;
/** Bytes of an entry for key and result. */
const ROOM: u32 = 62;

export function stemFilter(stage: Stage, batch: Stage): i32 {
  const mask = cacheEntries(stage) - 1;
  const isPossessive = stage.configBytes == 4 && load<u32>(stage.config) == ENGLISH_POSSESSIVE;
  useSuffixIndex(indexPtr(stage), stage.termsEnd);
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i), keyLen = token.termLen;
    if (keyLen == 0) continue;
    // Most words are rid of the possessive by their last letter.
    if (isPossessive && (load<u8>(token.termPtr + keyLen - 1) | 32) != 0x73) continue;
    if (token.flags & FLAG_KEYWORD || keyLen > ROOM) {
      const status = rewrite(stage, batch, token);
      if (status < 0) return status;
      continue;
    }
    const entry = stage.termsPtr + (<usize>(hashWord(token.termPtr, keyLen) & mask) << 6);
    if (load<u8>(entry) == keyLen && sameBytes(entry + 2, token.termPtr, keyLen)) {
      const len = <u32>load<u8>(entry, 1);
      if (len & PREFIX) {
        token.termLen = len - PREFIX;
        continue;
      }
      const status = renewTerm(batch, token, len);
      if (status < 0) return status;
      copyBytes(token.termPtr, entry + 2 + keyLen, len);
      continue;
    }
    // Until the result is known the entry is free.
    store<u8>(entry, 0);
    copyBytes(entry + 2, token.termPtr, keyLen);
    const status = rewrite(stage, batch, token);
    if (status < 0) return status;
    const len = token.termLen;
    if (len <= keyLen && sameBytes(entry + 2, token.termPtr, len)) {
      store<u8>(entry, keyLen);
      store<u8>(entry, len | PREFIX, 1);
    } else if (keyLen + len <= ROOM) {
      store<u8>(entry, keyLen);
      store<u8>(entry, len, 1);
      copyBytes(entry + 2 + keyLen, token.termPtr, len);
    }
  }
  return 0;
}

/** In an entry's resultLen: the key begins with the result. */
const PREFIX: u32 = 128;

/** All operations over one token. Returns 0 or a status. */
function rewrite(stage: Stage, batch: Stage, token: Token): i32 {
  for (let at = stage.config, end = at + stage.configBytes; at < end; at += 4) {
    const op = load<u32>(at);
    if (op == KSTEM && (at + 8 > end || load<u32>(at, 4) > <u32>(end - at - 8))) return E_CORRUPT;
    const status = op >= CASE ? changeCase(batch, token, op - CASE) : op >= NORMALIZE ? normalizeToken(batch, token, op - NORMALIZE) : stem(batch, token, op, at + 8);
    if (status < 0) return status;
    if (op == KSTEM) at += 4 + <usize>load<u32>(at, 4);
  }
  return 0;
}

function stem(batch: Stage, token: Token, id: u32, lexicon: usize): i32 {
  if (token.flags & FLAG_KEYWORD || token.termLen == 0) return 0;
  // The word stands behind the terms of the batch, where the next term would go: as units, then room for its new bytes.
  const units = (batch.termCur + 7) & ~7;
  const room = ((<usize>token.termLen + GROWTH) << 1) + (<usize>token.termLen + GROWTH) * 3;
  if (units + room > batch.termsEnd) return E_NO_SPACE;
  setWord(units, decodeUnits(token, units));
  if (!runStemmer(id, lexicon)) return E_CORRUPT;
  return encodeUnits(batch, token, units + ((<usize>token.termLen + GROWTH) << 1));
}

/** memory.copy is a call; words are short. */
// @ts-ignore: decorator
@inline
function copyBytes(to: usize, from: usize, len: u32): void {
  while (len >= 8) {
    store<u64>(to, load<u64>(from));
    to += 8;
    from += 8;
    len -= 8;
  }
  while (len) {
    store<u8>(to++, load<u8>(from++));
    len--;
  }
}

/** Bytes that the indices of suffix lists may take: the largest stemmers' take 50 KB. */
const INDEX_BYTES: u32 = 64 << 10;

/** Entries of the cache: a power of two that the area holds, at most 8192. */
// @ts-ignore: decorator
@inline
function cacheEntries(stage: Stage): u32 {
  const bytes = <u32>(stage.termsEnd - stage.termsPtr);
  return min<u32>(8192, <u32>1 << (31 - clz((bytes - min<u32>(INDEX_BYTES, bytes >> 2)) >> 6)));
}

// @ts-ignore: decorator
@inline
function indexPtr(stage: Stage): usize {
  return stage.termsPtr + (<usize>cacheEntries(stage) << 6);
}

/** Empties the cache and the index, once when a chain is laid out. */
export function clearStems(stage: Stage): void {
  for (let i: u32 = 0; i < cacheEntries(stage); i++) store<u8>(stage.termsPtr + (<usize>i << 6), 0);
  clearSuffixIndex(indexPtr(stage), stage.termsEnd);
}

/** Multiplicative hash over 8 bytes at a time. Reads up to 7 bytes behind the word, all in the term buffer. */
// @ts-ignore: decorator
@inline
function hashWord(ptr: usize, len: u32): u32 {
  let h: u64 = len, left = len;
  while (left > 8) {
    h = (h ^ load<u64>(ptr)) * 0x9e3779b97f4a7c15;
    h ^= h >> 29;
    ptr += 8;
    left -= 8;
  }
  h = (h ^ (load<u64>(ptr) & (<u64>-1 >> (64 - (<u64>left << 3))))) * 0x9e3779b97f4a7c15;
  return <u32>(h >> 40);
}

/** Writes the term as UTF-16. Returns the number of units. */
function decodeUnits(token: Token, out: usize): i32 {
  let to = out;
  for (let p = token.termPtr, end = p + token.termLen; p < end; ) {
    const byte = load<u8>(p);
    if (byte < 0x80) {
      store<u16>(to, byte);
      to += 2;
      p++;
      continue;
    }
    const d = decode(p, end), cp = d & 0xffffff;
    p += d >> 24;
    if (cp > 0xffff) {
      store<u16>(to, <u16>(0xd800 + ((cp - 0x10000) >> 10)));
      store<u16>(to, <u16>(0xdc00 + ((cp - 0x10000) & 0x3ff)), 2);
      to += 4;
    } else {
      store<u16>(to, <u16>cp);
      to += 2;
    }
  }
  return <i32>((to - out) >> 1);
}

/** Makes the word the token's term; `scratch` takes its bytes before they are put in their place. */
function encodeUnits(batch: Stage, token: Token, scratch: usize): i32 {
  let to = scratch;
  for (let i = 0; i < wordLen; i++) {
    let cp = unitAt(i);
    if (cp < 0x80) {
      store<u8>(to++, <u8>cp);
      continue;
    }
    if ((cp & 0xfc00) == 0xd800 && i + 1 < wordLen && (unitAt(i + 1) & 0xfc00) == 0xdc00) {
      cp = 0x10000 + ((cp & 0x3ff) << 10) + (unitAt(i + 1) & 0x3ff);
      i++;
    }
    to += encode(to, cp);
  }
  const bytes = <u32>(to - scratch);
  // A longer term moves to the end of the batch's terms, which is where the units stand now: below the scratch bytes.
  if (bytes > token.termLen && word + bytes > scratch) return E_NO_SPACE;
  const status = renewTerm(batch, token, bytes);
  if (status < 0) return status;
  memory.copy(token.termPtr, scratch, bytes);
  return 0;
}
