// `filter_path`: selects parts of a response. Comma-separated dotted paths; `*` matches (part of) a name, `**` any number of names, a leading `-`
// excludes. Paths pass through lists. Objects and lists on a path that have no members left are removed, too.

import { patternMatcher } from '../text/wildcard.ts';
import { runAtOnce, type SlicedWork } from '../turns/sliced-work.ts';
import { JsonFloat } from './json-float.ts';
import { setOwn } from './own-property.ts';
import { RawJson } from './raw-json.ts';
import { isJsonObject, parseToWrite } from './source-numbers.ts';

/** The rest of a path from one of its steps on. Each exists once, so that a set of them grows no larger than the request. */
interface Path {
  /** Whether the step matches a name; null for any number of names. */
  readonly matches: ((name: string) => boolean) | null;
  /** null at the end of the path. */
  readonly rest: Path | null;
}

/** Members between two places where the work can be left. */
const MEMBERS_PER_STEP_MASK = 15;

export interface PathFilter {
  readonly includes: readonly Path[];
  readonly excludes: readonly Path[];
  /** A name with dots matches like the names that it joins. */
  readonly splitsNames: boolean;
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
  return includes.length + excludes.length === 0 ? null : { includes, excludes, splitsNames: false };
}

/** A filter for documents, whose names of fields may contain dots. */
export function fieldPathFilter(includes: readonly string[], excludes: readonly string[]): PathFilter {
  return { includes: includes.map(parsePath), excludes: excludes.map(parsePath), splitsNames: true };
}

function parsePath(text: string): Path {
  const steps = text.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'));
  // Several `**` in a row match what one matches.
  const distinct = steps.filter((step, i) => step !== '**' || steps[i + 1] !== '**');
  return distinct.reduceRight<Path | null>((rest, step) => ({ matches: step === '**' ? null : patternMatcher(step), rest }), null) as Path;
}

/** The filtered response, `{}` if nothing is left. RawJson that stays whole is not parsed. */
export function filterPaths(value: unknown, filter: PathFilter): unknown {
  return runAtOnce(filterSteps(value, filter));
}

/** `filterPaths` as work that can be done in slices. */
export function* filterSteps(value: unknown, filter: PathFilter): SlicedWork<unknown> {
  let result: unknown = value;
  if (filter.includes.length > 0) result = yield* keep(result, filter.includes, false, filter.splitsNames);
  if (result !== undefined && filter.excludes.length > 0) result = yield* keep(result, filter.excludes, true, filter.splitsNames);
  return result === undefined ? {} : result;
}

/** As `step`; a name with dots stands for several. */
function stepInto(paths: Iterable<Path>, name: string, splitsNames: boolean): Set<Path | null> {
  if (!splitsNames || !name.includes('.')) return step(paths, name);
  let next = new Set<Path | null>(paths);
  for (const part of name.split('.')) {
    if (next.has(null)) return next;
    next = step(next as Set<Path>, part);
  }
  return next;
}

/** The rest of the paths after a member of this name; null among them if the whole member matches. */
function step(paths: Iterable<Path>, name: string): Set<Path | null> {
  const next = new Set<Path | null>();
  for (const path of paths) follow(path, name, next);
  return next;
}

function follow(path: Path, name: string, next: Set<Path | null>): void {
  const { matches, rest } = path;
  if (matches !== null) {
    if (matches(name)) next.add(rest);
    return;
  }
  // Any number of names, including none.
  if (rest !== null) follow(rest, name, next);
  next.add(rest === null ? null : path);
}

/** The parsed value of a member that is stored as text; floats stay as they are. */
function open(value: unknown): unknown {
  return value instanceof RawJson && !(value instanceof JsonFloat) ? parseToWrite(value.text) : value;
}

/** What is kept of a value: the members that paths name, or all others. */
function* keep(value: unknown, paths: Iterable<Path>, isExclusion: boolean, splitsNames: boolean): SlicedWork<unknown> {
  const opened = open(value);
  if (Array.isArray(opened)) {
    const items: unknown[] = [];
    for (const item of opened) {
      const kept = yield* keep(item, paths, isExclusion, splitsNames);
      if (kept !== undefined) items.push(kept);
    }
    return items.length > 0 ? items : undefined;
  }
  if (!isJsonObject(opened)) return isExclusion ? opened : undefined;
  yield;
  const result: Record<string, unknown> = {};
  let isEmpty = true;
  let seen = 0;
  for (const [name, member] of Object.entries(opened)) {
    if ((++seen & MEMBERS_PER_STEP_MASK) === 0) yield;
    if (member === undefined) continue;
    const next = stepInto(paths, name, splitsNames);
    // A path that ends here names the whole member, and one that does not start here none of it.
    const isNamed = next.has(null);
    const isWhole = isNamed || next.size === 0;
    const kept = isWhole
      ? isNamed === isExclusion
        ? undefined
        : member
      : yield* keep(member, next as Set<Path>, isExclusion, splitsNames);
    if (kept === undefined) continue;
    setOwn(result, name, kept);
    isEmpty = false;
  }
  return isEmpty ? undefined : result;
}
