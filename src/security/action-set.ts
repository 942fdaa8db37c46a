// Sets of actions. An action is the name that Elasticsearch gives to one operation, such as `indices:data/read/search`; a privilege grants those that
// match its patterns.
import { matchesPattern } from '../common/text/wildcard.ts';

/** Actions that match a pattern of `include` and none of `exclude`. `*` in a pattern matches any string. */
export interface ActionSet {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export function actionSet(include: readonly string[], exclude: readonly string[] = []): ActionSet {
  return { include, exclude };
}

export function grantsAction(set: ActionSet, action: string): boolean {
  return set.include.some((pattern) => matchesPattern(pattern, action)) && !set.exclude.some((pattern) => matchesPattern(pattern, action));
}

/** True if every action of `part` is in `whole`, as far as the patterns tell. */
export function includesSet(whole: ActionSet, part: ActionSet): boolean {
  return (
    part.include.every((pattern) => whole.include.some((wider) => matchesPattern(wider, pattern))) &&
    whole.exclude.every((pattern) => part.exclude.includes(pattern) || !part.include.some((own) => overlaps(own, pattern)))
  );
}

/** True if some action can match both patterns, of which each has at most one `*`, at its end. */
function overlaps(a: string, b: string): boolean {
  const [first, second] = [a.split('*')[0], b.split('*')[0]];
  return first.startsWith(second) || second.startsWith(first);
}
