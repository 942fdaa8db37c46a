// The syntax tree of a script. `at` is the offset in the source that errors point at.

export type Expression =
  /** A number as written, with its radix and without prefix. */
  | { kind: 'number'; text: string; radix: 8 | 10 | 16; at: number }
  | { kind: 'decimal'; text: string; at: number }
  | { kind: 'boolean'; value: boolean; at: number }
  | { kind: 'null'; at: number }
  | { kind: 'string'; value: string; at: number }
  | { kind: 'regex'; pattern: string; flags: string; at: number }
  /** A variable, a type, or the first part of a type's full name. */
  | { kind: 'symbol'; name: string; at: number }
  | { kind: 'dot'; object: Expression; name: string; nullSafe: boolean; at: number }
  | { kind: 'call'; object: Expression; name: string; args: Expression[]; nullSafe: boolean; at: number }
  /** A function of the script or of its context. */
  | { kind: 'local-call'; name: string; args: Expression[]; at: number }
  | { kind: 'brace'; object: Expression; index: Expression; at: number }
  | { kind: 'unary'; op: '!' | '-' | '+' | '~'; operand: Expression; at: number }
  | { kind: 'binary'; op: string; left: Expression; right: Expression; at: number }
  | { kind: 'compare'; op: string; left: Expression; right: Expression; at: number }
  | { kind: 'logical'; op: '&&' | '||'; left: Expression; right: Expression; at: number }
  | { kind: 'instanceof'; operand: Expression; type: string; at: number }
  | { kind: 'conditional'; test: Expression; then: Expression; else: Expression; at: number }
  | { kind: 'elvis'; left: Expression; right: Expression; at: number }
  | { kind: 'cast'; type: string; operand: Expression; at: number }
  | { kind: 'list'; items: Expression[]; at: number }
  | { kind: 'map'; entries: Array<{ key: Expression; value: Expression }>; at: number }
  | { kind: 'new'; type: string; args: Expression[]; at: number }
  /** `new int[2][3]`, or with `isInitializer` `new int[] {1, 2}`. `type` is that of the array. */
  | { kind: 'new-array'; type: string; args: Expression[]; isInitializer: boolean; at: number }
  /** `x = y`, `x += y` (`op` is `+`). `x++` is a `post` assignment of 1. */
  | { kind: 'assign'; target: Expression; op: string | null; value: Expression; post: boolean; at: number }
  | { kind: 'lambda'; params: Array<{ type: string | null; name: string }>; body: Block; at: number }
  /** `Integer::parseInt`, `this::f`, `x::foo`, `int[]::new`. */
  | { kind: 'reference'; target: string; name: string; at: number };

export interface Block {
  readonly kind: 'block';
  readonly body: Statement[];
  readonly at: number;
}

export type Statement =
  | { kind: 'expression'; expression: Expression; at: number }
  | { kind: 'return'; value: Expression | null; at: number }
  | { kind: 'declare'; type: string; name: string; value: Expression | null; at: number }
  | { kind: 'declarations'; list: Statement[]; at: number }
  | { kind: 'each'; type: string; name: string; items: Expression; body: Block | null; at: number }
  | { kind: 'if'; test: Expression; then: Block | null; else: Block | null; hasElse: boolean; at: number }
  | { kind: 'while'; test: Expression; body: Block | null; at: number }
  | { kind: 'do'; test: Expression; body: Block | null; at: number }
  | { kind: 'for'; init: Statement | Expression | null; test: Expression | null; step: Expression | null; body: Block | null; at: number }
  | { kind: 'break' | 'continue'; at: number }
  | { kind: 'throw'; value: Expression; at: number }
  | { kind: 'try'; body: Block | null; catches: Catch[]; at: number };

export interface Catch {
  readonly type: string;
  readonly name: string;
  readonly body: Block | null;
  readonly at: number;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly returns: string;
  readonly params: ReadonlyArray<{ type: string; name: string }>;
  readonly body: Block;
  readonly at: number;
}

export interface Script {
  readonly functions: readonly FunctionDeclaration[];
  readonly body: Block;
}
