// Runtime check for values that are present by construction but optional by type.

/** Narrows a value that cannot be absent here. Prefer types that say so. @throws Error: it is absent, which is a bug */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('a value that must be present is absent');
  return value;
}
