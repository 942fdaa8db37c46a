// Compiles a parsed expression to instructions. Counted repetitions are expanded, so the size of the program is bounded here.
import { ApiError } from '../errors/api-error.ts';
import type { CodePointSet } from './code-point-set.ts';
import type { AssertionKind, Node } from './syntax.ts';

export type Instruction =
  | { op: 'set'; set: CodePointSet }
  /** Tries `first`, then `second`. `id` numbers the splits of a program. */
  | { op: 'split'; first: number; second: number; id: number }
  | { op: 'jump'; to: number }
  | { op: 'save'; slot: number }
  | { op: 'assert'; what: AssertionKind }
  | { op: 'look'; program: Program; negative: boolean; behind: boolean; id: number }
  | { op: 'atomic'; program: Program; id: number }
  | { op: 'match' };

export interface Program {
  code: Instruction[];
  splitCount: number;
  /** Number of lookarounds and atomic groups, and of instructions, in all programs of an expression. */
  readonly shared: { lookCount: number; size: number };
}

export const MAX_INSTRUCTIONS = 20_000;

export function tooLarge(): ApiError {
  const reason = `regular expression is too large: more than ${MAX_INSTRUCTIONS} instructions`;
  return new ApiError('illegal_argument_exception', 400, reason);
}

/** @throws ApiError illegal_argument_exception: the program would be too large */
export function compileProgram(node: Node, shared = { lookCount: 0, size: 0 }): Program {
  const program: Program = { code: [], splitCount: 0, shared };
  const { code } = program;
  const add = (instruction: Instruction): number => {
    if (++shared.size > MAX_INSTRUCTIONS) throw tooLarge();
    return code.push(instruction) - 1;
  };
  const split = (): Extract<Instruction, { op: 'split' }> => {
    const instruction = { op: 'split' as const, first: 0, second: 0, id: program.splitCount++ };
    add(instruction);
    return instruction;
  };

  const emit = (part: Node): void => {
    switch (part.kind) {
      case 'empty':
        return;
      case 'set':
        add({ op: 'set', set: part.set });
        return;
      case 'seq':
        for (const child of part.parts) emit(child);
        return;
      case 'alt': {
        const exits: Extract<Instruction, { op: 'jump' }>[] = [];
        part.parts.forEach((child, i) => {
          if (i === part.parts.length - 1) {
            emit(child);
            return;
          }
          const choice = split();
          choice.first = code.length;
          emit(child);
          const exit = { op: 'jump' as const, to: 0 };
          add(exit);
          exits.push(exit);
          choice.second = code.length;
        });
        for (const exit of exits) exit.to = code.length;
        return;
      }
      case 'group':
        add({ op: 'save', slot: part.index * 2 });
        emit(part.part);
        add({ op: 'save', slot: part.index * 2 + 1 });
        return;
      case 'assert':
        add({ op: 'assert', what: part.what });
        return;
      case 'look':
        add({
          op: 'look',
          program: compileProgram(part.part, shared),
          negative: part.negative,
          behind: part.behind,
          id: shared.lookCount++,
        });
        return;
      case 'atomic':
        add({ op: 'atomic', program: compileProgram(part.part, shared), id: shared.lookCount++ });
        return;
      case 'repeat':
        repeat(part);
    }
  };
  const repeat = (part: Extract<Node, { kind: 'repeat' }>): void => {
    if (part.mode === 'possessive') {
      emit({ kind: 'atomic', part: { ...part, mode: 'greedy' } });
      return;
    }
    const lazy = part.mode === 'lazy';
    const choose = (choice: Extract<Instruction, { op: 'split' }>, body: number, exit: number): void => {
      choice.first = lazy ? exit : body;
      choice.second = lazy ? body : exit;
    };
    for (let i = 0; i < part.min; i++) {
      const before = code.length;
      emit(part.part);
      // Repeating nothing is nothing, however often.
      if (code.length === before) break;
    }
    if (part.max === 0x7fffffff) {
      const start = code.length;
      const choice = split();
      const body = code.length;
      emit(part.part);
      add({ op: 'jump', to: start });
      choose(choice, body, code.length);
      return;
    }
    const choices: { choice: Extract<Instruction, { op: 'split' }>; body: number }[] = [];
    for (let i = part.min; i < part.max; i++) {
      const choice = split();
      choices.push({ choice, body: code.length });
      emit(part.part);
    }
    for (const { choice, body } of choices) choose(choice, body, code.length);
  };
  emit(node);
  add({ op: 'match' });
  return program;
}

/** Instructions that consume a character or end a match, reachable from `start` without consuming anything; in ascending order. */
export function closure(code: readonly Instruction[], start: readonly number[]): number[] {
  const seen = new Set<number>();
  const stack = [...start];
  const out: number[] = [];
  for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
    if (seen.has(pc)) continue;
    seen.add(pc);
    const instruction = code[pc];
    if (instruction.op === 'split') stack.push(instruction.first, instruction.second);
    else if (instruction.op === 'jump') stack.push(instruction.to);
    else if (instruction.op === 'save') stack.push(pc + 1);
    else out.push(pc);
  }
  return out.sort((a, b) => a - b);
}
