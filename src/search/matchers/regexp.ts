// Lucene's regular expressions over terms, matched whole and in linear time: a lazy automaton made of the expression's derivatives, so that
// complement `~` and intersection `&` cost nothing special. Bounded by the number of states.
//   union | concat & repeat * + ? {n,m}, classes [a-z] [^a-z], . @ # ~ <1-10> "literal" \escape \d \D \w \W \s \S
// Source: syntax of org.apache.lucene.util.automaton.RegExp (Apache Lucene); derivatives: Brzozowski 1964.
import { illegalArgument } from '../../errors/catalog.ts';
import { REGEXP_ANYSTRING, REGEXP_COMPLEMENT, REGEXP_EMPTY, REGEXP_INTERSECTION, REGEXP_INTERVAL } from '../../query/regexp-flags.ts';
import type { Bytes } from '../index-query/term.ts';

/** Ascending, disjoint code point ranges. */
type Ranges = ReadonlyArray<readonly [number, number]>;

interface Node {
  readonly id: number;
  readonly kind: 'empty' | 'nothing' | 'set' | 'concat' | 'union' | 'and' | 'star' | 'not';
  readonly nullable: boolean;
  readonly ranges: Ranges;
  readonly parts: readonly Node[];
}

const MAX_CODE_POINT = 0x10ffff;
const MAX_REPEAT = 1000;
const MAX_NESTING = 200;
const decoder = new TextDecoder();

/** Makes nodes unique, so that equal expressions are one state. */
class NodeFactory {
  readonly #nodes = new Map<string, Node>();
  readonly #maxNodes: number;
  readonly nothing: Node;
  readonly empty: Node;
  readonly any: Node;
  readonly anything: Node;

  constructor(maxNodes: number) {
    this.#maxNodes = maxNodes;
    this.nothing = this.#make('nothing', false, [], []);
    this.empty = this.#make('empty', true, [], []);
    this.any = this.set([[0, MAX_CODE_POINT]]);
    this.anything = this.star(this.any);
  }

  #make(kind: Node['kind'], nullable: boolean, ranges: Ranges, parts: readonly Node[]): Node {
    const key = `${kind}:${ranges.join(';')}:${parts.map((part) => part.id).join(',')}`;
    let node = this.#nodes.get(key);
    if (!node) {
      if (this.#nodes.size >= this.#maxNodes) {
        throw illegalArgument(`Determinizing the automaton would require more than ${this.#maxNodes} states`);
      }
      node = { id: this.#nodes.size, kind, nullable, ranges, parts };
      this.#nodes.set(key, node);
    }
    return node;
  }

  set(ranges: Ranges): Node {
    return ranges.length === 0 ? this.nothing : this.#make('set', false, ranges, []);
  }

  concat(left: Node, right: Node): Node {
    if (left === this.nothing || right === this.nothing) return this.nothing;
    if (left === this.empty) return right;
    if (right === this.empty) return left;
    if (left.kind === 'concat') return this.concat(left.parts[0], this.concat(left.parts[1], right));
    return this.#make('concat', left.nullable && right.nullable, [], [left, right]);
  }

  union(nodes: readonly Node[]): Node {
    const parts = new Map<number, Node>();
    for (const node of nodes) {
      if (node === this.nothing) continue;
      if (node === this.anything) return node;
      for (const part of node.kind === 'union' ? node.parts : [node]) parts.set(part.id, part);
    }
    const sorted = [...parts.values()].sort((a, b) => a.id - b.id);
    if (sorted.length === 0) return this.nothing;
    return sorted.length === 1
      ? sorted[0]
      : this.#make(
          'union',
          sorted.some((part) => part.nullable),
          [],
          sorted,
        );
  }

  and(nodes: readonly Node[]): Node {
    const parts = new Map<number, Node>();
    for (const node of nodes) {
      if (node === this.nothing) return node;
      if (node === this.anything) continue;
      for (const part of node.kind === 'and' ? node.parts : [node]) parts.set(part.id, part);
    }
    const sorted = [...parts.values()].sort((a, b) => a.id - b.id);
    if (sorted.length === 0) return this.anything;
    return sorted.length === 1
      ? sorted[0]
      : this.#make(
          'and',
          sorted.every((part) => part.nullable),
          [],
          sorted,
        );
  }

  not(node: Node): Node {
    if (node === this.nothing) return this.anything;
    if (node === this.anything) return this.nothing;
    return node.kind === 'not' ? node.parts[0] : this.#make('not', !node.nullable, [], [node]);
  }

  star(node: Node): Node {
    if (node === this.nothing || node === this.empty) return this.empty;
    return node.kind === 'star' ? node : this.#make('star', true, [], [node]);
  }

  repeat(node: Node, min: number, max: number): Node {
    let tail = max === Number.POSITIVE_INFINITY ? this.star(node) : this.empty;
    if (max !== Number.POSITIVE_INFINITY) {
      for (let i = min; i < max; i++) tail = this.union([this.empty, this.concat(node, tail)]);
    }
    for (let i = 0; i < min; i++) tail = this.concat(node, tail);
    return tail;
  }

  derive(node: Node, codePoint: number): Node {
    switch (node.kind) {
      case 'empty':
      case 'nothing':
        return this.nothing;
      case 'set':
        return node.ranges.some(([from, to]) => codePoint >= from && codePoint <= to) ? this.empty : this.nothing;
      case 'concat': {
        const [left, right] = node.parts;
        const first = this.concat(this.derive(left, codePoint), right);
        return left.nullable ? this.union([first, this.derive(right, codePoint)]) : first;
      }
      case 'union':
        return this.union(node.parts.map((part) => this.derive(part, codePoint)));
      case 'and':
        return this.and(node.parts.map((part) => this.derive(part, codePoint)));
      case 'star':
        return this.concat(this.derive(node.parts[0], codePoint), node);
      case 'not':
        return this.not(this.derive(node.parts[0], codePoint));
    }
  }
}

class RegexpParser {
  readonly #chars: readonly string[];
  readonly #flags: number;
  readonly #make: NodeFactory;
  readonly #caseInsensitive: boolean;
  #at = 0;
  #nesting = 0;

  constructor(text: string, flags: number, make: NodeFactory, caseInsensitive: boolean) {
    this.#chars = [...text];
    this.#flags = flags;
    this.#make = make;
    this.#caseInsensitive = caseInsensitive;
  }

  parse(): Node {
    if (this.#chars.length === 0) return this.#make.empty;
    const node = this.#union();
    if (this.#at < this.#chars.length) throw illegalArgument(`end-of-string expected at position ${this.#at}`);
    return node;
  }

  #peek(signs: string): boolean {
    return this.#at < this.#chars.length && signs.includes(this.#chars[this.#at]);
  }

  #match(sign: string): boolean {
    if (this.#chars[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #next(): string {
    if (this.#at >= this.#chars.length) throw illegalArgument('unexpected end-of-string');
    return this.#chars[this.#at++];
  }

  #union(): Node {
    if (++this.#nesting > MAX_NESTING) throw illegalArgument(`regular expression is nested deeper than ${MAX_NESTING}`);
    const parts = [this.#intersection()];
    while (this.#match('|')) parts.push(this.#intersection());
    this.#nesting--;
    return this.#make.union(parts);
  }

  #intersection(): Node {
    const parts = [this.#concat()];
    while (this.#flags & REGEXP_INTERSECTION && this.#match('&')) parts.push(this.#concat());
    return parts.length === 1 ? parts[0] : this.#make.and(parts);
  }

  #concat(): Node {
    const parts = [this.#repeat()];
    while (this.#at < this.#chars.length && !this.#peek(`)|${this.#flags & REGEXP_INTERSECTION ? '&' : ''}`)) parts.push(this.#repeat());
    return parts.reduceRight((right, left) => this.#make.concat(left, right));
  }

  #repeat(): Node {
    let node = this.#complement();
    while (this.#peek('?*+{')) {
      if (this.#match('?')) node = this.#make.repeat(node, 0, 1);
      else if (this.#match('*')) node = this.#make.star(node);
      else if (this.#match('+')) node = this.#make.concat(node, this.#make.star(node));
      else {
        this.#at++;
        const min = this.#integer();
        let max = min;
        if (this.#match(',')) max = this.#peek('0123456789') ? this.#integer() : Number.POSITIVE_INFINITY;
        if (!this.#match('}')) throw illegalArgument(`expected '}' at position ${this.#at}`);
        if (min > max) throw illegalArgument(`invalid repetition range(out of order): ${min}..${max}`);
        node = this.#make.repeat(node, min, max);
      }
    }
    return node;
  }

  #integer(): number {
    const start = this.#at;
    while (this.#peek('0123456789')) this.#at++;
    if (start === this.#at) throw illegalArgument(`integer expected at position ${this.#at}`);
    const value = Number(this.#chars.slice(start, this.#at).join(''));
    if (value > MAX_REPEAT) throw illegalArgument(`repetition of ${value} is larger than ${MAX_REPEAT}`);
    return value;
  }

  #complement(): Node {
    if (this.#flags & REGEXP_COMPLEMENT && this.#match('~')) return this.#make.not(this.#complement());
    return this.#class();
  }

  #class(): Node {
    if (!this.#match('[')) return this.#simple();
    const negated = this.#match('^');
    const ranges: Array<[number, number]> = [];
    do {
      const predefined = this.#predefined();
      if (predefined) {
        ranges.push(...predefined.map(([a, b]): [number, number] => [a, b]));
        continue;
      }
      const from = this.#charCode();
      let to = from;
      if (this.#peek('-') && this.#chars[this.#at + 1] !== ']') {
        this.#at++;
        to = this.#charCode();
      }
      if (from > to) throw illegalArgument(`invalid range: from (${from}) cannot be > to (${to})`);
      ranges.push([from, to]);
      // Of a negated class the letters stand as they are written, as in Lucene.
      if (this.#caseInsensitive && !negated)
        for (let code = from; code <= Math.min(to, from + 0x3000); code++) ranges.push(...this.#variants(code));
    } while (this.#at < this.#chars.length && !this.#peek(']'));
    if (!this.#match(']')) throw illegalArgument(`expected ']' at position ${this.#at}`);
    const set = normalize(ranges);
    return this.#make.set(negated ? invert(set) : set);
  }

  #charCode(): number {
    this.#match('\\');
    return this.#next().codePointAt(0)!;
  }

  /** `\d` and its like, null if none stands here. */
  #predefined(): Ranges | null {
    if (this.#chars[this.#at] !== '\\') return null;
    const ranges = PREDEFINED[this.#chars[this.#at + 1] ?? ''];
    if (ranges) this.#at += 2;
    return ranges ?? null;
  }

  #variants(code: number): Array<[number, number]> {
    const char = String.fromCodePoint(code);
    return [char.toLowerCase(), char.toUpperCase()]
      .filter((other) => [...other].length === 1)
      .map((other): [number, number] => [other.codePointAt(0)!, other.codePointAt(0)!]);
  }

  #literal(code: number): Node {
    const ranges: Array<[number, number]> = [[code, code]];
    if (this.#caseInsensitive) ranges.push(...this.#variants(code));
    return this.#make.set(normalize(ranges));
  }

  #simple(): Node {
    const predefined = this.#predefined();
    if (predefined) return this.#make.set(predefined);
    if (this.#match('.')) return this.#make.any;
    if (this.#flags & REGEXP_EMPTY && this.#match('#')) return this.#make.nothing;
    if (this.#flags & REGEXP_ANYSTRING && this.#match('@')) return this.#make.anything;
    if (this.#match('"')) {
      let node = this.#make.empty;
      const codes: number[] = [];
      while (this.#at < this.#chars.length && !this.#peek('"')) codes.push(this.#next().codePointAt(0)!);
      if (!this.#match('"')) throw illegalArgument(`expected '"' at position ${this.#at}`);
      for (const code of codes.reverse()) node = this.#make.concat(this.#literal(code), node);
      return node;
    }
    if (this.#match('(')) {
      if (this.#match(')')) return this.#make.empty;
      const node = this.#union();
      if (!this.#match(')')) throw illegalArgument(`expected ')' at position ${this.#at}`);
      return node;
    }
    if (this.#flags & REGEXP_INTERVAL && this.#match('<')) return this.#interval();
    return this.#literal(this.#charCode());
  }

  #interval(): Node {
    const start = this.#at;
    while (this.#at < this.#chars.length && !this.#peek('>')) this.#at++;
    if (!this.#match('>')) throw illegalArgument(`expected '>' at position ${this.#at}`);
    const text = this.#chars.slice(start, this.#at - 1).join('');
    const match = /^(\d+)-(\d+)$/.exec(text);
    if (!match) throw illegalArgument(`interval syntax error at position ${this.#at - 1}`);
    let [low, high] = match.slice(1);
    const digits = low.length === high.length ? low.length : 0;
    if (BigInt(low) > BigInt(high)) [low, high] = [high, low];
    return numberRange(this.#make, low, high, digits);
  }
}

/** Decimal numbers from `low` to `high`; `digits` > 0: exactly so many digits, else any number of leading zeros. */
function numberRange(make: NodeFactory, low: string, high: string, digits: number): Node {
  const digit = (from: number, to: number) => make.set([[48 + from, 48 + to]]);
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
  // Without a fixed width numbers may be shorter or longer than the padded form by leading zeros.
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

function normalize(ranges: ReadonlyArray<readonly [number, number]>): Ranges {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const result: Array<[number, number]> = [];
  for (const [from, to] of sorted) {
    const last = result.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

function invert(ranges: Ranges): Ranges {
  const result: Array<[number, number]> = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) result.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= MAX_CODE_POINT) result.push([next, MAX_CODE_POINT]);
  return result;
}

const DIGIT: Ranges = [[48, 57]];
const SPACE: Ranges = [
  [9, 10],
  [13, 13],
  [32, 32],
];
const WORD: Ranges = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const PREDEFINED: Readonly<Record<string, Ranges>> = {
  d: DIGIT,
  D: invert(DIGIT),
  s: SPACE,
  S: invert(SPACE),
  w: WORD,
  W: invert(WORD),
};

export interface RegexpMatcher {
  /** Literal text that every match begins with. */
  readonly prefix: string;
  matches(term: Bytes): boolean;
}

/** @throws ApiError illegal_argument_exception: syntax, too many states */
export function regexpMatcher(text: string, flags: number, caseInsensitive: boolean, maxStates: number): RegexpMatcher {
  const make = new NodeFactory(Math.max(maxStates, 64));
  const root = new RegexpParser(text, flags, make, caseInsensitive).parse();
  const transitions = new Map<number, Map<number, Node>>();
  const step = (node: Node, codePoint: number): Node => {
    let row = transitions.get(node.id);
    if (!row) transitions.set(node.id, (row = new Map()));
    let next = row.get(codePoint);
    if (!next) row.set(codePoint, (next = make.derive(node, codePoint)));
    return next;
  };
  return {
    prefix: commonPrefix(make, root),
    matches: (term) => {
      let node = root;
      for (const char of decoder.decode(term)) {
        node = step(node, char.codePointAt(0)!);
        if (node === make.nothing) return false;
      }
      return node.nullable;
    },
  };
}

/** Literal start of an expression: its leading one-character sets. */
function commonPrefix(make: NodeFactory, root: Node): string {
  let prefix = '';
  let node = root;
  while (node.kind === 'concat' || node.kind === 'set') {
    const head = node.kind === 'set' ? node : node.parts[0];
    if (head.kind !== 'set' || head.ranges.length !== 1 || head.ranges[0][0] !== head.ranges[0][1]) break;
    prefix += String.fromCodePoint(head.ranges[0][0]);
    node = node.kind === 'set' ? make.empty : node.parts[1];
  }
  return prefix;
}
