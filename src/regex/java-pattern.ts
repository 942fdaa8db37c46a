// Runs Java regular expressions in time linear in the text: backtracking never tries an (instruction, position) pair twice, and lookarounds take one
// pass over the text each. Finds the leftmost match with alternatives in order, like java.util.regex; back references are not supported.
import { ApiError } from '../errors/api-error.ts';
import { CodePointSet, codePointAt } from './code-point-set.ts';
import { effortLeft, spendEffort } from './effort.ts';
import { Run } from './matcher-run.ts';
import { parseJavaRegex } from './parser.ts';
import { compileProgram, type Program } from './program.ts';
import { FLAG } from './syntax.ts';

/** However long the text and large the expression: several seconds. */
const MAX_STEPS = 400_000_000;
/** Replacements of matches may make a text this many times longer, and this much in any case. */
const GROWTH = 16;
const FREE_GROWTH = 1 << 20;

export class JavaPattern {
  readonly groupCount: number;
  readonly groupNames: ReadonlyMap<string, number>;
  readonly program: Program;
  /** Code points that a match can start with; null if it may be empty. */
  readonly first: CodePointSet | null;
  /** True if a set contains code points beyond U+FFFF: then no match starts inside a surrogate pair, as in Java. */
  readonly supplementary: boolean;

  constructor(
    readonly source: string,
    readonly flags = 0,
  ) {
    const parsed = parseJavaRegex(source, flags);
    this.groupCount = parsed.groupCount;
    this.groupNames = parsed.groupNames;
    this.program = compileProgram(parsed.node);
    this.first = firstSet(this.program);
    this.supplementary = this.program.code.some((instruction) => instruction.op === 'set' && (instruction.set.ranges.at(-1) ?? 0) > 0xffff);
  }

  matcher(text: string, maxSteps?: number): Matcher {
    return new Matcher(this, text, maxSteps);
  }

  /** True if the whole text matches. */
  matches(text: string): boolean {
    return this.matcher(text).matches();
  }
}

/** Successive matches in one text, as java.util.regex.Matcher finds them. */
export class Matcher {
  /** [start, end] of the match and of each group; -1 for groups that did not take part. */
  readonly groups: Int32Array;
  readonly #run: Run;
  #from = 0;
  #last = 0;
  #replacementChars = 0;

  /** @param maxSteps  steps of all matches in the text, also limited by the effort that is left (effort.ts) */
  constructor(
    readonly pattern: JavaPattern,
    readonly text: string,
    maxSteps = MAX_STEPS,
  ) {
    this.groups = new Int32Array((pattern.groupCount + 1) * 2).fill(-1);
    const steps = Math.min(maxSteps, effortLeft());
    this.#run = new Run(text, (pattern.flags & FLAG.UNICODE_CHARACTER_CLASS) !== 0, pattern.program.shared.size, steps);
  }

  /** Counts characters that replace matches. @throws ApiError illegal_argument_exception: the text would become too long */
  addReplacement(chars: number): void {
    this.#replacementChars += chars;
    if (this.#replacementChars <= FREE_GROWTH + GROWTH * this.text.length) return;
    throw new ApiError('illegal_argument_exception', 400, `replacements make a text more than ${GROWTH} times longer`);
  }

  get start(): number {
    return this.groups[0];
  }

  get end(): number {
    return this.groups[1];
  }

  group(index: number): string | null {
    return this.groups[index * 2] < 0 ? null : this.text.slice(this.groups[index * 2], this.groups[index * 2 + 1]);
  }

  /** Where a group begins; -1 if it did not match. */
  startOf(index: number): number {
    return this.groups[index * 2];
  }

  find(): boolean {
    const before = this.#run.steps;
    try {
      return this.#find();
    } finally {
      spendEffort(before - this.#run.steps);
    }
  }

  #find(): boolean {
    const { program, first } = this.pattern;
    this.#run.lastMatch = this.#last;
    for (let at = this.#from; at <= this.text.length; at++) {
      if (first) {
        while (at < this.text.length && !first.has(codePointAt(this.text, at))) at++;
        if (at === this.text.length) break;
      }
      // The search advances by whole pairs, although it may start inside one after an empty match.
      if (this.pattern.supplementary && at > this.#from && at < this.text.length && codePointAt(this.text, at - 1) > 0xffff) continue;
      this.groups.fill(-1);
      const end = this.#run.match(program, at, this.groups, -1);
      if (end < 0) continue;
      this.groups[0] = at;
      this.groups[1] = end;
      this.#last = end;
      this.#from = end === at ? end + 1 : end;
      this.#run.release(program, end);
      return true;
    }
    this.#from = this.text.length + 1;
    return false;
  }

  matches(): boolean {
    this.groups.fill(-1);
    const before = this.#run.steps;
    let end: number;
    try {
      end = this.#run.match(this.pattern.program, 0, this.groups, this.text.length);
    } finally {
      spendEffort(before - this.#run.steps);
    }
    this.groups[0] = 0;
    this.groups[1] = end;
    return end >= 0;
  }
}

/** Code points that a match can start with; null if it may be empty or starts with anything but a character. */
function firstSet(program: Program): CodePointSet | null {
  const sets = new Set<CodePointSet>();
  const seen = new Set<number>();
  const stack = [0];
  for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
    if (seen.has(pc)) continue;
    seen.add(pc);
    const instruction = program.code[pc];
    if (instruction.op === 'set') sets.add(instruction.set);
    else if (instruction.op === 'split') stack.push(instruction.first, instruction.second);
    else if (instruction.op === 'jump') stack.push(instruction.to);
    else if (instruction.op === 'save' || instruction.op === 'look') stack.push(pc + 1);
    else if (instruction.op === 'assert' && (instruction.what === 'word' || instruction.what === 'not-word')) stack.push(pc + 1);
    else return null;
  }
  return CodePointSet.unionOf(sets);
}

/** The text without the matches of `pattern`. */
export function removeMatches(text: string, pattern: JavaPattern): string {
  const matcher = pattern.matcher(text);
  let out = '';
  let last = 0;
  while (matcher.find()) {
    out += text.slice(last, matcher.start);
    last = matcher.end;
  }
  return out + text.slice(last);
}
