// Regular expressions with PCRE semantics that cannot block a worker.
//
// Every pattern is parsed into a tree (regex-syntax.ts). Two engines run it:
// - the platform's own, for trees without nested repetition, back references or assertions, and only while
//   length ^ (number of unbounded repeats + 1) is below FAST_LIMIT, which bounds its worst case;
// - a backtracking matcher over the tree with a step budget, like PCRE's match limit; exceeding it is an error (nginx responds with 500).
// Both find Perl's leftmost match of the first matching alternative. A linear-time engine cannot replace them: PCRE has back references.
import { present } from '../../common/present.ts';
import { isWordByte, type ParsedRegex, parseRegex, type RegexNode } from './regex-syntax.ts';

/** Step budget of the backtracking matcher (about 10 ms). */
export const STEP_LIMIT = 500_000;
const FAST_LIMIT = 2_000_000;

export class RegexLimitError extends Error {}

/** Start and end of the match and of each group, as [start, end) pairs; -1 for a group that did not participate. */
export type Captures = { subject: string; offsets: Int32Array | number[] };

export function capture(captures: Captures | null, n: number): string | null {
  if (!captures) return null;
  const start = captures.offsets[n * 2];
  return start === undefined || start < 0 ? null : captures.subject.slice(start, captures.offsets[n * 2 + 1]);
}

export class Regex {
  readonly names: Map<string, number>;
  readonly groupCount: number;
  readonly #fast: RegExp | null = null;
  readonly #unbounded: number = 0;
  #slow: Matcher | null = null;
  readonly #parsed: ParsedRegex;

  /** @throws RegexSyntaxError */
  constructor(
    readonly source: string,
    readonly ignoreCase = false,
  ) {
    this.#parsed = parseRegex(source, ignoreCase);
    this.names = this.#parsed.names;
    this.groupCount = this.#parsed.groupCount;
    const repeats = fastRepeats(this.#parsed.root);
    if (repeats !== null) {
      this.#unbounded = repeats;
      this.#fast = new RegExp(toPlatform(this.#parsed.root), 'd');
    }
  }

  /** @throws RegexLimitError: the step budget is used up */
  exec(subject: string): Captures | null {
    if (this.#fast && (subject.length + 1) ** (this.#unbounded + 1) < FAST_LIMIT) {
      const match = this.#fast.exec(subject);
      if (!match) return null;
      const offsets: number[] = [];
      for (const pair of present(match.indices)) {
        if (pair) offsets.push(pair[0], pair[1]);
        else offsets.push(-1, -1);
      }
      return { subject, offsets };
    }
    this.#slow ??= new Matcher(this.#parsed);
    return this.#slow.exec(subject);
  }

  test(subject: string): boolean {
    return this.exec(subject) !== null;
  }
}

/** Number of unbounded repeats if the platform's engine may run the tree, else null. */
function fastRepeats(node: RegexNode): number | null {
  const sum = (items: RegexNode[]) =>
    items.reduce<number | null>((total, item) => {
      const n = fastRepeats(item);
      return n === null || total === null ? null : total + n;
    }, 0);
  switch (node.type) {
    case 'set':
      return 0;
    case 'assert':
      return 0;
    case 'seq':
    case 'alt':
      return sum(node.items);
    case 'group':
      return fastRepeats(node.item);
    case 'repeat':
      if (node.mode === 'possessive') return null;
      if (node.item.type === 'set') return node.max === Infinity || node.max > 1 ? 1 : 0;
      return node.min <= 1 && node.max === 1 ? fastRepeats(node.item) : null;
    default:
      return null;
  }
}

const hex = (c: number) => '\\x' + (c < 16 ? '0' : '') + c.toString(16);

function setText(set: Uint8Array): string {
  let out = '';
  for (let c = 0; c < 256; c++) {
    if (!set[c]) continue;
    let end = c;
    while (end < 255 && set[end + 1]) end++;
    out += end === c ? hex(c) : `${hex(c)}-${hex(end)}`;
    c = end;
  }
  return `[${out}]`;
}

const PLATFORM_ASSERT = {
  start: '^',
  absStart: '^',
  end: '(?=\\n?$)',
  absEnd: '$',
  word: '\\b',
  notWord: '\\B',
  lineStart: '(?:^|(?<=\\n))',
  lineEnd: '(?=\\n|$)',
};

function toPlatform(node: RegexNode): string {
  switch (node.type) {
    case 'set':
      return setText(node.set);
    case 'seq':
      return node.items.map(toPlatform).join('');
    case 'alt':
      return `(?:${node.items.map(toPlatform).join('|')})`;
    case 'group':
      return `(${toPlatform(node.item)})`;
    case 'assert':
      return PLATFORM_ASSERT[node.kind];
    case 'repeat': {
      const item = node.item.type === 'set' || node.item.type === 'group' ? toPlatform(node.item) : `(?:${toPlatform(node.item)})`;
      return `${item}{${node.min},${node.max === Infinity ? '' : node.max}}${node.mode === 'lazy' ? '?' : ''}`;
    }
    default:
      throw new Error(`no platform form for ${node.type}`);
  }
}

type Next = (pos: number) => boolean;
type Step = (pos: number, next: Next) => boolean;

/** The backtracking matcher: each tree node becomes a function that tries its alternatives and calls its continuation. */
class Matcher {
  readonly #start: Step;
  #subject = '';
  #steps = 0;
  readonly #groups: Int32Array;

  constructor(parsed: ParsedRegex) {
    this.#groups = new Int32Array((parsed.groupCount + 1) * 2);
    this.#start = this.#compile(parsed.root);
  }

  exec(subject: string): Captures | null {
    this.#subject = subject;
    this.#steps = 0;
    try {
      for (let from = 0; from <= subject.length; from++) {
        this.#groups.fill(-1);
        let end = -1;
        const done: Next = (pos) => {
          end = pos;
          return true;
        };
        if (this.#start(from, done)) {
          const offsets = this.#groups.slice();
          offsets[0] = from;
          offsets[1] = end;
          return { subject, offsets };
        }
      }
      return null;
    } catch (error) {
      if (error instanceof RangeError) throw new RegexLimitError('recursion limit of the regular expression reached');
      throw error;
    }
  }

  #spend(): void {
    if (++this.#steps > STEP_LIMIT) throw new RegexLimitError('match limit of the regular expression reached');
  }

  #compile(node: RegexNode): Step {
    switch (node.type) {
      case 'set': {
        const { set } = node;
        return (pos, next) => {
          this.#spend();
          return pos < this.#subject.length && set[this.#subject.charCodeAt(pos) & 255] === 1 && next(pos + 1);
        };
      }
      case 'seq': {
        const steps = node.items.map((item) => this.#compile(item));
        const run = (n: number, pos: number, next: Next): boolean =>
          n === steps.length ? next(pos) : steps[n](pos, (p) => run(n + 1, p, next));
        return (pos, next) => run(0, pos, next);
      }
      case 'alt': {
        const steps = node.items.map((item) => this.#compile(item));
        return (pos, next) => {
          for (const step of steps) {
            this.#spend();
            if (step(pos, next)) return true;
          }
          return false;
        };
      }
      case 'group':
        return this.#compileGroup(this.#compile(node.item), node.index);
      case 'atomic':
        return this.#compileAtomic(this.#compile(node.item));
      case 'look':
        return this.#compileLook(this.#compile(node.item), node.ahead, node.negative);
      case 'assert':
        return (pos, next) => this.#holds(node.kind, pos) && next(pos);
      case 'backref':
        return this.#compileBackref(node.index, node.ignoreCase);
      case 'repeat': {
        if (node.mode === 'possessive') return this.#compileAtomic(this.#compile({ ...node, mode: 'greedy' }));
        return node.item.type === 'set'
          ? this.#compileSetRepeat(node.item.set, node.min, node.max, node.mode === 'greedy')
          : this.#compileRepeat(this.#compile(node.item), node.min, node.max, node.mode === 'greedy');
      }
    }
  }

  #compileGroup(step: Step, index: number): Step {
    const groups = this.#groups;
    const at = index * 2;
    return (pos, next) => {
      const [oldStart, oldEnd] = [groups[at], groups[at + 1]];
      const matched = step(pos, (end) => {
        const [innerStart, innerEnd] = [groups[at], groups[at + 1]];
        groups[at] = pos;
        groups[at + 1] = end;
        if (next(end)) return true;
        groups[at] = innerStart;
        groups[at + 1] = innerEnd;
        return false;
      });
      if (!matched) {
        groups[at] = oldStart;
        groups[at + 1] = oldEnd;
      }
      return matched;
    };
  }

  #compileAtomic(step: Step): Step {
    return (pos, next) => {
      let end = -1;
      const found = step(pos, (p) => {
        end = p;
        return true;
      });
      return found && next(end);
    };
  }

  #compileLook(step: Step, ahead: boolean, negative: boolean): Step {
    return (pos, next) => {
      let found = false;
      if (ahead) found = step(pos, () => true);
      else for (let from = pos; from >= 0 && !found; from--) found = step(from, (p) => p === pos);
      return found !== negative && next(pos);
    };
  }

  #compileBackref(index: number, ignoreCase: boolean): Step {
    return (pos, next) => {
      const start = this.#groups[index * 2];
      if (start === undefined || start < 0) return false;
      const wanted = this.#subject.slice(start, this.#groups[index * 2 + 1]);
      this.#steps += wanted.length;
      this.#spend();
      const got = this.#subject.slice(pos, pos + wanted.length);
      return (ignoreCase ? got.toLowerCase() === wanted.toLowerCase() : got === wanted) && next(pos + wanted.length);
    };
  }

  #compileSetRepeat(set: Uint8Array, min: number, max: number, greedy: boolean): Step {
    return (pos, next) => {
      const subject = this.#subject;
      const limit = max === Infinity ? subject.length : Math.min(subject.length, pos + max);
      let end = pos;
      const stop = greedy ? limit : Math.min(limit, pos + min);
      while (end < stop && set[subject.charCodeAt(end) & 255] === 1) end++;
      this.#steps += end - pos;
      if (end - pos < min) return false;
      if (greedy) {
        for (; end >= pos + min; end--) {
          this.#spend();
          if (next(end)) return true;
        }
        return false;
      }
      for (;;) {
        this.#spend();
        if (next(end)) return true;
        if (end >= limit || set[subject.charCodeAt(end) & 255] !== 1) return false;
        end++;
      }
    };
  }

  #compileRepeat(step: Step, min: number, max: number, greedy: boolean): Step {
    const run = (count: number, pos: number, next: Next): boolean => {
      this.#spend();
      const more = () => count < max && step(pos, (p) => (p === pos && count >= min ? false : run(count + 1, p, next)));
      if (count < min) return more();
      return greedy ? more() || next(pos) : next(pos) || more();
    };
    return (pos, next) => run(0, pos, next);
  }

  #holds(kind: string, pos: number): boolean {
    const subject = this.#subject;
    switch (kind) {
      case 'start':
      case 'absStart':
        return pos === 0;
      case 'absEnd':
        return pos === subject.length;
      case 'end':
        return pos === subject.length || (pos === subject.length - 1 && subject.charCodeAt(pos) === 10);
      case 'lineStart':
        return pos === 0 || subject.charCodeAt(pos - 1) === 10;
      case 'lineEnd':
        return pos === subject.length || subject.charCodeAt(pos) === 10;
      default: {
        const before = pos > 0 && isWordByte(subject.charCodeAt(pos - 1));
        const after = pos < subject.length && isWordByte(subject.charCodeAt(pos));
        return (before !== after) === (kind === 'word');
      }
    }
  }
}
