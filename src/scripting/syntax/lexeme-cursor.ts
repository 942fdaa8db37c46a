// A position in the lexemes of a script: looking ahead, accepting, and errors with their place.
import { ApiError } from '../../errors/api-error.ts';
import { type Lexeme, lex } from './lexer.ts';
import { scriptError } from './script-error.ts';

export class LexemeCursor {
  readonly #source: string;
  readonly #lexemes: readonly Lexeme[];
  #next = 0;

  constructor(source: string) {
    this.#source = source;
    this.#lexemes = lex(source);
  }

  /** The lexeme `ahead` of the next one; past the end, the last one (of kind `end`). */
  peek(ahead = 0): Lexeme {
    return this.#lexemes[Math.min(this.#next + ahead, this.#lexemes.length - 1)];
  }

  is(text: string, ahead = 0): boolean {
    const lexeme = this.peek(ahead);
    return lexeme.text === text && (lexeme.kind === 'operator' || lexeme.kind === 'name');
  }

  /** Consumes the next lexeme. @throws ApiError script_exception: it is not a lexeme */
  take(): Lexeme {
    const lexeme = this.peek();
    if (lexeme.kind === 'error') throw this.unexpectedError(lexeme);
    this.#next++;
    return lexeme;
  }

  /** Moves forward by `count` lexemes. */
  skip(count: number): void {
    for (let i = 0; i < count; i++) this.take();
  }

  /** Consumes the next lexeme if it is `text`. */
  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.#next++;
    return true;
  }

  /** @throws ApiError script_exception: the next lexeme is not `text` */
  expect(text: string): void {
    if (!this.accept(text)) throw this.mismatchError(this.peek(), `'${text}'`);
  }

  /** Consumes the lexeme that ends an expression, where the grammar has several alternatives. @throws ApiError script_exception */
  close(text: string): void {
    if (!this.accept(text)) throw this.unexpectedError(this.peek());
  }

  /** The error of a lexeme where only certain ones are possible. @param expected  as the grammar writes them */
  mismatchError(lexeme: Lexeme, expected: string): ApiError {
    if (lexeme.kind === 'error') return this.unexpectedError(lexeme);
    return this.errorAt(lexeme.at, `unexpected token ['${lexeme.text}'] was expecting one of [${expected}].`);
  }

  /** The error of a lexeme where no expression or statement can continue. */
  unexpectedError(lexeme: Lexeme): ApiError {
    if (lexeme.kind === 'error') return this.#badCharacterError(lexeme);
    const reason = lexeme.kind === 'end' ? 'unexpected end of script.' : `invalid sequence of tokens near ['${lexeme.text}'].`;
    return scriptError(this.#source, lexeme.at, reason, undefined, new ApiError('no_viable_alt_exception', 400, null));
  }

  #badCharacterError({ text, at }: Lexeme): ApiError {
    const quote = text[0];
    const escape = /\\[\s\S]$/.test(text)
      ? ` The only valid escape sequences in strings starting with [${quote}] are [\\\\] and [\\${quote}].`
      : '';
    const reason = `unexpected character [${text}].${escape}`;
    return scriptError(this.#source, at, reason, undefined, new ApiError('lexer_no_viable_alt_exception', 400, null));
  }

  errorAt(at: number, reason: string): ApiError {
    return scriptError(this.#source, at, reason);
  }
}
