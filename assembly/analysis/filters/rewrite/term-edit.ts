// Small edits of single terms: apostrophe, classic, elision, reverse, trim, truncate.
import { E_NO_SPACE } from '../../../mem/status';
import { isWhitespace } from '../../../text/character';
import { decode, encode, previous } from '../../../text/utf8';
import { IGNORE_CASE } from '../../config-values';
import { findTerm, findTermIgnoringCase } from '../../term-set';
import { Stage, tokenAt } from '../../stage';
import { FLAG_KEYWORD, Token, TokenType } from '../../token';

/** Address of the first apostrophe (' or U+2019), or `end`. */
function findApostrophe(from: usize, end: usize): usize {
  for (let p = from; p < end; p++) {
    const b = load<u8>(p);
    if (b == 0x27 || (b == 0xe2 && p + 2 < end && load<u8>(p, 1) == 0x80 && load<u8>(p, 2) == 0x99)) return p;
  }
  return end;
}

export function apostropheFilter(stage: Stage, batch: Stage): i32 {
  for (let i: u32 = 0; i < batch.count; i++) cutAtApostrophe(tokenAt(batch, i));
  return 0;
}

/** Cuts a term at its first apostrophe. Returns 0. */
export function cutAtApostrophe(token: Token): i32 {
  token.termLen = <u32>(findApostrophe(token.termPtr, token.termPtr + token.termLen) - token.termPtr);
  return 0;
}

export function elisionFilter(stage: Stage, batch: Stage): i32 {
  for (let i: u32 = 0; i < batch.count; i++) {
    const status = cutElision(batch, tokenAt(batch, i), stage.config);
    if (status < 0) return status;
  }
  return 0;
}

/** Removes an article and its apostrophe.   config ├─ flags u32: 1 = ignore case ─┬─ term set of articles ─┤   Returns 0 or E_NO_SPACE. */
export function cutElision(batch: Stage, token: Token, config: usize): i32 {
  const from = token.termPtr, end = from + token.termLen, mark = findApostrophe(from, end);
  if (mark == end) return 0;
  if (batch.termCur + token.termLen * 2 + 8 > batch.termsEnd) return E_NO_SPACE;
  const article = <u32>(mark - from), set = config + 4;
  if (!(load<u32>(config) & IGNORE_CASE ? findTermIgnoringCase(set, from, article, batch.termCur) : findTerm(set, from, article))) return 0;
  const behind = mark + (load<u8>(mark) == 0x27 ? 1 : 3);
  token.termPtr = behind;
  token.termLen = <u32>(end - behind);
  return 0;
}

/** For tokens of the classic tokenizer: removes 's from words with apostrophes, and dots from acronyms. */
export function classicFilter(stage: Stage, batch: Stage): i32 {
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i), end = token.termPtr + token.termLen;
    if (token.type == TokenType.APOSTROPHE) {
      if (token.termLen >= 2 && load<u8>(end - 2) == 0x27 && (load<u8>(end - 1) | 32) == 0x73) token.termLen -= 2;
    } else if (token.type == TokenType.ACRONYM) {
      let out = token.termPtr;
      for (let p = token.termPtr; p < end; p++) if (load<u8>(p) != 0x2e) store<u8>(out++, load<u8>(p));
      token.termLen = <u32>(out - token.termPtr);
    }
  }
  return 0;
}

export function reverseFilter(stage: Stage, batch: Stage): i32 {
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i), len = token.termLen, out = batch.termCur;
    if (out + len > batch.termsEnd) return E_NO_SPACE;
    let o = out + len;
    for (let p = token.termPtr, end = p + len; p < end; ) {
      const bytes = decode(p, end) >> 24;
      o -= bytes;
      memory.copy(o, p, bytes);
      p += bytes;
    }
    memory.copy(token.termPtr, out, len);
    token.termLen = joinSurrogates(token.termPtr, len);
  }
  return 0;
}

/** Combines a high surrogate and a low one after it to one code point, as in a string. Returns the new length. */
function joinSurrogates(ptr: usize, len: u32): u32 {
  const end = ptr + len;
  let out = ptr;
  for (let p = ptr; p < end; ) {
    const b = <u32>load<u8>(p);
    if (b == 0xed && p + 5 < end && (load<u8>(p, 1) & 0xf0) == 0xa0 && load<u8>(p, 3) == 0xed && (load<u8>(p, 4) & 0xf0) == 0xb0) {
      const high = decode(p, end) & 0x3ff, low = decode(p + 3, end) & 0x3ff;
      out += encode(out, 0x10000 + (high << 10) + low);
      p += 6;
    } else {
      store<u8>(out++, b);
      p++;
    }
  }
  return <u32>(out - ptr);
}

export function trimFilter(stage: Stage, batch: Stage): i32 {
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    let from = token.termPtr, end = from + token.termLen;
    while (from < end) {
      const d = decode(from, end);
      if (!isWhitespace(d & 0xffffff)) break;
      from += d >> 24;
    }
    while (end > from) {
      const last = previous(end, from);
      if (!isWhitespace(decode(last, end) & 0xffffff)) break;
      end = last;
    }
    token.termPtr = from;
    token.termLen = <u32>(end - from);
  }
  return 0;
}

/** Cuts terms to a number of UTF-16 units, even inside a surrogate pair; keywords stay unchanged.   config ├─ length u32 ─┤ */
export function truncateFilter(stage: Stage, batch: Stage): i32 {
  const length = load<u32>(stage.config);
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    if (token.flags & FLAG_KEYWORD || token.termLen <= length) continue;
    truncate(token, length);
  }
  return 0;
}

function truncate(token: Token, length: u32): void {
  let units: u32 = 0, p = token.termPtr;
  const end = p + token.termLen;
  while (p < end && units < length) {
    const d = decode(p, end), cp = d & 0xffffff;
    if (cp > 0xffff && units + 2 > length) {
      // Only the high surrogate remains; its three bytes replace the pair's four.
      p += encode(p, 0xd800 + ((cp - 0x10000) >> 10));
      break;
    }
    units += cp > 0xffff ? 2 : 1;
    p += d >> 24;
  }
  token.termLen = <u32>(p - token.termPtr);
}
