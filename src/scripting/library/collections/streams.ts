// java.util.stream, Optional and the statistics. Streams are lists that are evaluated eagerly: those of scripts are short, and without side effects
// that could show the difference.
import { ENTRY_BYTES, spendBytes, spendSteps } from '../../java/budget.ts';
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { JavaMap } from '../../java/collections.ts';
import { raise } from '../../java/faults.ts';
import { compareDoubles, compareNatural } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import { fromPlain } from '../../runtime/conversions.ts';
import type { Compare, Run, Test } from './callbacks.ts';
import type { JavaCollector } from './collectors.ts';
import { JavaOptional, type MakeOptional, none, OptionalDouble, OptionalInt, OptionalLong, some } from './optionals.ts';
import { extreme, PLAIN_TYPES, reduceAll } from './reductions.ts';
import { DoubleStatistics, IntStatistics, LongStatistics, type Statistics } from './statistics.ts';
import { defArray } from './text-array.ts';

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

type MakeStream = new (items: readonly Value[]) => StreamBase;

export interface Kind {
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

const first = (items: readonly Value[], Kind: MakeOptional): JavaOptional => (items.length ? some(Kind, items[0]) : none(Kind));

function distinct(items: readonly Value[]): Value[] {
  const seen = new JavaMap();
  for (const item of items) seen.set(item, true);
  return [...seen.keys()];
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

function longRange(from: bigint, to: bigint): StreamBase {
  const length = to > from ? Number(to - from) : 0;
  spendSteps(Math.min(length, MAX_RANGE * 10));
  return new LongStream(Array.from({ length }, (_, i) => from + BigInt(i)));
}

/** Static methods that only streams of whole numbers have. */
const RANGES: Readonly<Record<string, Readonly<Record<string, Implementation>>>> = {
  Int: {
    'static IntStream range(int,int)': range,
    'static IntStream rangeClosed(int,int)': (from: number, to: number) => range(from, to + 1),
  },
  Long: {
    'static LongStream range(long,long)': longRange,
    'static LongStream rangeClosed(long,long)': (from: bigint, to: bigint) => longRange(from, to + 1n),
  },
  Double: {},
};

defineClass('java.util.stream.BaseStream', ['java.lang.Object']);

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
      ...RANGES[kind.name],
    },
  });
