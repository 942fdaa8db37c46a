// java.util.Optional, OptionalInt, OptionalLong and OptionalDouble.
import { javaDouble } from '../../../common/text/java-text.ts';
import { defineClass } from '../../java/class-info.ts';
import { noSuchElement, nullPointer } from '../../java/faults.ts';
import { equal, hashOf, textOf } from '../../java/objects.ts';
import type { Value } from '../../java/values.ts';
import { throwException } from '../../runtime/exceptions.ts';
import type { Run, Test } from './callbacks.ts';

/** Optional and those of primitives, which hold the plain form. */
export class JavaOptional {
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
export class OptionalInt extends JavaOptional {
  override toString(): string {
    return this.isPresent ? `OptionalInt[${this.value}]` : 'OptionalInt.empty';
  }
}
export class OptionalLong extends JavaOptional {
  override toString(): string {
    return this.isPresent ? `OptionalLong[${this.value}]` : 'OptionalLong.empty';
  }
}
export class OptionalDouble extends JavaOptional {
  override toString(): string {
    return this.isPresent ? `OptionalDouble[${javaDouble(this.value as number)}]` : 'OptionalDouble.empty';
  }
}

export type MakeOptional = new (value: Value, isPresent: boolean) => JavaOptional;
export const some = (Kind: MakeOptional, value: Value): JavaOptional => new Kind(value, true);
export const none = (Kind: MakeOptional): JavaOptional => new Kind(null, false);
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
