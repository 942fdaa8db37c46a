// Functions of scripts, as the library calls them.
import type { Value } from '../../java/values.ts';

export type Run = (...args: Value[]) => Value;
export type Test = (...args: Value[]) => boolean;
export type Compare = (a: Value, b: Value) => number;
