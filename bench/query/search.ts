// Times the 1,070 queries of prose-queries.jsonl on the prose corpus, on one thread and one segment, after checking the results against Lucene's.
// Lucene and tantivy (bench/rivals) take turns with it in passes; the best time of a query counts. Prints ratios per family and mode.
//   npm run bench:search [-- --corpus FILE.ndjson] [--out FILE.tsv] [--modes COUNT,TOP_10,..] [--rounds 5] [--warmup 2] [--family NAME,..]
//                        [--rivals lucene,tantivy|none] [--passes 2] [--rebuild] [--reorder]
//   --corpus  by default prose.ndjson of `npm run bench:data`. The recorded results (prose-lucene10.jsonl.gz) are of the whole corpus; with a
//             prefix of it our results are compared with those of Lucene in the same run
//   --out     id, family, mode, best and median ns, count; FILE.jsonl next to it holds the exact count and the top 10 of each query. The rivals'
//             files are FILE.lucene.tsv and so on
//   --reorder our segment is one of index.merge.reorder. Documents of equal scores come in another order there: scores and counts are compared
// A time includes looking up the terms, planning and encoding, but not parsing.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import v8 from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { countPlan, executePlan } from '../../src/plan/execute.ts';
import type { CollectPlan, PlanNode, SegmentHits } from '../../src/plan/query-plan.ts';
import { CACHE_FOLDER, corpusPath, requireCorpus } from '../data/corpus.ts';
import { ClassicPlanner, type Clause } from './classic-query.ts';
import { loadProse } from './prose-segment.ts';
import { addTimes, type BestTimes, machine, RIVALS, type Rival, runRival, tables } from './rivals.ts';
import { FIELD } from './text-segment.ts';

v8.setFlagsFromString('--no-liftoff');
v8.setFlagsFromString('--no-wasm-lazy-compilation');

const MODES = ['COUNT', 'TOP_10', 'TOP_10_COUNT', 'TOP_100'] as const;
type Mode = (typeof MODES)[number];

/** Documents of the corpus that the recorded results are of. */
const WHOLE_CORPUS = 675_269;
const QUERIES = path.join(import.meta.dirname, 'prose-queries.jsonl');

interface QueryName {
  readonly id: number;
  readonly query: string;
  readonly family: string;
}

interface BenchQuery extends QueryName {
  readonly clauses: readonly Clause[];
}

/** Exact count and the ids and scores of the top 10. */
interface Result extends QueryName {
  readonly count: number;
  readonly top: ReadonlyArray<readonly [string, number]>;
}

const { values: options } = parseArgs({
  options: {
    corpus: { type: 'string', default: corpusPath('prose.ndjson') },
    out: { type: 'string', default: path.join(CACHE_FOLDER, 'search.tsv') },
    modes: { type: 'string', default: MODES.join(',') },
    rounds: { type: 'string', default: '5' },
    warmup: { type: 'string', default: '2' },
    family: { type: 'string' },
    rivals: { type: 'string' },
    passes: { type: 'string', default: '2' },
    rebuild: { type: 'boolean', default: false },
    reorder: { type: 'boolean', default: false },
  },
});
const { corpus, out } = options;
requireCorpus(corpus, 'prose');
const modes = options.modes.split(',') as readonly Mode[];
const rounds = Number(options.rounds);
const warmupMs = Number(options.warmup) * 1000;

const { k, segment, figures } = await loadProse(corpus, options.rebuild, options.reorder);
if (figures) print('indexing', figures);
const planner = new ClassicPlanner(segment, FIELD);
const queries = readFileSync(QUERIES, 'utf8')
  .trim()
  .split('\n')
  .map((line, id): BenchQuery => {
    const { query, tags } = JSON.parse(line) as { query: string; tags: string[] };
    return { id, query, family: tags[0], clauses: planner.parse(query) };
  })
  .filter(({ family }) => !options.family || options.family.split(',').includes(family));

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

function run(clauses: readonly Clause[], mode: Mode): number {
  const plan = planner.plan(clauses);
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

const ours = queries.map(resultOf);
writeFileSync(`${out.replace(/\.tsv$/, '')}.jsonl`, `${ours.map((result) => JSON.stringify(result)).join('\n')}\n`);
if (segment.maxDoc === WHOLE_CORPUS) {
  const [, ...recorded] = gunzipSync(readFileSync(path.join(import.meta.dirname, 'prose-lucene10.jsonl.gz')))
    .toString()
    .trim()
    .split('\n');
  compareResults('recorded', recorded);
}
const passes = Number(options.passes);
const wanted = (options.rivals ?? (options.family ? 'none' : RIVALS.join(','))).split(',');
const rivals = RIVALS.filter((rival) => wanted.includes(rival));
compareAll();

/** @throws Error the top 10 without counting, which skips documents, or the count alone differs from the exhaustive search */
function resultOf({ id, query, family, clauses }: BenchQuery): Result {
  const plan = planner.plan(clauses);
  const exhaustive = top(plan, 10, Infinity);
  const hits = hitsOf(exhaustive);
  const problem = `${family} ${query}: results of the modes differ`;
  if (countPlan(k, segment, plan) !== exhaustive.total) throw new Error(problem);
  if (JSON.stringify(hitsOf(top(plan, 10, 10))) !== JSON.stringify(hits)) throw new Error(problem);
  return { id, query, family, count: exhaustive.total, top: hits };
}

function hitsOf({ docs, scores }: SegmentHits): (readonly [string, number])[] {
  return Array.from(docs, (doc, i) => [idOf(doc), scores[i]] as const);
}

/** Counts, ids and float32 scores of the top 10 must be Lucene's. @param lines  a Result each, for all queries in the order of their ids */
function compareResults(source: string, lines: readonly string[]): void {
  const wrong = ours.flatMap(({ id, query, family, count, top: found }) => {
    const expected = JSON.parse(lines[id]) as Result;
    const hits = shown(expected.top);
    if (count === expected.count && shown(found) === hits) return [];
    return [`${family} ${query}: count ${count}, Lucene's ${expected.count}; top 10 ${shown(found)}, Lucene's ${hits}`.slice(0, 600)];
  });
  print(`checked_${source}`, { queries: ours.length, wrong: wrong.length });
  for (const line of wrong.slice(0, 20)) process.stdout.write(`${line}\n`);
  if (wrong.length > 0) process.exitCode = 1;
}

/** What must be equal of the top 10. */
function shown(top: Result['top']): string {
  return JSON.stringify(top.map(([name, score]) => (options.reorder ? Math.fround(score) : [name, Math.fround(score)])));
}

function idOf(doc: number): string {
  return segment.idOf(doc);
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
        corpus: path.resolve(corpus),
        queries: QUERIES,
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
      if (rival === 'lucene' && pass === 0) compareResults(rival, readFileSync(file.replace(/tsv$/, 'jsonl'), 'utf8').trim().split('\n'));
    }
  }
  process.stdout.write(`${tables(engines)}\n\n${machine()}\n`);
}

function timeAll(): void {
  const rows = ['id\tfamily\tmode\tbest_ns\tmedian_ns\tcount'];
  for (const mode of modes) {
    for (const end = performance.now() + warmupMs; performance.now() < end; ) for (const { clauses } of queries) run(clauses, mode);
    const times = queries.map((): number[] => []);
    const counts = queries.map(() => 0);
    const cpu = process.cpuUsage();
    for (let round = 0; round < rounds; round++) {
      for (const i of shuffled(queries.length, round)) {
        const start = process.hrtime.bigint();
        counts[i] = run(queries[i].clauses, mode);
        times[i].push(Number(process.hrtime.bigint() - start));
      }
    }
    const { user, system } = process.cpuUsage(cpu);
    // Even best times may include waiting for the processor; CPU time does not.
    print(`${mode}_cpu_ms_per_round`, Number(((user + system) / 1e3 / rounds).toFixed(1)));
    const families = new Map<string, number>();
    for (const [i, list] of times.entries()) {
      list.sort((a, b) => a - b);
      const { id, family } = queries[i];
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
