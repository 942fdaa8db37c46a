// Aggregations over 3 M rows (the events corpus, one segment, one thread) against DuckDB and tantivy with one thread each in the same run. Every
// answer is checked against DuckDB's before times are shown. A time is the whole of a request without HTTP: parse, bind, plan, run, reduce, render.
//   npm run bench:aggs [-- --corpus FILE.ndjson] [--rounds 9] [--json FILE]
// Corpus: by default events.ndjson of `npm run bench:data`. Requests: events-aggregations.jsonl. The rivals are those of bench/rivals; one that
// cannot run is reported and skipped, and without DuckDB answers are not checked.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bindAggregations, collectSegment, parseAggregations, reduceAggregations, renderAggregations } from '../../src/aggs/index.ts';
import { toPlain } from '../../src/common/json/json-write.ts';
import { DEFAULT_DIALECT } from '../../src/compat/dialect.ts';
import { countPlan, executePlan } from '../../src/plan/execute.ts';
import type { CollectPlan, PlanNode } from '../../src/plan/query-plan.ts';
import type { SegmentReader } from '../../src/plan/segment-reader.ts';
import { plainIndexScope } from '../../test/support/agg-scope.ts';
import { corpusPath, requireCorpus } from '../data/corpus.ts';
import { runScript } from '../rivals/run-script.ts';
import { eventsMapping, loadEvents } from './events-segment.ts';
import { checkAnswer } from './expected.ts';

const { values: args } = parseArgs({
  options: {
    corpus: { type: 'string', default: corpusPath('events.ndjson') },
    rounds: { type: 'string', default: '9' },
    json: { type: 'string' },
  },
});
requireCorpus(args.corpus, 'events');
const root = path.resolve(import.meta.dirname, '../..');
const requestFile = path.join(import.meta.dirname, 'events-aggregations.jsonl');
const requests = readFileSync(requestFile, 'utf8')
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
  const ctx = { nowMs: 0, maxBuckets: DEFAULT_DIALECT.maxBuckets, dialect: DEFAULT_DIALECT };
  const tree = parseAggregations(aggs, { ...ctx, parseQuery: (json) => json as object, checkHits: () => undefined });
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
    planFilters: () => null,
    planQuery: () => ({ op: 'matchAll' }),
    execute: run(planOf(query, segment)),
    executeAll: run({ op: 'matchAll' }),
  }); // prettier-ignore
  return renderAggregations(reduceAggregations(tree, [partial], { ...ctx, topHits: () => ({}), bindings: [bindings] }), false);
}

/** DuckDB's best time and its rows by the name of the request; null if it cannot run. */
function duckdb(folder: string): Map<string, { ms: number; rows: unknown[][] }> | null {
  const out = path.join(folder, 'duckdb.tsv');
  const { problem } = runScript('duckdb', ['aggregate', path.resolve(args.corpus), out, '--rounds', args.rounds, '--threads', '1']);
  if (problem) {
    process.stdout.write(`duckdb skipped: ${problem}\n`);
    return null;
  }
  const best = new Map(tsv(out).map(([name, ms]) => [name, Number(ms)]));
  const answers = readFileSync(path.join(folder, 'duckdb.jsonl'), 'utf8').trim().split('\n');
  return new Map(
    answers.map((line) => {
      const { name, rows } = JSON.parse(line) as { name: string; rows: unknown[][] };
      return [name, { ms: best.get(name) ?? Number.NaN, rows }];
    }),
  );
}

/** tantivy's best time by the name of the request; empty if it cannot run. */
function tantivyTimes(folder: string): Map<string, number> {
  const corpus = path.resolve(args.corpus);
  const index = `${corpus}.tantivy`;
  const isFresh = existsSync(index) && statSync(index).mtimeMs >= statSync(corpus).mtimeMs;
  const out = path.join(folder, 'tantivy.tsv');
  let problem = isFresh ? null : runScript('tantivy', ['index-events', corpus, index]).problem;
  problem ??= runScript('tantivy', ['aggregate', index, requestFile, out, '--rounds', args.rounds]).problem;
  if (problem) {
    process.stdout.write(`tantivy skipped: ${problem}\n`);
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
const ducks = duckdb(folder);
const tantivy = tantivyTimes(folder);
rmSync(folder, { recursive: true });
const table = requests.map(({ name, query, aggs }) => {
  const expected = ducks?.get(name);
  if (expected) checkAnswer(name, toPlain(answer(aggs, query)) as Record<string, unknown>, expected.rows);
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
process.stdout.write(ducks ? 'answers equal DuckDB\n' : 'answers not checked\n');
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
process.stdout.write(`commit ${commit}, ${cpus().length} x ${cpus()[0].model}, node ${process.version}\n`);
const report = { commit, machine: `${cpus().length} x ${cpus()[0].model}, Node ${process.version}`, rows: segment.maxDoc, table };
if (args.json) writeFileSync(args.json, `${JSON.stringify(report, null, 2)}\n`);
