// Filters that are a function of the term, for kernels to call: they ask once for a word and remember the answer (assembly/analysis/host-calls.ts).

import { E_NO_SPACE } from '../../wasm/generated/mem.ts';
import { numberOfCall, type TermCall } from '../../wasm/host-calls.ts';
import { words } from '../blob.ts';
import type { TokenFilter } from '../component.ts';
import { STAGE } from '../stage-ids.ts';
import { decodeWtf8, writeWtf8 } from '../tokens/wtf8.ts';

/** The terms that take the place of a term; none: it stays as it is. @throws ApiError: the text is refused */
export type TermFunction = (term: string) => readonly string[];

/** Operation of the stem stage that asks the host, and its flags (assembly/analysis/filters/rewrite/stem.ts). */
export const HOST_TERM_OP = 0x800;
export const HOST_TERM_FLAGS = { replace: 0, mark: 1, dropOthers: 2 } as const;
const KEEP_KEYWORDS = 1;

function termCall(answer: TermFunction): TermCall {
  /** An answer that did not fit, for the call that comes again. */
  let waiting: { term: string; terms: readonly string[] } | null = null;
  return (bytes, termPtr, termLen, outPtr, outBytes) => {
    const term = decodeWtf8(bytes, termPtr, termPtr + termLen);
    const terms = waiting?.term === term ? waiting.terms : answer(term);
    const most = terms.reduce((sum, { length }) => sum + 4 + length * 3, 0);
    waiting = most > outBytes ? { term, terms } : null;
    if (waiting) return E_NO_SPACE;
    let at = outPtr;
    for (const made of terms) {
      const written = writeWtf8(bytes, at + 4, made);
      for (let i = 0; i < 4; i++) bytes[at + i] = written >>> (i * 8);
      at += 4 + written;
    }
    return at - outPtr;
  };
}

/**
 * A filter that changes, marks or drops terms by a function of the term.
 * @param how  `replace`: by the first term of the answer. `mark`: terms with an answer become keywords. `dropOthers`: those without one go
 */
export function termFilter(how: keyof typeof HOST_TERM_FLAGS, answer: TermFunction): TokenFilter {
  const call = termCall(answer);
  const config = words([HOST_TERM_OP, 8, numberOfCall(call), HOST_TERM_FLAGS[how]]);
  return { kind: 'kernel', stages: [{ id: STAGE.STEM, config, keeps: call }] };
}

/** A filter that puts any number of terms in a term's place, all at its position. */
export function termsFilter(answer: TermFunction, { keepsKeywords = false } = {}): TokenFilter {
  const call = termCall(answer);
  const config = words([numberOfCall(call), keepsKeywords ? KEEP_KEYWORDS : 0]);
  return { kind: 'kernel', stages: [{ id: STAGE.HOST_TERMS, config, keeps: call }] };
}
