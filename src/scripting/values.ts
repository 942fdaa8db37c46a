// Types, string forms, numeric values and equality of a script's values, as in Java.
import { Char, Double, type HostObject, type Value } from './syntax-tree.ts';

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

/** String form of a value, as Java concatenates it. */
export function textOf(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (value instanceof Map) return `{${[...value].map(([key, item]) => `${key}=${textOf(item)}`).join(', ')}}`;
  if (isHostObject(value)) return String(value.call?.('toString', []) ?? '[object]');
  return String(value);
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
export function same(left: Value, right: Value): boolean {
  const a = numeric(left);
  const b = numeric(right);
  // biome-ignore lint/suspicious/noDoubleEquals: long and int compare by value
  if (a !== null && b !== null) return a == b;
  if (Array.isArray(left) && Array.isArray(right)) return left.length === right.length && left.every((item, i) => same(item, right[i]));
  return left === right;
}
