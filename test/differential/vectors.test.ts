// Kernels that compare vectors against plain arithmetic.
import { expect, test } from 'vitest';
import { Metric } from '../../src/wasm/generated/vectors.ts';
import type { Kernels } from '../../src/wasm/kernels.ts';
import { scanVectors, vectorSpace } from '../../src/wasm/vectors.ts';
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
