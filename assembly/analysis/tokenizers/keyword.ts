// Keyword tokenizer: the whole text is one token, also when it is empty. The term buffer must hold it (the host sizes the region by the text).
import { E_NO_SPACE } from '../../mem/status';
import { utf16Length } from '../../text/utf8';
import { Chain, Stage } from '../stage';
import { writeToken } from '../token';

export function keywordNext(chain: Chain, stage: Stage): i32 {
  if (stage.a) return 0;
  stage.a = 1;
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
