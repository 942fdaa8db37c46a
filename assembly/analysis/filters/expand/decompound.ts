// dictionary_decompounder: each word, followed at the same position by the words of a list that it contains. Sizes count UTF-16 units.
//   config ├─ minWord u32 ─┬─ minPart u32 ─┬─ maxPart u32 ─┬─ flags u32: 1 = longest parts only ─┬─ first bytes, 8 KiB ─┬─ words (set) ─┤
//   area   ├─ offset u32 of each unit of the current word, and of its end; NOWHERE for low surrogates ─┬─ terms of the batch ─┤
// first bytes: a bit for each pair of bytes with which a word of the list begins; a word of one byte sets the bits of all pairs that begin with it.
import { E_NO_SPACE } from '../../../mem/status';
import { decode, utf16Length } from '../../../text/utf8';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { findTerm, longestTerm } from '../../term-set';
import { Token } from '../../token';
import { DecompoundConfig } from '../../stage-configs';

const FIRST_BYTES: usize = offsetof<DecompoundConfig>();
const WORDS: usize = FIRST_BYTES + 8192;
const NOWHERE: u32 = 0xffffffff;

// @ts-ignore: decorator
@unmanaged
class DecompoundState extends Stage {
  /** 1 while a word is being processed, and 1 once the word itself has been emitted. */
  hasWord: u32;
  isWordWritten: u32;
  /** Unit at which parts are being searched, and the size of the next candidate. */
  partStart: u32;
  partSize: u32;
  /** Length of the word in units. */
  units: u32;
}

export function decompoundNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<DecompoundState>(stage), config = stage.config, rules = changetype<DecompoundConfig>(config), minPart = rules.minPart, isLongestOnly = rules.isLongestOnly != 0;
  const input = inputOf(stage), outPtr = stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 1);
  const outEnd = termsLimit(stage, outPtr);
  stage.termCur = outPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    if (!state.hasWord) {
      const status = awaitToken(chain, stage);
      if (status < 0) return status;
      if (!status) break;
      const token = tokenAt(input, input.taken);
      state.units = utf16Length(token.termPtr, token.termPtr + token.termLen);
      if (!writeOffsets(state, token, outPtr)) return E_NO_SPACE;
      state.hasWord = 1;
      state.isWordWritten = 0;
      state.partStart = 0;
      state.partSize = minPart;
    }
    const token = tokenAt(input, input.taken);
    if (!state.isWordWritten) {
      if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
      made++;
      state.isWordWritten = 1;
      continue;
    }
    const size = state.units < rules.minWord ? 0 : nextPart(state, token, isLongestOnly);
    if (!size) {
      state.hasWord = 0;
      input.taken++;
      continue;
    }
    const from = offsetAt(stage, state.partStart), to = offsetAt(stage, state.partStart + size);
    if (emitToken(stage, made, token, token.termPtr + from, to - from, outEnd) < 0) return made ? made : E_NO_SPACE;
    tokenAt(stage, made++).posInc = 0;
    if (isLongestOnly) {
      // Longest parts do not overlap.
      state.partStart += size;
      state.partSize = minPart;
    } else state.partSize = size + 1;
  }
  return made;
}

// @ts-ignore: decorator
@inline
function offsetAt(stage: Stage, unit: u32): u32 {
  return load<u32>(((stage.termsPtr + 3) & ~3) + (<usize>unit << 2));
}

/** Writes the offsets of the word's units. False: there is no room. */
function writeOffsets(state: DecompoundState, token: Token, end: usize): bool {
  let out = (state.termsPtr + 3) & ~3;
  if (out + (<usize>(state.units + 1) << 2) > end) return false;
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

/** Finds the next part and moves partStart there. Returns the part's size, 0 if there are no more. */
function nextPart(state: DecompoundState, token: Token, isLongestOnly: bool): u32 {
  const config = state.config, minPart = changetype<DecompoundConfig>(config).minPart, units = state.units;
  // A term has at least as many bytes as units.
  const longest = min(changetype<DecompoundConfig>(config).maxPart, longestTerm(config + WORDS));
  for (; state.partStart + minPart <= units; state.partStart++, state.partSize = minPart) {
    if (!mayBegin(config, token, offsetAt(state, state.partStart))) continue;
    let found: u32 = 0;
    const most = min(longest, units - state.partStart);
    for (let size = state.partSize; size <= most; size++) {
      const from = offsetAt(state, state.partStart), to = offsetAt(state, state.partStart + size);
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
