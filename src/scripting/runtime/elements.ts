// Elements of lists, maps and arrays of known types, and new arrays. Negative indices count from the end.
import { ENTRY_BYTES, spendBytes } from '../java/budget.ts';
import { BOOLEAN, type Type } from '../java/class-info.ts';
import { canonicalNameOf, classOf } from '../java/class-of.ts';
import { HashMap } from '../java/collections.ts';
import { illegalArgument, nullPointer, outOfBounds, raise } from '../java/faults.ts';
import { isCollection } from '../java/objects.ts';
import { isNumericArray, JavaArray, type NumericArray, type Value } from '../java/values.ts';

/** Anything with elements that are read by index: lists of the host. */
interface IndexedList {
  readonly length: number;
  at(index: number): Value;
}

export function loadList(list: Value, index: number): Value {
  if (Array.isArray(list)) {
    const at = index < 0 ? index + list.length : index;
    if (at < 0 || at >= list.length) outOfBounds(at, list.length);
    return list[at] ?? null;
  }
  if (list === null || list === undefined) nullPointer('Cannot invoke "java.util.List.get(int)" because value is null');
  const items = list as IndexedList;
  return items.at(index < 0 ? index + items.length : index);
}

export function storeList(list: Value, index: number, value: Value): Value {
  if (list === null || list === undefined) nullPointer('Cannot invoke "java.util.List.set(int, Object)" because value is null');
  const length = Array.isArray(list) ? list.length : 0;
  classOf(list)
    .method('set', 2)
    ?.run(list, index < 0 ? index + length : index, value);
  return value;
}

export function loadMap(map: Value, key: Value): Value {
  if (map instanceof Map) return map.get(key) ?? null;
  if (map === null || map === undefined) nullPointer('Cannot invoke "java.util.Map.get(Object)" because value is null');
  return classOf(map).method('get', 1)?.run(map, key) ?? null;
}

export function storeMap(map: Value, key: Value, value: Value): Value {
  if (map === null || map === undefined) nullPointer('Cannot invoke "java.util.Map.put(Object, Object)" because value is null');
  classOf(map).method('put', 2)?.run(map, key, value);
  return value;
}

export function lengthOf(array: Value): number {
  if (array instanceof JavaArray) return array.items.length;
  if (isNumericArray(array)) return array.length;
  return nullPointer('Cannot read the array length because value is null');
}

function position(array: NumericArray | Value[], index: number): number {
  const at = index < 0 ? index + array.length : index;
  if (at < 0 || at >= array.length)
    raise('java.lang.ArrayIndexOutOfBoundsException', `Index ${at} out of bounds for length ${array.length}`);
  return at;
}

function itemsOf(array: Value): NumericArray | Value[] {
  if (array instanceof JavaArray) return array.items;
  if (isNumericArray(array)) return array;
  return nullPointer('Cannot load from array because value is null');
}

/** An element in its plain form. */
export function loadArray(array: Value, index: number): unknown {
  const items = itemsOf(array);
  return items[position(items, index)];
}

export function storeArray<T>(array: Value, index: number, value: T): T {
  const items = itemsOf(array) as unknown[];
  items[position(items, index)] = value;
  return value;
}

const TYPED: Readonly<Record<string, { new (length: number): NumericArray; readonly BYTES_PER_ELEMENT: number }>> = {
  int: Int32Array,
  long: BigInt64Array,
  double: Float64Array,
  float: Float32Array,
  byte: Int8Array,
  short: Int16Array,
  char: Uint16Array,
};

/** A new array. @param lengths  of as many dimensions as are given; further ones are null */
export function arrayOf(type: Type, lengths: readonly number[]): Value {
  const [length, ...rest] = lengths;
  if (length < 0) raise('java.lang.NegativeArraySizeException', String(length));
  const { element } = type;
  if (!element) throw new Error('an array type has elements');
  const Typed = rest.length === 0 && element.primitive ? TYPED[element.primitive] : undefined;
  spendBytes(length * (Typed?.BYTES_PER_ELEMENT ?? ENTRY_BYTES) + ENTRY_BYTES);
  if (Typed) return new Typed(length);
  const fill = element === BOOLEAN ? false : null;
  return new JavaArray(
    Array.from({ length }, () => (rest.length > 0 ? arrayOf(element, rest) : fill)),
    element,
  );
}

/** A new array with these elements. */
export function arrayWith(type: Type, items: Value[]): Value {
  const array = arrayOf(type, [items.length]);
  if (array instanceof JavaArray) return new JavaArray(items, array.element);
  const elements = array as Value[] | NumericArray;
  items.forEach((item, i) => {
    elements[i] = item;
  });
  return array;
}

export function newList(items: Value[]): Value[] {
  spendBytes((items.length + 1) * ENTRY_BYTES);
  return items;
}

/** @param parts  keys and values in turn */
export function newMap(parts: readonly Value[]): HashMap {
  spendBytes((parts.length / 2 + 1) * ENTRY_BYTES);
  const map = new HashMap();
  for (let i = 0; i < parts.length; i += 2) map.set(parts[i], parts[i + 1]);
  return map;
}

/** The values that a loop iterates over; changes of a list during the loop have no effect. */
export function iterated(value: Value): Iterable<Value> {
  if (Array.isArray(value)) return value;
  if (value instanceof JavaArray) return value.items;
  if (isNumericArray(value)) return value as Iterable<Value>;
  if (isCollection(value)) return value;
  if (value === null || value === undefined) nullPointer('Cannot invoke "Object.getClass()" because "value" is null');
  return illegalArgument(`Cannot iterate over [${canonicalNameOf(value)}]`);
}
