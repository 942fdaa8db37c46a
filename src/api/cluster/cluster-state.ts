// `_cluster/state`.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { AliasMeta, IndexMeta } from '../../metadata/cluster-state.ts';
import { DISK_IS_FULL } from '../../metadata/indices/metadata-blocks.ts';
import { ShardRouting } from '../../metadata/indices/shard-routing.ts';
import type { EngineContext } from '../core/context.ts';
import { managerOf } from '../core/copies.ts';
import { ownNames } from '../core/index-names.ts';
import type { StateMetric } from '../core/metric-names.ts';
import { shardCopies, shardCounts } from './shard-counts.ts';
import { nodeIdentity } from './this-node.ts';

export interface StateRequest {
  readonly metrics: ReadonlySet<StateMetric>;
  readonly indices: readonly string[];
  /** false if the request names indices: of the metadata, only theirs is shown then. */
  readonly isWhole: boolean;
  /** Renders the settings of an index, nested or flat. */
  readonly showSettings: (meta: IndexMeta) => unknown;
}

/** `GET _cluster/state`. */
export function clusterState(ctx: EngineContext, request: StateRequest): MutableJsonObject {
  const { metrics } = request;
  const state = ctx.cluster;
  const body: MutableJsonObject = { cluster_name: ctx.clusterName, cluster_uuid: state.clusterUuid };
  if (metrics.has('version')) Object.assign(body, { version: state.version, state_uuid: `${state.clusterUuid}-${state.version}` });
  const manager = managerOf(ctx)?.id ?? null;
  if (metrics.has('master_node')) body.master_node = manager;
  if (ctx.dialect.namesClusterManager && metrics.has('cluster_manager_node')) body.cluster_manager_node = manager;
  const metas = request.indices.map((name) => state.indices[name]).filter((meta) => meta !== undefined);
  if (metrics.has('blocks')) body.blocks = blocksOf(ownNames(ctx).map((name) => state.indices[name]));
  if (metrics.has('nodes')) {
    body.nodes = Object.fromEntries(ctx.nodes.map((node) => [node.id, nodeIdentity(ctx, node)]));
  }
  if (metrics.has('metadata')) {
    body.metadata = {
      cluster_uuid: state.clusterUuid,
      cluster_uuid_committed: true,
      cluster_coordination: {
        term: 1,
        last_committed_config: ctx.nodes.map(({ id }) => id),
        last_accepted_config: ctx.nodes.map(({ id }) => id),
        voting_config_exclusions: state.votingExclusions ?? [],
      },
      templates: request.isWhole ? state.templates : {},
      indices: Object.fromEntries(metas.map((meta) => [meta.name, indexMetadata(ctx, meta, request.showSettings)])),
      'index-graveyard': { tombstones: [] },
      ...(request.isWhole && Object.keys(state.indexTemplates).length > 0
        ? { index_template: { index_template: state.indexTemplates } }
        : {}),
      ...(request.isWhole && Object.keys(state.componentTemplates).length > 0
        ? { component_template: { component_template: state.componentTemplates } }
        : {}),
    };
  }
  if (metrics.has('routing_table')) {
    body.routing_table = {
      indices: Object.fromEntries(
        metas.map((meta) => [
          meta.name,
          {
            shards: Object.fromEntries(
              Array.from({ length: shardCounts(ctx, meta).primaries }, (_, shard) => [String(shard), shardCopies(ctx, meta, shard)]),
            ),
          },
        ]),
      ),
    };
  }
  if (metrics.has('routing_nodes')) {
    const copies = metas.flatMap((meta) =>
      Array.from({ length: shardCounts(ctx, meta).primaries }, (_, shard) => shardCopies(ctx, meta, shard)).flat(),
    );
    body.routing_nodes = {
      unassigned: copies.filter((copy) => copy.state === 'UNASSIGNED'),
      nodes: Object.fromEntries(ctx.nodes.map(({ id }) => [id, copies.filter((copy) => copy['node'] === id)])),
    };
  }
  return body;
}

const BLOCKS: Readonly<Record<string, { id: string; description: string; levels: string[] }>> = {
  'index.blocks.read_only': { id: '5', description: 'index read-only (api)', levels: ['write', 'metadata_write'] },
  'index.blocks.read': { id: '7', description: 'index read (api)', levels: ['read'] },
  'index.blocks.write': { id: '8', description: 'index write (api)', levels: ['write'] },
  'index.blocks.metadata': { id: '9', description: 'index metadata (api)', levels: ['metadata_write', 'metadata_read'] },
  'index.blocks.read_only_allow_delete': {
    id: '12',
    description: DISK_IS_FULL,
    levels: ['write'],
  },
};

function blocksOf(metas: readonly IndexMeta[]): MutableJsonObject {
  const indices: MutableJsonObject = {};
  for (const meta of metas) {
    const blocks: MutableJsonObject = {};
    if (meta.state === 'close') blocks['4'] = { description: 'index closed', retryable: false, levels: ['read', 'write'] };
    for (const [setting, { id, description, levels }] of Object.entries(BLOCKS)) {
      if (meta.settings[setting] === 'true') blocks[id] = { description, retryable: false, levels };
    }
    if (Object.keys(blocks).length > 0) indices[meta.name] = blocks;
  }
  return Object.keys(indices).length > 0 ? { indices } : {};
}

function indexMetadata(ctx: EngineContext, meta: IndexMeta, showSettings: (meta: IndexMeta) => unknown): MutableJsonObject {
  const { primaries } = shardCounts(ctx, meta);
  const isOpenSearch = ctx.dialect.namesClusterManager;
  const terms = Object.fromEntries(Array.from({ length: primaries }, (_, shard) => [String(shard), 1]));
  return {
    version: meta.mappingVersion + meta.settingsVersion + meta.aliasesVersion,
    mapping_version: meta.mappingVersion,
    settings_version: meta.settingsVersion,
    aliases_version: meta.aliasesVersion,
    routing_num_shards: new ShardRouting(meta.settings).routingShards,
    state: meta.state,
    settings: showSettings(meta),
    mappings: Object.keys(meta.mappings).length === 0 ? {} : { _doc: meta.mappings },
    aliases: Object.keys(meta.aliases as Readonly<Record<string, AliasMeta>>),
    primary_terms: terms,
    ...(isOpenSearch ? { primary_terms_map: terms } : {}),
    in_sync_allocations: Object.fromEntries(Array.from({ length: primaries }, (_, shard) => [String(shard), [`${meta.uuid}-${shard}`]])),
    rollover_info: {},
    system: false,
    ...(isOpenSearch ? { ingestion_status: { is_paused: false }, split_shards_metadata: neverSplit(primaries) } : {}),
  };
}

/** What OpenSearch says of an index whose shards were never split in place. */
function neverSplit(primaries: number): MutableJsonObject {
  return {
    num_of_root_shards: primaries,
    max_shard_id: primaries - 1,
    active_shard_ids: Array.from({ length: primaries }, (_, shard) => shard),
    root_shards_to_all_children: {},
    parent_to_child_shards: {},
  };
}
