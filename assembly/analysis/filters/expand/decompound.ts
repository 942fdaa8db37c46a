// dictionary_decompounder: each word, and at its place the words of a list that it has inside. Sizes count UTF-16 units.
//   config ├─ minWord u32 ─┬─ minPart u32 ─┬─ maxPart u32 ─┬─ flags u32: 1 = longest parts only ─┬─ first bytes, 8 KiB ─┬─ words (set) ─┤
//   area   ├─ offset u32 of each unit of the word at hand, and of its end; NOWHERE inside a pair ─┬─ terms of the batch ─┤
// first bytes: a bit for each pair of bytes with which a word of the list begins; words of one byte have all bits of that byte.
// State: d = 1 while a word is at hand, a = 1 when it is written itself, b = unit at which parts are looked for, c = size of the next one,
// e = units of the word.
import { E_NO_SPACE } from '../../../mem/status';
import { decode, utf16Length } from '../../../text/utf8';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { Chain, Stage, stageAt, tokenAt } from '../../stage';
import { findTerm, longestTerm } from '../../term-set';
import { Token } from '../../token';

const LONGEST_ONLY: u32 = 1;
const FIRST_BYTES: usize = 16;
const WORDS: usize = FIRST_BYTES + 8192;
const NOWHERE: u32 = 0xffffffff;

export function decompoundNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const config = stage.config, minPart = load<u32>(config, 4), isLongestOnly = (load<u32>(config, 12) & LONGEST_ONLY) != 0;
  const input = stageAt(chain, previousProducer), outPtr = stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 1);
  const outEnd = termsLimit(stage, outPtr);
  stage.termCur = outPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    if (!stage.d) {
      const status = awaitToken(chain, index, stage, previousProducer);
      if (status < 0) return status;
      if (!status) break;
      const token = tokenAt(input, input.taken);
      stage.e = utf16Length(token.termPtr, token.termPtr + token.termLen);
      if (!writeOffsets(stage, token, outPtr)) return E_NO_SPACE;
      stage.d = 1;
      stage.a = 0;
      stage.b = 0;
      stage.c = minPart;
    }
    const token = tokenAt(input, input.taken);
    if (!stage.a) {
      if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
      made++;
      stage.a = 1;
      continue;
    }
    const size = stage.e < load<u32>(config) ? 0 : nextPart(stage, token, isLongestOnly);
    if (!size) {
      stage.d = 0;
      input.taken++;
      continue;
    }
    const from = offsetAt(stage, stage.b), to = offsetAt(stage, stage.b + size);
    if (emitToken(stage, made, token, token.termPtr + from, to - from, outEnd) < 0) return made ? made : E_NO_SPACE;
    tokenAt(stage, made++).posInc = 0;
    if (isLongestOnly) {
      // Characters of a longest part belong to no other.
      stage.b += size;
      stage.c = minPart;
    } else stage.c = size + 1;
  }
  return made;
}

// @ts-ignore: decorator
@inline
function offsetAt(stage: Stage, unit: u32): u32 {
  return load<u32>(((stage.termsPtr + 3) & ~3) + (<usize>unit << 2));
}

/** False: there is no room for the offsets. */
function writeOffsets(stage: Stage, token: Token, end: usize): bool {
  let out = (stage.termsPtr + 3) & ~3;
  if (out + (<usize>(stage.e + 1) << 2) > end) return false;
  for (let p = token.termPtr, termEnd = p + token.termLen; p < termEnd; ) {
    const d = decode(p, termEnd);
    store<u32>(out, <u32>(p - token.termPtr));
    out += 4;
    if ((d & 0xffffff) > 0xffff) {
      store<u32>(out, NOWHERE);
      out += 4;
    }
    p += d >> 24;
  }
  store<u32>(out, token.termLen);
  return true;
}

/** Goes to the next place with a part that is not written yet (b). Returns the part's size, 0 if there is none. */
function nextPart(stage: Stage, token: Token, isLongestOnly: bool): u32 {
  const config = stage.config, minPart = load<u32>(config, 4), units = stage.e;
  // A term has as many bytes as units or more.
  const longest = min(load<u32>(config, 8), longestTerm(config + WORDS));
  for (; stage.b + minPart <= units; stage.b++, stage.c = minPart) {
    if (!mayBegin(config, token, offsetAt(stage, stage.b))) continue;
    let found: u32 = 0;
    const most = min(longest, units - stage.b);
    for (let size = stage.c; size <= most; size++) {
      const from = offsetAt(stage, stage.b), to = offsetAt(stage, stage.b + size);
      if (to == NOWHERE || !findTerm(config + WORDS, token.termPtr + from, to - from)) continue;
      if (!isLongestOnly) return size;
      found = size;
    }
    if (found) return found;
  }
  return 0;
}

/** Whether a word of the list begins like the term at `from`. */
// @ts-ignore: decorator
@inline
function mayBegin(config: usize, token: Token, from: u32): bool {
  if (from == NOWHERE || from >= token.termLen) return false;
  const first = <u32>load<u8>(token.termPtr + from), second = from + 1 < token.termLen ? <u32>load<u8>(token.termPtr + from + 1) : 0;
  const pair = (first << 8) | second;
  return (load<u8>(config + FIRST_BYTES + (pair >> 3)) & (1 << (pair & 7))) != 0;
}
