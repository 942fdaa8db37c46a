// Multiplexer: each token once per branch, at its own place, as Lucene's conditions make it in the recorded server: a chain of its own repeats every
// token, and behind that each branch is a condition (condition.ts) that takes the tokens of its turn. A branch that reads ahead has made it another's
// turn by the time it hands its tokens out, so that they go through that one's filters, too.
//   config ├─ blob of the inner chain: S_SELECT, then S_CONDITION for each branch that has filters ─┤
//   area   as a condition's
// State: a = 1 once the inner chain has begun, b = tokens of its batch, c = how many are written, g = 1 behind its end.
import { E_NO_SPACE } from '../../../mem/status';
import { chainNext } from '../../chain';
import { awaitToken, emitToken, forgetHoles, heldIncrement, termsLimit } from '../../producer';
import { Chain, Stage, stageAt, tokenAt } from '../../stage';
import { Token, TOKEN_BYTES } from '../../token';
import { fail, innerRegion, startInner, termsBehind } from './condition';

export function multiplexerNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const inner = changetype<Chain>(innerRegion(stage)), outPtr = termsBehind(stage), outEnd = termsLimit(stage, outPtr);
  stage.termCur = outPtr;
  if (!stage.a) {
    startInner(chain, index, stage, previousProducer);
    stage.a = 1;
  }
  let made: u32 = 0;
  while (made < chain.batch) {
    if (stage.c == stage.b) {
      const count = stage.g ? 0 : chainNext(changetype<usize>(inner));
      if (count < 0) return fail(inner, chain, count);
      stage.b = count;
      stage.c = 0;
      if (!count) {
        if (!stage.g) {
          forgetHoles(chain, index);
          stage.carry = inner.endPosInc;
          stage.g = 1;
        }
        break;
      }
    }
    const token = changetype<Token>(inner.tokens + <usize>stage.c * TOKEN_BYTES);
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    made++;
    stage.c++;
  }
  return made;
}

/**
 * First stage of the inner chain: each token as often as there are branches.
 *   config ├─ branches u32 ─┤   State: a, b, c as startInner sets them, d = whose turn it is, e = 1 while a token is at hand
 */
export function selectNext(inner: Chain, stage: Stage): i32 {
  const outer = changetype<Chain>(<usize>stage.a), input = stageAt(outer, stage.c), isNew = !stage.e || stage.d + 1 >= load<u32>(stage.config);
  if (isNew) {
    input.taken += stage.e;
    stage.e = 0;
    stage.d = 0;
    const status = awaitToken(outer, stage.b, stageAt(outer, stage.b), stage.c);
    if (status < 0) return fail(outer, inner, status);
    if (!status) {
      inner.endOffset = outer.endOffset;
      inner.endPosInc = heldIncrement(outer, stage.b);
      return 0;
    }
    stage.e = 1;
  } else stage.d++;
  const token = tokenAt(input, input.taken);
  stage.termCur = stage.termsPtr;
  if (emitToken(stage, 0, token, token.termPtr, token.termLen, termsLimit(stage, stage.termsPtr)) < 0) return E_NO_SPACE;
  if (!isNew) tokenAt(stage, 0).posInc = 0;
  return 1;
}
