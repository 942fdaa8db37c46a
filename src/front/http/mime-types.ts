/** Types a server knows without a `types` block, as nginx. */
export const DEFAULT_TYPES: Map<string, string> = new Map([
  ['html', 'text/html'],
  ['gif', 'image/gif'],
  ['jpg', 'image/jpeg'],
]);

/** A set of media types for a filter: `*` stands for all; text/html is always in. */
export function typesSet(args: readonly string[], always: readonly string[], previous?: Set<string> | 'all'): Set<string> | 'all' {
  if (previous === 'all' || args.includes('*')) return 'all';
  return new Set([...(previous ?? always), ...args].map((t) => t.toLowerCase()));
}

/** True if the content type (without its parameters) is in the set; an answer without a type only where all are. */
export function typeMatches(set: ReadonlySet<string> | 'all', contentType: string): boolean {
  if (set === 'all') return true;
  const semicolon = contentType.indexOf(';');
  return set.has((semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase());
}
