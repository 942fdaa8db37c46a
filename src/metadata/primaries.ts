// Which node has the primary copies of each index: the choice as a pure function of the metadata and the live nodes, and the command that sets it.
import type { ClusterState } from './cluster-state.ts';
import { ACKNOWLEDGED, type Reducer } from './reducer.ts';

/** Node ids by uuid of the index. */
export type Primaries = Readonly<Record<string, string>>;

/**
 * A live node for each index: the present one if it lives, else the one with the fewest indices.
 * @param nodes  ids of the live nodes; not empty
 * @returns the assignments that change; null if none do
 */
export function choosePrimaries(state: ClusterState, nodes: readonly string[]): Primaries | null {
  const counts = new Map(nodes.map((id) => [id, 0]));
  const unassigned: string[] = [];
  const uuids = Object.values(state.indices).map(({ uuid }) => uuid);
  for (const uuid of uuids.sort()) {
    const node = state.primaries?.[uuid];
    const count = node === undefined ? undefined : counts.get(node);
    if (node === undefined || count === undefined) unassigned.push(uuid);
    else counts.set(node, count + 1);
  }
  if (unassigned.length === 0) return null;
  const chosen: Record<string, string> = {};
  for (const uuid of unassigned) {
    const [node, count] = [...counts].reduce((best, entry) => (entry[1] < best[1] ? entry : best));
    chosen[uuid] = node;
    counts.set(node, count + 1);
  }
  return chosen;
}

/** Sets the nodes of the given indices, and forgets those of indices that no longer exist. */
export const assignPrimaries: Reducer<{ readonly primaries: Primaries }> = (state, { primaries }) => {
  const known = Object.values(state.indices).map(({ uuid }) => uuid);
  const next: Record<string, string> = {};
  for (const uuid of known) {
    const node = primaries[uuid] ?? state.primaries?.[uuid];
    if (node !== undefined) next[uuid] = node;
  }
  return { state: { ...state, version: state.version + 1, primaries: next }, response: ACKNOWLEDGED };
};
