// Regular expressions as nodes of a graph, in which equal expressions are one node, and their derivatives: what must follow once a character has
// been read. Reached derivatives are the states of a deterministic automaton that is built as far as a text needs it.
// Building states can take exponential work, so that each costs units of a limited effort, like determinization in Lucene.
// Source: Brzozowski 1964, Derivatives of Regular Expressions.
import { CodePointSet } from './code-point-set.ts';

export interface Node {
  readonly id: number;
  readonly kind: 'empty' | 'nothing' | 'set' | 'concat' | 'union' | 'and' | 'star' | 'not';
  readonly nullable: boolean;
  /** Of a set; empty in other nodes. */
  readonly set: CodePointSet;
  readonly parts: readonly Node[];
  /** Derivatives by character class, filled on demand. */
  readonly next: (Node | undefined)[];
}

/** The expression needs more work than its effort allows. */
export class TooComplex extends Error {}

/** Nesting of an expression up to which its derivative is computed: each level takes three frames of the stack. */
const MAX_DEPTH = 1200;

/** Creates nodes and their derivatives. */
export class NodeFactory {
  readonly #nodes = new Map<string, Node>();
  #effort: number;
  #depth = 0;
  readonly nothing: Node;
  readonly empty: Node;
  readonly any: Node;
  readonly anything: Node;

  /** @param effort  nodes and parts of nodes that may be made */
  constructor(effort: number) {
    this.#effort = effort;
    this.nothing = this.#make('nothing', false, CodePointSet.EMPTY, []);
    this.empty = this.#make('empty', true, CodePointSet.EMPTY, []);
    this.any = this.set(CodePointSet.ALL);
    this.anything = this.star(this.any);
  }

  /** The sets of all nodes. */
  sets(): CodePointSet[] {
    return [...this.#nodes.values()].flatMap(({ kind, set }) => (kind === 'set' ? [set] : []));
  }

  #spend(units: number): void {
    this.#effort -= units;
    if (this.#effort < 0) throw new TooComplex();
  }

  #make(kind: Node['kind'], nullable: boolean, set: CodePointSet, parts: readonly Node[]): Node {
    this.#spend(1 + parts.length + set.ranges.length);
    let key: string = kind;
    for (const part of parts) key += `,${part.id}`;
    for (const bound of set.ranges) key += `;${bound}`;
    let node = this.#nodes.get(key);
    if (!node) {
      node = { id: this.#nodes.size, kind, nullable, set, parts, next: [] };
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
    // The left side of a node is never itself a concatenation, so that equal chains are one node.
    const heads: Node[] = [];
    let last = left;
    for (; last.kind === 'concat'; last = last.parts[1]) heads.push(last.parts[0]);
    let node = this.#join(last, right);
    for (let i = heads.length - 1; i >= 0; i--) node = this.#join(heads[i], node);
    return node;
  }

  #join(left: Node, right: Node): Node {
    return this.#make('concat', left.nullable && right.nullable, CodePointSet.EMPTY, [left, right]);
  }

  union(nodes: readonly Node[]): Node {
    return this.#combine('union', nodes, this.nothing, this.anything);
  }

  and(nodes: readonly Node[]): Node {
    return this.#combine('and', nodes, this.anything, this.nothing);
  }

  /** @param neutral  changes nothing @param absorbing  decides the result */
  #combine(kind: 'union' | 'and', nodes: readonly Node[], neutral: Node, absorbing: Node): Node {
    const parts = new Set<Node>();
    for (const node of nodes) {
      if (node === neutral) continue;
      if (node === absorbing) return absorbing;
      if (node.kind === kind) {
        this.#spend(node.parts.length);
        for (const part of node.parts) parts.add(part);
      } else parts.add(node);
    }
    const sorted = [...parts].sort((a, b) => a.id - b.id);
    if (sorted.length === 0) return neutral;
    if (sorted.length === 1) return sorted[0];
    const nullable = kind === 'union' ? sorted.some((part) => part.nullable) : sorted.every((part) => part.nullable);
    return this.#make(kind, nullable, CodePointSet.EMPTY, sorted);
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

  /** @param cls  class of the character @param sample  a character of that class @throws TooComplex */
  derive(node: Node, cls: number, sample: number): Node {
    const known = node.next[cls];
    if (known) return known;
    this.#spend(1);
    if (++this.#depth > MAX_DEPTH) throw new TooComplex();
    const next = this.#derive(node, cls, sample);
    this.#depth--;
    node.next[cls] = next;
    return next;
  }

  #derive(node: Node, cls: number, sample: number): Node {
    switch (node.kind) {
      case 'empty':
      case 'nothing':
        return this.nothing;
      case 'set':
        return node.set.has(sample) ? this.empty : this.nothing;
      case 'concat': {
        const [left, right] = node.parts;
        const first = this.concat(this.derive(left, cls, sample), right);
        return left.nullable ? this.union([first, this.derive(right, cls, sample)]) : first;
      }
      case 'union':
      case 'and': {
        const parts: Node[] = [];
        for (const part of node.parts) parts.push(this.derive(part, cls, sample));
        return node.kind === 'union' ? this.union(parts) : this.and(parts);
      }
      case 'star':
        return this.concat(this.derive(node.parts[0], cls, sample), node);
      case 'not':
        return this.not(this.derive(node.parts[0], cls, sample));
    }
  }
}

/** Classes of characters that no set of an expression distinguishes, numbered in their order. */
export class CharacterClasses {
  readonly #starts: Uint32Array;
  readonly #ascii = new Uint16Array(128);

  constructor(sets: readonly CodePointSet[]) {
    const starts = new Set([0]);
    for (const set of sets) {
      for (const [first, last] of set.pairs()) {
        starts.add(first);
        if (last < 0x10ffff) starts.add(last + 1);
      }
    }
    this.#starts = Uint32Array.from(starts).sort();
    for (let cp = 0; cp < 128; cp++) this.#ascii[cp] = this.#search(cp);
  }

  get count(): number {
    return this.#starts.length;
  }

  of(cp: number): number {
    return cp < 128 ? this.#ascii[cp] : this.#search(cp);
  }

  /** The first character of a class. */
  sample(cls: number): number {
    return this.#starts[cls];
  }

  #search(cp: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (this.#starts[mid] <= cp) low = mid;
      else high = mid - 1;
    }
    return low;
  }
}
