// Types, string forms, numeric values and equality of a script's values, as in Java.
import { spendBytes, spendSteps } from './script-budget.ts';
import { Char, Double, type HostObject, ScriptFault, type Value } from './syntax-tree.ts';

/** Collections in collections; deeper values are taken for ones that contain themselves. */
export const MAX_VALUE_DEPTH = 1000;
/** Maximum length of a string that a script may build, in UTF-16 code units. */
export const MAX_TEXT = 1 << 20;

export function isHostObject(value: Value): value is HostObject {
  return typeof value === 'object' && value !== null && !(value instanceof Map) && 'fields' in value;
}

export function isInstance(value: Value, type: string): boolean {
  if (value === null) return false;
  switch (type) {
    case 'String':
      return typeof value === 'string';
    case 'List':
    case 'ArrayList':
    case 'Collection':
      return Array.isArray(value);
    case 'Map':
    case 'HashMap':
      return value instanceof Map;
    case 'Integer':
      return typeof value === 'number';
    case 'Long':
      return typeof value === 'bigint';
    case 'Double':
    case 'Float':
      return value instanceof Double;
    case 'Number':
      return numeric(value) !== null && !(value instanceof Char);
    case 'Boolean':
      return typeof value === 'boolean';
    default:
      return true;
  }
}

/** String form of a value, as Java concatenates it. @throws ScriptFault: too long, or the value contains itself */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) || value instanceof Map) {
    const parts: string[] = [];
    writeText(value, 0, parts, { length: 0 });
    return parts.join('');
  }
  if (isHostObject(value)) return String(value.call?.('toString', []) ?? '[object]');
  return String(value);
}

function writeText(value: Value, depth: number, parts: string[], written: { length: number }): void {
  const put = (text: string): void => {
    written.length += text.length;
    checkLength(written.length);
    parts.push(text);
  };
  spendSteps(1);
  if (depth > MAX_VALUE_DEPTH) throw selfReference();
  if (Array.isArray(value)) {
    put('[');
    value.forEach((item, i) => {
      if (i > 0) put(', ');
      writeText(item, depth + 1, parts, written);
    });
    put(']');
  } else if (value instanceof Map) {
    put('{');
    let i = 0;
    for (const [key, item] of value) {
      put(`${i++ > 0 ? ', ' : ''}${key}=`);
      writeText(item, depth + 1, parts, written);
    }
    put('}');
  } else put(textOf(value));
}

/** Counts a new string of this length. @throws ScriptFault: it is too long, or the script has used its memory */
export function spendText(length: number): void {
  checkLength(length);
  spendBytes(length);
}

function checkLength(length: number): void {
  if (length > MAX_TEXT) throw new ScriptFault('illegal_argument_exception', `a string may have at most ${MAX_TEXT} characters`);
}

/** A value that contains itself, or is nested as if it did. */
export function selfReference(): ScriptFault {
  return new ScriptFault('illegal_argument_exception', 'Iterable object is self-referencing itself');
}

/** Initial value of a variable declared without one. */
export function defaultOf(type: string): Value {
  if (type === 'boolean') return false;
  if (type === 'char') return new Char(0);
  if (type === 'long') return 0n;
  return ['int', 'short', 'byte', 'float', 'double'].includes(type) ? 0 : null;
}

/** The number of a numeric value or char; null for other values. */
export function numeric(value: Value): number | bigint | null {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Double) return value.value;
  return value instanceof Char ? value.code : null;
}

/** True for a double and for a fractional number of the host. */
export function isFloating(value: Value): boolean {
  return value instanceof Double || (typeof value === 'number' && !Number.isInteger(value));
}

/** `==` of Painless: equals() for objects, by value after numeric promotion for numbers and chars. */
export function same(left: Value, right: Value, depth = 0): boolean {
  const a = numeric(left);
  const b = numeric(right);
  // biome-ignore lint/suspicious/noDoubleEquals: long and int compare by value
  if (a !== null && b !== null) return a == b;
  if (left === right) return true;
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
  if (depth > MAX_VALUE_DEPTH) throw selfReference();
  spendSteps(left.length);
  return left.every((item, i) => same(item, right[i], depth + 1));
}
