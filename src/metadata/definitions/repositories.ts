// Commands on snapshot repositories: register and remove. Whether a repository can be used is checked before, by the operation that sends the command.
import type { ClusterState, RepositoryMeta } from '../cluster-state.ts';
import { ACKNOWLEDGED, type Reducer } from '../reducer.ts';

export function repositoriesOf(state: ClusterState): Readonly<Record<string, RepositoryMeta>> {
  return state.repositories ?? {};
}

export const putRepository: Reducer<{ readonly name: string; readonly repository: RepositoryMeta }> = (state, { name, repository }) => ({
  state: { ...state, version: state.version + 1, repositories: { ...repositoriesOf(state), [name]: repository } },
  response: ACKNOWLEDGED,
});

/** Names that are not registered are ignored. */
export const deleteRepositories: Reducer<{ readonly names: readonly string[] }> = (state, { names }) => {
  const kept = Object.fromEntries(Object.entries(repositoriesOf(state)).filter(([name]) => !names.includes(name)));
  return { state: { ...state, version: state.version + 1, repositories: kept }, response: ACKNOWLEDGED };
};
