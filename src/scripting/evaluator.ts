// Runs the tree of a script. Every expression and turn of a loop takes a step of the budget; calls nest to a limit.
import { ApiError } from '../errors/api-error.ts';
import { scriptError } from './lexer.ts';
import { callMethod, callStatic, newInstance } from './methods.ts';
import { memberOfGetter } from './resolver.ts';
import { type Callable, Char, Double, type Expression, type HostObject, ScriptFault, type Statement, type Value } from './syntax-tree.ts';

/** A function that the host gives. */
export type HostFunction = (args: Value[]) => Value;

/** How a statement ended, if not by going on: a value that is the result if nothing comes behind it, or a jump. */
interface Flow {
  readonly how: 'value' | 'return' | 'break' | 'continue';
  readonly value: Value;
}

type Each = Extract<Statement, { kind: 'each' }>;
type Loop = Extract<Statement, { kind: 'loop' }>;
type FunctionStatement = Extract<Statement, { kind: 'function' }>;
type Scope = Map<string, Value>;

const BREAK: Flow = { how: 'break', value: null };
const CONTINUE: Flow = { how: 'continue', value: null };
const MAX_CALLS = 100;
/** Characters of a text that a script may make. */
const MAX_TEXT = 1 << 20;

export class Evaluator {
  private scopes: Scope[];
  private calls = 0;
  private readonly declared = new Map<string, FunctionStatement>();

  constructor(
    private readonly source: string,
    variables: Readonly<Record<string, Value>>,
    private readonly functions: Readonly<Record<string, HostFunction>>,
    private budget: number,
  ) {
    this.scopes = [new Map(Object.entries(variables))];
  }

  run(body: readonly Statement[]): Value {
    for (const statement of body) if (statement.kind === 'function') this.declared.set(statement.name, statement);
    const result = this.statements(body);
    return result ? plain(result.value) : null;
  }

  private fail(at: number, reason: string, type = 'illegal_argument_exception'): ApiError {
    return new ApiError('script_exception', 400, 'runtime error', {
      details: scriptError(this.source, at, reason).details,
      causedBy: new ApiError(type, 400, reason),
    });
  }

  private step(at: number): void {
    if (--this.budget < 0) throw this.fail(at, 'the script takes too many steps');
  }

  /** Runs what the host does for the script: its faults get the place. */
  private hosted<T>(at: number, action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (error instanceof ScriptFault) throw this.fail(at, error.message, error.type);
      throw error;
    }
  }

  private statements(body: readonly Statement[]): Flow | null {
    let last: Flow | null = null;
    for (const statement of body) {
      last = this.statement(statement);
      if (last !== null && last.how !== 'value') return last;
    }
    return last;
  }

  private statement(statement: Statement): Flow | null {
    switch (statement.kind) {
      case 'expression':
        return { how: 'value', value: this.value(statement.expression) };
      case 'return':
        return { how: 'return', value: statement.value ? this.value(statement.value) : null };
      case 'declare':
        this.scopes[this.scopes.length - 1].set(
          statement.name,
          statement.value ? this.cast(statement.type, this.value(statement.value), statement.at) : defaultOf(statement.type),
        );
        return null;
      case 'assign': {
        const scope = this.scopeOf(statement.name);
        const value = this.value(statement.value);
        scope.set(statement.name, statement.op ? this.operate(statement.op, scope.get(statement.name), value, statement.at) : value);
        return null;
      }
      case 'store':
        this.store(statement);
        return null;
      case 'each':
        return this.each(statement);
      case 'loop':
        return this.scoped(() => this.loop(statement));
      case 'leave':
        return statement.how === 'break' ? BREAK : CONTINUE;
      case 'throw':
        throw this.fail(statement.at, String(this.value(statement.value)));
      case 'if':
        if (this.truth(this.value(statement.test), statement.test.at)) return this.block(statement.then);
        return statement.else ? this.block(statement.else) : null;
      case 'block':
        return this.block(statement.body);
      case 'function':
        return null;
    }
  }

  private scopeOf(name: string): Scope {
    return this.scopes.findLast((scope) => scope.has(name))!;
  }

  private scoped<T>(action: () => T, scope: Scope = new Map()): T {
    this.scopes.push(scope);
    try {
      return action();
    } finally {
      this.scopes.pop();
    }
  }

  private block(body: readonly Statement[]): Flow | null {
    return this.scoped(() => this.statements(body));
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

  private each({ name, items, body, at }: Each): Flow | null {
    const list = this.value(items);
    const walked = Array.isArray(list)
      ? [...list]
      : isHostObject(list)
        ? list.items?.()
        : list instanceof Map
          ? [...list.keys()]
          : undefined;
    if (!walked) throw this.fail(at, 'only lists can be walked through');
    for (const item of walked) {
      this.step(at);
      const flow = this.scoped(() => this.statements(body), new Map([[name, item]]));
      if (flow?.how === 'return') return flow;
      if (flow?.how === 'break') break;
    }
    return null;
  }

  private loop({ init, test, step, body, testLast, at }: Loop): Flow | null {
    this.statements(init);
    for (let isFirst = true; ; isFirst = false) {
      this.step(at);
      const isTested = test !== null && !(testLast && isFirst);
      if (isTested && !this.truth(this.value(test), test.at)) return null;
      const flow = this.block(body);
      if (flow?.how === 'return') return flow;
      if (flow?.how === 'break') return null;
      this.statements(step);
    }
  }

  private truth(value: Value, at: number): boolean {
    if (typeof value !== 'boolean') throw this.fail(at, 'a condition must be a boolean');
    return value;
  }

  private value(expression: Expression): Value {
    this.step(expression.at);
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'name':
        return this.scopeOf(expression.name).get(expression.name);
      case 'step':
        return this.stepName(expression);
      case 'member':
        return this.member(expression);
      case 'call':
        return this.call(expression);
      case 'function':
        return this.callFunction(expression);
      case 'static': {
        const args = expression.args?.map((arg) => this.value(arg)) ?? null;
        const result = this.hosted(expression.at, () => callStatic(expression.type, expression.name, args));
        if (result === undefined) throw this.fail(expression.at, `[${expression.type}.${expression.name}] is not known here`);
        return result;
      }
      case 'new': {
        const made = newInstance(
          expression.type,
          expression.args.map((arg) => this.value(arg)),
        );
        if (made === undefined) throw this.fail(expression.at, `[new ${expression.type}] is not known here`);
        return made;
      }
      case 'index':
        return this.element(expression);
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
      case 'map':
        return new Map(expression.entries.map(({ key, value }) => [String(this.value(key)), this.value(value)]));
      case 'lambda':
        return this.lambda(expression);
    }
  }

  private stepName({ name, op, isPrefix, at }: Extract<Expression, { kind: 'step' }>): Value {
    const scope = this.scopeOf(name);
    const before = scope.get(name);
    const after = this.operate(op, before, 1, at);
    scope.set(name, after);
    return isPrefix ? after : before;
  }

  private lambda({ names, body }: Extract<Expression, { kind: 'lambda' }>): Callable {
    const captured = [...this.scopes];
    return {
      invoke: (args) => {
        const outer = this.scopes;
        this.scopes = [...captured, new Map(names.map((name, i) => [name, args[i] ?? null]))];
        try {
          return Array.isArray(body) ? (this.statements(body)?.value ?? null) : this.value(body);
        } finally {
          this.scopes = outer;
        }
      },
    };
  }

  private callFunction({ name, args, at }: Extract<Expression, { kind: 'function' }>): Value {
    const values = args.map((arg) => this.value(arg));
    const own = this.declared.get(name);
    if (!own) return this.hosted(at, () => this.functions[name](values));
    if (++this.calls > MAX_CALLS) throw this.fail(at, `functions call each other more than ${MAX_CALLS} deep`);
    const outer = this.scopes;
    this.scopes = [new Map(own.params.map((param, i) => [param, values[i]]))];
    try {
      return this.statements(own.body)?.value ?? null;
    } finally {
      this.scopes = outer;
      this.calls--;
    }
  }

  private call(expression: Extract<Expression, { kind: 'call' }>): Value {
    const object = this.value(expression.object);
    if (object === null && expression.nullSafe) return null;
    const { name, at } = expression;
    if (object === null) throw this.fail(at, `cannot call [${name}] of null`, 'null_pointer_exception');
    const args = expression.args.map((arg) => this.value(arg));
    const result = this.hosted(at, () => {
      if (!isHostObject(object)) return callMethod(object, name, args);
      const own = object.call?.(name, args);
      if (own !== undefined) return own;
      const getter = args.length === 0 ? memberOfGetter(name) : null;
      if (getter !== null && getter in object.fields) return object.fields[getter];
      return object.get !== undefined && name === 'get' && args.length === 1 ? object.get(args[0]) : undefined;
    });
    if (result === undefined) throw this.fail(at, `method [${name}/${args.length}] is not known here`);
    return result;
  }

  private element({ object: of, index, at }: Extract<Expression, { kind: 'index' }>): Value {
    const object = this.value(of);
    const key = this.value(index);
    if (object instanceof Map) return object.get(String(key)) ?? null;
    if (isHostObject(object)) {
      const found = this.hosted(at, () => object.get?.(key));
      if (found === undefined) throw this.fail(at, 'this type has no elements');
      return found;
    }
    const place = Number(key);
    if (!Array.isArray(object)) throw this.fail(at, 'only lists have elements here');
    if (!(place in object)) throw this.fail(at, `index ${place} is out of bounds for length ${object.length}`);
    return object[place];
  }

  private member(expression: Extract<Expression, { kind: 'member' }>): Value {
    const object = this.value(expression.object);
    const { name, at } = expression;
    if (object === null && expression.nullSafe) return null;
    if (object === null) throw this.fail(at, `cannot read [${name}] of null`, 'null_pointer_exception');
    if (object instanceof Map) return object.get(name) ?? null;
    if (Array.isArray(object) && name === 'length') return object.length;
    const result = this.hosted(at, () => {
      if (!isHostObject(object)) return callMethod(object, name, []);
      return name in object.fields ? object.fields[name] : object.get?.(name);
    });
    if (result === undefined) throw this.fail(at, `field [${name}] is not known here`);
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
    if (op === 'instanceof') return isInstance(left, String(right));
    return this.operate(op, left, right, at);
  }

  private operate(op: string, left: Value, right: Value, at: number): Value {
    if (op === '==' || op === '===') return same(left, right);
    if (op === '!=' || op === '!==') return !same(left, right);
    if (op === '+' && (typeof left === 'string' || typeof right === 'string')) {
      const text = textOf(left) + textOf(right);
      if (text.length > MAX_TEXT) throw this.fail(at, `a text of more than ${MAX_TEXT} characters`);
      return text;
    }
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
    if (OBJECT_TYPES.has(type)) return value;
    const boxed = BOXED[type];
    if (boxed !== undefined) return value === null ? null : this.cast(boxed, value, at);
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

/** Declared types that are not looked into. */
const OBJECT_TYPES = new Set([
  ...['ArrayList', 'HashMap', 'LinkedHashMap', 'TreeMap', 'Set', 'HashSet', 'Collection', 'Iterable', 'Number', 'StringBuilder'],
  ...['ZonedDateTime', 'GeoPoint', 'Instant', 'Callable', 'Function', 'void'],
]);
const BOXED: Readonly<Record<string, string>> = {
  Integer: 'int',
  Long: 'long',
  Double: 'double',
  Float: 'float',
  Boolean: 'boolean',
  Character: 'char',
};

function isHostObject(value: Value): value is HostObject {
  return typeof value === 'object' && value !== null && !(value instanceof Map) && 'fields' in value;
}

function isInstance(value: Value, type: string): boolean {
  if (value === null) return false;
  switch (type) {
    case 'String':
      return typeof value === 'string';
    case 'List':
    case 'ArrayList':
    case 'Collection':
      return Array.isArray(value);
    case 'Map':
    case 'HashMap':
      return value instanceof Map;
    case 'Integer':
      return typeof value === 'number';
    case 'Long':
      return typeof value === 'bigint';
    case 'Double':
    case 'Float':
      return value instanceof Double;
    case 'Number':
      return numeric(value) !== null && !(value instanceof Char);
    case 'Boolean':
      return typeof value === 'boolean';
    default:
      return true;
  }
}

/** A value as Java writes it into a text. */
export function textOf(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (value instanceof Map) return `{${[...value].map(([key, item]) => `${key}=${textOf(item)}`).join(', ')}}`;
  if (isHostObject(value)) return String(value.call?.('toString', []) ?? '[object]');
  return String(value);
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
