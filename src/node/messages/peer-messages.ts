// Requests between the nodes of a cluster, and what readers know of the other nodes.
import type { ClusterNode } from '../../api/core/cluster-node.ts';

/** What a node asks another one to do with its copy of a shard. */
export type PeerRequest =
  /** Reply: WriteOutcomes packed by msgpackr. */
  | { readonly kind: 'write'; readonly uuid: string; readonly shard: number; readonly operations: Uint8Array }
  /** Make searchable what was acknowledged before. */
  | { readonly kind: 'refresh'; readonly uuid: string; readonly shard: number }
  /** Reply: position of the log up to which the copy has been committed, as a number of 8 bytes; null if there is no copy. */
  | { readonly kind: 'committed'; readonly uuid: string; readonly shard: number };

export const PEER_REQUESTS: readonly PeerRequest['kind'][] = ['write', 'refresh', 'committed'];

/** Main -> reader. Request: the live nodes of the cluster, and whether this one is in touch with them. */
export interface ClusterMessage {
  readonly type: 'cluster';
  readonly nodes: readonly ClusterNode[];
  /** False if this node has not reached the cluster for so long that its copies must not be read. */
  readonly isReadable: boolean;
}
