// Parses Painless: functions, then statements; expressions are in expression-parser.ts.
import type { ApiError } from '../../errors/api-error.ts';
import { ExpressionParser } from './expression-parser.ts';
import { LexemeCursor } from './lexeme-cursor.ts';
import { KEYWORDS, type Lexeme } from './lexer.ts';
import type { Block, Catch, Expression, FunctionDeclaration, Script, Statement } from './tree.ts';

const END = "{<EOF>, ';'}";

/** Keywords that start expressions. */
const VALUE_WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'new', 'this']);

const NO_START: ReadonlySet<string> = new Set([';', ')', ']', '}', ',', '.', ':', 'catch', 'else', 'in', 'instanceof']);

const startsStatement = ({ kind, text }: Lexeme): boolean => kind === 'string' || !NO_START.has(text);

const isStatementWord = ({ kind, text }: Lexeme): boolean => kind === 'name' && KEYWORDS.has(text) && !VALUE_WORDS.has(text);

export class Parser {
  readonly #cursor: LexemeCursor;
  readonly #expressions: ExpressionParser;
  /** The last declaration had no value. */
  #endsInName = false;

  constructor(source: string) {
    this.#cursor = new LexemeCursor(source);
    this.#expressions = new ExpressionParser(this.#cursor, () => this.#block());
  }

  /** @throws ApiError script_exception: a syntax error, with its place */
  parseScript(): Script {
    const functions: FunctionDeclaration[] = [];
    while (this.#isFunction()) functions.push(this.#function());
    const body: Statement[] = [];
    while (this.#cursor.peek().kind !== 'end') {
      if (body.length + functions.length > 0 && !startsStatement(this.#cursor.peek()))
        throw this.#cursor.mismatchError(this.#cursor.peek(), '<EOF>');
      body.push(this.#statement());
    }
    return { functions, body: { kind: 'block', body, at: 0 } };
  }

  /** A type, a name and a parenthesis are ahead. */
  #isFunction(): boolean {
    const length = this.#expressions.typeLength();
    return length > 0 && this.#cursor.peek(length).kind === 'name' && this.#cursor.is('(', length + 1);
  }

  #function(): FunctionDeclaration {
    const { at } = this.#cursor.peek();
    const returns = this.#expressions.type();
    const name = this.#cursor.take().text;
    this.#cursor.expect('(');
    const params: Array<{ type: string; name: string }> = [];
    while (!this.#cursor.accept(')')) {
      const type = this.#expressions.type();
      params.push({ type, name: this.#expressions.name() });
      if (!this.#cursor.is(')') && !this.#cursor.accept(',')) throw this.#cursor.mismatchError(this.#cursor.peek(), "')'");
    }
    if (!this.#cursor.is('{')) throw this.#cursor.mismatchError(this.#cursor.peek(), "'{'");
    return { name, returns, params, body: this.#block(), at };
  }

  #block(): Block {
    const { at } = this.#cursor.peek();
    this.#cursor.expect('{');
    const body: Statement[] = [];
    while (!this.#cursor.accept('}')) {
      if (this.#cursor.peek().kind === 'end') throw this.#cursor.unexpectedError(this.#cursor.peek());
      body.push(this.#statement(true));
    }
    return { kind: 'block', body, at };
  }

  /** A block, or a single statement as a block; null for `;`. */
  #trailer(): Block | null {
    if (this.#cursor.is('{')) return this.#block();
    const { at } = this.#cursor.peek();
    return { kind: 'block', body: [this.#statement()], at };
  }

  /** The body of a loop, which may be empty. */
  #loopBody(): Block | null {
    return this.#cursor.accept(';') ? null : this.#emptyAsNull(this.#trailer());
  }

  #emptyAsNull(block: Block | null): Block | null {
    return block?.body.length === 0 ? null : block;
  }

  /** @param inBlock  the last statement of a block may end without a semicolon */
  #statement(inBlock = false): Statement {
    const { at, text, kind } = this.#cursor.peek();
    if (kind === 'name') {
      switch (text) {
        case 'if':
          return this.#if(at);
        case 'while': {
          this.#cursor.skip(1);
          const test = this.#condition();
          return { kind: 'while', test, body: this.#loopBody(), at };
        }
        case 'for':
          this.#cursor.skip(1);
          return this.#for(at);
        case 'try':
          return this.#try(at);
      }
    }
    const statement = this.#delimited(at, text);
    if (!(inBlock && this.#cursor.is('}')) && this.#cursor.peek().kind !== 'end' && !this.#cursor.accept(';'))
      throw this.#undelimitedError(statement, inBlock);
    return statement;
  }

  /** The error of a lexeme after a statement. Where the grammar has looked further ahead, it says only that nothing matches. */
  #undelimitedError(statement: Statement, inBlock: boolean): ApiError {
    const isBare = statement.kind === 'declarations' && statement.list.at(-1)?.kind === 'declare' && this.#endsInName;
    const isFunction = statement.kind === 'expression' && (this.#cursor.is('->') || this.#cursor.is('::'));
    if (inBlock || isBare || isFunction) return this.#cursor.unexpectedError(this.#cursor.peek());
    return this.#cursor.mismatchError(this.#cursor.peek(), END);
  }

  /** A statement that a semicolon ends. */
  #delimited(at: number, keyword: string): Statement {
    switch (keyword) {
      case 'do': {
        this.#cursor.skip(1);
        const body = this.#emptyAsNull(this.#block());
        this.#cursor.expect('while');
        return { kind: 'do', test: this.#condition(), body, at };
      }
      case 'continue':
      case 'break':
        this.#cursor.skip(1);
        return { kind: keyword, at };
      case 'return': {
        this.#cursor.skip(1);
        const next = this.#cursor.peek();
        const isEmpty = this.#cursor.is(';') || this.#cursor.is('}') || next.kind === 'end' || isStatementWord(next);
        return { kind: 'return', value: isEmpty ? null : this.#expressions.parse(), at };
      }
      case 'throw':
        this.#cursor.skip(1);
        return { kind: 'throw', value: this.#expressions.parse(), at };
    }
    if (this.#isDeclaration()) return this.#declaration(at);
    const expression = this.#expressions.parse();
    return { kind: 'expression', expression, at };
  }

  #if(at: number): Statement {
    this.#cursor.skip(1);
    const test = this.#condition();
    const then = this.#emptyAsNull(this.#trailer());
    const hasElse = this.#cursor.accept('else');
    return { kind: 'if', test, then, else: hasElse ? this.#emptyAsNull(this.#trailer()) : null, hasElse, at };
  }

  #try(at: number): Statement {
    this.#cursor.skip(1);
    const body = this.#emptyAsNull(this.#block());
    const catches: Catch[] = [];
    while (this.#cursor.is('catch')) {
      const start = this.#cursor.take().at;
      this.#cursor.expect('(');
      const type = this.#expressions.type();
      const name = this.#expressions.name();
      this.#cursor.expect(')');
      catches.push({ type, name, body: this.#emptyAsNull(this.#block()), at: start });
    }
    if (!catches.length) throw this.#cursor.mismatchError(this.#cursor.peek(), "'catch'");
    return { kind: 'try', body, catches, at };
  }

  #condition(): Expression {
    this.#cursor.expect('(');
    const test = this.#expressions.parse();
    this.#cursor.expect(')');
    return test;
  }

  #for(at: number): Statement {
    this.#cursor.expect('(');
    const each = this.#eachHeader();
    if (each) {
      const items = this.#expressions.parse();
      this.#cursor.expect(')');
      return { kind: 'each', ...each, items, body: this.#cursor.accept(';') ? null : this.#emptyAsNull(this.#trailer()), at };
    }
    let init: Statement | Expression | null = null;
    if (!this.#cursor.is(';')) init = this.#isDeclaration() ? this.#declaration(this.#cursor.peek().at) : this.#expressions.parse();
    this.#cursor.expect(';');
    const test = this.#cursor.is(';') ? null : this.#expressions.parse();
    this.#cursor.expect(';');
    const step = this.#cursor.is(')') ? null : this.#expressions.parse();
    this.#cursor.expect(')');
    return { kind: 'for', init, test, step, body: this.#loopBody(), at };
  }

  /** `def x :` or `x in`, consumed; null if something else follows. */
  #eachHeader(): { type: string; name: string } | null {
    if (this.#cursor.peek().kind === 'name' && this.#cursor.is('in', 1)) {
      const name = this.#expressions.name();
      this.#cursor.skip(1);
      return { type: 'def', name };
    }
    const length = this.#expressions.typeLength();
    if (length === 0 || this.#cursor.peek(length).kind !== 'name' || !this.#cursor.is(':', length + 1)) return null;
    const type = this.#expressions.type();
    const name = this.#expressions.name();
    this.#cursor.skip(1);
    return { type, name };
  }

  /** True if a type followed by a name is at the cursor. */
  #isDeclaration(): boolean {
    const length = this.#expressions.typeLength();
    const name = this.#cursor.peek(length);
    return length > 0 && name.kind === 'name' && name.text !== 'instanceof';
  }

  #declaration(at: number): Statement {
    const type = this.#expressions.type();
    const list: Statement[] = [];
    do {
      const start = this.#cursor.peek().at;
      const name = this.#expressions.name();
      const isAssigned = this.#cursor.accept('=');
      list.push({ kind: 'declare', type, name, value: isAssigned ? this.#expressions.parse() : null, at: start });
      this.#endsInName = !isAssigned;
    } while (this.#cursor.accept(','));
    return { kind: 'declarations', list, at };
  }
}
