// java.util: Iterator, Iterable and Collection. Lists, queues and sets have files of their own.
import { ENTRY_BYTES, spendBytes, spendSteps } from '../../java/budget.ts';
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { FixedSizeList, ImmutableList, JavaMap, JavaSet } from '../../java/collections.ts';
import { noSuchElement, raise, unsupportedOperation } from '../../java/faults.ts';
import { equal, textOf } from '../../java/objects.ts';
import { numeric, type Value } from '../../java/values.ts';
import type { Run, Test } from './callbacks.ts';
import { streamOf } from './streams.ts';
import { defArray } from './text-array.ts';
export type Items = Iterable<Value>;

/** An iterator of scripts: wraps one of JavaScript and reads one item ahead. */
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

export const listOf = (items: Items): Value[] => {
  const list = [...items];
  spendSteps(list.length);
  spendBytes((list.length + 1) * ENTRY_BYTES);
  return list;
};

function group(items: Items, keyOf: Run): JavaMap {
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

/** Methods that Elasticsearch adds to every Iterable. */
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

export function removeItem(self: Items, item: Value): boolean {
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

/** Keeps the items that pass the test. @returns true if some did not */
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
export function replaceItems(self: Value[], items: readonly Value[]): void {
  self.length = items.length;
  items.forEach((item, i) => {
    self[i] = item;
  });
}

const isFixed = (self: Value[]): boolean => self instanceof FixedSizeList || self instanceof ImmutableList;

export function checkResizable(self: Value[]): void {
  if (isFixed(self)) unsupportedOperation();
}

export function checkMutable(self: Value[]): void {
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
defineClass('java.util.AbstractCollection', ['java.util.Collection']);
