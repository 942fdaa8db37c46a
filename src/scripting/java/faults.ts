// Exceptions of scripts. A script sees a Throwable; the host throws a ScriptFault, which carries one.
import { ApiError } from '../../errors/api-error.ts';

/** An exception as a script sees it. */
export class Throwable {
  /** Full name of its class. */
  readonly className: string;
  readonly message: string | null;

  constructor(className: string, message: string | null) {
    this.className = className;
    this.message = message;
  }

  toString(): string {
    return this.message === null ? this.className : `${this.className}: ${this.message}`;
  }
}

/**
 * An error that is detected while a script runs; the compiled script reports it with the place in the script. Outside of a run, while a result
 * is converted, it is reported as it is.
 */
export class ScriptFault extends ApiError {
  readonly thrown: Throwable | null;

  constructor(type: string, reason: string | null, thrown: Throwable | null = null) {
    super(type, 400, reason);
    this.thrown = thrown;
  }
}

/** `illegal_argument_exception` for `java.lang.IllegalArgumentException`. */
function errorType(className: string): string {
  return className
    .slice(className.lastIndexOf('.') + 1)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
}

export function faultOf(thrown: Throwable): ScriptFault {
  return new ScriptFault(errorType(thrown.className), thrown.message, thrown);
}

/** Throws the Java exception of this class. */
export function raise(className: string, message: string | null): never {
  throw faultOf(new Throwable(className, message));
}

export const illegalArgument = (message: string): never => raise('java.lang.IllegalArgumentException', message);
export const classCast = (message: string): never => raise('java.lang.ClassCastException', message);
export const outOfBounds = (index: number, length: number): never =>
  raise('java.lang.IndexOutOfBoundsException', `Index ${index} out of bounds for length ${length}`);
export const unsupportedOperation = (): never => raise('java.lang.UnsupportedOperationException', null);
export const noSuchElement = (message: string | null): never => raise('java.util.NoSuchElementException', message);
export const nullPointer = (message: string | null): never => raise('java.lang.NullPointerException', message);
