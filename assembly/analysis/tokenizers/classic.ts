// Classic tokenizer: the older grammar (words, apostrophes, acronyms, companies, e-mail, hosts, numbers), by the automaton of
// assembly/text/generated/classic.ts, longest match first. A token longer than maxTokenLength UTF-16 units is skipped and leaves a hole.
//   config ├─ maxTokenLength u32 ─┤
import { E_NO_SPACE } from '../../mem/status';
import { CLASSIC_ACCEPT, CLASSIC_CLASSES, CLASSIC_NEXT, classicClass } from '../../text/generated/classic';
import { decode, utf16Length } from '../../text/utf8';
import { BATCH, Chain, Stage } from '../stage';
import { Token, TOKEN_BYTES, writeToken } from '../token';

const ACRONYM_DEP: u32 = 16;
const HOST: u32 = 14;
/** How far a match may look beyond the longest one found so far: without a bound a long run of words and hyphens is read again for each of them. */
const MAX_AHEAD: usize = 1024;

export function classicNext(chain: Chain, stage: Stage): i32 {
  const maxLength = load<u32>(stage.config), end = chain.textEnd;
  const outEnd = stage.termsEnd - ((stage.termsEnd - stage.termsPtr) >> 2);
  const tokensEnd = stage.tokens + BATCH * TOKEN_BYTES;
  let cur = chain.cur, base = chain.unitBase, out = stage.termsPtr, at = stage.tokens;
  while (cur < end && at < tokensEnd) {
    let state: u32 = 1, type: u32 = 0, matchEnd = cur;
    for (let p = cur; p < end && p - matchEnd < MAX_AHEAD; ) {
      const d = decode(p, end);
      state = load<u8>(CLASSIC_NEXT + state * CLASSIC_CLASSES + classicClass(d & 0xffffff));
      if (!state) break;
      p += d >> 24;
      const accept = <u32>load<u8>(CLASSIC_ACCEPT + state);
      if (accept) {
        type = accept;
        matchEnd = p;
      }
    }
    if (!type) {
      const d = decode(cur, end);
      cur += d >> 24;
      base += (d >> 24) - ((d & 0xffffff) > 0xffff ? 2 : 1);
      continue;
    }
    const len = <u32>(matchEnd - cur), units = utf16Length(cur, matchEnd), start = <u32>(cur - base);
    if (units <= maxLength) {
      if (out + len > outEnd) {
        if (at == stage.tokens) return E_NO_SPACE;
        break;
      }
      memory.copy(out, cur, len);
      // What the grammar calls a deprecated acronym is a host; a final dot is not part of its term.
      const dot: u32 = type == ACRONYM_DEP ? 1 : 0;
      writeToken(at, out, len - dot, start, start + units, dot ? HOST : type);
      changetype<Token>(at).posInc += stage.carry;
      stage.carry = 0;
      at += TOKEN_BYTES;
      out += len;
    } else stage.carry++;
    base = matchEnd - start - units;
    cur = matchEnd;
  }
  chain.cur = cur;
  chain.unitBase = base;
  chain.endOffset = <u32>(cur - base);
  stage.termCur = out;
  return <i32>((at - stage.tokens) / TOKEN_BYTES);
}
