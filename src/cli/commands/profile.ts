// `gannet profile --compare A.json B.json --index NAME`: runs two searches in turns until the ratio of their times is known, and shows
// counters and plans side by side. With --against the second one runs on another server, Gannet or Elasticsearch: both are then timed from
// here, over HTTP.
import { readFileSync } from 'node:fs';
import { median, type Ratio, runInPairs } from '../../api/search/paired-runs.ts';
import { plainText } from '../../common/terminal/live-screen.ts';
import { textTable } from '../../common/terminal/text-table.ts';
import { type Arguments, checkFlags, flagNumber, flagValue, parseArguments, UsageError } from '../arguments.ts';
import { ServiceClient, withClient } from '../service-client.ts';

type Json = Record<string, unknown>;

interface Clause {
  readonly type: string;
  readonly description: string;
  readonly time_in_nanos: number;
  readonly children?: readonly Clause[];
}

interface Side {
  readonly median_micros: number;
  readonly min_micros: number;
  readonly total?: unknown;
  readonly profile?: { readonly shards: ReadonlyArray<{ readonly id: string; readonly searches: ReadonlyArray<{ query: Clause[] }> }> };
}

export interface Comparison {
  readonly rounds: number;
  readonly stopped_by: string;
  readonly ratio: { readonly b_to_a: number; readonly low: number; readonly high: number } | null;
  readonly same_hits: boolean;
  /** Absent over HTTP, since other servers have other counters. */
  readonly counters?: Readonly<Record<string, { readonly a: number; readonly b: number }>>;
  readonly a: Side;
  readonly b: Side;
}

interface SearchResponse {
  readonly hits: { readonly total?: unknown; readonly hits: ReadonlyArray<{ _id: string; _score: number | null }> };
  readonly profile?: Side['profile'];
}

const LONGEST_SECONDS = 600;
/** The service's own limit for a comparison. */
const LONGEST_IN_SERVICE = 8;
const MAX_ROUNDS = 100_000;
const PRECISION = 0.02;

/** @returns exit code: 0, 1 if a service refuses */
export async function profileCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  checkFlags(args, ['url', 'user', 'compare', 'index', 'seconds', 'against', 'against-user', 'against-index'], ['json']);
  const first = flagValue(args, 'compare');
  const index = flagValue(args, 'index');
  const against = flagValue(args, 'against');
  const [second, ...others] = args.positionals;
  if (first === null || index === null || others.length > 0 || (second === undefined && against === null))
    throw new UsageError('profile needs --compare A.json B.json and --index NAME; B.json may be left out with --against URL');
  const a = readBody(first);
  const b = second === undefined ? a : readBody(second);
  return withClient(args, async (client) => {
    const comparison =
      against === null
        ? await client.call<Comparison>('POST', `/${pathOf(index)}/_profile/compare`, {
            a,
            b,
            max_time: `${flagNumber(args, 'seconds', 2, 1, LONGEST_IN_SERVICE)}s`,
          })
        : await compareServers(args, { client, index, body: a }, against, b);
    process.stdout.write(`${args.flags.json === undefined ? comparisonText(comparison) : JSON.stringify(comparison, null, 2)}\n`);
    return 0;
  });
}

const pathOf = (index: string): string => index.split(',').map(encodeURIComponent).join(',');

function readBody(file: string): Json {
  let body: unknown;
  try {
    body = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`[${file}] cannot be read as JSON: ${(error as Error).message}`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new UsageError(`[${file}] must contain the body of a search`);
  return body as Json;
}

interface Runner {
  readonly client: ServiceClient;
  readonly index: string;
  readonly body: Json;
}

function searchBy({ client, index, body }: Runner, profile: boolean): Promise<SearchResponse> {
  return client.call<SearchResponse>('POST', `/${pathOf(index)}/_search?request_cache=false`, { ...body, profile });
}

async function compareServers(args: Arguments, a: Runner, against: string, body: Json): Promise<Comparison> {
  const client = new ServiceClient(against, flagValue(args, 'against-user'));
  try {
    const b = { client, index: flagValue(args, 'against-index') ?? a.index, body };
    const [profiledA, profiledB] = [await searchBy(a, true), await searchBy(b, true)];
    const limits = {
      precision: PRECISION,
      maxRounds: MAX_ROUNDS,
      maxMs: flagNumber(args, 'seconds', 10, 1, LONGEST_SECONDS) * 1000,
    };
    const times = await runInPairs(
      () => searchBy(a, false),
      () => searchBy(b, false),
      limits,
    );
    return {
      rounds: times.rounds,
      stopped_by: times.stoppedBy,
      ratio: times.ratio && ratioJson(times.ratio),
      // Scores of other servers may differ in the last digits.
      same_hits: idsOf(profiledA) === idsOf(profiledB),
      a: sideOf(times.aMs, profiledA),
      b: sideOf(times.bMs, profiledB),
    };
  } finally {
    client.close();
  }
}

const ratioJson = ({ ratio, low, high }: Ratio): Comparison['ratio'] => ({ b_to_a: ratio, low, high });
const idsOf = ({ hits }: SearchResponse): string => JSON.stringify(hits.hits.map(({ _id }) => _id));

function sideOf(ms: readonly number[], { hits, profile }: SearchResponse): Side {
  const least = ms.reduce((min, one) => Math.min(min, one), Number.POSITIVE_INFINITY);
  return { median_micros: Math.round(median(ms) * 1e3), min_micros: Math.round(least * 1e3), total: hits.total, profile };
}

/** The comparison as a table, a sentence and the clauses of both plans. */
export function comparisonText(comparison: Comparison): string {
  const { a, b, counters = {}, ratio, rounds, stopped_by: stoppedBy, same_hits: sameHits } = comparison;
  const rows = [
    ['median time, µs', String(a.median_micros), String(b.median_micros)],
    ['least time, µs', String(a.min_micros), String(b.min_micros)],
    ['total hits', totalText(a.total), totalText(b.total)],
    ...Object.entries(counters).map(([name, both]) => [name.replaceAll('_', ' '), String(both.a), String(both.b)]),
  ];
  const percent = (value: number): string => value.toFixed(3);
  const verdict = ratio
    ? `B takes ${percent(ratio.b_to_a)} times as long as A (${percent(ratio.low)} to ${percent(ratio.high)} with a confidence of 95 %)`
    : 'too few rounds to compare the times';
  return [
    textTable(['', 'A', 'B'], rows),
    '',
    `${verdict}; ${rounds} rounds, stopped by ${stoppedBy}; the hits ${sameHits ? 'are the same' : 'differ'}.`,
    ...planLines('A', a),
    ...planLines('B', b),
  ].join('\n');
}

function totalText(total: unknown): string {
  if (typeof total === 'number') return String(total);
  if (typeof total !== 'object' || total === null) return '-';
  const { value, relation } = total as { value: number; relation: string };
  return `${relation === 'gte' ? '>= ' : ''}${value}`;
}

function planLines(name: string, { profile }: Side): string[] {
  if (!profile) return [];
  const lines = ['', `plan of ${name}`];
  for (const { id, searches } of profile.shards) {
    lines.push(plainText(id));
    for (const clause of searches.flatMap(({ query }) => query)) addClause(lines, clause, 1);
  }
  return lines;
}

function addClause(lines: string[], { type, description, time_in_nanos: nanos, children = [] }: Clause, depth: number): void {
  lines.push(`${'  '.repeat(depth)}${type} ${(nanos / 1e3).toFixed(0)} µs  ${plainText(description)}`);
  for (const child of children) addClause(lines, child, depth + 1);
}
