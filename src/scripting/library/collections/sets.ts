// java.util: Set, SortedSet, NavigableSet and their classes.
import { type ClassTable, defineClass } from '../../java/class-info.ts';
import { HashSet, JavaSet, LinkedHashSet, type TreeMap, TreeSet } from '../../java/collections.ts';
import { noSuchElement } from '../../java/faults.ts';
import { equal, hashOf } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import type { Compare } from './callbacks.ts';
import { type Items, JavaIterator, listOf, removeItem } from './collections.ts';

defineClass('java.util.Set', ['java.util.Collection'], {
  members: {
    'boolean remove(def)': (self: Items, item: Value) => removeItem(self, item),
    'boolean equals(Object)': (self: Value, other: Value) => equal(self, other),
    'int hashCode()': (self: Value) => hashOf(self),
  },
});
defineClass('java.util.SortedSet', ['java.util.Set']);
defineClass('java.util.NavigableSet', ['java.util.SortedSet']);

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
    'NavigableSet descendingSet()': (self: JavaSet) => {
      const compare = orderOf(self);
      const set = new TreeSet((a, b) => compare(b, a));
      for (const item of keysOf(self)) set.add(item);
      return set;
    },
    'NavigableSet headSet(def,boolean)': (self: JavaSet, to: Value, isIn: boolean) =>
      part(self, (item, compare) => compare(item, to) < (isIn ? 1 : 0)),
    'NavigableSet tailSet(def,boolean)': (self: JavaSet, from: Value, isIn: boolean) =>
      part(self, (item, compare) => compare(item, from) > (isIn ? -1 : 0)),
    'NavigableSet subSet(def,boolean,def,boolean)': (self: JavaSet, from: Value, isFromIn: boolean, to: Value, isToIn: boolean) =>
      part(self, (item, compare) => compare(item, from) > (isFromIn ? -1 : 0) && compare(item, to) < (isToIn ? 1 : 0)),
    'SortedSet headSet(def)': (self: JavaSet, to: Value) => part(self, (item, compare) => compare(item, to) < 0),
    'SortedSet tailSet(def)': (self: JavaSet, from: Value) => part(self, (item, compare) => compare(item, from) >= 0),
    'SortedSet subSet(def,def)': (self: JavaSet, from: Value, to: Value) =>
      part(self, (item, compare) => compare(item, from) >= 0 && compare(item, to) < 0),
  },
});
