// Classes that scripts can name, with the members that they may use. Tables in ../library/ define them; a member that no table has does not exist for
// a script. As in Painless, members are found by name and number of arguments alone.
import { present } from '../../common/present.ts';

/** A member's code: primitive arguments and results as plain numbers, bigints and booleans, all others as the values of ./values.ts. */
export type Implementation = (...args: never[]) => unknown;

export interface Method {
  readonly owner: ClassInfo;
  readonly name: string;
  readonly params: readonly Type[];
  readonly returns: Type;
  readonly run: (...args: unknown[]) => unknown;
}

export interface Field {
  readonly name: string;
  readonly type: Type;
  readonly value: unknown;
}

export type PrimitiveName = 'void' | 'boolean' | 'byte' | 'short' | 'char' | 'int' | 'long' | 'float' | 'double';

/** The type of an expression: a primitive, def, a class or an array. */
export class Type {
  readonly name: string;
  readonly primitive: PrimitiveName | null;
  readonly info: ClassInfo | null;
  readonly element: Type | null;
  #array: Type | null = null;

  constructor(name: string, kind: { primitive?: PrimitiveName; info?: ClassInfo; element?: Type }) {
    this.name = name;
    this.primitive = kind.primitive ?? null;
    this.info = kind.info ?? null;
    this.element = kind.element ?? null;
  }

  get isDef(): boolean {
    return this === DEF;
  }

  /** The array type with elements of this type. */
  arrayOf(): Type {
    this.#array ??= new Type(`${this.name}[]`, { element: this });
    return this.#array;
  }

  toString(): string {
    return this.name;
  }
}

const primitive = (name: PrimitiveName): Type => new Type(name, { primitive: name });
export const VOID = primitive('void');
export const BOOLEAN = primitive('boolean');
export const BYTE = primitive('byte');
export const SHORT = primitive('short');
export const CHAR = primitive('char');
export const INT = primitive('int');
export const LONG = primitive('long');
export const FLOAT = primitive('float');
export const DOUBLE = primitive('double');
export const DEF = new Type('def', {});

const BUILT_IN: ReadonlyMap<string, Type> = new Map(
  [VOID, BOOLEAN, BYTE, SHORT, CHAR, INT, LONG, FLOAT, DOUBLE, DEF].map((type) => [type.name, type]),
);

export class ClassInfo {
  /** `java.util.List`; inner classes as `java.util.Map.Entry`. */
  readonly name: string;
  readonly simpleName: string;
  readonly type: Type;
  readonly methods = new Map<string, Method>();
  readonly statics = new Map<string, Method>();
  readonly constructors = new Map<number, Method>();
  readonly fields = new Map<string, Field>();
  /** Name that Class.getName prints, if not the same. */
  readonly javaName: string;
  /** The method of a functional interface. */
  functional: Method | null = null;
  /** True if it declares a functional interface. */
  isFunctional = false;
  /** True for classes with instances of their own: they may implement functional interfaces, but functions are not their values. */
  isConcrete = false;
  readonly #superNames: readonly string[];
  #ancestors: ReadonlySet<ClassInfo> | null = null;
  readonly #found = new Map<string, Method | null>();

  constructor(name: string, superNames: readonly string[], javaName = name) {
    this.name = name;
    this.javaName = javaName;
    this.simpleName = simpleNameOf(name);
    this.type = new Type(name, { info: this });
    this.#superNames = superNames;
  }

  /** This class and everything it extends or implements. */
  get ancestors(): ReadonlySet<ClassInfo> {
    if (!this.#ancestors) {
      const all = new Set<ClassInfo>([this]);
      for (const parent of this.#superNames) for (const ancestor of present(classNamed(parent)).ancestors) all.add(ancestor);
      this.#ancestors = all;
    }
    return this.#ancestors;
  }

  isA(other: ClassInfo): boolean {
    return this === other || this.ancestors.has(other);
  }

  /** An instance method, own or inherited. */
  method(name: string, arity: number): Method | null {
    const key = `${name}/${arity}`;
    let found = this.#found.get(key);
    if (found === undefined) {
      found = null;
      for (const ancestor of this.ancestors) {
        found = ancestor.methods.get(key) ?? null;
        if (found) break;
      }
      found ??= present(classNamed('Object')).methods.get(key) ?? null;
      this.#found.set(key, found);
    }
    return found;
  }

  /** The method of the functional interface that this is, or extends. */
  get interfaceMethod(): Method | null {
    if (this.isConcrete) return null;
    for (const ancestor of this.ancestors) if (ancestor.functional) return ancestor.functional;
    return null;
  }
}

/** `Map.Entry` for `java.util.Map.Entry`. */
function simpleNameOf(name: string): string {
  const parts = name.split('.');
  return parts.slice(parts.findIndex((part) => /^[A-Z]/.test(part))).join('.');
}

const byName = new Map<string, ClassInfo>();

/** A class by its full or simple name. */
export function classNamed(name: string): ClassInfo | null {
  return byName.get(name) ?? null;
}

/** A type by its name, with `[]` for arrays; null if there is no such type. */
export function typeNamed(name: string): Type | null {
  if (name.endsWith('[]')) return typeNamed(name.slice(0, -2))?.arrayOf() ?? null;
  return BUILT_IN.get(name) ?? byName.get(name)?.type ?? null;
}

export interface ClassTable {
  /** Members by signature: `int length()`, `static int parseInt(String)`, `new(int)`. */
  readonly members?: Readonly<Record<string, Implementation>>;
  /** Constants by type and name: `int MAX_VALUE`. */
  readonly constants?: Readonly<Record<string, unknown>>;
  /** The signature of a functional interface's method. */
  readonly functional?: string;
  /** Name that Class.getName prints, for inner and internal classes. */
  readonly javaName?: string;
  /** The JavaScript class whose instances have this class. */
  readonly of?: { readonly prototype: object };
}

interface Unresolved {
  readonly info: ClassInfo;
  readonly table: ClassTable;
}

const unresolved: Unresolved[] = [];

/** Adds a class. Its signatures are read when the first script is compiled, so that tables may refer to each other. */
export function defineClass(name: string, supers: readonly string[], table: ClassTable = {}): ClassInfo {
  const info = new ClassInfo(name, supers, table.javaName);
  byName.set(name, info);
  byName.set(info.simpleName, info);
  unresolved.push({ info, table });
  info.isConcrete = table.of !== undefined;
  info.isFunctional = table.functional !== undefined;
  if (table.of) Object.defineProperty(table.of.prototype, JAVA_CLASS, { value: info });
  return info;
}

/** Property of the prototypes of JavaScript classes that represent Java classes. */
export const JAVA_CLASS = Symbol('java class');

const SIGNATURE = /^(static )?(?:([\w.[\]]+) )?(\w+)\((.*)\)$/;

/** Reads the signatures of classes that were defined since the last call. */
export function resolveClasses(): void {
  for (const { info, table } of unresolved.splice(0)) {
    for (const [signature, run] of Object.entries(table.members ?? {})) addMember(info, signature, run);
    for (const [signature, value] of Object.entries(table.constants ?? {})) {
      const [type, name] = signature.split(' ');
      info.fields.set(name, { name, type: resolved(type), value });
    }
    if (table.functional) {
      const method = methodOf(info, table.functional, (target: (...args: unknown[]) => unknown, ...args: unknown[]) => target(...args));
      info.functional = method;
      info.methods.set(`${method.name}/${method.params.length}`, method);
    }
  }
}

function addMember(info: ClassInfo, signature: string, run: Implementation): void {
  const method = methodOf(info, signature, run);
  const key = `${method.name}/${method.params.length}`;
  if (method.name === 'new') info.constructors.set(method.params.length, method);
  else if (signature.startsWith('static ')) info.statics.set(key, method);
  else info.methods.set(key, method);
}

function methodOf(owner: ClassInfo, signature: string, run: Implementation): Method {
  const [, , returns, name, list] = present(SIGNATURE.exec(signature));
  const params = list === '' ? [] : list.split(',').map((type) => resolved(type.trim()));
  const result = returns === undefined ? owner.type : resolved(returns);
  return { owner, name, params, returns: result, run: named(run as (...args: unknown[]) => unknown, result) };
}

/** A method whose result is a function: the function has the class of its interface, so that its other methods are found at run time. */
function named(run: (...args: unknown[]) => unknown, { info }: Type): (...args: unknown[]) => unknown {
  if (!info?.isFunctional) return run;
  return (...args) => {
    const result = run(...args);
    if (typeof result === 'function' && !(JAVA_CLASS in result)) Object.defineProperty(result, JAVA_CLASS, { value: info });
    return result;
  };
}

function resolved(name: string): Type {
  const type = typeNamed(name);
  if (!type) throw new Error(`the class ${name} is not defined`);
  return type;
}
