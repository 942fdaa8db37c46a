// Lucene's regular expressions over whole terms, matched in linear time by a lazy automaton of the expression's derivatives, which support
// complement `~` and intersection `&` at no extra cost. The number of states is limited.
//   union | concat & repeat * + ? {n,m}, classes [a-z] [^a-z], . @ # ~ <1-10> "literal" \escape \d \D \w \W \s \S
// Source: syntax of org.apache.lucene.util.automaton.RegExp (Apache Lucene); derivatives: Brzozowski 1964.
import { REGEXP_ANYSTRING, REGEXP_COMPLEMENT, REGEXP_EMPTY, REGEXP_INTERSECTION, REGEXP_INTERVAL } from '../../common/regexp-flags.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { CodePointSet } from './code-point-set.ts';
import { LuceneReader } from './lucene-reader.ts';

interface Node {
  readonly id: number;
  readonly kind: 'empty' | 'nothing' | 'set' | 'concat' | 'union' | 'and' | 'star' | 'not';
  readonly nullable: boolean;
  /** Of a set; empty in other nodes. */
  readonly set: CodePointSet;
  readonly parts: readonly Node[];
  /** Derivatives by ASCII character, filled on demand. */
  readonly ascii: (Node | undefined)[];
}

const MAX_REPEAT = 1000;
/** Number of code points of a range whose case variants are added. */
const MAX_CASED_RANGE = 0x3000;
const decoder = new TextDecoder();

/** Creates nodes; equal expressions are one node, and so one state. */
class NodeFactory {
  readonly #nodes = new Map<string, Node>();
  readonly #maxNodes: number;
  readonly nothing: Node;
  readonly empty: Node;
  readonly any: Node;
  readonly anything: Node;

  constructor(maxNodes: number) {
    this.#maxNodes = maxNodes;
    this.nothing = this.#make('nothing', false, CodePointSet.EMPTY, []);
    this.empty = this.#make('empty', true, CodePointSet.EMPTY, []);
    this.any = this.set(CodePointSet.ALL);
    this.anything = this.star(this.any);
  }

  #make(kind: Node['kind'], nullable: boolean, set: CodePointSet, parts: readonly Node[]): Node {
    const key = `${kind}:${set.ranges.join(';')}:${parts.map((part) => part.id).join(',')}`;
    let node = this.#nodes.get(key);
    if (!node) {
      if (this.#nodes.size >= this.#maxNodes) {
        throw illegalArgumentError(`Determinizing the automaton would require more than ${this.#maxNodes} states`);
      }
      node = { id: this.#nodes.size, kind, nullable, set, parts, ascii: [] };
      this.#nodes.set(key, node);
    }
    return node;
  }

  set(set: CodePointSet): Node {
    return set.isEmpty ? this.nothing : this.#make('set', false, set, []);
  }

  concat(left: Node, right: Node): Node {
    if (left === this.nothing || right === this.nothing) return this.nothing;
    if (left === this.empty) return right;
    if (right === this.empty) return left;
    if (left.kind === 'concat') return this.concat(left.parts[0], this.concat(left.parts[1], right));
    return this.#make('concat', left.nullable && right.nullable, CodePointSet.EMPTY, [left, right]);
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
          CodePointSet.EMPTY,
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
          CodePointSet.EMPTY,
          sorted,
        );
  }

  not(node: Node): Node {
    if (node === this.nothing) return this.anything;
    if (node === this.anything) return this.nothing;
    return node.kind === 'not' ? node.parts[0] : this.#make('not', !node.nullable, CodePointSet.EMPTY, [node]);
  }

  star(node: Node): Node {
    if (node === this.nothing || node === this.empty) return this.empty;
    return node.kind === 'star' ? node : this.#make('star', true, CodePointSet.EMPTY, [node]);
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
        return node.set.has(codePoint) ? this.empty : this.nothing;
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

class AutomatonParser extends LuceneReader {
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
    if (!this.hasMore) return this.#make.empty;
    const node = this.#union();
    if (this.hasMore) throw illegalArgumentError(`end-of-string expected at position ${this.at}`);
    return node;
  }

  #union(): Node {
    return this.nested(() => {
      const parts = [this.#intersection()];
      while (this.match('|')) parts.push(this.#intersection());
      return this.#make.union(parts);
    });
  }

  #intersection(): Node {
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
    if (this.match('(')) {
      if (this.match(')')) return this.#make.empty;
      const node = this.#union();
      if (!this.match(')')) throw illegalArgumentError(`expected ')' at position ${this.at}`);
      return node;
    }
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
}

/** @throws ApiError illegal_argument_exception: syntax, too many states */
export function regexpMatcher(text: string, flags: number, caseInsensitive: boolean, maxStates: number): RegexpMatcher {
  const make = new NodeFactory(Math.max(maxStates, 64));
  const root = new AutomatonParser(text, flags, make, caseInsensitive).parse();
  const others = new Map<Node, Map<number, Node>>();
  const step = (node: Node, codePoint: number): Node => {
    let row = others.get(node);
    if (!row) others.set(node, (row = new Map()));
    let next = row.get(codePoint);
    if (!next) row.set(codePoint, (next = make.derive(node, codePoint)));
    return next;
  };
  /** The state after the rest of a term that is not ASCII. */
  const finish = (start: Node, rest: Uint8Array): Node => {
    let node = start;
    for (const char of decoder.decode(rest)) {
      node = step(node, char.codePointAt(0) ?? 0);
      if (node === make.nothing) break;
    }
    return node;
  };
  return {
    prefix: commonPrefix(make, root),
    matches: (term) => {
      let node = root;
      for (let i = 0; i < term.length && node !== make.anything; i++) {
        const byte = term[i];
        if (byte >= 0x80) return finish(node, term.subarray(i)).nullable;
        let next = node.ascii[byte];
        if (!next) node.ascii[byte] = next = make.derive(node, byte);
        if (next === make.nothing) return false;
        node = next;
      }
      return node.nullable;
    },
  };
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
