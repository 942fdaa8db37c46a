// Rewrites, marks and drops terms by a sequence of operations: stemmers, and the normalizations, case mappings, lists, elisions and host filters
// next to them.
//   config ├─ op u32 ─┬─ op u32 ─┬─ ··· ─┤   a RewriteOp plus the id of a stemmer or variant
//   KSTEM and the operations with lists are followed by data: ├─ op u32 ─┬─ bytes u32 ─┬─ data, a multiple of 4 bytes ─┤
//   (KSTEM's is its lexicon, stemmers/other/lexicon.ts; the others' is the config of the equivalent stage)
// The result depends on the term alone (and its keyword flag), and words recur: the stage's area is a cache of results (term-cache.ts) that lives from
// text to text. Keywords, which stemmers do not change, bypass it.
//   area  ├─ cache ─┬─ index of suffix lists (stemmers/suffix-index.ts) ─┤
import { E_CORRUPT, E_NO_SPACE } from '../../../mem/status';
import { decode, encode } from '../../../text/utf8';
import { HostTermFlag, RewriteOp, Stemmer } from '../../config-values';
import { hostTerms } from '../../host-calls';
import { renewTerm, Stage, tokenAt } from '../../stage';
import { HostTermData, OperationHead } from '../../stage-configs';
import { runStemmer } from '../../stemmers/dispatch';
import { clearSuffixIndex, useSuffixIndex } from '../../stemmers/suffix-index';
import { GROWTH, setWord, unitAt, word, wordLen } from '../../stemmers/word';
import { FLAG_KEYWORD, Token } from '../../token';
import { keepToken } from '../select/drop';
import { changeCase } from './case';
import { normalizeToken } from './normalize';
import { markKeyword, overrideStem } from '../select/select';
import { isStopWord } from '../select/stop';
import { cutAtApostrophe, cutElision } from './term-edit';
import {
  bucketMask, clearTerms, copyTerm, DROPPED, entryFlags, hashBytes, KEYWORD, MAX_KEY, noteTerm, PREFIX, recallTerm, rememberTerm, resultLen, resultPtr,
} from './term-cache';

/** Result of rewrite for a dropped term. */
const DROP: i32 = 1;

export function stemFilter(stage: Stage, batch: Stage): i32 {
  const area = stage.termsPtr, end = indexPtr(stage), mask = bucketMask(area, end);
  const isPossessive = stage.configBytes == 4 && load<u32>(stage.config) == Stemmer.ENGLISH_POSSESSIVE;
  useSuffixIndex(end, stage.termsEnd);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i), keyLen = token.termLen;
    // The last letter rules out the possessive for most words.
    if (isPossessive && (keyLen == 0 || (load<u8>(token.termPtr + keyLen - 1) | 32) != 0x73)) {
      kept = keepToken(stage, batch, i, kept);
      continue;
    }
    let isDropped = false;
    if (keyLen - 1 >= MAX_KEY || token.flags & FLAG_KEYWORD) {
      const status = rewrite(stage, batch, token);
      if (status < 0) return status;
      isDropped = status == DROP;
    } else {
      const hash = hashBytes(token.termPtr, keyLen), entry = recallTerm(area, mask, hash, token.termPtr, keyLen);
      if (entry) {
        const flags = entryFlags(entry), len = resultLen(entry);
        if (flags & PREFIX) token.termLen = len;
        else {
          const status = renewTerm(batch, token, len);
          if (status < 0) return status;
          copyTerm(token.termPtr, resultPtr(entry), len);
        }
        if (flags & KEYWORD) token.flags |= FLAG_KEYWORD;
        isDropped = (flags & DROPPED) != 0;
      } else {
        const noted = noteTerm(area, end, token.termPtr, keyLen);
        const status = rewrite(stage, batch, token);
        if (status < 0) return status;
        isDropped = status == DROP;
        const flags = (isDropped ? DROPPED : 0) | (token.flags & FLAG_KEYWORD ? KEYWORD : 0);
        if (noted) rememberTerm(area, end, hash, noted, token.termPtr, token.termLen, flags);
      }
    }
    if (isDropped) stage.carry += token.posInc;
    else kept = keepToken(stage, batch, i, kept);
  }
  batch.count = kept;
  return 0;
}

/** Applies all operations to a token. Returns 0, DROP or a status. */
function rewrite(stage: Stage, batch: Stage, token: Token): i32 {
  for (let at = stage.config, end = at + stage.configBytes; at < end; ) {
    const head = changetype<OperationHead>(at), op = head.op, data = at + offsetof<OperationHead>();
    at += 4;
    if (hasData(op)) {
      if (data > end || head.dataBytes > <u32>(end - data)) return E_CORRUPT;
      at = data + <usize>head.dataBytes;
    }
    const status = operate(batch, token, op, data);
    if (status) return status;
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function hasData(op: u32): bool {
  return op == Stemmer.KSTEM || (op >= RewriteOp.STOP && op != RewriteOp.APOSTROPHE);
}

function operate(batch: Stage, token: Token, op: u32, data: usize): i32 {
  switch (op >> 8) {
    case RewriteOp.STEM >> 8: return stem(batch, token, op, data);
    case RewriteOp.NORMALIZE >> 8: return normalizeToken(batch, token, op - RewriteOp.NORMALIZE);
    case RewriteOp.CASE >> 8: return changeCase(batch, token, op - RewriteOp.CASE);
    case RewriteOp.STOP >> 8: return isStopWord(batch, token, data);
    case RewriteOp.ELISION >> 8: return cutElision(batch, token, data);
    case RewriteOp.APOSTROPHE >> 8: return cutAtApostrophe(token);
    case RewriteOp.KEYWORD_MARKER >> 8: return markKeyword(batch, token, data);
    case RewriteOp.STEMMER_OVERRIDE >> 8: return overrideStem(batch, token, data);
    case RewriteOp.HOST_TERM >> 8: return hostTerm(batch, token, changetype<HostTermData>(data));
    default: return E_CORRUPT;
  }
}

/** A host filter whose answer is one term. */
function hostTerm(batch: Stage, token: Token, data: HostTermData): i32 {
  const out = batch.termCur, flags = data.flags;
  const bytes = hostTerms(data.call, token.termPtr, token.termLen, out, batch.termsEnd - out);
  if (bytes < 0) return bytes;
  if (!bytes) return flags & HostTermFlag.DROP_OTHERS ? DROP : 0;
  if (flags & HostTermFlag.MARK) token.flags |= FLAG_KEYWORD;
  if (flags) return 0;
  const len = load<u32>(out);
  if (len > token.termLen) {
    token.termPtr = out;
    batch.termCur += len;
  }
  memory.copy(token.termPtr, out + 4, len);
  token.termLen = len;
  return 0;
}

function stem(batch: Stage, token: Token, id: u32, lexicon: usize): i32 {
  if (token.flags & FLAG_KEYWORD || token.termLen == 0) return 0;
  // The word is stored after the terms of the batch, where the next term would be: its units, then room for its new bytes.
  const units = (batch.termCur + 7) & ~7;
  const room = ((<usize>token.termLen + GROWTH) << 1) + (<usize>token.termLen + GROWTH) * 3;
  if (units + room > batch.termsEnd) return E_NO_SPACE;
  setWord(units, decodeUnits(token, units));
  if (!runStemmer(id, lexicon)) return E_CORRUPT;
  return encodeUnits(batch, token, units + ((<usize>token.termLen + GROWTH) << 1));
}

/** Size of the indices of suffix lists; those of the largest stemmers have 50 KB. */
const INDEX_BYTES: usize = 64 << 10;

// @ts-ignore: decorator
@inline
function indexPtr(stage: Stage): usize {
  return (stage.termsEnd - min<usize>(INDEX_BYTES, (stage.termsEnd - stage.termsPtr) >> 2)) & ~7;
}

/** Clears the cache and the index, once when a chain is laid out. */
export function clearStems(stage: Stage): void {
  clearTerms(stage.termsPtr, indexPtr(stage));
  clearSuffixIndex(indexPtr(stage), stage.termsEnd);
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

/** Makes the word the token's term; its bytes are written to `scratch` first. */
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
  // A longer term is appended to the batch's terms, where the units are now, below the scratch bytes.
  if (bytes > token.termLen && word + bytes > scratch) return E_NO_SPACE;
  const status = renewTerm(batch, token, bytes);
  if (status < 0) return status;
  memory.copy(token.termPtr, scratch, bytes);
  return 0;
}
