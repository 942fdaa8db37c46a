// Kernels against their plain TypeScript twins and C twins (twins.c, gcc -O3) on the same data, results compared before they are timed.
//   npm run bench:kernels          a line of JSON per kernel: ns per item of each, and how many times as long the twins take
// Without gcc the C twins are left out, and a line says so.
// Corpus: seeded random documents and values, 200,000 each; best of 7 runs.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { countPlan, executePlan, planToBitset } from '../../src/plan/execute.ts';
import type { CollectPlan, PlanNode } from '../../src/plan/query-plan.ts';
import { bitsetCount, crc32c } from '../../src/wasm/codec.ts';
import { compileEngine, createMemory, Kernels, staticBytes } from '../../src/wasm/kernels.ts';
import { bitset, crc32c as plainCrc32c } from '../../test/reference/codec.ts';
import { decodeRecord } from '../../test/reference/postings.ts';
import { bm25, evaluate } from '../../test/reference/search.ts';
import { Rng } from '../../test/support/rng.ts';
import { makeSegment, randomDocs } from '../../test/support/tiny-segment.ts';
import { aggregationCases } from './aggregation-cases.ts';

const DOCS = 200_000;
const MIB = 2 ** 20;
const FLAGS = { freqs: true, positions: true, offsets: false, norms: true };
const module = compileEngine();
const start = staticBytes(module);
const k = new Kernels(module, createMemory(16384), start, 1023 * MIB);
const segment = makeSegment(k, randomDocs(new Rng(1), DOCS, 6));
const scope = { maxDoc: DOCS, liveDocsPtr: 0, rootDocsPtr: 0 };
const normInverse = Float32Array.from({ length: 256 }, (_, norm) => 1 / (1.2 * (0.25 + (0.75 * norm) / 20)));
const words = [...'abcdef'].map((word) => segment.term(word)).sort((a, b) => b.docFreq - a.docFreq);
const [often, second, third] = words;
const TOP_10: CollectPlan = {
  size: 10,
  sort: [],
  trackScores: false,
  after: null,
  trackTotalHitsUpTo: 10,
  minScore: null,
  terminateAfter: 0,
  postFilter: null,
};

/** Best of several runs, ns. */
function best(run: () => unknown, runs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs; i++) {
    const from = process.hrtime.bigint();
    run();
    least = Math.min(least, Number(process.hrtime.bigint() - from));
  }
  return least;
}

/** A job of twins.c: its job line and the expected result. */
interface CTwin {
  readonly job: ReadonlyArray<string | number>;
  readonly result: () => number;
}

interface Row {
  readonly kernel: string;
  readonly items: number;
  readonly ns: number;
  readonly twinNs: number;
  readonly c: CTwin | undefined;
}
const rows: Row[] = [];

function compare<T>(name: string, items: number, kernel: () => T, twin: () => T, c?: CTwin): void {
  if (JSON.stringify(kernel()) !== JSON.stringify(twin())) throw new Error(`${name}: the kernel's result differs from its twin's`);
  best(kernel, 30);
  rows.push({ kernel: name, items, ns: best(kernel, 15), twinNs: best(twin, 3), c });
}

/** Runs the C twins over a copy of the kernels' memory. @returns ns by row, null without gcc @throws Error a result differs */
function runC(): Map<Row, number> | null {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-twins-'));
  try {
    const program = path.join(folder, 'twins');
    const source = path.join(import.meta.dirname, 'twins.c');
    if (spawnSync('gcc', ['-O3', '-march=native', '-o', program, source]).status !== 0) return null;
    const image = path.join(folder, 'image');
    writeFileSync(image, k.u8.slice(0, k.mark() + 64));
    const asked = rows.filter(({ c }) => c);
    const input = asked.map(({ c }) => `${c!.job.join(' ')} ;\n`).join('');
    const output = execFileSync(program, [image, DOCS, postings.normsPtr, normInversePtr].map(String), { input, encoding: 'utf8' });
    return new Map(
      output
        .trim()
        .split('\n')
        .map((line, i) => {
          const [ns, result] = line.split(' ').map(Number);
          const row = asked[i];
          if (result !== row.c!.result()) throw new Error(`${row.kernel}: C finds ${result}, the kernel ${row.c!.result()}`);
          return [row, ns];
        }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function report(): void {
  const c = runC();
  const round = (value: number) => Number(value.toPrecision(3));
  for (const row of rows) {
    const { kernel, items, ns, twinNs } = row;
    const cNs = c?.get(row);
    const line = { kernel, items, nsPerItem: round(ns / items), twinNsPerItem: round(twinNs / items), twinRatio: round(twinNs / ns) };
    process.stdout.write(`${JSON.stringify(cNs ? { ...line, cNsPerItem: round(cNs / items), cRatio: round(cNs / ns) } : line)}\n`);
  }
  if (!c) process.stdout.write('C twins did not run: gcc does not compile them\n');
}

const { postings } = segment;
const normInversePtr = k.copyIn(new Uint8Array(normInverse.buffer));
const out = k.reserve(Math.ceil(DOCS / 512) * 64);
const scorer = (weight: number) => ({ weight: Math.fround(weight), normInverse });
const term = (index: number, weight: number): PlanNode => ({ op: 'term', postings, term: words[index], scorer: scorer(weight) });
const bits = (plan: PlanNode): number => {
  planToBitset(k, scope, plan, out);
  return bitsetCount(k, out, DOCS);
};
const matching = (plan: PlanNode): number => segment.docs.reduce((sum, doc, id) => sum + (evaluate(plan, doc, id) === null ? 0 : 1), 0);

process.stdout.write(`${JSON.stringify({ machine: cpus()[0].model, node: process.version, docs: DOCS })}\n`);

const image = k.u8.slice(0, k.scratchEnd);
for (const state of [often, third, words[5]]) {
  const plan: PlanNode = { op: 'term', postings, term: state, scorer: null };
  compare(
    `postings to bitset, docFreq ${state.docFreq}`,
    state.docFreq,
    () => bits(plan),
    () => {
      // Addresses are below 2^32 and the copy starts at 0, so they are offsets in it.
      const { docs } = decodeRecord(image, image.subarray(postings.positionsAt(state.ptr)), state.ptr, state.docFreq, FLAGS);
      bitset(
        DOCS,
        docs.map(({ doc }) => doc),
      );
      return docs.length;
    },
    { job: ['postings', state.ptr, state.docFreq], result: () => bits(plan) },
  );
}

const both: PlanNode = {
  op: 'bool',
  must: [],
  filter: [second, third].map((state): PlanNode => ({ op: 'term', postings, term: state, scorer: null })),
  should: [],
  mustNot: [],
  minimumShouldMatch: 0,
};
compare(
  'conjunction of two terms, count',
  second.docFreq + third.docFreq,
  () => countPlan(k, scope, both),
  () => matching(both),
  { job: ['and', second.ptr, second.docFreq, third.ptr, third.docFreq], result: () => countPlan(k, scope, both) },
);

const block = k.copyIn(new Rng(2).bytes(MIB));
const blockBytes = k.copyOut(block, MIB);
compare(
  'crc32c',
  MIB,
  () => crc32c(k, block, MIB),
  () => plainCrc32c(blockBytes),
  { job: ['crc32c', block, MIB], result: () => crc32c(k, block, MIB) },
);

/** As the column stores a value: (value - base) / multiplier. */
const [columnBase, multiplier] = [8, 16].map((off) => Number(k.view.getBigInt64(segment.integers.ptr + off, true)));
const range: PlanNode = { op: 'rangeI64', column: segment.integers, min: -30n, max: 60n };
compare(
  'i64 range to bitset',
  DOCS,
  () => bits(range),
  () => matching(range),
  {
    job: ['range', segment.integers.ptr, Math.ceil((-30 - columnBase) / multiplier), Math.floor((60 - columnBase) / multiplier)],
    result: () => bits(range),
  },
);

const phrase: PlanNode = {
  op: 'phrase',
  postings,
  positions: [
    { position: 0, terms: [often] },
    { position: 1, terms: [second] },
  ],
  slop: 0,
  scorer: null,
};
compare(
  'exact phrase of two frequent terms, count',
  DOCS,
  () => countPlan(k, scope, phrase),
  () => matching(phrase),
  {
    job: ['phrase', postings.positionsAt(often.ptr), often.ptr, often.docFreq, second.ptr, second.docFreq],
    result: () => countPlan(k, scope, phrase),
  },
);
const sloppy: PlanNode = { ...phrase, slop: 3 };
compare(
  'sloppy phrase of two frequent terms, count',
  DOCS,
  () => countPlan(k, scope, sloppy),
  () => matching(sloppy),
);

for (const count of [1, 2, 3]) {
  const should = Array.from({ length: count }, (_, i) => term(i, 1 + i));
  const plan: PlanNode = count === 1 ? should[0] : { op: 'bool', must: [], filter: [], should, mustNot: [], minimumShouldMatch: 1 };
  compare(
    `BM25 top 10 of ${count} term${count > 1 ? 's' : ''}`,
    DOCS,
    () => [...executePlan(k, scope, plan, TOP_10).docs],
    () => {
      // Plain arrays, every document scored.
      const hits: Array<{ id: number; score: number }> = [];
      for (const [id, doc] of segment.docs.entries()) {
        let score = 0;
        for (let i = 0; i < count; i++) {
          const freq = doc.terms.get(words[i].text)?.length ?? 0;
          if (freq) score += bm25(scorer(1 + i), freq, doc.norm);
        }
        if (score > 0) hits.push({ id, score: Math.fround(score) });
      }
      return hits
        .sort((a, b) => b.score - a.score || a.id - b.id)
        .slice(0, 10)
        .map(({ id }) => id);
    },
    {
      job: ['top10', count, ...words.slice(0, count).flatMap((state, i) => [state.ptr, state.docFreq, 1 + i])],
      result: () => [...executePlan(k, scope, plan, TOP_10).docs].reduce((sum, doc, place) => sum + doc * (place + 1), 0),
    },
  );
}

for (const { name, kernel, twin, job } of aggregationCases(k, new Rng(3), DOCS)) compare(name, DOCS, kernel, twin, { job, result: kernel });

report();
