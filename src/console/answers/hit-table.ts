// Hits as table rows: their columns, their sort order, and their CSV form.
import type { Hit } from './search-answer.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values of a hit by path: from its source, with objects flattened, then from `fields`. */
export function valuesOf(hit: Hit): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const add = (prefix: string, object: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(object)) {
      if (isObject(value) && Object.keys(value).length > 0) add(`${prefix}${name}.`, value);
      else values.set(prefix + name, value);
    }
  };
  if (hit._source) add('', hit._source);
  for (const [name, value] of Object.entries(hit.fields ?? {})) if (!values.has(name)) values.set(name, value);
  return values;
}

/** All paths, in the order of their first appearance. */
export function columnsOf(hits: readonly Hit[]): string[] {
  return [...new Set(hits.flatMap((hit) => [...valuesOf(hit).keys()]))];
}

/** A value on one line. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(String).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Orders numbers by value and everything else as text; absent values come last. */
export function compareValues(a: unknown, b: unknown): number {
  const absent = Number(a === undefined || a === null) - Number(b === undefined || b === null);
  if (absent !== 0) return absent;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return cellText(a).localeCompare(cellText(b), 'en', { numeric: true });
}

/** A field of CSV (RFC 4180). Text that a spreadsheet would evaluate as a formula is prefixed with an apostrophe. */
function csvField(value: unknown): string {
  const plain = cellText(value);
  const text = typeof value !== 'number' && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf(columns: readonly string[], rows: ReadonlyArray<ReadonlyMap<string, unknown>>): string {
  return [columns.map(csvField), ...rows.map((row) => columns.map((column) => csvField(row.get(column))))]
    .map((fields) => `${fields.join(',')}\r\n`)
    .join('');
}
