// Replays tokens that the host produced (regular expressions, concatenate_graph), so that kernels and the inverter can process them further.
//   text ├─ count u32 ─┬─ endOffset u32 ─┬─ endPosInc u32 ─┬─ stops u32 ─┬─ Token × count (termPtr = offset from text) ─┬─ term bytes ─┤
// stops: 0, or the offset of { endOffset u32, endPosInc u32 } × count: the end of the text if it is abandoned after that token.
// Pre: written by src/analysis/tokens/token-stream.ts; offsets are within the text.
import { E_CORRUPT, E_NO_SPACE } from '../../mem/status';
import { BATCH, Chain, Stage, stateOf } from '../stage';
import { copyToken, Token, TOKEN_BYTES } from '../token';

// @ts-ignore: decorator
@unmanaged
class ReplayState extends Stage {
  /** Index of the next token. */
  next: u32;
}

export function replayNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<ReplayState>(stage), text = chain.textPtr, textBytes = <u32>(chain.textEnd - text);
  if (textBytes < 16) return textBytes ? E_CORRUPT : 0;
  const count = load<u32>(text);
  chain.endOffset = load<u32>(text, 4);
  chain.endPosInc = load<u32>(text, 8);
  const outEnd = stage.termsEnd - ((stage.termsEnd - stage.termsPtr) >> 2);
  let out = stage.termsPtr, made: u32 = 0;
  while (state.next < count && made < BATCH) {
    const from = text + 16 + <usize>state.next * TOKEN_BYTES;
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
    state.next++;
  }
  stage.termCur = out;
  return made;
}

/** Sets the end of a stepped chain as if the text were abandoned after the current token. */
export function replayEnd(chain: Chain, stage: Stage): void {
  const state = stateOf<ReplayState>(stage), text = chain.textPtr, stops = load<u32>(text, 12);
  const at = text + stops + (<usize>(state.next - stage.left - 1) << 3);
  chain.endPosInc = 0;
  if (!stops || at + 8 > chain.textEnd) return;
  chain.endOffset = load<u32>(at);
  chain.endPosInc = load<u32>(at, 4);
}
