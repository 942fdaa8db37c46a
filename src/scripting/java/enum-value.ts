// Constants of Java's enums: a name and its place among the others.
import type { Value } from './values.ts';

/** A constant of an enum. Constants are ordered as they are declared. */
export class EnumValue {
  readonly name: string;
  readonly ordinal: number;
  constructor(name: string, ordinal: number) {
    this.name = name;
    this.ordinal = ordinal;
  }
  toString(): string {
    return this.name;
  }
  compareTo(other: Value): number {
    return this.ordinal - (other as EnumValue).ordinal;
  }
  equalTo(other: Value): boolean {
    return this === other;
  }
}
