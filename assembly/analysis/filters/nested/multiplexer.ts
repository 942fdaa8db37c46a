// Multiplexer: emits each token once per branch, at its position. As in the recorded server, whose multiplexer consists of Lucene's conditions, an
// inner chain repeats every token, and each branch is a condition (condition.ts) that selects the tokens of its turn. If a branch reads ahead, the
// turn has moved on by the time it emits its tokens, so that they pass through that branch's filters, too.
//   config ├─ blob of the inner chain: S_SELECT, then StageId.CONDITION for each branch that has filters ─┤
// nested.ts draws the area.
import { E_NO_SPACE } from '../../../mem/status';
import { innerChain, NestedState, outerTerms } from '../../nested';
import { awaitToken, emitToken, forgetHoles, heldIncrement, nextBatch, termsLimit } from '../../producer';
import { Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { Token, TOKEN_BYTES } from '../../token';
import { fail, startInner } from './inner';
import { SelectState } from './multiplexer-state';

// @ts-ignore: decorator
@unmanaged
class MultiplexerState extends NestedState {
  isEnded: u32;
}

export function multiplexerNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<MultiplexerState>(stage), inner = innerChain(stage), outPtr = outerTerms(stage), outEnd = termsLimit(stage, outPtr);
  stage.termCur = outPtr;
  if (state.isEnded) return 0;
  if (!state.isRunning) {
    startInner(chain, stage);
    state.isRunning = 1;
  }
  let made: u32 = 0;
  while (made < chain.batch) {
    if (state.innerTaken == state.innerCount) {
      const count = nextBatch(inner);
      if (count < 0) return fail(inner, chain, count);
      state.innerCount = count;
      state.innerTaken = 0;
      if (!count) {
        forgetHoles(chain, stage);
        stage.carry = inner.endPosInc;
        state.isRunning = 0;
        state.isEnded = 1;
        break;
      }
    }
    const token = changetype<Token>(inner.tokens + <usize>state.innerTaken * TOKEN_BYTES);
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    made++;
    state.innerTaken++;
  }
  return made;
}

/**
 * First stage of the inner chain: repeats each token for each branch.
 *   config ├─ branches u32 ─┤
 */
export function selectNext(inner: Chain, stage: Stage): i32 {
  const state = stateOf<SelectState>(stage), outer = changetype<Chain>(state.outer), holder = changetype<Stage>(state.holder), input = inputOf(holder);
  const isNew = !state.hasToken || state.turn + 1 >= load<u32>(stage.config);
  if (isNew) {
    input.taken += state.hasToken;
    state.hasToken = 0;
    state.turn = 0;
    const status = awaitToken(outer, holder);
    if (status < 0) return fail(outer, inner, status);
    if (!status) {
      inner.endOffset = outer.endOffset;
      inner.endPosInc = heldIncrement(outer, holder.index);
      return 0;
    }
    state.hasToken = 1;
  } else state.turn++;
  const token = tokenAt(input, input.taken);
  stage.termCur = stage.termsPtr;
  if (emitToken(stage, 0, token, token.termPtr, token.termLen, termsLimit(stage, stage.termsPtr)) < 0) return E_NO_SPACE;
  if (!isNew) tokenAt(stage, 0).posInc = 0;
  return 1;
}
