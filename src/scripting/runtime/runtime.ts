// Everything that compiled scripts call by name.

import { javaDouble } from '../../common/text/java-text.ts';
import { spendSteps } from '../java/budget.ts';
import { nullPointer } from '../java/faults.ts';
import { equal, textOf } from '../java/objects.ts';
import { floatText, type Value } from '../java/values.ts';
import * as conversions from './conversions.ts';
import * as dynamic from './dynamic.ts';
import * as elements from './elements.ts';
import * as exceptions from './exceptions.ts';
import * as numbers from './numbers.ts';
import * as operators from './operators.ts';
import * as patterns from './patterns.ts';

/** The object that a method is called on. @param method  for the message */
function nonNull<T>(value: T, method: string): T {
  if (value === null || value === undefined) nullPointer(`Cannot invoke "${method}()" because value is null`);
  return value;
}

/** Calls a setter. @returns the value, which is that of the assignment */
function stored<T>(object: Value, value: T, set: (object: Value, value: T) => unknown): T {
  set(nonNull(object, 'set'), value);
  return value;
}

export const RUNTIME = {
  ...conversions,
  ...dynamic,
  ...elements,
  ...exceptions,
  ...numbers,
  ...operators,
  ...patterns,
  doubleText: javaDouble,
  equal,
  floatText,
  nonNull,
  step: spendSteps,
  stored,
  textOf,
} as const;
