// State shared by the stages of compiling one script: its source, constants, functions, and the code generated so far.
import { ApiError } from '../../errors/api-error.ts';
import { type Type, typeNamed } from '../java/class-info.ts';
import { ScriptFault } from '../java/faults.ts';
import { scriptError } from '../syntax/script-error.ts';
import type { Block, Expression } from '../syntax/tree.ts';
import type { Flow, Scope, Variable } from './scope.ts';

/** A checked expression and its JavaScript. */
export interface Checked {
  readonly type: Type;
  /** Evaluates to the plain form of primitives (see ../java/values.ts), to the value itself for all other types. */
  readonly js: string;
  /** The value, if it is known: in the plain form. */
  readonly constant?: number | bigint | boolean | string;
  /** A type instead of a value: `Math` in `Math.max`. */
  readonly isStatic?: true;
  /** The first part of a name that is not a variable: it may become the full name of a type. */
  readonly partial?: string;
  /** Stores into a def take the type of what is stored. */
  readonly store?: (value: string) => string;
}

/** How the value of an expression is used. */
export interface Use {
  /** The type that the value will be converted to. */
  readonly target?: Type;
  readonly explicit?: boolean;
  readonly internal?: boolean;
  /** false for an expression statement. */
  readonly read?: boolean;
  readonly write?: boolean;
}

/** A function of the script or its context. */
export interface LocalFunction {
  readonly name: string;
  readonly params: readonly Type[];
  readonly returns: Type;
  readonly js: string;
}

/** A variable that the context gives to the main function. */
export interface ContextVariable {
  readonly name: string;
  readonly type: Type;
}

/** A function that the context gives to scripts; `run` takes and returns plain primitives. */
export interface ContextFunction {
  readonly name: string;
  readonly params: readonly Type[];
  readonly returns: Type;
  readonly run: (...args: never[]) => unknown;
}

export class Unit {
  readonly source: string;
  readonly constants: unknown[] = [];
  readonly helpers = new Set<string>();
  readonly functions = new Map<string, LocalFunction>();
  /** Offsets of the statements. */
  readonly statements = new Set<number>();
  readonly usedVariables = new Set<string>();
  /** Variables of the current function that hold parts of expressions. */
  temporaries: string[] = [];
  /** Variables of the context, which only the main function sees. */
  readonly contextVariables: ReadonlyMap<string, Variable>;
  /** The first operation on constants that failed. */
  foldError: ApiError | null = null;
  #variables = 0;
  readonly #constantIds = new Map<unknown, string>();
  /** Set by the stages, which call each other. */
  expression!: (unit: Unit, scope: Scope, node: Expression, use: Use) => Checked;
  /** As `expression`, but a type or the first part of its name is allowed too. */
  typeOrExpression!: (unit: Unit, scope: Scope, node: Expression, use: Use) => Checked;
  block!: (unit: Unit, scope: Scope, block: Block, use: BlockUse) => { js: string; flow: Flow };

  constructor(source: string, variables: readonly ContextVariable[]) {
    this.source = source;
    this.contextVariables = new Map(variables.map(({ name, type }) => [name, { name, type, js: this.newVariable(), isFinal: false }]));
  }

  /** A variable of the script or, in the main function, of its context. */
  variable(scope: Scope, name: string): Variable | null {
    const found = scope.find(name);
    if (found && this.contextVariables.get(name)?.js === found.js) this.usedVariables.add(name);
    return found;
  }

  newTemporary(): string {
    const name = this.newVariable();
    this.temporaries.push(name);
    return name;
  }

  newVariable(): string {
    return `v${this.#variables++}`;
  }

  /** The name of a constant that is an object. */
  constant(value: unknown): string {
    let id = this.#constantIds.get(value);
    if (id === undefined) {
      id = `k${this.constants.length}`;
      this.constants.push(value);
      this.#constantIds.set(value, id);
    }
    return id;
  }

  /** A call of a function of ../runtime/. */
  call(helper: string, ...args: string[]): string {
    this.helpers.add(helper);
    return `${helper}(${args.join(',')})`;
  }

  /** @param type  of the cause */
  error(at: number, reason: string, type?: string): ApiError {
    return scriptError(this.source, at, reason, type);
  }

  listIndexError(at: number, name: string): ApiError {
    const cause = new ApiError('number_format_exception', 400, `For input string: "${name}"`);
    return scriptError(this.source, at, `invalid list index [${name}]`, undefined, cause);
  }

  castError(at: number, reason: string): ApiError {
    return scriptError(this.source, at, reason, 'class_cast_exception');
  }

  /** A type by name; null if it is unknown. */
  type(name: string): Type | null {
    return typeNamed(name);
  }

  /**
   * Evaluates an operation on constants. Its exception is a compile error, which is reported once all types have been checked.
   * @returns null if it failed
   */
  fold<T>(at: number, action: () => T): T | null {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof ScriptFault)) throw error;
      this.foldError ??= scriptError(this.source, at, error.reason, error.type);
      return null;
    }
  }
}

export interface BlockUse {
  readonly isLast: boolean;
  readonly inLoop: boolean;
  readonly lastInLoop: boolean;
}

/** JavaScript of a constant. */
export function literal(value: number | bigint | boolean | string): string {
  if (typeof value === 'bigint') return value < 0n ? `(${value}n)` : `${value}n`;
  if (typeof value === 'number') return Object.is(value, -0) ? '(-0)' : value < 0 ? `(${value})` : String(value);
  return JSON.stringify(value);
}
