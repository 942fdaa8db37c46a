// Classic tokenizer: Lucene's older grammar (words, apostrophes, acronyms, companies, e-mail, hosts, numbers), longest match first, by the
// automaton of assembly/text/generated/classic.ts. A token longer than maxTokenLength UTF-16 units is skipped and leaves a hole.
//   config ├─ maxTokenLength u32 ─┤
//   area   ├─ dead states: u64 per 64 bytes of the text ─┬─ terms of the batch ─┤
// A match may look ahead to the end of a run in vain, and so may the next one; without memoization a long run of words and hyphens would be read
// once for each of them. So the states from which no match was found are recorded for the first character that begins in each 64 bytes.
// Source: Reps, "Maximal-munch tokenization in linear time" (1998).
import { E_NO_SPACE } from '../../mem/status';
import { CLASSIC_ACCEPT, CLASSIC_CLASSES, CLASSIC_NEXT, classicClass } from '../../text/generated/classic';
import { decode, utf16Length } from '../../text/utf8';
import { termsLimit } from '../producer';
import { BATCH, Chain, Stage, stateOf } from '../stage';
import { Token, TOKEN_BYTES, TokenType, writeToken } from '../token';
import { finishBatch } from './finish-batch';

/** How many bytes a match looks beyond the longest one found so far before it consults the recorded dead states. */
const FAR: usize = 128;

// @ts-ignore: decorator
@unmanaged
class ClassicState extends Stage {
  /** 1 once the dead states have been cleared for this text. */
  hasNotes: u32;
}

export function classicNext(chain: Chain, stage: Stage): i32 {
  const maxLength = load<u32>(stage.config), end = chain.textEnd;
  const outPtr = stage.termsPtr + (((end - chain.textPtr) >> 6) + 1 << 3);
  if (outPtr > stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 1)) return E_NO_SPACE;
  const outEnd = termsLimit(stage, outPtr);
  const tokensEnd = stage.tokens + BATCH * TOKEN_BYTES;
  let cur = chain.cur, base = chain.unitBase, out = outPtr, at = stage.tokens;
  while (cur < end && at < tokensEnd) {
    let state: u32 = 1, type: u32 = 0, matchEnd = cur;
    for (let p = cur; p < end; ) {
      if (p - matchEnd < FAR) {
        const d = decode(p, end);
        state = load<u8>(CLASSIC_NEXT + state * CLASSIC_CLASSES + classicClass(d & 0xffffff));
        p += d >> 24;
      } else {
        state = lookFar(chain, stage, p, state);
        p = farEnd;
      }
      if (!state) break;
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
      // The grammar's deprecated acronym is a host; its final dot is not part of the term.
      const dot: u32 = type == TokenType.ACRONYM_DEP ? 1 : 0;
      writeToken(at, out, len - dot, start, start + units, dot ? TokenType.HOST : type);
      changetype<Token>(at).posInc += stage.carry;
      stage.carry = 0;
      at += TOKEN_BYTES;
      out += len;
    } else stage.carry++;
    base = matchEnd - start - units;
    cur = matchEnd;
  }
  return finishBatch(chain, stage, cur, base, out, at);
}

/** Position that lookFar reached. */
let farEnd: usize = 0;

/** Continues in a state until there is a match, and returns its state. Returns 0 if there is none, and records the states that led to no match. */
function lookFar(chain: Chain, stage: Stage, from: usize, first: u32): u32 {
  const classic = stateOf<ClassicState>(stage);
  const text = chain.textPtr, end = chain.textEnd, notes = stage.termsPtr;
  if (!classic.hasNotes) {
    memory.fill(notes, 0, ((end - text) >> 6) + 1 << 3);
    classic.hasNotes = 1;
  }
  let state = first, p = from;
  while (p < end) {
    const d = decode(p, end), next = p + (d >> 24);
    state = load<u8>(CLASSIC_NEXT + state * CLASSIC_CLASSES + classicClass(d & 0xffffff));
    if (!state) break;
    if (load<u8>(CLASSIC_ACCEPT + state)) {
      farEnd = next;
      return state;
    }
    // The automaton has 50 states.
    assert(state < 64);
    const note = noteAt(notes, p - text, next - text);
    if (note && (load<u64>(note) >> state) & 1) break;
    p = next;
  }
  state = first;
  for (let q = from; q < p; ) {
    const d = decode(q, end), next = q + (d >> 24);
    state = load<u8>(CLASSIC_NEXT + state * CLASSIC_CLASSES + classicClass(d & 0xffffff));
    const note = noteAt(notes, q - text, next - text);
    if (note) store<u64>(note, load<u64>(note) | (<u64>1 << state));
    q = next;
  }
  return 0;
}

/** Address of the dead states for the character at `next`, 0 unless it is the first one that begins in its 64 bytes; `at` is the character before. */
// @ts-ignore: decorator
@inline
function noteAt(notes: usize, at: usize, next: usize): usize {
  return (at >> 6) != (next >> 6) ? notes + (next >> 6 << 3) : 0;
}
