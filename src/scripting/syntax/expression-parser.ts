// Parses the expressions of Painless: operators by precedence, casts, literals, calls, lambdas.
import type { LexemeCursor } from './lexeme-cursor.ts';
import { KEYWORDS, type Lexeme } from './lexer.ts';
import type { Block, Expression } from './tree.ts';

/** Binary operators by precedence, the weakest first. */
const BINARY: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!=', '===', '!=='],
  ['instanceof'],
  ['<', '<=', '>', '>='],
  ['<<', '>>', '>>>'],
  ['=~', '==~'],
  ['+', '-'],
  ['*', '/', '%'],
];
const ASSIGNMENT = /^(?:[-+*/%&|^]|<<|>>>?)?=$/;
const PRIMITIVES = new Set(['boolean', 'byte', 'short', 'char', 'int', 'long', 'float', 'double', 'def']);
const MAX_DEPTH = 200;

export class ExpressionParser {
  readonly #cursor: LexemeCursor;
  readonly #parseBlock: () => Block;
  #depth = 0;

  /** @param parseBlock  parses the block at the cursor: bodies of lambdas are statements, which contain expressions */
  constructor(cursor: LexemeCursor, parseBlock: () => Block) {
    this.#cursor = cursor;
    this.#parseBlock = parseBlock;
  }

  /** An expression, including assignments. */
  parse(): Expression {
    return this.#nested(() => {
      const left = this.#conditional();
      const operator = this.#cursor.peek();
      if (operator.kind !== 'operator' || !ASSIGNMENT.test(operator.text)) return left;
      this.#cursor.skip(1);
      return { kind: 'assign', target: left, op: operator.text.slice(0, -1) || null, value: this.parse(), post: false, at: left.at };
    });
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw this.#cursor.errorAt(this.#cursor.peek().at, `expressions nest deeper than ${MAX_DEPTH}.`);
    const result = parse();
    this.#depth--;
    return result;
  }

  #conditional(): Expression {
    const test = this.#elvis();
    if (!this.#cursor.accept('?')) return test;
    const then = this.parse();
    this.#cursor.expect(':');
    return { kind: 'conditional', test, then, else: this.parse(), at: test.at };
  }

  #elvis(): Expression {
    const left = this.#binary(0);
    if (!this.#cursor.accept('?:')) return left;
    return { kind: 'elvis', left, right: this.#nested(() => this.#elvis()), at: left.at };
  }

  #binary(level: number): Expression {
    if (level === BINARY.length) return this.#unary();
    let left = this.#binary(level + 1);
    while (BINARY[level].some((op) => this.#cursor.is(op))) {
      const op = this.#cursor.take().text;
      const { at } = left;
      if (op === 'instanceof') left = { kind: 'instanceof', operand: left, type: this.type(), at };
      else {
        const right = this.#binary(level + 1);
        if (level < 2) left = { kind: 'logical', op: op as '&&' | '||', left, right, at };
        else left = { kind: level === 5 || level === 7 ? 'compare' : 'binary', op, left, right, at };
      }
    }
    return left;
  }

  #unary(): Expression {
    const { kind, text, at } = this.#cursor.peek();
    if (kind === 'operator') {
      if (text === '++' || text === '--') {
        this.#cursor.skip(1);
        const target = this.#postfix(this.#primary());
        return { kind: 'assign', target, op: text[0], value: { kind: 'number', text: '1', radix: 10, at }, post: false, at };
      }
      if (text === '!' || text === '-' || text === '+' || text === '~') {
        this.#cursor.skip(1);
        return { kind: 'unary', op: text, operand: this.#nested(() => this.#unary()), at };
      }
      if (text === '(') {
        const type = this.#castType();
        if (type !== null) return { kind: 'cast', type, operand: this.#nested(() => this.#unary()), at };
      }
    }
    const chain = this.#postfix(this.#primary());
    const step = this.#cursor.peek();
    if (step.kind !== 'operator' || (step.text !== '++' && step.text !== '--')) return chain;
    this.#cursor.skip(1);
    return {
      kind: 'assign',
      target: chain,
      op: step.text[0],
      value: { kind: 'number', text: '1', radix: 10, at: step.at },
      post: true,
      at: chain.at,
    };
  }

  /** Consumes `(type)` if it is a cast: one to a type other than a primitive only if what follows cannot continue an expression. */
  #castType(): string | null {
    const length = this.typeLength(1);
    if (length === 0 || !this.#cursor.is(')', length + 1)) return null;
    const isPrimitive = length === 1 && PRIMITIVES.has(this.#cursor.peek(1).text);
    if (!isPrimitive && !this.#startsOperand(this.#cursor.peek(length + 2))) return null;
    this.#cursor.skip(1);
    const type = this.type();
    this.#cursor.skip(1);
    return type;
  }

  #startsOperand({ kind, text }: Lexeme): boolean {
    if (kind === 'operator') return text === '(' || text === '!' || text === '~' || text === '$';
    if (kind === 'name') return text !== 'instanceof' && text !== 'in';
    return kind === 'number' || kind === 'string' || kind === 'regex';
  }

  /** Number of lexemes of the type at the cursor, with its full name and brackets; 0 if there is no type. */
  typeLength(from = 0): number {
    const start = this.#cursor.peek(from);
    if (start.kind !== 'name' || KEYWORDS.has(start.text)) return 0;
    let length = 1;
    while (this.#cursor.is('.', from + length) && this.#cursor.peek(from + length + 1).kind === 'name') length += 2;
    while (this.#cursor.is('[', from + length) && this.#cursor.is(']', from + length + 1)) length += 2;
    return length;
  }

  /** Consumes a type. */
  type(): string {
    const length = this.typeLength();
    if (length === 0) throw this.#cursor.unexpectedError(this.#cursor.peek());
    let name = '';
    for (let i = 0; i < length; i++) name += this.#cursor.take().text;
    return name;
  }

  /** Consumes a name that is not a keyword. */
  name(): string {
    const { kind, text } = this.#cursor.peek();
    if (kind !== 'name' || KEYWORDS.has(text)) {
      if (this.#cursor.peek().kind === 'end') throw this.#cursor.unexpectedError(this.#cursor.peek());
      throw this.#cursor.mismatchError(this.#cursor.peek(), 'ID');
    }
    this.#cursor.skip(1);
    return text;
  }

  #primary(): Expression {
    const lexeme = this.#cursor.peek();
    const { kind, text, at } = lexeme;
    switch (kind) {
      case 'number':
        this.#cursor.skip(1);
        return numberLiteral(text, at);
      case 'string':
        this.#cursor.skip(1);
        return { kind: 'string', value: text.slice(1, -1).replace(/\\([\s\S])/g, '$1'), at };
      case 'regex': {
        this.#cursor.skip(1);
        const end = text.lastIndexOf('/');
        return { kind: 'regex', pattern: text.slice(1, end).replaceAll('\\/', '/'), flags: text.slice(end + 1), at };
      }
      case 'name':
        return this.#named(lexeme);
      case 'operator':
        if (text === '(') {
          this.#cursor.skip(1);
          const inner = this.parse();
          this.#cursor.close(')');
          return inner;
        }
        if (text === '[') return this.#initializer(at);
        if (text === '$' && this.#cursor.is('(', 1)) {
          this.#cursor.skip(1);
          return { kind: 'local-call', name: '$', args: this.#args(), at };
        }
    }
    throw this.#cursor.unexpectedError(lexeme);
  }

  #named({ text, at }: Lexeme): Expression {
    if (text === 'true' || text === 'false') {
      this.#cursor.skip(1);
      return { kind: 'boolean', value: text === 'true', at };
    }
    if (text === 'null') {
      this.#cursor.skip(1);
      return { kind: 'null', at };
    }
    if (text === 'new') return this.#instance(at);
    if (KEYWORDS.has(text)) throw this.#cursor.unexpectedError(this.#cursor.peek());
    this.#cursor.skip(1);
    if (this.#cursor.is('(')) return { kind: 'local-call', name: text, args: this.#args(), at };
    return { kind: 'symbol', name: text, at };
  }

  /** `[1, 2]`, `[:]` or `['a': 1]`. */
  #initializer(at: number): Expression {
    this.#cursor.expect('[');
    if (this.#cursor.accept(']')) return { kind: 'list', items: [], at };
    if (this.#cursor.accept(':')) {
      this.#cursor.expect(']');
      return { kind: 'map', entries: [], at };
    }
    const first = this.parse();
    if (!this.#cursor.is(':')) {
      const items = [first];
      while (this.#cursor.accept(',')) items.push(this.parse());
      this.#cursor.close(']');
      return { kind: 'list', items, at };
    }
    this.#cursor.expect(':');
    const entries = [{ key: first, value: this.parse() }];
    while (this.#cursor.accept(',')) {
      const key = this.parse();
      this.#cursor.expect(':');
      entries.push({ key, value: this.parse() });
    }
    this.#cursor.close(']');
    return { kind: 'map', entries, at };
  }

  #instance(at: number): Expression {
    this.#cursor.expect('new');
    const type = this.type();
    if (this.#cursor.is('(')) return { kind: 'new', type, args: this.#args(), at };
    if (this.#cursor.is('{') && type.endsWith('[]')) {
      this.#cursor.skip(1);
      const args: Expression[] = [];
      if (!this.#cursor.accept('}')) {
        do args.push(this.parse());
        while (this.#cursor.accept(','));
        this.#cursor.close('}');
      }
      return { kind: 'new-array', type, args, isInitializer: true, at };
    }
    const args: Expression[] = [];
    let arrayType = type;
    while (this.#cursor.accept('[')) {
      args.push(this.parse());
      this.#cursor.close(']');
      arrayType += '[]';
    }
    if (!args.length) throw this.#cursor.unexpectedError(this.#cursor.peek());
    return { kind: 'new-array', type: arrayType, args, isInitializer: false, at };
  }

  #postfix(start: Expression): Expression {
    let object = start;
    for (;;) {
      const { at } = this.#cursor.peek();
      if (this.#cursor.is('.') || this.#cursor.is('?.')) {
        const nullSafe = this.#cursor.take().text === '?.';
        const member = this.#cursor.peek();
        if (member.kind !== 'name' && member.kind !== 'number') throw this.#cursor.unexpectedError(member);
        this.#cursor.skip(1);
        if (this.#cursor.is('(')) object = { kind: 'call', object, name: member.text, args: this.#args(), nullSafe, at };
        else object = { kind: 'dot', object, name: member.text, nullSafe, at };
      } else if (this.#cursor.accept('[')) {
        const index = this.parse();
        this.#cursor.close(']');
        object = { kind: 'brace', object, index, at };
      } else return object;
    }
  }

  #args(): Expression[] {
    this.#cursor.expect('(');
    const args: Expression[] = [];
    if (this.#cursor.accept(')')) return args;
    do args.push(this.#nested(() => this.#argument()));
    while (this.#cursor.accept(','));
    this.#cursor.close(')');
    return args;
  }

  #argument(): Expression {
    return this.#lambda() ?? this.#reference() ?? this.parse();
  }

  /** `Integer::parseInt`, `int[]::new`, `this::f`, `x::foo`; null if something else follows. */
  #reference(): Expression | null {
    const { at } = this.#cursor.peek();
    const length = this.#cursor.is('this') ? 1 : this.typeLength();
    if (length === 0 || !this.#cursor.is('::', length)) return null;
    const target = length === 1 ? this.#cursor.take().text : this.type();
    this.#cursor.skip(1);
    return { kind: 'reference', target, name: this.#cursor.take().text, at };
  }

  /** A lambda; null if something else follows. */
  #lambda(): Expression | null {
    const { at } = this.#cursor.peek();
    let params: Array<{ type: string | null; name: string }> = [];
    if (this.#cursor.peek().kind === 'name' && this.#cursor.is('->', 1)) params = [{ type: null, name: this.name() }];
    else {
      if (!this.#isParenthesizedLambda()) return null;
      this.#cursor.skip(1);
      while (!this.#cursor.accept(')')) {
        const type = this.#cursor.is(',', 1) || this.#cursor.is(')', 1) ? null : this.type();
        params.push({ type, name: this.name() });
        this.#cursor.accept(',');
      }
    }
    this.#cursor.expect('->');
    if (this.#cursor.is('{')) return { kind: 'lambda', params, body: this.#parseBlock(), at };
    const value = this.parse();
    return { kind: 'lambda', params, body: { kind: 'block', body: [{ kind: 'return', value, at: value.at }], at: value.at }, at };
  }

  #isParenthesizedLambda(): boolean {
    if (!this.#cursor.is('(')) return false;
    let ahead = 1;
    while (!this.#cursor.is(')', ahead)) {
      const { kind, text } = this.#cursor.peek(ahead);
      if (kind !== 'name' && !(kind === 'operator' && (text === ',' || text === '.' || text === '[' || text === ']'))) return false;
      ahead++;
    }
    return this.#cursor.is('->', ahead + 1);
  }
}

function numberLiteral(text: string, at: number): Expression {
  if (/^0[xX]/.test(text)) return { kind: 'number', text: text.slice(2), radix: 16, at };
  if (/^0[0-7]/.test(text)) return { kind: 'number', text: text.slice(1), radix: 8, at };
  if (/[.eE]/.test(text)) return { kind: 'decimal', text, at };
  return { kind: 'number', text, radix: 10, at };
}
