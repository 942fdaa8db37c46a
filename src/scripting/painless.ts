// The supported part of Painless: a tree-walking evaluator with a step budget. A script reaches nothing of the host but the variables and
// functions passed to it.
import { Evaluator, type HostFunction } from './evaluator.ts';
import { Parser } from './parser.ts';
import { Resolver, type VariableSpec } from './resolver.ts';
import type { Value } from './syntax-tree.ts';

export type { VariableSpec } from './resolver.ts';

const DEFAULT_BUDGET = 100_000;

export interface CompiledScript {
  /**
   * @returns the value of `return`, else that of the last expression
   * @throws ApiError script_exception: a type error, an unknown method, the step budget is used up
   */
  run(variables: Readonly<Record<string, Value>>, budget?: number): Value;
}

/** @throws ApiError script_exception: a syntax error or an unknown name, with its place */
export function compileScript(
  source: string,
  variables: Readonly<Record<string, VariableSpec>>,
  functions: Readonly<Record<string, HostFunction>> = {},
): CompiledScript {
  const body = new Parser(source).parseScript();
  new Resolver(source, variables, Object.keys(functions)).script(body);
  return { run: (values, budget = DEFAULT_BUDGET) => new Evaluator(source, values, functions, budget).run(body) };
}
