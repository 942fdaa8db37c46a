// Parses the supported part of Painless: declarations, assignments, conditions, loops, functions; expressions are in expression-parser.ts.
import { ExpressionParser } from './expression-parser.ts';
import { LexemeCursor } from './lexeme-cursor.ts';
import type { Lexeme } from './lexer.ts';
import type { Expression, Statement } from './syntax-tree.ts';

const KEYWORDS = new Set([
  'if',
  'else',
  'for',
  'while',
  'do',
  'return',
  'break',
  'continue',
  'throw',
  'new',
  'in',
  'instanceof',
  'true',
  'false',
  'null',
]);
/** `=` and the compound assignments. */
const ASSIGNMENT = /^(?:[-+*/%&|^]|<<|>>>?)?=$/;

export class Parser {
  readonly #cursor: LexemeCursor;
  readonly #expressions: ExpressionParser;

  /** @throws ApiError script_exception: a character or literal that Painless does not have */
  constructor(source: string) {
    this.#cursor = new LexemeCursor(source);
    this.#expressions = new ExpressionParser(this.#cursor, () => this.#statement());
  }

  /** @throws ApiError script_exception: a syntax error, with its place */
  parseScript(): Statement[] {
    const body: Statement[] = [];
    while (this.#cursor.peek().kind !== 'end') body.push(...this.#statement());
    if (!body.length) throw this.#cursor.unexpected(this.#cursor.peek());
    return body;
  }

  #statement(): Statement[] {
    if (this.#cursor.accept(';')) return [];
    if (this.#cursor.accept('{')) {
      const body: Statement[] = [];
      while (!this.#cursor.accept('}')) {
        if (this.#cursor.peek().kind === 'end') throw this.#cursor.unexpected(this.#cursor.peek(), '}');
        body.push(...this.#statement());
      }
      return [{ kind: 'block', body }];
    }
    const start = this.#cursor.peek();
    if (this.#cursor.accept('if')) {
      const test = this.#condition();
      const then = this.#statement();
      return [{ kind: 'if', test, then, else: this.#cursor.accept('else') ? this.#statement() : null }];
    }
    if (this.#cursor.accept('return')) {
      const value = this.#cursor.is(';') || this.#cursor.peek().kind === 'end' ? null : this.#expressions.parse();
      this.#endOfStatement();
      return [{ kind: 'return', value, at: start.at }];
    }
    if (start.kind === 'name') {
      const control = this.#control(start);
      if (control) return control;
    }
    if (this.#isDeclaration()) {
      return this.#cursor.is('(', this.#typeLength() + 1) ? [this.#functionDeclaration()] : this.#declaration(true);
    }
    const statement = this.#simpleStatement();
    this.#endOfStatement();
    return [statement];
  }

  /** An assignment or an expression, without the semicolon. */
  #simpleStatement(): Statement {
    const { kind, text: name, at } = this.#cursor.peek();
    const operator = this.#cursor.peek(1);
    if (kind === 'name' && operator.kind === 'operator' && ASSIGNMENT.test(operator.text)) {
      this.#cursor.skip(2);
      return { kind: 'assign', name, op: operator.text.slice(0, -1), value: this.#expressions.parse(), at };
    }
    const expression = this.#expressions.parse();
    return this.#store(expression) ?? { kind: 'expression', expression };
  }

  /** Loops and jumps; null if the statement starts with something else. */
  #control(start: Lexeme): Statement[] | null {
    switch (start.text) {
      case 'for':
        this.#cursor.skip(1);
        return this.#isEach() ? this.#each(start.at) : [this.#forLoop(start.at)];
      case 'while': {
        this.#cursor.skip(1);
        const test = this.#condition();
        const body = this.#cursor.accept(';') ? [] : this.#statement();
        return [{ kind: 'loop', init: [], test, step: [], body, testLast: false, at: start.at }];
      }
      case 'do': {
        this.#cursor.skip(1);
        const body = this.#statement();
        this.#cursor.expect('while');
        const test = this.#condition();
        this.#endOfStatement();
        return [{ kind: 'loop', init: [], test, step: [], body, testLast: true, at: start.at }];
      }
      case 'break':
      case 'continue':
        this.#cursor.skip(1);
        this.#endOfStatement();
        return [{ kind: 'leave', how: start.text }];
      case 'throw': {
        this.#cursor.skip(1);
        const value = this.#expressions.parse();
        this.#endOfStatement();
        return [{ kind: 'throw', value, at: start.at }];
      }
      case 'try':
      case 'catch':
      case 'this':
        throw this.#cursor.errorAt(start.at, `[${start.text}] is not supported in scripts.`);
      default:
        return null;
    }
  }

  #condition(): Expression {
    this.#cursor.expect('(');
    const test = this.#expressions.parse();
    this.#cursor.expect(')');
    return test;
  }

  /** `(def x : list)` or `(x in list)` follows. */
  #isEach(): boolean {
    if (!this.#cursor.is('(')) return false;
    let ahead = 1;
    if (this.#cursor.peek(ahead + 1).kind === 'name' && !this.#cursor.is('in', ahead + 1)) ahead++;
    return this.#cursor.is(':', ahead + 1) || this.#cursor.is('in', ahead + 1);
  }

  #forLoop(at: number): Statement {
    this.#cursor.expect('(');
    const init = this.#cursor.is(';') ? [] : this.#isDeclaration() ? this.#declaration(false) : this.#simpleStatements(';');
    this.#cursor.expect(';');
    const test = this.#cursor.is(';') ? null : this.#expressions.parse();
    this.#cursor.expect(';');
    const step = this.#cursor.is(')') ? [] : this.#simpleStatements(')');
    this.#cursor.expect(')');
    const body = this.#cursor.accept(';') ? [] : this.#statement();
    return { kind: 'loop', init, test, step, body, testLast: false, at };
  }

  /** Comma-separated expressions and assignments before `end`, which is not consumed. */
  #simpleStatements(end: string): Statement[] {
    const out: Statement[] = [];
    do out.push(this.#simpleStatement());
    while (this.#cursor.accept(','));
    if (!this.#cursor.is(end)) throw this.#cursor.unexpected(this.#cursor.peek(), end);
    return out;
  }

  /** Number of lexemes of the type at the cursor, including its angle and square brackets; 0 if there is no type. */
  #typeLength(): number {
    const start = this.#cursor.peek();
    if (start.kind !== 'name' || KEYWORDS.has(start.text)) return 0;
    let length = 1;
    if (this.#cursor.is('<', length)) {
      let depth = 0;
      do {
        const { text, kind } = this.#cursor.peek(length);
        if (text === '<') depth++;
        else if (text === '>') depth--;
        else if (text === '>>') depth -= 2;
        else if (kind !== 'name' && text !== ',') return 0;
        length++;
      } while (depth > 0);
    }
    while (this.#cursor.is('[', length) && this.#cursor.is(']', length + 1)) length += 2;
    return length;
  }

  /** True if a type followed by a name is at the cursor. */
  #isDeclaration(): boolean {
    const length = this.#typeLength();
    const name = this.#cursor.peek(length);
    return length > 0 && name.kind === 'name' && !KEYWORDS.has(name.text);
  }

  #functionDeclaration(): Statement {
    const { at } = this.#cursor.peek();
    this.#cursor.skip(this.#typeLength());
    const name = this.#cursor.take().text;
    this.#cursor.expect('(');
    const params: string[] = [];
    while (!this.#cursor.accept(')')) {
      if (!this.#isDeclaration()) throw this.#cursor.unexpected(this.#cursor.peek());
      this.#cursor.skip(this.#typeLength());
      params.push(this.#cursor.take().text);
      if (!this.#cursor.is(')')) this.#cursor.expect(',');
    }
    if (!this.#cursor.is('{')) throw this.#cursor.unexpected(this.#cursor.peek(), '{');
    return { kind: 'function', name, params, body: this.#statement(), at };
  }

  /** The rest of `x.y = 1`, `x.y += 1` or `x[0]++` after the target; null if no assignment follows. */
  #store(target: Expression): Statement | null {
    const operator = this.#cursor.peek();
    const isStep = operator.text === '++' || operator.text === '--';
    if (operator.kind !== 'operator' || !(isStep || ASSIGNMENT.test(operator.text))) return null;
    if (target.kind !== 'member' && target.kind !== 'index') throw this.#cursor.unexpected(operator, ';');
    this.#cursor.skip(1);
    const value: Expression = isStep ? { kind: 'literal', value: 1, at: operator.at } : this.#expressions.parse();
    return { kind: 'store', target, op: isStep ? operator.text[0] : operator.text.slice(0, -1), value, at: operator.at };
  }

  /** `for (def item : list) ...`, `for (item in list) ...` */
  #each(at: number): Statement[] {
    this.#cursor.expect('(');
    if (this.#isDeclaration()) this.#cursor.skip(this.#typeLength());
    const name = this.#cursor.peek();
    if (name.kind !== 'name') throw this.#cursor.unexpected(name);
    this.#cursor.skip(1);
    if (!this.#cursor.accept(':') && !this.#cursor.accept('in')) throw this.#cursor.unexpected(this.#cursor.peek(), ':');
    const items = this.#expressions.parse();
    this.#cursor.expect(')');
    return [{ kind: 'each', name: name.text, items, body: this.#statement(), at }];
  }

  #declaration(isStatement: boolean): Statement[] {
    const type = this.#cursor.peek().text;
    this.#cursor.skip(this.#typeLength());
    const out: Statement[] = [];
    do {
      const name = this.#cursor.peek();
      if (name.kind !== 'name') throw this.#cursor.unexpected(name);
      this.#cursor.skip(1);
      out.push({ kind: 'declare', name: name.text, type, value: this.#cursor.accept('=') ? this.#expressions.parse() : null, at: name.at });
    } while (this.#cursor.accept(','));
    if (isStatement) this.#endOfStatement();
    return out;
  }

  #endOfStatement(): void {
    if (this.#cursor.peek().kind === 'end' || this.#cursor.is('}')) return;
    this.#cursor.expect(';');
  }
}
