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
  | { kind: 'list'; items: Expression[]; at: number };

export type Statement =
  | { kind: 'expression'; expression: Expression }
  | { kind: 'return'; value: Expression | null; at: number }
  | { kind: 'declare'; name: string; type: string; value: Expression | null; at: number }
  | { kind: 'assign'; name: string; op: string; value: Expression; at: number }
  /** Into a member of a map or an element of a list or map. */
  | { kind: 'store'; target: Extract<Expression, { kind: 'member' | 'index' }>; op: string; value: Expression; at: number }
  | { kind: 'each'; name: string; items: Expression; body: Statement[]; at: number }
  | { kind: 'if'; test: Expression; then: Statement[]; else: Statement[] | null }
  | { kind: 'block'; body: Statement[] };

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

/** Objects that a host gives to a script: fields by name. */
export interface HostObject {
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A Java Map of a document or of parameters. */
export type ScriptMap = Map<string, Value>;

export type Value = null | boolean | number | Double | bigint | string | Char | Value[] | HostObject | ScriptMap | unknown;
