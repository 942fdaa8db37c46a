// Operators: arithmetic, comparisons, logic, conditions, casts.
import { BOOLEAN, DEF, DOUBLE, FLOAT, INT, LONG, type Type } from '../java/class-info.ts';
import { arithmetic, compareNumbers } from '../runtime/numbers.ts';
import type { Expression } from '../syntax/tree.ts';
import {
  infoNamed,
  OBJECT,
  promoteAdd,
  promoteConditional,
  promoteEquality,
  promoteNumeric,
  promoteUnary,
  promoteXor,
  STRING,
} from './casts.ts';
import { asDef, constantOf, conversion, converted, foldedCast } from './convert.ts';
import { checkRead, decimalLiteral, numberLiteral } from './literals.ts';
import type { Scope } from './scope.ts';
import type { Checked, Unit, Use } from './unit.ts';

type Node<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

const NAMES: Readonly<Record<string, string>> = {
  '*': 'multiplication',
  '/': 'division',
  '%': 'remainder',
  '+': 'addition',
  '-': 'subtraction',
  '=~': 'find',
  '==~': 'match',
  '<<': 'left shift',
  '>>': 'right shift',
  '>>>': 'unsigned shift',
  '!': 'not',
  '~': 'bitwise not',
  '&': 'bitwise and',
  '^': 'bitwise xor',
  '|': 'bitwise or',
  '&&': 'boolean and',
  '||': 'boolean or',
  '<': 'less than',
  '<=': 'less than or equals',
  '>': 'greater than',
  '>=': 'greater than or equals',
  '==': 'equals',
  '===': 'reference equals',
  '!=': 'not equals',
  '!==': 'reference not equals',
};
/** Functions of ../runtime/ that carry out operators on def. */
const DEF_OPERATORS: Readonly<Record<string, string>> = {
  '*': 'mul',
  '/': 'div',
  '%': 'rem',
  '+': 'add',
  '-': 'sub',
  '<<': 'lsh',
  '>>': 'rsh',
  '>>>': 'ush',
  '&': 'and',
  '^': 'xor',
  '|': 'or',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  '==': 'eq',
  '!=': 'ne',
};

function checkOperator(unit: Unit, at: number, op: string, use: Use): void {
  const what = `${NAMES[op]} operation [${op}]`;
  checkRead(unit, at, use, what, `not a statement: result not used from ${what}`);
}

/** Checks an expression and converts it. */
export function expected(unit: Unit, scope: Scope, node: Expression, target: Type, use: Use = {}): string {
  const wanted = { ...use, target };
  return converted(unit, node.at, unit.expression(unit, scope, node, wanted), target, wanted);
}

export function unary(unit: Unit, scope: Scope, node: Node<'unary'>, use: Use): Checked {
  const { op, operand, at } = node;
  checkOperator(unit, at, op, use);
  if (op === '-' && operand.kind === 'number') return numberLiteral(unit, operand, { ...use, read: true }, true);
  if (op === '-' && operand.kind === 'decimal') return decimalLiteral(unit, operand, { ...use, read: true }, true);
  if (op === '!') {
    const value = unit.expression(unit, scope, operand, { target: BOOLEAN });
    const js = converted(unit, operand.at, value, BOOLEAN);
    return typeof value.constant === 'boolean' ? constantOf(BOOLEAN, !value.constant) : { type: BOOLEAN, js: `!${js}` };
  }
  const value = unit.expression(unit, scope, operand, {});
  const type = promoteUnary(value.type, op !== '~');
  if (!type) throw unit.castError(at, `cannot apply the ${NAMES[op]} operator [${op}] to the type [${value.type.name}]`);
  const js = converted(unit, operand.at, value, type);
  if (type.isDef) return { type, js: `(p=${at},${unit.call(op === '-' ? 'negate' : op === '~' ? 'invert' : 'plus', js)})` };
  if (op === '+') return { ...value, type, js };
  if (op === '~') return { type, js: type === LONG ? `(~${js})` : `(~${js})` };
  if (type === INT) return { type, js: `(-${js}|0)` };
  return { type, js: type === LONG ? `BigInt.asIntN(64,-${js})` : `(-${js})` };
}

/** The type that an arithmetic operator computes with; null if it does not apply. */
export function operatorType(op: string, left: Type, right: Type): Type | null {
  switch (op) {
    case '+':
      return promoteAdd(left, right);
    case '-':
    case '*':
    case '/':
    case '%':
      return promoteNumeric(left, right, true);
    case '^':
      return promoteXor(left, right);
    case '<<':
    case '>>':
    case '>>>':
      return promoteUnary(right, false) ? promoteUnary(left, false) : null;
    default:
      return promoteNumeric(left, right, false);
  }
}

const isShift = (op: string): boolean => op === '<<' || op === '>>' || op === '>>>';

export function binary(unit: Unit, scope: Scope, node: Node<'binary'>, use: Use): Checked {
  const { op, at } = node;
  checkOperator(unit, at, op, use);
  const left = unit.expression(unit, scope, node.left, {});
  const right = unit.expression(unit, scope, node.right, {});
  if (op === '=~' || op === '==~') {
    const text = converted(unit, node.left.at, left, infoNamed(STRING).type);
    const pattern = converted(unit, node.right.at, right, infoNamed('java.util.regex.Pattern').type);
    return { type: BOOLEAN, js: `(p=${at},${unit.call(op === '=~' ? 'find' : 'matches', text, pattern)})` };
  }
  const type = operatorType(op, left.type, right.type);
  if (!type)
    throw unit.castError(at, `cannot apply the ${NAMES[op]} operator [${op}] to the types [${left.type.name}] and [${right.type.name}]`);
  return applied(unit, op, type, { left, right, at, leftAt: node.left.at, rightAt: node.right.at });
}

interface Operands {
  readonly left: Checked;
  readonly right: Checked;
  readonly at: number;
  readonly leftAt: number;
  readonly rightAt: number;
}

/** The operator on two operands, with numbers of type `type`. */
export function applied(unit: Unit, op: string, type: Type, operands: Operands): Checked {
  const { left, right, at, leftAt, rightAt } = operands;
  if (type.name === STRING) return concatenated(unit, left, right, at);
  if (type.isDef || (isShift(op) && right.type.isDef)) {
    const a = asDef(unit, left, leftAt);
    const b = asDef(unit, right, rightAt);
    return { type: DEF, js: `(p=${at},${defOperation(unit, op, left, right, a, b)})` };
  }
  const a = converted(unit, leftAt, left, type);
  const b = isShift(op) ? converted(unit, rightAt, right, INT, { explicit: true }) : converted(unit, rightAt, right, type);
  if (left.constant !== undefined && right.constant !== undefined) {
    const folded = unit.fold(at, () => arithmetic(op, type.name, left.constant, right.constant));
    if (folded !== null) return constantOf(type, folded);
  }
  const js = arithmeticJs(unit, op, type, a, b);
  return { type, js: `(p=${at},${js})` };
}

function arithmeticJs(unit: Unit, op: string, type: Type, a: string, b: string): string {
  if (type === BOOLEAN) return `(${a}!==${b})`;
  if (type === DOUBLE) return `(${a}${op}${b})`;
  if (type === FLOAT) return `Math.fround(${a}${op}${b})`;
  if (type === LONG) {
    if (op === '/' || op === '%') return unit.call(op === '/' ? 'divLong' : 'remLong', a, b);
    if (op === '>>>') return unit.call('ushLong', a, b);
    if (isShift(op)) return `BigInt.asIntN(64,${a}${op}BigInt(${b}&63))`;
    return '&|^'.includes(op) ? `(${a}${op}${b})` : `BigInt.asIntN(64,${a}${op}${b})`;
  }
  if (op === '*') return `Math.imul(${a},${b})`;
  if (op === '/' || op === '%') return unit.call(op === '/' ? 'divInt' : 'remInt', a, b);
  return op === '>>>' ? `(${a}>>>${b}|0)` : '+-'.includes(op) ? `(${a}${op}${b}|0)` : `(${a}${op}${b})`;
}

/** An operand of a concatenation as a string. */
function textJs(unit: Unit, { js, type, constant }: Checked): string {
  if (typeof constant === 'string') return js;
  if (type.primitive === 'char') return `String.fromCharCode(${js})`;
  if (type.primitive === 'double') return unit.call('doubleText', js);
  if (type.primitive === 'float') return unit.call('floatText', js);
  if (type.primitive) return `String(${js})`;
  return unit.call('textOf', js);
}

function concatenated(unit: Unit, left: Checked, right: Checked, at: number): Checked {
  const type = infoNamed(STRING).type;
  if (typeof left.constant === 'string' && typeof right.constant === 'string') return constantOf(type, left.constant + right.constant);
  return { type, js: `(p=${at},${unit.call('concat', textJs(unit, left), textJs(unit, right))})` };
}

export function compare(unit: Unit, scope: Scope, node: Node<'compare'>, use: Use): Checked {
  const { op, at } = node;
  checkOperator(unit, at, op, use);
  const left = unit.expression(unit, scope, node.left, {});
  const right = unit.expression(unit, scope, node.right, {});
  const isEquality = op[0] === '=' || op[0] === '!';
  const type = isEquality ? promoteEquality(left.type, right.type) : promoteNumeric(left.type, right.type, true);
  if (!type)
    throw unit.castError(at, `cannot apply the ${NAMES[op]} operator [${op}] to the types [${left.type.name}] and [${right.type.name}]`);
  if (isEquality && node.left.kind === 'null' && node.right.kind === 'null')
    throw unit.error(at, 'extraneous comparison of [null] constants');
  if (type.isDef) return { type: BOOLEAN, js: defComparison(unit, op, left, right, at) };
  const a = converted(unit, node.left.at, left, type);
  const b = converted(unit, node.right.at, right, type);
  if (type.primitive) {
    if (left.constant !== undefined && right.constant !== undefined)
      return constantOf(BOOLEAN, compareNumbers(op.slice(0, 2), left.constant, right.constant));
    return { type: BOOLEAN, js: `(${a}${op === '==' ? '===' : op === '!=' ? '!==' : op}${b})` };
  }
  return { type: BOOLEAN, js: referenceComparison(unit, op, a, b, node, at) };
}

function referenceComparison(unit: Unit, op: string, a: string, b: string, node: Node<'compare'>, at: number): string {
  const isNull = node.left.kind === 'null' || node.right.kind === 'null';
  if (op.length === 3 || isNull) return `(${a}${op[0]}==${b})`;
  return `(p=${at},${op === '!=' ? '!' : ''}${unit.call('equal', a, b)})`;
}

function defComparison(unit: Unit, op: string, left: Checked, right: Checked, at: number): string {
  const a = asDef(unit, left, at);
  const b = asDef(unit, right, at);
  if (op.length === 3) return `(${a}${op}${b})`;
  if ((op === '==' || op === '!=') && (a === 'null' || b === 'null')) return `(${a}${op}=${b})`;
  return `(p=${at},${defOperation(unit, op, left, right, a, b)})`;
}

/** An operator on def; a boolean that is known to be one is refused next to a number. */
function defOperation(unit: Unit, op: string, left: Checked, right: Checked, a: string, b: string): string {
  if (left.type !== BOOLEAN && right.type !== BOOLEAN) return unit.call(DEF_OPERATORS[op], a, b);
  unit.helpers.add(DEF_OPERATORS[op]);
  return unit.call('withBoolean', JSON.stringify(op), DEF_OPERATORS[op], a, b);
}

export function logical(unit: Unit, scope: Scope, node: Node<'logical'>, use: Use): Checked {
  checkOperator(unit, node.at, node.op, use);
  const left = expected(unit, scope, node.left, BOOLEAN);
  const right = expected(unit, scope, node.right, BOOLEAN);
  return { type: BOOLEAN, js: `(${left}${node.op}${right})` };
}

export function instanceOf(unit: Unit, scope: Scope, node: Node<'instanceof'>, use: Use): Checked {
  const what = `instanceof with target type [${node.type}]`;
  checkRead(unit, node.at, use, what, `not a statement: result not used from ${what}`);
  const type = unit.type(node.type);
  if (!type) throw unit.error(node.at, `Not a type [${node.type}].`);
  const value = unit.expression(unit, scope, node.operand, {});
  const object = conversion(unit, value.js, value.type, DEF, false, node.operand.at);
  if (type.isDef) return { type: BOOLEAN, js: `(${object},true)` };
  const name = type.primitive ? infoNamed(OBJECT) : type.info;
  if (type.primitive) return { type: BOOLEAN, js: `(${object},${value.type === type})` };
  if (name) return { type: BOOLEAN, js: unit.call('isInstance', object, unit.constant(name)) };
  return { type: BOOLEAN, js: unit.call('isArray', object, JSON.stringify(type.element?.name)) };
}

export function conditional(unit: Unit, scope: Scope, node: Node<'conditional'>, use: Use): Checked {
  checkRead(unit, node.at, use, 'conditional operation [?:]', 'not a statement: result not used from conditional operation [?:]');
  const test = expected(unit, scope, node.test, BOOLEAN);
  const then = unit.expression(unit, scope, node.then, use);
  const other = unit.expression(unit, scope, node.else, use);
  const type = use.target ?? promoteConditional(then.type, other.type);
  if (!type)
    throw unit.castError(node.at, `cannot apply the conditional operator [?:] to the types [${then.type.name}] and [${other.type.name}]`);
  const a = converted(unit, node.then.at, then, type, use);
  const b = converted(unit, node.else.at, other, type, use);
  return { type, js: `(${test}?${a}:${b})` };
}

const CONSTANTS = new Set(['boolean', 'number', 'decimal', 'string']);

export function elvis(unit: Unit, scope: Scope, node: Node<'elvis'>, use: Use): Checked {
  const { at } = node;
  checkRead(unit, at, use, 'elvis operation [?:]', 'not a statement: result not used from elvis operation [?:]');
  if (use.target?.primitive) throw unit.error(at, 'Elvis operator cannot return primitives');
  const left = unit.expression(unit, scope, node.left, use);
  const right = unit.expression(unit, scope, node.right, use);
  if (node.left.kind === 'null') throw unit.error(at, 'Extraneous elvis operator. LHS is null.');
  if (CONSTANTS.has(node.left.kind)) throw unit.error(at, 'Extraneous elvis operator. LHS is a constant.');
  if (left.type.primitive) throw unit.error(at, 'Extraneous elvis operator. LHS is a primitive.');
  if (node.right.kind === 'null') throw unit.error(at, 'Extraneous elvis operator. RHS is null.');
  const type = use.target ?? promoteConditional(left.type, right.type) ?? DEF;
  const a = converted(unit, node.left.at, left, type, use);
  const b = converted(unit, node.right.at, right, type, use);
  return { type, js: `(${a}??${b})` };
}

export function cast(unit: Unit, scope: Scope, node: Node<'cast'>, use: Use): Checked {
  const what = `an explicit cast with target type [${node.type}]`;
  const unused = `not a statement: result not used from explicit cast with target type [${node.type}]`;
  checkRead(unit, node.at, use, what, unused);
  const type = unit.type(node.type);
  if (!type) throw unit.error(node.at, `cannot resolve type [${node.type}]`);
  const value = unit.expression(unit, scope, node.operand, { target: type, explicit: true });
  const js = converted(unit, node.operand.at, value, type, { explicit: true });
  if (value.constant !== undefined && value.type === type) return { ...value, js };
  const folded = foldedCast(value.constant, value.type, type);
  return folded === null ? { type, js } : constantOf(type, folded);
}
