// Filters that are a function of the term, called by kernels, which cache the answers (assembly/analysis/host-calls.ts).

import {
  HostTermData,
  HostTermFlag,
  HostTermsConfig,
  KEEP_KEYWORDS,
  OperationHead,
  RewriteOp,
  StageId,
} from '../../wasm/generated/analysis.ts';
import { E_NO_SPACE } from '../../wasm/generated/mem.ts';
import { numberOfCall, type TermCall } from '../../wasm/host-calls.ts';
import { recordBytes } from '../blob.ts';
import type { TokenFilter } from '../component.ts';
import { decodeWtf8, writeWtf8 } from '../tokens/wtf8.ts';

/** Returns the terms that replace a term; none if it stays unchanged. @throws ApiError: the text is refused */
export type TermFunction = (term: string) => readonly string[];

const FLAGS = { replace: 0, mark: HostTermFlag.MARK, dropOthers: HostTermFlag.DROP_OTHERS } as const;

function termCall(answer: TermFunction): TermCall {
  /** An answer that did not fit, for the repeated call. */
  let pending: { term: string; terms: readonly string[] } | null = null;
  return (bytes, termPtr, termLen, outPtr, outBytes) => {
    const term = decodeWtf8(bytes, termPtr, termPtr + termLen);
    const terms = pending?.term === term ? pending.terms : answer(term);
    const most = terms.reduce((sum, { length }) => sum + 4 + length * 3, 0);
    pending = most > outBytes ? { term, terms } : null;
    if (pending) return E_NO_SPACE;
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
 * A filter that replaces, marks or drops terms by a function of the term.
 * @param how `replace`: by the first term of the answer. `mark`: terms with an answer become keywords. `dropOthers`: terms without an answer are dropped
 */
export function termFilter(how: keyof typeof FLAGS, answer: TermFunction): TokenFilter {
  const call = termCall(answer);
  const data = recordBytes(HostTermData, { call: numberOfCall(call), flags: FLAGS[how] });
  const config = recordBytes(OperationHead, { op: RewriteOp.HOST_TERM, dataBytes: data.length }, data);
  return { kind: 'kernel', stages: [{ id: StageId.STEM, config, keeps: call }] };
}

/** A filter that replaces a term by any number of terms, all at its position. */
export function termsFilter(answer: TermFunction, { keepsKeywords = false } = {}): TokenFilter {
  const call = termCall(answer);
  const config = recordBytes(HostTermsConfig, { call: numberOfCall(call), flags: keepsKeywords ? KEEP_KEYWORDS : 0 });
  return { kind: 'kernel', stages: [{ id: StageId.HOST_TERMS, config, keeps: call }] };
}
