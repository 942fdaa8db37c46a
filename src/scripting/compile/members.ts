// Members: fields, shortcuts of getters, elements of lists, maps and arrays. Reading and assigning share how a place is found.
import { DEF, INT, type Method, type Type } from '../java/class-info.ts';
import { AccessSite } from '../runtime/dynamic.ts';
import { unplacedError } from '../syntax/script-error.ts';
import type { Expression } from '../syntax/tree.ts';
import { boxedName, infoNamed } from './casts.ts';
import { constantOf, converted } from './convert.ts';
import type { Scope } from './scope.ts';
import { type Checked, literal, type Unit, type Use } from './unit.ts';

type Node<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

/** Something that can be read and assigned. */
export interface Place {
  readonly type: Type;
  /** Assigns to variables what `load` and `store` refer to; empty if they can be evaluated directly. */
  readonly setup: string;
  readonly load: string;
  /** null: the place is read-only, which has been reported if it is written to. */
  readonly store: ((value: string) => string) | null;
  /** An element or member of a def, which takes the type of what is stored. */
  readonly isDynamic: boolean;
  readonly constant?: Checked;
}

/** The name of the member as part of a getter's name. */
const capitalized = (name: string): string => name[0].toUpperCase() + name.slice(1);

/** Keeps values that several parts of an expression refer to, if it is assigned to with an operator. */
class Parts {
  readonly #unit: Unit;
  readonly #isKept: boolean;
  setup = '';

  constructor(unit: Unit, isKept: boolean) {
    this.#unit = unit;
    this.#isKept = isKept;
  }

  keep(js: string): string {
    if (!this.#isKept) return js;
    const variable = this.#unit.newTemporary();
    this.setup += `${variable}=${js},`;
    return variable;
  }
}

/** @param isKept  the place is read and assigned to */
export function dotPlace(unit: Unit, scope: Scope, node: Node<'dot'>, use: Use, isKept: boolean): Place | { readonly named: Checked } {
  const { name, at } = node;
  if (use.read === false && !use.write) throw unit.error(at, 'not a statement: result of dot operator [.] not used');
  const prefix = unit.typeOrExpression(unit, scope, node.object, {});
  if (prefix.partial !== undefined) return { named: named(unit, node, `${prefix.partial}.${name}`, use) };
  const { type } = prefix;
  const parts = new Parts(unit, isKept || node.nullSafe);
  const found = type.element
    ? arrayLength(unit, type, prefix, node, use)
    : type.isDef
      ? dynamicMember(unit, prefix, node, parts)
      : classMember(unit, prefix, node, use, parts);
  if (!node.nullSafe) return found;
  if (use.write) throw unit.error(at, 'invalid assignment: cannot assign a value to a null safe operation [?.]');
  if (found.type.primitive) throw unplacedError(unit.source, 'Result of null safe operator must be nullable');
  return { ...found, setup: '', load: nullSafe(parts.setup, found.load) };
}

/** `(v=object)==null?null:load` for `v=object,` and what loads from `v`. */
export function nullSafe(setup: string, load: string): string {
  return `((${setup.slice(0, -1)})==null?null:${load})`;
}

function named(unit: Unit, { at }: Node<'dot'>, name: string, use: Use): Checked {
  const type = unit.type(name);
  if (!type) return { type: DEF, js: '', partial: name };
  if (use.write) throw unit.error(at, `invalid assignment: cannot write a value to a static type [${type.name}]`);
  return { type, js: '', isStatic: true };
}

function arrayLength(unit: Unit, type: Type, { js }: Checked, { name, at }: Node<'dot'>, use: Use): Place {
  if (name !== 'length') throw unit.error(at, `Field [${name}] does not exist for type [${type.name}].`);
  if (use.write) throw unit.error(at, 'invalid assignment: cannot assign a value write to read-only field [length] for an array.');
  return { type: INT, setup: '', load: unit.call('lengthOf', ...placed(at, js)), store: null, isDynamic: false };
}

function dynamicMember(unit: Unit, prefix: Checked, { name, at }: Node<'dot'>, parts: Parts): Place {
  const object = parts.keep(prefix.js);
  const site = unit.constant(new AccessSite(name));
  return {
    type: DEF,
    setup: parts.setup,
    load: unit.call('loadMember', site, ...placed(at, object)),
    store: (value) => unit.call('storeMember', site, ...placed(at, object, value)),
    isDynamic: true,
  };
}

function classMember(unit: Unit, prefix: Checked, node: Node<'dot'>, use: Use, parts: Parts): Place {
  const { type } = prefix;
  const { name, at } = node;
  const info = type.info ?? (type.primitive && type.primitive !== 'void' ? infoNamed(boxedName(type)) : null);
  const field = prefix.isStatic && type.info ? type.info.fields.get(name) : undefined;
  if (field) {
    if (use.write) throw unit.error(at, `invalid assignment: cannot assign a value to read-only field [${name}]`);
    const { value } = field;
    const isPlain = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' || typeof value === 'string';
    const constant = isPlain ? constantOf(field.type, value) : { type: field.type, js: unit.constant(value) };
    return { type: field.type, setup: '', load: constant.js, store: null, isDynamic: false, constant };
  }
  if (type.info) {
    const methods = prefix.isStatic ? type.info.statics : null;
    const find = (method: string): Method | null =>
      methods ? (methods.get(`${method}/0`) ?? null) : (type.info?.method(method, 0) ?? null);
    const getter = find(`get${capitalized(name)}`) ?? find(`is${capitalized(name)}`);
    const setter = use.write && !methods ? type.info.method(`set${capitalized(name)}`, 1) : null;
    if (getter) {
      if (use.write && setter?.params[0] !== getter.returns)
        throw unit.error(at, `Illegal shortcut on field [${name}] for type [${type.name}].`);
      const object = methods ? [] : [parts.keep(prefix.js)];
      const load = invoked(unit, getter, object, at);
      const store = setter && ((value: string) => unit.call('stored', object[0], value, unit.constant(setter.run), `p=${at}`));
      return { type: getter.returns, setup: parts.setup, load, store, isDynamic: false };
    }
    if (!prefix.isStatic && info?.isA(infoNamed('java.util.Map'))) {
      const object = parts.keep(prefix.js);
      return element(unit, 'Map', object, JSON.stringify(name), at, parts);
    }
    if (!prefix.isStatic && info?.isA(infoNamed('java.util.List'))) {
      if (!/^\d+$/.test(name)) throw unit.listIndexError(at, name);
      return element(unit, 'List', parts.keep(prefix.js), name, at, parts);
    }
  }
  throw unit.error(at, `field [${type.name}, ${name}] not found`);
}

function element(unit: Unit, kind: 'Map' | 'List' | 'Array', object: string, index: string, at: number, parts: Parts, type = DEF): Place {
  return {
    type,
    setup: parts.setup,
    load: unit.call(`load${kind}`, ...placed(at, object, index)),
    store: (value) => unit.call(`store${kind}`, ...placed(at, object, index, value)),
    isDynamic: false,
  };
}

export function bracePlace(unit: Unit, scope: Scope, node: Node<'brace'>, use: Use, isKept: boolean): Place {
  const { at, index } = node;
  if (use.read === false && !use.write) throw unit.error(at, 'not a statement: result of brace operator not used');
  const prefix = unit.expression(unit, scope, node.object, {});
  const { type } = prefix;
  const parts = new Parts(unit, isKept);
  const indexOf = (target: Type): string => {
    const value = unit.expression(unit, scope, index, { target });
    return converted(unit, index.at, value, target);
  };
  if (type.element) {
    const object = parts.keep(prefix.js);
    return element(unit, 'Array', object, parts.keep(indexOf(INT)), at, parts, type.element);
  }
  if (type.isDef) {
    const object = parts.keep(prefix.js);
    const value = unit.expression(unit, scope, index, {});
    const key = parts.keep(converted(unit, index.at, value, DEF));
    const given = JSON.stringify(value.type.name);
    return {
      type: DEF,
      setup: parts.setup,
      load: unit.call('loadElement', ...placed(at, object, key, given)),
      store: (stored) => unit.call('storeElement', ...placed(at, object, key, stored, given)),
      isDynamic: true,
    };
  }
  if (type.info?.isA(infoNamed('java.util.Map'))) return element(unit, 'Map', parts.keep(prefix.js), parts.keep(indexOf(DEF)), at, parts);
  if (type.info?.isA(infoNamed('java.util.List'))) return element(unit, 'List', parts.keep(prefix.js), parts.keep(indexOf(INT)), at, parts);
  throw unit.error(at, `Illegal array access on type [${type.name}].`);
}

/**
 * Arguments of a call with a note of its place, which is taken once the object is known: what fails before is somewhere else. A function without
 * further arguments gets one that it ignores.
 */
export function placed(at: number, object: string, ...args: readonly string[]): string[] {
  if (!args.length) return [object, `p=${at}`];
  return [object, `(p=${at},${args[0]})`, ...args.slice(1)];
}

/** The call of a method whose arguments have been converted. @param args  with the object first, unless the method is static */
export function invoked(unit: Unit, method: Method, args: readonly string[], at: number): string {
  const run = unit.constant(method.run);
  if (args.length === method.params.length) return `(p=${at},${run}(${args.join(',')}))`;
  const [object, ...rest] = args;
  const name = literal(`${method.owner.name}.${method.name}`);
  const known = unit.call('nonNull', object, name, `p=${at}`);
  return `${run}(${[known, ...rest].join(',')})`;
}
