// Exceptions that scripts throw and catch.
import { ApiError } from '../../errors/api-error.ts';
import { classNamed, JAVA_CLASS } from '../java/class-info.ts';
import { faultOf, nullPointer, ScriptFault, Throwable } from '../java/faults.ts';
import type { Value } from '../java/values.ts';

/** Offset in the script where a throwable was made, which is what its stack shows. */
const places = new WeakMap<Throwable, number>();

export function created(thrown: Value, at: number): Value {
  if (thrown instanceof Throwable) places.set(thrown, at);
  return thrown;
}

/** Place of the exception that a script threw, else where the script was. */
export function placeOf(error: unknown, at: number): number {
  return error instanceof ScriptFault && error.thrown ? (places.get(error.thrown) ?? at) : at;
}

export function throwException(thrown: Value): never {
  if (!(thrown instanceof Throwable)) return nullPointer('Cannot throw exception because "null" is null');
  throw faultOf(thrown);
}

/** `IllegalArgumentException` for `illegal_argument_exception`. */
const className = (type: string): string => type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A throwable of the class with this name, or of the nearest one that scripts know. */
function throwable(type: string, message: string | null): Throwable {
  const info = classNamed(className(type)) ?? classNamed(type);
  return new Throwable(info?.javaName ?? 'java.lang.RuntimeException', message);
}

/**
 * Converts errors that a script may catch: its own exceptions and those of methods that it calls.
 * @param at  offset in the script of the statement that ran last
 * @returns null for errors that scripts must not catch: limits, and errors of the service
 */
export function caught(error: unknown, at: number): Value {
  if (error instanceof ScriptFault) {
    if (error.type === 'circuit_breaking_exception') return null;
    const thrown = error.thrown ?? throwable(error.type, error.reason);
    if (!places.has(thrown)) places.set(thrown, at);
    return thrown;
  }
  if (error instanceof ApiError) return null;
  if (error instanceof TypeError) return created(new Throwable('java.lang.NullPointerException', null), at);
  return null;
}

Object.defineProperty(Throwable.prototype, JAVA_CLASS, {
  get(this: Throwable) {
    return classNamed(this.className) ?? classNamed('java.lang.RuntimeException');
  },
});
