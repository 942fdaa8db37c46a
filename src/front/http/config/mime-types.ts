// Media types: the defaults without a `types` block, as in nginx, and sets of types for filters.
import { ANY_COUNT, custom, HSL, type Spec } from '../../config/directive.ts';
import type { HttpFrame } from './module.ts';

export const DEFAULT_TYPES: Map<string, string> = new Map([
  ['html', 'text/html'],
  ['gif', 'image/gif'],
  ['jpg', 'image/jpeg'],
]);

/** A directive that lists media types for a filter; repeated uses add to the set. @param fallback  types if the directive is absent */
export const mediaTypes = (fallback: readonly string[] = ['text/html']): Spec<Set<string> | 'all'> =>
  custom<Set<string> | 'all'>(
    HSL,
    [1, ANY_COUNT],
    new Set(fallback),
    (f: HttpFrame, previous) => typesSet(f.args, ['text/html'], previous),
    { repeats: true },
  );

/** A set of media types for a filter: `*` matches all; text/html is always included. */
export function typesSet(args: readonly string[], always: readonly string[], previous?: Set<string> | 'all'): Set<string> | 'all' {
  if (previous === 'all' || args.includes('*')) return 'all';
  return new Set([...(previous ?? always), ...args].map((t) => t.toLowerCase()));
}

/** True if the set contains the content type (without its charset); a response without a type matches only `*`. */
export function typeMatches(set: ReadonlySet<string> | 'all', contentType: string): boolean {
  if (set === 'all') return true;
  return set.has(contentType.toLowerCase());
}
