// What decides where a reader finds copies.
import type { ClusterState } from '../../metadata/cluster-state.ts';

/** What a reader knows of its cluster. */
export interface CopyView {
  readonly nodeId: string;
  readonly cluster: () => ClusterState;
  /** The live nodes. */
  readonly nodes: () => readonly { readonly id: string }[];
  /** Applies every change of metadata that was acknowledged before the call. */
  catchUp(): Promise<void>;
}
