// Which nodes have copies of each index, as part of the metadata: read by every node, changed by commands. All shards of an index are together, so a
// node has a copy of an index or none of it. Without `copies` in the state every node has a copy of every index.
import type { ClusterState, IndexMeta } from './cluster-state.ts';
import { type CopyRouting, isSameRouting, NOT_ROUTED, type ShardRouting } from './copy-routing.ts';
import { ACKNOWLEDGED, type Acknowledged, type Reducer } from './reducer.ts';

type CopiesState = Pick<ClusterState, 'copies' | 'primaries'>;

/** The copies of an index, and its primary. */
export function routingOf({ copies, primaries }: CopiesState, uuid: string): ShardRouting {
  const own = copies?.[uuid];
  return own === undefined ? NOT_ROUTED : { primary: primaries?.[uuid] ?? null, copies: own };
}

/** The copy that a node has, or is being given; null if it has none, or every node has one. */
export function copyOn({ copies }: CopiesState, uuid: string, node: string): CopyRouting | null {
  return copies?.[uuid]?.find((copy) => copy.node === node) ?? null;
}

/** Whether a node has, or is being given, a copy of an index. */
export function hasCopy(state: CopiesState, uuid: string, node: string): boolean {
  return state.copies === undefined || copyOn(state, uuid, node) !== null;
}

/** Whether the copy of a node contains everything, so that it may be searched. */
export function hasStartedCopy(state: CopiesState, uuid: string, node: string): boolean {
  return state.copies === undefined || copyOn(state, uuid, node)?.isStarted === true;
}

/** Uuids of the indices of which a node has, or is being given, a copy. */
export function indicesOf(state: ClusterState, node: string): Set<string> {
  return new Set(Object.values(state.indices).flatMap(({ uuid }) => (hasCopy(state, uuid, node) ? [uuid] : [])));
}

/** Intended number of replicas of an index. Auto-expanded ones follow the number of nodes. */
export function intendedReplicas({ settings }: Pick<IndexMeta, 'settings'>, nodes: number): number {
  const range = /^(\d+)-(\d+|all)$/.exec(String(settings['index.auto_expand_replicas'] ?? 'false'));
  if (range === null) return Number(settings['index.number_of_replicas'] ?? 1);
  const others = nodes - 1;
  return Math.max(Number(range[1]), range[2] === 'all' ? others : Math.min(Number(range[2]), others));
}

/** A decision about an index. */
export interface CopiesChange {
  readonly uuid: string;
  /** What the decision is based on. */
  readonly before: ShardRouting;
  readonly after: ShardRouting;
}

interface Copies {
  readonly copies: Readonly<Record<string, readonly CopyRouting[]>>;
  readonly primaries: Readonly<Record<string, string>>;
}

/** The entries of indices that exist. */
function known({ indices }: ClusterState, { copies, primaries }: Copies): Copies {
  const uuids = new Set(Object.values(indices).map(({ uuid }) => uuid));
  const only = <T>(record: Readonly<Record<string, T>>) => Object.fromEntries(Object.entries(record).filter(([uuid]) => uuids.has(uuid)));
  return { copies: only(copies), primaries: only(primaries) };
}

function withCopies(state: ClusterState, copies: Copies): ClusterState {
  return { ...state, version: state.version + 1, ...known(state, copies) };
}

/** From now on, copies are where they are allocated. The nodes that have one of each index keep them until the allocator removes what is too much. */
export const useAllocation: Reducer<{ readonly nodes: readonly string[] }, Acknowledged> = (state, { nodes }) => {
  if (state.copies !== undefined) return { state, response: ACKNOWLEDGED };
  const id = state.version + 1;
  const everywhere = nodes.map((node): CopyRouting => ({ node, id, isStarted: true, leftMs: null, replaces: null }));
  const copies = Object.fromEntries(Object.values(state.indices).map(({ uuid }) => [uuid, everywhere]));
  return { state: withCopies(state, { copies, primaries: state.primaries ?? {} }), response: ACKNOWLEDGED };
};

/** Uses decisions, except for indices that have changed since: those are to be decided again. */
export const allocateCopies: Reducer<{ readonly changes: readonly CopiesChange[] }, { readonly changed: number }> = (
  state,
  { changes },
) => {
  if (state.copies === undefined) return { state, response: { changed: 0 } };
  const copies = { ...state.copies };
  const primaries = { ...state.primaries };
  const id = state.version + 1;
  const uuids = new Set(Object.values(state.indices).map(({ uuid }) => uuid));
  let changed = 0;
  for (const { uuid, before, after } of changes) {
    if (!uuids.has(uuid) || !isSameRouting(routingOf(state, uuid), before)) continue;
    copies[uuid] = after.copies.map((copy) => (copy.id === 0 ? { ...copy, id } : copy));
    if (after.primary === null) delete primaries[uuid];
    else primaries[uuid] = after.primary;
    changed++;
  }
  return { state: changed === 0 ? state : withCopies(state, { copies, primaries }), response: { changed } };
};

/** The copy of a node is filled. @param id  of the copy, since the node may have lost it and been given another one in the meantime */
export const startCopy: Reducer<{ readonly uuid: string; readonly node: string; readonly id: number }, Acknowledged> = (
  state,
  { uuid, node, id },
) => {
  const copy = copyOn(state, uuid, node);
  if (copy === null || copy.id !== id || copy.isStarted) return { state, response: ACKNOWLEDGED };
  const started = state.copies?.[uuid].map((each) => (each === copy ? { ...each, isStarted: true } : each)) ?? [];
  const copies = { ...state.copies, [uuid]: started };
  return { state: { ...state, version: state.version + 1, copies }, response: ACKNOWLEDGED };
};
