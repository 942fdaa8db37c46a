// Runs benches one after the other and writes their tables to docs/benchmarks: a page per bench with the commit and machine, and an SVG chart per table.
//   npm run bench:all [-- --only search,aggs,indexing,http] [--out docs/benchmarks] [-- ARGUMENTS OF THE BENCH]
//   --only     by default all of these; a bench that fails is named, its page stays as it was, and the exit code is 1
// Arguments after a second `--` go to the bench, which must then be the only one: npm run bench:all -- --only search -- --passes 3
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { machine } from './query/rivals.ts';
import { chartSvg } from './report/chart.ts';
import { type FigureTable, markdownTables, tableMarkdown } from './report/table.ts';
import { usage } from './usage.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

interface Bench {
  readonly about: string;
  readonly script: string;
  readonly args: (jsonFile: string) => readonly string[];
  readonly tables: (output: string, jsonFile: string) => FigureTable[];
}

interface AggregationRow {
  readonly name: string;
  readonly best_ms: number;
  readonly duckdb_ms: number | null;
  readonly tantivy_ms: number | null;
}

interface HttpCase {
  readonly name: string;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

const BENCHES: Readonly<Record<string, Bench>> = {
  search: {
    about: 'The 1,070 prose queries on one thread and one segment: sums of the best times of each query, by family.',
    script: 'bench/query/search.ts',
    args: () => [],
    tables: (output) => markdownTables(output, (head) => /^(gannet|lucene|tantivy)$/.test(head)),
  },
  aggs: {
    about: 'Aggregations over 3 M rows on one thread and one segment, best times.',
    script: 'bench/aggs/aggs.ts',
    args: (json) => ['--json', json],
    tables: (_, json) => {
      const { table } = JSON.parse(readFileSync(json, 'utf8')) as { table: AggregationRow[] };
      const rows = table.map(({ name, best_ms, duckdb_ms, tantivy_ms }) => ({ label: name, values: [best_ms, duckdb_ms, tantivy_ms] }));
      return [{ title: 'Aggregations', unit: 'ms', columns: ['gannet', 'duckdb', 'tantivy'], rows }];
    },
  },
  indexing: {
    about: 'The prose corpus indexed on one thread, to one segment.',
    script: 'bench/indexing/prose.ts',
    args: () => [],
    tables: (output) => {
      const figures: Record<string, number> = Object.assign(
        {},
        ...output
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .map((line) => JSON.parse(line)),
      );
      const pair = (label: string, ours: string, lucene: string) => ({ label, values: [figures[ours] ?? null, figures[lucene] ?? null] });
      const columns = ['gannet', 'lucene'];
      return [
        { title: 'Time', unit: 's', columns, rows: [pair('elapsed', 'total_s', 'lucene_s'), pair('processor', 'cpu_s', 'lucene_cpu_s')] },
        { title: 'Size', unit: 'MB', columns, rows: [pair('index', 'index_mb', 'lucene_mb')] },
      ];
    },
  },
  http: {
    about: 'The cities over HTTP, 64 connections, clients on the same cores.',
    script: 'bench/http/http.ts',
    args: (json) => ['--json', json],
    tables: (_, json) => {
      const { cases } = JSON.parse(readFileSync(json, 'utf8')) as { cases: HttpCase[] };
      return [
        {
          title: 'Throughput',
          unit: 'requests/s',
          columns: ['gannet'],
          rows: cases.map((one) => ({ label: one.name, values: [one.requestsPerSecond] })),
        },
        {
          title: 'Latency',
          unit: 'ms',
          columns: ['p50', 'p99'],
          rows: cases.map((one) => ({ label: one.name, values: [one.p50, one.p99] })),
        },
      ];
    },
  },
};

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(BENCHES).join(',') },
    out: { type: 'string', default: path.join(ROOT, 'docs/benchmarks') },
  },
  allowPositionals: true,
});
const names = values.only.split(',');
for (const name of names)
  if (!Object.hasOwn(BENCHES, name)) usage(`all.ts [--only ${Object.keys(BENCHES).join(',')}] [--out FOLDER] [-- ARGUMENTS]`);
if (positionals.length > 0 && names.length > 1) usage('arguments of a bench need --only with its name');

mkdirSync(values.out, { recursive: true });
for (const name of names) runBench(name, BENCHES[name]);

function runBench(name: string, bench: Bench): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-bench-'));
  try {
    const json = path.join(folder, 'report.json');
    process.stdout.write(`${name} ...\n`);
    const { status, stdout, error } = spawnSync(process.execPath, ['--import', 'tsx', bench.script, ...bench.args(json), ...positionals], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw error ?? new Error(`status ${status}\n${stdout.slice(-2000)}`);
    const tables = bench.tables(stdout, json);
    if (tables.length === 0) throw new Error(`no tables in its output\n${stdout.slice(-2000)}`);
    writePage(name, bench.about, tables);
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`${name} failed: ${error instanceof Error ? error.message : error}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writePage(name: string, about: string, tables: readonly FigureTable[]): void {
  const command = `npm run bench:all -- --only ${[name, ...(positionals.length > 0 ? ['--', ...positionals] : [])].join(' ')}`;
  const lines = [`# ${name}`, '', about, '', `\`${command}\`, ${machine()}`, ''];
  for (const [i, table] of tables.entries()) {
    const chart = `${name}-${i + 1}.svg`;
    writeFileSync(path.join(values.out, chart), chartSvg(table));
    lines.push(`## ${table.title}, ${table.unit}`, '', tableMarkdown(table), '', `![${table.title}](${chart})`, '');
  }
  writeFileSync(path.join(values.out, `${name}.md`), lines.join('\n'));
  process.stdout.write(`${path.join(values.out, `${name}.md`)}: ${tables.length} tables\n`);
}
