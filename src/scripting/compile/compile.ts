// Compiles a script: parses it, checks the types, and writes JavaScript. The text of a script reaches the written code only as JSON literals; every
// name in it is generated here, and it can call only the functions of ../runtime/ and of the tables in ../library/.
import { resolveClasses, type Type, VOID } from '../java/class-info.ts';
import { RUNTIME } from '../runtime/runtime.ts';
import { Parser } from '../syntax/parser.ts';
import type { Expression, FunctionDeclaration } from '../syntax/tree.ts';
import { assign, brace, dot, symbol } from './assignment.ts';
import { call, localCall, newArray, newObject } from './calls.ts';
import { defaultOf } from './convert.ts';
import { lambda, reference } from './functions.ts';
import {
  booleanLiteral,
  decimalLiteral,
  listLiteral,
  mapLiteral,
  nullLiteral,
  numberLiteral,
  regexLiteral,
  stringLiteral,
} from './literals.ts';
import { binary, cast, compare, conditional, elvis, instanceOf, logical, unary } from './operators.ts';
import { Scope } from './scope.ts';
import { block } from './statements.ts';
import { type Checked, type ContextFunction, type ContextVariable, Unit, type Use } from './unit.ts';

export interface Compiled {
  /** Runs the main function. @param variables  those of the context, by name */
  readonly main: (variables: Readonly<Record<string, unknown>>) => unknown;
  /** Offset of the statement that ran last. */
  readonly place: () => number;
  /** Offsets of the statements, ascending. */
  readonly statements: readonly number[];
  /** Variables of the context that the script refers to. */
  readonly usedVariables: ReadonlySet<string>;
}

export interface CompileContext {
  readonly variables: readonly ContextVariable[];
  readonly functions: readonly ContextFunction[];
  readonly returns: Type;
}

/** @throws ApiError script_exception: with the place of the error */
export function compile(source: string, context: CompileContext): Compiled {
  resolveClasses();
  const script = new Parser(source).parseScript();
  const unit = new Unit(source, context.variables);
  unit.expression = expression;
  unit.typeOrExpression = typeOrExpression;
  unit.block = block;
  for (const { name, params, returns, run } of context.functions)
    unit.functions.set(`${name}/${params.length}`, { name, params, returns, js: unit.constant(run) });
  for (const declared of script.functions) declareFunction(unit, declared);
  const functions = script.functions.map((declared) => functionCode(unit, declared)).join('');
  const scope = Scope.ofFunction(unit, context.returns);
  for (const { name, type, js } of unit.contextVariables.values()) scope.define(0, type, name, false, js);
  if (!script.body.body.length) throw unit.error(0, "invalid sequence of tokens near ['<EOF>'].");
  unit.temporaries = [];
  const { js, flow } = block(unit, scope.inner(), script.body, { isLast: true, inLoop: false, lastInLoop: false });
  if (unit.foldError) throw unit.foldError;
  const rest = flow.method || context.returns === VOID ? '' : `return ${defaultOf(context.returns)};`;
  const inputs = [...unit.usedVariables].map((name) => `let ${unit.contextVariables.get(name)?.js}=e[${JSON.stringify(name)}];`).join('');
  const code = `${header(unit)}let p=0;${functions}return[(e)=>{${inputs}${locals(unit)}${js}${rest}},()=>p];`;
  const build = new Function('R', 'K', code) as (helpers: typeof RUNTIME, constants: unknown[]) => [Compiled['main'], Compiled['place']];
  const [main, place] = build(RUNTIME, unit.constants);
  return { main, place, statements: [...unit.statements].sort((a, b) => a - b), usedVariables: unit.usedVariables };
}

function header(unit: Unit): string {
  const constants = unit.constants.map((_, i) => `k${i}`).join(',');
  return `"use strict";const{${[...unit.helpers].join(',')}}=R;const[${constants}]=K;`;
}

function locals({ temporaries }: Unit): string {
  return temporaries.length ? `let ${temporaries.join(',')};` : '';
}

function declareFunction(unit: Unit, { name, returns: returnName, params, at }: FunctionDeclaration): void {
  const key = `${name}/${params.length}`;
  const returns = unit.type(returnName);
  if (!returns) throw unit.error(at, `invalid function definition: return type [${returnName}] not found for function [${key}]`);
  const types = params.map(({ type: typeName }) => {
    const type = unit.type(typeName);
    if (!type) throw unit.error(at, `invalid function definition: parameter type [${typeName}] not found for function [${key}]`);
    return type;
  });
  if (unit.functions.get(key)?.js.startsWith('v')) throw unit.error(at, `invalid function definition: found duplicate function [${key}].`);
  unit.functions.set(key, { name, params: types, returns, js: unit.newVariable() });
}

function functionCode(unit: Unit, { name, params, body, at }: FunctionDeclaration): string {
  const declared = unit.functions.get(`${name}/${params.length}`);
  if (!declared) throw new Error(`the function ${name} is not declared`);
  const { returns } = declared;
  const scope = Scope.ofFunction(unit, returns);
  const variables = params.map((param, i) => scope.define(at, declared.params[i], param.name).js);
  if (!body.body.length)
    throw unit.error(at, `invalid function definition: found no statements for function [${name}] with [${params.length}] parameters`);
  unit.temporaries = [];
  const { js, flow } = block(unit, scope.inner(), body, { isLast: true, inLoop: false, lastInLoop: false });
  if (!flow.method && returns !== VOID)
    throw unit.error(
      at,
      `invalid function definition: not all paths provide a return value for function [${name}] with [${params.length}] parameters`,
    );
  return `function ${declared.js}(${variables.join(',')}){${unit.call('step', '1')};${locals(unit)}${js}}`;
}

/** An expression that must be a value. */
function expression(unit: Unit, scope: Scope, node: Expression, use: Use): Checked {
  const checked = typeOrExpression(unit, scope, node, use);
  if (checked.partial !== undefined) throw unit.error(node.at, `cannot resolve symbol [${checked.partial}]`);
  if (checked.isStatic) throw unit.error(node.at, `value required: instead found unexpected type [${checked.type.name}]`);
  return checked;
}

function typeOrExpression(unit: Unit, scope: Scope, node: Expression, use: Use): Checked {
  switch (node.kind) {
    case 'number':
      return numberLiteral(unit, node, use);
    case 'decimal':
      return decimalLiteral(unit, node, use);
    case 'boolean':
      return booleanLiteral(unit, node, use);
    case 'null':
      return nullLiteral(unit, node, use);
    case 'string':
      return stringLiteral(unit, node, use);
    case 'regex':
      return regexLiteral(unit, node, use);
    case 'list':
      return listLiteral(unit, scope, node, use);
    case 'map':
      return mapLiteral(unit, scope, node, use);
    case 'symbol':
      return symbol(unit, scope, node, use);
    case 'dot':
      return dot(unit, scope, node, use);
    case 'brace':
      return brace(unit, scope, node, use);
    case 'assign':
      return assign(unit, scope, node, use);
    case 'call':
      return call(unit, scope, node, use);
    case 'local-call':
      return localCall(unit, scope, node, use);
    case 'new':
      return newObject(unit, scope, node, use);
    case 'new-array':
      return newArray(unit, scope, node, use);
    case 'unary':
      return unary(unit, scope, node, use);
    case 'binary':
      return binary(unit, scope, node, use);
    case 'compare':
      return compare(unit, scope, node, use);
    case 'logical':
      return logical(unit, scope, node, use);
    case 'instanceof':
      return instanceOf(unit, scope, node, use);
    case 'conditional':
      return conditional(unit, scope, node, use);
    case 'elvis':
      return elvis(unit, scope, node, use);
    case 'cast':
      return cast(unit, scope, node, use);
    case 'lambda':
      return lambda(unit, scope, node, use);
    case 'reference':
      return reference(unit, scope, node, use);
  }
}
