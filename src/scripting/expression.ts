// Lucene's expression language: one formula over doubles and the fields of a document. A missing value counts as 0; any number but 0 is true.
import type { ApiError } from '../errors/api-error.ts';
import { checkScriptSize } from './script-size.ts';
import { Parser } from './syntax/parser.ts';
import { scriptError } from './syntax/script-error.ts';
import type { Expression } from './syntax/tree.ts';

/** Inputs of a formula. */
export interface ExpressionInput {
  /** Values of a field in ascending order, dates as epoch milliseconds. @throws ScriptFault: no such field */
  values(field: string): readonly number[];
  readonly score: number;
  /** `_value` of a value script, NaN in other contexts. */
  readonly value: number;
}

type Formula = (input: ExpressionInput) => number;

const FUNCTIONS: Readonly<Record<string, (...args: number[]) => number>> = {
  abs: Math.abs,
  acos: Math.acos,
  asin: Math.asin,
  atan: Math.atan,
  atan2: Math.atan2,
  ceil: Math.ceil,
  cos: Math.cos,
  exp: Math.exp,
  floor: Math.floor,
  ln: Math.log,
  log10: Math.log10,
  logn: (base, x) => Math.log(x) / Math.log(base),
  max: Math.max,
  min: Math.min,
  pow: (x, y) => x ** y,
  sin: Math.sin,
  sqrt: Math.sqrt,
  tan: Math.tan,
};

const BINARY: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '<': (a, b) => Number(a < b),
  '<=': (a, b) => Number(a <= b),
  '>': (a, b) => Number(a > b),
  '>=': (a, b) => Number(a >= b),
  '==': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
  '&&': (a, b) => Number(a !== 0 && b !== 0),
  '||': (a, b) => Number(a !== 0 || b !== 0),
};

const REDUCERS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  value: (values) => values[0] ?? 0,
  length: (values) => values.length,
  count: (values) => values.length,
  min: (values) => values[0] ?? 0,
  max: (values) => values.at(-1) ?? 0,
  sum: (values) => values.reduce((a, b) => a + b, 0),
  avg: (values) => (values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length),
  median: (values) => {
    const middle = values.length >> 1;
    if (values.length === 0) return 0;
    return values.length % 2 === 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  },
  empty: (values) => Number(values.length === 0),
};

/** @param params  numbers that the formula may refer to @throws ApiError script_exception: not a formula */
export function compileExpression(source: string, params: Readonly<Record<string, unknown>>): Formula {
  checkScriptSize(source);
  const { body, functions } = new Parser(source).parseScript();
  const [statement, more] = body.body;
  if (statement?.kind !== 'expression' || more || functions.length) throw expressionError(source, 0, 'expected a single expression');
  return formulaOf(statement.expression);

  function formulaOf(expression: Expression): Formula {
    switch (expression.kind) {
      case 'number': {
        const number = expression.radix === 10 ? Number(expression.text) : Number.parseInt(expression.text, expression.radix);
        if (Number.isNaN(number)) throw expressionError(source, expression.at, 'only numbers are supported');
        return () => number;
      }
      case 'decimal': {
        const number = Number(expression.text);
        if (Number.isNaN(number)) throw expressionError(source, expression.at, 'only numbers are supported');
        return () => number;
      }
      case 'boolean': {
        const number = Number(expression.value);
        return () => number;
      }
      case 'symbol':
        return variable(expression.name, expression.at);
      case 'unary': {
        const operand = formulaOf(expression.operand);
        if (expression.op === '-') return (input) => -operand(input);
        if (expression.op === '!') return (input) => Number(operand(input) === 0);
        return operand;
      }
      case 'binary':
      case 'compare':
      case 'logical': {
        const operate = Object.hasOwn(BINARY, expression.op) ? BINARY[expression.op] : undefined;
        if (!operate) throw expressionError(source, expression.at, `operator [${expression.op}] is not supported`);
        const [left, right] = [formulaOf(expression.left), formulaOf(expression.right)];
        return (input) => operate(left(input), right(input));
      }
      case 'conditional': {
        const [test, yes, no] = [formulaOf(expression.test), formulaOf(expression.then), formulaOf(expression.else)];
        return (input) => (test(input) !== 0 ? yes(input) : no(input));
      }
      case 'local-call': {
        const compute = Object.hasOwn(FUNCTIONS, expression.name) ? FUNCTIONS[expression.name] : undefined;
        if (!compute) throw expressionError(source, expression.at, `Unrecognized function call (${expression.name}).`);
        const args = expression.args.map(formulaOf);
        return (input) => compute(...args.map((arg) => arg(input)));
      }
      case 'dot':
      case 'call': {
        const field = fieldOf(expression.object);
        const name =
          expression.kind === 'call' ? expression.name.replace(/^get([A-Z])/, (_, first: string) => first.toLowerCase()) : expression.name;
        const reduce = Object.hasOwn(REDUCERS, name) ? REDUCERS[name] : undefined;
        if (field === null || !reduce) throw expressionError(source, expression.at, `unknown member [${expression.name}]`);
        return (input) => reduce(input.values(field));
      }
      case 'brace': {
        const field = fieldOf(expression);
        if (field === null) throw expressionError(source, expression.at, 'only [doc] has elements');
        return (input) => REDUCERS.value(input.values(field));
      }
      default:
        throw expressionError(source, expression.at, 'not supported in expressions');
    }
  }

  function variable(name: string, at: number): Formula {
    if (name === '_score') return (input) => input.score;
    if (name === '_value') return (input) => input.value;
    const value = params[name];
    if (typeof value === 'number') return () => value;
    throw expressionError(source, at, `Unknown variable [${name}]`);
  }

  function fieldOf(expression: Expression): string | null {
    if (expression.kind !== 'brace' || expression.object.kind !== 'symbol' || expression.object.name !== 'doc') return null;
    return expression.index.kind === 'string' ? expression.index.value : null;
  }
}

function expressionError(source: string, at: number, reason: string): ApiError {
  return scriptError(source, at, reason);
}
