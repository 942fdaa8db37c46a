// `gannet search INDEX [QUERY]`: hits of a running service as a table or as JSON.
import { plainText } from '../../common/terminal/live-screen.ts';
import { type Paint, paintFor } from '../../common/terminal/paint.ts';
import { textTable } from '../../common/terminal/text-table.ts';
import { type Arguments, checkFlags, flagNumber, flagValue, parseArguments, UsageError } from '../arguments.ts';
import { withClient } from '../service-client.ts';

interface Hit {
  readonly _index: string;
  readonly _id: string;
  readonly _score: number | null;
  readonly _source?: Record<string, unknown>;
}

interface SearchResponse {
  readonly took: number;
  readonly timed_out: boolean;
  readonly hits: { readonly total?: { readonly value: number; readonly relation: string }; readonly hits: readonly Hit[] };
  readonly _shards: { readonly failed: number };
}

const MAX_COLUMNS = 8;
const WIDEST_CELL = 40;
const FALLBACK_WIDTH = 120;

/** @returns exit code: 0, 1 if the service refuses, or if shards failed */
export async function searchCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  checkFlags(args, ['url', 'user', 'size', 'from', 'fields', 'sort'], ['json', 'table']);
  const [index, query, ...others] = args.positionals;
  if (index === undefined || others.length > 0) throw new UsageError("search needs an INDEX and at most one 'query' in quotes");
  if (args.flags.json !== undefined && args.flags.table !== undefined) throw new UsageError('--json and --table exclude each other');
  const body = searchBody(args, query);
  return withClient(args, async (client) => {
    const response = await client.call<SearchResponse>('POST', `/${index.split(',').map(encodeURIComponent).join(',')}/_search`, body);
    const text =
      args.flags.json !== undefined
        ? JSON.stringify(response, null, 2)
        : hitsText(response, fieldsOf(args), process.stdout.columns ?? FALLBACK_WIDTH, paintFor(process.stdout));
    process.stdout.write(`${text}\n`);
    return response._shards.failed > 0 ? 1 : 0;
  });
}

const fieldsOf = (args: Arguments): readonly string[] => flagValue(args, 'fields')?.split(',').filter(Boolean) ?? [];

/** The query is one in Lucene's syntax, or a query of the query language as JSON. @throws UsageError */
export function searchBody(args: Arguments, query: string | undefined): Record<string, unknown> {
  const fields = fieldsOf(args);
  return {
    query: readQuery(query),
    size: flagNumber(args, 'size', 10, 0, 10_000),
    from: flagNumber(args, 'from', 0, 0, 10_000),
    ...(fields.length > 0 && { _source: fields }),
    ...(flagValue(args, 'sort') !== null && { sort: flagValue(args, 'sort')?.split(',').map(readSort) }),
  };
}

function readQuery(text: string | undefined): unknown {
  if (text === undefined || text.trim() === '') return { match_all: {} };
  if (!text.trimStart().startsWith('{')) return { query_string: { query: text, lenient: true } };
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the query starts with { but is not JSON: ${(error as Error).message}`);
  }
}

/** `FIELD` or `FIELD:desc`. */
function readSort(text: string): Record<string, string> {
  const match = /^(.+?)(?::(asc|desc))?$/.exec(text);
  if (!match) throw new UsageError(`[${text}] is not a sort: FIELD, FIELD:asc or FIELD:desc`);
  return { [match[1]]: match[2] ?? (match[1] === '_score' ? 'desc' : 'asc') };
}

/** @param fields columns; those of the hits if empty */
export function hitsText(
  { hits, took, timed_out, _shards }: SearchResponse,
  fields: readonly string[],
  width: number,
  paint: Paint,
): string {
  const total = hits.total === undefined ? '' : ` of ${hits.total.relation === 'gte' ? 'at least ' : ''}${hits.total.value}`;
  const notes = [timed_out ? 'timed out' : '', _shards.failed > 0 ? `${_shards.failed} shards failed` : ''].filter(Boolean);
  const summary = `${hits.hits.length}${total} hits, ${took} ms${notes.length > 0 ? `, ${notes.join(', ')}` : ''}`;
  if (hits.hits.length === 0) return paint.dim(summary);
  const rows = hits.hits.map((hit) => ({ hit, values: flatten(hit._source ?? {}) }));
  const columns = fields.length > 0 ? fields : [...new Set(rows.flatMap(({ values }) => [...values.keys()]))].slice(0, MAX_COLUMNS);
  const hasIndices = new Set(hits.hits.map((hit) => hit._index)).size > 1;
  const hasScores = hits.hits.some((hit) => hit._score !== null);
  const cellWidth = Math.max(8, Math.min(WIDEST_CELL, Math.floor(width / Math.max(1, columns.length))));
  const head = [...(hasIndices ? ['_index'] : []), '_id', ...(hasScores ? ['_score'] : []), ...columns];
  const cells = rows.map(({ hit, values }) => [
    ...(hasIndices ? [hit._index] : []),
    hit._id,
    ...(hasScores ? [hit._score === null ? '-' : hit._score.toFixed(3)] : []),
    ...columns.map((column) => values.get(column) ?? ''),
  ]);
  const shown = cells.map((row) => row.map((cell) => shorten(plainText(cell), cellWidth)));
  const [first, ...lines] = textTable(head.map(plainText), shown).split('\n');
  return [paint.bold(first), ...lines, paint.dim(summary)].join('\n');
}

/** Values by dotted path; objects within lists as JSON. */
function flatten(source: Record<string, unknown>, prefix = '', into = new Map<string, string>()): Map<string, string> {
  for (const [name, value] of Object.entries(source)) {
    const path = `${prefix}${name}`;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) flatten(value as Record<string, unknown>, `${path}.`, into);
    else into.set(path, cellText(value));
  }
  return into;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const shorten = (text: string, width: number): string => {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`;
};
