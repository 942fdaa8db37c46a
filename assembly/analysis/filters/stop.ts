// Stop filter: removes the terms of a set; the next token's increment grows by the hole.
//   config ├─ flags u32: 1 = ignore case ─┬─ term set (term-set.ts) ─┤
import { findTerm, findTermIgnoringCase } from '../term-set';
import { Stage, tokenAt } from '../stage';
import { E_NO_SPACE } from '../../mem/status';
import { dropTokens, keepToken } from './drop';

export function stopFilter(stage: Stage, batch: Stage): i32 {
  const set = stage.config + 4;
  if (load<u32>(stage.config) & 1) {
    let kept: u32 = 0;
    for (let i: u32 = 0; i < batch.count; i++) {
      const token = tokenAt(batch, i);
      if (batch.termCur + token.termLen * 2 + 8 > batch.termsEnd) return E_NO_SPACE;
      if (findTermIgnoringCase(set, token.termPtr, token.termLen, batch.termCur)) stage.carry += token.posInc;
      else kept = keepToken(stage, batch, i, kept);
    }
    return dropTokens(batch, kept);
  }
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    if (findTerm(set, token.termPtr, token.termLen)) stage.carry += token.posInc;
    else kept = keepToken(stage, batch, i, kept);
  }
  return dropTokens(batch, kept);
}
