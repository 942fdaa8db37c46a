// Filters that emit a token twice at one position: keyword_repeat, first as a keyword; asciifolding with preserve_original, first folded, and
// then the original if folding changed it.
import { E_NO_SPACE } from '../../../mem/status';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { StageId } from '../../stage-ids';
import { sameBytes } from '../../term-set';
import { FLAG_KEYWORD } from '../../token';
import { foldToken } from '../rewrite/folding';

// @ts-ignore: decorator
@unmanaged
class RepeatState extends Stage {
  /** 1 if the current token is to be emitted a second time. */
  isRepeatDue: u32;
}

export function repeatNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<RepeatState>(stage), folds = stage.id == StageId.FOLDING_AND_ORIGINAL;
  const input = inputOf(stage), outEnd = termsLimit(stage, stage.termsPtr);
  stage.termCur = stage.termsPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    const status = awaitToken(chain, stage);
    if (status < 0) return status;
    if (!status) break;
    const token = tokenAt(input, input.taken), mark = stage.termCur;
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    const out = tokenAt(stage, made);
    if (state.isRepeatDue) {
      out.posInc = 0;
      if (!folds) out.flags &= ~FLAG_KEYWORD;
      state.isRepeatDue = 0;
    } else if (!folds) {
      out.flags |= FLAG_KEYWORD;
      state.isRepeatDue = 1;
    } else if (foldToken(stage, out) < 0) {
      stage.termCur = mark;
      return made ? made : E_NO_SPACE;
    } else if (out.termLen != token.termLen || !sameBytes(out.termPtr, token.termPtr, token.termLen)) state.isRepeatDue = 1;
    made++;
    if (!state.isRepeatDue) input.taken++;
  }
  return made;
}
