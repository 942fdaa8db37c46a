// Parses the part of Painless that is known here: expressions, declarations, assignments, conditions, loops, functions, lambdas.
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
const TYPES = new Set([
  ...['def', 'int', 'long', 'float', 'double', 'boolean', 'char', 'byte', 'short', 'void', 'String', 'Object', 'List', 'ArrayList', 'Map'],
  ...['HashMap', 'LinkedHashMap', 'TreeMap', 'Set', 'HashSet', 'Collection', 'Iterable', 'Integer', 'Long', 'Double', 'Float', 'Boolean'],
  ...['Number', 'Character', 'StringBuilder', 'ZonedDateTime', 'GeoPoint'],
]);
/** Types whose value after a cast or declaration is what it is. */
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
const STATICS = new Set([
  ...['Math', 'Integer', 'Long', 'Double', 'Float', 'Character', 'String', 'Boolean', 'Objects', 'Collections', 'Arrays', 'Instant'],
  ...['ZonedDateTime', 'ZoneId', 'ChronoUnit'],
]);
const MAX_DEPTH = 200;

export class Parser {
  readonly #lexemes: Lexeme[];
  #next = 0;
  #depth = 0;

  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
    this.#lexemes = lex(source);
  }

  /** @throws ApiError script_exception */
  parseScript(): Statement[] {
    const body: Statement[] = [];
    while (this.#peek().kind !== 'end') body.push(...this.#statement());
    if (!body.length) throw this.#unexpected(this.#peek());
    return body;
  }

  #peek(ahead = 0): Lexeme {
    return this.#lexemes[Math.min(this.#next + ahead, this.#lexemes.length - 1)];
  }

  #is(text: string, ahead = 0): boolean {
    const lexeme = this.#peek(ahead);
    return lexeme.text === text && lexeme.kind !== 'string';
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#next++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw this.#unexpected(this.#peek(), text);
  }

  #unexpected(lexeme: Lexeme, wanted?: string) {
    const what =
      lexeme.kind === 'end'
        ? 'unexpected end of script.'
        : `unexpected token ['${lexeme.text}'] was expecting one of [${wanted ? `'${wanted}'` : 'an expression'}].`;
    return scriptError(this.#source, lexeme.at, what);
  }

  #statement(): Statement[] {
    if (this.#accept(';')) return [];
    if (this.#accept('{')) {
      const body: Statement[] = [];
      while (!this.#accept('}')) {
        if (this.#peek().kind === 'end') throw this.#unexpected(this.#peek(), '}');
        body.push(...this.#statement());
      }
      return [{ kind: 'block', body }];
    }
    const start = this.#peek();
    if (this.#accept('if')) {
      this.#expect('(');
      const test = this.#expression();
      this.#expect(')');
      const then = this.#statement();
      return [{ kind: 'if', test, then, else: this.#accept('else') ? this.#statement() : null }];
    }
    if (this.#accept('return')) {
      const value = this.#is(';') || this.#peek().kind === 'end' ? null : this.#expression();
      this.#endOfStatement();
      return [{ kind: 'return', value, at: start.at }];
    }
    if (start.kind === 'name') {
      const control = this.#control(start);
      if (control) return control;
    }
    if (this.#isDeclaration()) {
      return this.#is('(', this.#typeLength() + 1) ? [this.#functionDeclaration()] : this.#declaration(true);
    }
    if (start.kind === 'name' && /^(?:[-+*/%&|^]|<<|>>>?)?=$/.test(this.#peek(1).text) && this.#peek(1).kind === 'operator') {
      this.#next++;
      const op = this.#lexemes[this.#next++].text.slice(0, -1);
      const value = this.#expression();
      this.#endOfStatement();
      return [{ kind: 'assign', name: start.text, op, value, at: start.at }];
    }
    const expression = this.#expression();
    const store = this.#store(expression);
    this.#endOfStatement();
    return [store ?? { kind: 'expression', expression }];
  }

  /** Loops and jumps; null: the statement begins with something else. */
  #control(start: Lexeme): Statement[] | null {
    switch (start.text) {
      case 'for':
        this.#next++;
        return this.#isEach() ? this.#each(start.at) : [this.#forLoop(start.at)];
      case 'while': {
        this.#next++;
        const test = this.#condition();
        const body = this.#accept(';') ? [] : this.#statement();
        return [{ kind: 'loop', init: [], test, step: [], body, testLast: false, at: start.at }];
      }
      case 'do': {
        this.#next++;
        const body = this.#statement();
        this.#expect('while');
        const test = this.#condition();
        this.#endOfStatement();
        return [{ kind: 'loop', init: [], test, step: [], body, testLast: true, at: start.at }];
      }
      case 'break':
      case 'continue':
        this.#next++;
        this.#endOfStatement();
        return [{ kind: 'leave', how: start.text }];
      case 'throw': {
        this.#next++;
        const value = this.#expression();
        this.#endOfStatement();
        return [{ kind: 'throw', value, at: start.at }];
      }
      case 'try':
      case 'catch':
      case 'this':
        throw scriptError(this.#source, start.at, `[${start.text}] is not known in scripts here.`);
      default:
        return null;
    }
  }

  #condition(): Expression {
    this.#expect('(');
    const test = this.#expression();
    this.#expect(')');
    return test;
  }

  /** `(def x : list)` or `(x in list)` follows. */
  #isEach(): boolean {
    if (!this.#is('(')) return false;
    let ahead = 1;
    if (this.#peek(ahead + 1).kind === 'name' && !this.#is('in', ahead + 1)) ahead++;
    return this.#is(':', ahead + 1) || this.#is('in', ahead + 1);
  }

  #forLoop(at: number): Statement {
    this.#expect('(');
    const init = this.#is(';') ? [] : this.#isDeclaration() ? this.#declaration(false) : this.#simpleStatements(';');
    this.#expect(';');
    const test = this.#is(';') ? null : this.#expression();
    this.#expect(';');
    const step = this.#is(')') ? [] : this.#simpleStatements(')');
    this.#expect(')');
    const body = this.#accept(';') ? [] : this.#statement();
    return { kind: 'loop', init, test, step, body, testLast: false, at };
  }

  /** Expressions and assignments up to (not with) `end`, commas between them. */
  #simpleStatements(end: string): Statement[] {
    const out: Statement[] = [];
    do {
      const start = this.#peek();
      if (start.kind === 'name' && /^(?:[-+*/%&|^]|<<|>>>?)?=$/.test(this.#peek(1).text) && this.#peek(1).kind === 'operator') {
        this.#next++;
        const op = this.#lexemes[this.#next++].text.slice(0, -1);
        out.push({ kind: 'assign', name: start.text, op, value: this.#expression(), at: start.at });
      } else {
        const expression = this.#expression();
        out.push(this.#store(expression) ?? { kind: 'expression', expression });
      }
    } while (this.#accept(','));
    if (!this.#is(end)) throw this.#unexpected(this.#peek(), end);
    return out;
  }

  /** Lexemes of the type that stands here, with what is in its angle or square brackets; 0: no type. */
  #typeLength(): number {
    const start = this.#peek();
    if (start.kind !== 'name' || KEYWORDS.has(start.text)) return 0;
    let length = 1;
    if (this.#is('<', length)) {
      let depth = 0;
      do {
        const { text, kind } = this.#peek(length);
        if (text === '<') depth++;
        else if (text === '>') depth--;
        else if (text === '>>') depth -= 2;
        else if (kind !== 'name' && text !== ',') return 0;
        length++;
      } while (depth > 0);
    }
    while (this.#is('[', length) && this.#is(']', length + 1)) length += 2;
    return length;
  }

  /** A type with a name behind it. */
  #isDeclaration(): boolean {
    const length = this.#typeLength();
    const name = this.#peek(length);
    return length > 0 && name.kind === 'name' && !KEYWORDS.has(name.text);
  }

  #functionDeclaration(): Statement {
    const { at } = this.#peek();
    this.#next += this.#typeLength();
    const name = this.#lexemes[this.#next++].text;
    this.#expect('(');
    const params: string[] = [];
    while (!this.#accept(')')) {
      if (!this.#isDeclaration()) throw this.#unexpected(this.#peek());
      this.#next += this.#typeLength();
      params.push(this.#lexemes[this.#next++].text);
      if (!this.#is(')')) this.#expect(',');
    }
    if (!this.#is('{')) throw this.#unexpected(this.#peek(), '{');
    return { kind: 'function', name, params, body: this.#statement(), at };
  }

  /** `x.y = 1`, `x.y += 1`, `x[0]++` behind the expression that is stored to. */
  #store(target: Expression): Statement | null {
    const operator = this.#peek();
    const isStep = operator.text === '++' || operator.text === '--';
    if (operator.kind !== 'operator' || !(isStep || /^(?:[-+*/%&|^]|<<|>>>?)?=$/.test(operator.text))) return null;
    if (target.kind !== 'member' && target.kind !== 'index') throw this.#unexpected(operator, ';');
    this.#next++;
    const value: Expression = isStep ? { kind: 'literal', value: 1, at: operator.at } : this.#expression();
    return { kind: 'store', target, op: isStep ? operator.text[0] : operator.text.slice(0, -1), value, at: operator.at };
  }

  /** `for (def item : list) ...`, `for (item in list) ...` */
  #each(at: number): Statement[] {
    this.#expect('(');
    if (this.#isDeclaration()) this.#next += this.#typeLength();
    const name = this.#peek();
    if (name.kind !== 'name') throw this.#unexpected(name);
    this.#next++;
    if (!this.#accept(':') && !this.#accept('in')) throw this.#unexpected(this.#peek(), ':');
    const items = this.#expression();
    this.#expect(')');
    return [{ kind: 'each', name: name.text, items, body: this.#statement(), at }];
  }

  #declaration(isStatement: boolean): Statement[] {
    const type = this.#peek().text;
    this.#next += this.#typeLength();
    const out: Statement[] = [];
    do {
      const name = this.#peek();
      if (name.kind !== 'name') throw this.#unexpected(name);
      this.#next++;
      out.push({ kind: 'declare', name: name.text, type, value: this.#accept('=') ? this.#expression() : null, at: name.at });
    } while (this.#accept(','));
    if (isStatement) this.#endOfStatement();
    return out;
  }

  #endOfStatement(): void {
    if (this.#peek().kind === 'end' || this.#is('}')) return;
    this.#expect(';');
  }

  #expression(): Expression {
    if (++this.#depth > MAX_DEPTH) throw scriptError(this.#source, this.#peek().at, `expressions nest deeper than ${MAX_DEPTH}.`);
    const test = this.#elvis();
    let result = test;
    if (this.#is('?')) {
      const { at } = this.#peek();
      this.#next++;
      const then = this.#expression();
      this.#expect(':');
      result = { kind: 'conditional', test, then, else: this.#expression(), at };
    }
    this.#depth--;
    return result;
  }

  #elvis(): Expression {
    const left = this.#binary(0);
    if (!this.#is('?:')) return left;
    const { at } = this.#peek();
    this.#next++;
    return { kind: 'binary', op: '?:', left, right: this.#elvis(), at };
  }

  #binary(level: number): Expression {
    if (level === BINARY.length) return this.#unary();
    let left = this.#binary(level + 1);
    while (BINARY[level].some((op) => this.#is(op))) {
      const op = this.#lexemes[this.#next++];
      if (op.text === 'instanceof') {
        const type = this.#lexemes[this.#next++];
        left = { kind: 'binary', op: 'instanceof', left, right: { kind: 'literal', value: type.text, at: type.at }, at: op.at };
        continue;
      }
      left = { kind: 'binary', op: op.text, left, right: this.#binary(level + 1), at: op.at };
    }
    return left;
  }

  #unary(): Expression {
    const start = this.#peek();
    if (start.kind === 'operator' && ['!', '-', '+', '~'].includes(start.text)) {
      this.#next++;
      if (++this.#depth > MAX_DEPTH) throw scriptError(this.#source, start.at, `expressions nest deeper than ${MAX_DEPTH}.`);
      const operand = this.#unary();
      this.#depth--;
      return { kind: 'unary', op: start.text, operand, at: start.at };
    }
    if (start.kind === 'operator' && (start.text === '++' || start.text === '--') && this.#peek(1).kind === 'name') {
      this.#next += 2;
      return { kind: 'step', name: this.#lexemes[this.#next - 1].text, op: start.text[0] as '+' | '-', isPrefix: true, at: start.at };
    }
    if (this.#is('(') && TYPES.has(this.#peek(1).text) && this.#is(')', 2)) {
      const type = this.#peek(1).text;
      this.#next += 3;
      return { kind: 'cast', type, operand: this.#unary(), at: start.at };
    }
    return this.#postfix(this.#primary());
  }

  #primary(): Expression {
    const lexeme = this.#peek();
    this.#next++;
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
        if (this.#is('->')) {
          this.#next++;
          return this.#lambda([lexeme.text], lexeme.at);
        }
        if (STATICS.has(lexeme.text) && this.#accept('.')) return this.#staticMember(lexeme);
        if (this.#is('(')) return { kind: 'function', name: lexeme.text, args: this.#args(), at: lexeme.at };
        if (this.#is('++') || this.#is('--')) {
          const op = this.#lexemes[this.#next++].text[0] as '+' | '-';
          return { kind: 'step', name: lexeme.text, op, isPrefix: false, at: lexeme.at };
        }
        return { kind: 'name', name: lexeme.text, at: lexeme.at };
      default:
        if (lexeme.text === '(') {
          const names = this.#lambdaNames();
          if (names) return this.#lambda(names, lexeme.at);
          const inner = this.#expression();
          this.#expect(')');
          return inner;
        }
        if (lexeme.text === '[') {
          const items: Expression[] = [];
          if (this.#accept(':')) {
            this.#expect(']');
            return { kind: 'map', entries: [], at: lexeme.at };
          }
          while (!this.#accept(']')) {
            items.push(this.#expression());
            if (items.length === 1 && this.#is(':')) return this.#mapLiteral(items[0], lexeme.at);
            if (!this.#is(']')) this.#expect(',');
          }
          return { kind: 'list', items, at: lexeme.at };
        }
        this.#next--;
        throw this.#unexpected(lexeme);
    }
  }

  #mapLiteral(firstKey: Expression, at: number): Expression {
    const entries: Array<{ key: Expression; value: Expression }> = [];
    for (let key = firstKey; ; key = this.#expression()) {
      this.#expect(':');
      entries.push({ key, value: this.#expression() });
      if (this.#accept(']')) return { kind: 'map', entries, at };
      this.#expect(',');
    }
  }

  #instance(at: number): Expression {
    const type = this.#peek();
    if (type.kind !== 'name') throw this.#unexpected(type);
    this.#next++;
    if (this.#accept('<')) while (!this.#accept('>')) this.#next++;
    return { kind: 'new', type: type.text, args: this.#args(), at };
  }

  /** Names of `(a, b) ->` whose parenthesis was taken; null: no lambda stands here. */
  #lambdaNames(): string[] | null {
    const names: string[] = [];
    let ahead = 0;
    while (!this.#is(')', ahead)) {
      if (TYPES.has(this.#peek(ahead).text) && this.#peek(ahead + 1).kind === 'name') ahead++;
      if (this.#peek(ahead).kind !== 'name') return null;
      names.push(this.#peek(ahead++).text);
      if (this.#is(',', ahead)) ahead++;
      else if (!this.#is(')', ahead)) return null;
    }
    if (!this.#is('->', ahead + 1)) return null;
    this.#next += ahead + 2;
    return names;
  }

  #lambda(names: string[], at: number): Expression {
    return { kind: 'lambda', names, body: this.#is('{') ? this.#statement() : this.#expression(), at };
  }

  #staticMember(type: Lexeme): Expression {
    const name = this.#lexemes[this.#next++];
    return { kind: 'static', type: type.text, name: name.text, args: this.#is('(') ? this.#args() : null, at: type.at };
  }

  #args(): Expression[] {
    this.#expect('(');
    const args: Expression[] = [];
    while (!this.#accept(')')) {
      args.push(this.#expression());
      if (!this.#is(')')) this.#expect(',');
    }
    return args;
  }

  #postfix(expression: Expression): Expression {
    for (;;) {
      const { at } = this.#peek();
      if (this.#is('.') || this.#is('?.')) {
        const nullSafe = this.#is('?.');
        this.#next++;
        const name = this.#peek();
        if (name.kind !== 'name') throw this.#unexpected(name);
        this.#next++;
        expression = this.#is('(')
          ? { kind: 'call', object: expression, name: name.text, args: this.#args(), nullSafe, at: name.at }
          : { kind: 'member', object: expression, name: name.text, nullSafe, at: name.at };
      } else if (this.#accept('[')) {
        const index = this.#expression();
        this.#expect(']');
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
