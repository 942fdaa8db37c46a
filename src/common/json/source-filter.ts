// Filters `_source` by include and exclude patterns: as Elasticsearch's XContentMapValues.filter does or, from version 8 on, as `filter_path` does
// unless a pattern that excludes has a star.

import { fieldPathFilter, filterPaths } from './filter-path.ts';
import type { MutableJsonObject } from './json-value.ts';
import { setOwn } from './own-property.ts';
import { isJsonObject } from './source-numbers.ts';

export interface SourceFilter {
  /** false omits the source. */
  readonly enabled: boolean;
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
  /** True leaves out the fields that hold vectors, too, which the mapping names. */
  readonly excludesVectors?: boolean;
}

export const WHOLE_SOURCE: SourceFilter = { enabled: true, includes: [], excludes: [] };

interface Compiled {
  /** True if a pattern matches the path, and so everything below it. */
  matches(path: string): boolean;
  /** True if a pattern may match something below the path. */
  mayMatchBelow(path: string): boolean;
}

const cache = new WeakMap<readonly string[], Compiled>();

/**
 * A filtered copy of `source`. Objects and lists that become empty are removed, except those that only lose what is excluded.
 * @param byPath  the star of a pattern matches one name at most
 */
export function filterSource(source: MutableJsonObject, { includes, excludes }: SourceFilter, byPath: boolean): MutableJsonObject {
  if (byPath && !excludes.some((pattern) => pattern.includes('*')))
    return filterPaths(source, fieldPathFilter(includes, excludes)) as MutableJsonObject;
  return filterObject(source, '', includes.length === 0 ? null : compile(includes), excludes.length === 0 ? null : compile(excludes));
}

/** @param includes  null if everything below is included */
function filterObject(object: MutableJsonObject, prefix: string, includes: Compiled | null, excludes: Compiled | null): MutableJsonObject {
  const out: MutableJsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const path = prefix + key;
    if (excludes?.matches(path)) continue;
    const included = includes === null || includes.matches(path);
    if (!included && !includes.mayMatchBelow(path)) continue;
    const below = included ? null : includes;
    if (below === null && !excludes?.mayMatchBelow(path)) setOwn(out, key, value);
    else if (Array.isArray(value)) {
      const items = filterList(value, path, below, excludes);
      if (included || !items.every(isNothing)) setOwn(out, key, items);
    } else if (isJsonObject(value)) {
      const kept = filterObject(value, `${path}.`, below, excludes);
      if (included || Object.keys(kept).length > 0) setOwn(out, key, kept);
    } else if (included) setOwn(out, key, value);
  }
  return out;
}

/** True for an empty object or list. */
function isNothing(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function filterList(items: readonly unknown[], path: string, includes: Compiled | null, excludes: Compiled | null): unknown[] {
  const out: unknown[] = [];
  for (const item of items) {
    if (Array.isArray(item)) out.push(filterList(item, path, includes, excludes));
    else if (isJsonObject(item)) {
      const kept = filterObject(item, `${path}.`, includes, excludes);
      if (Object.keys(kept).length > 0) out.push(kept);
    } else if (includes === null) out.push(item);
  }
  return out;
}

function compile(patterns: readonly string[]): Compiled {
  let compiled = cache.get(patterns);
  if (!compiled) {
    const whole = patterns.map((pattern) => globMatcher(pattern));
    const segments = patterns.map((pattern) => pattern.split('.'));
    compiled = {
      matches: (path) => whole.some((matcher) => matcher(path)),
      mayMatchBelow: (path) => segments.some((parts) => mayReach(parts, path.split('.'))),
    };
    cache.set(patterns, compiled);
  }
  return compiled;
}

/** `*` matches any characters, dots included. Linear in practice: greedy, with a single backtracking point. */
function globMatcher(pattern: string): (text: string) => boolean {
  if (!pattern.includes('*')) return (text) => text === pattern;
  return (text) => {
    let at = 0;
    let p = 0;
    let star = -1;
    let mark = 0;
    while (at < text.length) {
      if (p < pattern.length && pattern[p] === '*') {
        star = p++;
        mark = at;
      } else if (p < pattern.length && pattern[p] === text[at]) {
        p++;
        at++;
      } else if (star >= 0) {
        p = star + 1;
        at = ++mark;
      } else return false;
    }
    while (p < pattern.length && pattern[p] === '*') p++;
    return p === pattern.length;
  };
}

/** True if a pattern may match something below `path`: its parts match those of the path up to the first one with a star. */
function mayReach(parts: readonly string[], path: readonly string[]): boolean {
  for (let i = 0; i < path.length; i++) {
    if (i >= parts.length) return false;
    if (parts[i].includes('*'))
      return (
        globMatcher(parts[i])(path[i]) || parts[i].startsWith('*') || globMatcher(`${parts[i].slice(0, parts[i].indexOf('*'))}*`)(path[i])
      );
    if (parts[i] !== path[i]) return false;
  }
  return true;
}
