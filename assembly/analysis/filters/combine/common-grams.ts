// Common grams: adds a token for each pair of words of which at least one is frequent; for queries, such pairs replace their words.
//   config of commonGramsNext ├─ flags u32: 1 = ignore case ─┬─ frequent words (set) ─┤     gramsOnlyNext has no config
//   area   ├─ Lookahead ─┬─ two tokens with their terms ─┬─ terms of the batch ─┤
import { E_NO_SPACE } from '../../../mem/status';
import { IGNORE_CASE } from '../../config-values';
import { Lookahead, dropAhead, openLookahead, readAhead, windowToken } from './lookahead';
import { emitToken, termsLimit } from '../../producer';
import { AreaState, Chain, Stage, stateOf, tokenAt } from '../../stage';
import { findTerm, findTermIgnoringCase } from '../../term-set';
import { Token, TokenType, writeToken } from '../../token';

const SEPARATOR: u32 = 0x5f;

// @ts-ignore: decorator
@unmanaged
class CommonGramsState extends AreaState {
  /** 1 once the first token of the text has been written. */
  hasFirst: u32;
  /** 1 when the pair has been written and its second word has not. */
  isPairWritten: u32;
  isFirstCommon: u32;
  isSecondCommon: u32;
}

// @ts-ignore: decorator
@unmanaged
class GramsOnlyState extends AreaState {
  /** 1 if the last token written is a gram. */
  wasGram: u32;
}

/** Window of a stage, laid out on first use; null if the area is too small. */
function windowOf(stage: AreaState): Lookahead | null {
  const base = (stage.termsPtr + 7) & ~7, window = changetype<Lookahead>(base), slots = (base + offsetof<Lookahead>() + 7) & ~7;
  if (!stage.isLaidOut) {
    if (openLookahead(window, 2, slots, (slots + ((stage.termsEnd - slots) >> 1)) & ~7) < 0) return null;
    stage.isLaidOut = 1;
  }
  stage.termCur = window.heapEnd;
  return window;
}

export function commonGramsNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<CommonGramsState>(stage), window = windowOf(state);
  if (!window) return E_NO_SPACE;
  const outEnd = termsLimit(stage, window.heapEnd);
  let made: u32 = 0;
  while (made < chain.batch) {
    const wanted: u32 = state.hasFirst ? 2 : 1;
    const held = readAhead(window, wanted, chain, stage);
    if (held < 0) return held;
    if (<u32>held < wanted) break;
    const token = windowToken(window, wanted - 1);
    if (!state.isPairWritten) {
      const isCommon = findCommon(stage, token, outEnd);
      if (isCommon < 0) return made ? made : E_NO_SPACE;
      state.isSecondCommon = isCommon;
      if (state.hasFirst && (state.isFirstCommon || isCommon)) {
        if (!emitGram(stage, made, windowToken(window, 0), token, outEnd)) return made ? made : E_NO_SPACE;
        made++;
        state.isPairWritten = 1;
        continue;
      }
    }
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    made++;
    state.isPairWritten = 0;
    state.isFirstCommon = state.isSecondCommon;
    if (state.hasFirst) dropAhead(window, 1);
    state.hasFirst = 1;
  }
  return made;
}

/** 1 if the word is frequent, 0 if not, or E_NO_SPACE. */
function findCommon(stage: Stage, token: Token, outEnd: usize): i32 {
  const set = stage.config + 4;
  if (!(load<u32>(stage.config) & IGNORE_CASE)) return findTerm(set, token.termPtr, token.termLen) ? 1 : 0;
  if (stage.termCur + token.termLen * 2 + 8 > outEnd) return E_NO_SPACE;
  return findTermIgnoringCase(set, token.termPtr, token.termLen, stage.termCur) ? 1 : 0;
}

/** Emits a pair at the position of its second word. False: there is no room. */
function emitGram(stage: Stage, made: u32, first: Token, second: Token, outEnd: usize): bool {
  const from = stage.termCur, bytes = first.termLen + 1 + second.termLen;
  if (from + bytes > outEnd) return false;
  memory.copy(from, first.termPtr, first.termLen);
  store<u8>(from + first.termLen, SEPARATOR);
  memory.copy(from + first.termLen + 1, second.termPtr, second.termLen);
  const gram = tokenAt(stage, made);
  writeToken(changetype<usize>(gram), from, bytes, first.startOffset, second.endOffset, TokenType.GRAM);
  gram.posInc = 0;
  gram.posLen = 2;
  stage.termCur += bytes;
  return true;
}

/** Drops words that start a gram, and the last word if a gram precedes it. */
export function gramsOnlyNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<GramsOnlyState>(stage), window = windowOf(state);
  if (!window) return E_NO_SPACE;
  const outEnd = termsLimit(stage, window.heapEnd);
  let made: u32 = 0;
  while (made < chain.batch) {
    const held = readAhead(window, 2, chain, stage);
    if (held < 0) return held;
    if (!held || (held == 1 && state.wasGram)) break;
    if (held == 1 || windowToken(window, 1).type != TokenType.GRAM) {
      const token = windowToken(window, 0), isGram = token.type == TokenType.GRAM;
      if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
      if (isGram) {
        tokenAt(stage, made).posInc = 1;
        tokenAt(stage, made).posLen = 1;
      }
      made++;
      state.wasGram = isGram ? 1 : 0;
    }
    dropAhead(window, 1);
  }
  return made;
}
