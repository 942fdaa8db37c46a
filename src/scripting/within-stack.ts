// Turns an overflow of the stack into an error of the script: the syntax tree of a long expression is as deep as the expression is long, and
// functions may call each other.
import { scriptError } from './lexer.ts';

/** @throws ApiError script_exception: the script is nested too deeply */
export function withinStack<T>(source: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof RangeError) || !error.message.includes('call stack')) throw error;
    throw scriptError(source, 0, 'the script is nested too deeply');
  }
}
