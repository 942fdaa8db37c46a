// The only node of the cluster: its address, its roles, and whether a node filter matches it.

import type { MutableJsonObject } from '../../common/json-value.ts';
import { matchesPattern } from '../../common/wildcard.ts';
import type { EngineContext } from '../core/context.ts';

/** The roles of this node by the names of the server that the service speaks like. */
export function nodeRoles({ dialect }: EngineContext): string[] {
  return dialect.namesClusterManager
    ? ['cluster_manager', 'data', 'ingest', 'remote_cluster_client']
    : ['data', 'ingest', 'master', 'remote_cluster_client'];
}

/** OpenSearch nodes always have this attribute. */
export function nodeAttributes({ dialect }: EngineContext): Record<string, string> {
  return dialect.namesClusterManager ? { shard_indexing_pressure_enabled: 'true' } : {};
}

/** Every name of a role of this node, for filters. */
const ROLE_NAMES = ['cluster_manager', 'data', 'ingest', 'master', 'remote_cluster_client'];

/** True if a name of the filter (`_all`, `_local`, `_master`, ids, names, addresses, patterns, roles) matches this node, or the filter is empty. */
export function isThisNode(ctx: EngineContext, filter: readonly string[]): boolean {
  if (filter.length === 0) return true;
  const { host } = addressOf(ctx);
  return filter.some((name) => {
    if (['_all', '*', '_local', '_master', '_cluster_manager', '_only_local'].includes(name)) return true;
    const role = /^([a-z_]+):(true|false)$/.exec(name);
    if (role) return ROLE_NAMES.includes(role[1]) === (role[2] === 'true');
    return [ctx.nodeId, ctx.nodeName, host, ctx.publishAddress ?? ''].some((own) => matchesPattern(name, own));
  });
}

/** Host and port of the REST API; `127.0.0.1` without a port in the library. */
export function addressOf(ctx: EngineContext): { host: string; port: number | null } {
  const match = /^(.*):(\d+)$/.exec(ctx.publishAddress ?? '');
  return match ? { host: match[1].replace(/^\[|\]$/g, ''), port: Number(match[2]) } : { host: '127.0.0.1', port: null };
}

export function nodesHead(ctx: EngineContext, filter: readonly string[]): MutableJsonObject {
  const count = isThisNode(ctx, filter) ? 1 : 0;
  return { _nodes: { total: count, successful: count, failed: 0 }, cluster_name: ctx.clusterName };
}
