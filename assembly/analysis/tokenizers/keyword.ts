// Keyword tokenizer: the whole text is one token, even if it is empty. The area must hold it (the host sizes the region by the text).
import { E_NO_SPACE } from '../../mem/status';
import { utf16Length } from '../../text/utf8';
import { Chain, Stage, stateOf } from '../stage';
import { writeToken } from '../token';

// @ts-ignore: decorator
@unmanaged
class KeywordState extends Stage {
  isDone: u32;
}

export function keywordNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<KeywordState>(stage);
  if (state.isDone) return 0;
  state.isDone = 1;
  const len = <u32>(chain.textEnd - chain.textPtr);
  if (stage.termsPtr + len > stage.termsEnd) return E_NO_SPACE;
  memory.copy(stage.termsPtr, chain.textPtr, len);
  const units = utf16Length(chain.textPtr, chain.textEnd);
  writeToken(stage.tokens, stage.termsPtr, len, 0, units, 0);
  stage.termCur = stage.termsPtr + len;
  chain.cur = chain.textEnd;
  chain.endOffset = units;
  return 1;
}
