// Which conversions between types are allowed, and the type that two operands are promoted to.
//   implicit   assignments, arguments        widening of primitives, boxing to def, upcasts
//   explicit   (type) x                      narrowing, downcasts that are checked at run time
//   internal   arguments, results            boxing to Object and Number, unboxing
import {
  BOOLEAN,
  BYTE,
  CHAR,
  type ClassInfo,
  classNamed,
  DEF,
  DOUBLE,
  FLOAT,
  INT,
  LONG,
  SHORT,
  type Type,
  VOID,
} from '../java/class-info.ts';

/** Widening order; char and short, byte are not ordered among each other. */
const RANK: Readonly<Record<string, number>> = { byte: 1, short: 2, char: 2, int: 3, long: 4, float: 5, double: 6 };
const BOXED: Readonly<Record<string, string>> = {
  boolean: 'java.lang.Boolean',
  byte: 'java.lang.Byte',
  short: 'java.lang.Short',
  char: 'java.lang.Character',
  int: 'java.lang.Integer',
  long: 'java.lang.Long',
  float: 'java.lang.Float',
  double: 'java.lang.Double',
};
const UNBOXED: ReadonlyMap<string, Type> = new Map(
  [BOOLEAN, BYTE, SHORT, CHAR, INT, LONG, FLOAT, DOUBLE].map((type) => [BOXED[type.name], type]),
);

export const OBJECT = 'java.lang.Object';
export const STRING = 'java.lang.String';

export function boxedName(type: Type): string {
  return BOXED[type.name];
}

/** The primitive that a boxed type holds; null for other types. */
export function unboxed(type: Type): Type | null {
  return UNBOXED.get(type.name) ?? null;
}

function isNumericPrimitive(type: Type): boolean {
  return type.primitive !== null && type.primitive in RANK;
}

export function infoNamed(name: string): ClassInfo {
  const info = classNamed(name);
  if (!info) throw new Error(`the class ${name} is not defined`);
  return info;
}

/** True if every value of `from` is one of `to`: both are classes or arrays. */
export function isAssignable(to: Type, from: Type): boolean {
  if (to === from) return true;
  if (to.primitive || from.primitive) return false;
  if (to.isDef || from.isDef || to.name === OBJECT) return true;
  if (to.element && from.element) return !to.element.primitive && !from.element.primitive && isAssignable(to.element, from.element);
  return to.info !== null && (from.info?.isA(to.info) ?? false);
}

function isWidening(from: Type, to: Type): boolean {
  if (from === to) return true;
  if (!isNumericPrimitive(from) || !isNumericPrimitive(to) || to === CHAR) return false;
  if (from === CHAR) return RANK[to.name] >= 3;
  return RANK[from.name] < RANK[to.name];
}

/** True if a value may be converted. */
export function isLegal(from: Type, to: Type, explicit: boolean, internal: boolean): boolean {
  if (from === to) return true;
  if (from === VOID || to === VOID) return false;
  if (from.isDef || to.isDef) return true;
  if (from.primitive) return isLegalOfPrimitive(from, to, explicit, internal);
  if (to.primitive) return isLegalToPrimitive(from, to, explicit, internal);
  if (from.name === STRING && to.name === BOXED.char) return explicit && internal;
  return isAssignable(to, from) || (explicit && isAssignable(from, to));
}

function isLegalOfPrimitive(from: Type, to: Type, explicit: boolean, internal: boolean): boolean {
  if (to.primitive) return isWidening(from, to) || (explicit && isNumericPrimitive(from) && isNumericPrimitive(to));
  if (from === CHAR && to.name === STRING) return true;
  if (!internal) return false;
  if (to.name === OBJECT) return true;
  if (to.name === 'java.lang.Number') return isNumericPrimitive(from);
  const target = unboxed(to);
  return target !== null && (isWidening(from, target) || (explicit && isNumericPrimitive(from) && isNumericPrimitive(target)));
}

function isLegalToPrimitive(from: Type, to: Type, explicit: boolean, internal: boolean): boolean {
  if (from.name === STRING) return to === CHAR && explicit;
  if (!internal) return false;
  if (from.name === OBJECT) return explicit;
  if (from.name === 'java.lang.Number') return explicit && to !== BOOLEAN;
  const source = unboxed(from);
  return source !== null && (isWidening(source, to) || (explicit && isNumericPrimitive(source) && isNumericPrimitive(to)));
}

/** The type of `-x`, `~x` and shifts. @param decimal  float and double are allowed @returns null: not a number */
export function promoteUnary(type: Type, decimal: boolean): Type | null {
  if (type.isDef) return DEF;
  if (decimal && (type === DOUBLE || type === FLOAT)) return type;
  if (type === LONG) return LONG;
  return type === INT || type === SHORT || type === BYTE || type === CHAR ? INT : null;
}

/** The type of arithmetic on two operands. As in Painless it is decided by the operand that is a number, if only one is. */
export function promoteNumeric(a: Type, b: Type, decimal: boolean): Type | null {
  if (a.isDef || b.isDef) return DEF;
  const has = (type: Type): boolean => a === type || b === type;
  if (decimal && has(DOUBLE)) return DOUBLE;
  if (decimal && has(FLOAT)) return FLOAT;
  if (has(LONG)) return LONG;
  return has(INT) || has(SHORT) || has(BYTE) || has(CHAR) ? INT : null;
}

export function promoteAdd(a: Type, b: Type): Type | null {
  return a.name === STRING || b.name === STRING ? infoNamed(STRING).type : promoteNumeric(a, b, true);
}

export function promoteXor(a: Type, b: Type): Type | null {
  if (a.isDef || b.isDef) return DEF;
  return a === BOOLEAN || b === BOOLEAN ? BOOLEAN : promoteNumeric(a, b, false);
}

export function promoteEquality(a: Type, b: Type): Type | null {
  if (a.isDef || b.isDef) return DEF;
  if (a.primitive && b.primitive) return a === BOOLEAN && b === BOOLEAN ? BOOLEAN : promoteNumeric(a, b, true);
  return infoNamed(OBJECT).type;
}

/** The type of `c ? a : b`. */
export function promoteConditional(a: Type, b: Type): Type | null {
  if (a === b) return a;
  if (a.isDef || b.isDef) return DEF;
  if (a.primitive && b.primitive) {
    if (a === BOOLEAN || b === BOOLEAN) return infoNamed(OBJECT).type;
    return promoteNumeric(a, b, true);
  }
  if (isAssignable(a, b)) return a;
  if (isAssignable(b, a)) return b;
  if (a.info && b.info) for (const ancestor of a.info.ancestors) if (b.info.isA(ancestor)) return ancestor.type;
  return infoNamed(OBJECT).type;
}
