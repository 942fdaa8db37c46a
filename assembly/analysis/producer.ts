// What filters share that make more tokens than they take: reading the batch of the producer before, token by token.
import { E_NO_SPACE } from '../mem/status';
import { pull } from './chain';
import { innerRegion } from './filters/nested/condition';
import { Chain, Stage, stageAt, tokenAt } from './stage';
import * as ID from './stage-ids';
import { copyToken, Token } from './token';

/**
 * Makes sure that `input.taken` is a token. Returns 1, 0 at the end of the text (stage.f is 1 from then on), or a status below 0. The terms of
 * the batch before may be gone afterwards, if it was read to its end.
 */
// @ts-ignore: decorator
@inline
export function awaitToken(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const input = stageAt(chain, previousProducer);
  return input.taken < input.count ? 1 : refill(chain, index, stage, previousProducer);
}

function refill(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  if (stage.f) return 0;
  const count = pull(chain, previousProducer, index);
  if (count == 0) stage.f = 1;
  return min(count, 1);
}

/** End of what a producer fills of its term buffer: a quarter stays free for filters that lengthen terms. */
// @ts-ignore: decorator
@inline
export function termsLimit(stage: Stage, from: usize): usize {
  return stage.termsEnd - ((stage.termsEnd - from) >> 2);
}

/** Copies a token to place `made` of the batch, with a term of its own. Returns 0, or E_NO_SPACE: hand out the batch first. */
export function emitToken(stage: Stage, made: u32, token: Token, termPtr: usize, termLen: u32, outEnd: usize): i32 {
  if (stage.termCur + termLen > outEnd) return E_NO_SPACE;
  const out = tokenAt(stage, made);
  copyToken(changetype<usize>(out), changetype<usize>(token));
  memory.copy(stage.termCur, termPtr, termLen);
  out.termPtr = stage.termCur;
  out.termLen = termLen;
  stage.termCur += termLen;
  return 0;
}

/** Takes away the increments that stages before `index` leave for the end of the text. */
export function forgetHoles(chain: Chain, index: u32): void {
  chain.endPosInc = 0;
  for (let i: u32 = 0; i < index; i++) {
    stageAt(chain, i).carry = 0;
    stageAt(chain, i).hole = 0;
  }
}

/** Increment that the stages before `index` leave for the end, if the text ends where they have come to. */
export function heldIncrement(chain: Chain, index: u32): u32 {
  let held = chain.endPosInc;
  for (let i: u32 = 0; i < index; i++) {
    const stage = stageAt(chain, i);
    // N-grams tell of their own only, conditions in a run and multiplexers of what is inside.
    const isInside = (stage.id == ID.S_CONDITION && stage.a) || (stage.id == ID.S_MULTIPLEXER && stage.a && !stage.g);
    if (isInside) {
      const inner = changetype<Chain>(innerRegion(stage));
      held = heldIncrement(inner, inner.stageCount);
      continue;
    }
    if (stage.id == ID.S_NGRAM) held = 0;
    held += stage.carry + stage.hole;
  }
  return held;
}
