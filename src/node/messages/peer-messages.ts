// Requests between the nodes of a cluster, and what readers know of the other nodes.
import type { ClusterNode } from '../../api/core/cluster-node.ts';
import type { LaneRequest } from '../../rest/core/lane.ts';
import type { ContextRequest } from './context-messages.ts';
import type { ShardRequest } from './shard-messages.ts';

/** What a node asks another one to do with its copy of a shard. */
export type ShardPeerRequest =
  /** Reply: WriteOutcomes packed by msgpackr. */
  | { readonly kind: 'write'; readonly uuid: string; readonly shard: number; readonly operations: Uint8Array }
  /** Make searchable what was acknowledged before. */
  | { readonly kind: 'refresh'; readonly uuid: string; readonly shard: number }
  /** Reply: position of the log up to which the copy has been committed, as a number of 8 bytes; null if there is no copy. */
  | { readonly kind: 'committed'; readonly uuid: string; readonly shard: number }
  /** What a reader of a node without a copy asks. Reply: as that of the request. */
  | { readonly kind: 'request'; readonly uuid: string; readonly shard: number; readonly request: ShardRequest };

/** Requests that concern the contexts of all nodes. */
export type SpreadContextRequest = Extract<ContextRequest, { action: 'close' | 'list' }>;

const SHARD_PEER_REQUESTS: readonly string[] = ['write', 'refresh', 'committed', 'request'] satisfies ShardPeerRequest['kind'][];

const PASSED_ON: readonly string[] = ['write', 'document', 'refresh', 'flush', 'forceMerge', 'stats'] satisfies ShardRequest['type'][];

export type PeerRequest =
  | ShardPeerRequest
  /** A request to the REST API whose answer this node has. Reply: LaneResponse. */
  | { readonly kind: 'rest'; readonly request: LaneRequest }
  /** Close or list scrolls or points in time. Reply: as SearchContexts. */
  | { readonly kind: 'contexts'; readonly request: SpreadContextRequest }
  /** Bytes of the copies of the node, by uuid of the index. */
  | { readonly kind: 'sizes' }
  /** Use the metadata up to this entry of its log. */
  | { readonly kind: 'metadata'; readonly position: number };

export function isShardRequest(request: PeerRequest): request is ShardPeerRequest {
  const { kind, uuid, shard } = request as ShardPeerRequest;
  const isKnown = SHARD_PEER_REQUESTS.includes(kind) && typeof uuid === 'string' && Number.isInteger(shard);
  return isKnown && (kind !== 'request' || isPassedOn(request as Extract<ShardPeerRequest, { kind: 'request' }>));
}

/** Whether the request within is for the shard that is named outside. */
function isPassedOn({ uuid, shard, request }: Extract<ShardPeerRequest, { kind: 'request' }>): boolean {
  return PASSED_ON.includes(request?.type) && request.uuid === uuid && request.shard === shard;
}

/** Main -> reader. Request: the live nodes of the cluster. */
export interface ClusterMessage {
  readonly type: 'cluster';
  readonly nodes: readonly ClusterNode[];
  /** Until when the copies of this node may be read (src/cluster/read-lease.ts). */
  readonly readableUntil: SharedArrayBuffer;
}
