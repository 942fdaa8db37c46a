// Kernels that compare vectors against plain arithmetic.
import { expect, test } from 'vitest';
import type { VectorGraphSpec, VectorSimilarity } from '../../src/common/encoding/vector-format.ts';
import { Metric, VectorGraph } from '../../src/wasm/generated/vectors.ts';
import type { Kernels } from '../../src/wasm/kernels.ts';
import { getU32 } from '../../src/wasm/records.ts';
import { type AdoptedGraph, buildGraph, planGraph, searchGraph } from '../../src/wasm/vector-graph.ts';
import { metricOf, scanVectors, vectorSpace } from '../../src/wasm/vectors.ts';
import { bitset } from '../reference/codec.ts';
import { type Measure, nearest, similarity } from '../reference/vectors.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

interface Kind {
  readonly metric: number;
  readonly measure: Measure;
  readonly make: (rng: Rng, dims: number) => Float32Array | Int8Array;
}

// Whole numbers, so that sums of floats are exact in any order.
const floats = (rng: Rng, dims: number) => Float32Array.from({ length: dims }, () => rng.int(-9, 9));
const bytes = (rng: Rng, dims: number) => Int8Array.from({ length: dims }, () => rng.int(-128, 127));
const KINDS: readonly Kind[] = [
  { metric: Metric.F32_DOT, measure: 'dot', make: floats },
  { metric: Metric.F32_L2, measure: 'l2', make: floats },
  { metric: Metric.I8_DOT, measure: 'dot', make: bytes },
  { metric: Metric.I8_L2, measure: 'l2', make: bytes },
  { metric: Metric.BITS, measure: 'bits', make: bytes },
];

/** Writes values ├ elements │ magnitude ┤ and their offsets as a binary column. @returns addresses */
function writeColumn(
  k: Kernels,
  vectors: ReadonlyArray<Float32Array | Int8Array | null>,
): { offsets: number; values: number; stride: number } {
  const size = vectors.find((vector) => vector !== null)?.byteLength ?? 0;
  const stride = size + 4;
  const offsets = k.reserve((vectors.length + 1) * 4 + vectors.length * stride + 16);
  const values = offsets + (vectors.length + 1) * 4;
  let off = 0;
  vectors.forEach((vector, doc) => {
    k.view.setUint32(offsets + doc * 4, off, true);
    if (vector === null) return;
    k.u8.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), values + off);
    k.view.setFloat32(values + off + size, Math.sqrt(similarity('dot', vector, vector)), true);
    off += stride;
  });
  k.view.setUint32(offsets + vectors.length * 4, off, true);
  return { offsets, values, stride };
}

eachKernelBuild((k, build) => {
  test(`${build}: a scan finds the most similar vectors`, () =>
    forSeeds(150, (rng) =>
      k.scoped(() => {
        const { metric, measure, make } = rng.pick(KINDS);
        const dims = rng.int(1, 70);
        const vectors = Array.from({ length: rng.int(1, 60) }, () => (rng.bool(0.1) ? null : make(rng, dims)));
        const query = make(rng, dims);
        const { offsets, values, stride } = writeColumn(k, vectors);
        const accepted = vectors.map((_, doc) => doc).filter(() => rng.bool(0.7));
        const accept = rng.bool(0.5) ? 0 : k.copyIn(bitset(vectors.length, accepted));
        const left = vectors.map((vector, doc) => (accept === 0 || accepted.includes(doc) ? vector : null));
        const size = rng.int(1, 20);
        const space = vectorSpace(k, {
          metric,
          dims,
          values,
          stride,
          query: k.copyIn(new Uint8Array(query.buffer)),
          queryMagnitude: Math.sqrt(similarity('dot', query, query)),
        });
        const found = scanVectors(k, space, { offsets, maxDoc: vectors.length, accept, size, step: rng.int(1, 30) }, () => undefined);
        const expected = nearest(measure, query, left, size);
        expect([...found.docs]).toEqual(expected);
        expect([...found.similarities]).toEqual(expected.map((doc) => similarity(measure, query, left[doc] ?? []) + 0));
      }),
    ));

  test(`${build}: cosines are products of directions`, () =>
    forSeeds(50, (rng) =>
      k.scoped(() => {
        const [metric, make] = rng.pick([[Metric.F32_COSINE, floats] as const, [Metric.I8_COSINE, bytes] as const]);
        const dims = rng.int(2, 50);
        const vectors = Array.from({ length: 20 }, () => make(rng, dims)).filter((vector) => vector.some((item) => item !== 0));
        const query = make(rng, dims).fill(1, 0, 1);
        const { offsets, values, stride } = writeColumn(k, vectors);
        const queryMagnitude = Math.sqrt(similarity('dot', query, query));
        const space = vectorSpace(k, { metric, dims, values, stride, query: k.copyIn(new Uint8Array(query.buffer)), queryMagnitude });
        const options = { offsets, maxDoc: vectors.length, accept: 0, size: vectors.length, step: 100 };
        const found = scanVectors(k, space, options, () => undefined);
        found.docs.forEach((doc, i) => {
          expect(found.similarities[i]).toBeCloseTo(similarity('cosine', query, vectors[doc]), 5);
        });
        expect([...found.similarities]).toEqual([...found.similarities].sort((a, b) => b - a));
      }),
    ));
});

const COUNT = 400;
const DIMS = 24;
const NO_NODE = 0xffffffff;

interface Built {
  readonly graph: number;
  readonly offsets: number;
  readonly values: number;
  readonly stride: number;
}

/** Vectors around a few centres, as embeddings are. */
function clustered(rng: Rng, element: 'float' | 'byte', count: number): Array<Float32Array | Int8Array> {
  const centres = Array.from({ length: 12 }, () => Array.from({ length: DIMS }, () => rng.int(-60, 60)));
  return Array.from({ length: count }, () => {
    const near = rng.pick(centres).map((item) => item + rng.int(-300, 300) / 20);
    return element === 'float' ? Float32Array.from(near) : Int8Array.from(near, Math.round);
  });
}

function build(
  k: Kernels,
  spec: VectorGraphSpec,
  vectors: ReadonlyArray<Float32Array | Int8Array | null>,
  adopted: AdoptedGraph | null,
): Built {
  const column = writeColumn(k, vectors);
  const nodes = vectors.filter((vector) => vector !== null).length;
  const plan = planGraph(k, spec, nodes, column.offsets, vectors.length);
  const graph = k.reserve(plan.bytes, 64);
  const allocate = (bytes: number, zero = false): number => {
    const ptr = k.reserve(bytes);
    if (zero) k.u8.fill(0, ptr, ptr + bytes);
    return ptr;
  };
  for (const _ of buildGraph(k, plan, { at: graph, offsets: column.offsets, maxDoc: vectors.length, adopted, allocate }));
  return { graph, ...column };
}

/** Links of a node on level 0. */
function linksOf(k: Kernels, graph: number, node: number): number[] {
  const m = getU32(k, graph, VectorGraph.m);
  const at = (graph + getU32(k, graph, VectorGraph.linksOff)) / 4 + node * (1 + 2 * m);
  return [...k.u32.subarray(at + 1, at + 1 + k.u32[at])];
}

function checkLinks(k: Kernels, { graph }: Built): void {
  const nodes = getU32(k, graph, VectorGraph.count);
  for (let node = 0; node < nodes; node++) {
    const links = linksOf(k, graph, node);
    expect(links.length).toBeGreaterThan(0);
    expect(new Set(links).size).toBe(links.length);
    expect(links.every((link) => link < nodes && link !== node)).toBe(true);
  }
}

/** Share of the ten best that a search of the graph finds. */
function recall(
  k: Kernels,
  spec: VectorGraphSpec,
  built: Built,
  vectors: ReadonlyArray<Float32Array | Int8Array | null>,
  queries: ReadonlyArray<Float32Array | Int8Array>,
  accepted: readonly number[] | null,
): number {
  const measure: Measure = spec.similarity === 'l2_norm' ? 'l2' : spec.similarity === 'cosine' ? 'cosine' : 'dot';
  let hits = 0;
  let wanted = 0;
  for (const query of queries) {
    k.scoped(() => {
      const space = vectorSpace(k, {
        metric: metricOf(spec.element, spec.similarity),
        dims: DIMS,
        values: built.values,
        stride: built.stride,
        query: k.copyIn(new Uint8Array(query.buffer)),
        queryMagnitude: Math.sqrt(similarity('dot', query, query)),
      });
      const accept = accepted === null ? 0 : k.copyIn(bitset(vectors.length, accepted));
      const found = searchGraph(k, space, { graph: built.graph, accept, ef: 60, rescore: 40, keep: 10 });
      const left = vectors.map((vector, doc) => (accepted === null || accepted.includes(doc) ? vector : null));
      const best = nearest(measure, query, left, 10);
      wanted += best.length;
      hits += best.filter((doc) => found.docs.includes(doc)).length;
      for (const doc of found.docs) expect(left[doc] ?? null).not.toBeNull();
      expect([...found.similarities]).toEqual([...found.similarities].sort((a, b) => b - a));
    });
  }
  return hits / wanted;
}

const SPECS: ReadonlyArray<[VectorSimilarity, 'float' | 'byte', boolean]> = [
  ['l2_norm', 'float', true],
  ['cosine', 'float', true],
  ['dot_product', 'float', true],
  ['l2_norm', 'float', false],
  ['cosine', 'float', false],
  ['cosine', 'byte', false],
];

eachKernelBuild((k, build_) => {
  test.each(SPECS)(`${build_}: a graph over %s of %s (codes: %s) finds nearly all of the best`, (similarity_, element, isQuantized) => {
    forSeeds(2, (rng) =>
      k.scoped(() => {
        const spec: VectorGraphSpec = { field: 'v', element, dims: DIMS, similarity: similarity_, m: 8, efConstruction: 60, isQuantized };
        const all = clustered(rng, element, COUNT + 8);
        const queries = all.slice(COUNT);
        const vectors = all.slice(0, COUNT).map((vector) => (rng.bool(0.05) ? null : vector));
        const built = build(k, spec, vectors, null);
        checkLinks(k, built);
        expect(recall(k, spec, built, vectors, queries, null)).toBeGreaterThan(0.9);
        const half = vectors.map((_, doc) => doc).filter((doc) => doc % 2 === 0);
        expect(recall(k, spec, built, vectors, queries, half)).toBeGreaterThan(0.9);
        // The same vectors give the same bytes.
        const again = build(k, spec, vectors, null);
        for (let node = 0; node < 20; node++) expect(linksOf(k, again.graph, node)).toEqual(linksOf(k, built.graph, node));
        // A merge: some documents are dropped, others come before and after.
        const before = clustered(rng, element, 40);
        const kept = vectors.map((vector, doc) => ({ vector, doc })).filter(() => !rng.bool(0.15));
        const docMap = new Uint32Array(vectors.length).fill(NO_NODE);
        kept.forEach(({ doc }, i) => {
          docMap[doc] = before.length + i;
        });
        const merged = [...before, ...kept.map(({ vector }) => vector), ...clustered(rng, element, 60)];
        const extended = build(k, spec, merged, { graph: built.graph, docMap: k.copyInU32(docMap) });
        checkLinks(k, extended);
        expect(recall(k, spec, extended, merged, queries, null)).toBeGreaterThan(0.9);
      }),
    );
  });
});
