// A position in the lexemes of a script: looking ahead, accepting, and errors with their place.
import type { ApiError } from '../errors/api-error.ts';
import { type Lexeme, lex, scriptError } from './lexer.ts';

export class LexemeCursor {
  readonly #source: string;
  readonly #lexemes: readonly Lexeme[];
  #next = 0;

  /** @throws ApiError script_exception: a character or literal that Painless does not have */
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
    return lexeme.text === text && lexeme.kind !== 'string';
  }

  /** Consumes the next lexeme. */
  take(): Lexeme {
    const lexeme = this.peek();
    this.#next++;
    return lexeme;
  }

  /** Moves by `count` lexemes, backwards if negative. */
  skip(count: number): void {
    this.#next += count;
  }

  /** Consumes the next lexeme if it is `text`. */
  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.#next++;
    return true;
  }

  /** @throws ApiError script_exception: the next lexeme is not `text` */
  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(this.peek(), text);
  }

  unexpected(lexeme: Lexeme, expected?: string): ApiError {
    const reason =
      lexeme.kind === 'end'
        ? 'unexpected end of script.'
        : `unexpected token ['${lexeme.text}'] was expecting one of [${expected ? `'${expected}'` : 'an expression'}].`;
    return this.errorAt(lexeme.at, reason);
  }

  errorAt(at: number, reason: string): ApiError {
    return scriptError(this.#source, at, reason);
  }
}
