// Variables in scope, and how control leaves a statement.
import type { Type } from '../java/class-info.ts';

/** The source of names and errors. */
interface Names {
  newVariable(): string;
  error(at: number, reason: string): Error;
}

export interface Variable {
  readonly name: string;
  readonly type: Type;
  readonly js: string;
  readonly isFinal: boolean;
}

/** How control leaves a statement. */
export interface Flow {
  /** All paths return or throw. */
  readonly method: boolean;
  /** All paths leave the enclosing loop. */
  readonly loop: boolean;
  /** No path continues with the next statement. */
  readonly all: boolean;
  readonly anyContinue: boolean;
  readonly anyBreak: boolean;
}

export const STAYS: Flow = { method: false, loop: false, all: false, anyContinue: false, anyBreak: false };
export const RETURNS: Flow = { ...STAYS, method: true, loop: true, all: true };

export class Scope {
  readonly returns: Type;
  readonly #unit: Names;
  readonly #parent: Scope | null;
  readonly #variables = new Map<string, Variable>();
  /** The variables outside of a lambda are read-only inside. */
  readonly #isLambda: boolean;

  private constructor(unit: Names, returns: Type, parent: Scope | null, isLambda: boolean) {
    this.#unit = unit;
    this.returns = returns;
    this.#parent = parent;
    this.#isLambda = isLambda;
  }

  static ofFunction(unit: Names, returns: Type): Scope {
    return new Scope(unit, returns, null, false);
  }

  inner(): Scope {
    return new Scope(this.#unit, this.returns, this, false);
  }

  lambda(returns: Type): Scope {
    return new Scope(this.#unit, returns, this, true);
  }

  find(name: string): Variable | null {
    const own = this.#variables.get(name);
    if (own) return own;
    const outer = this.#parent?.find(name) ?? null;
    return outer && this.#isLambda && !outer.isFinal ? { ...outer, isFinal: true } : outer;
  }

  /** @throws ApiError script_exception: there is one of this name */
  define(at: number, type: Type, name: string, isFinal = false, js = this.#unit.newVariable()): Variable {
    if (this.find(name)) throw this.#unit.error(at, `variable [${name}] is already defined`);
    const variable = { name, type, js, isFinal };
    this.#variables.set(name, variable);
    return variable;
  }
}
