// Assignments, with and without an operator, and the places that they write to.
import { DEF, VOID } from '../java/class-info.ts';
import type { Expression } from '../syntax/tree.ts';
import { isLegal } from './casts.ts';
import { conversion, converted } from './convert.ts';
import { bracePlace, dotPlace, type Place } from './members.ts';
import { applied, operatorType } from './operators.ts';
import type { Scope } from './scope.ts';
import type { Checked, Unit, Use } from './unit.ts';

type Node<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

export function symbol(unit: Unit, scope: Scope, { name, at }: Node<'symbol'>, use: Use): Checked {
  const type = unit.type(name);
  if (type) {
    if (use.write) throw unit.error(at, `invalid assignment: cannot write a value to a static type [${type.name}]`);
    if (use.read === false) throw unit.error(at, `not a statement: static type [${type.name}] not used`);
    return { type, js: '', isStatic: true };
  }
  const variable = unit.variable(scope, name);
  if (!variable) return { type: DEF, js: '', partial: name };
  if (use.read === false && !use.write) throw unit.error(at, `not a statement: variable [${name}] not used`);
  return { type: variable.type, js: variable.js };
}

export function dot(unit: Unit, scope: Scope, node: Node<'dot'>, use: Use): Checked {
  const place = dotPlace(unit, scope, node, use, false);
  if ('named' in place) return place.named;
  return place.constant ?? { type: place.type, js: place.load };
}

export function brace(unit: Unit, scope: Scope, node: Node<'brace'>, use: Use): Checked {
  const { type, load } = bracePlace(unit, scope, node, use, false);
  return { type, js: load };
}

function placeOf(unit: Unit, scope: Scope, target: Expression, use: Use, isKept: boolean): Place {
  const written = { ...use, target: undefined, write: true };
  if (target.kind === 'brace') return bracePlace(unit, scope, target, written, isKept);
  if (target.kind === 'dot') {
    const place = dotPlace(unit, scope, target, written, isKept);
    if ('named' in place) throw unit.error(target.at, `cannot resolve symbol [${place.named.partial ?? ''}]`);
    return place;
  }
  // Other expressions report that they cannot be assigned to.
  const { type, js } = unit.expression(unit, scope, target, written);
  if (target.kind !== 'symbol') throw unit.error(target.at, 'invalid assignment');
  const variable = unit.variable(scope, target.name);
  if (variable?.isFinal) throw unit.error(target.at, `Variable [${target.name}] is read-only.`);
  return { type, setup: '', load: js, store: (value) => `(${js}=${value})`, isDynamic: false };
}

export function assign(unit: Unit, scope: Scope, node: Node<'assign'>, use: Use): Checked {
  const isRead = use.read !== false;
  const { op, value: right } = node;
  const place = placeOf(unit, scope, node.target, { read: op !== null || isRead }, op !== null);
  const store = place.store ?? ((js: string) => js);
  if (op !== null) return compound(unit, scope, node, place, store, isRead);
  if (place.isDynamic) {
    const value = unit.expression(unit, scope, right, {});
    if (value.type === VOID) throw unit.error(node.at, 'invalid assignment: cannot assign type [void]');
    return { type: isRead ? DEF : VOID, js: store(converted(unit, right.at, value, DEF)) };
  }
  const value = unit.expression(unit, scope, right, { target: place.type });
  return { type: isRead ? place.type : VOID, js: store(converted(unit, right.at, value, place.type)) };
}

function compound(
  unit: Unit,
  scope: Scope,
  { op, value: right, post, at, target }: Node<'assign'>,
  place: Place,
  store: (js: string) => string,
  isRead: boolean,
): Checked {
  const operator = String(op);
  const value = unit.expression(unit, scope, right, {});
  const type = operatorType(operator, place.type, value.type);
  if (!type)
    throw unit.castError(
      at,
      `invalid compound assignment: cannot apply [${operator}=] to types [${place.type.name}] and [${value.type.name}]`,
    );
  for (const [from, to, explicit] of [
    [place.type, type, false],
    [type, place.type, true],
  ] as const)
    if (!isLegal(from, to, explicit, false)) throw unit.castError(at, `Cannot cast from [${from.name}] to [${to.name}].`);
  const before = post && isRead ? unit.newTemporary() : null;
  const old = before ?? place.load;
  const left = { type: place.type, js: old };
  const result = applied(unit, operator, type, { left, right: value, at, leftAt: target.at, rightAt: right.at });
  const back =
    place.type.isDef && result.type.isDef
      ? unit.call('likeBefore', old, result.js)
      : conversion(unit, result.js, result.type, place.type, true, at);
  const assigned = store(back);
  const js = before ? `(${place.setup}${before}=${place.load},${assigned},${before})` : `(${place.setup}${assigned})`;
  return { type: isRead ? place.type : VOID, js };
}
