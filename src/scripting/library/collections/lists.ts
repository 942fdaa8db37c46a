// java.util: List and its classes.
import { ENTRY_BYTES, spendBytes, spendSteps } from '../../java/budget.ts';
import { type ClassTable, defineClass, type Implementation } from '../../java/class-info.ts';
import { classNameOf } from '../../java/class-of.ts';
import { ArrayDeque, FixedSizeList, ImmutableList, LinkedList, Stack, Vector } from '../../java/collections.ts';
import { illegalArgument, noSuchElement, nullPointer, outOfBounds, raise } from '../../java/faults.ts';
import { compareNatural, equal, hashOf } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import type { Compare, Run } from './callbacks.ts';
import { checkMutable, checkResizable, type Items, listOf, replaceItems } from './collections.ts';
import { head, push, tail } from './queues.ts';

const at = (self: Value[], index: number): number => {
  if (index >= 0 && index < self.length) return index;
  return self instanceof LinkedList ? badPlace(self, index) : outOfBounds(index, self.length);
};
const badPlace = (self: Value[], index: number): never =>
  raise('java.lang.IndexOutOfBoundsException', `Index: ${index}, Size: ${self.length}`);

/** A member of nested maps and lists by its path: `a.0.b`. */
export function byPath(root: Value, path: string, other?: Value): Value {
  const parts = path.split('.');
  if (path === '') return illegalArgument('Missing path');
  let value = root;
  for (const [i, part] of parts.entries()) {
    const found = memberOf(value, part, i, path);
    if (found === undefined) {
      if (i < parts.length - 1)
        return illegalArgument(`Container does not have [${part}], for non-terminal index [${i}] in path [${path}]`);
      return other === undefined ? illegalArgument(`Could not find value at path [${path}]`) : other;
    }
    value = found;
  }
  return value;
}

/** @returns undefined if the container has no such member */
function memberOf(value: Value, part: string, i: number, path: string): Value {
  if (value instanceof Map) return value.has(part) ? value.get(part) : undefined;
  if (!Array.isArray(value)) {
    if (value === null || value === undefined) return nullPointer('Cannot invoke "Object.getClass()" because "obj" is null');
    return illegalArgument(`Non-container [${classNameOf(value)}] at [${part}], index [${i}] in path [${path}]`);
  }
  if (!/^[+-]?\d{1,10}$/.test(part))
    return illegalArgument(`Could not parse [${part}] as a int index into list at path [${path}] and index [${i}]`);
  return Number(part) < value.length ? value[at(value, Number(part))] : undefined;
}

const indexOf = (self: Value[], item: Value): number => {
  spendSteps(self.length);
  return self.findIndex((other) => equal(other, item));
};

/** Moving an entry takes this part of a step. */
const MOVED_PER_STEP = 256;

/** Counts the entries that move when one is inserted or removed at `index`. */
function spendMoves(self: readonly Value[], index: number): void {
  spendSteps(Math.ceil((self.length - index) / MOVED_PER_STEP));
}

const LIST: Readonly<Record<string, Implementation>> = {
  'void add(int,def)': (self: Value[], index: number, item: Value) => {
    checkResizable(self);
    if (index < 0 || index > self.length) badPlace(self, index);
    spendBytes(ENTRY_BYTES);
    spendMoves(self, index);
    self.splice(index, 0, item);
  },
  'boolean addAll(int,Collection)': (self: Value[], index: number, items: Items) => {
    checkResizable(self);
    if (index < 0 || index > self.length) badPlace(self, index);
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
  'ListIterator listIterator()': (self: Value[]) => new ListIterator(self, 0),
  'ListIterator listIterator(int)': (self: Value[], index: number) =>
    index < 0 || index > self.length ? badPlace(self, index) : new ListIterator(self, index),
  'def remove(int)': (self: Value[], index: number) => {
    checkResizable(self);
    const place = at(self, index);
    spendMoves(self, place);
    return self.splice(place, 1)[0];
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
  // Array.sort puts undefined last without calling the comparator; lists of scripts contain none.
  const sorted = [...self].sort((a, b) => order(a, b));
  sorted.forEach((item, i) => {
    self[i] = item;
  });
}

/** An iterator that may change its list. */
class ListIterator {
  readonly #list: Value[];
  #next: number;
  /** Index of the item that was returned last; -1 if it was removed, or none was. */
  #last = -1;
  constructor(list: Value[], next: number) {
    this.#list = list;
    this.#next = next;
  }
  get nextIndex(): number {
    return this.#next;
  }
  hasNext(): boolean {
    return this.#next < this.#list.length;
  }
  next(): Value {
    spendSteps(1);
    if (!this.hasNext()) return noSuchElement(null);
    this.#last = this.#next++;
    return this.#list[this.#last];
  }
  remove(): void {
    checkResizable(this.#list);
    const index = this.#place();
    spendMoves(this.#list, index);
    this.#list.splice(index, 1);
    this.#next = index;
    this.#last = -1;
  }
  set(item: Value): void {
    checkMutable(this.#list);
    this.#list[this.#place()] = item;
  }
  add(item: Value): void {
    checkResizable(this.#list);
    spendBytes(ENTRY_BYTES);
    spendMoves(this.#list, this.#next);
    this.#list.splice(this.#next++, 0, item);
    this.#last = -1;
  }
  #place(): number {
    return this.#last >= 0 ? this.#last : raise('java.lang.IllegalStateException', null);
  }
}
defineClass('java.util.ListIterator', ['java.util.Iterator'], {
  of: ListIterator,
  members: {
    'boolean hasNext()': (self: ListIterator) => self.hasNext(),
    'def next()': (self: ListIterator) => self.next(),
    'void remove()': (self: ListIterator) => self.remove(),
    'boolean hasPrevious()': (self: ListIterator) => self.nextIndex > 0,
    'int nextIndex()': (self: ListIterator) => self.nextIndex,
    'int previousIndex()': (self: ListIterator) => self.nextIndex - 1,
    'void set(def)': (self: ListIterator, item: Value) => self.set(item),
    'void add(def)': (self: ListIterator, item: Value) => self.add(item),
  },
});
defineClass('java.util.List', ['java.util.Collection'], { members: LIST });

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
