// Data of the profile page from a response: the verdict on two requests, the work that each did, and the work that it could skip. Independent of the
// page's components.
import type { ShardProfile } from '../answers/profile-model.ts';
import { numberText } from '../format.ts';

/** Response of `_profile/compare`. */
export interface Comparison {
  readonly rounds: number;
  readonly stopped_by: string;
  readonly ratio: Ratio | null;
  readonly same_hits: boolean;
  readonly counters: Readonly<Record<string, { readonly a: number; readonly b: number }>>;
  readonly a: ComparedSide;
  readonly b: ComparedSide;
}

export interface Ratio {
  readonly b_to_a: number;
  readonly low: number;
  readonly high: number;
}

export interface ComparedSide {
  readonly median_micros: number;
  readonly min_micros: number;
  readonly timed_out: boolean;
  readonly _shards: { readonly total: number; readonly skipped?: number };
  readonly total?: { readonly value: number; readonly relation: string };
  readonly profile: unknown;
}

/** One sentence: which is faster, and how sure that is. */
export function verdictText({ ratio, rounds, stopped_by: stoppedBy }: Comparison): string {
  const runs = `${numberText(rounds)} rounds${stoppedBy === 'precision' ? '' : `, stopped by ${stoppedBy}`}`;
  if (ratio === null) return `Too few rounds to compare the times (${runs}).`;
  const { b_to_a: b, low, high } = ratio;
  if (low <= 1 && high >= 1)
    return `The difference is not significant: B takes ${digits(b)} times as long (${digits(low)} to ${digits(high)}; ${runs}).`;
  const [winner, other, by] = b > 1 ? ['A', 'B', [b, low, high]] : ['B', 'A', [1 / b, 1 / high, 1 / low]];
  return `${winner} is faster: ${other} takes ${digits(by[0])} times as long (${digits(by[1])} to ${digits(by[2])} with a confidence of 95 %; ${runs}).`;
}

const digits = (ratio: number): string => (ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2));

export interface IntervalMarks {
  /** Percent of the width, left to right. */
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  /** Ratios with their positions. */
  readonly ticks: ReadonlyArray<readonly [label: string, at: number]>;
}

const TICKS = [1 / 100, 1 / 50, 1 / 20, 1 / 10, 1 / 5, 1 / 2, 1 / 1.5, 1 / 1.2, 1 / 1.1, 1 / 1.05];

/** Positions of an interval on a logarithmic scale centred at 1. */
export function intervalMarks({ b_to_a: ratio, low, high }: Ratio): IntervalMarks {
  const reach = Math.max(Math.abs(Math.log(low)), Math.abs(Math.log(high)), Math.log(1.06)) * 1.15;
  const at = (value: number): number => 50 + (Math.log(value) / reach) * 50;
  const inReach = TICKS.filter((tick) => -Math.log(tick) <= reach).slice(0, 2);
  const ticks = [...inReach.toReversed(), 1, ...inReach.map((tick) => 1 / tick)].sort((x, y) => x - y);
  return { low: at(low), middle: at(ratio), high: at(high), ticks: ticks.map((tick) => [`${Number(tick.toFixed(2))} ×`, at(tick)]) };
}

/** Rows of the table of a comparison: name, A, B, and how B differs. */
export function comparisonRows({ a, b, counters }: Comparison): ReadonlyArray<readonly [string, string, string, string]> {
  const row = (name: string, ofA: number, ofB: number): [string, string, string, string] => [
    name,
    numberText(ofA),
    numberText(ofB),
    changeText(ofA, ofB),
  ];
  return [
    row('median time, µs', a.median_micros, b.median_micros),
    row('least time, µs', a.min_micros, b.min_micros),
    ...Object.entries(counters).map(([name, both]) => row(name.replaceAll('_', ' '), both.a, both.b)),
    ['total hits', totalText(a), totalText(b), ''],
  ];
}

function changeText(a: number, b: number): string {
  if (a === b) return 'same';
  if (a === 0) return '';
  const percent = (b / a - 1) * 100;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent) < 10 ? Math.abs(percent).toFixed(1) : numberText(Math.round(Math.abs(percent)))} %`;
}

const totalText = ({ total }: Pick<ComparedSide, 'total'>): string =>
  total === undefined ? 'not counted' : `${numberText(total.value)}${total.relation === 'gte' ? ' or more' : ''}`;

interface ProfiledAnswer {
  readonly timed_out?: boolean;
  readonly terminated_early?: boolean;
  readonly _shards?: { readonly total: number; readonly skipped?: number };
  readonly total?: { readonly value: number; readonly relation: string };
  /** Documents whose scores were computed; 0 if the search needs no scores. */
  readonly scored: number;
}

/** Documents whose scores a profiled search computed, over all shards. */
export function scoredOf(shards: readonly ShardProfile[]): number {
  const roots = shards.flatMap(({ parts }) => parts.filter(({ title }) => title === 'Query').flatMap((part) => part.roots));
  return roots.flatMap(({ counts }) => counts).reduce((sum, [name, count]) => (name === 'score' ? sum + count : sum), 0);
}

/** Sentences about work that a search skipped. */
export function skippedTexts({ _shards: shards, total, scored, ...answer }: ProfiledAnswer): string[] {
  const texts: string[] = [];
  const skipped = shards?.skipped ?? 0;
  if (shards && skipped > 0) texts.push(`${skipped} of ${shards.total} shards were skipped: none of their documents can match.`);
  if (total !== undefined && scored > 0 && scored < total.value)
    texts.push(`${numberText(scored)} of ${numberText(total.value)} matching documents were scored: the others could not enter the page.`);
  if (total?.relation === 'gte') texts.push(`Counting stopped at ${numberText(total.value)} hits; [track_total_hits] decides where.`);
  if (total === undefined) texts.push('Hits were not counted, so documents that cannot enter the page were skipped.');
  if (answer.terminated_early === true) texts.push('The search ended early because of [terminate_after].');
  if (answer.timed_out === true) texts.push('The search ended at its timeout, before all documents were visited.');
  return texts;
}
