// Evaluates the syntax tree of a script. Each expression and each loop iteration costs a step of the budget; the depth of calls is limited.
import { present } from '../common/present.ts';
import { checkTurn } from '../common/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { scriptError } from './lexer.ts';
import { callMethod, callStatic, newInstance } from './methods.ts';
import { cast, operate, unary } from './operators.ts';
import { memberOfGetter } from './resolver.ts';
import { ENTRY_BYTES, type ScriptBudget, spendBytes } from './script-budget.ts';
import { type Callable, Double, type Expression, ScriptFault, type Statement, type Value } from './syntax-tree.ts';
import { defaultOf, isHostObject, isInstance, textOf } from './values.ts';

/** A function that the host provides. */
export type HostFunction = (args: Value[]) => Value;

/** How a statement completed: with a value (the script's result if it is the last statement) or with a jump. */
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
const STEPS_PER_CHECK_MASK = 1023;

export class Evaluator {
  #scopes: Scope[];
  #calls = 0;
  readonly #declared = new Map<string, FunctionStatement>();

  readonly #source: string;
  readonly #functions: Readonly<Record<string, HostFunction>>;
  readonly #budget: ScriptBudget;

  constructor(
    source: string,
    variables: Readonly<Record<string, Value>>,
    functions: Readonly<Record<string, HostFunction>>,
    budget: ScriptBudget,
  ) {
    this.#source = source;
    this.#functions = functions;
    this.#budget = budget;
    this.#scopes = [new Map(Object.entries(variables))];
  }

  run(body: readonly Statement[]): Value {
    for (const statement of body) if (statement.kind === 'function') this.#declared.set(statement.name, statement);
    const result = this.#statements(body);
    return result ? plain(result.value) : null;
  }

  #fail(at: number, reason: string, type = 'illegal_argument_exception'): ApiError {
    return new ApiError('script_exception', 400, 'runtime error', {
      details: scriptError(this.#source, at, reason).details,
      causedBy: new ApiError(type, 400, reason),
    });
  }

  #step(at: number): void {
    if (--this.#budget.steps < 0) throw this.#fail(at, 'the script takes too many steps');
    if ((this.#budget.steps & STEPS_PER_CHECK_MASK) === 0) checkTurn();
  }

  /** Runs an action of the host; its faults are reported with their place in the script. */
  #hosted<T>(at: number, action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw this.#placed(error, at);
    }
  }

  #text(value: Value, at: number): string {
    return typeof value === 'string' ? value : this.#hosted(at, () => textOf(value));
  }

  /** Turns a fault of the host into an error with its place in the script. */
  #placed(error: unknown, at: number): unknown {
    return error instanceof ScriptFault ? this.#fail(at, error.message, error.type) : error;
  }

  #statements(body: readonly Statement[]): Flow | null {
    let last: Flow | null = null;
    for (const statement of body) {
      last = this.#statement(statement);
      if (last !== null && last.how !== 'value') return last;
    }
    return last;
  }

  #statement(statement: Statement): Flow | null {
    switch (statement.kind) {
      case 'expression':
        return { how: 'value', value: this.#value(statement.expression) };
      case 'return':
        return { how: 'return', value: statement.value ? this.#value(statement.value) : null };
      case 'declare':
        this.#scopes[this.#scopes.length - 1].set(
          statement.name,
          statement.value ? this.#cast(statement.type, this.#value(statement.value), statement.at) : defaultOf(statement.type),
        );
        return null;
      case 'assign': {
        const scope = this.#scopeOf(statement.name);
        const value = this.#value(statement.value);
        scope.set(statement.name, statement.op ? this.#operate(statement.op, scope.get(statement.name), value, statement.at) : value);
        return null;
      }
      case 'store':
        this.#store(statement);
        return null;
      case 'each':
        return this.#each(statement);
      case 'loop':
        return this.#scoped(() => this.#loop(statement));
      case 'leave':
        return statement.how === 'break' ? BREAK : CONTINUE;
      case 'throw':
        throw this.#fail(statement.at, this.#text(this.#value(statement.value), statement.at));
      case 'if':
        if (this.#truth(this.#value(statement.test), statement.test.at)) return this.#block(statement.then);
        return statement.else ? this.#block(statement.else) : null;
      case 'block':
        return this.#block(statement.body);
      case 'function':
        return null;
    }
  }

  #scopeOf(name: string): Scope {
    return present(this.#scopes.findLast((scope) => scope.has(name)));
  }

  #scoped<T>(action: () => T, scope: Scope = new Map()): T {
    this.#scopes.push(scope);
    try {
      return action();
    } finally {
      this.#scopes.pop();
    }
  }

  #block(body: readonly Statement[]): Flow | null {
    return this.#scoped(() => this.#statements(body));
  }

  #store({ target, op, value, at }: Extract<Statement, { kind: 'store' }>): void {
    const object = this.#value(target.object);
    const key = target.kind === 'member' ? target.name : this.#value(target.index);
    const combine = (old: Value): Value => (op ? this.#operate(op, old, this.#value(value), at) : this.#value(value));
    if (object instanceof Map) {
      const name = this.#text(key, at);
      const combined = combine(object.get(name) ?? null);
      if (!object.has(name)) this.#hosted(at, () => spendBytes(ENTRY_BYTES + name.length));
      object.set(name, combined);
    } else if (Array.isArray(object) && target.kind === 'index') {
      const index = Number(key);
      if (!(index in object)) throw this.#fail(at, `index ${index} is out of bounds for length ${object.length}`);
      object[index] = combine(object[index]);
    } else throw this.#fail(at, object === null ? 'cannot store into null' : 'cannot store into this type');
  }

  #each({ name, items, body, at }: Each): Flow | null {
    const list = this.#value(items);
    this.#hosted(at, () => spendBytes(sizeOf(list) * ENTRY_BYTES));
    const walked = Array.isArray(list)
      ? [...list]
      : isHostObject(list)
        ? list.items?.()
        : list instanceof Map
          ? [...list.keys()]
          : undefined;
    if (!walked) throw this.#fail(at, 'can only iterate over a list, a map or an array');
    for (const item of walked) {
      this.#step(at);
      const flow = this.#scoped(() => this.#statements(body), new Map([[name, item]]));
      if (flow?.how === 'return') return flow;
      if (flow?.how === 'break') break;
    }
    return null;
  }

  #loop({ init, test, step, body, testLast, at }: Loop): Flow | null {
    this.#statements(init);
    for (let isFirst = true; ; isFirst = false) {
      this.#step(at);
      const isTested = test !== null && !(testLast && isFirst);
      if (isTested && !this.#truth(this.#value(test), test.at)) return null;
      const flow = this.#block(body);
      if (flow?.how === 'return') return flow;
      if (flow?.how === 'break') return null;
      this.#statements(step);
    }
  }

  #truth(value: Value, at: number): boolean {
    if (typeof value !== 'boolean') throw this.#fail(at, 'a condition must be a boolean');
    return value;
  }

  #value(expression: Expression): Value {
    this.#step(expression.at);
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'name':
        return this.#scopeOf(expression.name).get(expression.name);
      case 'step':
        return this.#stepName(expression);
      case 'member':
        return this.#member(expression);
      case 'call':
        return this.#call(expression);
      case 'function':
        return this.#callFunction(expression);
      case 'static': {
        const args = expression.args?.map((arg) => this.#value(arg)) ?? null;
        const result = this.#hosted(expression.at, () => callStatic(expression.type, expression.name, args));
        if (result === undefined) throw this.#fail(expression.at, `[${expression.type}.${expression.name}] is not supported`);
        return result;
      }
      case 'new': {
        const args = expression.args.map((arg) => this.#value(arg));
        const made = this.#hosted(expression.at, () => newInstance(expression.type, args));
        if (made === undefined) throw this.#fail(expression.at, `[new ${expression.type}] is not supported`);
        return made;
      }
      case 'index':
        return this.#element(expression);
      case 'unary':
        return this.#unary(expression);
      case 'binary':
        return this.#binary(expression);
      case 'conditional':
        return this.#value(this.#truth(this.#value(expression.test), expression.test.at) ? expression.then : expression.else);
      case 'cast':
        return this.#cast(expression.type, this.#value(expression.operand), expression.at);
      case 'list':
        this.#hosted(expression.at, () => spendBytes((expression.items.length + 1) * ENTRY_BYTES));
        return expression.items.map((item) => this.#value(item));
      case 'map':
        this.#hosted(expression.at, () => spendBytes((expression.entries.length + 1) * ENTRY_BYTES));
        return new Map(expression.entries.map(({ key, value }) => [this.#text(this.#value(key), expression.at), this.#value(value)]));
      case 'lambda':
        return this.#lambda(expression);
    }
  }

  #stepName({ name, op, isPrefix, at }: Extract<Expression, { kind: 'step' }>): Value {
    const scope = this.#scopeOf(name);
    const before = scope.get(name);
    const after = this.#operate(op, before, 1, at);
    scope.set(name, after);
    return isPrefix ? after : before;
  }

  #lambda({ names, body, at }: Extract<Expression, { kind: 'lambda' }>): Callable {
    const captured = [...this.#scopes];
    return {
      invoke: (args) => {
        this.#enterCall(at);
        const outer = this.#scopes;
        this.#scopes = [...captured, new Map(names.map((name, i) => [name, args[i] ?? null]))];
        try {
          return Array.isArray(body) ? (this.#statements(body)?.value ?? null) : this.#value(body);
        } finally {
          this.#scopes = outer;
          this.#calls--;
        }
      },
    };
  }

  #callFunction({ name, args, at }: Extract<Expression, { kind: 'function' }>): Value {
    const values = args.map((arg) => this.#value(arg));
    const own = this.#declared.get(name);
    if (!own) return this.#hosted(at, () => this.#functions[name](values));
    this.#enterCall(at);
    const outer = this.#scopes;
    this.#scopes = [new Map(own.params.map((param, i) => [param, values[i]]))];
    try {
      return this.#statements(own.body)?.value ?? null;
    } finally {
      this.#scopes = outer;
      this.#calls--;
    }
  }

  #enterCall(at: number): void {
    if (this.#calls >= MAX_CALLS) throw this.#fail(at, `function calls nest deeper than ${MAX_CALLS}`);
    this.#calls++;
  }

  #call(expression: Extract<Expression, { kind: 'call' }>): Value {
    const object = this.#value(expression.object);
    if (object === null && expression.nullSafe) return null;
    const { name, at } = expression;
    if (object === null) throw this.#fail(at, `cannot call [${name}] of null`, 'null_pointer_exception');
    const args = expression.args.map((arg) => this.#value(arg));
    const result = this.#hosted(at, () => {
      if (!isHostObject(object)) return callMethod(object, name, args);
      const own = object.call?.(name, args);
      if (own !== undefined) return own;
      const getter = args.length === 0 ? memberOfGetter(name) : null;
      if (getter !== null && hasMember(object.fields, getter)) return object.fields[getter];
      return object.get !== undefined && name === 'get' && args.length === 1 ? object.get(args[0]) : undefined;
    });
    if (result === undefined) throw this.#fail(at, `method [${name}/${args.length}] not found`);
    return result;
  }

  #element({ object: of, index, at }: Extract<Expression, { kind: 'index' }>): Value {
    const object = this.#value(of);
    const key = this.#value(index);
    if (object instanceof Map) return object.get(this.#text(key, at)) ?? null;
    if (isHostObject(object)) {
      const found = this.#hosted(at, () => object.get?.(key));
      if (found === undefined) throw this.#fail(at, 'this type has no elements');
      return found;
    }
    const place = Number(key);
    if (!Array.isArray(object)) throw this.#fail(at, 'only lists and maps have elements');
    if (!(place in object)) throw this.#fail(at, `index ${place} is out of bounds for length ${object.length}`);
    return object[place];
  }

  #member(expression: Extract<Expression, { kind: 'member' }>): Value {
    const object = this.#value(expression.object);
    const { name, at } = expression;
    if (object === null && expression.nullSafe) return null;
    if (object === null) throw this.#fail(at, `cannot read [${name}] of null`, 'null_pointer_exception');
    if (object instanceof Map) return object.get(name) ?? null;
    if (Array.isArray(object) && name === 'length') return object.length;
    const result = this.#hosted(at, () => {
      if (!isHostObject(object)) return callMethod(object, name, []);
      return hasMember(object.fields, name) ? object.fields[name] : object.get?.(name);
    });
    if (result === undefined) throw this.#fail(at, `field [${name}] not found`);
    return result;
  }

  #unary({ op, operand, at }: Extract<Expression, { kind: 'unary' }>): Value {
    const value = this.#value(operand);
    return op === '!' ? !this.#truth(value, at) : this.#hosted(at, () => unary(op, value));
  }

  #binary(expression: Extract<Expression, { kind: 'binary' }>): Value {
    const { op, at } = expression;
    if (op === '&&' || op === '||') {
      const left = this.#truth(this.#value(expression.left), at);
      return left === (op === '&&') ? this.#truth(this.#value(expression.right), at) : left;
    }
    const left = this.#value(expression.left);
    if (op === '?:') return left === null ? this.#value(expression.right) : left;
    const right = this.#value(expression.right);
    if (op === 'instanceof') return isInstance(left, String(right));
    return this.#operate(op, left, right, at);
  }

  #operate(op: string, left: Value, right: Value, at: number): Value {
    try {
      return operate(op, left, right);
    } catch (error) {
      throw this.#placed(error, at);
    }
  }

  #cast(type: string, value: Value, at: number): Value {
    return this.#hosted(at, () => cast(type, value));
  }
}

/** Number of items or keys of a collection. */
function sizeOf(value: Value): number {
  return Array.isArray(value) ? value.length : value instanceof Map ? value.size : 0;
}

/** Converts a result for the caller: doubles become plain numbers. */
function plain(value: Value): Value {
  return value instanceof Double ? value.value : value;
}

/** Whether a host object has this member: its own, or a getter of its class, but nothing that every JavaScript object inherits. */
function hasMember(fields: object, name: string): boolean {
  return Object.hasOwn(fields, name) || (name in fields && !(name in Object.prototype));
}
