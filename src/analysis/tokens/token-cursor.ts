import { type AnalysisHost, BEGIN_AGAIN, BytesInput, type ChainProgram, type TextInput } from '../../wasm/analysis.ts';
import type { Analyzer } from '../analyzer.ts';
import { TOKEN_TYPES } from './token-types.ts';
import { decodeWtf8, StringInput } from './wtf8.ts';

/** Words of a token record (assembly/analysis/token.ts). */
const TOKEN_WORDS = 8;
const NOTHING = new Uint8Array(0);
const NO_WORDS = new Int32Array(0);

/**
 * The tokens of a text one after the other, read from kernel memory when they are asked for: no object for each. One text at a time: whatever
 * else the same kernels analyse ends this one.
 */
export class TokenCursor {
  private bytes: Uint8Array = NOTHING;
  private words: Int32Array = NO_WORDS;
  /** Places of the token and of the end of the batch in `words`. */
  private at = 0;
  private end = 0;
  /** Tokens of the batches before this one. */
  private before = 0;
  private batch = 0;
  /** The position of the token at `placed`, whose increments up to there are counted. */
  private placed = 0;
  private placedAt = -1;
  /** Null where the text is gone. */
  private program: ChainProgram | null = null;
  private input: TextInput | null = null;

  constructor(private readonly host: AnalysisHost) {}

  /** The term as a string; made anew on each call. */
  get term(): string {
    return decodeWtf8(this.bytes, this.termStart, this.termEnd);
  }

  /** Memory under the term: bytes [termStart, termEnd) are its UTF-8 form. */
  get memory(): Uint8Array {
    return this.bytes;
  }

  get termStart(): number {
    return this.words[this.at] >>> 0;
  }

  get termEnd(): number {
    return (this.words[this.at] >>> 0) + this.words[this.at + 1];
  }

  get startOffset(): number {
    return this.words[this.at + 2];
  }

  get endOffset(): number {
    return this.words[this.at + 3];
  }

  /** Absolute position, from 0. */
  get position(): number {
    for (; this.placed < this.at; this.placed += TOKEN_WORDS) this.placedAt += this.words[this.placed + TOKEN_WORDS + 4];
    return this.placedAt;
  }

  get positionIncrement(): number {
    return this.words[this.at + 4];
  }

  get positionLength(): number {
    return this.words[this.at + 5];
  }

  get type(): string {
    return TOKEN_TYPES[this.words[this.at + 6] & 0xffff] ?? 'word';
  }

  /** Begins a text; `next` goes to its first token. @throws ApiError: the text is refused */
  start(analyzer: Analyzer, text: string): this {
    const program = analyzer.cursorProgram;
    const input = analyzer.isKernelChain ? new StringInput(text) : new BytesInput(analyzer.kernelInput(text));
    this.input = input;
    this.program = program;
    this.before = 0;
    this.take(program, this.host.begin(program, input));
    this.placed = this.at;
    this.placedAt = -1;
    return this;
  }

  /** Goes to the next token. False when there is none. @throws Error: another text was begun meanwhile */
  next(): boolean {
    this.at += TOKEN_WORDS;
    return this.at < this.end || this.nextBatch();
  }

  /** Calls `visit` for each token of a text. Returns how many there were. @throws as `start` and `next` */
  run(analyzer: Analyzer, text: string, visit: (token: TokenCursor) => void): number {
    this.start(analyzer, text);
    while (this.next()) visit(this);
    return this.before;
  }

  /** The kernels go on to another text (AnalysisHost.reader). */
  lose(): void {
    this.program = null;
    this.end = 0;
  }

  /** Goes to the first token of the next batch that was not visited yet; false if there is none. */
  private nextBatch(): boolean {
    const { program } = this;
    if (!program) throw new Error('the tokens of a text are gone when another one is analysed');
    this.before += this.batch;
    if (this.batch === 0 || this.host.isThrough(program)) {
      this.batch = 0;
      return false;
    }
    this.at = this.end - TOKEN_WORDS;
    const { position } = this;
    const count = this.host.next(program);
    if (count === BEGIN_AGAIN) this.beginAgain(program);
    else this.take(program, count);
    this.placed = this.at;
    this.placedAt = position;
    this.at += TOKEN_WORDS;
    return this.at < this.end;
  }

  /** Begins the text again, in larger memory, and passes over the tokens that were visited. Batches may end elsewhere now. */
  private beginAgain(program: ChainProgram): void {
    for (;;) {
      let passed = 0;
      let count = this.host.begin(program, this.input!);
      while (count > 0 && passed + count <= this.before) {
        passed += count;
        count = this.host.next(program);
      }
      if (count === BEGIN_AGAIN) continue;
      this.take(program, count);
      this.at += Math.min(this.before - passed, count) * TOKEN_WORDS;
      this.before = passed;
      return;
    }
  }

  /** Makes a batch the one at hand, before its first token. */
  private take(program: ChainProgram, count: number): void {
    const { host } = this;
    host.reader = this;
    this.program = program;
    this.bytes = host.memoryBytes;
    this.words = host.memoryWords;
    this.batch = count;
    this.at = (host.tokensOf(program) >>> 2) - TOKEN_WORDS;
    this.end = this.at + (count + 1) * TOKEN_WORDS;
  }
}
