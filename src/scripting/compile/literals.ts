// Literals: numbers, strings, regular expressions, lists and maps.
import type { ApiError } from '../../errors/api-error.ts';
import { JavaPattern } from '../../regex/java-pattern.ts';
import { FLAG } from '../../regex/syntax.ts';
import { BOOLEAN, BYTE, CHAR, DEF, DOUBLE, FLOAT, INT, LONG, SHORT } from '../java/class-info.ts';
import { scriptError } from '../syntax/script-error.ts';
import type { Expression } from '../syntax/tree.ts';
import { infoNamed, OBJECT, STRING } from './casts.ts';
import { constantOf, converted } from './convert.ts';
import type { Scope } from './scope.ts';
import type { Checked, Unit, Use } from './unit.ts';

type Node<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

/** Refuses an expression as the target of an assignment or as a statement. */
export function checkRead(unit: Unit, at: number, use: Use, what: string, unused = `not a statement: ${what} not used`): void {
  if (use.write) throw unit.error(at, `invalid assignment: cannot assign a value to ${what}`);
  if (use.read === false) throw unit.error(at, unused);
}

/** @param isNegative  the number follows a minus */
export function numberLiteral(unit: Unit, node: Node<'number'>, use: Use, isNegative = false): Checked {
  const text = isNegative ? `-${node.text}` : node.text;
  checkRead(unit, node.at, use, `numeric constant [${text}]`);
  const { radix, at } = node;
  const suffix = radix === 10 ? text.at(-1)?.toLowerCase() : /[lL]$/.test(text) ? 'l' : '';
  const digits = text.slice(0, -1);
  if (suffix === 'd') return constantOf(DOUBLE, Number(digits));
  if (suffix === 'f') return constantOf(FLOAT, Math.fround(Number(digits)));
  if (radix !== 10 && /[dDfF]$/.test(text) && radix === 16) throw unit.error(at, 'Illegal tree structure.', 'illegal_state_exception');
  const whole = integerOf(suffix === 'l' ? digits : text, radix);
  if (suffix === 'l') {
    if (whole === null || BigInt.asIntN(64, whole) !== whole) throw unit.error(at, `Invalid long constant [${text}].`);
    return constantOf(LONG, whole);
  }
  if (whole === null || BigInt.asIntN(32, whole) !== whole) {
    const isLong = whole !== null && BigInt.asIntN(64, whole) === whole;
    throw unit.error(at, `Invalid int constant [${text}].${isLong ? ` If you want a long constant then change it to [${text}L].` : ''}`);
  }
  const value = Number(whole);
  if (use.target === BYTE && value >= -128 && value <= 127) return constantOf(BYTE, value);
  if (use.target === CHAR && value >= 0 && value <= 0xffff) return constantOf(CHAR, value);
  if (use.target === SHORT && value >= -0x8000 && value <= 0x7fff) return constantOf(SHORT, value);
  return constantOf(INT, value);
}

function integerOf(text: string, radix: number): bigint | null {
  const isNegative = text.startsWith('-');
  const digits = isNegative ? text.slice(1) : text;
  try {
    const value = BigInt((radix === 16 ? '0x' : radix === 8 ? '0o' : '') + digits);
    return isNegative ? -value : value;
  } catch {
    return null;
  }
}

export function decimalLiteral(unit: Unit, node: Node<'decimal'>, use: Use, isNegative = false): Checked {
  const text = isNegative ? `-${node.text}` : node.text;
  checkRead(unit, node.at, use, `decimal constant [${text}]`);
  const value = Number(text.replace(/[fFdD]$/, ''));
  if (!/[fF]$/.test(text)) return constantOf(DOUBLE, value);
  return constantOf(FLOAT, Math.fround(value));
}

export function booleanLiteral(unit: Unit, { value, at }: Node<'boolean'>, use: Use): Checked {
  checkRead(unit, at, use, `boolean constant [${value}]`);
  return constantOf(BOOLEAN, value);
}

export function stringLiteral(unit: Unit, { value, at }: Node<'string'>, use: Use): Checked {
  checkRead(unit, at, use, `string constant [${value}]`);
  return constantOf(infoNamed(STRING).type, value);
}

export function nullLiteral(unit: Unit, { at }: Node<'null'>, use: Use): Checked {
  checkRead(unit, at, use, 'null constant');
  if (use.target?.primitive) throw unit.error(at, `Cannot cast null to a primitive type [${use.target.name}].`);
  return { type: use.target ?? infoNamed(OBJECT).type, js: 'null' };
}

const FLAGS: Readonly<Record<string, number>> = {
  c: FLAG.CANON_EQ,
  i: FLAG.CASE_INSENSITIVE,
  l: FLAG.LITERAL,
  m: FLAG.MULTILINE,
  s: FLAG.DOTALL,
  U: FLAG.UNICODE_CHARACTER_CLASS | FLAG.UNICODE_CASE,
  u: FLAG.UNICODE_CASE,
  x: FLAG.COMMENTS,
};

export function regexLiteral(unit: Unit, { pattern, flags, at }: Node<'regex'>, use: Use): Checked {
  checkRead(unit, at, use, `regex constant [${pattern}] with flags [${flags}]`);
  let bits = 0;
  for (const flag of flags) bits |= FLAGS[flag];
  try {
    return { type: infoNamed('java.util.regex.Pattern').type, js: unit.constant(new JavaPattern(pattern, bits)) };
  } catch (error) {
    const cause = error as ApiError;
    const index = Number(/near index (\d+)/.exec(cause.message)?.[1] ?? 0);
    const reason = `invalid regular expression: could not compile regex constant [${pattern}] with flags [${flags}]`;
    throw scriptError(unit.source, at + 1 + index, reason, undefined, cause);
  }
}

export function listLiteral(unit: Unit, scope: Scope, { items, at }: Node<'list'>, use: Use): Checked {
  checkRead(unit, at, use, 'list initializer', 'not a statement: result not used from list initializer');
  const values = items.map((item) => defValue(unit, scope, item));
  return { type: infoNamed('java.util.ArrayList').type, js: `(p=${at},${unit.call('newList', `[${values.join(',')}]`)})` };
}

export function mapLiteral(unit: Unit, scope: Scope, { entries, at }: Node<'map'>, use: Use): Checked {
  checkRead(unit, at, use, 'map initializer', 'not a statement: result not used from map initializer');
  const parts = entries.flatMap(({ key, value }) => [defValue(unit, scope, key), defValue(unit, scope, value)]);
  return { type: infoNamed('java.util.HashMap').type, js: `(p=${at},${unit.call('newMap', `[${parts.join(',')}]`)})` };
}

function defValue(unit: Unit, scope: Scope, node: Expression): string {
  const use = { target: DEF, internal: true };
  return converted(unit, node.at, unit.expression(unit, scope, node, use), DEF, use);
}
