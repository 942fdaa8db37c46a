// Shared by filters that remove tokens: compacts the batch and passes on the increments of removed tokens.
import { Stage, tokenAt } from '../../stage';
import { copyToken } from '../../token';

/** Moves token `i` to index `kept` and adds the carried increment. Returns kept + 1. */
// @ts-ignore: decorator
@inline
export function keepToken(stage: Stage, batch: Stage, i: u32, kept: u32): u32 {
  const token = tokenAt(batch, kept);
  if (kept != i) copyToken(changetype<usize>(token), changetype<usize>(tokenAt(batch, i)));
  if (stage.carry) {
    token.posInc += stage.carry;
    stage.carry = 0;
  }
  return kept + 1;
}

// @ts-ignore: decorator
@inline
export function dropTokens(batch: Stage, kept: u32): i32 {
  batch.count = kept;
  return 0;
}
