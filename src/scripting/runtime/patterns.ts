// The operators `=~` and `==~`, and matching within the budget of a script.
import type { JavaPattern, Matcher } from '../../regex/java-pattern.ts';
import { nullPointer } from '../java/faults.ts';

/** Steps of one matcher: about 50 ms. */
const MATCH_STEPS = 3_000_000;

export function matcherOf(pattern: JavaPattern, text: string): Matcher {
  if (text === null) nullPointer(null);
  return pattern.matcher(text, MATCH_STEPS);
}

/** `text =~ pattern`: some part of the text matches. */
export function find(text: string, pattern: JavaPattern): boolean {
  return matcherOf(pattern, text).find();
}

/** `text ==~ pattern`: the whole text matches. */
export function matches(text: string, pattern: JavaPattern): boolean {
  return matcherOf(pattern, text).matches();
}
