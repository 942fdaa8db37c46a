// Host filters that may replace a term by several (hunspell, pattern_capture, hyphenation_decompounder).
//   config ├─ filter u32 ─┬─ flags u32: 1 = keywords stay unchanged ─┤
//   area   ├─ cache ─┬─ current answer (host-calls.ts); empty for the unchanged term ─┬─ terms of the batch ─┤
// The cache (rewrite/term-cache.ts) stores answers verbatim and lives from text to text.
import { E_NO_SPACE } from '../../../mem/status';
import { KEEP_KEYWORDS } from '../../config-values';
import { hostTerms } from '../../host-calls';
import { awaitToken, emitToken, termsLimit } from '../../producer';
import { Chain, inputOf, Stage, stateOf, tokenAt } from '../../stage';
import { FLAG_KEYWORD, Token } from '../../token';
import { bucketMask, clearTerms, entryResult, hashBytes, MAX_KEY, noteTerm, recallTerm, rememberTerm, resultLen } from '../rewrite/term-cache';
import { HostTermsConfig } from '../../stage-configs';

// @ts-ignore: decorator
@unmanaged
class HostTermsState extends Stage {
  hasToken: u32;
  /** Bytes of the current token's answer that have been emitted, and all of them. */
  answerTaken: u32;
  answerBytes: u32;
  /** 1 once a term has been emitted for the current token. */
  hasOutput: u32;
}

// @ts-ignore: decorator
@inline
function answerPtr(stage: Stage): usize {
  return stage.termsPtr + ((stage.termsEnd - stage.termsPtr) >> 1);
}

export function clearAnswers(stage: Stage): void {
  clearTerms(stage.termsPtr, answerPtr(stage));
}

export function hostTermsNext(chain: Chain, stage: Stage): i32 {
  const state = stateOf<HostTermsState>(stage), input = inputOf(stage), answer = answerPtr(stage), outPtr = answer + ((stage.termsEnd - answer) >> 1);
  const outEnd = termsLimit(stage, outPtr);
  stage.termCur = outPtr;
  let made: u32 = 0;
  while (made < chain.batch) {
    if (!state.hasToken) {
      const status = awaitToken(chain, stage);
      if (status < 0) return status;
      if (!status) break;
      const bytes = ask(stage, tokenAt(input, input.taken), answer, outPtr);
      if (bytes < 0) return bytes;
      state.hasToken = 1;
      state.answerTaken = 0;
      state.answerBytes = bytes;
      state.hasOutput = 0;
    }
    const token = tokenAt(input, input.taken), at = answer + state.answerTaken;
    const termPtr = state.answerBytes ? at + 4 : token.termPtr, termLen = state.answerBytes ? load<u32>(at) : token.termLen;
    if (emitToken(stage, made, token, termPtr, termLen, outEnd) < 0) return made ? made : E_NO_SPACE;
    if (state.hasOutput) tokenAt(stage, made).posInc = 0;
    made++;
    state.hasOutput = 1;
    state.answerTaken += 4 + termLen;
    if (state.answerTaken >= state.answerBytes) {
      state.hasToken = 0;
      input.taken++;
    }
  }
  return made;
}

/** Writes the answer for a token to `out`. Returns its size, or a status. */
function ask(stage: Stage, token: Token, out: usize, outEnd: usize): i32 {
  if (token.flags & FLAG_KEYWORD && changetype<HostTermsConfig>(stage.config).flags & KEEP_KEYWORDS) return 0;
  return askCached(changetype<HostTermsConfig>(stage.config).call, token.termPtr, token.termLen, stage.termsPtr, answerPtr(stage), out, outEnd);
}

/** Copies the answer of a host filter to `out`, from the cache in [area, areaEnd) if possible. Returns its size, or a status. */
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
