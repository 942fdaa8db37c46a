// ASCII folding: replaces non-ASCII code points by their ASCII equivalent of one to four characters, like Lucene's ASCIIFoldingFilter.
import { E_NO_SPACE } from '../../../mem/status';
import { FOLDING_TEXT, foldingEntry } from '../../../text/generated/folding';
import { decode } from '../../../text/utf8';
import { Stage, tokenAt } from '../../stage';
import { Token } from '../../token';
import { adopt } from './case';

export function asciiFoldingFilter(stage: Stage, batch: Stage): i32 {
  for (let i: u32 = 0; i < batch.count; i++) {
    const status = foldToken(batch, tokenAt(batch, i));
    if (status < 0) return status;
  }
  return 0;
}

/** Folds the term of a token; a longer one is allocated from the batch. Returns 0 or E_NO_SPACE. */
// @ts-ignore: decorator
@inline
export function foldToken(batch: Stage, token: Token): i32 {
  const first = firstNonAscii(token.termPtr, token.termLen);
  return first < token.termLen ? foldTerm(batch, token, first) : 0;
}

function firstNonAscii(ptr: usize, len: u32): u32 {
  let i: u32 = 0;
  while (i < len && load<u8>(ptr + i) < 0x80) i++;
  return i;
}

function foldTerm(batch: Stage, token: Token, head: u32): i32 {
  const end = token.termPtr + token.termLen, out = batch.termCur;
  if (out + token.termLen * 2 + 8 > batch.termsEnd) return E_NO_SPACE;
  memory.copy(out, token.termPtr, head);
  let o = out + head;
  for (let p = token.termPtr + head; p < end; ) {
    const d = decode(p, end), bytes = d >> 24;
    const entry = bytes > 1 ? foldingEntry(d & 0xffffff) : 0;
    if (entry) {
      const text = FOLDING_TEXT + <usize>entry * 5, len = <u32>load<u8>(text);
      memory.copy(o, text + 1, len);
      o += len;
    } else {
      memory.copy(o, p, bytes);
      o += bytes;
    }
    p += bytes;
  }
  return adopt(batch, token, out, <u32>(o - out));
}
