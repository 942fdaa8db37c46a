// The supported part of Painless: a tree-walking evaluator with a budget of steps and bytes. A script reaches nothing of the host but the variables and
// functions passed to it.
import { Evaluator, type HostFunction } from './evaluator.ts';
import { Parser } from './parser.ts';
import { Resolver, type VariableSpec } from './resolver.ts';
import { ScriptBudget, withBudget } from './script-budget.ts';
import { checkScriptSize } from './script-size.ts';
import type { Value } from './syntax-tree.ts';
import { withinStack } from './within-stack.ts';

export type { VariableSpec } from './resolver.ts';

/** Steps of one run: 10 to 50 ms. */
export const MAX_STEPS = 100_000;

export interface CompiledScript {
  /**
   * @returns the value of `return`, else that of the last expression
   * @param budget  what the run may use, and has left afterwards
   * @throws ApiError script_exception: a type error, an unknown method, the budget is used up
   */
  run(variables: Readonly<Record<string, Value>>, budget?: ScriptBudget): Value;
}

/** @throws ApiError script_exception: a syntax error or an unknown name, with its place */
export function compileScript(
  source: string,
  variables: Readonly<Record<string, VariableSpec>>,
  functions: Readonly<Record<string, HostFunction>> = {},
): CompiledScript {
  checkScriptSize(source);
  const body = withinStack(source, () => {
    const parsed = new Parser(source).parseScript();
    new Resolver(source, variables, Object.keys(functions)).script(parsed);
    return parsed;
  });
  return {
    run(values, budget = defaultBudget()) {
      return withBudget(budget, () => withinStack(source, () => new Evaluator(source, values, functions, budget).run(body)));
    },
  };
}

/** The budget of a run that nothing else shares. */
export function defaultBudget(): ScriptBudget {
  return new ScriptBudget(MAX_STEPS);
}
