// Which indices of a snapshot an expression means, and their names after a restore.

import { setOwn } from '../../common/json/own-property.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { JavaPattern } from '../../regex/java-pattern.ts';
import { Replacement } from '../../regex/replacement.ts';
import { snapshotRestoreError } from '../../snapshots/repository-errors.ts';

const BACKING_PREFIX = '.ds-';
/** Longest `rename_pattern`: it is compiled for each restore. */
const MAX_PATTERN_LENGTH = 1000;

/** @throws ApiError index_not_found_exception: a name is not in the snapshot, and `ignoreUnavailable` is false */
export function filterIndices(available: readonly string[], expression: readonly string[], ignoreUnavailable: boolean): string[] {
  if (expression.length === 0 || (expression.length === 1 && (expression[0] === '_all' || expression[0] === '*'))) return [...available];
  let found: Set<string> | null = null;
  for (const [at, part] of expression.entries()) {
    const isExclusion = part.startsWith('-') && (at > 0 || part.length > 1);
    const pattern = isExclusion ? part.slice(1) : part;
    // An expression that begins with an exclusion starts from everything.
    found ??= new Set(isExclusion ? available : []);
    if (!pattern.includes('*') && !available.includes(pattern)) {
      if (!ignoreUnavailable && !isExclusion)
        throw new ApiError('index_not_found_exception', 404, `no such index [${pattern}]`, {
          details: { index_uuid: '_na_', index: pattern },
        });
      continue;
    }
    for (const name of available) {
      if (!matchesPattern(pattern, name)) continue;
      if (isExclusion) found.delete(name);
      else found.add(name);
    }
  }
  return available.filter((name) => found?.has(name));
}

/** Replaces each match of a pattern in a name. No pattern or no replacement keeps the name. */
export interface Renaming {
  readonly pattern: string | null;
  readonly replacement: string | null;
}

/** @throws ApiError pattern_syntax_exception */
export function renameAll(names: readonly string[], { pattern, replacement }: Renaming): Record<string, string> {
  const compiled = pattern === null || replacement === null ? null : compile(pattern);
  const renamed: Record<string, string> = {};
  for (const name of names)
    setOwn(renamed, name, compiled === null || replacement === null ? name : replaceAll(compiled, replacement, name));
  return renamed;
}

/** @throws ApiError pattern_syntax_exception; snapshot_restore_exception: two indices get the same name */
export function renameIndices(
  names: readonly string[],
  rename: Renaming,
  where: { readonly repository: string; readonly snapshot: string },
  backing: ReadonlySet<string> = new Set(),
): Array<{ source: string; target: string }> {
  const renamed = new Map<string, string>();
  // The prefix of the backing indices of a data stream is not part of what is renamed.
  const bare = (name: string): string => (backing.has(name) && name.startsWith(BACKING_PREFIX) ? name.slice(BACKING_PREFIX.length) : name);
  const bareTargets = renameAll(names.map(bare), rename);
  for (const source of names) {
    const target = (bare(source) === source ? '' : BACKING_PREFIX) + bareTargets[bare(source)];
    const other = renamed.get(target);
    if (other !== undefined)
      throw snapshotRestoreError(
        where.repository,
        where.snapshot,
        `indices [${source}] and [${other}] are renamed into the same index [${target}]`,
      );
    renamed.set(target, source);
  }
  return [...renamed].map(([target, source]) => ({ source, target }));
}

function compile(source: string): JavaPattern {
  if (source.length > MAX_PATTERN_LENGTH)
    throw new ApiError(
      'illegal_argument_exception',
      400,
      `[rename_pattern] has ${source.length} characters, at most ${MAX_PATTERN_LENGTH} are allowed`,
    );
  try {
    return new JavaPattern(source);
  } catch (error) {
    throw new ApiError('pattern_syntax_exception', 400, (error as Error).message);
  }
}

function replaceAll(pattern: JavaPattern, replacement: string, text: string): string {
  const parsed = new Replacement(replacement, pattern);
  const matcher = pattern.matcher(text);
  let out = '';
  let last = 0;
  while (matcher.find()) {
    out += text.slice(last, matcher.start) + parsed.apply(matcher);
    last = matcher.end;
  }
  return out + text.slice(last);
}
