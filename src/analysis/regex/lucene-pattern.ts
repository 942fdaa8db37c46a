// Lucene's own regular expression syntax (org.apache.lucene.util.automaton.RegExp, all optional syntax on), run as a lazily built
// deterministic automaton. Matches are longest, from a given start.
import { illegalArgument } from '../../errors/catalog.ts';
import { CodePointSet } from './code-point-set.ts';
import { compileProgram, type Program } from './program.ts';
import { DIGIT, SPACE, WORD } from './properties.ts';
import type { Node } from './syntax.ts';

/** Maximum number of states of the lazy automaton; it is rebuilt when there are more. */
const MAX_STATES = 2000;
/** Step limit per text: 2000 per character, plus a constant. Longest matches that fail late would otherwise be quadratic. */
const STEPS_PER_CHAR = 2000;
const FREE_STEPS = 10_000_000;

interface State {
  pcs: number[];
  accepts: boolean;
  next: Map<number, State | null>;
}

/** Finds longest matches of an expression that has no assertions, lookarounds or atomic parts. */
export class LongestMatcher {
  readonly #program: Program;
  #states = new Map<string, State>();
  #first: State | null = null;

  /** @param source the pattern for errors */
  constructor(
    node: Node,
    readonly source: string,
  ) {
    this.#program = compileProgram(node);
  }

  /** Returns a function from a start to the end of the longest match there, -1 for none. The step limit applies to all its calls. */
  start(text: string): (at: number) => number {
    let steps = FREE_STEPS + text.length * STEPS_PER_CHAR;
    return (from) => {
      let state: State | null = (this.#first ??= this.#stateOf(this.#closure([0])));
      let end = state.accepts ? from : -1;
      for (let at = from; at < text.length; ) {
        if (--steps < 0) throw illegalArgument(`pattern [${this.source}] needs too much work on this text`);
        const { cp, width } = this.read(text, at);
        state = this.#step(state, cp);
        if (!state) break;
        at += width;
        if (state.accepts) end = at;
      }
      return end;
    };
  }

  /** The code point at `at`, and its number of units. */
  protected read(text: string, at: number): { cp: number; width: number } {
    const cp = text.codePointAt(at)!;
    return { cp, width: cp > 0xffff ? 2 : 1 };
  }

  #step(state: State, cp: number): State | null {
    let next = state.next.get(cp);
    if (next !== undefined) return next;
    const pcs: number[] = [];
    for (const pc of state.pcs) {
      const instruction = this.#program.code[pc];
      if (instruction.op === 'set' && instruction.set.has(cp)) pcs.push(pc + 1);
    }
    next = pcs.length ? this.#stateOf(this.#closure(pcs)) : null;
    if (state.next.size < 512) state.next.set(cp, next);
    return next;
  }

  #stateOf(pcs: number[]): State {
    const key = pcs.join(',');
    let state = this.#states.get(key);
    if (!state) {
      if (this.#states.size >= MAX_STATES) {
        this.#states = new Map();
        this.#first = null;
      }
      state = { pcs, accepts: pcs.some((pc) => this.#program.code[pc].op === 'match'), next: new Map() };
      this.#states.set(key, state);
    }
    return state;
  }

  #closure(start: number[]): number[] {
    const seen = new Set<number>();
    const stack = [...start];
    const out: number[] = [];
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      if (seen.has(pc)) continue;
      seen.add(pc);
      const instruction = this.#program.code[pc];
      if (instruction.op === 'split') stack.push(instruction.first, instruction.second);
      else if (instruction.op === 'jump') stack.push(instruction.to);
      else if (instruction.op === 'save') stack.push(pc + 1);
      else out.push(pc);
    }
    return out.sort((a, b) => a - b);
  }
}

export class LucenePattern extends LongestMatcher {
  /** @throws ApiError illegal_argument_exception: invalid syntax, with Lucene's messages */
  constructor(source: string) {
    super(source === '' ? { kind: 'empty' } : new Parser(source).parse(), source);
  }

  /** Like Lucene's reader, combines a high surrogate with any unit that follows. */
  override read(text: string, at: number): { cp: number; width: number } {
    const high = text.charCodeAt(at);
    if (high < 0xd800 || high > 0xdbff || at + 1 >= text.length) return { cp: high, width: 1 };
    return { cp: ((high << 10) + text.charCodeAt(at + 1) + 0x10000 - (0xd800 << 10) - 0xdc00) | 0, width: 2 };
  }
}

const NOTHING: Node = { kind: 'set', set: CodePointSet.EMPTY };
const ANY: Node = { kind: 'set', set: CodePointSet.ALL };
const INFINITE = 0x7fffffff;

class Parser {
  #at = 0;

  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Node {
    const node = this.#union();
    if (this.#at < this.#source.length) throw illegalArgument(`end-of-string expected at position ${this.#at}`);
    return node;
  }

  #more(): boolean {
    return this.#at < this.#source.length;
  }

  #peek(chars: string): boolean {
    return this.#more() && chars.includes(this.#source[this.#at]);
  }

  #match(char: string): boolean {
    if (this.#source[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #next(): number {
    if (!this.#more()) throw illegalArgument('unexpected end-of-string');
    const cp = this.#source.codePointAt(this.#at)!;
    this.#at += cp > 0xffff ? 2 : 1;
    return cp;
  }

  #union(): Node {
    const parts = [this.#intersection()];
    while (this.#match('|')) parts.push(this.#intersection());
    return parts.length === 1 ? parts[0] : { kind: 'alt', parts };
  }

  #intersection(): Node {
    const node = this.#concatenation();
    if (this.#peek('&')) throw illegalArgument(`patterns cannot have an intersection here: & at position ${this.#at}`);
    return node;
  }

  #concatenation(): Node {
    const parts = [this.#repetition()];
    while (this.#more() && !this.#peek(')|&')) parts.push(this.#repetition());
    return parts.length === 1 ? parts[0] : { kind: 'seq', parts };
  }

  #repetition(): Node {
    let node = this.#characterClass();
    while (this.#peek('?*+{')) {
      if (this.#match('?')) node = { kind: 'repeat', part: node, min: 0, max: 1, mode: 'greedy' };
      else if (this.#match('*')) node = { kind: 'repeat', part: node, min: 0, max: INFINITE, mode: 'greedy' };
      else if (this.#match('+')) node = { kind: 'repeat', part: node, min: 1, max: INFINITE, mode: 'greedy' };
      else {
        this.#at++;
        const min = this.#number();
        let max = min;
        if (this.#match(',')) max = this.#peek('0123456789') ? this.#number() : INFINITE;
        if (!this.#match('}')) throw illegalArgument(`expected '}' at position ${this.#at}`);
        if (max < min) throw illegalArgument(`invalid repetition range(out of order): ${min}..${max}`);
        node = { kind: 'repeat', part: node, min, max, mode: 'greedy' };
      }
    }
    return node;
  }

  #number(): number {
    const match = /^\d+/.exec(this.#source.slice(this.#at));
    if (!match) throw illegalArgument(`integer expected at position ${this.#at}`);
    this.#at += match[0].length;
    return Number(match[0]);
  }

  #characterClass(): Node {
    if (!this.#match('[')) return this.#simple();
    const negate = this.#match('^');
    let set = CodePointSet.EMPTY;
    do {
      const predefined = this.#predefined();
      if (predefined) set = set.union(predefined);
      else {
        const from = this.#char();
        if (this.#match('-')) {
          const to = this.#char();
          if (to < from) throw illegalArgument(`invalid range: from (${from}) cannot be > to (${to})`);
          set = set.union(CodePointSet.of([from, to]));
        } else set = set.union(CodePointSet.of([from, from]));
      }
    } while (this.#more() && !this.#peek(']'));
    if (!this.#match(']')) throw illegalArgument(`expected ']' at position ${this.#at}`);
    return { kind: 'set', set: negate ? set.negate() : set };
  }

  #char(): number {
    this.#match('\\');
    return this.#next();
  }

  #predefined(): CodePointSet | null {
    if (this.#source[this.#at] !== '\\') return null;
    const set = { d: DIGIT, s: SPACE, w: WORD }[this.#source[this.#at + 1]?.toLowerCase()];
    if (!set) return null;
    const negate = /[DSW]/.test(this.#source[this.#at + 1]);
    this.#at += 2;
    return negate ? set.negate() : set;
  }

  #simple(): Node {
    if (this.#match('.')) return ANY;
    if (this.#match('#')) return NOTHING;
    if (this.#match('@')) return { kind: 'repeat', part: ANY, min: 0, max: INFINITE, mode: 'greedy' };
    if (this.#match('"')) {
      const start = this.#at;
      while (this.#more() && !this.#peek('"')) this.#next();
      if (!this.#match('"')) throw illegalArgument(`expected '"' at position ${this.#at}`);
      return this.#text(this.#source.slice(start, this.#at - 1));
    }
    if (this.#match('(')) {
      if (this.#match(')')) return { kind: 'empty' };
      const node = this.#union();
      if (!this.#match(')')) throw illegalArgument(`expected ')' at position ${this.#at}`);
      return node;
    }
    if (this.#match('<')) return this.#interval();
    const predefined = this.#predefined();
    if (predefined) return { kind: 'set', set: predefined };
    const cp = this.#char();
    return { kind: 'set', set: CodePointSet.of([cp, cp]) };
  }

  #text(value: string): Node {
    return { kind: 'seq', parts: [...value].map((char) => ({ kind: 'set', set: CodePointSet.ofChars(char) }) as Node) };
  }

  /** `<n-m>`: decimal numbers of a range, with a fixed number of digits if both bounds have the same number. */
  #interval(): Node {
    const start = this.#at;
    while (this.#more() && !this.#peek('>')) this.#next();
    if (!this.#match('>')) throw illegalArgument(`expected '>' at position ${this.#at}`);
    const body = this.#source.slice(start, this.#at - 1);
    const bounds = /^(\d+)-(\d+)$/.exec(body);
    if (!bounds) throw illegalArgument(body.includes('-') ? `interval syntax error at position ${this.#at - 1}` : `'${body}' not found`);
    const [low, high] = [Number(bounds[1]), Number(bounds[2])].sort((a, b) => a - b);
    if (high - low > 5000) throw illegalArgument(`interval <${body}> is too wide`);
    const width = bounds[1].length === bounds[2].length ? bounds[1].length : 0;
    const numbers = Array.from({ length: high - low + 1 }, (_, i) => String(low + i).padStart(width, '0'));
    const alternatives: Node = { kind: 'alt', parts: numbers.map((number) => this.#text(number)) };
    const zeros: Node = { kind: 'repeat', part: this.#text('0'), min: 0, max: INFINITE, mode: 'greedy' };
    return width ? alternatives : { kind: 'seq', parts: [zeros, alternatives] };
  }
}
