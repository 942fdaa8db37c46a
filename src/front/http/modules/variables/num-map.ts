// num_map: variables computed from numbers and ranges of numbers. A single number precedes the ranges, which are tried in order.
//   num_map $remote_port $class { default other; 80 web; 443 web; 8000-8999 test; <=1023 system; }
import { present } from '../../../../common/present.ts';
import { block, HTTP } from '../../../config/directive.ts';
import { failAt } from '../../../config/syntax.ts';
import { type BlockFrame, defineSharedModule } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

interface Range {
  from: number;
  to: number;
  value: Value;
}

/** Bounds of `a-b`, `<n`, `<=n`, `>n` or `>=n`; undefined if the text is none of these. Exclusive bounds become the next number. */
function boundsOf(text: string): [from: number, to: number] | undefined {
  const range = /^(-?\d[\d.]*)-(-?\d[\d.]*)$/.exec(text);
  if (range) return NUMBER.test(range[1]) && NUMBER.test(range[2]) ? [Number(range[1]), Number(range[2])] : undefined;
  const compared = /^(<=|>=|<|>)(.+)$/.exec(text);
  if (!compared || !NUMBER.test(compared[2])) return undefined;
  const bound = Number(compared[2]);
  const step = Math.max(Number.MIN_VALUE, Math.abs(bound) * Number.EPSILON);
  if (compared[1] === '<=') return [-Infinity, bound];
  if (compared[1] === '<') return [-Infinity, bound - step];
  return compared[1] === '>=' ? [bound, Infinity] : [bound + step, Infinity];
}

function parseNumMap(f: BlockFrame): undefined {
  const [source, variable] = f.args;
  if (!/^\$\w+$/.test(variable)) f.fail(`invalid variable name "${variable}"`);
  const from = f.scope.value(source);
  const numbers = new Map<number, Value>();
  const ranges: Range[] = [];
  let fallback: Value | undefined;
  let volatile = false;
  for (const node of present(f.node.children)) {
    if (node.name === 'volatile' && node.args.length === 0) {
      volatile = true;
      continue;
    }
    if (node.args.length !== 1) failAt(node, 'invalid number of the num_map parameters');
    const value = f.scope.value(node.args[0]);
    const bounds = boundsOf(node.name);
    if (node.name === 'default') {
      if (fallback) failAt(node, 'duplicate default num_map parameter');
      fallback = value;
    } else if (NUMBER.test(node.name)) {
      if (numbers.has(Number(node.name))) failAt(node, `conflicting parameter "${node.name}"`);
      numbers.set(Number(node.name), value);
    } else if (!bounds || bounds[0] > bounds[1]) failAt(node, `invalid number or range "${node.name}"`);
    else ranges.push({ from: bounds[0], to: bounds[1], value });
  }
  try {
    f.scope.main.variables.define(variable.slice(1), {
      volatile,
      get(r) {
        const text = from.eval(r);
        const number = NUMBER.test(text) ? Number(text) : Number.NaN;
        const found = numbers.get(number) ?? ranges.find((range) => number >= range.from && number <= range.to)?.value ?? fallback;
        return found?.eval(r) ?? '';
      },
    });
  } catch (error) {
    f.fail(String(error));
  }
  return undefined;
}

export const numMapModule = defineSharedModule('num_map', { num_map: block<undefined>(HTTP, 2, undefined, parseNumMap) });
