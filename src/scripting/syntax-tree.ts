// The syntax tree of a script, and the values that its evaluation works on.

import { ApiError } from '../errors/api-error.ts';

/** A Painless expression; `at` is the offset in the source. */
export type Expression =
  | { kind: 'literal'; value: Value; at: number }
  | { kind: 'name'; name: string; at: number }
  | { kind: 'member'; object: Expression; name: string; nullSafe: boolean; at: number }
  | { kind: 'call'; object: Expression; name: string; args: Expression[]; nullSafe: boolean; at: number }
  | { kind: 'static'; type: string; name: string; args: Expression[] | null; at: number }
  | { kind: 'index'; object: Expression; index: Expression; at: number }
  | { kind: 'unary'; op: string; operand: Expression; at: number }
  | { kind: 'binary'; op: string; left: Expression; right: Expression; at: number }
  | { kind: 'conditional'; test: Expression; then: Expression; else: Expression; at: number }
  | { kind: 'cast'; type: string; operand: Expression; at: number }
  | { kind: 'list'; items: Expression[]; at: number }
  | { kind: 'map'; entries: Array<{ key: Expression; value: Expression }>; at: number }
  /** Calls a function of the host or of the script. */
  | { kind: 'function'; name: string; args: Expression[]; at: number }
  | { kind: 'new'; type: string; args: Expression[]; at: number }
  /** `x++` yields the value before the step, `--x` the one after it. */
  | { kind: 'step'; name: string; op: '+' | '-'; isPrefix: boolean; at: number }
  | { kind: 'lambda'; names: string[]; body: Expression | Statement[]; at: number };

export type Statement =
  | { kind: 'expression'; expression: Expression }
  | { kind: 'return'; value: Expression | null; at: number }
  | { kind: 'declare'; name: string; type: string; value: Expression | null; at: number }
  | { kind: 'assign'; name: string; op: string; value: Expression; at: number }
  /** Assigns to a member of a map or to an element of a list or map. */
  | { kind: 'store'; target: Extract<Expression, { kind: 'member' | 'index' }>; op: string; value: Expression; at: number }
  | { kind: 'each'; name: string; items: Expression; body: Statement[]; at: number }
  | { kind: 'if'; test: Expression; then: Statement[]; else: Statement[] | null }
  | { kind: 'block'; body: Statement[] }
  /** `for (init; test; step)`, `while (test)`, or, with `testLast`, `do .. while (test)`. */
  | { kind: 'loop'; init: Statement[]; test: Expression | null; step: Statement[]; body: Statement[]; testLast: boolean; at: number }
  | { kind: 'leave'; how: 'break' | 'continue' }
  | { kind: 'throw'; value: Expression; at: number }
  | { kind: 'function'; name: string; params: string[]; body: Statement[]; at: number };

/** A char: in Java neither a string nor a number. */
export class Char {
  constructor(readonly code: number) {}
  toString(): string {
    return String.fromCharCode(this.code);
  }
}

/** A float or double. Whole JavaScript numbers stand for ints. */
export class Double {
  constructor(readonly value: number) {}
  toString(): string {
    return Number.isInteger(this.value) ? `${this.value}.0` : String(this.value);
  }
}

/** An object that the host passes to a script. */
export interface HostObject {
  /** Fields by name; each is also available as a getter (`getHour()` for `hour`). */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Calls a method; undefined if there is no such method. */
  call?(name: string, args: Value[]): Value;
  /** The element `object[key]`, or the member `object.key` if no field has that name; undefined if there is none. */
  get?(key: Value): Value;
  /** The items that a loop iterates over. */
  items?(): Value[];
}

/**
 * An error that the host detects while a script runs; the evaluator reports it with the place in the script. Outside of a run, while a result
 * is converted, it is reported as it is.
 */
export class ScriptFault extends ApiError {
  constructor(type: string, reason: string) {
    super(type, 400, reason);
  }
}

/** A function value. */
export interface Callable {
  readonly invoke: (args: Value[]) => Value;
}

/** A Java Map: an object of a document or of parameters. */
export type ScriptMap = Map<string, Value>;

export type Value = null | boolean | number | Double | bigint | string | Char | Value[] | HostObject | ScriptMap | unknown;
