// Scripts of `condition` and `predicate_token_filter`: Painless over `token`. Kernels call them with a batch of tokens at a time.
import { CONTEXTS } from '../../scripting/contexts.ts';
import { type ScriptToken, TokenView } from '../../scripting/library/documents/analysis-token.ts';
import { type CompiledScript, compileScript } from '../../scripting/painless.ts';
import type { TokensCall } from '../../wasm/host-calls.ts';
import {
  END_OFFSET,
  isKeyword,
  POS_INC,
  POS_LEN,
  START_OFFSET,
  TERM_LEN,
  TERM_PTR,
  TOKEN_WORDS,
  TYPE_AND_FLAGS,
  typeOf,
} from '../tokens/token-record.ts';
import type { Token } from '../tokens/token-stream.ts';
import { typeName } from '../tokens/token-types.ts';
import { decodeWtf8 } from '../tokens/wtf8.ts';

/** Matches uses of `token` that read, or might read, anything but its term. */
const READS_MORE = /\btoken\b(?!\s*\.\s*(?:term\b|getTerm\s*\())/;

/** Most terms whose verdicts are cached, and their greatest length. */
const MAX_CACHED = 8192;
const MAX_CACHED_LENGTH = 64;

export class TokenPredicate {
  /** True if the verdict depends on the term alone. */
  readonly isOfTerm: boolean;
  /** For kernels (assembly/analysis/host-calls.ts). */
  readonly call: TokensCall;
  readonly #script: CompiledScript;
  #view: TokenView | null = null;

  /** @throws ApiError script_exception: unsupported syntax, with its position */
  constructor(source: string) {
    this.#script = compileScript(source, CONTEXTS.analysis);
    this.isOfTerm = !READS_MORE.test(source);
    this.call = this.isOfTerm ? this.#termsCall() : this.#tokensCall();
  }

  /** @throws ApiError script_exception: the script fails on this token */
  test(token: ScriptToken): boolean {
    this.#view ??= new TokenView(token);
    this.#view.token = token;
    return this.#script.run({ token: this.#view }) === true;
  }

  #tokensCall(): TokensCall {
    return (bytes, tokensPtr, count, outPtr, position) => {
      const words = new Uint32Array(bytes.buffer, tokensPtr, count * TOKEN_WORDS);
      let last = position - 1;
      for (let i = 0; i < count; i++) {
        const token = new KernelToken(bytes, words, i * TOKEN_WORDS, last);
        last = token.position;
        bytes[outPtr + i] = this.test(token) ? 1 : 0;
      }
      return 0;
    };
  }

  #termsCall(): TokensCall {
    let verdicts = new Map<string, boolean>();
    return (bytes, tokensPtr, count, outPtr) => {
      const words = new Uint32Array(bytes.buffer, tokensPtr, count * TOKEN_WORDS);
      for (let i = 0; i < count; i++) {
        const token = new KernelToken(bytes, words, i * TOKEN_WORDS, 0);
        const { term } = token;
        let verdict = verdicts.get(term);
        if (verdict === undefined) {
          verdict = this.test(token);
          if (verdicts.size >= MAX_CACHED) verdicts = new Map();
          if (term.length <= MAX_CACHED_LENGTH) verdicts.set(term, verdict);
        }
        bytes[outPtr + i] = verdict ? 1 : 0;
      }
      return 0;
    };
  }
}

/** A token in kernel memory; valid as long as its batch. */
class KernelToken implements ScriptToken {
  readonly position: number;

  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #at: number;

  /** @param last position of the previous token */
  constructor(bytes: Uint8Array, words: Uint32Array, at: number, last: number) {
    this.#bytes = bytes;
    this.#words = words;
    this.#at = at;
    this.position = last + words[at + POS_INC];
  }

  get term(): string {
    const start = this.#words[this.#at + TERM_PTR];
    return decodeWtf8(this.#bytes, start, start + this.#words[this.#at + TERM_LEN]);
  }

  get startOffset(): number {
    return this.#words[this.#at + START_OFFSET];
  }

  get endOffset(): number {
    return this.#words[this.#at + END_OFFSET];
  }

  get positionIncrement(): number {
    return this.#words[this.#at + POS_INC];
  }

  get positionLength(): number {
    return this.#words[this.#at + POS_LEN];
  }

  get type(): string {
    return typeName(typeOf(this.#words[this.#at + TYPE_AND_FLAGS]));
  }

  get keyword(): boolean {
    return isKeyword(this.#words[this.#at + TYPE_AND_FLAGS]);
  }
}

/** The script's view of a token on the host. */
export function scriptToken(token: Token, position: number): ScriptToken {
  const { term, startOffset, endOffset, type, keyword } = token;
  return { term, position, positionIncrement: token.posInc, positionLength: token.posLen, startOffset, endOffset, type, keyword };
}
