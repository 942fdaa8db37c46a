// Painless, the part that the service needs: a tree walker with a budget of steps. Nothing of the host is in reach of a script but what it is
// given.
import { Evaluator, type HostFunction } from './evaluator.ts';
import { Parser } from './parser.ts';
import { Resolver, type VariableSpec } from './resolver.ts';
import type { Value } from './syntax-tree.ts';

export type { VariableSpec } from './resolver.ts';

const DEFAULT_BUDGET = 100_000;

export interface CompiledScript {
  /**
   * Value of the last expression or of `return`.
   * @throws ApiError script_exception: a type error, a method that is not known, the budget is used up
   */
  run(variables: Readonly<Record<string, Value>>, budget?: number): Value;
}

/** @throws ApiError script_exception: syntax or names that are not known here, with their place */
export function compileScript(
  source: string,
  variables: Readonly<Record<string, VariableSpec>>,
  functions: Readonly<Record<string, HostFunction>> = {},
): CompiledScript {
  const body = new Parser(source).parseScript();
  new Resolver(source, variables, Object.keys(functions)).script(body);
  return { run: (values, budget = DEFAULT_BUDGET) => new Evaluator(source, values, functions, budget).run(body) };
}
