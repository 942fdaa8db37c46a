// `_source` in responses: the stored bytes, or the part of the document that passes a filter.
import { RawJson } from '../../common/json/raw-json.ts';
import { filterSource, type SourceFilter } from '../../common/json/source-filter.ts';
import { parseToWrite } from '../../common/json/source-numbers.ts';
import type { Dialect } from '../../compat/dialect.ts';

/** @returns the stored JSON if nothing is filtered, else the filtered object; undefined if `_source` is disabled */
export function renderSource(source: Uint8Array, filter: SourceFilter, dialect: Dialect): RawJson | Record<string, unknown> | undefined {
  if (!filter.enabled) return undefined;
  const text = Buffer.from(source.buffer, source.byteOffset, source.length).toString('utf8');
  if (filter.includes.length === 0 && filter.excludes.length === 0) return new RawJson(text);
  return filterSource(parseToWrite(text) as Record<string, unknown>, filter, dialect.filtersSourceByPath);
}
