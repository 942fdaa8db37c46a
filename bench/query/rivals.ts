// Runs Lucene and tantivy of bench/rivals, which share one command line and output, and prints tables of best times.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { runScript } from '../rivals/run-script.ts';

export const RIVALS = ['lucene', 'tantivy'] as const;
export type Rival = (typeof RIVALS)[number];

/** mode -> query id -> family and best ns. */
export type BestTimes = Map<string, Map<string, { readonly family: string; ns: number }>>;

export interface RivalRun {
  readonly corpus: string;
  readonly queries: string;
  readonly modes: readonly string[];
  readonly rounds: number;
  readonly warmupSeconds: number;
}

/** Writes the times of one run of a rival to `out`; its index, next to the corpus, is made if it is missing or older. @returns the problem, null on success */
export function runRival(rival: Rival, out: string, run: RivalRun): string | null {
  const index = `${run.corpus}.${rival}`;
  if (!existsSync(index) || statSync(index).mtimeMs < statSync(run.corpus).mtimeMs) {
    const { problem } = runScript(rival, ['index', run.corpus, index]);
    if (problem) return problem;
  }
  const options = ['--modes', run.modes.join(','), '--rounds', String(run.rounds), '--warmup', String(run.warmupSeconds)];
  return runScript(rival, ['query', index, run.queries, out, ...options]).problem;
}

/** Takes the lines `id family mode best_ns ..` of a file into `best`. */
export function addTimes(best: BestTimes, file: string): void {
  for (const line of readFileSync(file, 'utf8').trim().split('\n').slice(1)) {
    const [id, family, mode, text] = line.split('\t');
    const times = best.get(mode) ?? new Map<string, { family: string; ns: number }>();
    best.set(mode, times);
    const known = times.get(id);
    if (!known) times.set(id, { family, ns: Number(text) });
    else known.ns = Math.min(known.ns, Number(text));
  }
}

/** Markdown tables per mode: sums of the best times in ms per family, and ours as a multiple of Lucene's (the first rival's) and of the best. */
export function tables(engines: ReadonlyMap<string, BestTimes>): string {
  const [ours, ...rivals] = [...engines.keys()];
  const lines: string[] = [];
  for (const [mode, times] of engines.get(ours)!) {
    const heads = [ours, ...rivals, ...rivals.map((rival) => `${ours} / ${rival}`)];
    lines.push('', `${mode}, ms`, '', `| family | queries | ${heads.join(' | ')} |`, `|---|${'--:|'.repeat(heads.length + 1)}`);
    const families = [...new Set([...times.values()].map(({ family }) => family)), 'ALL'];
    for (const family of families) {
      const ids = [...times].filter(([, time]) => family === 'ALL' || time.family === family).map(([id]) => id);
      const sums = [ours, ...rivals].map((name) => {
        const known = engines.get(name)!.get(mode);
        return ids.reduce((sum, id) => sum + (known?.get(id)?.ns ?? Number.NaN), 0) / 1e6;
      });
      const cells = [...sums.map((ms) => ms.toFixed(2)), ...sums.slice(1).map((ms) => `${(sums[0] / ms).toFixed(2)}x`)];
      lines.push(`| ${family} | ${ids.length} | ${cells.join(' | ')} |`);
    }
  }
  return lines.join('\n');
}

/** Machine, Node and commit, for the head of a report. */
export function machine(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  return `commit ${commit}, ${cpus().length} x ${cpus()[0].model}, node ${process.version}, ${new Date().toISOString().slice(0, 16)}`;
}
