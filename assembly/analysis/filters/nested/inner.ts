// Common parts of condition and multiplexer: starting the inner chain, and passing on its failures.
import { innerChain, SourceState } from '../../nested';
import { Chain, resetChain, Stage, stageAt, stateOf } from '../../stage';

/** Starts the inner chain of a stage; its first stage reads the input of that stage. */
export function startInner(chain: Chain, stage: Stage): void {
  const inner = innerChain(stage);
  resetChain(inner, 0, 0);
  const source = stateOf<SourceState>(stageAt(inner, 0));
  source.outer = changetype<usize>(chain);
  source.holder = changetype<usize>(stage);
}

/** Passes a failure on with the offsets that explain it (see chainNext in run.ts). Returns the status. */
export function fail(from: Chain, to: Chain, status: i32): i32 {
  to.endOffset = from.endOffset;
  to.endPosInc = from.endPosInc;
  return status;
}
