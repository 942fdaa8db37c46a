// java.util.function: functional interfaces, and the methods that combine functions.
import { type ClassTable, defineClass, type Implementation } from '../java/class-info.ts';
import { equal } from '../java/objects.ts';
import type { Value } from '../java/values.ts';

type Run = (...args: Value[]) => Value;
type Test = (...args: Value[]) => boolean;

const PREDICATE: Readonly<Record<string, Implementation>> = {
  and:
    (self: Test, other: Test): Test =>
    (...args) =>
      self(...args) && other(...args),
  or:
    (self: Test, other: Test): Test =>
    (...args) =>
      self(...args) || other(...args),
  negate:
    (self: Test): Test =>
    (...args) =>
      !self(...args),
};
const then =
  (self: Run, next: Run): Run =>
  (...args) => {
    self(...args);
    return next(...args);
  };

function define(name: string, functional: string, members: ClassTable['members'] = {}, parents: readonly string[] = []): void {
  defineClass(`java.util.function.${name}`, parents.length ? parents : ['java.lang.Object'], {
    ...(functional === '' ? {} : { functional }),
    members,
  });
}

function predicate(name: string, params: string): void {
  define(name, `boolean test(${params})`, {
    [`${name} and(${name})`]: PREDICATE.and,
    [`${name} or(${name})`]: PREDICATE.or,
    [`${name} negate()`]: PREDICATE.negate,
    ...(name === 'Predicate' ? { 'static Predicate isEqual(def)': (wanted: Value) => (value: Value) => equal(wanted, value) } : {}),
  });
}

predicate('Predicate', 'def');
predicate('BiPredicate', 'def,def');
predicate('IntPredicate', 'int');
predicate('LongPredicate', 'long');
predicate('DoublePredicate', 'double');

define('Function', 'def apply(def)', {
  'Function andThen(Function)':
    (self: Run, next: Run): Run =>
    (value) =>
      next(self(value)),
  'Function compose(Function)':
    (self: Run, first: Run): Run =>
    (value) =>
      self(first(value)),
  'static Function identity()': (): Run => (value) => value,
});
define('BiFunction', 'def apply(def,def)', {
  'BiFunction andThen(Function)':
    (self: Run, next: Run): Run =>
    (a, b) =>
      next(self(a, b)),
});
define('UnaryOperator', '', { 'static UnaryOperator identity()': (): Run => (value) => value }, ['java.util.function.Function']);
define(
  'BinaryOperator',
  '',
  {
    'static BinaryOperator maxBy(Comparator)':
      (compare: (a: Value, b: Value) => number): Run =>
      (a, b) =>
        compare(a, b) >= 0 ? a : b,
    'static BinaryOperator minBy(Comparator)':
      (compare: (a: Value, b: Value) => number): Run =>
      (a, b) =>
        compare(a, b) <= 0 ? a : b,
  },
  ['java.util.function.BiFunction'],
);

for (const [name, param] of [
  ['Consumer', 'def'],
  ['BiConsumer', 'def,def'],
  ['IntConsumer', 'int'],
  ['LongConsumer', 'long'],
  ['DoubleConsumer', 'double'],
]) {
  define(name, `void accept(${param})`, { [`${name} andThen(${name})`]: then });
}

for (const [name, type] of [
  ['Int', 'int'],
  ['Long', 'long'],
  ['Double', 'double'],
]) {
  const method = `applyAs${name}`;
  define(`${name}Function`, `def apply(${type})`);
  define(`To${name}Function`, `${type} ${method}(def)`);
  define(`To${name}BiFunction`, `${type} ${method}(def,def)`);
  define(`${name}BinaryOperator`, `${type} ${method}(${type},${type})`);
  define(`${name}Supplier`, `${type} getAs${name}()`);
  define(`Obj${name}Consumer`, `void accept(def,${type})`);
  const operator = `${name}UnaryOperator`;
  define(operator, `${type} ${method}(${type})`, {
    [`${operator} andThen(${operator})`]:
      (self: Run, next: Run): Run =>
      (value) =>
        next(self(value)),
    [`${operator} compose(${operator})`]:
      (self: Run, first: Run): Run =>
      (value) =>
        self(first(value)),
    [`static ${operator} identity()`]: (): Run => (value) => value,
  });
  for (const [other, otherType] of [
    ['Int', 'int'],
    ['Long', 'long'],
    ['Double', 'double'],
  ])
    if (other !== name) define(`${name}To${other}Function`, `${otherType} applyAs${other}(${type})`);
}
define('Supplier', 'def get()');
define('BooleanSupplier', 'boolean getAsBoolean()');
