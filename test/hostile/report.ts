// The table of a hostile run: a row per family with the figures that operators ask about.
import type { CaseResult } from './runner.ts';

const MB = 2 ** 20;

/** Lines of a Markdown table. */
export function tableOf(results: readonly CaseResult[]): string[] {
  const families = [...new Set(results.map(({ case: { family } }) => family))];
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
  const samples = results.flatMap(({ canary }) => canary).sort((a, b) => a - b);
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
