// Patterns of roles: names of indices, of fields and of users with `*` for any string and `?` for any character, or regular expressions of Lucene
// between slashes.
import { BoundedMap } from '../common/bounded-map.ts';
import { REGEXP_ALL } from '../common/text/regexp-flags.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { type RegexpMatcher, regexpMatcher } from '../regex/lucene-automaton.ts';

/** All indices except hidden ones, as written in the built-in roles of Elasticsearch. */
export const NOT_HIDDEN = '/~(([.]|ilm-history-).*)/';

const MAX_REGEXP_CHARS = 1000;
const MAX_STATES = 10_000;
const MAX_COMPILED = 1000;
/** Compiled expressions by their text. */
const compiled = new BoundedMap<string, RegexpMatcher>(MAX_COMPILED);

/** @throws ApiError illegal_argument_exception: not a pattern, or too complex */
export function checkPattern(pattern: string): void {
  if (!pattern.startsWith('/')) return;
  if (!isRegexp(pattern))
    throw illegalArgumentError(
      `invalid pattern [${pattern}]. patterns starting with '/' indicate regular expression pattern and therefore must also end with '/'. other patterns (those that do not start with '/') will be treated as simple wildcard patterns`,
    );
  if (pattern.length > MAX_REGEXP_CHARS)
    throw illegalArgumentError(`regular expressions of roles must have at most ${MAX_REGEXP_CHARS} characters, got ${pattern.length}`);
  try {
    matcherOf(pattern);
  } catch (error) {
    throw error instanceof ApiError ? illegalArgumentError(`invalid pattern [${pattern}]: ${error.reason}`, error) : error;
  }
}

function isRegexp(pattern: string): boolean {
  return pattern.length > 1 && pattern.startsWith('/') && pattern.endsWith('/');
}

function matcherOf(pattern: string): RegexpMatcher {
  let matcher = compiled.get(pattern);
  if (matcher === undefined) compiled.set(pattern, (matcher = regexpMatcher(pattern.slice(1, -1), REGEXP_ALL, false, MAX_STATES)));
  return matcher;
}

/**
 * True if the name matches. Takes at most `pattern.length * name.length` steps without a regular expression.
 * @throws ApiError too_complex_to_determinize_exception: the request fails, since the grants of the role cannot be determined
 */
export function matchesName(pattern: string, name: string): boolean {
  if (isRegexp(pattern)) return matcherOf(pattern).matches(Buffer.from(name));
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

/** True if some string that begins with `prefix` matches. @throws ApiError as `matchesName` */
export function matchesPrefix(pattern: string, prefix: string): boolean {
  if (isRegexp(pattern)) return matcherOf(pattern).matchesSomeWith(Buffer.from(prefix));
  const star = pattern.indexOf('*');
  if (star < 0) return pattern.length >= prefix.length && matchesName(pattern.slice(0, prefix.length), prefix);
  const head = pattern.slice(0, star);
  return head.length <= prefix.length ? matchesName(head, prefix.slice(0, star)) : matchesName(head.slice(0, prefix.length), prefix);
}

/** True if every string that matches `narrow` matches `wide`: decided for stars, where `?` in `narrow` counts as any other character. */
export function includesPattern(wide: string, narrow: string): boolean {
  if (wide === narrow || wide === '*') return true;
  if (!isRegexp(wide) && !isRegexp(narrow)) return matchesName(wide, narrow);
  try {
    const others = regexpMatcher(`(${expressionOf(narrow)})&~(${expressionOf(wide)})`, REGEXP_ALL, false, MAX_STATES);
    return !others.matchesSomeWith(Buffer.alloc(0));
  } catch (error) {
    // Not decided within the limits, or not a pattern.
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** The pattern as a regular expression. */
function expressionOf(pattern: string): string {
  if (isRegexp(pattern)) return pattern.slice(1, -1);
  return [...pattern].map((char) => (char === '*' ? '.*' : char === '?' ? '.' : /[a-z0-9]/i.test(char) ? char : `\\${char}`)).join('');
}
