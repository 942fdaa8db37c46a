// Calls and members of def: found by the class of the value when they run, and remembered at the place in the script for the next value.
import { spendSteps } from '../java/budget.ts';
import { type ClassInfo, JAVA_CLASS, type Method, type Type } from '../java/class-info.ts';
import { arrayElement, canonicalNameOf, classOf } from '../java/class-of.ts';
import { illegalArgument, nullPointer, raise } from '../java/faults.ts';
import { type Classified, isClassified, isNumericArray, JavaArray, type ScriptFunction, type Value } from '../java/values.ts';
import { fromPlain, toPlain } from './conversions.ts';
import { iterated, lengthOf, loadList, storeList } from './elements.ts';

type Linked = (object: Value, args: readonly Value[]) => Value;
/** Wording of Java's virtual machine, for a place that has not been linked and one that has. */
const RECEIVER_MISSING = 'Cannot invoke "Object.getClass()" because "callArgs[0]" is null';
const LINKED_RECEIVER_MISSING = 'Cannot invoke "Object.getClass()" because "receiver" is null';

/** A lambda or reference without a type, as the argument of a call on def. */
export class Unlinked {
  readonly #versions: ReadonlyArray<ScriptFunction | null>;
  readonly #shown: string;

  /** @param versions  the function for each number of parameters */
  constructor(versions: ReadonlyArray<ScriptFunction | null>, shown: string) {
    this.#versions = versions;
    this.#shown = shown;
  }

  /** The function of an interface. @throws ScriptFault: its method has another number of parameters */
  link(info: ClassInfo): ScriptFunction {
    const method = info.interfaceMethod;
    if (!method) return raise('java.lang.IllegalArgumentException', `Class [${info.name}] is not a functional interface`);
    const { params, returns } = method;
    const run = this.#versions[params.length];
    if (!run) {
      const count =
        this.#shown === '' ? 'Incorrect number of parameters' : `function reference [${this.#shown}/${params.length}] not found`;
      return illegalArgument(`${count} for [${method.name}] in [${info.name}]`);
    }
    if (returns.primitive === null && params.every((param) => param.primitive === null)) return asFunction(run, info);
    const linked = (...args: Value[]): unknown => {
      const result = run(...args.map((arg, i) => fromPlain(arg, params[i])));
      return returns.primitive === 'void' ? null : toPlain(result, returns);
    };
    return asFunction(linked, info);
  }
}

export function unlinked(run: ScriptFunction, count: number): Unlinked {
  const versions: Array<ScriptFunction | null> = [];
  for (let i = 0; i <= count; i++) versions.push(i === count ? run : null);
  return new Unlinked(versions, '');
}

export const unlinkedVersions = (versions: ReadonlyArray<ScriptFunction | null>, shown: string): Unlinked => new Unlinked(versions, shown);

/** Marks a function as one of an interface. */
export function asFunction(run: ScriptFunction, info: ClassInfo): ScriptFunction {
  return Object.assign(run, { [JAVA_CLASS]: info });
}

/** A place in a script that calls a method of a def. */
export class CallSite {
  readonly name: string;
  /** Types of the arguments as far as they are known. */
  readonly types: readonly string[];
  /** Type that the result is converted to. */
  readonly #wanted: string;
  #info: ClassInfo | null = null;
  #linked: Linked | null = null;

  constructor(name: string, types: readonly string[], wanted = 'def') {
    this.name = name;
    this.types = types;
    this.#wanted = wanted;
  }

  call(object: Value, args: readonly Value[]): Value {
    if (object === null || object === undefined) nullPointer(this.#linked ? LINKED_RECEIVER_MISSING : RECEIVER_MISSING);
    const info = classOf(object);
    if (info === this.#info && this.#linked) return this.#linked(object, args);
    if (arrayElement(object) !== null) return noMethod(object, this.name, args.length);
    const method = info.method(this.name, args.length);
    if (!method) return noMethod(object, this.name, args.length);
    this.#checkTypes(method);
    this.#info = info;
    this.#linked = linkOf(method);
    return this.#linked(object, args);
  }

  /** Arguments of known types that cannot be converted are refused however the method is called. */
  #checkTypes(method: Method): void {
    this.types.forEach((given, i) => {
      const param = method.params[i];
      if (isConvertible(given, param)) return;
      const shown = [method.owner.type, ...method.params].map(simpleName).join(',');
      const wanted = ['Object', ...this.types.map(shortName)].join(',');
      raise(
        'java.lang.invoke.WrongMethodTypeException',
        `cannot convert MethodHandle(${shown})${simpleName(method.returns)} to (${wanted})${shortName(this.#wanted)}`,
      );
    });
  }
}

const shortName = (name: string): string => (name === 'def' ? 'Object' : name.slice(name.lastIndexOf('.') + 1));
const simpleName = ({ name }: Type): string => shortName(name);

const RANK: Readonly<Record<string, number>> = { byte: 1, short: 2, char: 2, int: 3, long: 4, float: 5, double: 6 };

function isConvertible(given: string, param: Type): boolean {
  if (param.primitive === null) return !(given in RANK || given === 'boolean') || param.isDef || acceptsBox(param, given);
  if (given in RANK || given === 'boolean')
    return given === param.primitive || (RANK[given] < RANK[param.primitive] && param.primitive !== 'char');
  return given !== 'java.lang.String' && !given.startsWith('java.util.');
}

const acceptsBox = (param: Type, given: string): boolean =>
  param.name === 'java.lang.Object' ||
  param.name === 'java.lang.Comparable' ||
  (param.name === 'java.lang.Number' && given !== 'boolean' && given !== 'char') ||
  param.name.toLowerCase().startsWith(`java.lang.${given}`);

function linkOf(method: Method): Linked {
  const { params, returns, run } = method;
  const box =
    returns.primitive === null ? (value: unknown) => (value === undefined ? null : value) : (value: unknown) => fromPlain(value, returns);
  if (params.length === 0) return (object) => box(run(object));
  const converts = params.map(argument);
  if (params.length === 1) {
    const [first] = converts;
    return (object, args) => box(run(object, first(args[0])));
  }
  return (object, args) => box(run(object, ...args.map((arg, i) => converts[i](arg))));
}

function argument(type: Type): (value: Value) => unknown {
  if (type.primitive !== null) return (value) => toPlain(value, type);
  const { info } = type;
  if (info?.interfaceMethod) return (value) => (value instanceof Unlinked ? value.link(info) : value);
  return (value) => value;
}

function noMethod(object: Value, name: string, count: number): never {
  return illegalArgument(`dynamic method [${canonicalNameOf(object)}, ${name}/${count}] not found`);
}

const NONE: readonly Value[] = [];
export const call0 = (site: CallSite, object: Value): Value => site.call(object, NONE);
export const call1 = (site: CallSite, object: Value, a: Value): Value => site.call(object, [a]);
export const call2 = (site: CallSite, object: Value, a: Value, b: Value): Value => site.call(object, [a, b]);
export const call3 = (site: CallSite, object: Value, a: Value, b: Value, c: Value): Value => site.call(object, [a, b, c]);
export const callMany = (site: CallSite, object: Value, args: readonly Value[]): Value => site.call(object, args);
export const callNamed = (name: string, object: Value, args: readonly Value[]): Value =>
  new CallSite(
    name,
    args.map(() => 'def'),
  ).call(object, args);

/** A place in a script that reads or writes a member of a def. */
export class AccessSite {
  readonly name: string;
  readonly #capitalized: string;
  #info: ClassInfo | null = null;
  #getter: ((object: Value) => Value) | null = null;

  constructor(name: string) {
    this.name = name;
    this.#capitalized = name[0].toUpperCase() + name.slice(1);
  }

  load(object: Value): Value {
    if (typeof object === 'object' && object !== null) {
      const known = (object as Partial<Classified>)[JAVA_CLASS];
      if (known !== undefined && known === this.#info && this.#getter) return this.#getter(object);
    }
    if (object instanceof Map && !isClassified(object)) return object.get(this.name) ?? null;
    if (object === null || object === undefined) nullPointer(RECEIVER_MISSING);
    const info = classOf(object);
    if (info === this.#info && this.#getter) return this.#getter(object);
    if (arrayElement(object) !== null) {
      if (this.name === 'length') return lengthOf(object);
      return illegalArgument(`Field [${this.name}] does not exist for array class [${canonicalNameOf(object)}].`);
    }
    this.#getter = this.#getterOf(object, info);
    this.#info = info;
    return this.#getter(object);
  }

  #getterOf(object: Value, info: ClassInfo): (object: Value) => Value {
    const method = info.method(`get${this.#capitalized}`, 0) ?? info.method(`is${this.#capitalized}`, 0);
    if (method) {
      const linked = linkOf(method);
      return (value) => linked(value, NONE);
    }
    if (object instanceof Map) return (value) => (value as Map<Value, Value>).get(this.name) ?? null;
    if (isList(info) && /^\d+$/.test(this.name)) return (value) => loadList(value, Number(this.name));
    return illegalArgument(`dynamic getter [${canonicalNameOf(object)}, ${this.name}] not found`);
  }

  store(object: Value, value: Value): Value {
    if (object === null || object === undefined) nullPointer(RECEIVER_MISSING);
    const info = classOf(object);
    const method = info.method(`set${this.#capitalized}`, 1);
    if (method) linkOf(method)(object, [value]);
    else if (object instanceof Map) {
      spendSteps(1);
      const put = info.method('put', 2);
      put?.run(object, this.name, value);
    } else if (isList(info) && /^\d+$/.test(this.name)) storeList(object, Number(this.name), value);
    else illegalArgument(`dynamic setter [${canonicalNameOf(object)}, ${this.name}] not found`);
    return value;
  }
}

const isList = (info: ClassInfo): boolean => [...info.ancestors].some(({ name }) => name === 'java.util.List');

export const loadMember = (site: AccessSite, object: Value): Value => site.load(object);
export const storeMember = (site: AccessSite, object: Value, value: Value): Value => site.store(object, value);

function refuseIndex(object: Value, given: string): never {
  const list = isNumericArray(object) || object instanceof JavaArray ? canonicalNameOf(object) : 'List';
  return raise(
    'java.lang.invoke.WrongMethodTypeException',
    `cannot convert MethodHandle(${list},int)int to (Object,${given.slice(given.lastIndexOf('.') + 1)})${given.slice(given.lastIndexOf('.') + 1)}`,
  );
}

/** `object[key]` of def. @param given  the type of the key as far as it is known */
export function loadElement(object: Value, key: Value, given: string): Value {
  if (object instanceof Map) return object.get(key) ?? null;
  if (object === null || object === undefined) nullPointer(RECEIVER_MISSING);
  if (arrayElement(object) === null && !isList(classOf(object)))
    illegalArgument(`Attempting to address a non-array type [${canonicalNameOf(object)}] as an array.`);
  if (typeof key !== 'number') refuseIndex(object, given === 'def' ? canonicalNameOf(key) : given);
  if (Array.isArray(object) || isClassified(object)) return arrayElement(object) === null ? loadList(object, key) : null;
  return fromArray(object, key);
}

/** An element of an array as def. */
function fromArray(object: Value, index: number): Value {
  const at = index < 0 ? index + lengthOf(object) : index;
  if (at < 0 || at >= lengthOf(object))
    raise('java.lang.ArrayIndexOutOfBoundsException', `Index ${index} out of bounds for length ${lengthOf(object)}`);
  if (object instanceof JavaArray) return object.items[at];
  const item = (object as Int32Array)[at];
  switch (arrayElement(object)) {
    case 'int':
    case 'long':
      return item;
    default:
      return fromPlain(item, { primitive: arrayElement(object) } as Type);
  }
}

/** The values that a loop over a def iterates over: elements of arrays as their classes. */
export function iteratedDef(value: Value): Iterable<Value> {
  return isNumericArray(value) ? Array.from({ length: value.length }, (_, i) => fromArray(value, i)) : iterated(value);
}

export function storeElement(object: Value, key: Value, value: Value, given: string): Value {
  if (object === null || object === undefined) nullPointer(RECEIVER_MISSING);
  if (object instanceof Map) {
    classOf(object).method('put', 2)?.run(object, key, value);
    return value;
  }
  if (arrayElement(object) === null && !isList(classOf(object)))
    illegalArgument(`Attempting to address a non-array type [${canonicalNameOf(object)}] as an array.`);
  if (typeof key !== 'number') refuseIndex(object, given === 'def' ? canonicalNameOf(key) : given);
  if (arrayElement(object) === null) return storeList(object, key, value);
  const at = key < 0 ? key + lengthOf(object) : key;
  if (at < 0 || at >= lengthOf(object))
    raise('java.lang.ArrayIndexOutOfBoundsException', `Index ${key} out of bounds for length ${lengthOf(object)}`);
  if (object instanceof JavaArray) object.items[at] = value;
  else (object as unknown[] as Value[])[at] = toPlain(value, { primitive: arrayElement(object) } as Type);
  return value;
}
