// Aggregations over 3 M rows (the events corpus, one segment, one thread) against DuckDB and tantivy with one thread each in the same run. Every
// answer is checked against DuckDB's before times are shown. A time is the whole of a request without HTTP: parse, bind, plan, run, reduce, render.
//   npm run bench:aggs -- --corpus events.ndjson [--python venv/bin/python] [--rounds 9] [--json FILE] --bench DIR [--harness DIR]
// --bench:   folder with queries/events-aggregations.jsonl, a line of `{ name, query, aggs }` per request
// --harness: folder with duckdb/run.py and tantivy/run.sh, the --bench folder by default; tantivy builds into it and keeps its index next to
//            the corpus. A rival that does not work is named and left out.
// --python: an interpreter with duckdb, by default duckdb/venv/bin/python of the harness. Without one answers are not checked.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  bindAggregations,
  collectSegment,
  DEFAULT_MAX_BUCKETS,
  parseAggregations,
  reduceAggregations,
  renderAggregations,
} from '../../src/aggs/index.ts';
import { countPlan, executePlan } from '../../src/plan/execute.ts';
import type { CollectPlan, PlanNode } from '../../src/plan/query-plan.ts';
import type { SegmentReader } from '../../src/plan/segment-reader.ts';
import { plainIndexScope } from '../../test/support/agg-scope.ts';
import { runScript } from '../query/rivals.ts';
import { usage } from '../usage.ts';
import { eventsMapping, loadEvents } from './events-segment.ts';
import { checkAnswer } from './expected.ts';

const { values: args } = parseArgs({
  options: {
    corpus: { type: 'string' },
    python: { type: 'string' },
    harness: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    json: { type: 'string' },
    bench: { type: 'string' },
  },
});
if (!args.corpus || !args.bench) usage('bench:aggs -- --corpus events.ndjson --bench DIR, other options in its header');
const root = path.resolve(import.meta.dirname, '../..');
const benchFolder = path.resolve(args.bench);
const harness = path.resolve(args.harness ?? benchFolder);
const requests = readFileSync(path.join(benchFolder, 'queries/events-aggregations.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { name: string; query?: string; aggs: Record<string, unknown> });

const COLLECT: CollectPlan = {
  size: 0,
  sort: [],
  trackScores: false,
  after: null,
  trackTotalHitsUpTo: 10_000,
  minScore: null,
  terminateAfter: 0,
  postFilter: null,
}; // prettier-ignore

const mapping = eventsMapping();
const { k, segment } = await loadEvents(args.corpus, mapping);

/** The few forms of the classic syntax that the requests use. */
function planOf(query: string | undefined, on: SegmentReader): PlanNode {
  if (!query) return { op: 'matchAll' };
  const clauses = [...query.matchAll(/\+?([@\w]+):(?:\[(\S+) TO (\S+)([\]}])|(\w+))/g)].map(
    ([, field, from, to, close, term]): PlanNode => {
      const column = on.column(field)!;
      if (term !== undefined) {
        const state = on.lookupTerm(field, Buffer.from(term));
        return state ? { op: 'term', postings: on.postings(field)!, term: state, scorer: null } : { op: 'matchNone' };
      }
      const raw = (text: string) => BigInt(/^-?\d+$/.test(text) ? text : Date.parse(text));
      const max = to === '*' ? BigInt(column.max) : raw(to) - (close === '}' ? 1n : 0n);
      return { op: 'rangeI64', column, min: from === '*' ? BigInt(column.min) : raw(from), max };
    },
  );
  if (clauses.length === 1) return { op: 'constantScore', child: clauses[0], score: 1 };
  return { op: 'bool', must: [], filter: clauses, should: [], mustNot: [], minimumShouldMatch: 0 };
}

function answer(aggs: Record<string, unknown>, query: string | undefined): Record<string, unknown> {
  if (Object.keys(aggs).length === 0) return { count: countPlan(k, segment, planOf(query, segment)) };
  const ctx = { nowMs: 0, maxBuckets: DEFAULT_MAX_BUCKETS };
  const tree = parseAggregations(aggs, { ...ctx, parseQuery: (json) => json as object });
  const bindings = bindAggregations(tree, plainIndexScope({ ...ctx, indexName: 'events', mapping }));
  const run = (plan: PlanNode) => (program: { rootPtr: number; needsScores: boolean }) => {
    executePlan(k, segment, plan, COLLECT, { aggs: program });
  };
  const partial = collectSegment(tree, bindings, {
    k,
    segment,
    shard: 0,
    handle: null,
    scoped: (action) => action(),
    planQuery: () => ({ op: 'matchAll' }),
    execute: run(planOf(query, segment)),
    executeAll: run({ op: 'matchAll' }),
  }); // prettier-ignore
  return renderAggregations(reduceAggregations(tree, [partial], { ...ctx, topHits: () => ({}), bindings: [bindings] }), false);
}

/** DuckDB's best time on dictionary-coded keywords and its rows, by name. */
function duckdb(python: string, folder: string): Map<string, { ms: number; rows: unknown[][] }> {
  const out = path.join(folder, 'duckdb.tsv');
  execFileSync(python, [path.join(harness, 'duckdb/run.py'), args.corpus!, out, '--rounds', args.rounds, '--threads', '1'], {
    stdio: 'ignore',
  });
  const found = new Map<string, { ms: number; rows: unknown[][] }>();
  for (const line of readFileSync(path.join(folder, 'duckdb.jsonl'), 'utf8').trim().split('\n')) {
    const { name, rows } = JSON.parse(line);
    found.set(name, { ms: Infinity, rows });
  }
  for (const [name, , best] of tsv(out)) {
    const entry = found.get(name);
    if (entry) entry.ms = Math.min(entry.ms, Number(best));
  }
  return found;
}

/** tantivy's best time by name; empty if it does not run. */
function tantivyTimes(folder: string): Map<string, number> {
  const index = `${path.resolve(args.corpus!)}.tantivy`;
  const out = path.join(folder, 'tantivy.tsv');
  const queries = path.join(benchFolder, 'queries/events-aggregations.jsonl');
  let problem = existsSync(index) ? null : runScript(harness, 'tantivy', ['index-events', path.resolve(args.corpus!), index]).problem;
  problem ??= runScript(harness, 'tantivy', ['aggregate', index, queries, out, '--rounds', args.rounds]).problem;
  if (problem) {
    process.stdout.write(`tantivy did not run: ${problem}\n`);
    return new Map();
  }
  return new Map(tsv(out).map(([name, best]) => [name, Number(best)]));
}

function tsv(file: string): string[][] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')); // prettier-ignore
}

const folder = mkdtempSync(path.join(tmpdir(), 'gannet-rivals-'));
const python = args.python ?? path.join(harness, 'duckdb/venv/bin/python');
const ducks = existsSync(python) ? duckdb(python, folder) : null;
const tantivy = tantivyTimes(folder);
rmSync(folder, { recursive: true });
const table = requests.map(({ name, query, aggs }) => {
  const expected = ducks?.get(name);
  if (expected) checkAnswer(name, answer(aggs, query), expected.rows);
  const times: number[] = [];
  for (let round = 0; round < Number(args.rounds) + 3; round++) {
    const start = performance.now();
    answer(aggs, query);
    if (round >= 3) times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const rivals = [expected?.ms, tantivy.get(name)].filter((ms) => ms !== undefined);
  const best = Number(times[0].toFixed(2));
  return {
    name,
    best_ms: best,
    median_ms: Number(times[times.length >> 1].toFixed(2)),
    duckdb_ms: expected?.ms ?? null,
    tantivy_ms: tantivy.get(name) ?? null,
    ratio: rivals.length > 0 ? Number((best / Math.min(...rivals)).toFixed(2)) : null,
  }; // prettier-ignore
});
console.table(table);
process.stdout.write(ducks ? 'answers equal DuckDB\n' : `answers not checked: no ${python}\n`);
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
process.stdout.write(`commit ${commit}, ${cpus().length} x ${cpus()[0].model}, node ${process.version}\n`);
const report = { commit, machine: `${cpus().length} x ${cpus()[0].model}, Node ${process.version}`, rows: segment.maxDoc, table };
if (args.json) writeFileSync(args.json, `${JSON.stringify(report, null, 2)}\n`);
