// Patterns with `*`, as in names of indices, nodes, roles and columns.

/** True if the name matches the pattern, in which `*` matches any string. Runs in linear time, unlike a backtracking regular expression. */
export function matchesPattern(pattern: string, name: string): boolean {
  return matchesParts(partsOf(pattern), name);
}

/** `matchesPattern` for many names. */
export function patternMatcher(pattern: string): (name: string) => boolean {
  const parts = partsOf(pattern);
  return (name) => matchesParts(parts, name);
}

/** The strings between stars; several stars in a row are one. */
function partsOf(pattern: string): string[] {
  return pattern.includes('**') ? pattern.split(/\*+/) : pattern.split('*');
}

function matchesParts(parts: readonly string[], name: string): boolean {
  if (parts.length === 1) return parts[0] === name;
  if (!name.startsWith(parts[0])) return false;
  let at = parts[0].length;
  for (let i = 1; i < parts.length - 1; i++) {
    const found = name.indexOf(parts[i], at);
    if (found < 0) return false;
    at = found + parts[i].length;
  }
  const last = parts[parts.length - 1];
  return name.length - at >= last.length && name.endsWith(last);
}
