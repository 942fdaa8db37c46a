// Expressions of column programs: numbers and booleans of known types. Scripts with anything else run as compiled scripts. An operation that can
// fail (a missing value, a division by zero) abandons the document: the compiled script then computes it and reports the failure.
// One file, since an expression of each form contains expressions of any other.
import { classNamed, type Implementation, typeNamed } from '../java/class-info.ts';
import type { Expression } from '../syntax/tree.ts';
import type { ColumnField } from './column-field.ts';
import { constant, convert, isNumeric, isWidening, type NumericType, type PlainType, promote, VALUE_TYPES } from './numeric-types.ts';
import { type Code, I32, I64, OP } from './wasm-writer.ts';

/** A script that column programs cannot express. */
export class Unsupported extends Error {}

export function unsupported(): never {
  throw new Unsupported('not a column program');
}

/** An expression with its type. */
export interface Typed {
  readonly type: PlainType;
  /** The static type is def. */
  readonly isDef: boolean;
  emit(code: Code): void;
}

export interface Variable {
  readonly local: number;
  readonly type: PlainType;
  readonly isDef: boolean;
}

/** The names that expressions may refer to. */
export interface Names {
  variable(name: string): Variable | null;
  /** null: no field of this name that programs can read. */
  field(name: string): ColumnField | null;
  hasField(name: string): boolean;
  param(name: string): Variable | null;
  /** Index of the imported function. */
  imported(run: Implementation, params: number): number;
  /** A function of the context. */
  contextFunction(name: string, params: number): Implementation | null;
  readonly doc: number;
  /** Score of the document; null if the context has none. */
  readonly score: number | null;
  /** Abandons the document if the value on the stack is not 0. */
  bailIf(code: Code): void;
  /** Reads the least value of a field. */
  value(code: Code, field: ColumnField): void;
  local(type: PlainType): number;
}

type Node<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

export function typed(names: Names, node: Expression): Typed {
  switch (node.kind) {
    case 'number':
      return numberOf(node, false);
    case 'decimal':
      return decimalOf(node, false);
    case 'boolean':
      return fixed('boolean', node.value);
    case 'symbol':
      return symbol(names, node);
    case 'dot':
      return member(names, node);
    case 'brace':
      return node.object.kind === 'symbol' && node.object.name === 'params' ? param(names, textOf(node.index)) : unsupported();
    case 'call':
      return call(names, node);
    case 'local-call':
      return contextCall(names, node);
    case 'unary':
      return unary(names, node);
    case 'binary':
      return binary(names, node);
    case 'compare':
      return compare(names, node);
    case 'logical':
      return logical(names, node);
    case 'conditional':
      return conditional(names, node);
    case 'cast':
      return cast(names, node);
    default:
      return unsupported();
  }
}

const fixed = (type: PlainType, value: number | bigint | boolean): Typed => ({
  type,
  isDef: false,
  emit: (code) => constant(code, type, value),
});

const textOf = (node: Expression): string => (node.kind === 'string' ? node.value : unsupported());

function numberOf({ text, radix }: Node<'number'>, isNegative: boolean): Typed {
  if (radix !== 10) return unsupported();
  const sign = isNegative ? '-' : '';
  const digits = text.replace(/[a-zA-Z]$/, '');
  switch (text.slice(digits.length).toLowerCase()) {
    case 'l':
      return fixed('long', BigInt(sign + digits));
    case 'f':
      return fixed('float', Math.fround(Number(sign + digits)));
    case 'd':
      return fixed('double', Number(sign + digits));
    default:
      return fixed('int', Number(sign + digits));
  }
}

function decimalOf({ text }: Node<'decimal'>, isNegative: boolean): Typed {
  const value = Number((isNegative ? '-' : '') + text.replace(/[fFdD]$/, ''));
  return /[fF]$/.test(text) ? fixed('float', Math.fround(value)) : fixed('double', value);
}

function symbol(names: Names, { name }: Node<'symbol'>): Typed {
  const variable = names.variable(name);
  if (variable) return { ...variable, emit: (code) => void code.get(variable.local) };
  const { score } = names;
  if (name === '_score' && score !== null) return { type: 'double', isDef: false, emit: (code) => void code.get(score) };
  return unsupported();
}

/** The field of `doc['name']`. */
function fieldOf(names: Names, node: Expression): ColumnField | null {
  if (node.kind === 'brace' && node.object.kind === 'symbol' && node.object.name === 'doc' && node.index.kind === 'string')
    return names.field(node.index.value) ?? unsupported();
  if (node.kind === 'dot' && node.object.kind === 'symbol' && node.object.name === 'doc' && !node.nullSafe)
    return names.field(node.name) ?? unsupported();
  return null;
}

function member(names: Names, node: Node<'dot'>): Typed {
  const { object, name, nullSafe } = node;
  if (nullSafe) return unsupported();
  if (object.kind === 'symbol' && object.name === 'params') return param(names, name);
  const field = fieldOf(names, object);
  if (field) return name === 'value' ? valueOf(names, field) : name === 'empty' ? isEmpty(names, field) : unsupported();
  if (object.kind !== 'symbol' || names.variable(object.name)) return unsupported();
  const found = typeNamed(object.name)?.info?.fields.get(name);
  const type = found?.type.primitive;
  if (!found || (type !== 'int' && type !== 'long' && type !== 'float' && type !== 'double')) return unsupported();
  const { value } = found;
  return typeof value === 'number' || typeof value === 'bigint' ? fixed(type, value) : unsupported();
}

function param(names: Names, name: string): Typed {
  const found = names.param(name);
  if (!found) return unsupported();
  return { ...found, emit: (code) => void code.get(found.local) };
}

const valueOf = (names: Names, field: ColumnField): Typed => ({
  type: field.form.shown,
  isDef: true,
  emit: (code) => names.value(code, field),
});

const isEmpty = (names: Names, field: ColumnField): Typed => ({
  type: 'boolean',
  isDef: true,
  emit(code) {
    field.size(code, names.doc);
    code.op(OP.i32Eqz);
  },
});

/** Functions with a WebAssembly instruction that returns the same results as the library. */
const NATIVE: Readonly<Record<string, number>> = {
  'Math.abs/1': OP.f64Abs,
  'Math.ceil/1': OP.f64Ceil,
  'Math.floor/1': OP.f64Floor,
  'Math.max/2': OP.f64Max,
  'Math.min/2': OP.f64Min,
  'Math.sqrt/1': OP.f64Sqrt,
};

function call(names: Names, { object, name, args, nullSafe }: Node<'call'>): Typed {
  if (nullSafe) return unsupported();
  const field = fieldOf(names, object);
  if (field) {
    if (args.length) return unsupported();
    if (name === 'getValue') return valueOf(names, field);
    if (name === 'isEmpty') return isEmpty(names, field);
    if (name === 'size') return { type: 'int', isDef: true, emit: (code) => field.size(code, names.doc) };
    return unsupported();
  }
  if (object.kind !== 'symbol' || names.variable(object.name)) return unsupported();
  if (object.name === 'params' && name === 'get' && args.length === 1) return param(names, textOf(args[0]));
  if (object.name === 'doc' && name === 'containsKey' && args.length === 1) return fixed('boolean', names.hasField(textOf(args[0])));
  const method = classNamed(object.name)?.statics.get(`${name}/${args.length}`);
  if (method?.returns.primitive !== 'double' || method.params.some(({ primitive }) => primitive !== 'double')) return unsupported();
  const native = NATIVE[`${object.name}.${name}/${args.length}`];
  return doubles(names, args, (code) => (native === undefined ? code.call(names.imported(method.run, args.length)) : code.op(native)));
}

function contextCall(names: Names, { name, args }: Node<'local-call'>): Typed {
  const run = names.contextFunction(name, args.length);
  if (!run) return unsupported();
  return doubles(names, args, (code) => code.call(names.imported(run, args.length)));
}

/** A function of doubles. */
function doubles(names: Names, args: readonly Expression[], emitCall: (code: Code) => unknown): Typed {
  const values = args.map((arg) => implicitly(typed(names, arg), 'double'));
  return {
    type: 'double',
    isDef: false,
    emit(code) {
      for (const value of values) value.emit(code);
      emitCall(code);
    },
  };
}

/** An implicit conversion. */
export function implicitly(value: Typed, type: PlainType): Typed {
  if (!isWidening(value.type, type)) return unsupported();
  return converted(value, type);
}

/** An explicit conversion (a cast). */
export function converted(value: Typed, type: PlainType): Typed {
  if (value.type === type) return value;
  if (value.type === 'boolean' || type === 'boolean') return unsupported();
  return {
    type,
    isDef: value.isDef,
    emit(code) {
      value.emit(code);
      convert(code, value.type, type);
    },
  };
}

function unary(names: Names, { op, operand }: Node<'unary'>): Typed {
  if (op === '-' && operand.kind === 'number') return numberOf(operand, true);
  if (op === '-' && operand.kind === 'decimal') return decimalOf(operand, true);
  const value = typed(names, operand);
  const { type, isDef } = value;
  if (op === '!') {
    if (type !== 'boolean') return unsupported();
    return {
      type,
      isDef: false,
      emit(code) {
        value.emit(code);
        code.op(OP.i32Eqz);
      },
    };
  }
  if (type === 'boolean' || (op === '~' && type !== 'int' && type !== 'long')) return unsupported();
  if (op === '+') return value;
  return {
    type,
    isDef,
    emit(code) {
      if (op === '~') {
        value.emit(code);
        constant(code, type, -1);
        code.op(type === 'int' ? OP.i32Xor : OP.i64Xor);
      } else if (type === 'int' || type === 'long') {
        constant(code, type, 0);
        value.emit(code);
        code.op(type === 'int' ? OP.i32Sub : OP.i64Sub);
      } else {
        value.emit(code);
        code.op(type === 'float' ? OP.f32Neg : OP.f64Neg);
      }
    },
  };
}

type Operators = Readonly<Record<string, number>>;
const ARITHMETIC: Readonly<Record<NumericType, Operators>> = {
  int: {
    ...{ '+': OP.i32Add, '-': OP.i32Sub, '*': OP.i32Mul, '&': OP.i32And, '|': OP.i32Or, '^': OP.i32Xor },
    ...{ '<<': OP.i32Shl, '>>': OP.i32ShrS, '>>>': OP.i32ShrU },
  },
  long: {
    ...{ '+': OP.i64Add, '-': OP.i64Sub, '*': OP.i64Mul, '&': OP.i64And, '|': OP.i64Or, '^': OP.i64Xor },
    ...{ '<<': OP.i64Shl, '>>': OP.i64ShrS, '>>>': OP.i64ShrU },
  },
  float: { '+': OP.f32Add, '-': OP.f32Sub, '*': OP.f32Mul, '/': OP.f32Div },
  double: { '+': OP.f64Add, '-': OP.f64Sub, '*': OP.f64Mul, '/': OP.f64Div },
};

const remainder = (a: number, b: number): number => a % b;

function binary(names: Names, { op, left, right }: Pick<Node<'binary'>, 'op' | 'left' | 'right'>): Typed {
  return makeOperation(names, op, typed(names, left), typed(names, right));
}

/** An operator on two operands. */
export function makeOperation(names: Names, op: string, a: Typed, b: Typed): Typed {
  const isDef = a.isDef || b.isDef;
  if (op === '^' && a.type === 'boolean' && b.type === 'boolean') return { type: 'boolean', isDef, emit: both(a, b, 'boolean', OP.i32Xor) };
  if (!isNumeric(a.type) || !isNumeric(b.type)) return unsupported();
  if (op === '<<' || op === '>>' || op === '>>>') return shift(op, a, b, isDef);
  const type = promote(a.type, b.type);
  if (isDef && type === 'float' && a.type !== b.type) return unsupported();
  const native = ARITHMETIC[type][op];
  if (native !== undefined) return { type, isDef, emit: both(a, b, type, native) };
  if (op !== '/' && op !== '%') return unsupported();
  if (type === 'int' || type === 'long') return { type, isDef, emit: (code) => divide(names, code, op, type, a, b) };
  const index = names.imported(remainder, 2);
  return {
    type,
    isDef,
    emit(code) {
      converted(a, 'double').emit(code);
      converted(b, 'double').emit(code);
      code.call(index);
      convert(code, 'double', type);
    },
  };
}

const both =
  (a: Typed, b: Typed, type: PlainType, op: number) =>
  (code: Code): void => {
    converted(a, type).emit(code);
    converted(b, type).emit(code);
    code.op(op);
  };

function shift(op: string, a: Typed, b: Typed, isDef: boolean): Typed {
  if ((a.type !== 'int' && a.type !== 'long') || b.type !== 'int') return unsupported();
  return { type: a.type, isDef, emit: both(a, b, a.type, ARITHMETIC[a.type][op]) };
}

/** Integer division: by 0 it abandons the document, by -1 it must not trap. */
function divide(names: Names, code: Code, op: string, type: 'int' | 'long', a: Typed, b: Typed): void {
  const isInt = type === 'int';
  const [dividend, divisor] = [names.local(type), names.local(type)];
  converted(a, type).emit(code);
  code.set(dividend);
  converted(b, type).emit(code);
  code.tee(divisor).op(isInt ? OP.i32Eqz : OP.i64Eqz);
  names.bailIf(code);
  if (op === '%') {
    code
      .get(dividend)
      .get(divisor)
      .op(isInt ? OP.i32RemS : OP.i64RemS);
    return;
  }
  code.get(divisor);
  constant(code, type, -1);
  code.op(isInt ? OP.i32Eq : OP.i64Eq).if(isInt ? I32 : I64);
  constant(code, type, 0);
  code.get(dividend).op(isInt ? OP.i32Sub : OP.i64Sub, OP.else);
  code
    .get(dividend)
    .get(divisor)
    .op(isInt ? OP.i32DivS : OP.i64DivS)
    .end();
}

const COMPARISONS: Readonly<Record<NumericType, Operators>> = {
  int: { '==': OP.i32Eq, '!=': OP.i32Ne, '<': OP.i32LtS, '<=': OP.i32LeS, '>': OP.i32GtS, '>=': OP.i32GeS },
  long: { '==': OP.i64Eq, '!=': OP.i64Ne, '<': OP.i64LtS, '<=': OP.i64LeS, '>': OP.i64GtS, '>=': OP.i64GeS },
  float: { '==': OP.f32Eq, '!=': OP.f32Ne, '<': OP.f32Lt, '<=': OP.f32Le, '>': OP.f32Gt, '>=': OP.f32Ge },
  double: { '==': OP.f64Eq, '!=': OP.f64Ne, '<': OP.f64Lt, '<=': OP.f64Le, '>': OP.f64Gt, '>=': OP.f64Ge },
};

function compare(names: Names, { op, left, right }: Node<'compare'>): Typed {
  const [a, b] = [typed(names, left), typed(names, right)];
  if (a.type === 'boolean' && b.type === 'boolean' && (op === '==' || op === '!='))
    return { type: 'boolean', isDef: false, emit: both(a, b, 'boolean', COMPARISONS.int[op]) };
  if (!isNumeric(a.type) || !isNumeric(b.type) || !(op in COMPARISONS.int)) return unsupported();
  const type = promote(a.type, b.type);
  if (type === 'float' && a.type !== b.type) return unsupported();
  return { type: 'boolean', isDef: false, emit: both(a, b, type, COMPARISONS[type][op]) };
}

function logical(names: Names, { op, left, right }: Node<'logical'>): Typed {
  const [a, b] = [implicitly(typed(names, left), 'boolean'), implicitly(typed(names, right), 'boolean')];
  return {
    type: 'boolean',
    isDef: false,
    emit(code) {
      a.emit(code);
      code.if(I32);
      if (op === '&&') b.emit(code);
      else code.i32(1);
      code.op(OP.else);
      if (op === '&&') code.i32(0);
      else b.emit(code);
      code.end();
    },
  };
}

function conditional(names: Names, node: Node<'conditional'>): Typed {
  const test = implicitly(typed(names, node.test), 'boolean');
  const [then, other] = [typed(names, node.then), typed(names, node.else)];
  const isDef = then.isDef || other.isDef;
  // A def keeps the type of the branch that was taken.
  if (then.type !== other.type && (isDef || !isNumeric(then.type) || !isNumeric(other.type))) return unsupported();
  const type = isNumeric(then.type) && isNumeric(other.type) ? promote(then.type, other.type) : then.type;
  // Each branch is converted directly to the type that the result is used as, not by way of a float.
  if (then.type !== other.type && (then.type === 'float' || other.type === 'float')) return unsupported();
  return {
    type,
    isDef,
    emit(code) {
      test.emit(code);
      code.if(VALUE_TYPES[type]);
      converted(then, type).emit(code);
      code.op(OP.else);
      converted(other, type).emit(code);
      code.end();
    },
  };
}

const CASTS: ReadonlySet<string> = new Set(['int', 'long', 'float', 'double', 'boolean', 'def']);

export const isPlainType = (name: string): name is PlainType => CASTS.has(name) && name !== 'def';

function cast(names: Names, { type, operand }: Node<'cast'>): Typed {
  const value = typed(names, operand);
  if (type === 'def') return { ...value, isDef: true };
  if (!isPlainType(type)) return unsupported();
  return { ...converted(value, type), isDef: false };
}
