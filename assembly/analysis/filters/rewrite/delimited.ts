// delimited_payload and delimited_term_freq: what stands behind a delimiter in a term is data about it, which the host reads (once for each text of data,
// as long as the cache has it).
//   config ├─ filter u32 ─┬─ mode u32: 0 = payload, 1 = term frequency ─┬─ delimiter bytes u32 ─┬─ delimiter ─┤
//   area   ├─ cache (term-cache.ts) ─┬─ payload ├─ bytes u32 ─┬─ payload ─┤ ··· ─┬─ free ─┬─ address u32 × payloads, the first one last ─┤
// Tokens carry the number of their payload, from 1, above the keyword flag. Frequencies are the host's answer, four bytes.
// State: a = payloads, b = bytes of them.
import { E_NO_SPACE } from '../../../mem/status';
import { Stage, tokenAt } from '../../stage';
import { sameBytes } from '../../term-set';
import { FLAG_KEYWORD } from '../../token';
import { askCached } from '../expand/host-terms';
import { clearTerms } from './term-cache';

const FREQUENCY: u32 = 1;
/** Payloads that tokens of a text can tell apart; those behind it all have the number that is none of them. */
const MOST_PAYLOADS: u32 = 0x7ffe;

// @ts-ignore: decorator
@inline
function payloadsPtr(stage: Stage): usize {
  return (stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 2)) & ~7;
}

/** Empties the cache, once when a chain is laid out. */
export function clearData(stage: Stage): void {
  clearTerms(stage.termsPtr, payloadsPtr(stage));
}

export function delimitedFilter(stage: Stage, batch: Stage): i32 {
  const isFrequency = load<u32>(stage.config, 4) == FREQUENCY, delimiterLen = load<u32>(stage.config, 8);
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    if (!isFrequency) token.flags &= FLAG_KEYWORD;
    const at = findDelimiter(stage.config + 12, delimiterLen, token.termPtr, token.termLen);
    if (at > token.termLen) continue;
    const out = payloadsPtr(stage) + stage.b, index = stage.termsEnd - (<usize>(stage.a + 1) << 2);
    if (out + 8 > index) return E_NO_SPACE;
    const data = token.termPtr + at + delimiterLen, dataLen = token.termLen - at - delimiterLen;
    const bytes = askCached(load<u32>(stage.config), data, dataLen, stage.termsPtr, payloadsPtr(stage), out + 4, index);
    if (bytes < 0) return bytes;
    token.termLen = at;
    if (isFrequency) token.termFreq = load<u32>(out, 4);
    else if (stage.a == MOST_PAYLOADS) token.flags |= <u16>((MOST_PAYLOADS + 1) << 1);
    else {
      store<u32>(out, bytes);
      store<u32>(index, <u32>out);
      stage.b += (bytes + 7) & ~3;
      token.flags |= <u16>(++stage.a << 1);
    }
  }
  return 0;
}

/** Address of ├ bytes u32 │ payload ┤ of a number. Pre: the text has it. */
export function payloadAt(stage: Stage, number: u32): usize {
  return <usize>load<u32>(stage.termsEnd - (<usize>number << 2));
}

/** Place of the first delimiter in a term, or one behind its end. */
function findDelimiter(delimiter: usize, len: u32, ptr: usize, termLen: u32): u32 {
  for (let at: u32 = 0; at + len <= termLen; at++) if (sameBytes(ptr + at, delimiter, len)) return at;
  return termLen + 1;
}
