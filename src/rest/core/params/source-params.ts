// Reads `_source` filters from the query parameters `_source`, `_source_includes` and `_source_excludes`, or from a value of a body.
import type { SourceFilter } from '../../../common/json/source-filter.ts';
import { ApiError } from '../../../errors/api-error.ts';
import type { ApiRequest } from '../request.ts';

/** The filter of the query parameters; null if there are none. */
export function sourceFilterOf(request: ApiRequest): SourceFilter | null {
  const source = request.string('_source');
  const includes = request.list('_source_includes');
  const excludes = request.list('_source_excludes') ?? [];
  const excludesVectors = request.boolean('_source_exclude_vectors') ?? false;
  if (source === undefined && includes === undefined && excludes.length === 0 && !excludesVectors) return null;
  if (source === 'false') return { enabled: false, includes: includes ?? [], excludes };
  const named = source === undefined || source === 'true' || source === '' ? [] : source.split(',').filter((name) => name !== '');
  return { enabled: true, includes: includes ?? named, excludes, ...(excludesVectors ? { excludesVectors } : {}) };
}

/** The filter of a value in a body: a boolean, a pattern, a list of patterns, or `{ includes, excludes }`. @throws ApiError parsing_exception */
export function readSourceFilter(value: unknown): SourceFilter {
  if (typeof value === 'boolean') return { enabled: value, includes: [], excludes: [] };
  if (typeof value === 'string')
    return value === 'false'
      ? { enabled: false, includes: [], excludes: [] }
      : { enabled: true, includes: value === 'true' ? [] : [value], excludes: [] };
  if (Array.isArray(value)) return { enabled: true, includes: value.map(String), excludes: [] };
  if (typeof value === 'object' && value !== null) {
    const { includes, include, excludes, exclude } = value as Record<string, unknown>;
    const list = (item: unknown): string[] => (item === undefined ? [] : [item].flat().map(String));
    return { enabled: true, includes: list(includes ?? include), excludes: list(excludes ?? exclude) };
  }
  throw new ApiError('parsing_exception', 400, 'Expected one of [VALUE_BOOLEAN, VALUE_STRING, START_ARRAY, START_OBJECT] for [_source]');
}
