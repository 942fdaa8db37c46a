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
  /** A function of the host or of the script. */
  | { kind: 'function'; name: string; args: Expression[]; at: number }
  | { kind: 'new'; type: string; args: Expression[]; at: number }
  /** `x++`, `--x`: the value before (or after) the step. */
  | { kind: 'step'; name: string; op: '+' | '-'; isPrefix: boolean; at: number }
  | { kind: 'lambda'; names: string[]; body: Expression | Statement[]; at: number };

export type Statement =
  | { kind: 'expression'; expression: Expression }
  | { kind: 'return'; value: Expression | null; at: number }
  | { kind: 'declare'; name: string; type: string; value: Expression | null; at: number }
  | { kind: 'assign'; name: string; op: string; value: Expression; at: number }
  /** Into a member of a map or an element of a list or map. */
  | { kind: 'store'; target: Extract<Expression, { kind: 'member' | 'index' }>; op: string; value: Expression; at: number }
  | { kind: 'each'; name: string; items: Expression; body: Statement[]; at: number }
  | { kind: 'if'; test: Expression; then: Statement[]; else: Statement[] | null }
  | { kind: 'block'; body: Statement[] }
  /** `for (init; test; step)`, `while (test)`, and with `testLast` `do .. while (test)`. */
  | { kind: 'loop'; init: Statement[]; test: Expression | null; step: Statement[]; body: Statement[]; testLast: boolean; at: number }
  | { kind: 'leave'; how: 'break' | 'continue' }
  | { kind: 'throw'; value: Expression; at: number }
  | { kind: 'function'; name: string; params: string[]; body: Statement[]; at: number };

/** A char, kept apart from strings and numbers as Java does. */
export class Char {
  constructor(readonly code: number) {}
  toString(): string {
    return String.fromCharCode(this.code);
  }
}

/** A float or double: JavaScript's own numbers are ints here when they are whole. */
export class Double {
  constructor(readonly value: number) {}
  toString(): string {
    return Number.isInteger(this.value) ? `${this.value}.0` : String(this.value);
  }
}

/** Objects that a host gives to a script. */
export interface HostObject {
  /** By name; each is a getter's answer too (`getHour()` of `hour`). */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Undefined: no such method. */
  call?(name: string, args: Value[]): Value;
  /** What stands in brackets, or behind a dot when no field has the name. Undefined: nothing. */
  get?(key: Value): Value;
  /** What a loop walks through. */
  items?(): Value[];
}

/** A fault of a script that a host finds: reported with the place in the script. */
export class ScriptFault extends Error {
  readonly type: string;
  constructor(type: string, reason: string) {
    super(reason);
    this.type = type;
  }
}

/** A function value. */
export interface Callable {
  readonly invoke: (args: Value[]) => Value;
}

/** A Java Map of a document or of parameters. */
export type ScriptMap = Map<string, Value>;

export type Value = null | boolean | number | Double | bigint | string | Char | Value[] | HostObject | ScriptMap | unknown;
