// Compiles expressions to tables of deterministic automata over shared character classes, for kernels that look for longest matches.
import { closure, compileProgram, type Instruction } from './program.ts';
import type { Node } from './syntax.ts';

const ACCEPTS = 0x8000;
const DEAD = 0xffff;

export interface Machines {
  /** Number of classes of characters that no expression distinguishes. */
  readonly classCount: number;
  /** Class of each code point below 128. */
  readonly ascii: Uint8Array;
  /** Boundaries of classes, from 128 on: pairs of first code point and class. */
  readonly ranges: readonly (readonly [first: number, cls: number])[];
  /** For each expression `next[state * classCount + class]`: the state, plus ACCEPTS if a match may end there, or DEAD. The first state is 0. */
  readonly tables: readonly Uint16Array[];
}

/** @param nodes expressions without assertions, lookarounds and atomic parts that do not match the empty string */
export function compileMachines(nodes: readonly Node[]): Machines {
  const programs = nodes.map((node) => compileProgram(node).code);
  const sets = [...new Set(programs.flat().flatMap((instruction) => (instruction.op === 'set' ? [instruction.set] : [])))];
  const bounds = [...new Set([0, 128, ...sets.flatMap((set) => set.pairs().flatMap(([first, last]) => [first, last + 1]))])]
    .filter((bound) => bound < 0x110000)
    .sort((a, b) => a - b);
  const classes = new Map<string, number>();
  const samples: number[] = [];
  const ranges = bounds.map((first): [number, number] => {
    const key = sets.map((set) => (set.has(first) ? '1' : '0')).join('');
    let cls = classes.get(key);
    if (cls === undefined) {
      cls = classes.size;
      classes.set(key, cls);
      samples.push(first);
    }
    return [first, cls];
  });
  const ascii = new Uint8Array(128);
  for (const [first, cls] of ranges) if (first < 128) ascii.fill(cls, first);
  return {
    classCount: samples.length,
    ascii,
    ranges: ranges.filter(([first], i) => first >= 128 && (first === 128 || ranges[i - 1][1] !== ranges[i][1])),
    tables: programs.map((code) => determinize(code, samples)),
  };
}

/** @param samples a code point of each class */
function determinize(code: readonly Instruction[], samples: readonly number[]): Uint16Array {
  const numbers = new Map<string, number>();
  const states: number[][] = [];
  const numberOf = (pcs: number[]): number => {
    const key = pcs.join(',');
    let number = numbers.get(key);
    if (number === undefined) {
      number = states.push(pcs) - 1;
      numbers.set(key, number);
    }
    return number;
  };
  numberOf(closure(code, [0]));
  const table: number[] = [];
  for (let state = 0; state < states.length; state++) {
    for (const sample of samples) {
      const next = states[state].flatMap((pc) => {
        const instruction = code[pc];
        return instruction.op === 'set' && instruction.set.has(sample) ? [pc + 1] : [];
      });
      const pcs = closure(code, next);
      const accepts = pcs.some((pc) => code[pc].op === 'match');
      table.push(pcs.length ? numberOf(pcs) | (accepts ? ACCEPTS : 0) : DEAD);
    }
  }
  return Uint16Array.from(table);
}
