// Collections that JavaScript does not have: maps in the order of Java's hash tables, sorted maps, sets, lists that refuse changes.
import { ENTRY_BYTES, spendBytes, spendSteps } from './budget.ts';
import { unsupportedOperation } from './faults.ts';
import { compareNatural, equal, hashOf, keyText, textOf } from './objects.ts';
import type { Value } from './values.ts';

type Compare = (a: Value, b: Value) => number;

/** A map whose keys are compared as Java does: objects by equals. Iterates in the order of insertion, as LinkedHashMap does. */
export class JavaMap extends Map<Value, Value> {
  /** Keys that are objects, by their string form. */
  #objects: Map<string, Value[]> | null = null;

  /** The key of the map that is equal to this one; the key itself if there is none. */
  protected known(key: Value): Value {
    const text = keyText(key);
    if (text === null) return key;
    return this.#objects?.get(text)?.find((other) => equal(other, key)) ?? key;
  }

  override get(key: Value): Value {
    return super.get(typeof key === 'object' ? this.known(key) : key);
  }

  override has(key: Value): boolean {
    return super.has(typeof key === 'object' ? this.known(key) : key);
  }

  override set(key: Value, value: Value): this {
    if (typeof key !== 'object' || key === null) return super.set(key, value);
    const found = this.known(key);
    if (!super.has(found)) {
      const text = String(keyText(key));
      this.#objects ??= new Map();
      const same = this.#objects.get(text);
      if (same) same.push(key);
      else this.#objects.set(text, [key]);
    }
    return super.set(found, value);
  }

  override delete(key: Value): boolean {
    if (typeof key !== 'object' || key === null) return super.delete(key);
    const found = this.known(key);
    const text = String(keyText(found));
    const same = this.#objects?.get(text);
    if (same)
      this.#objects?.set(
        text,
        same.filter((other) => other !== found),
      );
    return super.delete(found);
  }

  override clear(): void {
    this.#objects = null;
    super.clear();
  }
}

/** A map whose iteration order is not that of insertion. */
abstract class OrderedMap extends JavaMap {
  #order: Value[] | null = null;

  /** The keys in order. */
  protected abstract ordered(keys: Value[]): Value[];

  protected order(): Value[] {
    this.#order ??= this.ordered([...super.keys()]);
    return this.#order;
  }

  override set(key: Value, value: Value): this {
    const before = this.size;
    super.set(key, value);
    if (this.size !== before) this.#order = null;
    return this;
  }

  override delete(key: Value): boolean {
    this.#order = null;
    return super.delete(key);
  }

  override clear(): void {
    this.#order = null;
    super.clear();
  }

  override keys(): MapIterator<Value> {
    return this.order().values() as MapIterator<Value>;
  }

  override values(): MapIterator<Value> {
    return this.order()
      .map((key) => this.get(key))
      .values() as MapIterator<Value>;
  }

  override entries(): MapIterator<[Value, Value]> {
    return this.order()
      .map((key): [Value, Value] => [key, this.get(key)])
      .values() as MapIterator<[Value, Value]>;
  }

  override [Symbol.iterator](): MapIterator<[Value, Value]> {
    return this.entries();
  }

  override forEach(visit: (value: Value, key: Value, map: Map<Value, Value>) => void): void {
    for (const key of this.order()) visit(this.get(key), key, this);
  }
}

const LEAST_CAPACITY = 16;

/** HashMap: iterates by buckets of the spread hash, as many as Java would have. */
export class HashMap extends OrderedMap {
  #capacity = LEAST_CAPACITY;
  /** Places within their buckets of keys that `setFirst` added. */
  #places: Map<Value, number> | null = null;

  /** Adds an entry as compute and computeIfAbsent do: a new key comes before the others of its bucket. */
  setFirst(key: Value, value: Value): this {
    if (!this.has(key)) {
      this.#places ??= new Map();
      this.#places.set(key, -1 - this.#places.size);
    }
    return this.set(key, value);
  }

  override set(key: Value, value: Value): this {
    super.set(key, value);
    while (this.size > this.#capacity * 0.75) this.#capacity *= 2;
    return this;
  }

  protected ordered(keys: Value[]): Value[] {
    spendSteps(keys.length);
    const mask = this.#capacity - 1;
    const buckets = keys.map((key, at) => {
      const hash = hashOf(key);
      return { key, at: this.#places?.get(key) ?? at, bucket: (hash ^ (hash >>> 16)) & mask };
    });
    buckets.sort((a, b) => a.bucket - b.bucket || a.at - b.at);
    return buckets.map(({ key }) => key);
  }
}

/** TreeMap: iterates by the natural order of the keys, or by a comparator. */
export class TreeMap extends OrderedMap {
  readonly compare: Compare;
  readonly isNatural: boolean;

  constructor(compare: Compare | null = null) {
    super();
    this.compare = compare ?? compareNatural;
    this.isNatural = compare === null;
  }

  protected override known(key: Value): Value {
    if (this.isNatural) return super.known(key);
    for (const other of this.order()) if (this.compare(other, key) === 0) return other;
    return key;
  }

  override set(key: Value, value: Value): this {
    if (this.size === 0) this.compare(key, key);
    else this.compare(key, this.order()[0]);
    return super.set(this.isNatural ? key : this.known(key), value);
  }

  protected ordered(keys: Value[]): Value[] {
    spendSteps(keys.length);
    return keys.sort((a, b) => this.compare(a, b));
  }

  /** The keys in order. */
  sorted(): readonly Value[] {
    return this.order();
  }
}

/** A Set: the keys of a map that decides order and equality. */
export class JavaSet {
  readonly map: JavaMap;
  /** Set.of and Collections.unmodifiableSet refuse changes. */
  readonly isFixed: boolean;

  constructor(map: JavaMap, isFixed = false) {
    this.map = map;
    this.isFixed = isFixed;
  }

  get size(): number {
    return this.map.size;
  }

  has(item: Value): boolean {
    return this.map.has(item);
  }

  /** @returns true if the set did not contain the item */
  add(item: Value): boolean {
    if (this.isFixed) unsupportedOperation();
    if (this.map.has(item)) return false;
    spendBytes(ENTRY_BYTES);
    this.map.set(item, true);
    return true;
  }

  delete(item: Value): boolean {
    if (this.isFixed) unsupportedOperation();
    return this.map.delete(item);
  }

  clear(): void {
    if (this.isFixed) unsupportedOperation();
    this.map.clear();
  }

  [Symbol.iterator](): MapIterator<Value> {
    return this.map.keys();
  }

  equalTo(other: Value): boolean {
    if (!(other instanceof JavaSet) || this.size !== other.size) return false;
    spendSteps(this.size);
    for (const item of this) if (!other.has(item)) return false;
    return true;
  }

  hash(): number {
    let sum = 0;
    for (const item of this) sum = (sum + hashOf(item)) | 0;
    return sum;
  }
}

export class HashSet extends JavaSet {
  constructor() {
    super(new HashMap());
  }
}

export class LinkedHashSet extends JavaSet {
  constructor() {
    super(new JavaMap());
  }
}

export class TreeSet extends JavaSet {
  constructor(compare: Compare | null = null) {
    super(new TreeMap(compare));
  }
}

/** A list of a class other than ArrayList, which plain arrays represent. Its methods return plain arrays. */
abstract class OtherList extends Array<Value> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}
/** Arrays.asList: elements can be replaced, but none added or removed. */
export class FixedSizeList extends OtherList {}
/** List.of, Collections.unmodifiableList. */
export class ImmutableList extends OtherList {}
export class LinkedList extends OtherList {}
export class ArrayDeque extends OtherList {}
export class Vector extends OtherList {}
export class Stack extends Vector {}

/** Collections.unmodifiableMap and Map.of. */
export class ImmutableMap extends JavaMap {}

/** An entry of a map. */
export class MapEntry {
  readonly key: Value;
  #value: Value;
  readonly #map: Map<Value, Value> | null;

  /** @param map  the map that setValue changes */
  constructor(key: Value, value: Value, map: Map<Value, Value> | null = null) {
    this.key = key;
    this.#value = value;
    this.#map = map;
  }

  get value(): Value {
    return this.#value;
  }

  replace(value: Value): Value {
    const before = this.#value;
    this.#value = value;
    this.#map?.set(this.key, value);
    return before;
  }

  equalTo(other: Value): boolean {
    return other instanceof MapEntry && equal(this.key, other.key) && equal(this.value, other.value);
  }

  hash(): number {
    return hashOf(this.key) ^ hashOf(this.value);
  }

  toString(): string {
    return `${textOf(this.key)}=${textOf(this.value)}`;
  }
}
