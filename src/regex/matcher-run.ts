// One search of a Java pattern: runs the program over a string, in linear time, within a number of steps and a size of notes.
import { checkTurn } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { category } from './characters.ts';
import { type CodePointSet, codePointAt } from './code-point-set.ts';
import type { Program } from './program.ts';
import { unicodeClass, WORD } from './properties.ts';

const PAGE_SHIFT = 9;
/** Limit of instructions per text: far more than linear expressions need; possessive parts may need more. */
const FREE_STEPS = 5_000_000;
const STEPS_PER_UNIT = 200;
const STEPS_PER_CHECK_MASK = 0xffff;
/** Maximum size of the record of tried states. */
const MAX_NOTE_BYTES = 256 * 1024 * 1024;

const NONSPACING_MARK = 6;

/** General categories Lu, Ll, Lt, Lm, Lo and Nd. */
function isLetterOrDigit(kind: number): boolean {
  return (kind >= 1 && kind <= 5) || kind === 9;
}

function tooMuchWorkError(): ApiError {
  return new ApiError('illegal_argument_exception', 400, 'regular expression needs too much work on this text');
}

/** State of matching one text: which states were tried, and where lookarounds hold. */
export class Run {
  lastMatch = 0;
  /** The sequence of combining marks examined last. */
  #marks = { start: -2, end: -2, followLetter: false };
  readonly #tried = new Map<Program, (Uint32Array | undefined)[]>();
  readonly #looks: (Uint8Array | undefined)[] = [];
  readonly #atomics = new Map<number, Map<number, number>>();
  #noteBytes = 0;
  /** Steps left. */
  steps: number;
  readonly #word: CodePointSet;

  constructor(
    readonly text: string,
    unicode: boolean,
    programSize: number,
    maxSteps: number,
  ) {
    this.#word = unicode ? unicodeClass('w') : WORD;
    this.steps = Math.min(maxSteps, FREE_STEPS + text.length * (STEPS_PER_UNIT + programSize));
  }

  #spend(steps: number): void {
    if ((this.steps -= steps) < 0) throw tooMuchWorkError();
    checkTurn();
  }

  /**
   * End of the match at `start`, -1 for none.
   * @param end the match must end there; -1 for anywhere
   */
  match(program: Program, start: number, groups: Int32Array | null, end: number): number {
    const { text } = this;
    const { code } = program;
    // Entries: pc and position to continue with, or -1 - slot and the value to restore.
    const stack: number[] = [0, start];
    for (let pop = stack.pop(); pop !== undefined; pop = stack.pop()) {
      let at = pop;
      let pc = stack.pop() ?? 0;
      if (pc < 0) {
        if (groups) groups[-1 - pc] = at;
        continue;
      }
      for (;;) {
        const instruction = code[pc];
        if (--this.steps < 0) throw tooMuchWorkError();
        if ((this.steps & STEPS_PER_CHECK_MASK) === 0) checkTurn();
        if (instruction.op === 'set') {
          if (at >= text.length) break;
          const cp = codePointAt(text, at);
          if (!instruction.set.has(cp)) break;
          at += cp > 0xffff ? 2 : 1;
          pc++;
        } else if (instruction.op === 'split') {
          if (this.#wasTried(program, instruction.id, at)) break;
          stack.push(instruction.second, at);
          pc = instruction.first;
        } else if (instruction.op === 'jump') pc = instruction.to;
        else if (instruction.op === 'save') {
          if (groups) {
            stack.push(-1 - instruction.slot, groups[instruction.slot]);
            groups[instruction.slot] = at;
          }
          pc++;
        } else if (instruction.op === 'assert') {
          if (!this.#holds(instruction.what, at)) break;
          pc++;
        } else if (instruction.op === 'look') {
          if ((this.#looksAt(instruction)[at] === 1) === instruction.negative) break;
          pc++;
        } else if (instruction.op === 'atomic') {
          const next = this.#atomicEnd(instruction.program, instruction.id, at, groups);
          if (next < 0) break;
          at = next;
          pc++;
        } else {
          if (end >= 0 && at !== end) break;
          return at;
        }
      }
    }
    return -1;
  }

  /** Clears the record at `position`, which the successful path went through. */
  release(program: Program, position: number): void {
    const pages = this.#tried.get(program);
    if (!pages) return;
    const words = (program.splitCount + 31) >> 5;
    const page = pages[position >> PAGE_SHIFT];
    page?.fill(0, (position & ((1 << PAGE_SHIFT) - 1)) * words, ((position & ((1 << PAGE_SHIFT) - 1)) + 1) * words);
    for (let i = (position >> PAGE_SHIFT) - 1; i >= 0; i--) {
      const earlier = pages[i];
      if (!earlier) break;
      this.#noteBytes -= earlier.byteLength;
      pages[i] = undefined;
    }
  }

  #wasTried(program: Program, id: number, at: number): boolean {
    let pages = this.#tried.get(program);
    if (!pages) {
      pages = [];
      this.#tried.set(program, pages);
    }
    const words = (program.splitCount + 31) >> 5;
    let page = pages[at >> PAGE_SHIFT];
    if (!page) {
      page = new Uint32Array(words << PAGE_SHIFT);
      this.#noteBytes += page.byteLength;
      if (this.#noteBytes > MAX_NOTE_BYTES) {
        throw new ApiError('illegal_argument_exception', 400, 'regular expression needs too much memory on this text');
      }
      pages[at >> PAGE_SHIFT] = page;
    }
    const index = (at & ((1 << PAGE_SHIFT) - 1)) * words + (id >> 5);
    const bit = 1 << (id & 31);
    if (page[index] & bit) return true;
    page[index] |= bit;
    return false;
  }

  #atomicEnd(program: Program, id: number, at: number, groups: Int32Array | null): number {
    let ends = this.#atomics.get(id);
    if (!ends) {
      ends = new Map();
      this.#atomics.set(id, ends);
    }
    const known = groups ? undefined : ends.get(at);
    if (known !== undefined) return known;
    // A separate record, since a path that failed inside an earlier attempt may succeed in this one, which ends elsewhere.
    for (const page of this.#tried.get(program) ?? []) this.#noteBytes -= page?.byteLength ?? 0;
    this.#tried.delete(program);
    const end = this.match(program, at, groups, -1);
    ends.set(at, end);
    return end;
  }

  #holds(what: string, at: number): boolean {
    const { text } = this;
    const { length } = text;
    switch (what) {
      case 'begin':
        return at === 0;
      case 'end':
        return at === length;
      case 'end-before-newline':
        return at === length || (at === length - 1 && text[at] === '\n');
      case 'end-before-terminator':
        if (at === length) return true;
        if (at === length - 2) return text[at] === '\r' && text[at + 1] === '\n';
        return at === length - 1 && isTerminator(text, at) && !(text[at] === '\n' && text[at - 1] === '\r');
      case 'unix-line-begin':
        return at === 0 || (text[at - 1] === '\n' && at < length);
      case 'unix-line-end':
        return at === length || text[at] === '\n';
      case 'line-begin':
        if (at === 0) return true;
        return at < length && isTerminator(text, at - 1) && !(text[at - 1] === '\r' && text[at] === '\n');
      case 'line-end':
        return at === length || (isTerminator(text, at) && !(text[at] === '\n' && text[at - 1] === '\r'));
      case 'last-match':
        return at === this.lastMatch;
      default: {
        const before = at > 0 && this.#isOfWord(codePointBefore(text, at), at - 1);
        const behind = at < length && this.#isOfWord(codePointAt(text, at), at);
        return (before !== behind) === (what === 'word');
      }
    }
  }

  /** Whether a word character, or a combining mark after a letter or digit. @param at end of the mark, or its position */
  #isOfWord(cp: number, at: number): boolean {
    if (this.#word.has(cp)) return true;
    if (cp < 0x300 || category(cp) !== NONSPACING_MARK) return false;
    const marks = this.#marks;
    // Positions come mostly in order: what is known of the previous marks also applies to this one.
    if (at >= marks.start && at <= marks.end + 1) marks.end = Math.max(marks.end, at);
    else {
      let i = at;
      while (i >= 0 && category(codePointAt(this.text, i)) === NONSPACING_MARK) i--;
      this.#marks = { start: i + 1, end: at, followLetter: i >= 0 && isLetterOrDigit(category(codePointAt(this.text, i))) };
    }
    return this.#marks.followLetter;
  }

  /** One byte per position: 1 where the lookaround's body matches from there (ahead) or up to there (behind). */
  #looksAt(look: { program: Program; behind: boolean; id: number }): Uint8Array {
    let found = this.#looks[look.id];
    if (!found) {
      found = look.behind ? this.#endsOf(look.program) : this.#startsOf(look.program);
      this.#looks[look.id] = found;
    }
    return found;
  }

  /** Positions where a match can end: simulates all states forward. */
  #endsOf(program: Program): Uint8Array {
    const { text } = this;
    const { code } = program;
    const result = new Uint8Array(text.length + 1);
    const waiting: (number[] | undefined)[] = [];
    const seen = new Int32Array(code.length).fill(-1);
    for (let at = 0; at <= text.length; at++) {
      const states = [0, ...(waiting[at] ?? [])];
      waiting[at] = undefined;
      let visited = 0;
      for (let pc = states.pop(); pc !== undefined; pc = states.pop()) {
        if (seen[pc] === at) continue;
        seen[pc] = at;
        visited++;
        const instruction = code[pc];
        if (instruction.op === 'set') {
          if (at >= text.length) continue;
          const cp = codePointAt(text, at);
          if (!instruction.set.has(cp)) continue;
          const next = at + (cp > 0xffff ? 2 : 1);
          (waiting[next] ??= []).push(pc + 1);
        } else if (instruction.op === 'match') result[at] = 1;
        else states.push(...this.#onward(instruction, pc, at));
      }
      this.#spend(visited);
    }
    return result;
  }

  /** Positions where a match can start: computes backward which states can reach the end. */
  #startsOf(program: Program): Uint8Array {
    const { text } = this;
    const { code } = program;
    const result = new Uint8Array(text.length + 1);
    let next = new Uint8Array(code.length);
    let afterNext = new Uint8Array(code.length);
    for (let at = text.length; at >= 0; at--) {
      const alive = new Uint8Array(code.length);
      const cp = codePointAt(text, at);
      // Reachability at one position: repeat until nothing changes (loops are traversed at most once).
      for (let changed = true; changed; ) {
        changed = false;
        this.#spend(code.length);
        for (let pc = code.length - 1; pc >= 0; pc--) {
          if (alive[pc]) continue;
          const instruction = code[pc];
          let live: boolean;
          if (instruction.op === 'match') live = true;
          else if (instruction.op === 'set') live = cp >= 0 && instruction.set.has(cp) && (cp > 0xffff ? afterNext : next)[pc + 1] === 1;
          else live = this.#onward(instruction, pc, at).some((target) => alive[target] === 1);
          if (live) {
            alive[pc] = 1;
            changed = true;
          }
        }
      }
      result[at] = alive[0];
      afterNext = next;
      next = alive;
    }
    return result;
  }

  /** Targets of an instruction that consumes nothing, at `at`. */
  #onward(instruction: Program['code'][number], pc: number, at: number): number[] {
    switch (instruction.op) {
      case 'split':
        return [instruction.first, instruction.second];
      case 'jump':
        return [instruction.to];
      case 'assert':
        return this.#holds(instruction.what, at) ? [pc + 1] : [];
      case 'look':
        return (this.#looksAt(instruction)[at] === 1) !== instruction.negative ? [pc + 1] : [];
      case 'atomic':
        throw new ApiError(
          'illegal_argument_exception',
          400,
          'regular expressions cannot have possessive or atomic parts inside a lookaround here',
        );
      default:
        return [pc + 1];
    }
  }
}

function isTerminator(text: string, at: number): boolean {
  const char = text[at];
  return char === '\n' || char === '\r' || char === '\u0085' || char === '\u2028' || char === '\u2029';
}

function codePointBefore(text: string, at: number): number {
  const low = text.charCodeAt(at - 1);
  if (low >= 0xdc00 && low < 0xe000 && at > 1) {
    const cp = codePointAt(text, at - 2);
    if (cp > 0xffff) return cp;
  }
  return low;
}
