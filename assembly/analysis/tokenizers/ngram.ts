// N-grams of the text, in code points: from every character of a run of token characters, or from its first one only.
//   config ├─ min u32 ─┬─ max u32 ─┬─ flags u32 ─┬─ categories u32 ─┬─ count u32 ─┬─ code point u32 × count, ascending ─┤
// flags: 1 = from the first character only, 2 = every character is one of tokens, 4 = white space is. categories: a bit for each general category
// (text/character.ts) whose characters are. State: a = end of the run at hand as distance from the text's start (0 none), c = code points from
// the read position to there, b = end of the last gram (0 none), d = its code points, e = its UTF-16 units.
import { E_NO_SPACE } from '../../mem/status';
import { category, isWhitespace } from '../../text/character';
import { codePointLength, decode, utf16Length } from '../../text/utf8';
import { BATCH, Chain, Stage } from '../stage';
import { termsLimit } from '../producer';
import { TOKEN_BYTES, TokenType, writeToken } from '../token';

const FLAG_EDGE: u32 = 1;
const FLAG_ALL: u32 = 2;
const FLAG_WHITESPACE: u32 = 4;

export function ngramTokenizerNext(chain: Chain, stage: Stage): i32 {
  const least = load<u32>(stage.config), most = load<u32>(stage.config, 4), edge = (load<u32>(stage.config, 8) & FLAG_EDGE) != 0;
  const text = chain.textPtr, end = chain.textEnd;
  const outEnd = termsLimit(stage, stage.termsPtr);
  let out = stage.termsPtr, made: u32 = 0;
  while (made < BATCH) {
    if (!stage.a && !findRun(chain, stage)) break;
    const runEnd = text + stage.a;
    if (stage.c < least || (edge && stage.b && (stage.d == most || text + stage.b == runEnd))) {
      skipTo(chain, runEnd);
      stage.a = 0;
      continue;
    }
    if (!stage.b) {
      let to = chain.cur;
      for (let i: u32 = 0; i < least; i++) to += decode(to, end) >> 24;
      stage.b = <u32>(to - text);
      stage.d = least;
      stage.e = utf16Length(chain.cur, to);
    } else if (stage.d < most && text + stage.b < runEnd) {
      const d = decode(text + stage.b, end);
      stage.b += d >> 24;
      stage.d++;
      stage.e += (d & 0xffffff) > 0xffff ? 2 : 1;
    } else {
      skipTo(chain, chain.cur + (decode(chain.cur, end) >> 24));
      stage.c--;
      stage.b = 0;
      continue;
    }
    const bytes = <u32>(text + stage.b - chain.cur);
    if (out + bytes > outEnd) {
      if (!made) return E_NO_SPACE;
      // The same gram next time.
      if (stage.d == least) stage.b = 0;
      else {
        const last = decodeBefore(text + stage.b, chain.cur);
        stage.b -= last >> 24;
        stage.d--;
        stage.e -= (last & 0xffffff) > 0xffff ? 2 : 1;
      }
      break;
    }
    memory.copy(out, chain.cur, bytes);
    const start = <u32>(chain.cur - chain.unitBase);
    writeToken(stage.tokens + <usize>made * TOKEN_BYTES, out, bytes, start, start + stage.e, TokenType.WORD);
    out += bytes;
    made++;
  }
  chain.endOffset = <u32>(chain.cur - chain.unitBase);
  stage.termCur = out;
  return made;
}

/** Moves the read position on, counting units. */
function skipTo(chain: Chain, to: usize): void {
  chain.unitBase += to - chain.cur - utf16Length(chain.cur, to);
  chain.cur = to;
}

/** The code point that ends at `to`, as decode gives it; `from` begins one before it. */
function decodeBefore(to: usize, from: usize): u32 {
  let last: u32 = 0;
  while (from < to) {
    last = decode(from, to);
    from += last >> 24;
  }
  return last;
}

/** Goes to the next run of token characters. False: there is none. */
function findRun(chain: Chain, stage: Stage): bool {
  const end = chain.textEnd;
  let cur = chain.cur;
  while (cur < end && !isTokenChar(stage.config, decode(cur, end) & 0xffffff)) cur += decode(cur, end) >> 24;
  skipTo(chain, cur);
  if (cur >= end) return false;
  while (cur < end && isTokenChar(stage.config, decode(cur, end) & 0xffffff)) cur += decode(cur, end) >> 24;
  stage.a = <u32>(cur - chain.textPtr);
  stage.b = 0;
  stage.c = codePointLength(chain.cur, cur);
  return true;
}

function isTokenChar(config: usize, cp: u32): bool {
  const flags = load<u32>(config, 8);
  if (flags & FLAG_ALL) return true;
  if ((load<u32>(config, 12) >> category(cp)) & 1) return true;
  if (flags & FLAG_WHITESPACE && isWhitespace(cp)) return true;
  const list = config + 20;
  let low: u32 = 0, high = load<u32>(config, 16);
  while (low < high) {
    const middle = (low + high) >> 1, found = load<u32>(list + (<usize>middle << 2));
    if (found == cp) return true;
    if (found < cp) low = middle + 1;
    else high = middle;
  }
  return false;
}
