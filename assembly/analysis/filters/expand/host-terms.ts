// Filters of the host that may put several terms in a term's place (hunspell, pattern_capture, hyphenation_decompounder).
//   config ├─ filter u32 ─┬─ flags u32: 1 = keywords stay as they are ─┤
//   area   ├─ cache ─┬─ answer at hand (host-calls.ts), the term itself if it is empty ─┬─ terms of the batch ─┤
// The cache (term-cache.ts) holds answers as they are, and is kept from text to text.
// State: d = 1 while a token is at hand, a = bytes of its answer that are written, b = bytes of the answer, c = 1 when a term is written.
import { E_NO_SPACE } from '../../../mem/status';
import { hostTerms } from '../../host-calls';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { Chain, Stage, stageAt, tokenAt } from '../../stage';
import { FLAG_KEYWORD, Token } from '../../token';
import { bucketMask, clearTerms, entryResult, hashBytes, MAX_KEY, noteTerm, recallTerm, rememberTerm, resultLen } from '../rewrite/term-cache';

const KEEP_KEYWORDS: u32 = 1;

// @ts-ignore: decorator
@inline
function answerPtr(stage: Stage): usize {
  return stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 1);
}

export function clearAnswers(stage: Stage): void {
  clearTerms(stage.termsPtr, answerPtr(stage));
}

export function hostTermsNext(chain: Chain, index: u32, stage: Stage, previousProducer: u32): i32 {
  const input = stageAt(chain, previousProducer), answer = answerPtr(stage), outPtr = answer + ((stage.termsEnd - answer) >> 1);
  const outEnd = termsLimit(stage, outPtr);
  stage.termCur = outPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    if (!stage.d) {
      const status = awaitToken(chain, index, stage, previousProducer);
      if (status < 0) return status;
      if (!status) break;
      const bytes = ask(stage, tokenAt(input, input.taken), answer, outPtr);
      if (bytes < 0) return bytes;
      stage.d = 1;
      stage.a = 0;
      stage.b = bytes;
      stage.c = 0;
    }
    const token = tokenAt(input, input.taken), at = answer + stage.a;
    const termPtr = stage.b ? at + 4 : token.termPtr, termLen = stage.b ? load<u32>(at) : token.termLen;
    if (emitToken(stage, made, token, termPtr, termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    if (stage.c) tokenAt(stage, made).posInc = 0;
    made++;
    stage.c = 1;
    stage.a += 4 + termLen;
    if (stage.a >= stage.b) {
      stage.d = 0;
      input.taken++;
    }
  }
  return made;
}

/** Writes the answer for a token to `out`. Returns its bytes, or a status. */
function ask(stage: Stage, token: Token, out: usize, outEnd: usize): i32 {
  if (token.flags & FLAG_KEYWORD && load<u32>(stage.config, 4) & KEEP_KEYWORDS) return 0;
  return askCached(load<u32>(stage.config), token.termPtr, token.termLen, stage.termsPtr, answerPtr(stage), out, outEnd);
}

/** The answer of a filter of the host, from the cache in [area, areaEnd) if it is there. Returns its bytes, which are at `out`, or a status. */
export function askCached(filter: u32, ptr: usize, len: u32, area: usize, areaEnd: usize, out: usize, outEnd: usize): i32 {
  if (len - 1 >= MAX_KEY) return hostTerms(filter, ptr, len, out, outEnd - out);
  const hash = hashBytes(ptr, len), known = recallTerm(area, bucketMask(area, areaEnd), hash, ptr, len);
  if (known) {
    const bytes = resultLen(known);
    if (out + bytes > outEnd) return E_NO_SPACE;
    memory.copy(out, entryResult(known), bytes);
    return bytes;
  }
  const bytes = hostTerms(filter, ptr, len, out, outEnd - out);
  if (bytes < 0) return bytes;
  const noted = noteTerm(area, areaEnd, ptr, len);
  if (noted) rememberTerm(area, areaEnd, hash, noted, out, bytes, 0);
  return bytes;
}
