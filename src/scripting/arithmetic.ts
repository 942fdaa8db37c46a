// Scripts over figures: the values that a host gives are Java doubles, and whole-number literals stay ints, so `params.a / 2` divides as doubles
// and `1 / 2` as ints. Arithmetic, comparisons, conditions, local variables and Math; anything else is refused when the script is compiled.
import type { ApiError } from '../errors/api-error.ts';
import { scriptError } from './lexer.ts';
import { Parser } from './parser.ts';
import type { Expression, Statement } from './syntax-tree.ts';

/** `i`: an int or long (exact below 2^53), `d`: a double. */
interface Num {
  readonly t: 'i' | 'd';
  readonly n: number;
}
type Val = Num | boolean | null;

export interface ArithmeticScript {
  /**
   * @param params  doubles by name; null and booleans as they are
   * @throws ApiError script_exception
   */
  run(params: Readonly<Record<string, number | boolean | null>>): number | boolean | null;
}

const MATH: Readonly<Record<string, (...args: number[]) => number>> = {
  abs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  exp: Math.exp,
  log: Math.log,
  log10: Math.log10,
  max: Math.max,
  min: Math.min,
  pow: Math.pow,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  signum: Math.sign,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  atan: Math.atan,
  atan2: Math.atan2,
  hypot: Math.hypot,
  round: (x) => Math.floor(x + 0.5),
  rint: (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x)),
}; // prettier-ignore
const CONSTANTS: Readonly<Record<string, number>> = { PI: Math.PI, E: Math.E };
const BUDGET = 100_000;

/** @throws ApiError script_exception: syntax, unknown names, language beyond arithmetic */
export function compileArithmetic(source: string, names: Iterable<string>): ArithmeticScript {
  const body = new Parser(source).parseScript();
  const known = new Set(names);
  const check = (statements: readonly Statement[]) => new Checker(source, known).statements(statements, new Set());
  check(body);
  return {
    run(params) {
      const result = new Walker(source, params).run(body);
      return typeof result === 'object' && result !== null ? result.n : result;
    },
  };
}

function fail(source: string, at: number, reason: string): ApiError {
  return scriptError(source, at, reason);
}

class Checker {
  private readonly source: string;
  private readonly params: ReadonlySet<string>;

  constructor(source: string, params: ReadonlySet<string>) {
    this.source = source;
    this.params = params;
  }

  statements(body: readonly Statement[], locals: Set<string>): void {
    for (const statement of body) {
      if (statement.kind === 'expression') this.expression(statement.expression, locals);
      else if (statement.kind === 'return' && statement.value) this.expression(statement.value, locals);
      else if (statement.kind === 'declare') {
        if (statement.value) this.expression(statement.value, locals);
        locals.add(statement.name);
      } else if (statement.kind === 'assign') {
        this.expression(statement.value, locals);
        if (!locals.has(statement.name)) throw fail(this.source, 0, `cannot resolve symbol [${statement.name}]`);
      } else if (statement.kind === 'if') {
        this.expression(statement.test, locals);
        this.statements(statement.then, new Set(locals));
        if (statement.else) this.statements(statement.else, new Set(locals));
      } else if (statement.kind === 'block') this.statements(statement.body, new Set(locals));
    }
  }

  private expression(e: Expression, locals: ReadonlySet<string>): void {
    const each = (...parts: Expression[]) => {
      for (const part of parts) this.expression(part, locals);
    };
    switch (e.kind) {
      case 'literal':
        if (typeof e.value === 'string') throw fail(this.source, e.at, 'text in a script over numbers is not supported');
        return;
      case 'name':
        if (!locals.has(e.name)) throw fail(this.source, e.at, `cannot resolve symbol [${e.name}]`);
        return;
      case 'member':
        if (this.paramOf(e) === null) throw fail(this.source, e.at, `member [${e.name}] is not supported here`);
        return;
      case 'index':
        if (this.paramOf(e) === null) throw fail(this.source, e.at, 'indexing is not supported here');
        return;
      case 'static':
        if (e.type !== 'Math' || !(e.args ? Object.hasOwn(MATH, e.name) : Object.hasOwn(CONSTANTS, e.name))) {
          throw fail(this.source, e.at, `[${e.type}.${e.name}] is not supported here`);
        }
        each(...(e.args ?? []));
        return;
      case 'unary':
      case 'cast':
        each(e.operand);
        return;
      case 'binary':
        each(e.left, e.right);
        return;
      case 'conditional':
        each(e.test, e.then, e.else);
        return;
      default:
        throw fail(this.source, e.at, `[${e.kind}] is not supported in a script over numbers`);
    }
  }

  private paramOf(e: Expression): string | null {
    const name = paramName(e);
    if (name === null) return null;
    if (!this.params.has(name)) throw fail(this.source, e.at, `unknown parameter [${name}]`);
    return name;
  }
}

/** Name in `params.name` or `params['name']`. */
function paramName(e: Expression): string | null {
  if ((e.kind !== 'member' && e.kind !== 'index') || e.object.kind !== 'name' || e.object.name !== 'params') return null;
  if (e.kind === 'member') return e.name;
  return e.index.kind === 'literal' && typeof e.index.value === 'string' ? e.index.value : null;
}

class Walker {
  private readonly source: string;
  private readonly params: Readonly<Record<string, number | boolean | null>>;
  private readonly locals = new Map<string, Val>();
  private budget = BUDGET;

  constructor(source: string, params: Readonly<Record<string, number | boolean | null>>) {
    this.source = source;
    this.params = params;
  }

  run(body: readonly Statement[]): Val {
    return this.statements(body)?.value ?? null;
  }

  /** The value of a `return` or of a last expression; null while the script goes on. */
  private statements(body: readonly Statement[]): { value: Val; returned: boolean } | null {
    let last: { value: Val; returned: boolean } | null = null;
    for (const statement of body) {
      last = this.statement(statement);
      if (last?.returned) return last;
    }
    return last;
  }

  private statement(statement: Statement): { value: Val; returned: boolean } | null {
    switch (statement.kind) {
      case 'expression':
        return { value: this.value(statement.expression), returned: false };
      case 'return':
        return { value: statement.value ? this.value(statement.value) : null, returned: true };
      case 'declare':
        this.locals.set(statement.name, statement.value ? this.cast(statement.type, this.value(statement.value)) : null);
        return null;
      case 'assign': {
        const value = this.value(statement.value);
        const before = this.locals.get(statement.name) ?? null;
        this.locals.set(statement.name, statement.op ? this.operate(statement.op, before, value, 0) : value);
        return null;
      }
      case 'if':
        if (this.value(statement.test) === true) return this.statements(statement.then);
        return statement.else ? this.statements(statement.else) : null;
      case 'block':
        return this.statements(statement.body);
    }
  }

  private value(e: Expression): Val {
    if (--this.budget < 0) throw fail(this.source, e.at, 'the script takes too many steps');
    const name = paramName(e);
    if (name !== null) {
      const given = this.params[name] ?? null;
      return typeof given === 'number' ? { t: 'd', n: given } : given;
    }
    switch (e.kind) {
      case 'literal': {
        if (typeof e.value !== 'number' && typeof e.value !== 'bigint') return e.value as boolean | null;
        // the tree keeps the value alone: a point, exponent or suffix in the source makes it a double
        const isDouble =
          /^(?:0x)?[\d_]*(?:\.\d|[eE]\d|[eE][+-]\d|[fFdD]\b)/.test(this.source.slice(e.at)) && !/^0x/i.test(this.source.slice(e.at));
        return { t: isDouble ? 'd' : 'i', n: Number(e.value) };
      }
      case 'name':
        return this.locals.get(e.name) ?? null;
      case 'static': {
        if (!e.args) return { t: 'd', n: CONSTANTS[e.name] };
        const args = e.args.map((arg) => this.number(this.value(arg), arg.at));
        const keepsInt = ['abs', 'max', 'min'].includes(e.name) && args.every((arg) => arg.t === 'i');
        return { t: keepsInt || e.name === 'round' ? 'i' : 'd', n: MATH[e.name](...args.map((arg) => arg.n)) };
      }
      case 'unary': {
        const operand = this.value(e.operand);
        if (e.op === '!') return operand !== true;
        const { t, n } = this.number(operand, e.at);
        return e.op === '-' ? { t, n: -n } : { t, n };
      }
      case 'cast':
        return this.cast(e.type, this.value(e.operand));
      case 'conditional':
        return this.value(e.test) === true ? this.value(e.then) : this.value(e.else);
      case 'binary':
        return this.binary(e);
      default:
        throw fail(this.source, e.at, 'not supported');
    }
  }

  private binary(e: Extract<Expression, { kind: 'binary' }>): Val {
    if (e.op === '&&') return this.value(e.left) === true && this.value(e.right) === true;
    if (e.op === '||') return this.value(e.left) === true || this.value(e.right) === true;
    if (e.op === '?:') return this.value(e.left) ?? this.value(e.right);
    return this.operate(e.op, this.value(e.left), this.value(e.right), e.at);
  }

  private operate(op: string, left: Val, right: Val, at: number): Val {
    const plain = (value: Val) => (typeof value === 'object' && value !== null ? value.n : value);
    if (op === '==' || op === '===') return plain(left) === plain(right);
    if (op === '!=' || op === '!==') return plain(left) !== plain(right);
    const a = this.number(left, at);
    const b = this.number(right, at);
    const t = a.t === 'i' && b.t === 'i' ? 'i' : 'd';
    switch (op) {
      case '<':
        return a.n < b.n;
      case '<=':
        return a.n <= b.n;
      case '>':
        return a.n > b.n;
      case '>=':
        return a.n >= b.n;
      case '+':
        return { t, n: a.n + b.n };
      case '-':
        return { t, n: a.n - b.n };
      case '*':
        return { t, n: a.n * b.n };
      case '/':
        if (t === 'i' && b.n === 0) throw fail(this.source, at, '/ by zero');
        return { t, n: t === 'i' ? Math.trunc(a.n / b.n) : a.n / b.n };
      case '%':
        if (t === 'i' && b.n === 0) throw fail(this.source, at, '/ by zero');
        return { t, n: a.n % b.n };
      default:
        throw fail(this.source, at, `operator [${op}] is not supported here`);
    }
  }

  private cast(type: string, value: Val): Val {
    if (typeof value !== 'object' || value === null) return value;
    if (type === 'int' || type === 'long' || type === 'short' || type === 'byte') return { t: 'i', n: Math.trunc(value.n) };
    return type === 'float' || type === 'double' ? { t: 'd', n: type === 'float' ? Math.fround(value.n) : value.n } : value;
  }

  private number(value: Val, at: number): Num {
    if (typeof value === 'object' && value !== null) return value;
    throw fail(this.source, at, value === null ? 'a value is null' : 'cannot compute with a boolean');
  }
}
