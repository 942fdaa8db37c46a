// Replays tokens that the host made (regular expressions, graph filters), so that kernels and the inverter go on from there.
//   text ├─ count u32 ─┬─ endOffset u32 ─┬─ endPosInc u32 ─┬─ stops u32 ─┬─ Token × count (termPtr = offset from text) ─┬─ term bytes ─┤
// stops: 0, or the offset of { endOffset u32, endPosInc u32 } × count: the end of the text if it is left behind that token.
// Pre: written by src/analysis/tokens/token-stream.ts; offsets lie inside the text.
import { E_CORRUPT, E_NO_SPACE } from '../../mem/status';
import { BATCH, Chain, Stage } from '../stage';
import { copyToken, Token, TOKEN_BYTES } from '../token';

export function replayNext(chain: Chain, stage: Stage): i32 {
  const text = chain.textPtr, textBytes = <u32>(chain.textEnd - text);
  if (textBytes < 16) return textBytes ? E_CORRUPT : 0;
  const count = load<u32>(text);
  chain.endOffset = load<u32>(text, 4);
  chain.endPosInc = load<u32>(text, 8);
  const outEnd = stage.termsEnd - ((stage.termsEnd - stage.termsPtr) >> 2);
  let out = stage.termsPtr, made: u32 = 0;
  while (stage.a < count && made < BATCH) {
    const from = text + 16 + <usize>stage.a * TOKEN_BYTES;
    if (from + TOKEN_BYTES > chain.textEnd) return E_CORRUPT;
    const token = changetype<Token>(stage.tokens + <usize>made * TOKEN_BYTES);
    copyToken(changetype<usize>(token), from);
    const len = token.termLen;
    if (token.termPtr + len > textBytes) return E_CORRUPT;
    if (out + len > outEnd) {
      if (made) break;
      return E_NO_SPACE;
    }
    memory.copy(out, text + token.termPtr, len);
    token.termPtr = out;
    out += len;
    made++;
    stage.a++;
  }
  stage.termCur = out;
  return made;
}

/** Sets the end of a stepped chain to what it is if the text is left behind the token at hand. */
export function replayEnd(chain: Chain, stage: Stage): void {
  const text = chain.textPtr, stops = load<u32>(text, 12), at = text + stops + (<usize>(stage.a - stage.left - 1) << 3);
  chain.endPosInc = 0;
  if (!stops || at + 8 > chain.textEnd) return;
  chain.endOffset = load<u32>(at);
  chain.endPosInc = load<u32>(at, 4);
}
