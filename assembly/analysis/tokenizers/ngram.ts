// N-grams of the text, counted in code points: from every character of a run of token characters, or from its first one only.
//   config ├─ min u32 ─┬─ max u32 ─┬─ flags u32 ─┬─ categories u32 ─┬─ count u32 ─┬─ code point u32 × count, ascending ─┤
// flags: 1 = from the first character only, 2 = all characters are token characters, 4 = white space is, too. categories: a bit for each general
// category (text/character.ts) of token characters.
import { E_NO_SPACE } from '../../mem/status';
import { category, isWhitespace } from '../../text/character';
import { codePointLength, decode, utf16Length } from '../../text/utf8';
import { BATCH, Chain, Stage, stateOf } from '../stage';
import { termsLimit } from '../producer';
import { TOKEN_BYTES, TokenType, writeToken } from '../token';
import { NgramTokenizerConfig, NgramTokenizerFlag } from '../stage-configs';

// @ts-ignore: decorator
@unmanaged
class NgramTokenizerState extends Stage {
  /** End of the current run as an offset from the text's start (0 if none), and code points from the read position to there. */
  runEnd: u32;
  runLength: u32;
  /** End of the last gram as an offset from the text's start (0 if none), its code points and UTF-16 units. */
  gramEnd: u32;
  gramLength: u32;
  gramUnits: u32;
}

export function ngramTokenizerNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<NgramTokenizerState>(stage), config = changetype<NgramTokenizerConfig>(stage.config), least = config.min, most = config.max, edge = (config.flags & NgramTokenizerFlag.EDGE) != 0;
  const text = chain.textPtr, end = chain.textEnd;
  const outEnd = termsLimit(stage, stage.termsPtr);
  let out = stage.termsPtr, made: u32 = 0;
  while (made < BATCH) {
    if (!state.runEnd && !findRun(chain, state)) break;
    const runEnd = text + state.runEnd;
    if (state.runLength < least || (edge && state.gramEnd && (state.gramLength == most || text + state.gramEnd == runEnd))) {
      skipTo(chain, runEnd);
      state.runEnd = 0;
      continue;
    }
    if (!state.gramEnd) {
      let to = chain.cur;
      for (let i: u32 = 0; i < least; i++) to += decode(to, end) >> 24;
      state.gramEnd = <u32>(to - text);
      state.gramLength = least;
      state.gramUnits = utf16Length(chain.cur, to);
    } else if (state.gramLength < most && text + state.gramEnd < runEnd) {
      const d = decode(text + state.gramEnd, end);
      state.gramEnd += d >> 24;
      state.gramLength++;
      state.gramUnits += (d & 0xffffff) > 0xffff ? 2 : 1;
    } else {
      skipTo(chain, chain.cur + (decode(chain.cur, end) >> 24));
      state.runLength--;
      state.gramEnd = 0;
      continue;
    }
    const bytes = <u32>(text + state.gramEnd - chain.cur);
    if (out + bytes > outEnd) {
      if (!made) return E_NO_SPACE;
      // Emit the same gram again in the next batch.
      if (state.gramLength == least) state.gramEnd = 0;
      else {
        const last = decodeBefore(text + state.gramEnd, chain.cur);
        state.gramEnd -= last >> 24;
        state.gramLength--;
        state.gramUnits -= (last & 0xffffff) > 0xffff ? 2 : 1;
      }
      break;
    }
    memory.copy(out, chain.cur, bytes);
    const start = <u32>(chain.cur - chain.unitBase);
    writeToken(stage.tokens + <usize>made * TOKEN_BYTES, out, bytes, start, start + state.gramUnits, TokenType.WORD);
    out += bytes;
    made++;
  }
  chain.endOffset = <u32>(chain.cur - chain.unitBase);
  stage.termCur = out;
  return made;
}

/** Advances the read position, counting units. */
function skipTo(chain: Chain, to: usize): void {
  chain.unitBase += to - chain.cur - utf16Length(chain.cur, to);
  chain.cur = to;
}

/** The code point that ends at `to`, as decode returns it; `from` is the start of an earlier one. */
function decodeBefore(to: usize, from: usize): u32 {
  let last: u32 = 0;
  while (from < to) {
    last = decode(from, to);
    from += last >> 24;
  }
  return last;
}

/** Moves to the next run of token characters. False: there is none. */
function findRun(chain: Chain, state: NgramTokenizerState): bool {
  const end = chain.textEnd;
  let cur = chain.cur;
  while (cur < end && !isTokenChar(state.config, decode(cur, end) & 0xffffff)) cur += decode(cur, end) >> 24;
  skipTo(chain, cur);
  if (cur >= end) return false;
  while (cur < end && isTokenChar(state.config, decode(cur, end) & 0xffffff)) cur += decode(cur, end) >> 24;
  state.runEnd = <u32>(cur - chain.textPtr);
  state.gramEnd = 0;
  state.runLength = codePointLength(chain.cur, cur);
  return true;
}

function isTokenChar(config: usize, cp: u32): bool {
  const rules = changetype<NgramTokenizerConfig>(config), flags = rules.flags;
  if (flags & NgramTokenizerFlag.ALL) return true;
  if ((rules.categories >> category(cp)) & 1) return true;
  if (flags & NgramTokenizerFlag.WHITESPACE && isWhitespace(cp)) return true;
  const list = config + offsetof<NgramTokenizerConfig>();
  let low: u32 = 0, high = rules.codePointCount;
  while (low < high) {
    const middle = (low + high) >> 1, found = load<u32>(list + (<usize>middle << 2));
    if (found == cp) return true;
    if (found < cp) low = middle + 1;
    else high = middle;
  }
  return false;
}
