// Regular expressions over code point sets -> minimal deterministic automaton over character classes, as tables for a scanner.
// An expression is built with the combinators below; rules compete by longest match, then by order, as in lexer generators.
import { codePoint, Numbering } from './numbering.ts';

/** A code point set as a predicate bitmap: one byte per code point. */
export type CodePointSet = Uint8Array;
export const CODE_POINTS = 0x110000;

export type Expression =
  | { kind: 'set'; set: CodePointSet }
  | { kind: 'seq' | 'alt'; parts: Expression[] }
  | { kind: 'star'; part: Expression };

export const set = (s: CodePointSet): Expression => ({ kind: 'set', set: s });
export const seq = (...parts: Expression[]): Expression => ({ kind: 'seq', parts });
export const alt = (...parts: Expression[]): Expression => ({ kind: 'alt', parts });
export const star = (part: Expression): Expression => ({ kind: 'star', part });
export const plus = (part: Expression): Expression => seq(part, star(part));
export const optional = (part: Expression): Expression => alt(part, seq());
/** Between `min` and `max` repetitions. */
export function repeat(part: Expression, min: number, max: number): Expression {
  let tail: Expression = seq();
  for (let i = max; i > min; i--) tail = optional(seq(part, tail));
  return seq(...Array.from({ length: min }, () => part), tail);
}

export const union = (...sets: CodePointSet[]): CodePointSet => combine(sets, (a, b) => a | b);
export const intersect = (...sets: CodePointSet[]): CodePointSet => combine(sets, (a, b) => a & b);
export const without = (a: CodePointSet, b: CodePointSet): CodePointSet => combine([a, b], (x, y) => x & ~y & 1);
export function chars(text: string): CodePointSet {
  const result = new Uint8Array(CODE_POINTS);
  for (const char of text) result[codePoint(char)] = 1;
  return result;
}
export function range(first: number, last: number): CodePointSet {
  return new Uint8Array(CODE_POINTS).fill(1, first, last + 1);
}

function combine(sets: CodePointSet[], op: (a: number, b: number) => number): CodePointSet {
  const result = sets[0].slice();
  for (const other of sets.slice(1)) for (let i = 0; i < CODE_POINTS; i++) result[i] = op(result[i], other[i]);
  return result;
}

export interface Rule {
  /** Value reported when this rule matches, 1..254. */
  accept: number;
  expression: Expression;
}

export interface Automaton {
  classCount: number;
  /** Class of each code point; class 0 holds what no rule mentions. */
  classOf: Uint8Array;
  stateCount: number;
  /** next[state * classCount + class], 0 = dead. State 0 is dead, state 1 is the start. */
  next: Uint16Array;
  /** accept[state]: rule value or 0. */
  accept: Uint8Array;
}

export function compile(rules: Rule[]): Automaton {
  const sets: CodePointSet[] = [];
  for (const rule of rules) collectSets(rule.expression, sets);
  const { classOf, classCount, classesOfSet } = partition(sets);
  const nfa = new Nfa();
  const start = nfa.state();
  for (const rule of rules) {
    const { from, to } = nfa.build(rule.expression, (set) => classesOfSet.get(set) ?? []);
    nfa.epsilon[start].push(from);
    nfa.acceptOf[to] = rule.accept;
  }
  const order = new Map(rules.map((rule, i) => [rule.accept, i]));
  return minimize(determinize(nfa, start, classCount, order), classOf);
}

function collectSets(expression: Expression, into: CodePointSet[]): void {
  if (expression.kind === 'set') {
    if (!into.includes(expression.set)) into.push(expression.set);
  } else if (expression.kind === 'star') collectSets(expression.part, into);
  else for (const part of expression.parts) collectSets(part, into);
}

function partition(sets: CodePointSet[]) {
  const keys = new Numbering<string>();
  keys.of('0'.repeat(sets.length));
  const classOf = new Uint8Array(CODE_POINTS);
  let previousKey = '';
  let previousClass = 0;
  for (let cp = 0; cp < CODE_POINTS; cp++) {
    let key = '';
    for (const s of sets) key += s[cp];
    if (key !== previousKey) {
      previousKey = key;
      previousClass = keys.of(key);
    }
    classOf[cp] = previousClass;
  }
  if (keys.size > 255) throw new Error(`${keys.size} character classes do not fit a byte`);
  const classesOfSet = new Map(sets.map((set, i) => [set, keys.keys().flatMap((key, id) => (key[i] === '1' ? [id] : []))]));
  return { classOf, classCount: keys.size, classesOfSet };
}

class Nfa {
  epsilon: number[][] = [];
  moves: [number, number][][] = [];
  acceptOf: number[] = [];

  state(): number {
    this.epsilon.push([]);
    this.moves.push([]);
    this.acceptOf.push(0);
    return this.epsilon.length - 1;
  }

  build(expression: Expression, classesOf: (s: CodePointSet) => number[]): { from: number; to: number } {
    const from = this.state();
    if (expression.kind === 'set') {
      const to = this.state();
      for (const id of classesOf(expression.set)) this.moves[from].push([id, to]);
      return { from, to };
    }
    if (expression.kind === 'star') {
      const inner = this.build(expression.part, classesOf);
      this.epsilon[from].push(inner.from);
      this.epsilon[inner.to].push(from);
      const to = this.state();
      this.epsilon[from].push(to);
      return { from, to };
    }
    if (expression.kind === 'seq') {
      let last = from;
      for (const part of expression.parts) {
        const inner = this.build(part, classesOf);
        this.epsilon[last].push(inner.from);
        last = inner.to;
      }
      return { from, to: last };
    }
    const to = this.state();
    for (const part of expression.parts) {
      const inner = this.build(part, classesOf);
      this.epsilon[from].push(inner.from);
      this.epsilon[inner.to].push(to);
    }
    return { from, to };
  }
}

interface RawDfa {
  classCount: number;
  next: number[][];
  accept: number[];
}

/** Subset construction; state 0 is dead, state 1 the start. */
function determinize(nfa: Nfa, start: number, classCount: number, order: Map<number, number>): RawDfa {
  const closure = (states: Iterable<number>): number[] => {
    const seen = new Set(states);
    const stack = [...seen];
    for (let state = stack.pop(); state !== undefined; state = stack.pop())
      for (const target of nfa.epsilon[state])
        if (!seen.has(target)) {
          seen.add(target);
          stack.push(target);
        }
    return [...seen].sort((a, b) => a - b);
  };
  const ids = new Numbering<string>();
  const queue: number[][] = [];
  const idOf = (states: number[]): number => {
    const id = ids.of(states.join(','));
    if (id === queue.length) queue.push(states);
    return id;
  };
  const rank = (value: number): number => order.get(value) ?? Number.POSITIVE_INFINITY;
  idOf([]);
  idOf(closure([start]));
  const next: number[][] = [new Array(classCount).fill(0)];
  const accept: number[] = [0];
  for (let id = 1; id < queue.length; id++) {
    const targets = new Map<number, Set<number>>();
    let best = 0;
    for (const state of queue[id]) {
      const value = nfa.acceptOf[state];
      if (value && (!best || rank(value) < rank(best))) best = value;
      for (const [cls, to] of nfa.moves[state]) {
        const states = targets.get(cls);
        if (states) states.add(to);
        else targets.set(cls, new Set([to]));
      }
    }
    accept[id] = best;
    next[id] = Array.from({ length: classCount }, (_, cls) => {
      const states = targets.get(cls);
      return states ? idOf(closure(states)) : 0;
    });
  }
  return { classCount, next, accept };
}

/** Moore's partition refinement. */
function minimize(dfa: RawDfa, classOf: Uint8Array): Automaton {
  let group = dfa.accept.map((value, i) => (i === 0 ? 0 : value + 1));
  for (let count = new Set(group).size; ; ) {
    const ids = new Numbering<string>();
    group = dfa.next.map((row, i) => ids.of(`${group[i]}:${row.map((target) => group[target]).join(',')}`));
    if (ids.size === count) break;
    count = ids.size;
  }
  // Renumber: dead 0, start 1.
  const states = new Numbering<number>();
  for (const id of group) states.of(id);
  const stateCount = states.size;
  const next = new Uint16Array(stateCount * dfa.classCount);
  const accept = new Uint8Array(stateCount);
  dfa.next.forEach((row, i) => {
    const state = states.of(group[i]);
    accept[state] = dfa.accept[i];
    row.forEach((target, cls) => {
      next[state * dfa.classCount + cls] = states.of(group[target]);
    });
  });
  return { classCount: dfa.classCount, classOf, stateCount, next, accept };
}
