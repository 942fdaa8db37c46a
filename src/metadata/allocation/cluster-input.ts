// What the allocator reads of the metadata, and its decision as changes of it.
import type { ClusterState } from '../cluster-state.ts';
import { type CopiesChange, intendedReplicas, routingOf } from '../copies.ts';
import { allocate } from './allocate.ts';
import type { AllocationIndex, AllocationNode } from './routing.ts';

export interface AllocationMoment {
  readonly nowMs: number;
  /** The live nodes. */
  readonly nodes: readonly AllocationNode[];
  /** Bytes of a copy, by uuid of the index. */
  readonly bytes: ReadonlyMap<string, number>;
  /** Every node is to have a copy of every index. */
  readonly isEverywhere: boolean;
}

/** Cluster settings, flat: transient ones over persistent ones. */
export function clusterSettings({ settings: { transient, persistent } }: Pick<ClusterState, 'settings'>): Record<string, unknown> {
  return { ...persistent, ...transient };
}

/** The indices as the allocator sees them: each is one unit. */
export function allocationIndices(state: ClusterState, { nodes, bytes, isEverywhere }: AllocationMoment): AllocationIndex[] {
  return Object.values(state.indices).map((meta) => ({
    uuid: meta.uuid,
    name: meta.name,
    replicas: isEverywhere ? nodes.length - 1 : intendedReplicas(meta, nodes.length),
    creationDateMs: meta.creationDateMs,
    settings: meta.settings,
    weight: Number(meta.settings['index.number_of_shards'] ?? 1),
    shards: [{ routing: routingOf(state, meta.uuid), bytes: bytes.get(meta.uuid) ?? 0 }],
  }));
}

/** @returns the changes, and when to decide again although nothing else has changed; null: not at all */
export function decideCopies(
  state: ClusterState,
  moment: AllocationMoment,
): { readonly changes: readonly CopiesChange[]; readonly againMs: number | null } {
  const indices = allocationIndices(state, moment);
  const { changes, againMs } = allocate({ nowMs: moment.nowMs, nodes: moment.nodes, indices, settings: clusterSettings(state) });
  return { changes: changes.map(({ uuid, routing }) => ({ uuid, before: routingOf(state, uuid), after: routing })), againMs };
}
