// Stop filter: removes the terms of a set; the next token's increment grows by the hole.
//   config ├─ flags u32: 1 = ignore case ─┬─ term set (term-set.ts) ─┤
import { findTerm, findTermIgnoringCase } from '../term-set';
import { Stage, tokenAt } from '../stage';
import { E_NO_SPACE } from '../../mem/status';
import { Token } from '../token';
import { dropTokens, keepToken } from './drop';

export function stopFilter(stage: Stage, batch: Stage): i32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i), status = isStopWord(batch, token, stage.config);
    if (status < 0) return status;
    if (status) stage.carry += token.posInc;
    else kept = keepToken(stage, batch, i, kept);
  }
  return dropTokens(batch, kept);
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
