// The Java class of a value.
import { present } from '../../common/present.ts';
import { type ClassInfo, classNamed, JAVA_CLASS } from './class-info.ts';
import { type Classified, JavaArray, type Value } from './values.ts';

const cache = new Map<string, ClassInfo>();

function named(name: string): ClassInfo {
  let info = cache.get(name);
  if (!info) cache.set(name, (info = present(classNamed(name))));
  return info;
}

/** The class of a value that is not null. Arrays have the class Object here; see `arrayTypeOf`. */
export function classOf(value: Value): ClassInfo {
  switch (typeof value) {
    case 'string':
      return named('java.lang.String');
    case 'number':
      return named('java.lang.Integer');
    case 'bigint':
      return named('java.lang.Long');
    case 'boolean':
      return named('java.lang.Boolean');
  }
  const own = value === null || value === undefined ? undefined : (value as Partial<Classified>)[JAVA_CLASS];
  if (own !== undefined) return own;
  if (Array.isArray(value)) return named('java.util.ArrayList');
  if (value instanceof Map) return named('java.util.LinkedHashMap');
  return named('java.lang.Object');
}

/** Element type of an array; null for everything else. */
export function arrayElement(value: Value): string | null {
  if (value instanceof JavaArray) return value.element.name;
  if (!ArrayBuffer.isView(value)) return null;
  if (value instanceof Int32Array) return 'int';
  if (value instanceof Float64Array) return 'double';
  if (value instanceof BigInt64Array) return 'long';
  if (value instanceof Float32Array) return 'float';
  if (value instanceof Int8Array) return 'byte';
  if (value instanceof Int16Array) return 'short';
  return 'char';
}

const DESCRIPTORS: Readonly<Record<string, string>> = {
  int: 'I',
  long: 'J',
  double: 'D',
  float: 'F',
  byte: 'B',
  short: 'S',
  char: 'C',
  boolean: 'Z',
};

/** `java.util.ArrayList`, `[I`: as Class.getName. */
export function classNameOf(value: Value): string {
  const element = arrayElement(value);
  if (element === null) return classOf(value).javaName;
  if (element.endsWith('[]')) return `[${classNameOf({})}`;
  return `[${DESCRIPTORS[element] ?? `L${element === 'def' ? 'java.lang.Object' : element};`}`;
}

/** Name of a value's class as Painless writes it in messages: `int[]` for arrays. */
export function canonicalNameOf(value: Value): string {
  const element = arrayElement(value);
  if (element !== null) return `${element === 'def' ? 'java.lang.Object' : element}[]`;
  return classOf(value).name;
}
