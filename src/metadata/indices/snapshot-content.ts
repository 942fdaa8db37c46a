// What a snapshot contains besides indices: data streams, and the states of features.
import { matchesPattern } from '../../common/text/wildcard.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ClusterState } from '../cluster-state.ts';

/** Features whose state is no index here: users, roles and API keys. Index by which Elasticsearch lists each. */
export const FEATURES: Readonly<Record<string, { readonly index: string; readonly description: string }>> = {
  security: { index: '.security-7', description: 'Manages configuration for Security features, such as users and roles' },
};

const NO_FEATURES = 'none';

/** The data streams that an expression of a snapshot means, all of whose indices are in it. */
export function streamsIn({ dataStreams = {} }: ClusterState, expression: readonly string[], indices: readonly string[]): string[] {
  const taken = new Set(indices);
  return namedBy(expression, Object.keys(dataStreams)).filter((name) => dataStreams[name].indices.every((index) => taken.has(index)));
}

/** Names that an expression of a snapshot means; without one all of them. */
function namedBy(expression: readonly string[], available: readonly string[]): string[] {
  if (expression.length === 0) return [...available];
  const named = new Set<string>();
  for (const [at, part] of expression.entries()) {
    const isExclusion = part.startsWith('-');
    if (isExclusion && at === 0) for (const name of available) named.add(name);
    const pattern = isExclusion ? part.slice(1) : part === '_all' ? '*' : part;
    for (const name of available) {
      if (!matchesPattern(pattern, name)) continue;
      if (isExclusion) named.delete(name);
      else named.add(name);
    }
  }
  return available.filter((name) => named.has(name));
}

/**
 * The features that a request names in `feature_states`: all with the global state by default, none without it.
 * @param available  those that exist, or that the snapshot contains
 * @throws ApiError illegal_argument_exception: `none` next to others, or an unknown name
 */
export function chosenFeatures(requested: readonly string[], withGlobalState: boolean, available: readonly string[]): string[] {
  if (requested.length === 0) return withGlobalState ? [...available] : [];
  const names = requested.filter((name) => name !== NO_FEATURES);
  if (names.length === 0) return [];
  if (names.length < requested.length)
    throw illegalArgumentError(
      `the feature_states value [${NO_FEATURES}] indicates that no feature states should be used, but other feature states were requested: [${names.join(', ')}]`,
    );
  const unknown = names.filter((name) => !Object.hasOwn(FEATURES, name));
  if (unknown.length > 0)
    throw illegalArgumentError(`unknown feature states [${unknown.join(', ')}]: there are [${Object.keys(FEATURES).join(', ')}]`);
  return names.filter((name) => available.includes(name));
}
