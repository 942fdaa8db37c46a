// Patterns of roles: names of indices and of fields with `*` for any string and `?` for any character.

/** All indices but the hidden ones, as the built-in roles of Elasticsearch say it: the only regular expression that is known. */
export const NOT_HIDDEN = '/~(([.]|ilm-history-).*)/';

/** True if the name matches. Takes at most `pattern.length * name.length` steps. */
export function matchesName(pattern: string, name: string): boolean {
  if (pattern === NOT_HIDDEN) return !name.startsWith('.') && !name.startsWith('ilm-history-');
  let p = 0;
  let n = 0;
  let star = -1;
  let resumeAt = 0;
  while (n < name.length) {
    // A star comes first, since a name may also contain this character.
    if (pattern[p] === '*') {
      star = p++;
      resumeAt = n;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) {
      p++;
      n++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++resumeAt;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** True if some string that begins with `prefix` matches. */
export function matchesPrefix(pattern: string, prefix: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern.length >= prefix.length && matchesName(pattern.slice(0, prefix.length), prefix);
  const head = pattern.slice(0, star);
  return head.length <= prefix.length ? matchesName(head, prefix.slice(0, star)) : matchesName(head.slice(0, prefix.length), prefix);
}

/** True if every string that matches `narrow` matches `wide`: decided for stars, where `?` in `narrow` counts as any other character. */
export function includesPattern(wide: string, narrow: string): boolean {
  return matchesName(wide, narrow);
}
