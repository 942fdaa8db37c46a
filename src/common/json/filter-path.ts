// `filter_path`: selects parts of a response. Comma-separated dotted paths; `*` matches (part of) a name, `**` any number of names, a leading `-`
// excludes. Paths pass through lists. Objects and lists that lose all their members are removed, too.

import { runAtOnce, type SlicedWork } from '../turns/sliced-work.ts';
import { JsonFloat } from './json-float.ts';
import { setOwn } from './own-property.ts';
import { RawJson } from './raw-json.ts';
import { isJsonObject, parseToWrite } from './source-numbers.ts';

type Step = string | RegExp | '**';
type Path = readonly Step[];

export interface PathFilter {
  readonly includes: readonly Path[];
  readonly excludes: readonly Path[];
}

/** @returns null if there is nothing to filter */
export function parseFilterPath(text: string): PathFilter | null {
  const includes: Path[] = [];
  const excludes: Path[] = [];
  for (const item of text.split(',')) {
    const trimmed = item.trim();
    if (trimmed === '') continue;
    if (trimmed.startsWith('-')) excludes.push(parsePath(trimmed.slice(1)));
    else includes.push(parsePath(trimmed));
  }
  return includes.length + excludes.length === 0 ? null : { includes, excludes };
}

function parsePath(text: string): Path {
  return text.split(/(?<!\\)\./).map((part) => {
    const name = part.replaceAll('\\.', '.');
    if (name === '**') return name;
    if (!name.includes('*')) return name;
    return new RegExp(
      `^${name
        .split('*')
        .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
      's',
    );
  });
}

/** The filtered response, `{}` if nothing is left. RawJson that stays whole is not parsed. */
export function filterPaths(value: unknown, filter: PathFilter): unknown {
  return runAtOnce(filterSteps(value, filter));
}

/** `filterPaths` as work that can be done in slices. */
export function* filterSteps(value: unknown, filter: PathFilter): SlicedWork<unknown> {
  let result: unknown = value;
  if (filter.includes.length > 0) result = yield* include(result, filter.includes);
  if (result !== undefined && filter.excludes.length > 0) result = yield* exclude(result, filter.excludes);
  return result === undefined ? {} : result;
}

/** The rest of the paths after a member of this name; `null` in the list if the whole member matches. */
function step(paths: readonly Path[], name: string): Array<Path | null> {
  const next: Array<Path | null> = [];
  for (const path of paths) {
    const [head, ...rest] = path;
    if (head === '**') {
      // Any number of names, including none.
      for (const tail of step([rest], name)) next.push(tail);
      next.push(rest.length === 0 ? null : path);
    } else if (typeof head === 'string' ? head === name : head.test(name)) {
      next.push(rest.length === 0 ? null : rest);
    }
  }
  return next;
}

/** The parsed value of a member that is stored as text; floats stay as they are. */
function open(value: unknown): unknown {
  return value instanceof RawJson && !(value instanceof JsonFloat) ? parseToWrite(value.text) : value;
}

function* include(value: unknown, paths: readonly Path[]): SlicedWork<unknown> {
  const opened = open(value);
  if (Array.isArray(opened)) {
    const items: unknown[] = [];
    for (const item of opened) {
      const kept = yield* include(item, paths);
      if (kept !== undefined) items.push(kept);
    }
    return items.length > 0 ? items : undefined;
  }
  if (!isJsonObject(opened)) return undefined;
  yield;
  const result: Record<string, unknown> = {};
  let isEmpty = true;
  for (const [name, member] of Object.entries(opened)) {
    const next = step(paths, name);
    if (next.length === 0 || member === undefined) continue;
    const kept = next.includes(null) ? member : yield* include(member, next as Path[]);
    if (kept === undefined) continue;
    setOwn(result, name, kept);
    isEmpty = false;
  }
  return isEmpty ? undefined : result;
}

function* exclude(value: unknown, paths: readonly Path[]): SlicedWork<unknown> {
  const opened = open(value);
  if (Array.isArray(opened)) {
    const items: unknown[] = [];
    for (const item of opened) {
      const kept = yield* exclude(item, paths);
      if (kept !== undefined) items.push(kept);
    }
    return items.length > 0 || opened.length === 0 ? items : undefined;
  }
  if (!isJsonObject(opened)) return opened;
  yield;
  const result: Record<string, unknown> = {};
  let hasLost = false;
  let isEmpty = true;
  for (const [name, member] of Object.entries(opened)) {
    const next = step(paths, name);
    const kept = next.includes(null) ? undefined : next.length > 0 ? yield* exclude(member, next as Path[]) : member;
    if (kept === undefined) {
      hasLost = true;
      continue;
    }
    setOwn(result, name, kept);
    isEmpty = false;
  }
  return isEmpty && hasLost ? undefined : result;
}
