// What the commands of `_cluster/reroute` do with allocated copies. All shards of an index are on the same nodes, so a command that names one moves all.
import type { IndexMeta } from '../../metadata/cluster-state.ts';
import type { CopyRouting } from '../../metadata/copy-routing.ts';
import type { ClusterNode } from '../core/cluster-node.ts';
import type { AllocatedCopies } from './allocated-copies.ts';

/** Whether a command is carried out. */
export interface RerouteDecision {
  readonly decider: string;
  readonly decision: 'YES' | 'NO' | 'THROTTLE';
  readonly explanation: string;
}

export interface RerouteCommand {
  readonly name: string;
  readonly index: string;
  readonly shard: number;
  readonly flag: boolean;
}

const NEW_COPY = { id: 0, isStarted: false, leftMs: null };

/** Decides a command and, unless the decision is NO, changes `copies`. @param nodes  those that it names */
export function rerouteCopies(
  copies: AllocatedCopies,
  command: RerouteCommand,
  nodes: readonly ClusterNode[],
  meta: IndexMeta,
): RerouteDecision {
  switch (command.name) {
    case 'move':
      return move(copies, command, nodes[0], nodes[1], meta);
    case 'cancel':
      return cancel(copies, command, nodes[0], meta);
    case 'allocate_replica':
      return allocateReplica(copies, command, nodes[0], meta);
    default:
      return no(
        `${command.name} (allocation command)`,
        `the primary of [${command.index}][${command.shard}] is filled from its log as soon as a node may have it`,
      );
  }
}

function no(decider: string, explanation: string): RerouteDecision {
  return { decider, decision: 'NO', explanation };
}

function move(
  copies: AllocatedCopies,
  { index, shard }: RerouteCommand,
  from: ClusterNode,
  to: ClusterNode,
  meta: IndexMeta,
): RerouteDecision {
  const copy = copies.copyOn(meta, from.id);
  const routing = copies.routingOf(meta);
  const command = 'move_allocation_command';
  if (copy === null) return no(command, `shard [${index}][${shard}] has not been found on node [${from.name}]`);
  if (!copy.isStarted) return no(command, `shard [${index}][${shard}] on node [${from.name}] has not been started`);
  if (routing.copies.some(({ replaces }) => replaces === from.id))
    return no(command, `shard [${index}][${shard}] on node [${from.name}] is already relocating`);
  return place(copies, meta, to, copy);
}

function allocateReplica(copies: AllocatedCopies, { index, shard }: RerouteCommand, node: ClusterNode, meta: IndexMeta): RerouteDecision {
  const command = 'allocate_replica_allocation_command';
  if (copies.routingOf(meta).primary === null)
    return no(command, `trying to allocate a replica shard [${index}][${shard}], while corresponding primary shard is still unassigned`);
  if (copies.missing(meta) <= 0)
    return no(command, `all copies of [${index}][${shard}] are already assigned. Use the move allocation command instead`);
  return place(copies, meta, node, null);
}

/** Gives a node a copy. @param moved  the copy that it replaces */
function place(copies: AllocatedCopies, meta: IndexMeta, to: ClusterNode, moved: CopyRouting | null): RerouteDecision {
  const refusal = copies.refusal(meta, to.id, moved);
  if (refusal !== null && !refusal.isThrottled) return no(refusal.decider, refusal.explanation);
  const routing = copies.routingOf(meta);
  copies.change(meta, { ...routing, copies: [...routing.copies, { node: to.id, ...NEW_COPY, replaces: moved?.node ?? null }] });
  if (refusal !== null) return { decider: refusal.decider, decision: 'THROTTLE', explanation: refusal.explanation };
  return { decider: 'same_shard', decision: 'YES', explanation: 'none of the rules of allocation refuses the copy on this node' };
}

function cancel(copies: AllocatedCopies, { index, shard, flag }: RerouteCommand, node: ClusterNode, meta: IndexMeta): RerouteDecision {
  const command = 'cancel_allocation_command';
  const copy = copies.copyOn(meta, node.id);
  const { primary, copies: all } = copies.routingOf(meta);
  if (copy === null) return no(command, `can't cancel ${shard}, failed to find it on node [${node.name}]`);
  const others = all.filter((each) => each.node !== node.id && each.replaces !== node.id);
  if (copy.node === primary) {
    if (!flag)
      return no(
        command,
        `can't cancel ${shard} on node [${node.name}], shard is primary and ${copy.isStarted ? 'started' : 'initializing'}`,
      );
    if (!others.some(({ isStarted }) => isStarted))
      return no(command, `can't cancel ${shard} on node [${node.name}], no other copy of [${index}] can become the primary`);
  }
  const next = copy.node === primary ? (others.find(({ isStarted }) => isStarted)?.node ?? null) : primary;
  copies.change(meta, { primary: next, copies: others });
  return { decider: command, decision: 'YES', explanation: `shard ${shard} on node [${node.name}] can be cancelled` };
}
