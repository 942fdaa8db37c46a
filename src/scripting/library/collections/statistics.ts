// java.util: IntSummaryStatistics, LongSummaryStatistics and DoubleSummaryStatistics.
import { defineClass } from '../../java/class-info.ts';

/** Common base of the three classes; values are in their plain form. */
export class Statistics {
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
    if (!(value >= this.min)) this.min = value;
    if (!(value <= this.max)) this.max = value;
  }
  combine(other: Statistics): void {
    this.count += other.count;
    this.sum = typeof this.sum === 'bigint' ? BigInt.asIntN(64, this.sum + BigInt(other.sum)) : this.sum + Number(other.sum);
    if (!(other.min >= this.min)) this.min = other.min;
    if (!(other.max <= this.max)) this.max = other.max;
  }
  get average(): number {
    return this.count === 0 ? 0 : Number(this.sum) / this.count;
  }
}
export class IntStatistics extends Statistics {
  constructor() {
    super(0n, 2147483647, -2147483648);
  }
  override toString(): string {
    return `IntSummaryStatistics{count=${this.count}, sum=${this.sum}, min=${this.min}, average=${this.average.toFixed(6)}, max=${this.max}}`;
  }
}
export class LongStatistics extends Statistics {
  constructor() {
    super(0n, 2n ** 63n - 1n, -(2n ** 63n));
  }
  override toString(): string {
    return `LongSummaryStatistics{count=${this.count}, sum=${this.sum}, min=${this.min}, average=${this.average.toFixed(6)}, max=${this.max}}`;
  }
}
export class DoubleStatistics extends Statistics {
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
      [`void combine(${name}SummaryStatistics)`]: (self: Statistics, other: Statistics) => self.combine(other),
      'double getAverage()': (self: Statistics) => self.average,
      'long getCount()': (self: Statistics) => BigInt(self.count),
      [`${type} getMax()`]: (self: Statistics) => self.max,
      [`${type} getMin()`]: (self: Statistics) => self.min,
      [`${sum} getSum()`]: (self: Statistics) => self.sum,
      'String toString()': String,
    },
  });
