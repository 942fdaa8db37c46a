// N-grams of terms, in code points: all of them, or those at the beginning. Every gram has the offsets of its token and stands at its place.
//   config ├─ min u32 ─┬─ max u32 ─┬─ flags u32: 1 = at the beginning only, 2 = terms too short or too long for a gram stay, too ─┤
// State over the bytes of the token at hand: d = 1 while one is at hand, a = start of the gram, b = end of the last one from there (0 none),
// c = its code points, e = 1 when only the term itself is left. A term without a gram leaves a hole.
import { E_NO_SPACE } from '../../../mem/status';
import { codePointLength, decode } from '../../../text/utf8';
import { awaitToken, emitToken, forgetHoles, termsLimit } from '../../producer';
import { Chain, Stage, stageAt, tokenAt } from '../../stage';
import { Token } from '../../token';

const FLAG_EDGE: u32 = 1;
const FLAG_PRESERVE: u32 = 2;

export function ngramNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const least = load<u32>(stage.config), most = load<u32>(stage.config, 4), flags = load<u32>(stage.config, 8);
  const input = stageAt(chain, previousProducer), outEnd = termsLimit(stage, stage.termsPtr);
  stage.termCur = stage.termsPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    if (!stage.d) {
      const status = awaitToken(chain, index, stage, previousProducer);
      if (status < 0) return status;
      if (!status) {
        // At the end only its own holes count, as in Lucene.
        forgetHoles(chain, index);
        break;
      }
      stage.carry += tokenAt(input, input.taken).posInc;
      stage.d = 1;
      stage.a = 0;
      stage.b = 0;
      stage.e = 0;
    }
    const token = tokenAt(input, input.taken);
    const end = stage.e ? 0 : nextGram(stage, token, least, most, flags);
    if (end) {
      if (emitToken(stage, made, token, token.termPtr + stage.a, end - stage.a, outEnd) < 0) {
        // The same gram next time.
        stepBack(stage, token, least);
        if (made) break;
        return E_NO_SPACE;
      }
    } else {
      const points = flags & FLAG_PRESERVE ? codePointLength(token.termPtr, token.termPtr + token.termLen) : least;
      if (points < least || points > most) {
        stage.e = 1;
        if (emitToken(stage, made, token, token.termPtr, token.termLen, outEnd) < 0) {
          if (made) break;
          return E_NO_SPACE;
        }
      }
      stage.d = 0;
      input.taken++;
      if (points >= least && points <= most) continue;
    }
    tokenAt(stage, made++).posInc = stage.carry;
    stage.carry = 0;
  }
  return made;
}

/** Moves on to the next gram of the token. Returns its end in bytes, 0 if there is none. */
function nextGram(stage: Stage, token: Token, least: u32, most: u32, flags: u32): u32 {
  if (stage.b && stage.c < most && stage.b < token.termLen) {
    stage.c++;
    return (stage.b = forward(token, stage.b, 1));
  }
  if (stage.b) {
    if (flags & FLAG_EDGE) return 0;
    stage.a = forward(token, stage.a, 1);
  }
  stage.c = least;
  return (stage.b = forward(token, stage.a, least));
}

/** Place `count` code points behind `from`; 0 if the term ends before. */
function forward(token: Token, from: u32, count: u32): u32 {
  const end = token.termPtr + token.termLen;
  let cur = token.termPtr + from;
  for (; count; count--) {
    if (cur >= end) return 0;
    cur += decode(cur, end) >> 24;
  }
  return <u32>(cur - token.termPtr);
}

/** Forgets the gram that nextGram gave last, so that it comes again. */
function stepBack(stage: Stage, token: Token, least: u32): void {
  if (stage.c > least) {
    stage.c--;
    stage.b = forward(token, stage.a, stage.c);
  } else stage.b = 0;
}
