// Search for vectors: graphs of Gannet, of Lucene and of hnswlib with the same M, ef_construction and ef, over the same vectors, one thread each.
//   npm run bench:vectors -- [--count 50000] [--dims 384] [--m 16] [--ef 100] [--candidates 100] [--queries 500]
// Corpus: seeded unit vectors around centres of different weight, as embeddings are; queries are drawn like them. Similarity: cosine.
// Output: a line of JSON per engine: seconds of CPU for the build, queries per second of CPU (best of three rounds), recall of the ten nearest.
// The exact ten nearest come from a scan, which is compared with plain arithmetic first. Times are CPU times, on which other processes have little
// influence. Lucene needs Java 21 and Maven, hnswlib a Python with the package (PYTHON=...); a rival that is missing is left out, and a line says so.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { VectorGraphSpec } from '../../src/common/encoding/vector-format.ts';
import { compileEngine, createMemory, Kernels, PAGE_BYTES, staticBytes } from '../../src/wasm/kernels.ts';
import { buildGraph, planGraph, searchGraph } from '../../src/wasm/vector-graph.ts';
import { metricOf, type Nearest, scanVectors, vectorSpace } from '../../src/wasm/vectors.ts';
import { nearest } from '../../test/reference/vectors.ts';
import { Rng } from '../../test/support/rng.ts';

const number = { type: 'string' } as const;
const { values } = parseArgs({
  options: { count: number, dims: number, m: number, ef: number, candidates: number, queries: number, seed: number },
});
const option = (name: keyof typeof values, fallback: number): number => Number(values[name] ?? fallback);
const COUNT = option('count', 50_000);
const DIMS = option('dims', 384);
const M = option('m', 16);
const EF = option('ef', 100);
const CANDIDATES = option('candidates', 100);
const QUERIES = option('queries', 500);
const ROUNDS = 3;
const K = 10;
const here = path.dirname(new URL(import.meta.url).pathname);

/** Standard normal numbers. */
function makeNormal(rng: Rng): () => number {
  return () =>
    Math.sqrt(-2 * Math.log(1 - rng.int(0, 2 ** 30 - 1) / 2 ** 30)) * Math.cos((2 * Math.PI * rng.int(0, 2 ** 30 - 1)) / 2 ** 30);
}

/** Unit vectors around centres; a few directions vary more than the others. */
function makeVectors(rng: Rng, count: number): Float32Array {
  const normal = makeNormal(rng);
  const spread = Float32Array.from({ length: DIMS }, (_, dim) => 1 / Math.sqrt(1 + dim / 16));
  const centres = Array.from({ length: Math.ceil(Math.sqrt(COUNT)) }, () => spread.map((one) => one * normal()));
  const vectors = new Float32Array(count * DIMS);
  for (let i = 0; i < count; i++) {
    const centre = centres[Math.floor((rng.int(0, 2 ** 20) / (2 ** 20 + 1)) ** 2 * centres.length)];
    const vector = vectors.subarray(i * DIMS, (i + 1) * DIMS);
    let squared = 0;
    for (let dim = 0; dim < DIMS; dim++) {
      vector[dim] = centre[dim] + 0.8 * spread[dim] * normal();
      squared += vector[dim] ** 2;
    }
    for (let dim = 0; dim < DIMS; dim++) vector[dim] /= Math.sqrt(squared);
  }
  return vectors;
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const all = makeVectors(new Rng(option('seed', 1)), COUNT + QUERIES);
const corpus = all.subarray(0, COUNT * DIMS);
const queries = Array.from({ length: QUERIES }, (_, i) => all.subarray((COUNT + i) * DIMS, (COUNT + i + 1) * DIMS));

// ----------------------------------------------------------------------------------------------------------- Gannet

const module = compileEngine();
const start = staticBytes(module);
const pages = 65535;
const k = new Kernels(module, createMemory(pages), start, (pages - 1) * PAGE_BYTES - start);
const stride = DIMS * 4 + 4;
const offsets = k.reserve((COUNT + 1) * 4 + COUNT * stride + 64, 64);
const base = offsets + (COUNT + 1) * 4;
for (let doc = 0; doc <= COUNT; doc++) k.view.setUint32(offsets + doc * 4, doc * stride, true);
for (let doc = 0; doc < COUNT; doc++) {
  const vector = corpus.subarray(doc * DIMS, (doc + 1) * DIMS);
  k.u8.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), base + doc * stride);
  k.view.setFloat32(base + doc * stride + DIMS * 4, 1, true);
}

function withSpace<T>(query: Float32Array, run: (space: number) => T): T {
  return k.scoped(() => {
    const bytes = new Uint8Array(query.buffer, query.byteOffset, query.byteLength);
    const space = { metric: metricOf('float', 'cosine'), dims: DIMS, values: base, stride, query: k.copyIn(bytes), queryMagnitude: 1 };
    return run(vectorSpace(k, space));
  });
}

const scan = (query: Float32Array): Nearest =>
  withSpace(query, (space) => scanVectors(k, space, { offsets, maxDoc: COUNT, accept: 0, size: K, step: COUNT }, () => undefined));

const exact = queries.map((query) => [...scan(query).docs]);
const sample = Array.from({ length: Math.min(COUNT, 2000) }, (_, doc) => corpus.subarray(doc * DIMS, (doc + 1) * DIMS));
const [best] = nearest('cosine', queries[0], sample, 1);
if (
  exact[0].every((doc) => doc >= sample.length || doc === best) &&
  !exact[0].includes(best) &&
  exact[0].some((doc) => doc < sample.length)
)
  throw new Error('the scan misses the nearest vector');

function recallOf(found: ReadonlyArray<readonly number[]>): number {
  let hits = 0;
  exact.forEach((wanted, i) => {
    hits += wanted.filter((doc) => found[i].includes(doc)).length;
  });
  return hits / (K * QUERIES);
}

function report(engine: string, buildSeconds: number, queriesPerSecond: number, recall: number): void {
  const row = { engine, buildSeconds, queriesPerSecond, recall: Number(recall.toFixed(4)) };
  process.stdout.write(
    `${JSON.stringify({ ...row, count: COUNT, dims: DIMS, m: M, ef: EF, candidates: CANDIDATES, cpu: cpus()[0]?.model })}\n`,
  );
}

function runGannet(type: 'hnsw' | 'int8_hnsw'): void {
  const spec: VectorGraphSpec = {
    field: 'v',
    element: 'float',
    dims: DIMS,
    similarity: 'cosine',
    m: M,
    efConstruction: EF,
    isQuantized: type === 'int8_hnsw',
  };
  k.scoped(() => {
    const before = cpuSeconds();
    const plan = planGraph(k, spec, COUNT, offsets, COUNT);
    const graph = k.reserve(plan.bytes, 64);
    const allocate = (bytes: number, zero = false): number => {
      const ptr = k.reserve(bytes);
      if (zero) k.u8.fill(0, ptr, ptr + bytes);
      return ptr;
    };
    for (const _ of buildGraph(k, plan, { at: graph, offsets, maxDoc: COUNT, adopted: null, allocate }));
    const built = cpuSeconds() - before;
    let most = 0;
    let found: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const from = cpuSeconds();
      const options = { graph, accept: 0, ef: CANDIDATES, rescore: 2 * K + 10, keep: K };
      found = queries.map((query) => withSpace(query, (space) => [...searchGraph(k, space, options).docs]));
      most = Math.max(most, QUERIES / (cpuSeconds() - from));
    }
    report(`gannet ${type}`, Number(built.toFixed(2)), Math.round(most), recallOf(found));
  });
}

runGannet('int8_hnsw');
runGannet('hnsw');

// ----------------------------------------------------------------------------------------------------------- rivals

const folder = mkdtempSync(path.join(tmpdir(), 'gannet-vectors-'));
const file = (name: string): string => path.join(folder, name);

function runRival(name: string, command: string, args: readonly string[], env: Record<string, string> = {}): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env }, maxBuffer: 2 ** 24 });
  if (status !== 0) {
    process.stderr.write(`${name} is left out: ${(stderr ?? '').trim().split('\n').at(-1) ?? 'it does not start'}\n`);
    return;
  }
  const figure = (what: string): number => Number(new RegExp(`${what}\t([\\d.]+)`).exec(stdout)?.[1]);
  const lines = readFileSync(file(`${name}.txt`), 'utf8')
    .trim()
    .split('\n');
  report(
    name,
    figure('build seconds'),
    Math.round(figure('queries per second')),
    recallOf(lines.map((line) => line.split(' ').map(Number))),
  );
}

try {
  writeFileSync(file('vectors'), new Uint8Array(corpus.buffer, 0, corpus.byteLength));
  writeFileSync(file('queries'), new Uint8Array(all.buffer, corpus.byteLength));
  const options = Object.entries({ dims: DIMS, m: M, ef: EF, candidates: CANDIDATES, rounds: ROUNDS });
  const lucene = options.flatMap(([name, value]) => [`--${name}`, String(value)]);
  const outputs = [file('vectors'), file('queries')];
  runRival('lucene', path.join(here, '../rivals/lucene/run.sh'), ['vectors', ...outputs, file('lucene.txt'), ...lucene], { HEAP: '6g' });
  const python = process.env['PYTHON'] ?? 'python3';
  const script = path.join(here, '../rivals/hnswlib/vectors.py');
  runRival('hnswlib', python, [script, ...outputs, file('hnswlib.txt'), ...options.map(([, value]) => String(value))]);
} finally {
  rmSync(folder, { recursive: true });
}
