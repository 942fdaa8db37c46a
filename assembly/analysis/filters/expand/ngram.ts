// N-grams of terms, counted in code points: all of them, or only prefixes. Every gram has the offsets and the position of its token.
//   config ├─ min u32 ─┬─ max u32 ─┬─ flags u32: 1 = prefixes only, 2 = also keep terms too short or too long for a gram ─┤
// A term without a gram leaves a hole.
import { E_NO_SPACE } from '../../../mem/status';
import { codePointLength, decode } from '../../../text/utf8';
import { awaitToken, emitToken, forgetHoles, termsLimit } from '../../producer';
import { Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { Token } from '../../token';
import { NgramConfig, NgramFlag } from '../../stage-configs';

// @ts-ignore: decorator
@unmanaged
class NgramState extends Stage {
  hasToken: u32;
  /** Start of the current gram, end of the last one from there (0 if none): byte offsets in the term; and its length in code points. */
  gramStart: u32;
  gramEnd: u32;
  gramLength: u32;
  /** 1 if only the term itself is still to be emitted. */
  isTermLeft: u32;
}

export function ngramNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<NgramState>(stage), config = changetype<NgramConfig>(stage.config), least = config.min, most = config.max, flags = config.flags;
  const input = inputOf(stage), outEnd = termsLimit(stage, stage.termsPtr);
  stage.termCur = stage.termsPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    if (!state.hasToken) {
      const status = awaitToken(chain, stage);
      if (status < 0) return status;
      if (!status) {
        // At the end of the text only the holes of this filter count, as in Lucene.
        forgetHoles(chain, stage);
        break;
      }
      stage.carry += tokenAt(input, input.taken).posInc;
      state.hasToken = 1;
      state.gramStart = 0;
      state.gramEnd = 0;
      state.isTermLeft = 0;
    }
    const token = tokenAt(input, input.taken);
    const end = state.isTermLeft ? 0 : nextGram(state, token, least, most, flags);
    if (end) {
      if (emitToken(stage, made, token, token.termPtr + state.gramStart, end - state.gramStart, outEnd) < 0) {
        // Emit the same gram again in the next batch.
        stepBack(state, token, least);
        if (made) break;
        return E_NO_SPACE;
      }
    } else {
      const points = flags & NgramFlag.PRESERVE ? codePointLength(token.termPtr, token.termPtr + token.termLen) : least;
      if (points < least || points > most) {
        state.isTermLeft = 1;
        if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) {
          if (made) break;
          return E_NO_SPACE;
        }
      }
      state.hasToken = 0;
      input.taken++;
      if (points >= least && points <= most) continue;
    }
    tokenAt(stage, made++).posInc = stage.carry;
    stage.carry = 0;
  }
  return made;
}

/** Advances to the next gram of the token. Returns its end in bytes, 0 if there is none. */
function nextGram(state: NgramState, token: Token, least: u32, most: u32, flags: u32): u32 {
  if (state.gramEnd && state.gramLength < most && state.gramEnd < token.termLen) {
    state.gramLength++;
    return (state.gramEnd = forward(token, state.gramEnd, 1));
  }
  if (state.gramEnd) {
    if (flags & NgramFlag.EDGE) return 0;
    state.gramStart = forward(token, state.gramStart, 1);
  }
  state.gramLength = least;
  return (state.gramEnd = forward(token, state.gramStart, least));
}

/** Byte offset `count` code points after `from`; 0 if the term ends before. */
function forward(token: Token, from: u32, count: u32): u32 {
  const end = token.termPtr + token.termLen;
  let cur = token.termPtr + from;
  for (; count; count--) {
    if (cur >= end) return 0;
    cur += decode(cur, end) >> 24;
  }
  return <u32>(cur - token.termPtr);
}

/** Undoes the last nextGram. */
function stepBack(state: NgramState, token: Token, least: u32): void {
  if (state.gramLength > least) {
    state.gramLength--;
    state.gramEnd = forward(token, state.gramStart, state.gramLength);
  } else state.gramEnd = 0;
}
