// java.util: Iterable, Collection, List, Set, Queue, Deque and the classes behind them.
import { ENTRY_BYTES, spendBytes, spendSteps } from '../java/budget.ts';
import { type ClassTable, defineClass, type Implementation } from '../java/class-info.ts';
import {
  ArrayDeque,
  FixedSizeList,
  HashSet,
  ImmutableList,
  JavaMap,
  JavaSet,
  LinkedHashSet,
  LinkedList,
  Stack,
  type TreeMap,
  TreeSet,
  Vector,
} from '../java/collections.ts';
import { illegalArgument, noSuchElement, outOfBounds, raise, unsupportedOperation } from '../java/faults.ts';
import { compareNatural, equal, hashOf, textOf } from '../java/objects.ts';
import { numeric, type Value } from '../java/values.ts';
import { streamOf } from './streams.ts';
import { defArray } from './text-array.ts';

export type Run = (...args: Value[]) => Value;
export type Test = (...args: Value[]) => boolean;
export type Compare = (a: Value, b: Value) => number;
type Items = Iterable<Value>;

/** Iterators of scripts: JavaScript's, with one item read ahead. */
export class JavaIterator {
  readonly #items: Iterator<Value>;
  readonly #remove: (item: Value) => void;
  #ahead: IteratorResult<Value> | null = null;
  #last: Value = null;

  constructor(items: Items, remove: (item: Value) => void = unsupportedOperation) {
    this.#items = items[Symbol.iterator]();
    this.#remove = remove;
  }

  hasNext(): boolean {
    this.#ahead ??= this.#items.next();
    return !this.#ahead.done;
  }

  next(): Value {
    spendSteps(1);
    if (!this.hasNext() || !this.#ahead) return noSuchElement(null);
    this.#last = this.#ahead.value;
    this.#ahead = null;
    return this.#last;
  }

  remove(): void {
    this.#remove(this.#last);
  }
}

defineClass('java.util.Iterator', ['java.lang.Object'], {
  of: JavaIterator,
  members: {
    'boolean hasNext()': (self: JavaIterator) => self.hasNext(),
    'def next()': (self: JavaIterator) => self.next(),
    'void remove()': (self: JavaIterator) => self.remove(),
    'void forEachRemaining(Consumer)': (self: JavaIterator, run: Run) => {
      while (self.hasNext()) run(self.next());
    },
  },
});

const listOf = (items: Items): Value[] => {
  const list = [...items];
  spendSteps(list.length);
  spendBytes((list.length + 1) * ENTRY_BYTES);
  return list;
};

export function group(items: Items, keyOf: Run): JavaMap {
  const map = new JavaMap();
  for (const item of items) {
    const key = keyOf(item);
    const known = map.get(key) as Value[] | undefined;
    if (known) known.push(item);
    else map.set(key, [item]);
  }
  return map;
}

function sumOf(items: Items): number {
  let sum = 0;
  for (const item of items) sum += Number(numeric(item) ?? raise('java.lang.ClassCastException', `${textOf(item)} is not a number`));
  return sum;
}

const addTo = (target: Value, item: Value): void => {
  if (Array.isArray(target)) target.push(item);
  else if (target instanceof JavaSet) target.add(item);
  else unsupportedOperation();
};

/** What Elasticsearch adds to everything that can be iterated over. */
const ITERABLE: Readonly<Record<string, Implementation>> = {
  'boolean any(Predicate)': (self: Items, test: Test) => listOf(self).some((item) => test(item)),
  'Collection asCollection()': (self: Items) => (Array.isArray(self) ? self : listOf(self)),
  'List asList()': (self: Items) => (Array.isArray(self) ? self : listOf(self)),
  'def each(Consumer)': (self: Items, run: Run) => {
    for (const item of listOf(self)) run(item);
    return self;
  },
  'def eachWithIndex(ObjIntConsumer)': (self: Items, run: Run) => {
    listOf(self).forEach((item, i) => run(item, i));
    return self;
  },
  'boolean every(Predicate)': (self: Items, test: Test) => listOf(self).every((item) => test(item)),
  'List findResults(Function)': (self: Items, run: Run) =>
    listOf(self)
      .map((item) => run(item))
      .filter((item) => item !== null),
  'void forEach(Consumer)': (self: Items, run: Run) => {
    for (const item of listOf(self)) run(item);
  },
  'Map groupBy(Function)': group,
  'Iterator iterator()': (self: Items) => new JavaIterator(listOf(self), (item) => removeItem(self, item)),
  'String join(String)': (self: Items, separator: string) => listOf(self).map(textOf).join(separator),
  'double sum()': sumOf,
  'double sum(ToDoubleFunction)': (self: Items, run: Run) => {
    let sum = 0;
    for (const item of listOf(self)) sum += run(item) as number;
    return sum;
  },
};
defineClass('java.lang.Iterable', ['java.lang.Object'], { members: ITERABLE });

function removeItem(self: Items, item: Value): boolean {
  if (self instanceof JavaSet) return self.delete(item);
  if (!Array.isArray(self)) return unsupportedOperation();
  checkResizable(self);
  const at = self.findIndex((other) => equal(other, item));
  if (at >= 0) self.splice(at, 1);
  return at >= 0;
}

const contains = (self: Items, item: Value): boolean => {
  if (self instanceof JavaSet) return self.has(item);
  const list = Array.isArray(self) ? self : [...self];
  spendSteps(list.length);
  return list.some((other) => equal(other, item));
};

const sizeOf = (self: Items): number => (Array.isArray(self) ? self.length : self instanceof JavaSet ? self.size : [...self].length);

/** Keeps the items that pass. @returns true if some did not */
function retain(self: Items, test: (item: Value) => boolean): boolean {
  const kept = listOf(self).filter(test);
  const isChanged = kept.length !== sizeOf(self);
  if (self instanceof JavaSet) {
    if (self.isFixed) unsupportedOperation();
    const set = new Set(kept);
    for (const item of listOf(self)) if (!set.has(item)) self.delete(item);
  } else if (Array.isArray(self)) {
    if (isChanged || isFixed(self)) checkResizable(self);
    replaceItems(self, kept);
  } else unsupportedOperation();
  return isChanged;
}

/** Replaces all items: a list of any length, which the arguments of a call could not hold. */
function replaceItems(self: Value[], items: readonly Value[]): void {
  self.length = items.length;
  items.forEach((item, i) => {
    self[i] = item;
  });
}

const isFixed = (self: Value[]): boolean => self instanceof FixedSizeList || self instanceof ImmutableList;

function checkResizable(self: Value[]): void {
  if (isFixed(self)) unsupportedOperation();
}

function checkMutable(self: Value[]): void {
  if (self instanceof ImmutableList) unsupportedOperation();
}

const split = (self: Items, test: Test): Value[] => {
  const [yes, no]: [Value[], Value[]] = [[], []];
  for (const item of listOf(self)) (test(item) ? yes : no).push(item);
  return [yes, no];
};

const COLLECTION: Readonly<Record<string, Implementation>> = {
  'boolean add(def)': (self: Items, item: Value) => {
    if (self instanceof JavaSet) return self.add(item);
    if (!Array.isArray(self)) return unsupportedOperation();
    checkResizable(self);
    spendBytes(ENTRY_BYTES);
    self.push(item);
    return true;
  },
  'boolean addAll(Collection)': (self: Items, items: Items) => {
    const before = sizeOf(self);
    const added = listOf(items);
    if (Array.isArray(self)) checkResizable(self);
    for (const item of added) addTo(self, item);
    return sizeOf(self) !== before;
  },
  'void clear()': (self: Items) => {
    if (self instanceof JavaSet) self.clear();
    else if (Array.isArray(self)) {
      if (self.length > 0) checkResizable(self);
      self.length = 0;
    } else unsupportedOperation();
  },
  'List collect(Function)': (self: Items, run: Run) => listOf(self).map((item) => run(item)),
  'def collect(Collection,Function)': (self: Items, target: Items, run: Run) => {
    for (const item of listOf(self)) addTo(target, run(item));
    return target;
  },
  'boolean contains(def)': contains,
  'boolean containsAll(Collection)': (self: Items, items: Items) => listOf(items).every((item) => contains(self, item)),
  'def find(Predicate)': (self: Items, test: Test) => listOf(self).find((item) => test(item)) ?? null,
  'List findAll(Predicate)': (self: Items, test: Test) => listOf(self).filter((item) => test(item)),
  'def findResult(Function)': (self: Items, run: Run) => findResult(self, null, run),
  'def findResult(def,Function)': findResult,
  'boolean isEmpty()': (self: Items) => sizeOf(self) === 0,
  'boolean removeAll(Collection)': (self: Items, items: Items) => {
    const gone = listOf(items);
    return retain(self, (item) => !contains(gone, item));
  },
  'boolean removeIf(Predicate)': (self: Items, test: Test) => retain(self, (item) => !test(item)),
  'boolean retainAll(Collection)': (self: Items, items: Items) => {
    const kept = listOf(items);
    return retain(self, (item) => contains(kept, item));
  },
  'int size()': sizeOf,
  'List split(Predicate)': split,
  'Stream stream()': streamOf,
  'def[] toArray()': (self: Items) => defArray(listOf(self)),
  'def[] toArray(def[])': (self: Items) => defArray(listOf(self)),
};
defineClass('java.util.Collection', ['java.lang.Iterable'], { members: COLLECTION });

function findResult(self: Items, other: Value, run: Run): Value {
  for (const item of listOf(self)) {
    const result = run(item);
    if (result !== null) return result;
  }
  return other;
}

const at = (self: Value[], index: number): number => (index < 0 || index >= self.length ? outOfBounds(index, self.length) : index);

/** A member of nested maps and lists by its path: `a.0.b`. */
export function byPath(root: Value, path: string, other?: Value): Value {
  const fallback = (reason: string): Value => (other === undefined ? illegalArgument(reason) : other);
  let value = root;
  for (const part of path.split('.')) {
    if (Array.isArray(value)) {
      const index = Number(part);
      if (!/^\d+$/.test(part)) return illegalArgument(`Could not parse [${part}] as a int index into list in path [${path}]`);
      if (index >= value.length) return fallback(`Index [${index}] out of bounds in path [${path}]`);
      value = value[index];
    } else if (value instanceof Map) {
      if (!value.has(part)) return fallback(`Could not find value for path [${path}]`);
      value = value.get(part);
    } else return fallback(`Non-container [${value === null ? 'null' : textOf(value)}] at [${part}], index [0] in path [${path}]`);
  }
  return value;
}

const indexOf = (self: Value[], item: Value): number => {
  spendSteps(self.length);
  return self.findIndex((other) => equal(other, item));
};

const LIST: Readonly<Record<string, Implementation>> = {
  'void add(int,def)': (self: Value[], index: number, item: Value) => {
    checkResizable(self);
    if (index < 0 || index > self.length) raise('java.lang.IndexOutOfBoundsException', `Index: ${index}, Size: ${self.length}`);
    spendBytes(ENTRY_BYTES);
    self.splice(index, 0, item);
  },
  'boolean addAll(int,Collection)': (self: Value[], index: number, items: Items) => {
    checkResizable(self);
    const added = listOf(items);
    replaceItems(self, [...self.slice(0, index), ...added, ...self.slice(index)]);
    return added.length > 0;
  },
  'boolean equals(Object)': (self: Value, other: Value) => equal(self, other),
  'def get(int)': (self: Value[], index: number) => self[at(self, index)],
  'Object getByPath(String)': (self: Value, path: string) => byPath(self, path),
  'Object getByPath(String,Object)': byPath,
  'int getLength()': (self: Value[]) => self.length,
  'int hashCode()': (self: Value) => hashOf(self),
  'int indexOf(def)': indexOf,
  'int lastIndexOf(def)': (self: Value[], item: Value) => self.findLastIndex((other) => equal(other, item)),
  'ListIterator listIterator()': (self: Value[]) => new JavaIterator([...self], (item) => removeItem(self, item)),
  'def remove(int)': (self: Value[], index: number) => {
    checkResizable(self);
    return self.splice(at(self, index), 1)[0];
  },
  'void replaceAll(UnaryOperator)': (self: Value[], run: Run) => {
    checkMutable(self);
    self.forEach((item, i) => {
      self[i] = run(item);
    });
  },
  'def set(int,def)': (self: Value[], index: number, item: Value) => {
    checkMutable(self);
    const before = self[at(self, index)];
    self[index] = item;
    return before;
  },
  'void sort(Comparator)': sortList,
  'List subList(int,int)': (self: Value[], from: number, to: number) => {
    if (from < 0) raise('java.lang.IndexOutOfBoundsException', `fromIndex = ${from}`);
    if (to > self.length) raise('java.lang.IndexOutOfBoundsException', `toIndex = ${to}`);
    if (from > to) raise('java.lang.IllegalArgumentException', `fromIndex(${from}) > toIndex(${to})`);
    return listOf(self.slice(from, to));
  },
};

export function sortList(self: Value[], compare: Compare | null): void {
  if (self.length > 1) checkMutable(self);
  spendSteps(self.length);
  const order = compare ?? compareNatural;
  // Array.sort puts undefined last without asking; lists of scripts have none.
  const sorted = [...self].sort((a, b) => order(a, b));
  sorted.forEach((item, i) => {
    self[i] = item;
  });
}

defineClass('java.util.ListIterator', ['java.util.Iterator']);
defineClass('java.util.List', ['java.util.Collection'], { members: LIST });
defineClass('java.util.Set', ['java.util.Collection'], {
  members: {
    'boolean remove(def)': (self: Items, item: Value) => removeItem(self, item),
    'boolean equals(Object)': (self: Value, other: Value) => equal(self, other),
    'int hashCode()': (self: Value) => hashOf(self),
  },
});
defineClass('java.util.SortedSet', ['java.util.Set']);
defineClass('java.util.NavigableSet', ['java.util.SortedSet']);

const head = (self: Value[]): Value => (self.length ? self[0] : noSuchElement(null));
const tail = (self: Value[]): Value => (self.length ? self[self.length - 1] : noSuchElement(null));
const push = (self: Value[], item: Value): void => {
  spendBytes(ENTRY_BYTES);
  self.push(item);
};
const unshift = (self: Value[], item: Value): void => {
  spendBytes(ENTRY_BYTES);
  spendSteps(1 + (self.length >> 6));
  self.unshift(item);
};
const added = (add: (self: Value[], item: Value) => void) => (self: Value[], item: Value) => {
  add(self, item);
  return true;
};
const removeFirst = (self: Value[]): Value => {
  head(self);
  return self.shift();
};
const removeLast = (self: Value[]): Value => {
  tail(self);
  return self.pop();
};
const QUEUE: Readonly<Record<string, Implementation>> = {
  'def element()': head,
  'boolean offer(def)': added(push),
  'def peek()': (self: Value[]) => self[0] ?? null,
  'def poll()': (self: Value[]) => self.shift() ?? null,
  'def remove()': removeFirst,
};
defineClass('java.util.Queue', ['java.util.Collection'], { members: QUEUE });
defineClass('java.util.Deque', ['java.util.Queue'], {
  members: {
    'void addFirst(def)': unshift,
    'void addLast(def)': push,
    'Iterator descendingIterator()': (self: Value[]) => new JavaIterator([...self].reverse()),
    'def getFirst()': head,
    'def getLast()': tail,
    'boolean offerFirst(def)': added(unshift),
    'boolean offerLast(def)': added(push),
    'def peekFirst()': (self: Value[]) => self[0] ?? null,
    'def peekLast()': (self: Value[]) => self[self.length - 1] ?? null,
    'def pollFirst()': (self: Value[]) => self.shift() ?? null,
    'def pollLast()': (self: Value[]) => self.pop() ?? null,
    'def pop()': removeFirst,
    'void push(def)': unshift,
    'boolean remove(def)': (self: Value[], item: Value) => removeItem(self, item),
    'def removeFirst()': removeFirst,
    'boolean removeFirstOccurrence(def)': (self: Value[], item: Value) => removeItem(self, item),
    'def removeLast()': removeLast,
  },
});

/** Constructors of a class of lists. */
function lists(make: () => Value[]): NonNullable<ClassTable['members']> {
  return {
    'new()': () => {
      spendBytes(ENTRY_BYTES);
      return make();
    },
    'new(Collection)': (items: Items) => {
      const list = make();
      for (const item of listOf(items)) list.push(item);
      return list;
    },
    'def clone()': (self: Value[]) => {
      const list = make();
      for (const item of listOf(self)) list.push(item);
      return list;
    },
  };
}
defineClass('java.util.AbstractCollection', ['java.util.Collection']);
defineClass('java.util.AbstractList', ['java.util.AbstractCollection', 'java.util.List']);
defineClass('java.util.ArrayList', ['java.util.AbstractList'], { members: { ...lists(() => []), 'void trimToSize()': () => {} } });
defineClass('java.util.LinkedList', ['java.util.AbstractList', 'java.util.Deque'], {
  of: LinkedList,
  members: lists(() => new LinkedList()),
});
defineClass('java.util.ArrayDeque', ['java.util.AbstractCollection', 'java.util.Deque'], {
  of: ArrayDeque,
  members: lists(() => new ArrayDeque()),
});
defineClass('java.util.Vector', ['java.util.AbstractList'], {
  of: Vector,
  members: {
    ...lists(() => new Vector()),
    'void addElement(def)': push,
    'def elementAt(int)': (self: Value[], index: number) => self[at(self, index)],
    'def firstElement()': head,
    'def lastElement()': tail,
    'void removeAllElements()': (self: Value[]) => {
      self.length = 0;
    },
  },
});
defineClass('java.util.Stack', ['java.util.Vector'], {
  of: Stack,
  members: {
    'new()': () => new Stack(),
    'boolean empty()': (self: Value[]) => self.length === 0,
    'def peek()': (self: Value[]) => (self.length ? tail(self) : raise('java.util.EmptyStackException', null)),
    'def pop()': (self: Value[]) => (self.length ? self.pop() : raise('java.util.EmptyStackException', null)),
    'def push(def)': (self: Value[], item: Value) => {
      push(self, item);
      return item;
    },
    'int search(def)': (self: Value[], item: Value) => {
      const found = self.findLastIndex((other) => equal(other, item));
      return found < 0 ? -1 : self.length - found;
    },
  },
});
defineClass('java.util.Arrays.ArrayList', ['java.util.List'], { of: FixedSizeList, javaName: 'java.util.Arrays$ArrayList' });
defineClass('java.util.Collections.UnmodifiableRandomAccessList', ['java.util.List'], {
  of: ImmutableList,
  javaName: 'java.util.Collections$UnmodifiableRandomAccessList',
});

function sets(make: () => JavaSet): NonNullable<ClassTable['members']> {
  const filled = (items: Items): JavaSet => {
    const set = make();
    for (const item of listOf(items)) set.add(item);
    return set;
  };
  return { 'new()': make, 'new(Collection)': filled, 'def clone()': filled };
}
defineClass('java.util.AbstractSet', ['java.util.AbstractCollection', 'java.util.Set'], { of: JavaSet });
defineClass('java.util.HashSet', ['java.util.AbstractSet'], { of: HashSet, members: sets(() => new HashSet()) });
defineClass('java.util.LinkedHashSet', ['java.util.HashSet'], { of: LinkedHashSet, members: sets(() => new LinkedHashSet()) });

const keysOf = (self: JavaSet): readonly Value[] => (self.map as TreeMap).sorted();
const orderOf = (self: JavaSet): Compare => (self.map as TreeMap).compare;
const edge = (self: JavaSet, index: number): Value => keysOf(self).at(index) ?? noSuchElement(null);
const near = (self: JavaSet, test: (order: number) => boolean, item: Value, isLast: boolean): Value => {
  const compare = orderOf(self);
  const accepts = (other: Value): boolean => test(compare(other, item));
  return (isLast ? keysOf(self).findLast(accepts) : keysOf(self).find(accepts)) ?? null;
};
const part = (self: JavaSet, test: (item: Value, compare: Compare) => boolean): TreeSet => {
  const compare = orderOf(self);
  const set = new TreeSet((self.map as TreeMap).isNatural ? null : compare);
  for (const item of keysOf(self)) if (test(item, compare)) set.add(item);
  return set;
};
defineClass('java.util.TreeSet', ['java.util.AbstractSet', 'java.util.NavigableSet'], {
  of: TreeSet,
  members: {
    'new()': () => new TreeSet(),
    'new(Comparator)': (compare: Compare | Items) => {
      if (typeof compare === 'function') return new TreeSet(compare);
      const set = new TreeSet();
      for (const item of listOf(compare)) set.add(item);
      return set;
    },
    'def first()': (self: JavaSet) => edge(self, 0),
    'def last()': (self: JavaSet) => edge(self, -1),
    'def ceiling(def)': (self: JavaSet, item: Value) => near(self, (order) => order >= 0, item, false),
    'def higher(def)': (self: JavaSet, item: Value) => near(self, (order) => order > 0, item, false),
    'def floor(def)': (self: JavaSet, item: Value) => near(self, (order) => order <= 0, item, true),
    'def lower(def)': (self: JavaSet, item: Value) => near(self, (order) => order < 0, item, true),
    'def pollFirst()': (self: JavaSet) => {
      const item = keysOf(self)[0] ?? null;
      self.delete(item);
      return item;
    },
    'def pollLast()': (self: JavaSet) => {
      const item = keysOf(self).at(-1) ?? null;
      self.delete(item);
      return item;
    },
    'Iterator descendingIterator()': (self: JavaSet) => new JavaIterator([...keysOf(self)].reverse()),
    'SortedSet headSet(def)': (self: JavaSet, to: Value) => part(self, (item, compare) => compare(item, to) < 0),
    'SortedSet tailSet(def)': (self: JavaSet, from: Value) => part(self, (item, compare) => compare(item, from) >= 0),
    'SortedSet subSet(def,def)': (self: JavaSet, from: Value, to: Value) =>
      part(self, (item, compare) => compare(item, from) >= 0 && compare(item, to) < 0),
  },
});

/** A queue that returns its least item first. */
class PriorityQueue {
  items: Value[] = [];
  readonly compare: Compare;
  constructor(compare: Compare) {
    this.compare = compare;
  }
  add(item: Value): boolean {
    spendBytes(ENTRY_BYTES);
    const after = this.items.findIndex((other) => this.compare(other, item) > 0);
    spendSteps(1 + (this.items.length >> 6));
    if (after < 0) this.items.push(item);
    else this.items.splice(after, 0, item);
    return true;
  }
  [Symbol.iterator](): Iterator<Value> {
    return this.items[Symbol.iterator]();
  }
}
defineClass('java.util.PriorityQueue', ['java.util.Queue'], {
  of: PriorityQueue,
  members: {
    'new()': () => new PriorityQueue(compareNatural),
    'new(Comparator)': (compare: Compare) => new PriorityQueue(compare),
    'boolean add(def)': (self: PriorityQueue, item: Value) => self.add(item),
    'boolean offer(def)': (self: PriorityQueue, item: Value) => self.add(item),
    'def peek()': (self: PriorityQueue) => self.items[0] ?? null,
    'def poll()': (self: PriorityQueue) => self.items.shift() ?? null,
    'def remove()': (self: PriorityQueue) => removeFirst(self.items),
    'int size()': (self: PriorityQueue) => self.items.length,
    'boolean isEmpty()': (self: PriorityQueue) => self.items.length === 0,
    'void clear()': (self: PriorityQueue) => {
      self.items = [];
    },
  },
});
