// Stop filter: removes the terms of a set and adds their position increments to the next token. With remove_trailing=false the last word of the
// text is kept, as a keyword, since it may be the prefix of another word.
//   config ├─ flags u32: 1 = ignore case ─┬─ term set (term-set.ts) ─┤
import { IGNORE_CASE } from '../../config-values';
import { findTerm, findTermIgnoringCase, longestTerm } from '../../term-set';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { E_NO_SPACE } from '../../../mem/status';
import { copyToken, FLAG_KEYWORD, Token, TOKEN_BYTES } from '../../token';
import { dropTokens, keepToken } from './drop';

export function stopFilter(stage: Stage, batch: Stage): i32 {
  const longest: u32 = load<u32>(stage.config) & IGNORE_CASE ? u32.MAX_VALUE : longestTerm(stage.config + 4);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    if (kept == i && !stage.carry) {
      // Nothing has to move yet, and most bigrams are longer than any stop word: skip them quickly.
      i = kept = longTerms(batch, i, longest);
      if (i == batch.count) break;
    }
    const token = tokenAt(batch, i), status = token.termLen > longest ? 0 : isStopWord(batch, token, stage.config);
    if (status < 0) return status;
    if (status) stage.carry += token.posInc;
    else kept = keepToken(stage, batch, i, kept);
  }
  return dropTokens(batch, kept);
}

/** Index of the first token from `i` on whose term has at most `longest` bytes, or the count; looks at four at a time. */
function longTerms(batch: Stage, i: u32, longest: u32): u32 {
  for (; i + 4 <= batch.count; i += 4) {
    const shorter = min(min(tokenAt(batch, i).termLen, tokenAt(batch, i + 1).termLen), min(tokenAt(batch, i + 2).termLen, tokenAt(batch, i + 3).termLen));
    if (shorter <= longest) break;
  }
  while (i < batch.count && tokenAt(batch, i).termLen > longest) i++;
  return i;
}

/** 1 if the term is in the set of a config, 0 if not, or E_NO_SPACE. */
// @ts-ignore: decorator
@inline
export function isStopWord(batch: Stage, token: Token, config: usize): i32 {
  const set = config + 4;
  if (!(load<u32>(config) & IGNORE_CASE)) return findTerm(set, token.termPtr, token.termLen) ? 1 : 0;
  if (batch.termCur + token.termLen * 2 + 8 > batch.termsEnd) return E_NO_SPACE;
  return findTermIgnoringCase(set, token.termPtr, token.termLen, batch.termCur) ? 1 : 0;
}

// @ts-ignore: decorator
@unmanaged
class TrailingStopState extends Stage {
  /** 1 while a stop word is held back that may be the last word. */
  isHolding: u32;
  /** Increments of the stop words before it, to be added to the next token. */
  skipped: u32;
}

/**
 * The variant that keeps the last word. Words removed after the last token leave no hole, as in Lucene.
 *   area ├─ the stop word held back, as Token ─┬─ its term ─┬─ terms of the batch, from the middle of the area ─┤
 */
export function trailingStopNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<TrailingStopState>(stage), input = inputOf(stage), held = changetype<Token>(stage.termsPtr);
  const middle = stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 1), outEnd = termsLimit(stage, middle);
  stage.termCur = middle;
  let made: u32 = 0;
  while (made < chain.batch) {
    const status = awaitToken(chain, stage);
    if (status < 0) return status;
    if (!status && !(state.isHolding && held.endOffset >= chain.endOffset)) break;
    const token = status ? tokenAt(input, input.taken) : held;
    if (status) {
      if (state.isHolding) state.skipped += held.posInc;
      state.isHolding = 0;
      const stops = isStopWord(input, token, stage.config);
      if (stops < 0) return stops;
      if (stops) {
        if (stage.termsPtr + TOKEN_BYTES + token.termLen > middle) return E_NO_SPACE;
        copyToken(changetype<usize>(held), changetype<usize>(token));
        held.termPtr = stage.termsPtr + TOKEN_BYTES;
        memory.copy(held.termPtr, token.termPtr, token.termLen);
        state.isHolding = 1;
        input.taken++;
        continue;
      }
    }
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    const out = tokenAt(stage, made++);
    out.posInc += state.skipped;
    state.skipped = 0;
    if (status) input.taken++;
    else {
      out.flags |= FLAG_KEYWORD;
      state.isHolding = 0;
    }
  }
  return made;
}
