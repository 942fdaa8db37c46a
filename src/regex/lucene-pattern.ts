// Lucene's own regular expression syntax (org.apache.lucene.util.automaton.RegExp, all optional syntax on), run as a lazily built
// deterministic automaton. Matches are longest, from a given start.
import { checkTurn } from '../common/turns/turn.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { CodePointSet } from './code-point-set.ts';
import { LuceneReader } from './lucene-reader.ts';
import { closure, compileProgram, type Program } from './program.ts';
import type { Node } from './syntax.ts';

/** Maximum number of states of the lazy automaton; it is rebuilt when there are more. */
const MAX_STATES = 2000;
/** Step limit per text: 2000 per character, plus a constant. Longest matches that fail late would otherwise be quadratic. */
const STEPS_PER_CHAR = 2000;
const FREE_STEPS = 10_000_000;
/** However long the text: a few seconds. */
const MAX_STEPS = 200_000_000;
const STEPS_PER_CHECK_MASK = 0xffff;
/** Visiting an instruction while a state is built takes as long as so many steps. */
const BUILD_WEIGHT = 10;

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
  /** Steps that building states took since the last step. */
  #built = 0;

  /** @param source the pattern for errors */
  constructor(
    node: Node,
    readonly source: string,
  ) {
    this.#program = compileProgram(node);
  }

  /** Returns a function from a start to the end of the longest match there, -1 for none. The step limit applies to all its calls. */
  start(text: string, maxSteps = MAX_STEPS): (at: number) => number {
    let steps = Math.min(maxSteps, FREE_STEPS + text.length * STEPS_PER_CHAR);
    this.#built = 0;
    return (from) => {
      let state: State | null = (this.#first ??= this.#stateOf(closure(this.#program.code, [0])));
      let end = state.accepts ? from : -1;
      for (let at = from; at < text.length; ) {
        steps -= 1 + this.#built;
        this.#built = 0;
        if (steps < 0) throw illegalArgumentError(`pattern [${this.source}] needs too much work on this text`);
        if ((steps & STEPS_PER_CHECK_MASK) === 0) checkTurn();
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
    const cp = text.codePointAt(at) ?? 0;
    return { cp, width: cp > 0xffff ? 2 : 1 };
  }

  #step(state: State, cp: number): State | null {
    let next = state.next.get(cp);
    if (next !== undefined) return next;
    const pcs: number[] = [];
    this.#built += BUILD_WEIGHT * this.#program.code.length;
    for (const pc of state.pcs) {
      const instruction = this.#program.code[pc];
      if (instruction.op === 'set' && instruction.set.has(cp)) pcs.push(pc + 1);
    }
    next = pcs.length ? this.#stateOf(closure(this.#program.code, pcs)) : null;
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

class Parser extends LuceneReader<Node> {
  parse(): Node {
    return this.whole();
  }

  protected override alternatives(parts: Node[]): Node {
    return parts.length === 1 ? parts[0] : { kind: 'alt', parts };
  }

  protected override intersection(): Node {
    const node = this.#concatenation();
    if (this.peek('&')) throw illegalArgumentError(`patterns cannot have an intersection here: & at position ${this.at}`);
    return node;
  }

  #concatenation(): Node {
    const parts = [this.#repeated()];
    while (this.hasMore && !this.peek(')|&')) parts.push(this.#repeated());
    return parts.length === 1 ? parts[0] : { kind: 'seq', parts };
  }

  #repeated(): Node {
    let part = this.match('[') ? this.#set(this.characterClass()) : this.#simple();
    while (this.peek('?*+{')) {
      if (this.match('?')) part = { kind: 'repeat', part, min: 0, max: 1, mode: 'greedy' };
      else if (this.match('*')) part = { kind: 'repeat', part, min: 0, max: INFINITE, mode: 'greedy' };
      else if (this.match('+')) part = { kind: 'repeat', part, min: 1, max: INFINITE, mode: 'greedy' };
      else {
        this.at++;
        const { min, max } = this.repetition();
        part = { kind: 'repeat', part, min, max: Math.min(max, INFINITE), mode: 'greedy' };
      }
    }
    return part;
  }

  #set(set: CodePointSet): Node {
    return { kind: 'set', set };
  }

  #simple(): Node {
    if (this.match('.')) return ANY;
    if (this.match('#')) return NOTHING;
    if (this.match('@')) return { kind: 'repeat', part: ANY, min: 0, max: INFINITE, mode: 'greedy' };
    if (this.match('"')) return this.#literals(this.quoted());
    if (this.match('(')) return this.group() ?? { kind: 'empty' };
    if (this.match('<')) return this.#interval();
    const cp = this.predefined() ?? this.character();
    return this.#set(typeof cp === 'number' ? CodePointSet.of([cp, cp]) : cp);
  }

  #literals(string: string): Node {
    return { kind: 'seq', parts: Array.from(string, (char) => this.#set(CodePointSet.ofChars(char))) };
  }

  /** `<n-m>`: decimal numbers of a range, with a fixed number of digits if both bounds have the same number. */
  #interval(): Node {
    const bounds = this.interval();
    const [low, high] = bounds.map(Number).sort((a, b) => a - b);
    if (high - low > 5000) throw illegalArgumentError(`interval <${bounds.join('-')}> is too wide`);
    const width = bounds[0].length === bounds[1].length ? bounds[0].length : 0;
    const numbers = Array.from({ length: high - low + 1 }, (_, i) => String(low + i).padStart(width, '0'));
    const alternatives: Node = { kind: 'alt', parts: numbers.map((number) => this.#literals(number)) };
    const zeros: Node = { kind: 'repeat', part: this.#literals('0'), min: 0, max: INFINITE, mode: 'greedy' };
    return width ? alternatives : { kind: 'seq', parts: [zeros, alternatives] };
  }
}
