// Stems terms that are no keywords.   config ├─ stemmer id u32 ─┤
// Words come again: the stage's area is a cache of their stems, one entry for each value of a hash, kept from text to text.
//   entry (64 bytes) ├─ keyLen u8, 0 free ─┬─ stemLen u8 ─┬─ key, 30 bytes ─┬─ stem, 32 bytes ─┤   stemLen + 128: the key begins with the stem
import { E_CORRUPT, E_NO_SPACE } from '../../mem/status';
import { decode, encode } from '../../text/utf8';
import { renewTerm, Stage, tokenAt } from '../stage';
import { ENGLISH_POSSESSIVE, runStemmer } from '../stemmers/stemmers';
import { GROWTH, setWord, unitAt, word, wordLen } from '../stemmers/word';
import { sameBytes } from '../term-set';
import { FLAG_KEYWORD, Token } from '../token';

export function stemFilter(stage: Stage, batch: Stage): i32 {
  const id = load<u32>(stage.config);
  const mask = cacheEntries(stage) - 1;
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    if (token.flags & FLAG_KEYWORD || token.termLen == 0) continue;
    // Most words are rid of the possessive by their last letter.
    if (id == ENGLISH_POSSESSIVE && (load<u8>(token.termPtr + token.termLen - 1) | 32) != 0x73) continue;
    let entry: usize = 0;
    const keyLen = token.termLen;
    if (keyLen - 1 < MAX_KEY) {
      entry = stage.termsPtr + (<usize>(hashWord(token.termPtr, keyLen) & mask) << 6);
      if (load<u8>(entry) == keyLen && sameBytes(entry + 2, token.termPtr, keyLen)) {
        const stemLen = <u32>load<u8>(entry, 1);
        if (stemLen & PREFIX) {
          token.termLen = stemLen - PREFIX;
          continue;
        }
        const status = renewTerm(batch, token, stemLen);
        if (status < 0) return status;
        memory.copy(token.termPtr, entry + 32, stemLen);
        continue;
      }
      store<u8>(entry, 0);
      // Whole words: what follows the term is in the term buffer, what follows the key is overwritten by the stem.
      v128.store(entry + 2, v128.load(token.termPtr));
      v128.store(entry + 18, v128.load(token.termPtr, 16));
    }
    // The word stands behind the terms of the batch, where the next term would go: as units, then room for its new bytes.
    const units = (batch.termCur + 7) & ~7;
    const room = ((<usize>token.termLen + GROWTH) << 1) + (<usize>token.termLen + GROWTH) * 3;
    if (units + room > batch.termsEnd) return E_NO_SPACE;
    setWord(units, decodeUnits(token, units));
    if (!runStemmer(id)) return E_CORRUPT;
    const status = encodeUnits(batch, token, units + ((<usize>token.termLen + GROWTH) << 1));
    if (status < 0) return status;
    if (entry && token.termLen <= MAX_STEM) {
      store<u8>(entry, keyLen);
      const isPrefix = token.termLen <= keyLen && sameBytes(entry + 2, token.termPtr, token.termLen);
      store<u8>(entry, token.termLen + (isPrefix ? PREFIX : 0), 1);
      memory.copy(entry + 32, token.termPtr, token.termLen);
    }
  }
  return 0;
}

const PREFIX: u32 = 128;
const MAX_KEY: u32 = 30;
const MAX_STEM: u32 = 32;

/** Entries of the cache: a power of two that the area holds, at most 4096. */
// @ts-ignore: decorator
@inline
function cacheEntries(stage: Stage): u32 {
  return min<u32>(4096, <u32>1 << (31 - clz(<u32>(stage.termsEnd - stage.termsPtr) >> 6)));
}

/** Empties the cache, once when a chain is laid out. */
export function clearStems(stage: Stage): void {
  for (let i: u32 = 0; i < cacheEntries(stage); i++) store<u8>(stage.termsPtr + (<usize>i << 6), 0);
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
