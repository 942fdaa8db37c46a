// Times the query file over the prose corpus in one thread on one segment, results checked against Lucene's first, and beside it in the same run
// Lucene and tantivy where their harnesses work: passes alternate, a query's best time counts, tables give ratios per family and mode.
//   npm run bench:search -- CORPUS/prose.ndjson BENCH OUT.tsv [--modes COUNT,TOP_10,..] [--rounds 5] [--warmup 2] [--family NAME] [--rebuild]
//                           [--rivals lucene,tantivy|none] [--harness BENCH] [--passes 2]
//     --harness  folder with lucene/ and tantivy/ (their README tells what they need; they build into it); indices are made beside the corpus
//     BENCH    folder with queries/prose-queries.jsonl, golden/prose-lucene10.jsonl.gz, compare.mjs
//     OUT.tsv  id, family, mode, best and median ns, count; OUT.jsonl beside it: per query the exact count and the top 10, as the
//              rivals' harnesses write them (compare.mjs reads both)
// A query is timed from its words to its hits: looking up terms, planning and encoding included, parsing not.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import v8 from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { countPlan, executePlan } from '../../src/plan/execute.ts';
import type { CollectPlan, PlanNode, SegmentHits } from '../../src/plan/query-plan.ts';
import { usage } from '../usage.ts';
import { ClassicPlanner } from './classic-query.ts';
import { FIELD, loadProse } from './prose-segment.ts';
import { addTimes, type BestTimes, machine, RIVALS, type Rival, runRival, tables } from './rivals.ts';

v8.setFlagsFromString('--no-liftoff');
v8.setFlagsFromString('--no-wasm-lazy-compilation');

const MODES = ['COUNT', 'TOP_10', 'TOP_10_COUNT', 'TOP_100'] as const;
type Mode = (typeof MODES)[number];

interface Golden {
  readonly id: number;
  readonly query: string;
  readonly family: string;
  readonly count: number;
  readonly top: ReadonlyArray<readonly [string, number]>;
}

const options = new Map<string, string>();
const files: string[] = [];
for (let i = 2; i < process.argv.length; i++) {
  const arg = process.argv[i];
  if (arg === '--rebuild') options.set(arg, 'true');
  else if (arg.startsWith('--')) options.set(arg, process.argv[++i]);
  else files.push(arg);
}
const [corpus, bench, out] = files;
if (!out) {
  usage(
    'bench:search -- CORPUS/prose.ndjson BENCH OUT.tsv [--modes ..] [--rounds n] [--warmup s] [--family name] [--rebuild]\n' +
      '       [--rivals lucene,tantivy|none] [--harness BENCH] [--passes 2]',
  );
}
const modes = (options.get('--modes')?.split(',') ?? MODES) as readonly Mode[];
const rounds = Number(options.get('--rounds') ?? 5);
const warmupMs = Number(options.get('--warmup') ?? 2) * 1000;

const { k, segment, figures } = await loadProse(corpus, options.has('--rebuild'));
if (figures) print('indexing', figures);
const planner = new ClassicPlanner(segment, FIELD);
const golden = gunzipSync(readFileSync(path.join(bench, 'golden/prose-lucene10.jsonl.gz')))
  .toString()
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => JSON.parse(line) as Golden)
  .filter(({ family }) => !options.has('--family') || options.get('--family')!.split(',').includes(family));

function top(plan: PlanNode, size: number, countUpTo: number): SegmentHits {
  const collect: CollectPlan = {
    size,
    sort: [],
    trackScores: false,
    after: null,
    trackTotalHitsUpTo: countUpTo,
    minScore: null,
    terminateAfter: 0,
    postFilter: null,
  };
  return executePlan(k, segment, plan, collect);
}

function run(query: string, mode: Mode): number {
  const plan = planner.plan(query);
  switch (mode) {
    case 'COUNT':
      return countPlan(k, segment, plan);
    case 'TOP_10':
      return top(plan, 10, 10).docs.length;
    case 'TOP_100':
      return top(plan, 100, 100).docs.length;
    case 'TOP_10_COUNT':
      return top(plan, 10, Infinity).total;
  }
}

checkResults();
const passes = Number(options.get('--passes') ?? 2);
const wanted = (options.get('--rivals') ?? (options.has('--family') ? 'none' : RIVALS.join(','))).split(',');
const rivals = RIVALS.filter((rival) => wanted.includes(rival));
compareAll();

/** Counts, ids and float32 scores of the top 10, pruned and not, must be Lucene's. */
function checkResults(): void {
  const ids = new Map<number, string>();
  const wrong: string[] = [];
  const lines: string[] = [];
  for (const { id, query, family, count, top: expected } of golden) {
    const plan = planner.plan(query);
    const full = top(plan, 10, Infinity);
    const pruned = top(plan, 10, 10);
    const hits = (found: SegmentHits) => [...found.docs].map((doc, i) => [idOf(doc, ids), found.scores[i]]);
    const wanted = JSON.stringify(expected.map(([name, score]) => [name, Math.fround(score)]));
    const problems = [
      countPlan(k, segment, plan) !== count && `count ${countPlan(k, segment, plan)} instead of ${count}`,
      full.total !== count && `total ${full.total} instead of ${count}`,
      JSON.stringify(hits(full)) !== wanted && `top 10 ${JSON.stringify(hits(full))} instead of ${wanted}`,
      JSON.stringify(hits(pruned)) !== wanted && `pruned top 10 ${JSON.stringify(hits(pruned))} instead of ${wanted}`,
    ].filter(Boolean);
    if (problems.length) wrong.push(`${family} ${query}: ${problems.join('; ').slice(0, 600)}`);
    lines.push(JSON.stringify({ id, query, family, count, top: hits(full) }));
  }
  writeFileSync(`${out.replace(/\.tsv$/, '')}.jsonl`, `${lines.join('\n')}\n`);
  print('checked', { queries: golden.length, wrong: wrong.length });
  for (const line of wrong.slice(0, 20)) process.stdout.write(`${line}\n`);
  if (wrong.length) process.exitCode = 1;
}

function idOf(doc: number, cache: Map<number, string>): string {
  let id = cache.get(doc);
  if (id === undefined) {
    id = segment.idOf(doc);
    cache.set(doc, id);
  }
  return id;
}

/** Passes of ours and of each rival in turn; a rival that fails is named and left out. */
function compareAll(): void {
  const engines = new Map<string, BestTimes>([['gannet', new Map()]]);
  const failed = new Set<Rival>();
  for (let pass = 0; pass < passes; pass++) {
    timeAll();
    addTimes(engines.get('gannet')!, out);
    for (const rival of rivals.filter((name) => !failed.has(name))) {
      const file = `${out.replace(/\.tsv$/, '')}.${rival}.tsv`;
      const problem = runRival(rival, file, {
        folder: path.resolve(options.get('--harness') ?? bench),
        corpus: path.resolve(corpus),
        queries: path.resolve(bench, 'queries/prose-queries.jsonl'),
        modes,
        rounds,
        warmupSeconds: warmupMs / 1000,
      });
      if (problem) {
        failed.add(rival);
        print(`${rival}_not_run`, problem);
        continue;
      }
      if (!engines.has(rival)) engines.set(rival, new Map());
      addTimes(engines.get(rival)!, file);
    }
  }
  process.stdout.write(`${tables(engines)}\n\n${machine()}\n`);
}

function timeAll(): void {
  const rows = ['id\tfamily\tmode\tbest_ns\tmedian_ns\tcount'];
  for (const mode of modes) {
    for (const end = performance.now() + warmupMs; performance.now() < end; ) for (const { query } of golden) run(query, mode);
    const times = golden.map((): number[] => []);
    const counts = golden.map(() => 0);
    const cpu = process.cpuUsage();
    for (let round = 0; round < rounds; round++) {
      for (const i of shuffled(golden.length, round)) {
        const start = process.hrtime.bigint();
        counts[i] = run(golden[i].query, mode);
        times[i].push(Number(process.hrtime.bigint() - start));
      }
    }
    const { user, system } = process.cpuUsage(cpu);
    // Even best times may include waiting for the processor; CPU time does not.
    print(`${mode}_cpu_ms_per_round`, Number(((user + system) / 1e3 / rounds).toFixed(1)));
    const families = new Map<string, number>();
    for (const [i, list] of times.entries()) {
      list.sort((a, b) => a - b);
      const { id, family } = golden[i];
      rows.push([id, family, mode, list[0], list[rounds >> 1], counts[i]].join('\t'));
      for (const name of [family, 'ALL']) families.set(name, (families.get(name) ?? 0) + list[0] / 1e6);
    }
    print(`${mode}_sum_best_ms`, Object.fromEntries([...families].map(([name, ms]) => [name, Number(ms.toFixed(2))])));
  }
  writeFileSync(out, `${rows.join('\n')}\n`);
}

/** Order of a round: a fixed shuffle per round. */
function shuffled(length: number, round: number): number[] {
  const order = Array.from({ length }, (_, i) => i);
  let state = round + 1;
  for (let i = length - 1; i > 0; i--) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const j = (state >>> 8) % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

function print(name: string, value: unknown): void {
  process.stdout.write(`${name}\t${JSON.stringify(value)}\n`);
}
