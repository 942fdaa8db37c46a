// java.util: Queue, Deque and PriorityQueue.
import { ENTRY_BYTES, spendBytes, spendSteps } from '../../java/budget.ts';
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { noSuchElement } from '../../java/faults.ts';
import { compareNatural, equal } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import type { Compare } from './callbacks.ts';
import { type Items, JavaIterator, listOf, removeItem } from './collections.ts';

export const head = (self: Value[]): Value => (self.length ? self[0] : noSuchElement(null));
export const tail = (self: Value[]): Value => (self.length ? self[self.length - 1] : noSuchElement(null));
export const push = (self: Value[], item: Value): void => {
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
  /** Keeps the items that pass the test. @returns true if some did not */
  keep(test: (item: Value) => boolean): boolean {
    spendSteps(this.items.length);
    const before = this.items.length;
    this.items = this.items.filter(test);
    return this.items.length !== before;
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
    'boolean addAll(Collection)': (self: PriorityQueue, items: Items) => {
      const added = listOf(items);
      for (const item of added) self.add(item);
      return added.length > 0;
    },
    'boolean removeAll(Collection)': (self: PriorityQueue, items: Items) => {
      const gone = listOf(items);
      return self.keep((item) => !gone.some((other) => equal(other, item)));
    },
    'boolean retainAll(Collection)': (self: PriorityQueue, items: Items) => {
      const kept = listOf(items);
      return self.keep((item) => kept.some((other) => equal(other, item)));
    },
    'boolean removeIf(Predicate)': (self: PriorityQueue, test: (item: Value) => boolean) => self.keep((item) => !test(item)),
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
