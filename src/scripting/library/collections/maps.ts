// java.util.Map and its implementations.
import { ENTRY_BYTES, spendBytes, spendSteps } from '../../java/budget.ts';
import { type ClassTable, defineClass, type Implementation } from '../../java/class-info.ts';
import { HashMap, ImmutableMap, JavaMap, type LinkedHashSet, MapEntry, TreeMap } from '../../java/collections.ts';
import { noSuchElement, nullPointer, unsupportedOperation } from '../../java/faults.ts';
import { compareNatural, equal, hashOf } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import type { Compare, Run, Test } from './callbacks.ts';
import { JavaIterator } from './collections.ts';
import { byPath } from './lists.ts';

type AnyMap = Map<Value, Value>;

const entriesOf = (self: AnyMap): MapEntry[] => {
  spendSteps(self.size);
  spendBytes((self.size + 1) * ENTRY_BYTES);
  return Array.from(self, ([key, value]) => new MapEntry(key, value, self));
};

/** keySet, values and entrySet: they show the map as it is when they are read, and removing from them removes from it. */
class MapView {
  readonly map: AnyMap;
  readonly kind: 'keys' | 'values' | 'entries';
  constructor(map: AnyMap, kind: 'keys' | 'values' | 'entries') {
    this.map = map;
    this.kind = kind;
  }
  [Symbol.iterator](): Iterator<Value> {
    if (this.kind === 'entries') return entriesOf(this.map)[Symbol.iterator]();
    return this.map[this.kind]();
  }
  keyOf(item: Value): Value {
    if (this.kind === 'keys') return item;
    if (this.kind === 'entries') return (item as MapEntry).key;
    for (const [key, value] of this.map) if (equal(value, item)) return key;
    return undefined;
  }
  remove(item: Value): boolean {
    const key = this.keyOf(item);
    return key !== undefined && removeKey(this.map, key);
  }
  retain(test: (item: Value) => boolean): boolean {
    const gone = [...this].filter((item) => !test(item)).map((item) => this.keyOf(item));
    for (const key of gone) removeKey(this.map, key);
    return gone.length > 0;
  }
  equalTo(other: Value): boolean {
    return (
      typeof other === 'object' && other !== null && Symbol.iterator in other && equal(new Set(this), new Set(other as Iterable<Value>))
    );
  }
}
class KeyView extends MapView {}

const VIEW: ClassTable['members'] = {
  'boolean add(def)': unsupportedOperation,
  'boolean addAll(Collection)': unsupportedOperation,
  'void clear()': (self: MapView) => self.map.clear(),
  'boolean contains(def)': (self: MapView, item: Value) =>
    self.kind === 'keys' ? self.map.has(item) : [...self].some((other) => equal(other, item)),
  'int size()': (self: MapView) => self.map.size,
  'boolean isEmpty()': (self: MapView) => self.map.size === 0,
  'boolean remove(def)': (self: MapView, item: Value) => self.remove(item),
  'boolean removeIf(Predicate)': (self: MapView, test: Test) => self.retain((item) => !test(item)),
  'Iterator iterator()': (self: MapView) => new JavaIterator([...self], (item) => self.remove(item)),
};
defineClass('java.util.HashMap.Values', ['java.util.Collection'], { of: MapView, members: VIEW, javaName: 'java.util.HashMap$Values' });
defineClass('java.util.HashMap.KeySet', ['java.util.Set'], { of: KeyView, members: VIEW, javaName: 'java.util.HashMap$KeySet' });

function checkMutable(self: AnyMap): void {
  if (self instanceof ImmutableMap) unsupportedOperation();
}

function put(self: AnyMap, key: Value, value: Value): Value {
  checkMutable(self);
  spendBytes(2 * ENTRY_BYTES);
  const before = self.get(key) ?? null;
  self.set(key, value);
  return before;
}

function removeKey(self: AnyMap, key: Value): boolean {
  checkMutable(self);
  return self.delete(key);
}

function compute(self: AnyMap, key: Value, value: Value): Value {
  if (value === null) removeKey(self, key);
  else if (self instanceof HashMap) {
    spendBytes(2 * ENTRY_BYTES);
    self.setFirst(key, value);
  } else put(self, key, value);
  return value;
}

const get = (self: AnyMap, key: Value): Value => self.get(key) ?? null;

function grouped(self: AnyMap, keyOf: Run): JavaMap {
  const groups = new JavaMap();
  for (const [key, value] of self) {
    const name = keyOf(key, value);
    let group = groups.get(name) as JavaMap | undefined;
    if (!group) groups.set(name, (group = new JavaMap()));
    group.set(key, value);
  }
  return groups;
}

function findResult(self: AnyMap, other: Value, run: Run): Value {
  for (const [key, value] of [...self]) {
    const result = run(key, value);
    if (result !== null) return result;
  }
  return other;
}

const collectInto = (self: AnyMap, target: Value, run: Run): Value => {
  for (const [key, value] of [...self]) {
    const item = run(key, value);
    if (Array.isArray(target)) target.push(item);
    else (target as LinkedHashSet).add(item);
  }
  return target;
};

const MAP: Readonly<Record<string, Implementation>> = {
  'void clear()': (self: AnyMap) => {
    checkMutable(self);
    self.clear();
  },
  'List collect(BiFunction)': (self: AnyMap, run: Run) => collectInto(self, [], run),
  'def collect(Collection,BiFunction)': collectInto,
  'def compute(def,BiFunction)': (self: AnyMap, key: Value, run: Run) => compute(self, key, run(key, get(self, key))),
  'def computeIfAbsent(def,Function)': (self: AnyMap, key: Value, run: Run) => {
    const known = get(self, key);
    return known === null ? compute(self, key, run(key)) : known;
  },
  'def computeIfPresent(def,BiFunction)': (self: AnyMap, key: Value, run: Run) => {
    const known = get(self, key);
    return known === null ? null : compute(self, key, run(key, known));
  },
  'boolean containsKey(def)': (self: AnyMap, key: Value) => self.has(key),
  'boolean containsValue(def)': (self: AnyMap, value: Value) => [...self.values()].some((other) => equal(other, value)),
  'int count(BiPredicate)': (self: AnyMap, test: Test) => [...self].filter(([key, value]) => test(key, value)).length,
  'def each(BiConsumer)': (self: AnyMap, run: Run) => {
    for (const [key, value] of [...self]) run(key, value);
    return self;
  },
  'Set entrySet()': (self: AnyMap) => new KeyView(self, 'entries'),
  'boolean equals(Object)': (self: Value, other: Value) => equal(self, other),
  'boolean every(BiPredicate)': (self: AnyMap, test: Test) => [...self].every(([key, value]) => test(key, value)),
  'Map.Entry find(BiPredicate)': (self: AnyMap, test: Test) => entriesOf(self).find(({ key, value }) => test(key, value)) ?? null,
  'Map findAll(BiPredicate)': (self: AnyMap, test: Test) => {
    const found = self instanceof TreeMap ? new TreeMap() : new HashMap();
    for (const [key, value] of [...self]) if (test(key, value)) found.set(key, value);
    return found;
  },
  'def findResult(BiFunction)': (self: AnyMap, run: Run) => findResult(self, null, run),
  'def findResult(def,BiFunction)': findResult,
  'List findResults(BiFunction)': (self: AnyMap, run: Run) =>
    [...self].map(([key, value]) => run(key, value)).filter((item) => item !== null),
  'void forEach(BiConsumer)': (self: AnyMap, run: Run) => {
    for (const [key, value] of [...self]) run(key, value);
  },
  'def get(def)': get,
  'Object getByPath(String)': (self: Value, path: string) => byPath(self, path),
  'Object getByPath(String,Object)': byPath,
  'def getOrDefault(def,def)': (self: AnyMap, key: Value, other: Value) => (self.has(key) ? get(self, key) : other),
  'Map groupBy(BiFunction)': grouped,
  'int hashCode()': (self: Value) => hashOf(self),
  'boolean isEmpty()': (self: AnyMap) => self.size === 0,
  'Set keySet()': (self: AnyMap) => new KeyView(self, 'keys'),
  'def merge(def,def,BiFunction)': (self: AnyMap, key: Value, value: Value, run: Run) => {
    if (value === null) return nullPointer(null);
    const known = get(self, key);
    return compute(self, key, known === null ? value : run(known, value));
  },
  'def put(def,def)': put,
  'void putAll(Map)': (self: AnyMap, other: AnyMap) => {
    for (const [key, value] of [...other]) put(self, key, value);
  },
  'def putIfAbsent(def,def)': (self: AnyMap, key: Value, value: Value) => {
    const known = get(self, key);
    if (known === null) put(self, key, value);
    return known;
  },
  'def remove(def)': (self: AnyMap, key: Value) => {
    const known = get(self, key);
    removeKey(self, key);
    return known;
  },
  'boolean remove(def,def)': (self: AnyMap, key: Value, value: Value) =>
    self.has(key) && equal(get(self, key), value) && removeKey(self, key),
  'def replace(def,def)': (self: AnyMap, key: Value, value: Value) => (self.has(key) ? put(self, key, value) : null),
  'boolean replace(def,def,def)': (self: AnyMap, key: Value, before: Value, after: Value) => {
    if (!self.has(key) || !equal(get(self, key), before)) return false;
    put(self, key, after);
    return true;
  },
  'void replaceAll(BiFunction)': (self: AnyMap, run: Run) => {
    for (const [key, value] of [...self]) put(self, key, run(key, value));
  },
  'int size()': (self: AnyMap) => self.size,
  'Collection values()': (self: AnyMap) => new MapView(self, 'values'),
};
defineClass('java.util.Map', ['java.lang.Object'], { members: MAP });
defineClass('java.util.Map.Entry', ['java.lang.Object'], {
  of: MapEntry,
  javaName: 'java.util.HashMap$Node',
  members: {
    'static Comparator comparingByKey()': () => (a: MapEntry, b: MapEntry) => compareNatural(a.key, b.key),
    'static Comparator comparingByKey(Comparator)': (compare: Compare) => (a: MapEntry, b: MapEntry) => compare(a.key, b.key),
    'static Comparator comparingByValue()': () => (a: MapEntry, b: MapEntry) => compareNatural(a.value, b.value),
    'static Comparator comparingByValue(Comparator)': (compare: Compare) => (a: MapEntry, b: MapEntry) => compare(a.value, b.value),
    'boolean equals(Object)': (self: Value, other: Value) => equal(self, other),
    'def getKey()': (self: MapEntry) => self.key,
    'def getValue()': (self: MapEntry) => self.value,
    'int hashCode()': (self: Value) => hashOf(self),
    'def setValue(def)': (self: MapEntry, value: Value) => self.replace(value),
  },
});
defineClass('java.util.SortedMap', ['java.util.Map']);
defineClass('java.util.NavigableMap', ['java.util.SortedMap']);
defineClass('java.util.AbstractMap', ['java.util.Map']);
for (const name of ['SimpleEntry', 'SimpleImmutableEntry'])
  defineClass(`java.util.AbstractMap.${name}`, ['java.util.Map.Entry'], {
    members: {
      'new(def,def)': (key: Value, value: Value) => new MapEntry(key, value),
      'new(Map.Entry)': (entry: MapEntry) => new MapEntry(entry.key, entry.value),
    },
  });

function maps(make: () => AnyMap): NonNullable<ClassTable['members']> {
  const filled = (other: AnyMap): AnyMap => {
    const map = make();
    for (const [key, value] of [...other]) put(map, key, value);
    return map;
  };
  return {
    'new()': () => {
      spendBytes(ENTRY_BYTES);
      return make();
    },
    'new(Map)': filled,
    'def clone()': filled,
  };
}
defineClass('java.util.HashMap', ['java.util.AbstractMap'], { of: HashMap, members: maps(() => new HashMap()) });
defineClass('java.util.Hashtable', ['java.util.Map'], { members: maps(() => new HashMap()) });
defineClass('java.util.IdentityHashMap', ['java.util.Map'], { members: maps(() => new HashMap()) });
defineClass('java.util.LinkedHashMap', ['java.util.HashMap'], { of: JavaMap, members: maps(() => new JavaMap()) });
defineClass('java.util.Collections.UnmodifiableMap', ['java.util.Map'], {
  of: ImmutableMap,
  javaName: 'java.util.Collections$UnmodifiableMap',
});

const entryAt = (self: TreeMap, key: Value): MapEntry | null =>
  key === undefined || key === null ? null : new MapEntry(key, get(self, key));
const near = (self: TreeMap, key: Value, test: (order: number) => boolean, isLast: boolean): Value => {
  const accepts = (other: Value): boolean => test(self.compare(other, key));
  return (isLast ? self.sorted().findLast(accepts) : self.sorted().find(accepts)) ?? null;
};
const part = (self: TreeMap, test: (key: Value) => boolean): TreeMap => {
  const map = new TreeMap(self.isNatural ? null : self.compare);
  for (const [key, value] of self) if (test(key)) map.set(key, value);
  return map;
};
const NEAREST: ReadonlyArray<readonly [name: string, test: (order: number) => boolean, isLast: boolean]> = [
  ['ceiling', (order) => order >= 0, false],
  ['higher', (order) => order > 0, false],
  ['floor', (order) => order <= 0, true],
  ['lower', (order) => order < 0, true],
];
const nearest: Record<string, Implementation> = {};
for (const [name, test, isLast] of NEAREST) {
  nearest[`def ${name}Key(def)`] = (self: TreeMap, key: Value) => near(self, key, test, isLast);
  nearest[`Map.Entry ${name}Entry(def)`] = (self: TreeMap, key: Value) => entryAt(self, near(self, key, test, isLast));
}

const poll = (self: TreeMap, index: number): MapEntry | null => {
  const entry = entryAt(self, self.sorted().at(index));
  if (entry) self.delete(entry.key);
  return entry;
};
defineClass('java.util.TreeMap', ['java.util.AbstractMap', 'java.util.NavigableMap'], {
  of: TreeMap,
  members: {
    'new()': () => new TreeMap(),
    'new(Comparator)': (compare: Compare | AnyMap) => {
      if (typeof compare === 'function') return new TreeMap(compare);
      const map = new TreeMap();
      for (const [key, value] of compare) map.set(key, value);
      return map;
    },
    ...nearest,
    'def firstKey()': (self: TreeMap) => self.sorted()[0] ?? noSuchElement(null),
    'def lastKey()': (self: TreeMap) => self.sorted().at(-1) ?? noSuchElement(null),
    'Map.Entry firstEntry()': (self: TreeMap) => entryAt(self, self.sorted()[0]),
    'Map.Entry lastEntry()': (self: TreeMap) => entryAt(self, self.sorted().at(-1)),
    'Map.Entry pollFirstEntry()': (self: TreeMap) => poll(self, 0),
    'Map.Entry pollLastEntry()': (self: TreeMap) => poll(self, -1),
    'NavigableMap descendingMap()': (self: TreeMap) => {
      const map = new TreeMap((a, b) => self.compare(b, a));
      for (const [key, value] of self) map.set(key, value);
      return map;
    },
    'SortedMap headMap(def)': (self: TreeMap, to: Value) => part(self, (key) => self.compare(key, to) < 0),
    'SortedMap tailMap(def)': (self: TreeMap, from: Value) => part(self, (key) => self.compare(key, from) >= 0),
    'SortedMap subMap(def,def)': (self: TreeMap, from: Value, to: Value) =>
      part(self, (key) => self.compare(key, from) >= 0 && self.compare(key, to) < 0),
  },
});
