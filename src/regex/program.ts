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

export function programTooLargeError(): ApiError {
  const reason = `regular expression is too large: more than ${MAX_INSTRUCTIONS} instructions`;
  return new ApiError('illegal_argument_exception', 400, reason);
}

type Split = Extract<Instruction, { op: 'split' }>;
type Jump = Extract<Instruction, { op: 'jump' }>;

/** @throws ApiError illegal_argument_exception: the program would be too large */
export function compileProgram(node: Node, shared = { lookCount: 0, size: 0 }): Program {
  return new ProgramWriter(shared).write(node);
}

/** Appends the instructions of a tree, depth first; targets that lie ahead are filled in once they are known. */
class ProgramWriter {
  readonly #program: Program;

  constructor(shared: Program['shared']) {
    this.#program = { code: [], splitCount: 0, shared };
  }

  write(node: Node): Program {
    this.#emit(node);
    this.#add({ op: 'match' });
    return this.#program;
  }

  /** Address of the next instruction. */
  get #next(): number {
    return this.#program.code.length;
  }

  #add(instruction: Instruction): void {
    if (++this.#program.shared.size > MAX_INSTRUCTIONS) throw programTooLargeError();
    this.#program.code.push(instruction);
  }

  #split(): Split {
    const split: Split = { op: 'split', first: 0, second: 0, id: this.#program.splitCount++ };
    this.#add(split);
    return split;
  }

  #emit(part: Node): void {
    const { shared } = this.#program;
    switch (part.kind) {
      case 'empty':
        return;
      case 'set':
        return this.#add({ op: 'set', set: part.set });
      case 'seq':
        for (const child of part.parts) this.#emit(child);
        return;
      case 'alt':
        return this.#alternatives(part.parts);
      case 'group':
        this.#add({ op: 'save', slot: part.index * 2 });
        this.#emit(part.part);
        return this.#add({ op: 'save', slot: part.index * 2 + 1 });
      case 'assert':
        return this.#add({ op: 'assert', what: part.what });
      case 'look': {
        const { negative, behind } = part;
        return this.#add({ op: 'look', program: compileProgram(part.part, shared), negative, behind, id: shared.lookCount++ });
      }
      case 'atomic':
        return this.#add({ op: 'atomic', program: compileProgram(part.part, shared), id: shared.lookCount++ });
      case 'repeat':
        return this.#repeat(part);
    }
  }

  #alternatives(parts: readonly Node[]): void {
    const exits: Jump[] = [];
    parts.forEach((child, i) => {
      if (i === parts.length - 1) {
        this.#emit(child);
        return;
      }
      const choice = this.#split();
      choice.first = this.#next;
      this.#emit(child);
      const exit: Jump = { op: 'jump', to: 0 };
      this.#add(exit);
      exits.push(exit);
      choice.second = this.#next;
    });
    for (const exit of exits) exit.to = this.#next;
  }

  #repeat(part: Extract<Node, { kind: 'repeat' }>): void {
    if (part.mode === 'possessive') {
      this.#emit({ kind: 'atomic', part: { ...part, mode: 'greedy' } });
      return;
    }
    const isLazy = part.mode === 'lazy';
    const choose = (choice: Split, body: number, exit: number): void => {
      choice.first = isLazy ? exit : body;
      choice.second = isLazy ? body : exit;
    };
    for (let i = 0; i < part.min; i++) {
      const before = this.#next;
      this.#emit(part.part);
      // Repeating nothing is nothing, however often.
      if (this.#next === before) break;
    }
    if (part.max === 0x7fffffff) {
      const start = this.#next;
      const choice = this.#split();
      const body = this.#next;
      this.#emit(part.part);
      this.#add({ op: 'jump', to: start });
      choose(choice, body, this.#next);
      return;
    }
    const choices: { choice: Split; body: number }[] = [];
    for (let i = part.min; i < part.max; i++) {
      const choice = this.#split();
      choices.push({ choice, body: this.#next });
      this.#emit(part.part);
    }
    for (const { choice, body } of choices) choose(choice, body, this.#next);
  }
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
