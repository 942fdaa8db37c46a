// Painless, the part that analysis needs, made to grow: a tree walker with a budget of steps. Nothing of the host is in reach of a script but
// what it is given.
import { ApiError } from '../errors/api-error.ts';
import { scriptError } from './lexer.ts';
import { callMethod, callStatic } from './methods.ts';
import { Parser } from './parser.ts';
import { Char, Double, type Expression, type HostObject, type Statement, type Value } from './syntax-tree.ts';

const DEFAULT_BUDGET = 100_000;

/** Variables that a script may use: a host object with these members (each also as a getter), or a plain value. */
export type VariableSpec = { readonly kind: 'object'; readonly members: Readonly<Record<string, true>> } | { readonly kind: 'value' };

export interface CompiledScript {
  /**
   * Value of the last expression or of `return`.
   * @throws ApiError script_exception: a type error, a method that is not known, the budget is used up
   */
  run(variables: Readonly<Record<string, Value>>, budget?: number): Value;
}

/** @throws ApiError script_exception: syntax or names that are not known here, with their place */
export function compileScript(source: string, variables: Readonly<Record<string, VariableSpec>>): CompiledScript {
  const body = new Parser(source).parseScript();
  new Resolver(source, variables).statements(body, new Set(Object.keys(variables)));
  return { run: (values, budget = DEFAULT_BUDGET) => new Evaluator(source, values, budget).run(body) };
}

/** Finds unknown names before anything runs. */
class Resolver {
  constructor(
    private readonly source: string,
    private readonly variables: Readonly<Record<string, VariableSpec>>,
  ) {}

  statements(body: readonly Statement[], scope: Set<string>): void {
    for (const statement of body) this.statement(statement, scope);
  }

  private statement(statement: Statement, scope: Set<string>): void {
    switch (statement.kind) {
      case 'expression':
        this.expression(statement.expression, scope);
        return;
      case 'return':
        if (statement.value) this.expression(statement.value, scope);
        return;
      case 'declare':
        if (scope.has(statement.name)) throw scriptError(this.source, statement.at, `variable [${statement.name}] is already defined`);
        if (statement.value) this.expression(statement.value, scope);
        scope.add(statement.name);
        return;
      case 'assign':
        this.name(statement.name, statement.at, scope);
        if (statement.name in this.variables) throw scriptError(this.source, statement.at, `[${statement.name}] cannot be assigned`);
        this.expression(statement.value, scope);
        return;
      case 'store':
        this.expression(statement.target, scope);
        this.expression(statement.value, scope);
        return;
      case 'each':
        this.expression(statement.items, scope);
        if (scope.has(statement.name)) throw scriptError(this.source, statement.at, `variable [${statement.name}] is already defined`);
        this.statements(statement.body, new Set(scope).add(statement.name));
        return;
      case 'if':
        this.expression(statement.test, scope);
        this.statements(statement.then, new Set(scope));
        if (statement.else) this.statements(statement.else, new Set(scope));
        return;
      case 'block':
        this.statements(statement.body, new Set(scope));
    }
  }

  private name(name: string, at: number, scope: Set<string>): void {
    if (!scope.has(name)) throw scriptError(this.source, at, `cannot resolve symbol [${name}]`);
  }

  private expression(expression: Expression, scope: Set<string>): void {
    switch (expression.kind) {
      case 'name':
        this.name(expression.name, expression.at, scope);
        return;
      case 'member':
      case 'call': {
        this.expression(expression.object, scope);
        if (expression.kind === 'call') for (const arg of expression.args) this.expression(arg, scope);
        const spec = expression.object.kind === 'name' ? this.variables[expression.object.name] : undefined;
        if (spec?.kind !== 'object') return;
        const known = expression.kind === 'call' ? memberOfGetter(expression.name) : expression.name;
        if (!known || !(known in spec.members)) {
          const what = expression.kind === 'call' ? `method [${expression.name}/${expression.args.length}]` : `field [${expression.name}]`;
          throw scriptError(this.source, expression.at, `${what} not found`);
        }
        return;
      }
      case 'static':
        for (const arg of expression.args ?? []) this.expression(arg, scope);
        return;
      case 'index':
        this.expression(expression.object, scope);
        this.expression(expression.index, scope);
        return;
      case 'unary':
      case 'cast':
        this.expression(expression.operand, scope);
        return;
      case 'binary':
        this.expression(expression.left, scope);
        this.expression(expression.right, scope);
        return;
      case 'conditional':
        this.expression(expression.test, scope);
        this.expression(expression.then, scope);
        this.expression(expression.else, scope);
        return;
      case 'list':
        for (const item of expression.items) this.expression(item, scope);
    }
  }
}

function memberOfGetter(name: string): string | null {
  const match = /^(?:get|is)([A-Z])(.*)$/.exec(name);
  return match ? match[1].toLowerCase() + match[2] : null;
}

class Evaluator {
  private scopes: Map<string, Value>[];

  constructor(
    private readonly source: string,
    variables: Readonly<Record<string, Value>>,
    private budget: number,
  ) {
    this.scopes = [new Map(Object.entries(variables))];
  }

  run(body: readonly Statement[]): Value {
    const result = this.statements(body);
    return result ? plain(result.value) : null;
  }

  private fail(at: number, reason: string): ApiError {
    return new ApiError('script_exception', 400, 'runtime error', {
      details: scriptError(this.source, at, reason).details,
      causedBy: new ApiError('illegal_argument_exception', 400, reason),
    });
  }

  /** The value of a `return`, or of the last expression if it ends the script; null while it goes on. */
  private statements(body: readonly Statement[]): { value: Value; returned: boolean } | null {
    let last: { value: Value; returned: boolean } | null = null;
    for (const statement of body) {
      last = this.statement(statement);
      if (last?.returned) return last;
    }
    return last;
  }

  private statement(statement: Statement): { value: Value; returned: boolean } | null {
    switch (statement.kind) {
      case 'expression':
        return { value: this.value(statement.expression), returned: false };
      case 'return':
        return { value: statement.value ? this.value(statement.value) : null, returned: true };
      case 'declare':
        this.scopes[this.scopes.length - 1].set(
          statement.name,
          statement.value ? this.cast(statement.type, this.value(statement.value), statement.at) : defaultOf(statement.type),
        );
        return null;
      case 'assign': {
        const scope = this.scopes.findLast((candidate) => candidate.has(statement.name))!;
        const value = this.value(statement.value);
        scope.set(statement.name, statement.op ? this.operate(statement.op, scope.get(statement.name), value, statement.at) : value);
        return null;
      }
      case 'store':
        this.store(statement);
        return null;
      case 'each':
        return this.each(statement);
      case 'if':
        if (this.truth(this.value(statement.test), statement.test.at)) return this.block(statement.then);
        return statement.else ? this.block(statement.else) : null;
      case 'block':
        return this.block(statement.body);
    }
  }

  private store({ target, op, value, at }: Extract<Statement, { kind: 'store' }>): void {
    const object = this.value(target.object);
    const key = target.kind === 'member' ? target.name : this.value(target.index);
    const combine = (old: Value): Value => (op ? this.operate(op, old, this.value(value), at) : this.value(value));
    if (object instanceof Map) object.set(String(key), combine(object.get(String(key)) ?? null));
    else if (Array.isArray(object) && target.kind === 'index') {
      const index = Number(key);
      if (!(index in object)) throw this.fail(at, `index ${index} is out of bounds for length ${object.length}`);
      object[index] = combine(object[index]);
    } else throw this.fail(at, object === null ? 'cannot store into null' : 'cannot store into this type');
  }

  private each({ name, items, body, at }: Extract<Statement, { kind: 'each' }>): { value: Value; returned: boolean } | null {
    const list = this.value(items);
    if (!Array.isArray(list)) throw this.fail(at, 'only lists can be walked through');
    for (const item of [...list]) {
      if (--this.budget < 0) throw this.fail(at, 'the script takes too many steps');
      this.scopes.push(new Map([[name, item]]));
      try {
        const result = this.statements(body);
        if (result?.returned) return result;
      } finally {
        this.scopes.pop();
      }
    }
    return null;
  }

  private block(body: readonly Statement[]) {
    this.scopes.push(new Map());
    try {
      return this.statements(body);
    } finally {
      this.scopes.pop();
    }
  }

  private truth(value: Value, at: number): boolean {
    if (typeof value !== 'boolean') throw this.fail(at, 'a condition must be a boolean');
    return value;
  }

  private value(expression: Expression): Value {
    if (--this.budget < 0) throw this.fail(expression.at, 'the script takes too many steps');
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'name':
        return this.scopes.findLast((scope) => scope.has(expression.name))!.get(expression.name);
      case 'member':
        return this.member(expression);
      case 'call': {
        const object = this.value(expression.object);
        if (object === null && expression.nullSafe) return null;
        const getter = memberOfGetter(expression.name);
        if (isHostObject(object) && getter && !expression.args.length) return object.fields[getter];
        const result = callMethod(
          object,
          expression.name,
          expression.args.map((arg) => this.value(arg)),
        );
        if (result === undefined) throw this.fail(expression.at, `method [${expression.name}/${expression.args.length}] is not known here`);
        return result;
      }
      case 'static': {
        const result = callStatic(expression.type, expression.name, expression.args?.map((arg) => this.value(arg)) ?? null);
        if (result === undefined) throw this.fail(expression.at, `[${expression.type}.${expression.name}] is not known here`);
        return result;
      }
      case 'index': {
        const object = this.value(expression.object);
        const key = this.value(expression.index);
        if (object instanceof Map) return object.get(String(key)) ?? null;
        const index = Number(key);
        if (!Array.isArray(object)) throw this.fail(expression.at, 'only lists have elements here');
        if (!(index in object)) throw this.fail(expression.at, `index ${index} is out of bounds for length ${object.length}`);
        return object[index];
      }
      case 'unary':
        return this.unary(expression.op, this.value(expression.operand), expression.at);
      case 'binary':
        return this.binary(expression);
      case 'conditional':
        return this.value(this.truth(this.value(expression.test), expression.test.at) ? expression.then : expression.else);
      case 'cast':
        return this.cast(expression.type, this.value(expression.operand), expression.at);
      case 'list':
        return expression.items.map((item) => this.value(item));
    }
  }

  private member(expression: Extract<Expression, { kind: 'member' }>): Value {
    const object = this.value(expression.object);
    if (object === null && expression.nullSafe) return null;
    if (object instanceof Map) return object.get(expression.name) ?? null;
    if (isHostObject(object) && expression.name in object.fields) return object.fields[expression.name];
    if (Array.isArray(object) && expression.name === 'length') return object.length;
    const result = callMethod(object, expression.name, []);
    if (result === undefined) throw this.fail(expression.at, `field [${expression.name}] is not known here`);
    return result;
  }

  private binary(expression: Extract<Expression, { kind: 'binary' }>): Value {
    const { op, at } = expression;
    if (op === '&&' || op === '||') {
      const left = this.truth(this.value(expression.left), at);
      return left === (op === '&&') ? this.truth(this.value(expression.right), at) : left;
    }
    const left = this.value(expression.left);
    if (op === '?:') return left === null ? this.value(expression.right) : left;
    const right = this.value(expression.right);
    if (op === 'instanceof') return right === 'String' ? typeof left === 'string' : left !== null;
    return this.operate(op, left, right, at);
  }

  private operate(op: string, left: Value, right: Value, at: number): Value {
    if (op === '==' || op === '===') return same(left, right);
    if (op === '!=' || op === '!==') return !same(left, right);
    if (op === '+' && (typeof left === 'string' || typeof right === 'string')) return String(left) + String(right);
    const a = numeric(left);
    const b = numeric(right);
    if (a === null || b === null) {
      if (typeof left === 'boolean' && typeof right === 'boolean' && '&|^'.includes(op))
        return op === '&' ? left && right : op === '|' ? left || right : left !== right;
      throw this.fail(at, `cannot apply [${op}] to these types`);
    }
    if (isFloating(left) || isFloating(right)) return this.floating(op, Number(a), Number(b), at);
    if (typeof a === 'bigint' || typeof b === 'bigint') return this.long(op, a, b, at);
    switch (op) {
      case '<':
        return a < b;
      case '<=':
        return a <= b;
      case '>':
        return a > b;
      case '>=':
        return a >= b;
      case '+':
        return (a + b) | 0;
      case '-':
        return (a - b) | 0;
      case '*':
        return Math.imul(a, b);
      case '/':
      case '%':
        if (b === 0) throw this.fail(at, '/ by zero');
        if (op === '/') return Math.trunc(a / b);
        return a % b;
      case '&':
        return a & b;
      case '|':
        return a | b;
      case '^':
        return a ^ b;
      case '<<':
        return a << b;
      case '>>':
        return a >> b;
      case '>>>':
        return (a >>> b) | 0;
      default:
        throw this.fail(at, `operator [${op}] is not known here`);
    }
  }

  private floating(op: string, a: number, b: number, at: number): Value {
    const compare: Record<string, boolean> = { '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b };
    if (op in compare) return compare[op];
    const results: Record<string, number> = { '+': a + b, '-': a - b, '*': a * b, '/': a / b, '%': a % b };
    if (!(op in results)) throw this.fail(at, `operator [${op}] is not known here for double`);
    return new Double(results[op]);
  }

  private long(op: string, x: number | bigint, y: number | bigint, at: number): Value {
    if ((typeof x === 'number' && !Number.isInteger(x)) || (typeof y === 'number' && !Number.isInteger(y)))
      return this.operate(op, Number(x), Number(y), at);
    const a = BigInt(x);
    const b = BigInt(y);
    if ((op === '/' || op === '%') && b === 0n) throw this.fail(at, '/ by zero');
    const compare: Record<string, boolean> = { '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b };
    if (op in compare) return compare[op];
    const results: Record<string, () => bigint> = {
      '+': () => a + b,
      '-': () => a - b,
      '*': () => a * b,
      '/': () => a / b,
      '%': () => a % b,
      '&': () => a & b,
      '|': () => a | b,
      '^': () => a ^ b,
    };
    if (!(op in results)) throw this.fail(at, `operator [${op}] is not known here for long`);
    return BigInt.asIntN(64, results[op]());
  }

  private unary(op: string, operand: Value, at: number): Value {
    if (op === '!') return !this.truth(operand, at);
    const value = numeric(operand);
    if (value === null) throw this.fail(at, `cannot apply [${op}] to this type`);
    if (op === '-')
      return isFloating(operand) ? new Double(-Number(value)) : typeof value === 'bigint' ? BigInt.asIntN(64, -value) : -value | 0;
    if (op === '~') return ~value;
    return isFloating(operand) ? operand : value;
  }

  private cast(type: string, value: Value, at: number): Value {
    if (type === 'def' || type === 'Object') return value;
    if (type === 'char') {
      if (value instanceof Char) return value;
      if (typeof value === 'string' && value.length === 1) return new Char(value.charCodeAt(0));
      const code = numeric(value);
      if (code !== null) return new Char(Number(code) & 0xffff);
    }
    if (type === 'String' && (typeof value === 'string' || value === null)) return value;
    if (type === 'String' && value instanceof Char) return value.toString();
    if (type === 'boolean' && typeof value === 'boolean') return value;
    if (type === 'List' && (Array.isArray(value) || value === null)) return value;
    if (type === 'Map' && (value instanceof Map || value === null)) return value;
    const number = numeric(value);
    if (number !== null) {
      if (type === 'int') return Math.trunc(Number(number)) | 0;
      if (type === 'short') return (Number(number) << 16) >> 16;
      if (type === 'byte') return (Number(number) << 24) >> 24;
      if (type === 'long') return BigInt.asIntN(64, BigInt(Math.trunc(Number(number))));
      if (type === 'float') return new Double(Math.fround(Number(number)));
      if (type === 'double') return new Double(Number(number));
    }
    throw this.fail(at, `cannot cast to [${type}]`);
  }
}

function isHostObject(value: Value): value is HostObject {
  return typeof value === 'object' && value !== null && !(value instanceof Map) && 'fields' in value;
}

function defaultOf(type: string): Value {
  if (type === 'boolean') return false;
  if (type === 'char') return new Char(0);
  if (type === 'long') return 0n;
  return ['int', 'short', 'byte', 'float', 'double'].includes(type) ? 0 : null;
}

function numeric(value: Value): number | bigint | null {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Double) return value.value;
  return value instanceof Char ? value.code : null;
}

/** A double, or a host's number that is not whole. */
function isFloating(value: Value): boolean {
  return value instanceof Double || (typeof value === 'number' && !Number.isInteger(value));
}

/** What a script's caller gets: a plain number for a double. */
function plain(value: Value): Value {
  return value instanceof Double ? value.value : value;
}

/** Java's equals for objects, numeric promotion for numbers and chars. */
function same(left: Value, right: Value): boolean {
  const a = numeric(left);
  const b = numeric(right);
  // biome-ignore lint/suspicious/noDoubleEquals: long and int compare by value
  if (a !== null && b !== null) return a == b;
  if (Array.isArray(left) && Array.isArray(right)) return left.length === right.length && left.every((item, i) => same(item, right[i]));
  return left === right;
}
