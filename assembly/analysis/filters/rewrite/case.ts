// Case filters: code point by code point, Unicode 16, like Lucene's LowerCaseFilter, its Greek, Irish and Turkish variants, and UpperCaseFilter.
//   config ├─ variant u32: CaseVariant ─┤
// GREEK also folds accents and final sigma, TURKISH handles dotted and dotless i, IRISH splits nAthair and tUisce.
import { E_NO_SPACE } from '../../../mem/status';
import { category } from '../../../text/character';
import { lowerCase, upperCase } from '../../../text/generated/case';
import { decode, encode, encodedLength } from '../../../text/utf8';
import { CaseVariant } from '../../config-values';
import { Stage, tokenAt } from '../../stage';
import { Token } from '../../token';

export function caseFilter(stage: Stage, batch: Stage): i32 {
  const variant = load<u32>(stage.config);
  for (let i: u32 = 0; i < batch.count; i++) {
    const status = changeCase(batch, tokenAt(batch, i), variant);
    if (status < 0) return status;
  }
  return 0;
}

/** Changes the case of a term. Returns 0 or E_NO_SPACE. */
export function changeCase(batch: Stage, token: Token, variant: u32): i32 {
  if (variant == CaseVariant.TURKISH) return lowerTurkish(batch, token);
  if (variant == CaseVariant.IRISH) {
    const status = splitIrishPrefix(batch, token);
    if (status < 0) return status;
  }
  let p = token.termPtr;
  const end = p + token.termLen;
  // In place while each code point keeps its length, as ASCII always does.
  while (p < end) {
    const b = <u32>load<u8>(p);
    if (b < 0x80) {
      if (variant == CaseVariant.UPPER) store<u8>(p, b - (b - 97 < 26 ? 32 : 0));
      else store<u8>(p, b + (b - 65 < 26 ? 32 : 0));
      p++;
      continue;
    }
    const d = decode(p, end), cp = d & 0xffffff, mapped = mapCase(cp, variant);
    if (mapped != cp) {
      if (encodedLength(mapped) != d >> 24) return rewriteCase(batch, token, p, variant);
      encode(p, mapped);
    }
    p += d >> 24;
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function mapCase(cp: u32, variant: u32): u32 {
  if (variant == CaseVariant.UPPER) return upperCase(cp);
  if (variant == CaseVariant.GREEK) return lowerGreek(cp);
  // Irish lower-casing works on UTF-16 units, so surrogate pairs do not change.
  if (variant == CaseVariant.IRISH && cp > 0xffff) return cp;
  return lowerCase(cp);
}

/** Slow path: rewrites the rest of the term from `from` on in a new buffer. */
function rewriteCase(batch: Stage, token: Token, from: usize, variant: u32): i32 {
  const end = token.termPtr + token.termLen, head = <u32>(from - token.termPtr);
  const out = batch.termCur;
  if (out + token.termLen * 2 + 4 > batch.termsEnd) return E_NO_SPACE;
  memory.copy(out, token.termPtr, head);
  let o = out + head;
  for (let p = from; p < end; ) {
    const d = decode(p, end);
    o += encode(o, mapCase(d & 0xffffff, variant));
    p += d >> 24;
  }
  return adopt(batch, token, out, <u32>(o - out));
}

/** Makes the bytes at termCur the term; copies them back if they fit, so that successive filters do not exhaust the buffer. */
export function adopt(batch: Stage, token: Token, out: usize, len: u32): i32 {
  if (len <= token.termLen) memory.copy(token.termPtr, out, len);
  else {
    token.termPtr = out;
    batch.termCur = out + len;
  }
  token.termLen = len;
  return 0;
}

/** Lower case of Greek for search: without accents and diaereses, final sigma as sigma. Source: Lucene's documentation of GreekLowerCaseFilter. */
function lowerGreek(cp: u32): u32 {
  switch (cp) {
    case 0x3c2: return 0x3c3;
    case 0x386: case 0x3ac: return 0x3b1;
    case 0x388: case 0x3ad: return 0x3b5;
    case 0x389: case 0x3ae: return 0x3b7;
    case 0x38a: case 0x3aa: case 0x3af: case 0x3ca: case 0x390: return 0x3b9;
    case 0x38e: case 0x3ab: case 0x3cd: case 0x3cb: case 0x3b0: return 0x3c5;
    case 0x38c: case 0x3cc: return 0x3bf;
    case 0x38f: case 0x3ce: return 0x3c9;
    case 0x3a2: return 0x3c2;
    default: return lowerCase(cp);
  }
}

/**
 * Turkish: I becomes dotless i, I with dot (composed, or with a combining dot above, also after other marks) becomes i.
 * Marks between I and the dot are those of category Mn.
 */
function lowerTurkish(batch: Stage, token: Token): i32 {
  const end = token.termPtr + token.termLen, out = batch.termCur;
  if (out + token.termLen * 2 + 4 > batch.termsEnd) return E_NO_SPACE;
  let o = out;
  let dotPending = false;
  for (let p = token.termPtr; p < end; ) {
    const d = decode(p, end), cp = d & 0xffffff;
    p += d >> 24;
    if (cp == 0x49) {
      if (dotFollows(p, end)) {
        dotPending = true;
        o += encode(o, 0x69);
      } else {
        o += encode(o, 0x131);
      }
      continue;
    }
    if (cp == 0x307 && dotPending) {
      dotPending = false;
      continue;
    }
    o += encode(o, cp == 0x130 ? 0x69 : lowerCase(cp));
  }
  return adopt(batch, token, out, <u32>(o - out));
}

function dotFollows(p: usize, end: usize): bool {
  while (p < end) {
    const d = decode(p, end), cp = d & 0xffffff;
    if (cp == 0x307) return true;
    if (!isNonSpacingMark(cp)) return false;
    p += d >> 24;
  }
  return false;
}

function isNonSpacingMark(cp: u32): bool {
  return category(cp) == 6;
}

/** n or t before an upper-case vowel becomes n- or t-: nAthair, tUisce. */
function splitIrishPrefix(batch: Stage, token: Token): i32 {
  const len = token.termLen, from = token.termPtr;
  if (len < 2) return 0;
  const first = <u32>load<u8>(from);
  if (first != 110 && first != 116) return 0;
  const second = decode(from + 1, from + len) & 0xffffff;
  if (!isIrishUpperVowel(second)) return 0;
  const out = batch.termCur;
  if (out + len + 1 > batch.termsEnd) return E_NO_SPACE;
  store<u8>(out, first);
  store<u8>(out, 45, 1);
  memory.copy(out + 2, from + 1, len - 1);
  return adopt(batch, token, out, len + 1);
}

function isIrishUpperVowel(cp: u32): bool {
  switch (cp) {
    case 0x41: case 0x45: case 0x49: case 0x4f: case 0x55: case 0xc1: case 0xc9: case 0xcd: case 0xd3: case 0xda: return true;
    default: return false;
  }
}
