// Common grams: pairs with a frequent word as further tokens; for queries pairs instead of their words.
//   config of commonGramsNext ├─ flags u32: 1 = ignore case ─┬─ frequent words (set) ─┤     gramsOnlyNext has none
//   area   ├─ Lookahead ─┬─ two tokens with their terms ─┬─ terms of the batch ─┤
// State of commonGramsNext: e = 1 once laid out, a = 1 once the first token is written, b = 1 when the pair is written and its second word is
// not, c = 1 if the first word of the pair is frequent, d = 1 if the second is.
import { E_NO_SPACE } from '../../../mem/status';
import { Lookahead, dropAhead, openLookahead, readAhead, windowToken } from './lookahead';
import { emitToken, termsLimit } from '../../producer';
import { Chain, Stage, tokenAt } from '../../stage';
import { findTerm, findTermIgnoringCase } from '../../term-set';
import { Token, TokenType, writeToken } from '../../token';

const IGNORE_CASE: u32 = 1;
const SEPARATOR: u32 = 0x5f;

/** Window of a stage, laid out on first use; null if the area is too small. */
function windowOf(stage: Stage): Lookahead | null {
  const base = (stage.termsPtr + 7) & ~7, window = changetype<Lookahead>(base), slots = (base + offsetof<Lookahead>() + 7) & ~7;
  if (!stage.e) {
    if (openLookahead(window, 2, slots, (slots + ((stage.termsEnd - slots) >> 1)) & ~7) < 0) return null;
    stage.e = 1;
  }
  stage.termCur = window.heapEnd;
  return window;
}

export function commonGramsNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const window = windowOf(stage);
  if (!window) return E_NO_SPACE;
  const outEnd = termsLimit(stage, window.heapEnd);
  let made: u32 = 0;
  while (made < chain.batch) {
    const wanted: u32 = stage.a ? 2 : 1;
    const held = readAhead(window, wanted, chain, index, stage, previousProducer);
    if (held < 0) return held;
    if (<u32>held < wanted) break;
    const token = windowToken(window, wanted - 1);
    if (!stage.b) {
      const isCommon = findCommon(stage, token, outEnd);
      if (isCommon < 0) return made ? made : E_NO_SPACE;
      stage.d = isCommon;
      if (stage.a && (stage.c || stage.d)) {
        if (!emitGram(stage, made, windowToken(window, 0), token, outEnd)) return made ? made : E_NO_SPACE;
        made++;
        stage.b = 1;
        continue;
      }
    }
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    made++;
    stage.b = 0;
    stage.c = stage.d;
    if (stage.a) dropAhead(window, 1);
    stage.a = 1;
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

/** Writes a pair over the place of its second word. False: there is no room. */
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

/**
 * Leaves out words that a gram begins with, and the last word if a gram came before it. State: e = 1 once laid out, a = 1 if the token written
 * last is a gram.
 */
export function gramsOnlyNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const window = windowOf(stage);
  if (!window) return E_NO_SPACE;
  const outEnd = termsLimit(stage, window.heapEnd);
  let made: u32 = 0;
  while (made < chain.batch) {
    const held = readAhead(window, 2, chain, index, stage, previousProducer);
    if (held < 0) return held;
    if (!held || (held == 1 && stage.a)) break;
    if (held == 1 || windowToken(window, 1).type != TokenType.GRAM) {
      const token = windowToken(window, 0), isGram = token.type == TokenType.GRAM;
      if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
      if (isGram) {
        tokenAt(stage, made).posInc = 1;
        tokenAt(stage, made).posLen = 1;
      }
      made++;
      stage.a = isGram ? 1 : 0;
    }
    dropAhead(window, 1);
  }
  return made;
}
