// Parses the part of Painless that is known here: expressions, declarations, assignments, if, return.
import { type Lexeme, lex, scriptError } from './lexer.ts';
import { Double, type Expression, type Statement } from './syntax-tree.ts';

const BINARY: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!=', '===', '!=='],
  ['<', '<=', '>', '>=', 'instanceof'],
  ['<<', '>>', '>>>'],
  ['+', '-'],
  ['*', '/', '%'],
];
const TYPES = new Set(['def', 'int', 'long', 'float', 'double', 'boolean', 'char', 'byte', 'short', 'String', 'Object', 'List', 'Map']);
const STATICS = new Set(['Math', 'Integer', 'Long', 'Double', 'Float', 'Character', 'String', 'Boolean', 'Objects']);
const MAX_DEPTH = 200;

export class Parser {
  private readonly lexemes: Lexeme[];
  private next = 0;
  private depth = 0;

  constructor(private readonly source: string) {
    this.lexemes = lex(source);
  }

  /** @throws ApiError script_exception */
  parseScript(): Statement[] {
    const body: Statement[] = [];
    while (this.peek().kind !== 'end') body.push(...this.statement());
    if (!body.length) throw this.unexpected(this.peek());
    return body;
  }

  private peek(ahead = 0): Lexeme {
    return this.lexemes[Math.min(this.next + ahead, this.lexemes.length - 1)];
  }

  private is(text: string, ahead = 0): boolean {
    const lexeme = this.peek(ahead);
    return lexeme.text === text && lexeme.kind !== 'string';
  }

  private accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.next++;
    return true;
  }

  private expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(this.peek(), text);
  }

  private unexpected(lexeme: Lexeme, wanted?: string) {
    const what =
      lexeme.kind === 'end'
        ? 'unexpected end of script.'
        : `unexpected token ['${lexeme.text}'] was expecting one of [${wanted ? `'${wanted}'` : 'an expression'}].`;
    return scriptError(this.source, lexeme.at, what);
  }

  private statement(): Statement[] {
    if (this.accept(';')) return [];
    if (this.accept('{')) {
      const body: Statement[] = [];
      while (!this.accept('}')) {
        if (this.peek().kind === 'end') throw this.unexpected(this.peek(), '}');
        body.push(...this.statement());
      }
      return [{ kind: 'block', body }];
    }
    const start = this.peek();
    if (this.accept('if')) {
      this.expect('(');
      const test = this.expression();
      this.expect(')');
      const then = this.statement();
      return [{ kind: 'if', test, then, else: this.accept('else') ? this.statement() : null }];
    }
    if (this.accept('return')) {
      const value = this.is(';') || this.peek().kind === 'end' ? null : this.expression();
      this.endOfStatement();
      return [{ kind: 'return', value, at: start.at }];
    }
    if (start.kind === 'name' && start.text === 'for') {
      this.next++;
      return this.each(start.at);
    }
    if (/^(?:for|while|do|try|throw|new|break|continue|catch|in|this)$/.test(start.text) && start.kind === 'name') {
      throw scriptError(this.source, start.at, `[${start.text}] is not known in scripts here.`);
    }
    if (TYPES.has(start.text) && this.peek(1).kind === 'name') return this.declaration();
    if (start.kind === 'name' && /^(?:[-+*/%&|^]|<<|>>>?)?=$/.test(this.peek(1).text) && this.peek(1).kind === 'operator') {
      this.next++;
      const op = this.lexemes[this.next++].text.slice(0, -1);
      const value = this.expression();
      this.endOfStatement();
      return [{ kind: 'assign', name: start.text, op, value, at: start.at }];
    }
    const expression = this.expression();
    const store = this.store(expression);
    this.endOfStatement();
    return [store ?? { kind: 'expression', expression }];
  }

  /** `x.y = 1`, `x.y += 1`, `x[0]++` behind the expression that is stored to. */
  private store(target: Expression): Statement | null {
    const operator = this.peek();
    const isStep = operator.text === '++' || operator.text === '--';
    if (operator.kind !== 'operator' || !(isStep || /^(?:[-+*/%&|^]|<<|>>>?)?=$/.test(operator.text))) return null;
    if (target.kind !== 'member' && target.kind !== 'index') throw this.unexpected(operator, ';');
    this.next++;
    const value: Expression = isStep ? { kind: 'literal', value: 1, at: operator.at } : this.expression();
    return { kind: 'store', target, op: isStep ? operator.text[0] : operator.text.slice(0, -1), value, at: operator.at };
  }

  /** `for (def item : list) ...`, `for (item in list) ...` */
  private each(at: number): Statement[] {
    this.expect('(');
    if (TYPES.has(this.peek().text)) this.next++;
    const name = this.peek();
    if (name.kind !== 'name') throw this.unexpected(name);
    this.next++;
    if (!this.accept(':') && !this.accept('in')) throw this.unexpected(this.peek(), ':');
    const items = this.expression();
    this.expect(')');
    return [{ kind: 'each', name: name.text, items, body: this.statement(), at }];
  }

  private declaration(): Statement[] {
    const type = this.lexemes[this.next++].text;
    const out: Statement[] = [];
    do {
      const name = this.peek();
      if (name.kind !== 'name') throw this.unexpected(name);
      this.next++;
      out.push({ kind: 'declare', name: name.text, type, value: this.accept('=') ? this.expression() : null, at: name.at });
    } while (this.accept(','));
    this.endOfStatement();
    return out;
  }

  private endOfStatement(): void {
    if (this.peek().kind === 'end' || this.is('}')) return;
    this.expect(';');
  }

  private expression(): Expression {
    if (++this.depth > MAX_DEPTH) throw scriptError(this.source, this.peek().at, `expressions nest deeper than ${MAX_DEPTH}.`);
    const test = this.elvis();
    let result = test;
    if (this.is('?')) {
      const { at } = this.peek();
      this.next++;
      const then = this.expression();
      this.expect(':');
      result = { kind: 'conditional', test, then, else: this.expression(), at };
    }
    this.depth--;
    return result;
  }

  private elvis(): Expression {
    const left = this.binary(0);
    if (!this.is('?:')) return left;
    const { at } = this.peek();
    this.next++;
    return { kind: 'binary', op: '?:', left, right: this.elvis(), at };
  }

  private binary(level: number): Expression {
    if (level === BINARY.length) return this.unary();
    let left = this.binary(level + 1);
    while (BINARY[level].some((op) => this.is(op))) {
      const op = this.lexemes[this.next++];
      if (op.text === 'instanceof') {
        const type = this.lexemes[this.next++];
        left = { kind: 'binary', op: 'instanceof', left, right: { kind: 'literal', value: type.text, at: type.at }, at: op.at };
        continue;
      }
      left = { kind: 'binary', op: op.text, left, right: this.binary(level + 1), at: op.at };
    }
    return left;
  }

  private unary(): Expression {
    const start = this.peek();
    if (start.kind === 'operator' && ['!', '-', '+', '~'].includes(start.text)) {
      this.next++;
      if (++this.depth > MAX_DEPTH) throw scriptError(this.source, start.at, `expressions nest deeper than ${MAX_DEPTH}.`);
      const operand = this.unary();
      this.depth--;
      return { kind: 'unary', op: start.text, operand, at: start.at };
    }
    if (this.is('(') && TYPES.has(this.peek(1).text) && this.is(')', 2)) {
      const type = this.peek(1).text;
      this.next += 3;
      return { kind: 'cast', type, operand: this.unary(), at: start.at };
    }
    return this.postfix(this.primary());
  }

  private primary(): Expression {
    const lexeme = this.peek();
    this.next++;
    switch (lexeme.kind) {
      case 'number':
        return { kind: 'literal', value: numberValue(lexeme.text), at: lexeme.at };
      case 'string':
        return {
          kind: 'literal',
          value: lexeme.text.slice(1, -1).replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)),
          at: lexeme.at,
        };
      case 'name':
        if (lexeme.text === 'true' || lexeme.text === 'false') return { kind: 'literal', value: lexeme.text === 'true', at: lexeme.at };
        if (lexeme.text === 'null') return { kind: 'literal', value: null, at: lexeme.at };
        if (STATICS.has(lexeme.text) && this.accept('.')) return this.staticMember(lexeme);
        return { kind: 'name', name: lexeme.text, at: lexeme.at };
      default:
        if (lexeme.text === '(') {
          const inner = this.expression();
          this.expect(')');
          return inner;
        }
        if (lexeme.text === '[') {
          const items: Expression[] = [];
          while (!this.accept(']')) {
            items.push(this.expression());
            if (!this.is(']')) this.expect(',');
          }
          return { kind: 'list', items, at: lexeme.at };
        }
        this.next--;
        throw this.unexpected(lexeme);
    }
  }

  private staticMember(type: Lexeme): Expression {
    const name = this.lexemes[this.next++];
    return { kind: 'static', type: type.text, name: name.text, args: this.is('(') ? this.args() : null, at: type.at };
  }

  private args(): Expression[] {
    this.expect('(');
    const args: Expression[] = [];
    while (!this.accept(')')) {
      args.push(this.expression());
      if (!this.is(')')) this.expect(',');
    }
    return args;
  }

  private postfix(expression: Expression): Expression {
    for (;;) {
      const { at } = this.peek();
      if (this.is('.') || this.is('?.')) {
        const nullSafe = this.is('?.');
        this.next++;
        const name = this.peek();
        if (name.kind !== 'name') throw this.unexpected(name);
        this.next++;
        expression = this.is('(')
          ? { kind: 'call', object: expression, name: name.text, args: this.args(), nullSafe, at: name.at }
          : { kind: 'member', object: expression, name: name.text, nullSafe, at: name.at };
      } else if (this.accept('[')) {
        const index = this.expression();
        this.expect(']');
        expression = { kind: 'index', object: expression, index, at };
      } else return expression;
    }
  }
}

/** Java's literal types: int unless there is an L, double unless there is an F. */
function numberValue(text: string): number | bigint | Double {
  if (/[lL]$/.test(text)) return BigInt(text.slice(0, -1));
  if (/^0[xX]/.test(text)) return Number(text) | 0;
  const value = Number(text.replace(/[fFdD]$/, ''));
  return /[.eEfFdD]/.test(text) ? new Double(value) : value;
}
