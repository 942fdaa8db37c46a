// The table of a hostile run: a row per family with the figures that matter to operators.
import type { CaseResult } from './runner.ts';

const MB = 2 ** 20;

/** Lines of a Markdown table. */
export function tableOf(results: readonly CaseResult[]): string[] {
  const families = familiesOf(results);
  const header = [
    'family',
    'cases',
    'canary p99, ms',
    'canary worst, ms',
    'slowest answer, ms',
    'longest turn, ms',
    'busiest thread, ms',
    'peak, MB',
    'after, MB',
    'faults',
  ];
  return [
    `| ${header.join(' | ')} |`,
    `|---|${'---:|'.repeat(header.length - 1)}`,
    ...families.map((family) =>
      rowOf(
        family,
        results.filter((result) => result.case.family === family),
      ),
    ),
    rowOf('all', results),
  ];
}

function rowOf(family: string, results: readonly CaseResult[]): string {
  const samples = samplesOf(results);
  const most = (figure: (result: CaseResult) => number): number => results.reduce((max, result) => Math.max(max, figure(result)), 0);
  const cells = [
    family,
    results.length,
    Math.round(quantile(samples, 0.99)),
    Math.round(samples[samples.length - 1] ?? 0),
    Math.round(most(({ answerMs }) => answerMs)),
    Math.round(most(({ turnMs }) => turnMs)),
    most(({ busiestMs }) => busiestMs),
    Math.round(most(({ peakBytes }) => peakBytes) / MB),
    Math.round((results[results.length - 1]?.afterBytes ?? 0) / MB),
    results.filter(({ faults }) => faults.length > 0).length,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** @param sorted  ascending */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** A plain search next to any request must be answered within this time, at the 99th percentile of each family. */
const PLAIN_SEARCH_MS = 100;
/** No request may hold the event loop of a listener for longer. */
const TURN_MS = 30;

/** Latencies of a family are judged if other programs had at most this share of the machine meanwhile. */
const MAX_FOREIGN_SHARE = 0.1;

/** Whether the run keeps the two rules, and which families break them. Turns are processor time, which other programs do not change. */
export function verdictOn(results: readonly CaseResult[]): string[] {
  const byFamily = familiesOf(results).map((family) => [family, results.filter((result) => result.case.family === family)] as const);
  const isQuiet = (own: readonly CaseResult[]) => sumOf(own, 'foreignMs') <= MAX_FOREIGN_SHARE * sumOf(own, 'machineMs');
  const quiet = byFamily.filter(([, own]) => isQuiet(own));
  const disturbed = byFamily.filter(([, own]) => !isQuiet(own)).map(([family]) => family);
  const p99s = quiet.map(([family, own]) => [family, quantile(samplesOf(own), 0.99)] as const);
  const turns = byFamily.map(([family, own]) => [family, Math.max(...own.map(({ turnMs }) => turnMs))] as const);
  return [
    ...(quiet.length > 0
      ? [ruling(`plain searches below ${PLAIN_SEARCH_MS} ms next to every request, p99 by family`, PLAIN_SEARCH_MS, p99s)]
      : []),
    ...(disturbed.length > 0
      ? [`UNKNOWN latencies next to other programs, which used more than a tenth of the machine: ${disturbed.join(', ')}`]
      : []),
    ruling(`no turn of a listener above ${TURN_MS} ms`, TURN_MS, turns),
  ];
}

function ruling(rule: string, limitMs: number, figures: ReadonlyArray<readonly [string, number]>): string {
  const broken = figures.filter(([, ms]) => ms >= limitMs).sort(([, a], [, b]) => b - a);
  const worst = figures.reduce((max, [, ms]) => Math.max(max, ms), 0);
  if (broken.length === 0) return `KEPT    ${rule}: worst ${Math.round(worst)} ms in ${figures.length} families`;
  return `BROKEN  ${rule}: ${broken.map(([family, ms]) => `${family} (${Math.round(ms)} ms)`).join(', ')}`;
}

function sumOf(results: readonly CaseResult[], figure: 'foreignMs' | 'machineMs'): number {
  return results.reduce((sum, result) => sum + result[figure], 0);
}

function familiesOf(results: readonly CaseResult[]): string[] {
  return [...new Set(results.map(({ case: { family } }) => family))];
}

function samplesOf(results: readonly CaseResult[]): number[] {
  return results.flatMap(({ canary }) => canary).sort((a, b) => a - b);
}

/** One case in a line. */
export function lineOf({
  case: { family, name },
  status,
  type,
  answerMs,
  canary,
  busiestMs,
  turnMs,
  peakBytes,
  faults,
}: CaseResult): string {
  const worst = canary.reduce((max, ms) => Math.max(max, ms), 0);
  const times = `${Math.round(answerMs)} ms, canary ${Math.round(worst)} ms, turn ${Math.round(turnMs)} ms, thread ${busiestMs} ms`;
  const figures = `${times}, ${Math.round(peakBytes / MB)} MB`;
  return `${faults.length > 0 ? `FAULT ${faults.join()} ` : ''}${family}: ${name}: ${status} ${type} (${figures})`;
}
