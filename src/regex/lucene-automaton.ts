// Lucene's regular expressions over whole terms, matched in linear time by a lazy automaton of the expression's derivatives, which support
// complement `~` and intersection `&` at no extra cost. The effort of building the automaton is limited.
//   union | concat & repeat * + ? {n,m}, classes [a-z] [^a-z], . @ # ~ <1-10> "literal" \escape \d \D \w \W \s \S
// Source: syntax of org.apache.lucene.util.automaton.RegExp (Apache Lucene); derivatives: Brzozowski 1964.
import { REGEXP_ANYSTRING, REGEXP_COMPLEMENT, REGEXP_EMPTY, REGEXP_INTERSECTION, REGEXP_INTERVAL } from '../common/text/regexp-flags.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { tooComplexError } from '../errors/search-errors.ts';
import { CodePointSet } from './code-point-set.ts';
import { CharacterClasses, type Node, NodeFactory, TooComplex } from './derivatives.ts';
import { LuceneReader } from './lucene-reader.ts';

const MAX_REPEAT = 1000;
/** Number of code points of a range whose case variants are added. */
const MAX_CASED_RANGE = 0x3000;
/** Lucene counts ten units of effort per state that a request allows. */
const EFFORT_PER_STATE = 10;
const MIN_EFFORT = 2000;
/** However many states a request allows: about a quarter of a second. */
const MAX_EFFORT = 1_000_000;
const decoder = new TextDecoder();

class AutomatonParser extends LuceneReader<Node> {
  readonly #flags: number;
  readonly #make: NodeFactory;
  readonly #caseInsensitive: boolean;

  constructor(source: string, flags: number, make: NodeFactory, caseInsensitive: boolean) {
    super(source);
    this.#flags = flags;
    this.#make = make;
    this.#caseInsensitive = caseInsensitive;
  }

  parse(): Node {
    return this.hasMore ? this.whole() : this.#make.empty;
  }

  protected override alternatives(parts: Node[]): Node {
    return this.#make.union(parts);
  }

  protected override intersection(): Node {
    const parts = [this.#concat()];
    while (this.#flags & REGEXP_INTERSECTION && this.match('&')) parts.push(this.#concat());
    return parts.length === 1 ? parts[0] : this.#make.and(parts);
  }

  #concat(): Node {
    const parts = [this.#repeat()];
    while (this.hasMore && !this.peek(`)|${this.#flags & REGEXP_INTERSECTION ? '&' : ''}`)) parts.push(this.#repeat());
    return parts.reduceRight((right, left) => this.#make.concat(left, right));
  }

  #repeat(): Node {
    let node = this.#complement();
    while (this.peek('?*+{')) {
      if (this.match('?')) node = this.#make.repeat(node, 0, 1);
      else if (this.match('*')) node = this.#make.star(node);
      else if (this.match('+')) node = this.#make.concat(node, this.#make.star(node));
      else {
        this.at++;
        const { min, max } = this.repetition();
        node = this.#make.repeat(node, min, max);
      }
    }
    return node;
  }

  protected override integer(): number {
    const value = super.integer();
    if (value > MAX_REPEAT) throw illegalArgumentError(`repetition of ${value} is larger than ${MAX_REPEAT}`);
    return value;
  }

  #complement(): Node {
    if (this.#flags & REGEXP_COMPLEMENT && this.match('~')) return this.#make.not(this.#complement());
    return this.match('[') ? this.#make.set(this.characterClass()) : this.#simple();
  }

  /** A dash before the closing bracket is a literal. */
  protected override isRange(): boolean {
    return !this.isFollowedBy(']') && super.isRange();
  }

  /** As in Lucene, negated classes are case-sensitive. */
  protected override rangeSet(from: number, to: number, isNegated: boolean): CodePointSet {
    const ranges: [number, number][] = [[from, to]];
    if (this.#caseInsensitive && !isNegated)
      for (let cp = from; cp <= Math.min(to, from + MAX_CASED_RANGE); cp++) ranges.push(...variants(cp));
    return CodePointSet.of(...ranges);
  }

  #literal(cp: number): Node {
    return this.#make.set(this.rangeSet(cp, cp, false));
  }

  #simple(): Node {
    const predefined = this.predefined();
    if (predefined) return this.#make.set(predefined);
    if (this.match('.')) return this.#make.any;
    if (this.#flags & REGEXP_EMPTY && this.match('#')) return this.#make.nothing;
    if (this.#flags & REGEXP_ANYSTRING && this.match('@')) return this.#make.anything;
    if (this.match('"')) {
      const codePoints = Array.from(this.quoted(), (char) => char.codePointAt(0) ?? 0);
      return codePoints.reduceRight((right, cp) => this.#make.concat(this.#literal(cp), right), this.#make.empty);
    }
    if (this.match('(')) return this.group() ?? this.#make.empty;
    if (this.#flags & REGEXP_INTERVAL && this.match('<')) return this.#interval();
    return this.#literal(this.character());
  }

  #interval(): Node {
    let [low, high] = this.interval();
    const digits = low.length === high.length ? low.length : 0;
    if (BigInt(low) > BigInt(high)) [low, high] = [high, low];
    return numberRange(this.#make, low, high, digits);
  }
}

/** The lower and the upper case of a code point, if they are single code points. */
function variants(cp: number): [number, number][] {
  const char = String.fromCodePoint(cp);
  return [char.toLowerCase(), char.toUpperCase()]
    .filter((other) => [...other].length === 1)
    .map((other) => other.codePointAt(0) ?? cp)
    .map((other): [number, number] => [other, other]);
}

/** Decimal numbers from `low` to `high`, with exactly `digits` digits or, if that is 0, any number of leading zeros. */
function numberRange(make: NodeFactory, low: string, high: string, digits: number): Node {
  const digit = (from: number, to: number) => make.set(CodePointSet.of([48 + from, 48 + to]));
  const all = (count: number) => make.repeat(digit(0, 9), count, count);
  const atLeast = (text: string): Node => {
    if (text === '') return make.empty;
    const first = Number(text[0]);
    const same = make.concat(digit(first, first), atLeast(text.slice(1)));
    return first === 9 ? same : make.union([same, make.concat(digit(first + 1, 9), all(text.length - 1))]);
  };
  const atMost = (text: string): Node => {
    if (text === '') return make.empty;
    const first = Number(text[0]);
    const same = make.concat(digit(first, first), atMost(text.slice(1)));
    return first === 0 ? same : make.union([same, make.concat(digit(0, first - 1), all(text.length - 1))]);
  };
  const width = Math.max(low.length, high.length);
  const range = make.and([atLeast(low.padStart(width, '0')), atMost(high.padStart(width, '0'))]);
  if (digits > 0) return range;
  // Without a fixed width, numbers may have more or fewer leading zeros than the padded form.
  const forms: Node[] = [];
  for (let length = 1; length <= width; length++) {
    const smallest = length === 1 ? '0' : `1${'0'.repeat(length - 1)}`;
    const largest = '9'.repeat(length);
    if (BigInt(largest) < BigInt(low) || BigInt(smallest) > BigInt(high)) continue;
    const from = BigInt(smallest) > BigInt(low) ? smallest : low.replace(/^0+(?=\d)/, '').padStart(length, '0');
    const to = BigInt(largest) < BigInt(high) ? largest : high.replace(/^0+(?=\d)/, '').padStart(length, '0');
    forms.push(make.and([atLeast(from), atMost(to)]));
  }
  return make.concat(make.star(digit(0, 0)), make.union(forms));
}

export interface RegexpMatcher {
  /** String that every match starts with. */
  readonly prefix: string;
  /** @param term UTF-8 */
  matches(term: Uint8Array): boolean;
  /** True if some term that begins with these bytes of UTF-8 matches. */
  matchesSomeWith(prefix: Uint8Array): boolean;
  /** Makes all states, which `matches` makes when they are reached. @throws ApiError too_complex_to_determinize_exception */
  determinize(): void;
}

/**
 * @param maxStates  `max_determinized_states`
 * @throws ApiError illegal_argument_exception: syntax; too_complex_to_determinize_exception, also from `matches`
 */
export function regexpMatcher(text: string, flags: number, caseInsensitive: boolean, maxStates: number): RegexpMatcher {
  const bounded = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw error instanceof TooComplex ? tooComplexError(text, maxStates) : error;
    }
  };
  return bounded(() => {
    const make = new NodeFactory(Math.min(Math.max(maxStates * EFFORT_PER_STATE, MIN_EFFORT), MAX_EFFORT));
    const root = new AutomatonParser(text, flags, make, caseInsensitive).parse();
    const automaton = new LazyAutomaton(make, root);
    return {
      prefix: commonPrefix(make, root),
      matches: (term) => bounded(() => automaton.matches(term)),
      matchesSomeWith: (prefix) => bounded(() => automaton.matchesSomeWith(prefix)),
      determinize: () => bounded(() => automaton.determinize()),
    };
  });
}

/** The deterministic automaton of an expression, whose states are made when a term first reaches them. */
class LazyAutomaton {
  readonly #make: NodeFactory;
  readonly #root: Node;
  readonly #classes: CharacterClasses;

  constructor(make: NodeFactory, root: Node) {
    this.#make = make;
    this.#root = root;
    this.#classes = new CharacterClasses(make.sets());
  }

  /** @param term UTF-8 @throws TooComplex */
  matches(term: Uint8Array): boolean {
    const make = this.#make;
    let node = this.#root;
    for (let i = 0; i < term.length; i++) {
      if (node === make.anything) return true;
      if (term[i] >= 0x80) return this.#finish(node, decoder.decode(term.subarray(i)));
      node = this.#step(node, term[i]);
      if (node === make.nothing) return false;
    }
    return node.nullable;
  }

  /** True if an accepting state can be reached from where the prefix leads. @throws TooComplex */
  matchesSomeWith(prefix: Uint8Array): boolean {
    let start = this.#root;
    for (const char of decoder.decode(prefix)) start = this.#step(start, char.codePointAt(0) ?? 0);
    for (const node of this.#reachable(start)) if (node.nullable) return true;
    return false;
  }

  /** @throws TooComplex */
  determinize(): void {
    for (const _ of this.#reachable(this.#root));
  }

  *#reachable(start: Node): Generator<Node> {
    const seen = new Set([start]);
    for (const node of seen) {
      yield node;
      for (let cls = 0; cls < this.#classes.count; cls++) seen.add(this.#step(node, this.#classes.sample(cls)));
    }
  }

  /** Whether the rest of a term that is not ASCII ends in an accepting state. */
  #finish(start: Node, rest: string): boolean {
    let node = start;
    for (const char of rest) {
      node = this.#step(node, char.codePointAt(0) ?? 0);
      if (node === this.#make.nothing) return false;
    }
    return node.nullable;
  }

  #step(node: Node, codePoint: number): Node {
    const cls = this.#classes.of(codePoint);
    return node.next[cls] ?? this.#make.derive(node, cls, this.#classes.sample(cls));
  }
}

/** Literal prefix of an expression: its leading sets of one character. */
function commonPrefix(make: NodeFactory, root: Node): string {
  let prefix = '';
  let node = root;
  while (node.kind === 'concat' || node.kind === 'set') {
    const head = node.kind === 'set' ? node : node.parts[0];
    const [first, last] = head.set.ranges;
    if (head.kind !== 'set' || head.set.ranges.length !== 2 || first !== last) break;
    prefix += String.fromCodePoint(first);
    node = node.kind === 'set' ? make.empty : node.parts[1];
  }
  return prefix;
}
