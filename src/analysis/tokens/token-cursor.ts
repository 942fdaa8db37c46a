// Iterates over the tokens of a text in kernel memory, without an object for each.
import { type AnalysisHost, BEGIN_AGAIN, BytesInput, type ChainProgram, type TextInput } from '../../wasm/analysis.ts';
import type { Analyzer } from '../analyzer.ts';
import { END_OFFSET, POS_INC, POS_LEN, START_OFFSET, TERM_LEN, TERM_PTR, TOKEN_WORDS, TYPE_AND_FLAGS, typeOf } from './token-record.ts';
import { typeName } from './token-types.ts';
import { decodeWtf8, StringInput } from './wtf8.ts';

const NOTHING = new Uint8Array(0);
const NO_WORDS = new Int32Array(0);
const NO_TEXT = new BytesInput(NOTHING);

/** A cursor over the tokens of one text. It is lost as soon as the same kernels analyze another text. */
export class TokenCursor {
  #bytes: Uint8Array = NOTHING;
  #words: Int32Array = NO_WORDS;
  /** Index in `words` of the current token, and of the end of the batch. */
  #at = 0;
  #end = 0;
  /** Number of tokens in earlier batches, and in this one. */
  #before = 0;
  #batch = 0;
  /** Index of the last token whose position is known, and that position. */
  #placed = 0;
  #placedAt = -1;
  /** The text being read; null when the cursor is lost. */
  #program: ChainProgram | null = null;
  #input: TextInput = NO_TEXT;

  readonly #host: AnalysisHost;

  constructor(host: AnalysisHost) {
    this.#host = host;
  }

  /** The term as a string, decoded on each call. */
  get term(): string {
    return decodeWtf8(this.#bytes, this.termStart, this.termEnd);
  }

  /** Kernel memory: bytes [termStart, termEnd) are the term in UTF-8. */
  get memory(): Uint8Array {
    return this.#bytes;
  }

  get termStart(): number {
    return this.#words[this.#at + TERM_PTR] >>> 0;
  }

  get termEnd(): number {
    return this.termStart + this.#words[this.#at + TERM_LEN];
  }

  get startOffset(): number {
    return this.#words[this.#at + START_OFFSET];
  }

  get endOffset(): number {
    return this.#words[this.#at + END_OFFSET];
  }

  /** Absolute position, from 0. */
  get position(): number {
    for (; this.#placed < this.#at; this.#placed += TOKEN_WORDS) this.#placedAt += this.#words[this.#placed + TOKEN_WORDS + POS_INC];
    return this.#placedAt;
  }

  get positionIncrement(): number {
    return this.#words[this.#at + POS_INC];
  }

  get positionLength(): number {
    return this.#words[this.#at + POS_LEN];
  }

  get type(): string {
    return typeName(typeOf(this.#words[this.#at + TYPE_AND_FLAGS])) ?? 'word';
  }

  /** Starts a text; `next` moves to its first token. @throws ApiError: the text is refused */
  start(analyzer: Analyzer, text: string): this {
    const program = analyzer.cursorProgram;
    const input = analyzer.isKernelChain ? new StringInput(text) : new BytesInput(analyzer.kernelInput(text));
    this.#input = input;
    this.#program = program;
    this.#before = 0;
    this.#openBatch(program, this.#host.begin(program, input));
    this.#placed = this.#at;
    this.#placedAt = -1;
    return this;
  }

  /** Moves to the next token. False at the end. @throws Error another text has been started in the meantime */
  next(): boolean {
    this.#at += TOKEN_WORDS;
    return this.#at < this.#end || this.#nextBatch();
  }

  /** Calls `visit` for each token of a text. Returns how many there were. @throws as `start` and `next` */
  run(analyzer: Analyzer, text: string, visit: (token: TokenCursor) => void): number {
    this.start(analyzer, text);
    while (this.next()) visit(this);
    return this.#before;
  }

  /** Called when the kernels start another text (AnalysisHost.reader). */
  lose(): void {
    this.#program = null;
    this.#end = 0;
  }

  /** Moves to the first token of the next batch that has not been visited; false at the end. */
  #nextBatch(): boolean {
    const program = this.#program;
    if (!program) throw new Error('the tokens of a text are lost as soon as another text is analyzed');
    this.#before += this.#batch;
    if (this.#batch === 0 || this.#host.isThrough(program)) {
      this.#batch = 0;
      return false;
    }
    this.#at = this.#end - TOKEN_WORDS;
    const { position } = this;
    const count = this.#host.next(program);
    if (count === BEGIN_AGAIN) this.#beginAgain(program);
    else this.#openBatch(program, count);
    this.#placed = this.#at;
    this.#placedAt = position;
    this.#at += TOKEN_WORDS;
    return this.#at < this.#end;
  }

  /** Starts the text again, in larger memory, and skips the tokens that have been visited. The batches may have other sizes now. */
  #beginAgain(program: ChainProgram): void {
    for (;;) {
      let passed = 0;
      let count = this.#host.begin(program, this.#input);
      while (count > 0 && passed + count <= this.#before) {
        passed += count;
        count = this.#host.next(program);
      }
      if (count === BEGIN_AGAIN) continue;
      this.#openBatch(program, count);
      this.#at += Math.min(this.#before - passed, count) * TOKEN_WORDS;
      this.#before = passed;
      return;
    }
  }

  /** Makes a batch the current one, positioned before its first token. */
  #openBatch(program: ChainProgram, count: number): void {
    const host = this.#host;
    host.reader = this;
    this.#program = program;
    this.#bytes = host.memoryBytes;
    this.#words = host.memoryWords;
    this.#batch = count;
    this.#at = (host.tokensOf(program) >>> 2) - TOKEN_WORDS;
    this.#end = this.#at + (count + 1) * TOKEN_WORDS;
  }
}
