// Reports unknown names before a script runs: variables, members of host objects, functions.
import { scriptError } from './lexer.ts';
import type { Expression, Statement } from './syntax-tree.ts';

/** A variable of a script: a host object with these members (each also available as a getter), or a plain value. */
export type VariableSpec = { readonly kind: 'object'; readonly members: Readonly<Record<string, true>> } | { readonly kind: 'value' };

export class Resolver {
  readonly #functions: Map<string, number | null>;

  readonly #source: string;
  readonly #variables: Readonly<Record<string, VariableSpec>>;

  /** @param functions  names of the host's functions */
  constructor(source: string, variables: Readonly<Record<string, VariableSpec>>, functions: Iterable<string>) {
    this.#source = source;
    this.#variables = variables;
    this.#functions = new Map([...functions].map((name) => [name, null]));
  }

  /** @throws ApiError script_exception with the place */
  script(body: readonly Statement[]): void {
    for (const statement of body) if (statement.kind === 'function') this.#functions.set(statement.name, statement.params.length);
    this.#statements(body, new Set(Object.keys(this.#variables)));
  }

  #statements(body: readonly Statement[], scope: Set<string>): void {
    for (const statement of body) this.#statement(statement, scope);
  }

  #statement(statement: Statement, scope: Set<string>): void {
    switch (statement.kind) {
      case 'expression':
        this.#expression(statement.expression, scope);
        return;
      case 'return':
        if (statement.value) this.#expression(statement.value, scope);
        return;
      case 'throw':
        this.#expression(statement.value, scope);
        return;
      case 'declare':
        this.#declare(statement.name, statement.at, scope);
        if (statement.value) this.#expression(statement.value, scope);
        scope.add(statement.name);
        return;
      case 'assign':
        this.#assigned(statement.name, statement.at, scope);
        this.#expression(statement.value, scope);
        return;
      case 'store':
        this.#expression(statement.target, scope);
        this.#expression(statement.value, scope);
        return;
      case 'each':
        this.#expression(statement.items, scope);
        this.#declare(statement.name, statement.at, scope);
        this.#statements(statement.body, new Set(scope).add(statement.name));
        return;
      case 'if':
        this.#expression(statement.test, scope);
        this.#statements(statement.then, new Set(scope));
        if (statement.else) this.#statements(statement.else, new Set(scope));
        return;
      case 'block':
        this.#statements(statement.body, new Set(scope));
        return;
      case 'loop': {
        const inner = new Set(scope);
        this.#statements(statement.init, inner);
        if (statement.test) this.#expression(statement.test, inner);
        this.#statements(statement.step, inner);
        this.#statements(statement.body, new Set(inner));
        return;
      }
      case 'function':
        // A function sees only its parameters.
        this.#statements(statement.body, new Set(statement.params));
        return;
      case 'leave':
        return;
    }
  }

  #declare(name: string, at: number, scope: ReadonlySet<string>): void {
    if (scope.has(name)) throw scriptError(this.#source, at, `variable [${name}] is already defined`);
  }

  #name(name: string, at: number, scope: ReadonlySet<string>): void {
    if (!scope.has(name)) throw scriptError(this.#source, at, `cannot resolve symbol [${name}]`);
  }

  #assigned(name: string, at: number, scope: ReadonlySet<string>): void {
    this.#name(name, at, scope);
    if (Object.hasOwn(this.#variables, name)) throw scriptError(this.#source, at, `[${name}] cannot be assigned`);
  }

  #expression(expression: Expression, scope: Set<string>): void {
    switch (expression.kind) {
      case 'literal':
        return;
      case 'name':
        this.#name(expression.name, expression.at, scope);
        return;
      case 'step':
        this.#assigned(expression.name, expression.at, scope);
        return;
      case 'member':
      case 'call':
        this.#expression(expression.object, scope);
        if (expression.kind === 'call') for (const arg of expression.args) this.#expression(arg, scope);
        this.#hostMember(expression);
        return;
      case 'function': {
        const count = this.#functions.get(expression.name);
        if (count === undefined || (count !== null && count !== expression.args.length)) {
          throw scriptError(this.#source, expression.at, `Unknown call [${expression.name}] with [${expression.args.length}] arguments.`);
        }
        for (const arg of expression.args) this.#expression(arg, scope);
        return;
      }
      case 'static':
      case 'new':
        for (const arg of expression.args ?? []) this.#expression(arg, scope);
        return;
      case 'index':
        this.#expression(expression.object, scope);
        this.#expression(expression.index, scope);
        return;
      case 'unary':
      case 'cast':
        this.#expression(expression.operand, scope);
        return;
      case 'binary':
        this.#expression(expression.left, scope);
        this.#expression(expression.right, scope);
        return;
      case 'conditional':
        this.#expression(expression.test, scope);
        this.#expression(expression.then, scope);
        this.#expression(expression.else, scope);
        return;
      case 'list':
        for (const item of expression.items) this.#expression(item, scope);
        return;
      case 'map':
        for (const { key, value } of expression.entries) {
          this.#expression(key, scope);
          this.#expression(value, scope);
        }
        return;
      case 'lambda': {
        const inner = new Set([...scope, ...expression.names]);
        if (Array.isArray(expression.body)) this.#statements(expression.body, inner);
        else this.#expression(expression.body, inner);
      }
    }
  }

  #hostMember(expression: Extract<Expression, { kind: 'member' | 'call' }>): void {
    const spec = expression.object.kind === 'name' ? this.#variables[expression.object.name] : undefined;
    if (spec?.kind !== 'object') return;
    const known = expression.kind === 'call' ? memberOfGetter(expression.name) : expression.name;
    if (known && Object.hasOwn(spec.members, known)) return;
    const what = expression.kind === 'call' ? `method [${expression.name}/${expression.args.length}]` : `field [${expression.name}]`;
    throw scriptError(this.#source, expression.at, `${what} not found`);
  }
}

/** `hour` for `getHour`, `empty` for `isEmpty`; null if the name is not that of a getter. */
export function memberOfGetter(name: string): string | null {
  const match = /^(?:get|is)([A-Z])(.*)$/.exec(name);
  return match ? match[1].toLowerCase() + match[2] : null;
}
