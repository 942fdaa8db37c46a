// Painless: scripts are checked against types and compiled to JavaScript (compile/compile.ts). A run has a budget of steps and bytes; a script can
// reach nothing of the host but the variables and functions of its context.
import './library/library.ts';
import { BoundedMap } from '../common/bounded-map.ts';
import { ApiError } from '../errors/api-error.ts';
import { type Compiled, compile } from './compile/compile.ts';
import { enterBudget, leaveBudget, ScriptBudget } from './java/budget.ts';
import { ScriptFault } from './java/faults.ts';
import type { Value } from './java/values.ts';
import { placeOf } from './runtime/exceptions.ts';
import { resolveContext, type ScriptContext } from './script-context.ts';
import { checkScriptSize } from './script-size.ts';
import { runtimeError, unplacedError } from './syntax/script-error.ts';

export type { ScriptContext } from './script-context.ts';

export interface CompiledScript {
  /** Variables of the context that the script reads. */
  readonly usedVariables: ReadonlySet<string>;
  /**
   * @returns the result: a plain number for `double` and `int`, a boolean for `boolean`, else a value as def has it
   * @param budget  what the run may use, and has left afterwards
   * @throws ApiError script_exception: an exception of the script, the budget is used up
   */
  run(variables: Readonly<Record<string, Value>>, budget?: ScriptBudget): Value;
}

/** Compiled scripts by context and source: a request asks for the same script once for each shard. */
const cache = new WeakMap<ScriptContext, BoundedMap<string, CompiledScript>>();
const MAX_CACHED = 100;

/** @throws ApiError script_exception: an error in syntax or types, with its place */
export function compileScript(source: string, context: ScriptContext): CompiledScript {
  let known = cache.get(context);
  if (!known) cache.set(context, (known = new BoundedMap(MAX_CACHED)));
  let script = known.get(source);
  if (!script) known.set(source, (script = compileUncached(source, context)));
  return script;
}

function compileUncached(source: string, context: ScriptContext): CompiledScript {
  checkScriptSize(source);
  const compiled = compileWithin(source, context);
  const own = new ScriptBudget();
  let isRunning = false;
  return {
    usedVariables: compiled.usedVariables,
    run(variables, given) {
      const budget = given ?? (isRunning ? new ScriptBudget() : own.reset());
      const outer = enterBudget(budget);
      const wasRunning = isRunning;
      isRunning = true;
      try {
        return compiled.main(variables);
      } catch (error) {
        throw reported(error, source, compiled);
      } finally {
        isRunning = wasRunning;
        leaveBudget(outer);
      }
    },
  };
}

const isStackOverflow = (error: unknown): boolean => error instanceof RangeError && error.message.includes('call stack');

function compileWithin(source: string, context: ScriptContext): Compiled {
  try {
    return compile(source, resolveContext(context));
  } catch (error) {
    if (isStackOverflow(error)) throw unplacedError(source, 'the script is nested too deeply');
    throw error;
  }
}

/** The error of a run with its place in the script. */
function reported(error: unknown, source: string, { place, statements }: Compiled): unknown {
  const at = placeOf(error, place());
  const report = (type: string, reason: string | null, more?: Record<string, unknown>): ApiError =>
    runtimeError(source, at, statements, new ApiError(type, 400, reason), more);
  if (error instanceof ScriptFault) return report(error.type, error.reason, error.details);
  if (isStackOverflow(error)) return report('stack_overflow_error', null);
  // Methods get null where Java would throw.
  if (error instanceof TypeError) return report('null_pointer_exception', null);
  return error;
}
