// java.util.stream, Optional and the statistics. Streams are lists that are walked at once: those of scripts are short, and without side effects that
// could tell the difference.

import { javaDouble } from '../../common/java-text.ts';
import { ENTRY_BYTES, spendBytes, spendSteps } from '../java/budget.ts';
import { type ClassTable, DOUBLE, defineClass, type Implementation, INT, LONG, type Type } from '../java/class-info.ts';
import { HashMap, HashSet, JavaMap, type JavaSet } from '../java/collections.ts';
import { noSuchElement, nullPointer, raise } from '../java/faults.ts';
import { compareDoubles, compareNatural, equal, hashOf, textOf } from '../java/objects.ts';
import { Double, type Value } from '../java/values.ts';
import { fromPlain } from '../runtime/conversions.ts';
import { throwException } from '../runtime/exceptions.ts';
import { defArray } from './text-array.ts';

type Run = (...args: Value[]) => Value;
type Test = (value: Value) => boolean;
type Compare = (a: Value, b: Value) => number;

/** Items in their plain form, for streams of primitives. */
class StreamBase {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    spendSteps(items.length);
    spendBytes((items.length + 1) * ENTRY_BYTES);
    this.items = items;
  }
}
class ObjectStream extends StreamBase {}
class IntStream extends StreamBase {}
class LongStream extends StreamBase {}
class DoubleStream extends StreamBase {}

export const streamOf = (items: Iterable<Value>): ObjectStream => new ObjectStream([...items]);
export const intStreamOf = (items: Iterable<number>): IntStream => new IntStream([...items]);

/** Optional and those of primitives, which hold the plain form. */
class JavaOptional {
  readonly value: Value;
  readonly isPresent: boolean;
  constructor(value: Value, isPresent: boolean) {
    this.value = value;
    this.isPresent = isPresent;
  }
  equalTo(other: Value): boolean {
    return (
      other instanceof JavaOptional && this.isPresent === other.isPresent && (this.value === other.value || equal(this.value, other.value))
    );
  }
  hash(): number {
    return this.isPresent ? hashOf(this.value) : 0;
  }
  toString(): string {
    return this.isPresent ? `Optional[${textOf(this.value)}]` : 'Optional.empty';
  }
}
class OptionalInt extends JavaOptional {
  override toString(): string {
    return this.isPresent ? `OptionalInt[${this.value}]` : 'OptionalInt.empty';
  }
}
class OptionalLong extends JavaOptional {
  override toString(): string {
    return this.isPresent ? `OptionalLong[${this.value}]` : 'OptionalLong.empty';
  }
}
class OptionalDouble extends JavaOptional {
  override toString(): string {
    return this.isPresent ? `OptionalDouble[${javaDouble(this.value as number)}]` : 'OptionalDouble.empty';
  }
}

type MakeOptional = new (value: Value, isPresent: boolean) => JavaOptional;
const some = (Kind: MakeOptional, value: Value): JavaOptional => new Kind(value, true);
const none = (Kind: MakeOptional): JavaOptional => new Kind(null, false);
const getOf = (self: JavaOptional): Value => (self.isPresent ? self.value : noSuchElement('No value present'));
const orElseThrow = (self: JavaOptional, supply: Run): Value => (self.isPresent ? self.value : throwException(supply()));

defineClass('java.util.Optional', ['java.lang.Object'], {
  of: JavaOptional,
  members: {
    'static Optional empty()': () => none(JavaOptional),
    'static Optional of(def)': (value: Value) => (value === null ? nullPointer(null) : some(JavaOptional, value)),
    'static Optional ofNullable(def)': (value: Value) => new JavaOptional(value, value !== null),
    'Optional filter(Predicate)': (self: JavaOptional, test: Test) => (self.isPresent && !test(self.value) ? none(JavaOptional) : self),
    'Optional flatMap(Function)': (self: JavaOptional, run: Run) => (self.isPresent ? run(self.value) : self),
    'def get()': getOf,
    'void ifPresent(Consumer)': (self: JavaOptional, run: Run) => {
      if (self.isPresent) run(self.value);
    },
    'boolean isPresent()': (self: JavaOptional) => self.isPresent,
    'Optional map(Function)': (self: JavaOptional, run: Run) => {
      if (!self.isPresent) return self;
      const value = run(self.value);
      return new JavaOptional(value, value !== null);
    },
    'def orElse(def)': (self: JavaOptional, other: Value) => (self.isPresent ? self.value : other),
    'def orElseGet(Supplier)': (self: JavaOptional, supply: Run) => (self.isPresent ? self.value : supply()),
    'def orElseThrow(Supplier)': orElseThrow,
  },
});
for (const [name, type, Kind] of [
  ['Int', 'int', OptionalInt],
  ['Long', 'long', OptionalLong],
  ['Double', 'double', OptionalDouble],
] as const)
  defineClass(`java.util.Optional${name}`, ['java.lang.Object'], {
    of: Kind,
    members: {
      [`static Optional${name} empty()`]: () => none(Kind),
      [`static Optional${name} of(${type})`]: (value: Value) => some(Kind, value),
      [`${type} getAs${name}()`]: getOf,
      [`void ifPresent(${name}Consumer)`]: (self: JavaOptional, run: Run) => {
        if (self.isPresent) run(self.value);
      },
      'boolean isPresent()': (self: JavaOptional) => self.isPresent,
      [`${type} orElse(${type})`]: (self: JavaOptional, other: Value) => (self.isPresent ? self.value : other),
      [`${type} orElseGet(${name}Supplier)`]: (self: JavaOptional, supply: Run) => (self.isPresent ? self.value : supply()),
      [`${type} orElseThrow(Supplier)`]: orElseThrow,
    },
  });

/** IntSummaryStatistics and its kin; values in their plain form. */
class Statistics {
  count = 0;
  sum: number | bigint;
  min: number | bigint;
  max: number | bigint;
  constructor(zero: number | bigint, most: number | bigint, least: number | bigint) {
    this.sum = zero;
    this.min = most;
    this.max = least;
  }
  accept(value: number | bigint): void {
    this.count++;
    this.sum = typeof this.sum === 'bigint' ? BigInt.asIntN(64, this.sum + BigInt(value)) : this.sum + Number(value);
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }
  get average(): number {
    return this.count === 0 ? 0 : Number(this.sum) / this.count;
  }
}
class IntStatistics extends Statistics {
  constructor() {
    super(0n, 2147483647, -2147483648);
  }
  override toString(): string {
    return `IntSummaryStatistics{count=${this.count}, sum=${this.sum}, min=${this.min}, average=${this.average.toFixed(6)}, max=${this.max}}`;
  }
}
class LongStatistics extends Statistics {
  constructor() {
    super(0n, 2n ** 63n - 1n, -(2n ** 63n));
  }
  override toString(): string {
    return `LongSummaryStatistics{count=${this.count}, sum=${this.sum}, min=${this.min}, average=${this.average.toFixed(6)}, max=${this.max}}`;
  }
}
class DoubleStatistics extends Statistics {
  constructor() {
    super(0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
  }
  override toString(): string {
    const text = (value: number | bigint): string => Number(value).toFixed(6);
    return `DoubleSummaryStatistics{count=${this.count}, sum=${text(this.sum)}, min=${text(this.min)}, average=${text(this.average)}, max=${text(this.max)}}`;
  }
}
for (const [name, type, sum, Kind] of [
  ['Int', 'int', 'long', IntStatistics],
  ['Long', 'long', 'long', LongStatistics],
  ['Double', 'double', 'double', DoubleStatistics],
] as const)
  defineClass(`java.util.${name}SummaryStatistics`, [`java.util.function.${name}Consumer`], {
    of: Kind,
    members: {
      'new()': () => new Kind(),
      [`void accept(${type})`]: (self: Statistics, value: number | bigint) => self.accept(value),
      'double getAverage()': (self: Statistics) => self.average,
      'long getCount()': (self: Statistics) => BigInt(self.count),
      [`${type} getMax()`]: (self: Statistics) => self.max,
      [`${type} getMin()`]: (self: Statistics) => self.min,
      [`${sum} getSum()`]: (self: Statistics) => self.sum,
      'String toString()': String,
    },
  });

type MakeStream = new (items: readonly Value[]) => StreamBase;

interface Kind {
  /** `Int` for IntStream, empty for Stream. */
  readonly name: '' | 'Int' | 'Long' | 'Double';
  readonly make: MakeStream;
  readonly optional: MakeOptional;
  /** Type of the elements in signatures. */
  readonly item: string;
  readonly compare: Compare;
}

const KINDS: readonly Kind[] = [
  { name: '', make: ObjectStream, optional: JavaOptional, item: 'def', compare: compareNatural },
  { name: 'Int', make: IntStream, optional: OptionalInt, item: 'int', compare: (a, b) => (a as number) - (b as number) },
  { name: 'Long', make: LongStream, optional: OptionalLong, item: 'long', compare: compareNatural },
  {
    name: 'Double',
    make: DoubleStream,
    optional: OptionalDouble,
    item: 'double',
    compare: (a, b) => compareDoubles(a as number, b as number),
  },
];
const kindOf = (name: Kind['name']): Kind => KINDS.find((kind) => kind.name === name) ?? KINDS[0];
const PLAIN_TYPES: Readonly<Record<string, Type>> = { Int: INT, Long: LONG, Double: DOUBLE };

const first = (items: readonly Value[], Kind: MakeOptional): JavaOptional => (items.length ? some(Kind, items[0]) : none(Kind));

/** The greatest item by a comparator, the first of equal ones. */
function extreme(items: readonly Value[], compare: Compare, sign: 1 | -1): Value {
  return items.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}

function distinct(items: readonly Value[]): Value[] {
  const seen = new JavaMap();
  for (const item of items) seen.set(item, true);
  return [...seen.keys()];
}

function reduceAll(items: readonly Value[], run: Run, Kind: MakeOptional): JavaOptional {
  return items.length
    ? some(
        Kind,
        items.reduce((a, b) => run(a, b)),
      )
    : none(Kind);
}

/** Methods that all streams have. */
function common({ name, make: Make, optional, item, compare }: Kind): Record<string, Implementation> {
  const self = `${name}Stream`;
  const of = (items: readonly Value[]): StreamBase => new Make(items);
  return {
    [`boolean allMatch(${name}Predicate)`]: (s: StreamBase, test: Test) => s.items.every((value) => test(value)),
    [`boolean anyMatch(${name}Predicate)`]: (s: StreamBase, test: Test) => s.items.some((value) => test(value)),
    [`boolean noneMatch(${name}Predicate)`]: (s: StreamBase, test: Test) => !s.items.some((value) => test(value)),
    'long count()': (s: StreamBase) => BigInt(s.items.length),
    [`${self} distinct()`]: (s: StreamBase) => of(distinct(s.items)),
    [`${self} filter(${name}Predicate)`]: (s: StreamBase, test: Test) => of(s.items.filter((value) => test(value))),
    [`Optional${name} findAny()`]: (s: StreamBase) => first(s.items, optional),
    [`Optional${name} findFirst()`]: (s: StreamBase) => first(s.items, optional),
    [`void forEach(${name}Consumer)`]: (s: StreamBase, run: Run) => s.items.forEach((value) => run(value)),
    [`void forEachOrdered(${name}Consumer)`]: (s: StreamBase, run: Run) => s.items.forEach((value) => run(value)),
    [`${self} limit(long)`]: (s: StreamBase, count: bigint) =>
      count < 0n ? raise('java.lang.IllegalArgumentException', String(count)) : of(s.items.slice(0, Number(count))),
    [`${self} skip(long)`]: (s: StreamBase, count: bigint) =>
      count < 0n ? raise('java.lang.IllegalArgumentException', String(count)) : of(s.items.slice(Number(count))),
    [`${self} peek(${name}Consumer)`]: (s: StreamBase, run: Run) => {
      s.items.forEach((value) => run(value));
      return s;
    },
    [`${self} sorted()`]: (s: StreamBase) => of([...s.items].sort(compare)),
    [`${self} sequential()`]: (s: StreamBase) => s,
    'BaseStream unordered()': (s: StreamBase) => s,
    'boolean isParallel()': () => false,
    'void close()': () => {},
    'Iterator iterator()': (s: StreamBase) =>
      s.items.map((value) => (name === '' ? value : fromPlain(value, PLAIN_TYPES[name])))[Symbol.iterator](),
    [`${item} reduce(${item},${name === '' ? 'BinaryOperator' : `${name}BinaryOperator`})`]: (s: StreamBase, start: Value, run: Run) =>
      s.items.reduce((a, b) => run(a, b), start),
    [`Optional${name} reduce(${name === '' ? 'BinaryOperator' : `${name}BinaryOperator`})`]: (s: StreamBase, run: Run) =>
      reduceAll(s.items, run, optional),
    [`static ${self} concat(${self},${self})`]: (a: StreamBase, b: StreamBase) => of([...a.items, ...b.items]),
    [`static ${self} empty()`]: () => of([]),
    [`static ${self} of(${item}[])`]: (items: { items?: Value[] } & Iterable<Value>) => of(items.items ?? [...items]),
    [`${self} flatMap(${name}Function)`]: (s: StreamBase, run: Run) =>
      of(s.items.flatMap((value) => [...(run(value) as StreamBase).items])),
  };
}

const mapTo = (target: Kind['name']): Implementation => {
  const { make: Make } = kindOf(target);
  return (s: StreamBase, run: Run) => new Make(s.items.map((value) => run(value)));
};
const flatMapTo = (target: Kind['name']): Implementation => {
  const { make: Make } = kindOf(target);
  return (s: StreamBase, run: Run) => new Make(s.items.flatMap((value) => [...(run(value) as StreamBase).items]));
};

/** Methods of streams of numbers. */
function numericStream(kind: Kind): Record<string, Implementation> {
  const { name, make: Make, optional, item, compare } = kind;
  const type = PLAIN_TYPES[name];
  const statistics = (s: StreamBase): Statistics => {
    const all = name === 'Int' ? new IntStatistics() : name === 'Long' ? new LongStatistics() : new DoubleStatistics();
    for (const value of s.items) all.accept(value as number | bigint);
    return all;
  };
  const sum = (s: StreamBase): Value => {
    const { sum: total } = statistics(s);
    return name === 'Int' ? Number(BigInt.asIntN(32, total as bigint)) : total;
  };
  const members: Record<string, Implementation> = {
    'OptionalDouble average()': (s: StreamBase) => (s.items.length ? some(OptionalDouble, statistics(s).average) : none(OptionalDouble)),
    'Stream boxed()': (s: StreamBase) => new ObjectStream(s.items.map((value) => fromPlain(value, type))),
    [`${name}Stream map(${name}UnaryOperator)`]: (s: StreamBase, run: Run) => new Make(s.items.map((value) => run(value))),
    [`Stream mapToObj(${name}Function)`]: mapTo(''),
    [`Optional${name} max()`]: (s: StreamBase) => (s.items.length ? some(optional, extreme(s.items, compare, 1)) : none(optional)),
    [`Optional${name} min()`]: (s: StreamBase) => (s.items.length ? some(optional, extreme(s.items, compare, -1)) : none(optional)),
    [`${item} sum()`]: sum,
    [`${name}SummaryStatistics summaryStatistics()`]: statistics,
    [`def collect(Supplier,Obj${name}Consumer,BiConsumer)`]: (s: StreamBase, supply: Run, accept: Run) => {
      const container = supply();
      for (const value of s.items) accept(container, value);
      return container;
    },
    [`${item}[] toArray()`]: (s: StreamBase) =>
      name === 'Int'
        ? Int32Array.from(s.items as number[])
        : name === 'Long'
          ? BigInt64Array.from(s.items as bigint[])
          : Float64Array.from(s.items as number[]),
  };
  for (const other of ['Int', 'Long', 'Double'] as const)
    if (other !== name) members[`${other}Stream mapTo${other}(${name}To${other}Function)`] = mapTo(other);
  if (name !== 'Double') members['DoubleStream asDoubleStream()'] = (s: StreamBase) => new DoubleStream(s.items.map(Number));
  if (name === 'Int')
    members['LongStream asLongStream()'] = (s: StreamBase) => new LongStream(s.items.map((value) => BigInt(value as number)));
  return members;
}

const MAX_RANGE = 1_000_000;

function range(from: number, to: number): StreamBase {
  const length = Math.max(0, to - from);
  spendSteps(Math.min(length, MAX_RANGE * 10));
  return new IntStream(Array.from({ length }, (_, i) => from + i));
}

defineClass('java.util.stream.BaseStream', ['java.lang.Object']);
/** A Collector: what the items of a stream become. */
type Collector = (items: readonly Value[]) => Value;
class JavaCollector {
  readonly collect: Collector;
  constructor(collect: Collector) {
    this.collect = collect;
  }
}

defineClass('java.util.stream.Stream', ['java.util.stream.BaseStream'], {
  of: ObjectStream,
  members: {
    ...common(KINDS[0]),
    'def collect(Collector)': (s: StreamBase, collector: JavaCollector) => collector.collect(s.items),
    'def collect(Supplier,BiConsumer,BiConsumer)': (s: StreamBase, supply: Run, accept: Run) => {
      const container = supply();
      for (const value of s.items) accept(container, value);
      return container;
    },
    'Stream map(Function)': mapTo(''),
    'IntStream mapToInt(ToIntFunction)': mapTo('Int'),
    'LongStream mapToLong(ToLongFunction)': mapTo('Long'),
    'DoubleStream mapToDouble(ToDoubleFunction)': mapTo('Double'),
    'IntStream flatMapToInt(Function)': flatMapTo('Int'),
    'LongStream flatMapToLong(Function)': flatMapTo('Long'),
    'DoubleStream flatMapToDouble(Function)': flatMapTo('Double'),
    'Optional max(Comparator)': (s: StreamBase, compare: Compare) =>
      s.items.length
        ? some(
            JavaOptional,
            extreme(s.items, (a, b) => (compare(a, b) >= 0 ? 1 : -1), 1),
          )
        : none(JavaOptional),
    'Optional min(Comparator)': (s: StreamBase, compare: Compare) =>
      s.items.length ? some(JavaOptional, extreme(s.items, compare, -1)) : none(JavaOptional),
    'def reduce(def,BiFunction,BinaryOperator)': (s: StreamBase, start: Value, run: Run) => s.items.reduce((a, b) => run(a, b), start),
    'Stream sorted(Comparator)': (s: StreamBase, compare: Compare | null) => new ObjectStream([...s.items].sort(compare ?? compareNatural)),
    'def[] toArray()': (s: StreamBase) => defArray(s.items),
    'def[] toArray(IntFunction)': (s: StreamBase) => defArray(s.items),
  },
});
for (const kind of KINDS.slice(1))
  defineClass(`java.util.stream.${kind.name}Stream`, ['java.util.stream.BaseStream'], {
    of: kind.make,
    members: {
      ...common(kind),
      ...numericStream(kind),
      ...(kind.name === 'Int'
        ? {
            'static IntStream range(int,int)': range,
            'static IntStream rangeClosed(int,int)': (from: number, to: number) => range(from, to + 1),
          }
        : {}),
    },
  });

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
