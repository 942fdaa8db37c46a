// Filters that say a token twice at one position: keyword_repeat, first as a keyword; asciifolding with preserve_original, first as it is folded, and
// again only if that is another term.
// State: d = 1 when the token at hand is to be said again.
import { E_NO_SPACE } from '../../../mem/status';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { Chain, Stage, stageAt, tokenAt } from '../../stage';
import { S_FOLDING_AND_ORIGINAL } from '../../stage-ids';
import { sameBytes } from '../../term-set';
import { FLAG_KEYWORD } from '../../token';
import { foldToken } from '../rewrite/folding';

export function repeatNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const folds = stage.id == S_FOLDING_AND_ORIGINAL;
  const input = stageAt(chain, previousProducer), outEnd = termsLimit(stage, stage.termsPtr);
  stage.termCur = stage.termsPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    const status = awaitToken(chain, index, stage, previousProducer);
    if (status < 0) return status;
    if (!status) break;
    const token = tokenAt(input, input.taken), mark = stage.termCur;
    if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    const out = tokenAt(stage, made);
    if (stage.d) {
      out.posInc = 0;
      if (!folds) out.flags &= ~FLAG_KEYWORD;
      stage.d = 0;
    } else if (!folds) {
      out.flags |= FLAG_KEYWORD;
      stage.d = 1;
    } else if (foldToken(stage, out) < 0) {
      stage.termCur = mark;
      return made ? made : E_NO_SPACE;
    } else if (out.termLen != token.termLen || !sameBytes(out.termPtr, token.termPtr, token.termLen)) stage.d = 1;
    made++;
    if (!stage.d) input.taken++;
  }
  return made;
}
