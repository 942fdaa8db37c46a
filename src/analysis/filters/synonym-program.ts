// Encodes synonym rules for the kernel (assembly/analysis/filters/combine/synonym.ts has the layout): words by their hash, phrases as a trie of word
// numbers, and for each phrase the tokens that replace it.
import { SynonymConfig } from '../../wasm/generated/analysis.ts';
import { joinConfigs, recordBytes, termMap, words } from '../blob.ts';
import { encodeWtf8 } from '../tokens/wtf8.ts';
import type { SynonymMap, SynonymNode } from './synonym-rules.ts';

const NODE_HEAD_WORDS = 4;

/** A token that replaces a phrase. If `term` is null, it is the phrase's own token with the number `token`. */
interface Arc {
  readonly term: string | null;
  readonly token: number;
  readonly from: number;
  readonly to: number;
}

/** Arcs of a graph: first those that leave the start node, then the rest of each path, with the phrase's own path last. */
function graphArcs({ outputs, keepOriginal }: SynonymNode, length: number): { arcs: Arc[]; span: number } {
  const ways: { term: string | null; token: number }[][] = [...(outputs?.values() ?? [])].map((path) =>
    path.map((term) => ({ term, token: 0 })),
  );
  if (keepOriginal) ways.push(Array.from({ length }, (_, token) => ({ term: null, token })));
  const span = ways.reduce((sum, way) => sum + way.length - 1, 1);
  const first: Arc[] = [];
  const rest: Arc[] = [];
  let fresh = 0;
  for (const way of ways) {
    way.forEach((step, i) => {
      const from = i === 0 ? 0 : fresh;
      const to = i === way.length - 1 ? span : fresh + 1;
      if (i < way.length - 1) fresh++;
      (i === 0 ? first : rest).push({ ...step, from, to });
    });
  }
  return { arcs: [...first, ...rest], span };
}

/** Terms over the tokens of the phrase and those after it, in the order of the rules. */
function flatArcs({ outputs }: SynonymNode): { arcs: Arc[]; span: number } {
  const arcs = [...(outputs?.values() ?? [])].flatMap((path) =>
    path.map((term, from) => ({ term, token: 0, from, to: path.length === 1 ? 1 : 0 })),
  );
  return { arcs, span: 0 };
}

/** A node with its offset in the program; nodes are stored in sequence, those of longer phrases later. */
interface PlacedNode {
  readonly node: SynonymNode;
  readonly arcs: readonly Arc[];
  readonly span: number;
  edges: readonly (readonly [number, PlacedNode])[];
  offset: number;
}

/** @returns config of the synonym stage */
export function synonymProgram(map: SynonymMap, graph: boolean): Uint8Array {
  const numbers = new Map<string, number>();
  const numberOf = (word: string): number => {
    const known = numbers.get(word);
    if (known !== undefined) return known;
    numbers.set(word, numbers.size);
    return numbers.size - 1;
  };
  const nodes: PlacedNode[] = [];
  const depths: number[] = [];
  const place = (node: SynonymNode, depth: number): PlacedNode => {
    const placed = { node, edges: [], offset: 0, ...(graph ? graphArcs(node, depth) : flatArcs(node)) };
    nodes.push(placed);
    depths.push(depth);
    return placed;
  };
  const roots = new Map([...map.root.next].map(([word, node]) => [word, place(node, 1)]));
  for (const word of roots.keys()) numberOf(word);
  for (let i = 0; i < nodes.length; i++) {
    const next = [...nodes[i].node.next].map(([word, node]) => [numberOf(word), place(node, depths[i] + 1)] as const);
    nodes[i].edges = next.sort((a, b) => a[0] - b[0]);
  }
  const longest = depths[depths.length - 1];

  // The nodes' offsets depend on the size of the map, which does not depend on its values.
  const wordMap = () => termMap([...numbers].map(([word, number]) => [word, words([number, roots.get(word)?.offset ?? 0])]));
  let offset = SynonymConfig.sizeof + wordMap().length;
  for (const placed of nodes) {
    placed.offset = offset;
    offset += NODE_HEAD_WORDS * 4 + placed.edges.length * 8 + placed.arcs.length * 16;
  }
  const terms = new Map<string, { bytes: Uint8Array; offset: number }>();
  const termAt = (term: string): { bytes: Uint8Array; offset: number } => {
    let placed = terms.get(term);
    if (!placed) {
      placed = { bytes: encodeWtf8(term), offset };
      terms.set(term, placed);
      offset += placed.bytes.length;
    }
    return placed;
  };
  const records = nodes.map(({ node, edges, arcs, span }) =>
    words([
      edges.length,
      arcs.length,
      node.keepOriginal ? 1 : 0,
      span,
      ...edges.flatMap(([number, next]) => [number, next.offset]),
      ...arcs.flatMap(({ term, token, from, to }) => {
        if (term === null) return [0, token, from, to];
        const { bytes, offset: at } = termAt(term);
        return [at, bytes.length, from, to];
      }),
    ]),
  );
  const pool = [...terms.values()].map(({ bytes }) => bytes);
  return joinConfigs([recordBytes(SynonymConfig, { isGraph: graph ? 1 : 0, longest }), wordMap(), ...records, ...pool]);
}
