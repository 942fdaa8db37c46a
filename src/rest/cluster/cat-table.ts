// Text tables of `_cat`. Parameters: `h` selects columns by name or alias, `s` sorts, `v` shows the header, `help` describes the columns, `bytes`
// and `time` select units, and a `format` other than text returns a list of objects.

import { mediaTypeOfFormat } from '../../common/json/media-type.ts';
import { getOwn } from '../../common/json/own-property.ts';
import { BYTE_UNITS, formatByteSize } from '../../common/text/byte-size.ts';
import { formatDuration } from '../../common/text/time-unit.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { unrecognizedParametersError } from '../../errors/catalog.ts';
import { MANAGER_TIMEOUTS, type Params, type RestContext } from '../core/api.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

export const CAT_PARAMS: Params = {
  h: 'list',
  s: 'list',
  v: 'boolean',
  help: 'boolean',
  local: 'boolean',
  bytes: 'string',
  time: 'string',
  size: 'string',
  ...MANAGER_TIMEOUTS,
};

/** A cell: text, a number, a size in bytes, a duration, or empty. */
export type Cell = string | number | boolean | null | { readonly bytes: number } | { readonly ms: number };

export interface Column {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly about: string;
  /** Shown without `h`. */
  readonly isDefault: boolean;
  readonly isRight: boolean;
  /** The difference between servers on which the column depends; null for a column of all servers. */
  readonly difference: Difference | null;
}

type Difference = { readonly name: BooleanDifference; readonly value: boolean };
type BooleanDifference = { [Name in keyof Dialect]: Dialect[Name] extends boolean ? Name : never }[keyof Dialect];

/** A column that depends on a boolean row of DIFFERENCES. */
export function columnOf(name: BooleanDifference, value: boolean, own: Column): Column {
  return { ...own, difference: { name, value } };
}

/** `column('docs.count', 'dc,docsCount', 'available docs', '>')`: `>` right-aligned, `-` shown only when `h` names it. */
export function column(name: string, aliases: string, about: string, flags = ''): Column {
  return {
    name,
    aliases: aliases === '' ? [] : aliases.split(','),
    about,
    isDefault: !flags.includes('-'),
    isRight: flags.includes('>'),
    difference: null,
  };
}

/** A row: cells by column name. Missing cells are empty. */
export type Row = Readonly<Record<string, Cell>>;

/** Renders a table. @param rows  not called for `help` */
export async function catTable(
  request: ApiRequest,
  all: readonly Column[],
  { dialect }: RestContext['engine'],
  rows: () => Row[] | Promise<Row[]>,
): Promise<ApiResponse> {
  const columns = all.filter(({ difference }) => difference === null || dialect[difference.name] === difference.value);
  if (request.boolean('help')) {
    refusePathParameters(request);
    return { status: 200, text: helpText(columns) };
  }
  const shown = chosenColumns(request, columns);
  const found = sortRows(request, columns, await rows(), dialect);
  const units = readUnits(request);
  const cells = found.map((row) => shown.map(({ column: { name } }) => cellText(row[name] ?? null, units)));
  if (isStructured(request)) {
    return ok(
      found.map((row, i) =>
        Object.fromEntries(shown.map(({ title, column: { name } }, at) => [title, isEmpty(row[name]) ? null : cells[i][at]])),
      ),
    );
  }
  return { status: 200, text: layOut(shown, cells, request.boolean('v') ?? false) };
}

/** Help is not about an index or a node. @throws ApiError illegal_argument_exception: the path names some */
function refusePathParameters({ path, params, query }: ApiRequest): void {
  const names = Object.keys(params).filter((name) => !Object.hasOwn(query, name));
  if (names.length > 0)
    throw unrecognizedParametersError(
      path,
      names,
      names.map(() => []),
    );
}

function isEmpty(cell: Cell | undefined): boolean {
  return cell === null || cell === undefined;
}

/** True if the response is a list of objects: `format` or the Accept header requests a type other than text. */
function isStructured(request: ApiRequest): boolean {
  const format = request.string('format');
  if (format !== undefined && format !== '') return (mediaTypeOfFormat(format)?.format ?? 'text') !== 'text';
  const accept = request.http.header('accept');
  return accept !== undefined && !/text\/|\*\/\*/.test(accept) && /json|yaml|msgpack/i.test(accept);
}

function helpText(columns: readonly Column[]): string {
  const lines = columns.map(({ name, aliases, about }) => [name, aliases.join(','), about]);
  const widths = [0, 1, 2].map((i) => Math.max(...lines.map((cells) => cells[i].length)));
  return lines.map((cells) => `${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')}\n`).join('');
}

interface ShownColumn {
  readonly column: Column;
  /** The name or alias that `h` used. */
  readonly title: string;
}

function chosenColumns(request: ApiRequest, columns: readonly Column[]): ShownColumn[] {
  const names = request.list('h');
  if (names === undefined) return columns.filter((column) => column.isDefault).map((column) => ({ column, title: column.name }));
  const shown: ShownColumn[] = [];
  for (const raw of names) {
    const name = raw.trim();
    if (name.includes('*')) {
      for (const column of columns) {
        if (matchesPattern(name, column.name) && !shown.some((other) => other.column === column))
          shown.push({ column, title: column.name });
      }
    } else {
      const column = findColumn(columns, name);
      if (column) shown.push({ column, title: name });
    }
  }
  return shown;
}

function findColumn(columns: readonly Column[], name: string): Column | undefined {
  return columns.find((column) => column.name === name) ?? columns.find((column) => column.aliases.includes(name));
}

/** A bad request in every dialect, although Elasticsearch 7 and OpenSearch report it as a failure of the server (500). */
function unknownSortKeyError(name: string, { refusesSortKeysAsIllegal }: Dialect): ApiError {
  const type = refusesSortKeysAsIllegal ? 'illegal_argument_exception' : 'unsupported_operation_exception';
  return new ApiError(type, 400, `Unable to sort by unknown sort key \`${name}\``);
}

/** @throws ApiError the table has no such column */
function sortRows(request: ApiRequest, columns: readonly Column[], rows: readonly Row[], dialect: Dialect): Row[] {
  const keys = (request.list('s') ?? []).map((text) => {
    const isDescending = text.endsWith(':desc');
    const name = text.replace(/:(asc|desc)$/, '');
    const column = findColumn(columns, name);
    if (!column) throw unknownSortKeyError(name, dialect);
    return { name: column.name, sign: isDescending ? -1 : 1 };
  });
  if (keys.length === 0) return [...rows];
  return [...rows].sort((a, b) => {
    for (const { name, sign } of keys) {
      const order = compareCells(a[name] ?? null, b[name] ?? null);
      if (order !== 0) return order * sign;
    }
    return 0;
  });
}

function compareCells(a: Cell, b: Cell): number {
  const [x, y] = [sortValue(a), sortValue(b)];
  if (x === null || y === null) return x === y ? 0 : x === null ? -1 : 1;
  if (typeof x === 'number' && typeof y === 'number') return x - y;
  const [s, t] = [String(x), String(y)];
  return s < t ? -1 : s > t ? 1 : 0;
}

function sortValue(cell: Cell): string | number | null {
  if (cell === null) return null;
  if (typeof cell === 'object') return 'bytes' in cell ? cell.bytes : cell.ms;
  return typeof cell === 'boolean' ? String(cell) : cell;
}

interface Units {
  /** Divisor of sizes in bytes; null for readable sizes. */
  readonly bytes: number | null;
  readonly ms: number | null;
}

const TIME_UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1, micros: 1e-3, nanos: 1e-6 };

/** Unknown units are ignored, as by Elasticsearch. */
function readUnits(request: ApiRequest): Units {
  const read = (name: string, units: Readonly<Record<string, number>>): number | null => getOwn(units, request.string(name) ?? '') ?? null;
  return { bytes: read('bytes', BYTE_UNITS), ms: read('time', TIME_UNITS) };
}

function cellText(cell: Cell, units: Units): string {
  if (cell === null) return '';
  if (typeof cell !== 'object') return String(cell);
  if ('bytes' in cell) return units.bytes === null ? formatByteSize(cell.bytes) : String(Math.floor(cell.bytes / units.bytes));
  return units.ms === null ? formatDuration(cell.ms) : String(Math.floor(cell.ms / units.ms));
}

function layOut(shown: readonly ShownColumn[], cells: readonly string[][], hasHead: boolean): string {
  const lines = hasHead ? [shown.map(({ title }) => title), ...cells] : cells;
  const widths = shown.map((_, at) => Math.max(0, ...lines.map((line) => [...line[at]].length)));
  let text = '';
  for (const line of lines) {
    line.forEach((cell, at) => {
      const isLast = at === line.length - 1;
      const padding = ' '.repeat(widths[at] - [...cell].length);
      if (shown[at].column.isRight) text += padding + cell;
      else text += isLast ? cell : cell + padding;
      if (!isLast) text += ' ';
    });
    text += '\n';
  }
  return text;
}

export function matchesName(pattern: string, name: string): boolean {
  return pattern === '_all' || matchesPattern(pattern, name);
}
