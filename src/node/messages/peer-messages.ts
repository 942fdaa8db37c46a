// Requests between the nodes of a cluster, and what readers know of the other nodes.
import type { ClusterNode } from '../../api/core/cluster-node.ts';

/** What a node asks another one to do with its copy of a shard. */
export type ShardPeerRequest =
  /** Reply: WriteOutcomes packed by msgpackr. */
  | { readonly kind: 'write'; readonly uuid: string; readonly shard: number; readonly operations: Uint8Array }
  /** Make searchable what was acknowledged before. */
  | { readonly kind: 'refresh'; readonly uuid: string; readonly shard: number }
  /** Reply: position of the log up to which the copy has been committed, as a number of 8 bytes; null if there is no copy. */
  | { readonly kind: 'committed'; readonly uuid: string; readonly shard: number };

export const SHARD_PEER_REQUESTS: readonly string[] = ['write', 'refresh', 'committed'] satisfies ShardPeerRequest['kind'][];

export type PeerRequest =
  | ShardPeerRequest
  /** Use the metadata up to this entry of its log. */
  | { readonly kind: 'metadata'; readonly position: number };

/** Main -> reader. Request: the live nodes of the cluster. */
export interface ClusterMessage {
  readonly type: 'cluster';
  readonly nodes: readonly ClusterNode[];
  /** Until when the copies of this node may be read (src/cluster/read-lease.ts). */
  readonly readableUntil: SharedArrayBuffer;
}
