// Nodes that are excluded from the voting configuration. A single node never leaves it, so exclusions are stored and shown, and nothing else.
import type { VotingExclusion } from './cluster-state.ts';
import type { Reducer } from './reducer.ts';

/** Adds exclusions; those that exist already stay as they are. */
export const addVotingExclusions: Reducer<{ readonly exclusions: readonly VotingExclusion[] }, null> = (state, { exclusions }) => {
  const existing = state.votingExclusions ?? [];
  const added = exclusions.filter(
    (one) => !existing.some(({ node_id, node_name }) => node_id === one.node_id && node_name === one.node_name),
  );
  return { state: { ...state, version: state.version + 1, votingExclusions: [...existing, ...added] }, response: null };
};

export const clearVotingExclusions: Reducer<Record<string, never>, null> = (state) => ({
  state: { ...state, version: state.version + 1, votingExclusions: [] },
  response: null,
});
