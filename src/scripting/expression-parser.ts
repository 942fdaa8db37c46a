// Parses the expressions of Painless: operators by precedence, casts, literals, calls, lambdas.

import type { LexemeCursor } from './lexeme-cursor.ts';
import type { Lexeme } from './lexer.ts';
import { Double, type Expression, type Statement } from './syntax-tree.ts';

/** Binary operators by precedence, the weakest first. */
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
/** Types that a cast or a lambda's parameter may name. */
const TYPES = new Set([
  ...['def', 'int', 'long', 'float', 'double', 'boolean', 'char', 'byte', 'short', 'void', 'String', 'Object', 'List', 'ArrayList', 'Map'],
  ...['HashMap', 'LinkedHashMap', 'TreeMap', 'Set', 'HashSet', 'Collection', 'Iterable', 'Integer', 'Long', 'Double', 'Float', 'Boolean'],
  ...['Number', 'Character', 'StringBuilder', 'ZonedDateTime', 'GeoPoint'],
]);
/** Classes with static members. */
const STATICS = new Set([
  ...['Math', 'Integer', 'Long', 'Double', 'Float', 'Character', 'String', 'Boolean', 'Objects', 'Collections', 'Arrays', 'Instant'],
  ...['ZonedDateTime', 'ZoneId', 'ChronoUnit'],
]);
const MAX_DEPTH = 200;

export class ExpressionParser {
  readonly #cursor: LexemeCursor;
  readonly #parseBlock: () => Statement[];
  #depth = 0;

  /** @param parseBlock  parses the statement at the cursor: lambdas have bodies of statements, which have expressions */
  constructor(cursor: LexemeCursor, parseBlock: () => Statement[]) {
    this.#cursor = cursor;
    this.#parseBlock = parseBlock;
  }

  parse(): Expression {
    if (++this.#depth > MAX_DEPTH) throw this.#cursor.errorAt(this.#cursor.peek().at, `expressions nest deeper than ${MAX_DEPTH}.`);
    const test = this.#elvis();
    let result = test;
    if (this.#cursor.is('?')) {
      const { at } = this.#cursor.peek();
      this.#cursor.skip(1);
      const then = this.parse();
      this.#cursor.expect(':');
      result = { kind: 'conditional', test, then, else: this.parse(), at };
    }
    this.#depth--;
    return result;
  }

  #elvis(): Expression {
    const left = this.#binary(0);
    if (!this.#cursor.is('?:')) return left;
    const { at } = this.#cursor.peek();
    this.#cursor.skip(1);
    return { kind: 'binary', op: '?:', left, right: this.#elvis(), at };
  }

  #binary(level: number): Expression {
    if (level === BINARY.length) return this.#unary();
    let left = this.#binary(level + 1);
    while (BINARY[level].some((op) => this.#cursor.is(op))) {
      const op = this.#cursor.take();
      if (op.text === 'instanceof') {
        const type = this.#cursor.take();
        left = { kind: 'binary', op: 'instanceof', left, right: { kind: 'literal', value: type.text, at: type.at }, at: op.at };
        continue;
      }
      left = { kind: 'binary', op: op.text, left, right: this.#binary(level + 1), at: op.at };
    }
    return left;
  }

  #unary(): Expression {
    const start = this.#cursor.peek();
    if (start.kind === 'operator' && ['!', '-', '+', '~'].includes(start.text)) {
      this.#cursor.skip(1);
      if (++this.#depth > MAX_DEPTH) throw this.#cursor.errorAt(start.at, `expressions nest deeper than ${MAX_DEPTH}.`);
      const operand = this.#unary();
      this.#depth--;
      return { kind: 'unary', op: start.text, operand, at: start.at };
    }
    if (start.kind === 'operator' && (start.text === '++' || start.text === '--') && this.#cursor.peek(1).kind === 'name') {
      this.#cursor.skip(2);
      return { kind: 'step', name: this.#cursor.peek(-1).text, op: start.text[0] as '+' | '-', isPrefix: true, at: start.at };
    }
    if (this.#cursor.is('(') && TYPES.has(this.#cursor.peek(1).text) && this.#cursor.is(')', 2)) {
      const type = this.#cursor.peek(1).text;
      this.#cursor.skip(3);
      return { kind: 'cast', type, operand: this.#unary(), at: start.at };
    }
    return this.#postfix(this.#primary());
  }

  #primary(): Expression {
    const lexeme = this.#cursor.peek();
    this.#cursor.skip(1);
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
        if (lexeme.text === 'new') return this.#instance(lexeme.at);
        if (this.#cursor.is('->')) {
          this.#cursor.skip(1);
          return this.#lambda([lexeme.text], lexeme.at);
        }
        if (STATICS.has(lexeme.text) && this.#cursor.accept('.')) return this.#staticMember(lexeme);
        if (this.#cursor.is('(')) return { kind: 'function', name: lexeme.text, args: this.#args(), at: lexeme.at };
        if (this.#cursor.is('++') || this.#cursor.is('--')) {
          const op = this.#cursor.take().text[0] as '+' | '-';
          return { kind: 'step', name: lexeme.text, op, isPrefix: false, at: lexeme.at };
        }
        return { kind: 'name', name: lexeme.text, at: lexeme.at };
      default:
        if (lexeme.text === '(') {
          const names = this.#lambdaNames();
          if (names) return this.#lambda(names, lexeme.at);
          const inner = this.parse();
          this.#cursor.expect(')');
          return inner;
        }
        if (lexeme.text === '[') {
          const items: Expression[] = [];
          if (this.#cursor.accept(':')) {
            this.#cursor.expect(']');
            return { kind: 'map', entries: [], at: lexeme.at };
          }
          while (!this.#cursor.accept(']')) {
            items.push(this.parse());
            if (items.length === 1 && this.#cursor.is(':')) return this.#mapLiteral(items[0], lexeme.at);
            if (!this.#cursor.is(']')) this.#cursor.expect(',');
          }
          return { kind: 'list', items, at: lexeme.at };
        }
        this.#cursor.skip(-1);
        throw this.#cursor.unexpected(lexeme);
    }
  }

  #mapLiteral(firstKey: Expression, at: number): Expression {
    const entries: Array<{ key: Expression; value: Expression }> = [];
    for (let key = firstKey; ; key = this.parse()) {
      this.#cursor.expect(':');
      entries.push({ key, value: this.parse() });
      if (this.#cursor.accept(']')) return { kind: 'map', entries, at };
      this.#cursor.expect(',');
    }
  }

  #instance(at: number): Expression {
    const type = this.#cursor.peek();
    if (type.kind !== 'name') throw this.#cursor.unexpected(type);
    this.#cursor.skip(1);
    if (this.#cursor.accept('<')) while (!this.#cursor.accept('>')) this.#cursor.skip(1);
    return { kind: 'new', type: type.text, args: this.#args(), at };
  }

  /** Consumes `a, b) ->` after an opening parenthesis and returns the names; null, with nothing consumed, if it is no lambda. */
  #lambdaNames(): string[] | null {
    const names: string[] = [];
    let ahead = 0;
    while (!this.#cursor.is(')', ahead)) {
      if (TYPES.has(this.#cursor.peek(ahead).text) && this.#cursor.peek(ahead + 1).kind === 'name') ahead++;
      if (this.#cursor.peek(ahead).kind !== 'name') return null;
      names.push(this.#cursor.peek(ahead++).text);
      if (this.#cursor.is(',', ahead)) ahead++;
      else if (!this.#cursor.is(')', ahead)) return null;
    }
    if (!this.#cursor.is('->', ahead + 1)) return null;
    this.#cursor.skip(ahead + 2);
    return names;
  }

  #lambda(names: string[], at: number): Expression {
    return { kind: 'lambda', names, body: this.#cursor.is('{') ? this.#parseBlock() : this.parse(), at };
  }

  #staticMember(type: Lexeme): Expression {
    const name = this.#cursor.take();
    return { kind: 'static', type: type.text, name: name.text, args: this.#cursor.is('(') ? this.#args() : null, at: type.at };
  }

  #args(): Expression[] {
    this.#cursor.expect('(');
    const args: Expression[] = [];
    while (!this.#cursor.accept(')')) {
      args.push(this.parse());
      if (!this.#cursor.is(')')) this.#cursor.expect(',');
    }
    return args;
  }

  #postfix(expression: Expression): Expression {
    for (;;) {
      const { at } = this.#cursor.peek();
      if (this.#cursor.is('.') || this.#cursor.is('?.')) {
        const nullSafe = this.#cursor.is('?.');
        this.#cursor.skip(1);
        const name = this.#cursor.peek();
        if (name.kind !== 'name') throw this.#cursor.unexpected(name);
        this.#cursor.skip(1);
        expression = this.#cursor.is('(')
          ? { kind: 'call', object: expression, name: name.text, args: this.#args(), nullSafe, at: name.at }
          : { kind: 'member', object: expression, name: name.text, nullSafe, at: name.at };
      } else if (this.#cursor.accept('[')) {
        const index = this.parse();
        this.#cursor.expect(']');
        expression = { kind: 'index', object: expression, index, at };
      } else return expression;
    }
  }
}

/** Java's literal types: int without a suffix, long with L, double with a fraction, an exponent, F or D. */
function numberValue(text: string): number | bigint | Double {
  if (/[lL]$/.test(text)) return BigInt(text.slice(0, -1));
  if (/^0[xX]/.test(text)) return Number(text) | 0;
  const value = Number(text.replace(/[fFdD]$/, ''));
  return /[.eEfFdD]/.test(text) ? new Double(value) : value;
}
