// The only node of the cluster: its address, its roles, and whether a node filter matches it.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import type { ClusterNode } from '../core/cluster-node.ts';
import type { EngineContext } from '../core/context.ts';
import { managerOf } from '../core/copies.ts';

/** The roles of this node, named as by the emulated server. */
export function nodeRoles({ dialect }: EngineContext): string[] {
  return dialect.namesClusterManager
    ? ['cluster_manager', 'data', 'ingest', 'remote_cluster_client']
    : ['data', 'ingest', 'master', 'remote_cluster_client'];
}

/** Attributes of a node, by default of this one: those of its settings, and one that OpenSearch nodes always have. */
export function nodeAttributes(ctx: EngineContext, node: ClusterNode = thisNode(ctx)): Record<string, string> {
  return { ...(ctx.dialect.namesClusterManager ? { shard_indexing_pressure_enabled: 'true' } : {}), ...node.attributes };
}

function thisNode(ctx: EngineContext): ClusterNode {
  const { nodeId: id, nodeName: name, publishAddress } = ctx;
  return ctx.nodes.find((node) => node.id === id) ?? { id, name, publishAddress, transportAddress: null, isManager: false, load: null };
}

/** Every name of a role of this node, for filters. */
const ROLE_NAMES = ['cluster_manager', 'data', 'ingest', 'master', 'remote_cluster_client'];

/** True if a name of the filter (`_all`, `_local`, `_master`, ids, names, addresses, patterns, roles) matches this node, or the filter is empty. */
export function isThisNode(ctx: EngineContext, filter: readonly string[]): boolean {
  if (filter.length === 0) return true;
  const { host } = addressOf(ctx);
  return filter.some((name) => {
    if (['_all', '*', '_local', '_only_local'].includes(name)) return true;
    if (name === '_master' || name === '_cluster_manager') return managerOf(ctx)?.id === ctx.nodeId;
    const role = /^([a-z_]+):(true|false)$/.exec(name);
    if (role) return ROLE_NAMES.includes(role[1]) === (role[2] === 'true');
    return [ctx.nodeId, ctx.nodeName, host, ctx.publishAddress ?? ''].some((own) => matchesPattern(name, own));
  });
}

/** The live node that a name, id, address or pattern names, this one before others; null if there is none. */
export function nodeNamed(ctx: EngineContext, name: string): ClusterNode | null {
  if (isThisNode(ctx, [name])) return thisNode(ctx);
  const isMeant = (node: ClusterNode) =>
    [node.id, node.name, addressOf(node).host, node.publishAddress ?? ''].some((known) => matchesPattern(name, known)) ||
    (node.isManager && (name === '_master' || name === '_cluster_manager'));
  return ctx.nodes.find(isMeant) ?? null;
}

/** Host and port of the REST API of a node; `127.0.0.1` without a port in the library. */
export function addressOf({ publishAddress }: Pick<ClusterNode, 'publishAddress'>): { host: string; port: number | null } {
  const match = /^(.*):(\d+)$/.exec(publishAddress ?? '');
  return match ? { host: match[1].replace(/^\[|\]$/g, ''), port: Number(match[2]) } : { host: '127.0.0.1', port: null };
}

/** The number by which the servers store a version: 8015000 for 8.15.0. */
function versionNumber(version: string): number {
  const [major, minor, patch] = version.split('.').map(Number);
  return major * 1_000_000 + minor * 1000 + patch;
}

/** Component versions that Elasticsearch 8 reports in `_nodes`. */
export function componentVersions({ dialect }: EngineContext): MutableJsonObject {
  if (!dialect.showsNodeVersions) return {};
  const number = versionNumber(dialect.version);
  return { transport_version: number, index_version: number, component_versions: {} };
}

/** A node, by default this one, in the form of cluster states and lists of shards. */
export function nodeIdentity(ctx: EngineContext, node: ClusterNode = thisNode(ctx)): MutableJsonObject {
  const { dialect } = ctx;
  const number = versionNumber(dialect.version);
  return {
    name: node.name,
    ephemeral_id: node.id,
    transport_address: node.transportAddress ?? node.publishAddress ?? '',
    ...(dialect.showsNodeVersions ? { external_id: node.name } : {}),
    attributes: nodeAttributes(ctx, node),
    ...(dialect.showsNodeVersions
      ? { roles: nodeRoles(ctx), version: dialect.version, min_index_version: 7_000_099, max_index_version: number }
      : {}),
  };
}

export function nodesHead(ctx: EngineContext, filter: readonly string[]): MutableJsonObject {
  const count = isThisNode(ctx, filter) ? 1 : 0;
  return { _nodes: { total: count, successful: count, failed: 0 }, cluster_name: ctx.clusterName };
}
