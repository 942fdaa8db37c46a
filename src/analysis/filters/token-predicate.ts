// Scripts of `condition` and `predicate_token_filter`: Painless over `token`. Kernels ask them for a batch of tokens at once.
import { compileScript } from '../../scripting/painless.ts';
import type { TokensCall } from '../../wasm/host-calls.ts';
import { type Token, typeName } from '../tokens/token-stream.ts';
import { decodeWtf8 } from '../tokens/wtf8.ts';

/** The token as a script sees it; each member has a getter of the same meaning. */
export interface ScriptToken {
  readonly term: string;
  /** Absolute, from 0, counted up to this token. */
  readonly position: number;
  readonly positionIncrement: number;
  readonly positionLength: number;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly type: string;
  readonly keyword: boolean;
}

const MEMBERS: readonly (keyof ScriptToken)[] = [
  'term',
  'position',
  'positionIncrement',
  'positionLength',
  'startOffset',
  'endOffset',
  'type',
  'keyword',
];

/** `token` where something else than its term is asked for, or may be. */
const ASKS_FOR_MORE = /\btoken\b(?!\s*\.\s*(?:term\b|getTerm\s*\())/;

/** Terms whose verdict is remembered. */
const MAX_REMEMBERED = 8192;
const MAX_REMEMBERED_LENGTH = 64;

export class TokenPredicate {
  /** The verdict depends on the term alone. */
  readonly isOfTerm: boolean;
  /** For kernels (assembly/analysis/host-calls.ts). */
  readonly call: TokensCall;
  private readonly script: ReturnType<typeof compileScript>;

  /** @throws ApiError script_exception: syntax that is not known here, with its place */
  constructor(source: string) {
    this.script = compileScript(source, { token: { kind: 'object', members: Object.fromEntries(MEMBERS.map((name) => [name, true])) } });
    this.isOfTerm = !ASKS_FOR_MORE.test(source);
    this.call = this.isOfTerm ? this.termsCall() : this.tokensCall();
  }

  /** @throws ApiError script_exception: the script fails on this token */
  test(token: ScriptToken): boolean {
    return this.script.run({ token: { fields: token as unknown as Record<string, unknown> } }) === true;
  }

  private tokensCall(): TokensCall {
    return (bytes, tokensPtr, count, outPtr, position) => {
      const words = new Uint32Array(bytes.buffer, tokensPtr, count * KernelToken.WORDS);
      let last = position - 1;
      for (let i = 0; i < count; i++) {
        const token = new KernelToken(bytes, words, i * KernelToken.WORDS, last);
        last = token.position;
        bytes[outPtr + i] = this.test(token) ? 1 : 0;
      }
      return 0;
    };
  }

  private termsCall(): TokensCall {
    let remembered = new Map<string, boolean>();
    return (bytes, tokensPtr, count, outPtr) => {
      const words = new Uint32Array(bytes.buffer, tokensPtr, count * KernelToken.WORDS);
      for (let i = 0; i < count; i++) {
        const token = new KernelToken(bytes, words, i * KernelToken.WORDS, 0);
        const { term } = token;
        let verdict = remembered.get(term);
        if (verdict === undefined) {
          verdict = this.test(token);
          if (remembered.size >= MAX_REMEMBERED) remembered = new Map();
          if (term.length <= MAX_REMEMBERED_LENGTH) remembered.set(term, verdict);
        }
        bytes[outPtr + i] = verdict ? 1 : 0;
      }
      return 0;
    };
  }
}

/** A token of kernel memory (assembly/analysis/token.ts); valid as long as its batch. */
class KernelToken implements ScriptToken {
  static readonly WORDS = 8;
  readonly position: number;

  /** @param last  position of the token before */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly words: Uint32Array,
    private readonly at: number,
    last: number,
  ) {
    this.position = last + words[at + 4];
  }

  get term(): string {
    const start = this.words[this.at];
    return decodeWtf8(this.bytes, start, start + this.words[this.at + 1]);
  }

  get startOffset(): number {
    return this.words[this.at + 2];
  }

  get endOffset(): number {
    return this.words[this.at + 3];
  }

  get positionIncrement(): number {
    return this.words[this.at + 4];
  }

  get positionLength(): number {
    return this.words[this.at + 5];
  }

  get type(): string {
    return typeName(this.words[this.at + 6] & 0xffff);
  }

  get keyword(): boolean {
    return ((this.words[this.at + 6] >>> 16) & 1) !== 0;
  }
}

/** A token of a list on the host. */
export function scriptToken(token: Token, position: number): ScriptToken {
  const { term, startOffset, endOffset, type, keyword } = token;
  return { term, position, positionIncrement: token.posInc, positionLength: token.posLen, startOffset, endOffset, type, keyword };
}
