// Stop filter: removes the terms of a set; the next token's increment grows by the hole. With remove_trailing=false a word that the text ends with
// stays, as a keyword, since it may be the beginning of another.
//   config ├─ flags u32: 1 = ignore case ─┬─ term set (term-set.ts) ─┤
import { findTerm, findTermIgnoringCase, longestTerm } from '../../term-set';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { Chain, Stage, stageAt, tokenAt } from '../../stage';
import { E_NO_SPACE } from '../../../mem/status';
import { copyToken, FLAG_KEYWORD, Token, TOKEN_BYTES } from '../../token';
import { dropTokens, keepToken } from './drop';

export function stopFilter(stage: Stage, batch: Stage): i32 {
  const longest: u32 = load<u32>(stage.config) & 1 ? u32.MAX_VALUE : longestTerm(stage.config + 4);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    if (kept == i && !stage.carry) {
      // Nothing moves, and most bigrams are too long for any list.
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

/** First token from `i` on whose term is of at most `longest` bytes, or the count; looks at four at a time. */
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
  if (!(load<u32>(config) & 1)) return findTerm(set, token.termPtr, token.termLen) ? 1 : 0;
  if (batch.termCur + token.termLen * 2 + 8 > batch.termsEnd) return E_NO_SPACE;
  return findTermIgnoringCase(set, token.termPtr, token.termLen, batch.termCur) ? 1 : 0;
}

/**
 * The form that leaves the last word alone. What is removed behind the last token leaves no hole, as in Lucene.
 *   area ├─ the stop word that may be the last, as Token ─┬─ its term ─┬─ terms of the batch, from the middle of the area on ─┤
 * State: d = 1 while there is one, a = increments of those before it that the next token has not got yet.
 */
export function trailingStopNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const input = stageAt(chain, previousProducer), held = changetype<Token>(stage.termsPtr);
  const middle = stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 1), outEnd = termsLimit(stage, middle);
  stage.termCur = middle;
  let made: u32 = 0;
  while (made < chain.batch) {
    const status = awaitToken(chain, index, stage, previousProducer);
    if (status < 0) return status;
    if (!status && !(stage.d && held.endOffset >= chain.endOffset)) break;
    const token = status ? tokenAt(input, input.taken) : held;
    if (status) {
      if (stage.d) stage.a += held.posInc;
      stage.d = 0;
      const stops = isStopWord(input, token, stage.config);
      if (stops < 0) return stops;
      if (stops) {
        if (stage.termsPtr + TOKEN_BYTES + token.termLen > middle) return E_NO_SPACE;
        copyToken(changetype<usize>(held), changetype<usize>(token));
        held.termPtr = stage.termsPtr + TOKEN_BYTES;
        memory.copy(held.termPtr, token.termPtr, token.termLen);
        stage.d = 1;
        input.taken++;
        continue;
      }
    }
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    const out = tokenAt(stage, made++);
    out.posInc += stage.a;
    stage.a = 0;
    if (status) input.taken++;
    else {
      out.flags |= FLAG_KEYWORD;
      stage.d = 0;
    }
  }
  return made;
}
