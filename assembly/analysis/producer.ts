// Shared by filters with a batch of their own: reading the batch of the producer before them, token by token, and emitting tokens.
import { E_NO_SPACE } from '../mem/status';
import { hasInner, innerChain, NestedState } from './nested';
import { Chain, inputOf, Stage, stageAt, stateOf, tokenAt } from './stage';
import { StageId } from './stage-ids';
import { copyToken, Token } from './token';

/**
 * Fills the batch of the producer at `index` and runs the filters between it and `filtersEnd`; see `pull` in run.ts. The call is indirect,
 * so that filters need not import run.ts; it happens once per batch.
 * @returns the number of tokens, 0 at the end, or a status below 0
 */
// @ts-ignore: decorator
@inline
export function pull(chain: Chain, index: u32, filtersEnd: u32): i32 {
  return call_indirect<i32>(chain.pull, chain, index, filtersEnd);
}

/**
 * Ensures that `inputOf(stage).taken` is the index of a token. Returns 1, 0 at the end of the text (stage.isInputEnded is 1 from then on),
 * or a status below 0. Reading the next batch invalidates the terms of the one before.
 */
// @ts-ignore: decorator
@inline
export function awaitToken(chain: Chain, stage: Stage): i32 {
  const input = inputOf(stage);
  return input.taken < input.count ? 1 : refill(chain, stage, input);
}

function refill(chain: Chain, stage: Stage, input: Stage): i32 {
  if (stage.isInputEnded) return 0;
  const count = pull(chain, input.index, stage.index);
  if (count == 0) stage.isInputEnded = 1;
  return min(count, 1);
}

/** Next batch of an inner chain: the number of tokens at chain.tokens, 0 at the end, or a status below 0. */
export function nextBatch(chain: Chain): i32 {
  if (chain.isThrough) return 0;
  const count = pull(chain, chain.lastProducer, chain.stageCount);
  chain.tokens = stageAt(chain, chain.lastProducer).tokens;
  if (count == 0) endChain(chain);
  return count;
}

/** Marks a chain as read to its end. */
export function endChain(chain: Chain): void {
  chain.isThrough = 1;
  chain.endPosInc = heldIncrement(chain, chain.stageCount);
}

/** End of the part of its area that a producer fills with terms: a quarter is left for filters that lengthen terms. */
// @ts-ignore: decorator
@inline
export function termsLimit(stage: Stage, from: usize): usize {
  return stage.termsEnd - ((stage.termsEnd - from) >> 2);
}

/** Copies a token to index `made` of the batch, and its term to the area. Returns 0, or E_NO_SPACE: return the batch first. */
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

/** Clears the increments that the stages before `stage` would add at the end of the text. */
export function forgetHoles(chain: Chain, stage: Stage): void {
  chain.endPosInc = 0;
  for (let i: u32 = 0; i < stage.index; i++) {
    stageAt(chain, i).carry = 0;
    stageAt(chain, i).hole = 0;
  }
}

/** Increment that the stages before `index` would add if the text ended at their current position. */
export function heldIncrement(chain: Chain, index: u32): u32 {
  let held = chain.endPosInc;
  for (let i: u32 = 0; i < index; i++) {
    const stage = stageAt(chain, i);
    // A running inner chain counts instead of the stage that contains it.
    if (hasInner(stage.id) && stateOf<NestedState>(stage).isRunning) {
      const inner = innerChain(stage);
      held = heldIncrement(inner, inner.stageCount);
      continue;
    }
    // N-gram filters report only their own holes.
    if (stage.id == StageId.NGRAM) held = 0;
    held += stage.carry + stage.hole;
  }
  return held;
}
