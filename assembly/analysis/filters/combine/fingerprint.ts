// Fingerprint: one token with the distinct terms of the whole text, sorted by UTF-16 units; no token if it would exceed the maximum length.
//   config ├─ longest result in UTF-16 units u32 ─┬─ separator bytes u32 ─┬─ separator ─┤
//   area   ├─ addresses of entries u32 × ···, and room for sorting them ─┬─ entry ├─ bytes u32 ─┬─ term ─┤ ··· ─┬─ the result ─┤
// The increment of the token counts again at the end of the text, as in the recorded server; holes before it are dropped.
import { E_NO_SPACE } from '../../../mem/status';
import { appendText, compareUnits, utf16Length } from '../../../text/utf8';
import { awaitToken, forgetHoles } from '../../producer';
import { Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { TokenType, writeToken } from '../../token';
import { FingerprintConfig } from '../../stage-configs';

// @ts-ignore: decorator
@unmanaged
class FingerprintState extends Stage {
  isDone: u32;
}

export function fingerprintNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<FingerprintState>(stage);
  if (state.isDone) return 0;
  const input = inputOf(stage), list = (stage.termsPtr + 3) & ~3;
  const half = (stage.termsEnd - list) >> 1, terms = (list + half + 3) & ~3;
  let count: u32 = 0, cur = terms, status: i32;
  while ((status = awaitToken(chain, stage)) > 0) {
    const token = tokenAt(input, input.taken);
    // Sorting needs the list's room twice.
    if (list + (<usize>(count + 1) << 3) > terms || cur + token.termLen + 8 > stage.termsEnd) return E_NO_SPACE;
    store<u32>(cur, token.termLen);
    memory.copy(cur + 4, token.termPtr, token.termLen);
    store<u32>(list + (<usize>count << 2), <u32>cur);
    count++;
    cur = (cur + 4 + token.termLen + 3) & ~3;
    input.taken++;
  }
  if (status < 0) return status;
  state.isDone = 1;
  forgetHoles(chain, stage);
  stage.carry = 1;
  return count ? emit(chain, stage, sort(list, count), count, cur) : 0;
}

/** Joins sorted entries into one token, which is written after them. Returns 1, 0 if it is too long, or E_NO_SPACE. */
function emit(chain: Chain, stage: Stage, list: usize, count: u32, from: usize): i32 {
  const config = changetype<FingerprintConfig>(stage.config), most = config.maxBytes, separatorBytes = config.separatorBytes;
  const separator = stage.config + offsetof<FingerprintConfig>();
  let cur = from, units: u64 = 0, last: usize = 0;
  for (let i: u32 = 0; i < count; i++) {
    const entry = <usize>load<u32>(list + (<usize>i << 2));
    if (last && compareEntries(last, entry) == 0) continue;
    const bytes = load<u32>(entry);
    units += utf16Length(entry + 4, entry + 4 + bytes) + (last ? 1 : 0);
    if (units > most) return 0;
    if (cur + separatorBytes + bytes > stage.termsEnd) return E_NO_SPACE;
    // An empty term, which sorts first, is not followed by a separator but counts as if it were.
    if (cur > from) cur = appendText(from, cur, separator, separatorBytes);
    cur = appendText(from, cur, entry + 4, bytes);
    last = entry;
  }
  writeToken(stage.tokens, from, <u32>(cur - from), 0, chain.endOffset, TokenType.FINGERPRINT);
  stage.termCur = cur;
  return 1;
}

// @ts-ignore: decorator
@inline
function compareEntries(a: usize, b: usize): i32 {
  return compareUnits(a + 4, a + 4 + load<u32>(a), b + 4, b + 4 + load<u32>(b));
}

/** Merge sort of the addresses of entries; needs as much room again after them. Returns the address of the sorted list. */
function sort(list: usize, count: u32): usize {
  let source = list, target = list + (<usize>count << 2);
  for (let width: u32 = 1; width < count; width <<= 1) {
    for (let left: u32 = 0; left < count; left += width << 1) {
      const middle = min(left + width, count), right = min(left + (width << 1), count);
      let a = left, b = middle;
      for (let i = left; i < right; i++) {
        const first = load<u32>(source + (<usize>a << 2)), second = load<u32>(source + (<usize>b << 2));
        const takesSecond = a >= middle || (b < right && compareEntries(second, first) < 0);
        store<u32>(target + (<usize>i << 2), takesSecond ? second : first);
        if (takesSecond) b++;
        else a++;
      }
    }
    const swap = source;
    source = target;
    target = swap;
  }
  return source;
}
