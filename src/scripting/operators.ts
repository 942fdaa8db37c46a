// Operators and casts of scripts with Java's numeric promotions: int wraps at 32 bits, long at 64, everything else is double.
import { Char, Double, ScriptFault, type Value } from './syntax-tree.ts';
import { isFloating, numeric, same, spendText, textOf } from './values.ts';

/** Declared types whose values are not checked. */
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

function fault(reason: string): ScriptFault {
  return new ScriptFault('illegal_argument_exception', reason);
}

/** Applies a binary operator. @throws ScriptFault: wrong types, division by zero */
export function operate(op: string, left: Value, right: Value): Value {
  if (op === '==' || op === '===') return same(left, right);
  if (op === '!=' || op === '!==') return !same(left, right);
  if (op === '+' && (typeof left === 'string' || typeof right === 'string')) {
    const text = textOf(left) + textOf(right);
    spendText(text.length);
    return text;
  }
  const a = numeric(left);
  const b = numeric(right);
  if (a === null || b === null) {
    if (typeof left === 'boolean' && typeof right === 'boolean' && '&|^'.includes(op))
      return op === '&' ? left && right : op === '|' ? left || right : left !== right;
    throw fault(`cannot apply [${op}] to these types`);
  }
  if (isFloating(left) || isFloating(right)) return floating(op, Number(a), Number(b));
  if (typeof a === 'bigint' || typeof b === 'bigint') return long(op, a, b);
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
      if (b === 0) throw fault('/ by zero');
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
      throw fault(`operator [${op}] is not supported`);
  }
}

function floating(op: string, a: number, b: number): Value {
  const compare: Record<string, boolean> = { '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b };
  if (op in compare) return compare[op];
  const results: Record<string, number> = { '+': a + b, '-': a - b, '*': a * b, '/': a / b, '%': a % b };
  if (!(op in results)) throw fault(`operator [${op}] is not supported for double`);
  return new Double(results[op]);
}

function long(op: string, x: number | bigint, y: number | bigint): Value {
  if ((typeof x === 'number' && !Number.isInteger(x)) || (typeof y === 'number' && !Number.isInteger(y)))
    return operate(op, Number(x), Number(y));
  const a = BigInt(x);
  const b = BigInt(y);
  if ((op === '/' || op === '%') && b === 0n) throw fault('/ by zero');
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
  if (!(op in results)) throw fault(`operator [${op}] is not supported for long`);
  return BigInt.asIntN(64, results[op]());
}

/** Applies `-`, `~` or `+`. @throws ScriptFault: the operand is not numeric */
export function unary(op: string, operand: Value): Value {
  const value = numeric(operand);
  if (value === null) throw fault(`cannot apply [${op}] to this type`);
  if (op === '-')
    return isFloating(operand) ? new Double(-Number(value)) : typeof value === 'bigint' ? BigInt.asIntN(64, -value) : -value | 0;
  if (op === '~') return ~value;
  return isFloating(operand) ? operand : value;
}

/** Converts a value to the declared type. @throws ScriptFault: it cannot be converted */
export function cast(type: string, value: Value): Value {
  if (type === 'def' || type === 'Object') return value;
  if (OBJECT_TYPES.has(type)) return value;
  const boxed = BOXED[type];
  if (boxed !== undefined) return value === null ? null : cast(boxed, value);
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
  throw fault(`cannot cast to [${type}]`);
}
