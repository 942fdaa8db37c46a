// Types a server knows without a `types` block, as nginx.
import { ANY_COUNT, custom, HSL, type Spec } from '../../config/directive.ts';
import type { HttpFrame } from './module.ts';

export const DEFAULT_TYPES: Map<string, string> = new Map([
  ['html', 'text/html'],
  ['gif', 'image/gif'],
  ['jpg', 'image/jpeg'],
]);

/** A directive that names media types of a filter; each use adds to those before. @param fallback  the types without it */
export const mediaTypes = (fallback: readonly string[] = ['text/html']): Spec<Set<string> | 'all'> =>
  custom<Set<string> | 'all'>(
    HSL,
    [1, ANY_COUNT],
    new Set(fallback),
    (f: HttpFrame, previous) => typesSet(f.args, ['text/html'], previous),
    { repeats: true },
  );

/** A set of media types for a filter: `*` stands for all; text/html is always in. */
export function typesSet(args: readonly string[], always: readonly string[], previous?: Set<string> | 'all'): Set<string> | 'all' {
  if (previous === 'all' || args.includes('*')) return 'all';
  return new Set([...(previous ?? always), ...args].map((t) => t.toLowerCase()));
}

/** True if the content type (without its charset) is in the set; an answer without a type only where all are. */
export function typeMatches(set: ReadonlySet<string> | 'all', contentType: string): boolean {
  if (set === 'all') return true;
  return set.has(contentType.toLowerCase());
}
