// java.util helpers: Comparator, Collections, Arrays, Objects, Base64, UUID, Random, Locale, Debug.
import { ENTRY_BYTES, spendBytes } from '../java/budget.ts';
import { type ClassTable, defineClass } from '../java/class-info.ts';
import { canonicalNameOf, classNameOf } from '../java/class-of.ts';
import { FixedSizeList, ImmutableList, ImmutableMap, JavaMap, JavaSet, type TreeMap } from '../java/collections.ts';
import { illegalArgument, noSuchElement, nullPointer, outOfBounds, ScriptFault } from '../java/faults.ts';
import { compareDoubles, compareNatural, equal, hashOf, textOf } from '../java/objects.ts';
import { isNumericArray, JavaArray, type Value } from '../java/values.ts';
import { iteratedDef } from '../runtime/dynamic.ts';
import type { Compare, Run } from './collections/callbacks.ts';
import { sortList } from './collections/lists.ts';

type Items = Iterable<Value>;

const byKey =
  (keyOf: Run, compare: Compare): Compare =>
  (a, b) =>
    compare(keyOf(a), keyOf(b));
const reversed =
  (compare: Compare): Compare =>
  (a, b) =>
    compare(b, a);
const thenBy =
  (first: Compare, next: Compare): Compare =>
  (a, b) =>
    first(a, b) || next(a, b);
const plainOrder: Compare = (a, b) => ((a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0);
const doubleOrder: Compare = (a, b) => compareDoubles(a as number, b as number);
const nulls =
  (compare: Compare, sign: number): Compare =>
  (a, b) =>
    a === null ? (b === null ? 0 : sign) : b === null ? -sign : compare(a, b);

defineClass('java.util.Comparator', ['java.lang.Object'], {
  functional: 'int compare(def,def)',
  members: {
    'static Comparator comparing(Function)': (keyOf: Run) => byKey(keyOf, compareNatural),
    'static Comparator comparing(Function,Comparator)': byKey,
    'static Comparator comparingDouble(ToDoubleFunction)': (keyOf: Run) => byKey(keyOf, doubleOrder),
    'static Comparator comparingInt(ToIntFunction)': (keyOf: Run) => byKey(keyOf, plainOrder),
    'static Comparator comparingLong(ToLongFunction)': (keyOf: Run) => byKey(keyOf, plainOrder),
    'static Comparator naturalOrder()': () => compareNatural,
    'static Comparator reverseOrder()': () => reversed(compareNatural),
    'static Comparator nullsFirst(Comparator)': (compare: Compare) => nulls(compare, -1),
    'static Comparator nullsLast(Comparator)': (compare: Compare) => nulls(compare, 1),
    'Comparator reversed()': reversed,
    'Comparator thenComparing(Comparator)': thenBy,
    'Comparator thenComparing(Function,Comparator)': (self: Compare, keyOf: Run, compare: Compare) => thenBy(self, byKey(keyOf, compare)),
    'Comparator thenComparingDouble(ToDoubleFunction)': (self: Compare, keyOf: Run) => thenBy(self, byKey(keyOf, doubleOrder)),
    'Comparator thenComparingInt(ToIntFunction)': (self: Compare, keyOf: Run) => thenBy(self, byKey(keyOf, plainOrder)),
    'Comparator thenComparingLong(ToLongFunction)': (self: Compare, keyOf: Run) => thenBy(self, byKey(keyOf, plainOrder)),
  },
});

function best(items: Items, compare: Compare): Value {
  const list = [...items];
  if (!list.length) noSuchElement(null);
  return list.reduce((a, b) => (compare(b, a) < 0 ? b : a));
}

function swap(list: Value[], i: number, j: number): void {
  for (const index of [i, j]) if (index < 0 || index >= list.length) outOfBounds(index, list.length);
  const item = list[i];
  list[i] = list[j];
  list[j] = item;
}

function fixedSet(items: Items): JavaSet {
  const map = new JavaMap();
  for (const item of items) map.set(item, true);
  return new JavaSet(map, true);
}

function fixedMap(source: Map<Value, Value>): ImmutableMap {
  const map = new ImmutableMap();
  for (const [key, value] of source) map.set(key, value);
  return map;
}

const COLLECTIONS: ClassTable['members'] = {
  'static boolean addAll(Collection,def[])': (target: Value, items: JavaArray) => {
    for (const item of items.items) {
      if (Array.isArray(target)) target.push(item);
      else (target as JavaSet).add(item);
    }
    return items.items.length > 0;
  },
  'static boolean disjoint(Collection,Collection)': (a: Items, b: Items) => {
    const others = [...b];
    return ![...a].some((item) => others.some((other) => equal(item, other)));
  },
  'static List emptyList()': () => new ImmutableList(),
  'static Map emptyMap()': () => new ImmutableMap(),
  'static Set emptySet()': () => fixedSet([]),
  'static void fill(List,def)': (list: Value[], item: Value) => {
    list.fill(item);
  },
  'static int frequency(Collection,def)': (items: Items, item: Value) => [...items].filter((other) => equal(other, item)).length,
  'static def max(Collection)': (items: Items) => best(items, reversed(compareNatural)),
  'static def max(Collection,Comparator)': (items: Items, compare: Compare) => best(items, reversed(compare)),
  'static def min(Collection)': (items: Items) => best(items, compareNatural),
  'static def min(Collection,Comparator)': best,
  'static List nCopies(int,def)': (count: number, item: Value) => {
    if (count < 0) illegalArgument(`List length = ${count}`);
    spendBytes(count * ENTRY_BYTES);
    return ImmutableList.from(Array.from({ length: count }, () => item));
  },
  'static boolean replaceAll(List,def,def)': (list: Value[], from: Value, to: Value) => {
    let isChanged = false;
    list.forEach((item, i) => {
      if (equal(item, from)) {
        list[i] = to;
        isChanged = true;
      }
    });
    return isChanged;
  },
  'static void reverse(List)': (list: Value[]) => {
    list.reverse();
  },
  'static Comparator reverseOrder()': () => reversed(compareNatural),
  'static Comparator reverseOrder(Comparator)': reversed,
  'static void rotate(List,int)': (list: Value[], by: number) => {
    const length = list.length;
    const before = [...list];
    before.forEach((item, i) => {
      list[(((i + by) % length) + length) % length] = item;
    });
  },
  'static void shuffle(List)': (list: Value[]) => {
    for (let i = list.length - 1; i > 0; i--) swap(list, i, Math.floor(Math.random() * (i + 1)));
  },
  'static Set singleton(def)': (item: Value) => fixedSet([item]),
  'static List singletonList(def)': (item: Value) => ImmutableList.from([item]),
  'static Map singletonMap(def,def)': (key: Value, value: Value) => fixedMap(new Map([[key, value]])),
  'static void sort(List)': (list: Value[]) => sortList(list, null),
  'static void sort(List,Comparator)': sortList,
  'static void swap(List,int,int)': swap,
  'static Collection unmodifiableCollection(Collection)': (items: Items) => ImmutableList.from([...items]),
  'static List unmodifiableList(List)': (items: Items) => ImmutableList.from([...items]),
  'static Set unmodifiableSet(Set)': fixedSet,
  'static Map unmodifiableMap(Map)': fixedMap,
  'static SortedMap unmodifiableSortedMap(SortedMap)': (map: TreeMap) => map,
  'static int binarySearch(List,def)': (list: Value[], item: Value) => binarySearch(list, item, compareNatural),
  'static int binarySearch(List,def,Comparator)': binarySearch,
};

function binarySearch(list: Value[], item: Value, compare: Compare): number {
  let [low, high] = [0, list.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compare(list[middle], item);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -(low + 1);
}

defineClass('java.util.Collections', ['java.lang.Object'], {
  constants: { 'List EMPTY_LIST': new ImmutableList(), 'Map EMPTY_MAP': new ImmutableMap(), 'Set EMPTY_SET': fixedSet([]) },
  members: COLLECTIONS,
});

const arrayItems = (array: Value): Value[] =>
  array instanceof JavaArray ? array.items : isNumericArray(array) ? [...iteratedDef(array)] : nullPointer(null);

function deepEquals(a: Value, b: Value): boolean {
  if (!(a instanceof JavaArray) && !isNumericArray(a)) return equal(a, b);
  if (canonicalNameOf(a) !== canonicalNameOf(b)) return false;
  const [left, right] = [arrayItems(a), arrayItems(b)];
  return left.length === right.length && left.every((item, i) => deepEquals(item, right[i]));
}

const deepText = (value: Value): string =>
  value instanceof JavaArray || isNumericArray(value) ? `[${arrayItems(value).map(deepText).join(', ')}]` : textOf(value);

defineClass('java.util.Arrays', ['java.lang.Object'], {
  members: {
    'static List asList(Object[])': (array: JavaArray) => FixedSizeList.from(array.items),
    'static boolean deepEquals(Object[],Object[])': deepEquals,
    'static int deepHashCode(Object[])': (array: JavaArray) => hashOf(array.items),
    'static String deepToString(Object[])': deepText,
  },
});

defineClass('java.util.Objects', ['java.lang.Object'], {
  members: {
    'static int compare(def,def,Comparator)': (a: Value, b: Value, compare: Compare) => (a === b ? 0 : compare(a, b)),
    'static boolean deepEquals(Object,Object)': deepEquals,
    'static boolean equals(Object,Object)': (a: Value, b: Value) => equal(a, b),
    'static int hash(Object[])': (array: JavaArray) => hashOf(array.items),
    'static int hashCode(Object)': (value: Value) => hashOf(value),
    'static boolean isNull(Object)': (value: Value) => value === null,
    'static boolean nonNull(Object)': (value: Value) => value !== null,
    'static def requireNonNull(def)': (value: Value) => value ?? nullPointer(null),
    'static def requireNonNull(def,String)': (value: Value, message: string) => value ?? nullPointer(message),
    'static String toString(Object)': textOf,
    'static String toString(Object,String)': (value: Value, other: string) => (value === null ? other : textOf(value)),
  },
});

/** java.util.Random: the linear congruential generator of its API page. */
class Random {
  #seed = 0n;
  #next: number | null = null;
  constructor(seed: bigint) {
    this.seed(seed);
  }
  seed(seed: bigint): void {
    this.#seed = (seed ^ 0x5deece66dn) & ((1n << 48n) - 1n);
    this.#next = null;
  }
  bits(count: number): number {
    this.#seed = (this.#seed * 0x5deece66dn + 0xbn) & ((1n << 48n) - 1n);
    return Number(BigInt.asIntN(32, this.#seed >> BigInt(48 - count)));
  }
  below(bound: number): number {
    if (bound <= 0) illegalArgument('bound must be positive');
    if ((bound & -bound) === bound) return Number((BigInt(bound) * BigInt(this.bits(31))) >> 31n);
    for (;;) {
      const bits = this.bits(31);
      const value = bits % bound;
      if (((bits - value + (bound - 1)) | 0) >= 0) return value;
    }
  }
  double(): number {
    return (this.bits(26) * 2 ** 27 + this.bits(27)) * 2 ** -53;
  }
  gaussian(): number {
    if (this.#next !== null) {
      const value = this.#next;
      this.#next = null;
      return value;
    }
    for (;;) {
      const [a, b] = [2 * this.double() - 1, 2 * this.double() - 1];
      const size = a * a + b * b;
      if (size >= 1 || size === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(size)) / size);
      this.#next = b * factor;
      return a * factor;
    }
  }
}
defineClass('java.util.Random', ['java.lang.Object'], {
  of: Random,
  members: {
    'new()': () => new Random(BigInt(Math.floor(Math.random() * 2 ** 48))),
    'new(long)': (seed: bigint) => new Random(BigInt.asUintN(64, seed)),
    'boolean nextBoolean()': (self: Random) => self.bits(1) !== 0,
    'double nextDouble()': (self: Random) => self.double(),
    'float nextFloat()': (self: Random) => self.bits(24) / 2 ** 24,
    'double nextGaussian()': (self: Random) => self.gaussian(),
    'int nextInt()': (self: Random) => self.bits(32),
    'int nextInt(int)': (self: Random, bound: number) => self.below(bound),
    'long nextLong()': (self: Random) => BigInt.asIntN(64, (BigInt(self.bits(32)) << 32n) + BigInt(self.bits(32))),
    'void setSeed(long)': (self: Random, seed: bigint) => self.seed(seed),
  },
});

/** java.util.UUID. */
class Uuid {
  readonly most: bigint;
  readonly least: bigint;
  constructor(most: bigint, least: bigint) {
    this.most = BigInt.asUintN(64, most);
    this.least = BigInt.asUintN(64, least);
  }
  static parse(text: string): Uuid {
    const parts = text.split('-');
    if (parts.length !== 5 || !parts.every((part) => /^[0-9a-fA-F]+$/.test(part))) illegalArgument(`Invalid UUID string: ${text}`);
    const [a, b, c, d, e] = parts.map((part) => BigInt(`0x${part}`));
    return new Uuid((a << 32n) | (b << 16n) | c, (d << 48n) | e);
  }
  toString(): string {
    const text = this.most.toString(16).padStart(16, '0') + this.least.toString(16).padStart(16, '0');
    return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
  equalTo(other: Value): boolean {
    return other instanceof Uuid && other.most === this.most && other.least === this.least;
  }
  hash(): number {
    return hashOf(BigInt.asIntN(64, this.most ^ this.least));
  }
}
defineClass('java.util.UUID', ['java.lang.Comparable'], {
  of: Uuid,
  members: {
    'new(long,long)': (most: bigint, least: bigint) => new Uuid(most, least),
    'static UUID fromString(String)': Uuid.parse,
    'static UUID randomUUID()': () => Uuid.parse(crypto.randomUUID()),
    'long getLeastSignificantBits()': (self: Uuid) => BigInt.asIntN(64, self.least),
    'long getMostSignificantBits()': (self: Uuid) => BigInt.asIntN(64, self.most),
    'int version()': (self: Uuid) => Number((self.most >> 12n) & 15n),
    'String toString()': String,
  },
});

/** An error that shows what a value is. */
class ExplainFault extends ScriptFault {
  override readonly details: Record<string, unknown>;
  constructor(value: Value) {
    super('painless_explain_error', null);
    this.details =
      value === null
        ? { to_string: 'null' }
        : { painless_class: canonicalNameOf(value), to_string: textOf(value), java_class: classNameOf(value) };
  }
}
defineClass('org.elasticsearch.painless.api.Debug', ['java.lang.Object'], {
  members: {
    'static void explain(Object)': (value: Value) => {
      throw new ExplainFault(value);
    },
  },
});
