// delimited_payload and delimited_term_freq: the part of a term after a delimiter is metadata of the token. The host parses it, once per distinct
// string as long as that is in the cache.
//   config ├─ filter u32 ─┬─ mode u32: 0 = payload, 1 = term frequency ─┬─ delimiter bytes u32 ─┬─ delimiter ─┤
//   area   ├─ cache (term-cache.ts) ─┬─ payload ├─ bytes u32 ─┬─ payload ─┤ ··· ─┬─ free ─┬─ address u32 × payloads, the first one last ─┤
// The flags of a token contain the number of its payload, from 1, above the keyword flag. A frequency is the host's answer, four bytes.
import { E_NO_SPACE } from '../../../mem/status';
import { Stage, stateOf, tokenAt } from '../../stage';
import { sameBytes } from '../../term-set';
import { FLAG_KEYWORD } from '../../token';
import { askCached } from '../expand/host-terms';
import { clearTerms } from './term-cache';
import { DelimitedConfig } from '../../stage-configs';

/** Highest number of a payload that fits into the flags; further tokens get the next number, which has no payload. */
const MOST_PAYLOADS: u32 = 0x7ffe;

// @ts-ignore: decorator
@unmanaged
class DelimitedState extends Stage {
  /** Payloads of the text so far, and their size. */
  payloads: u32;
  payloadBytes: u32;
}

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
  const state = stateOf<DelimitedState>(stage), config = changetype<DelimitedConfig>(stage.config), isFrequency = config.isFrequency != 0, delimiterLen = config.delimiterBytes;
  for (let i: u32 = 0; i < batch.count; i++) {
    const token = tokenAt(batch, i);
    if (!isFrequency) token.flags &= FLAG_KEYWORD;
    const at = findDelimiter(stage.config + offsetof<DelimitedConfig>(), delimiterLen, token.termPtr, token.termLen);
    if (at > token.termLen) continue;
    const out = payloadsPtr(stage) + state.payloadBytes, index = stage.termsEnd - (<usize>(state.payloads + 1) << 2);
    if (out + 8 > index) return E_NO_SPACE;
    const data = token.termPtr + at + delimiterLen, dataLen = token.termLen - at - delimiterLen;
    const bytes = askCached(config.call, data, dataLen, stage.termsPtr, payloadsPtr(stage), out + 4, index);
    if (bytes < 0) return bytes;
    token.termLen = at;
    if (isFrequency) token.termFreq = load<u32>(out, 4);
    else if (state.payloads == MOST_PAYLOADS) token.flags |= <u16>((MOST_PAYLOADS + 1) << 1);
    else {
      store<u32>(out, bytes);
      store<u32>(index, <u32>out);
      state.payloadBytes += (bytes + 7) & ~3;
      token.flags |= <u16>(++state.payloads << 1);
    }
  }
  return 0;
}

/** Address of payload `number`, ├ bytes u32 │ payload ┤. Pre: the text has that many. */
export function payloadAt(stage: Stage, number: u32): usize {
  return <usize>load<u32>(stage.termsEnd - (<usize>number << 2));
}

/** Offset of the first delimiter in a term, or termLen + 1 if there is none. */
function findDelimiter(delimiter: usize, len: u32, ptr: usize, termLen: u32): u32 {
  for (let at: u32 = 0; at + len <= termLen; at++) if (sameBytes(ptr + at, delimiter, len)) return at;
  return termLen + 1;
}
