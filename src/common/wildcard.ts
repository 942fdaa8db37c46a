// Patterns with `*`, as in names of indices, nodes, roles and columns.

/** True if the name matches the pattern, in which `*` matches any string. Runs in linear time, unlike a backtracking regular expression. */
export function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return pattern === name;
  if (!name.startsWith(parts[0])) return false;
  let at = parts[0].length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = parts[parts.length - 1];
  return name.length - at >= last.length && name.endsWith(last);
}
