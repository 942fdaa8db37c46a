// What allocation reads and decides: plain data, so that the choice is a pure function of it. What is called a shard here is what is allocated as one:
// a cluster keeps all shards of an index together, so there it is the index (cluster-input.ts).
import type { ShardRouting } from '../copy-routing.ts';
import type { FlatSettings } from '../settings/index-settings.ts';

export interface AllocationNode {
  readonly id: string;
  readonly name: string;
  /** Address without port. */
  readonly host: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** null if it is not known. */
  readonly disk: { readonly totalBytes: number; readonly freeBytes: number } | null;
}

export interface AllocationIndex {
  readonly uuid: string;
  readonly name: string;
  readonly replicas: number;
  readonly creationDateMs: number;
  readonly settings: FlatSettings;
  /** What one copy counts in limits and balance. */
  readonly weight: number;
  /** By number. */
  readonly shards: ReadonlyArray<{ readonly routing: ShardRouting; readonly bytes: number }>;
}

export interface AllocationInput {
  readonly nowMs: number;
  /** The live nodes. */
  readonly nodes: readonly AllocationNode[];
  readonly indices: readonly AllocationIndex[];
  /** Cluster settings, flat: transient ones over persistent ones. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface AllocationDecision {
  /** The shards whose routing changes. */
  readonly changes: ReadonlyArray<{ readonly uuid: string; readonly shard: number; readonly routing: ShardRouting }>;
  /** Copies that have no node. */
  readonly unassigned: number;
  /** When to decide again although nothing else has changed, because a delay ends; null: not at all. */
  readonly againMs: number | null;
}
