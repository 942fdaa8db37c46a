// Suggests a mapping from sample documents: types by their values. Independent of the page's components.
import type { MappingField, MappingProperties } from '../mapping-types.ts';

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/;
/** Longer strings, and differing strings of several words, are mapped as `text`. */
const MAX_KEYWORD = 64;
const IGNORE_ABOVE = 256;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields in the order of their first appearance; a field with only nulls is left to dynamic mapping. */
export function suggestMapping(documents: readonly Json[]): MappingProperties {
  const values = new Map<string, unknown[]>();
  for (const document of documents) {
    for (const [name, value] of Object.entries(document)) {
      const list = values.get(name) ?? [];
      values.set(name, list);
      list.push(...(Array.isArray(value) ? value.flat() : [value]).filter((item) => item !== null && item !== undefined));
    }
  }
  const fields = [...values].map(([name, list]): [string, MappingField | null] => [name, fieldOf(list)]);
  return Object.fromEntries(fields.filter((field): field is [string, MappingField] => field[1] !== null));
}

function fieldOf(values: readonly unknown[]): MappingField | null {
  if (values.length === 0) return null;
  if (values.every(isPoint)) return { type: 'geo_point' };
  if (values.every(isGeoJson)) return { type: 'geo_shape' };
  if (values.every(isObject)) return { properties: suggestMapping(values) };
  if (values.every((value) => typeof value === 'boolean')) return { type: 'boolean' };
  if (values.every((value) => Number.isSafeInteger(value))) return { type: 'long' };
  if (values.every((value) => typeof value === 'number')) return { type: 'double' };
  const texts = values.filter((value) => !isObject(value)).map(String);
  if (texts.every((text) => DATE.test(text) && !Number.isNaN(Date.parse(text.slice(0, 10))))) return dateField(texts);
  if (texts.every((text) => IPV4.test(text))) return { type: 'ip' };
  const distinct = new Set(texts).size;
  const isShort = texts.every((text) => text.length <= MAX_KEYWORD);
  const hasWords = texts.some((text) => /\S\s+\S/.test(text));
  if (isShort && (!hasWords || (texts.length >= 10 && distinct <= texts.length / 4))) return { type: 'keyword' };
  return { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: IGNORE_ABOVE } } };
}

/** The default format of dates needs a `T` before the time. */
const dateField = (texts: readonly string[]): MappingField =>
  texts.some((text) => text.includes(' ')) ? { type: 'date', format: 'yyyy-MM-dd HH:mm:ss||strict_date_optional_time' } : { type: 'date' };

const isPoint = (value: unknown): boolean =>
  isObject(value) && Object.keys(value).length === 2 && typeof value.lat === 'number' && typeof value.lon === 'number';

const isGeoJson = (value: unknown): boolean => isObject(value) && typeof value.type === 'string' && Array.isArray(value.coordinates);

/** A valid index name made from a file name: `My Cities.csv` gives `my-cities`. */
export function indexNameOf(file: string): string {
  const name = file
    .replace(/(?:\.(?:csv|tsv|json|jsonl|ndjson|txt))+$/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[-._+]+|-+$/g, '');
  return name === '' ? 'imported' : name.slice(0, 200);
}

const NUMERIC = /^(?:byte|short|integer|long|unsigned_long|half_float|float|double|scaled_float)$/;

/** Whether values of a CSV column become numbers or booleans: if the mapping says so, or does not contain the column. */
export const columnTypes = (properties: MappingProperties): { isNumeric(column: string): boolean; isBoolean(column: string): boolean } => ({
  isNumeric: (column) => NUMERIC.test(properties[column]?.type ?? 'long'),
  isBoolean: (column) => (properties[column]?.type ?? 'boolean') === 'boolean',
});
