// java.util.stream.Collectors.
import { type ClassTable, defineClass, type Implementation } from '../../java/class-info.ts';
import { HashMap, HashSet, JavaMap, type JavaSet } from '../../java/collections.ts';
import { nullPointer, raise } from '../../java/faults.ts';
import { textOf } from '../../java/objects.ts';
import { Double, type Value } from '../../java/values.ts';
import { fromPlain } from '../../runtime/conversions.ts';
import type { Compare, Run, Test } from './callbacks.ts';
import { JavaOptional, none, some } from './optionals.ts';
import { extreme, PLAIN_TYPES, reduceAll } from './reductions.ts';
import { DoubleStatistics, IntStatistics, LongStatistics, type Statistics } from './statistics.ts';

/** A Collector, which reduces the items of a stream to one value. */
type Collector = (items: readonly Value[]) => Value;
export class JavaCollector {
  readonly collect: Collector;
  constructor(collect: Collector) {
    this.collect = collect;
  }
}

defineClass('java.util.stream.Collector', ['java.lang.Object'], { of: JavaCollector });

const collector = (collect: Collector): JavaCollector => new JavaCollector(collect);
const TO_LIST = collector((items) => [...items]);

function grouped(items: readonly Value[], keyOf: Run, map: Map<Value, Value>, downstream: JavaCollector): Map<Value, Value> {
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) nullPointer('element cannot be mapped to a null key');
    const group = map.get(key) as Value[] | undefined;
    if (group) group.push(item);
    else if (map instanceof HashMap) map.setFirst(key, [item]);
    else map.set(key, [item]);
  }
  for (const key of [...map.keys()]) map.set(key, downstream.collect(map.get(key) as Value[]));
  return map;
}

function partitioned(items: readonly Value[], test: Test, downstream: JavaCollector): Map<Value, Value> {
  const map = new JavaMap();
  for (const side of [false, true]) map.set(side, downstream.collect(items.filter((item) => test(item) === side)));
  return map;
}

function toMap(items: readonly Value[], keyOf: Run, valueOf: Run, merge: Run | null, map: Map<Value, Value>): Map<Value, Value> {
  for (const item of items) {
    const key = keyOf(item);
    const value = valueOf(item);
    if (!map.has(key)) map.set(key, value);
    else if (merge) map.set(key, merge(map.get(key), value));
    else
      raise(
        'java.lang.IllegalStateException',
        `Duplicate key ${textOf(key)} (attempted merging values ${textOf(map.get(key))} and ${textOf(value)})`,
      );
  }
  return map;
}

function joining(separator: Value = '', prefix: Value = '', suffix: Value = ''): JavaCollector {
  return collector((items) => textOf(prefix) + items.map(textOf).join(textOf(separator)) + textOf(suffix));
}

const statisticsBy = (make: () => Statistics, run: Run, result: (all: Statistics) => Value): JavaCollector =>
  collector((items) => {
    const all = make();
    for (const item of items) all.accept(run(item) as number | bigint);
    return result(all);
  });

function collectorsOf(name: 'Int' | 'Long' | 'Double', make: () => Statistics): Record<string, Implementation> {
  return {
    [`static Collector averaging${name}(To${name}Function)`]: (run: Run) => statisticsBy(make, run, (all) => new Double(all.average)),
    [`static Collector summarizing${name}(To${name}Function)`]: (run: Run) => statisticsBy(make, run, (all) => all),
    [`static Collector summing${name}(To${name}Function)`]: (run: Run) =>
      statisticsBy(make, run, ({ sum }) => (name === 'Int' ? Number(BigInt.asIntN(32, sum as bigint)) : fromPlain(sum, PLAIN_TYPES[name]))),
  };
}

const COLLECTORS: ClassTable['members'] = {
  ...collectorsOf('Int', () => new IntStatistics()),
  ...collectorsOf('Long', () => new LongStatistics()),
  ...collectorsOf('Double', () => new DoubleStatistics()),
  'static Collector collectingAndThen(Collector,Function)': (inner: JavaCollector, run: Run) =>
    collector((items) => run(inner.collect(items))),
  'static Collector counting()': () => collector((items) => BigInt(items.length)),
  'static Collector groupingBy(Function)': (run: Run) => collector((items) => grouped(items, run, new HashMap(), TO_LIST)),
  'static Collector groupingBy(Function,Collector)': (run: Run, inner: JavaCollector) =>
    collector((items) => grouped(items, run, new HashMap(), inner)),
  'static Collector groupingBy(Function,Supplier,Collector)': (run: Run, supply: Run, inner: JavaCollector) =>
    collector((items) => grouped(items, run, supply() as Map<Value, Value>, inner)),
  'static Collector joining()': () => joining(),
  'static Collector joining(CharSequence)': joining,
  'static Collector joining(CharSequence,CharSequence,CharSequence)': joining,
  'static Collector mapping(Function,Collector)': (run: Run, inner: JavaCollector) =>
    collector((items) => inner.collect(items.map((item) => run(item)))),
  'static Collector maxBy(Comparator)': (compare: Compare) =>
    collector((items) =>
      items.length
        ? some(
            JavaOptional,
            extreme(items, (a, b) => (compare(a, b) > 0 ? 1 : -1), 1),
          )
        : none(JavaOptional),
    ),
  'static Collector minBy(Comparator)': (compare: Compare) =>
    collector((items) => (items.length ? some(JavaOptional, extreme(items, compare, -1)) : none(JavaOptional))),
  'static Collector partitioningBy(Predicate)': (test: Test) => collector((items) => partitioned(items, test, TO_LIST)),
  'static Collector partitioningBy(Predicate,Collector)': (test: Test, inner: JavaCollector) =>
    collector((items) => partitioned(items, test, inner)),
  'static Collector reducing(BinaryOperator)': (run: Run) => collector((items) => reduceAll(items, run, JavaOptional)),
  'static Collector reducing(def,BinaryOperator)': (start: Value, run: Run) =>
    collector((items) => items.reduce((a, b) => run(a, b), start)),
  'static Collector reducing(def,Function,BinaryOperator)': (start: Value, map: Run, run: Run) =>
    collector((items) => items.reduce((a, b) => run(a, map(b)), start)),
  'static Collector toCollection(Supplier)': (supply: Run) =>
    collector((items) => {
      const target = supply();
      for (const item of items) {
        if (Array.isArray(target)) target.push(item);
        else (target as JavaSet).add(item);
      }
      return target;
    }),
  'static Collector toList()': () => TO_LIST,
  'static Collector toMap(Function,Function)': (key: Run, value: Run) =>
    collector((items) => toMap(items, key, value, null, new HashMap())),
  'static Collector toMap(Function,Function,BinaryOperator)': (key: Run, value: Run, merge: Run) =>
    collector((items) => toMap(items, key, value, merge, new HashMap())),
  'static Collector toMap(Function,Function,BinaryOperator,Supplier)': (key: Run, value: Run, merge: Run, supply: Run) =>
    collector((items) => toMap(items, key, value, merge, supply() as Map<Value, Value>)),
  'static Collector toSet()': () =>
    collector((items) => {
      const set = new HashSet();
      for (const item of items) set.add(item);
      return set;
    }),
};
defineClass('java.util.stream.Collectors', ['java.lang.Object'], { members: COLLECTORS });
