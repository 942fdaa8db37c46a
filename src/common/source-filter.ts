// Filtering of `_source` by include and exclude patterns, as Elasticsearch's XContentMapValues.filter does.
import type { MutableJsonObject } from './json-value.ts';

export interface SourceFilter {
  /** false: no source at all. */
  readonly enabled: boolean;
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
}

export const WHOLE_SOURCE: SourceFilter = { enabled: true, includes: [], excludes: [] };

interface Compiled {
  /** Whether the path itself, hence everything below it, is named. */
  matches(path: string): boolean;
  /** Whether something below the path may be named. */
  mayMatchBelow(path: string): boolean;
}

const cache = new WeakMap<readonly string[], Compiled>();

/** A copy of `source` with what the patterns leave. Objects and lists that nothing is left of go, but not as items of a list. */
export function filterSource(source: MutableJsonObject, { includes, excludes }: SourceFilter): MutableJsonObject {
  return filterObject(source, '', includes.length === 0 ? null : compile(includes), excludes.length === 0 ? null : compile(excludes));
}

/** @param includes null: everything below is included */
function filterObject(object: MutableJsonObject, prefix: string, includes: Compiled | null, excludes: Compiled | null): MutableJsonObject {
  const out: MutableJsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const path = prefix + key;
    if (excludes?.matches(path)) continue;
    const included = includes === null || includes.matches(path);
    if (!included && !includes.mayMatchBelow(path)) continue;
    const below = included ? null : includes;
    if (Array.isArray(value)) {
      const items = filterList(value, path, below, excludes);
      if (included || !items.every(isNothing)) out[key] = items;
    } else if (typeof value === 'object' && value !== null) {
      const kept = filterObject(value as MutableJsonObject, `${path}.`, below, excludes);
      if (included || Object.keys(kept).length > 0) out[key] = kept;
    } else if (included) out[key] = value;
  }
  return out;
}

/** An object or list of which nothing is left. */
function isNothing(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function filterList(items: readonly unknown[], path: string, includes: Compiled | null, excludes: Compiled | null): unknown[] {
  const out: unknown[] = [];
  for (const item of items) {
    if (Array.isArray(item)) out.push(filterList(item, path, includes, excludes));
    else if (typeof item === 'object' && item !== null) out.push(filterObject(item as MutableJsonObject, `${path}.`, includes, excludes));
    else if (includes === null) out.push(item);
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

/** `*` stands for any text, dots included. Matching is linear in practice: greedy with one point of return. */
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

/** Whether a pattern may name something below `path`: its parts match the path's, up to one that holds a star. */
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
