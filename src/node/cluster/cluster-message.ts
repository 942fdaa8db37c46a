// What readers know of the nodes of the cluster.
import type { ClusterNode } from '../../api/core/cluster-node.ts';
import type { Membership, NodeInfo } from '../../cluster/membership.ts';
import type { ClusterMessage } from '../messages/peer-messages.ts';
import { OUT_OF_TOUCH_MS } from './other-nodes.ts';

/** @param own  id of this node, which knows of no others when it is out of touch */
export function clusterMessage(membership: Membership, own: string, readableUntil: SharedArrayBuffer): ClusterMessage {
  const isInTouch = membership.silentMs < OUT_OF_TOUCH_MS;
  const { manager } = membership;
  const nodes = membership.nodes.filter(({ id }) => isInTouch || id === own);
  return {
    type: 'cluster',
    nodes: nodes.map((info) => clusterNode(info, isInTouch && info.id === manager, info.id === own)),
    readableUntil,
  };
}

function clusterNode(info: NodeInfo, isManager: boolean, isOwn: boolean): ClusterNode {
  const { id, name, publishAddress, transportAddress, pid, startedMs, heapPercent, ramPercent, cpuPercent, load: averages } = info;
  return {
    id,
    name,
    publishAddress,
    transportAddress,
    isManager,
    attributes: info.attributes ?? {},
    disk: info.disk ?? null,
    load: isOwn ? null : { pid, startedMs, heapPercent, ramPercent, cpuPercent, averages },
  };
}
