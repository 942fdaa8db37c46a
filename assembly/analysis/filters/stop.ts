// Stop filter: removes the terms of a set; the next token's increment grows by the hole.
//   config ├─ flags u32: 1 = ignore case ─┬─ term set (term-set.ts) ─┤
import { findTerm, findTermIgnoringCase, longestTerm } from '../term-set';
import { Stage, tokenAt } from '../stage';
import { E_NO_SPACE } from '../../mem/status';
import { Token } from '../token';
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
