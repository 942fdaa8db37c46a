// `_health_report`: problems of the service by indicator, with their impact and possible remedies.
import type { JsonObject, MutableJsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { openShards } from '../../metadata/indices/index-tables.ts';
import { shardLimit } from '../../metadata/indices/shard-limit.ts';
import { indexLifecyclesOf } from '../../metadata/policies/index-lifecycles.ts';
import type { EngineContext } from '../core/context.ts';
import { damagedShards, type Health, shardCounts } from './shard-counts.ts';

export interface HealthReportRequest {
  /** null for all indicators. */
  readonly indicator: string | null;
  /** Whether details, impacts and diagnoses are shown. */
  readonly isVerbose: boolean;
  /** Names of affected resources that a diagnosis lists. */
  readonly size: number;
}

interface Impact {
  readonly id: string;
  /** 1 is the worst. */
  readonly severity: number;
  readonly description: string;
  readonly areas: readonly string[];
}

interface Diagnosis {
  readonly id: string;
  readonly cause: string;
  readonly action: string;
  readonly indices: readonly string[];
}

interface Indicator {
  readonly status: Health;
  readonly symptom: string;
  readonly details?: JsonObject;
  readonly impacts?: readonly Impact[];
  readonly diagnoses?: readonly Diagnosis[];
}

const INDICATORS: Readonly<Record<string, (ctx: EngineContext) => Indicator>> = {
  master_is_stable: masterIndicator,
  repository_integrity: repositoryIndicator,
  disk: diskIndicator,
  shards_capacity: capacityIndicator,
  shards_availability: shardsIndicator,
  ilm: indexLifecycleIndicator,
  slm: snapshotLifecycleIndicator,
};

const WORST: readonly Health[] = ['green', 'yellow', 'red'];
const HELP = 'docs/operations.md';

/** `{ status?, cluster_name, indicators }`. @throws ApiError resource_not_found_exception, action_request_validation_exception */
export function healthReport(ctx: EngineContext, { indicator, isVerbose, size }: HealthReportRequest): JsonObject {
  if (size < 0)
    throw new ApiError('action_request_validation_exception', 400, 'Validation Failed: 1: The size parameter must be a positive integer;');
  if (indicator !== null && !Object.hasOwn(INDICATORS, indicator))
    throw new ApiError('resource_not_found_exception', 404, `Did not find indicator ${indicator}`);
  const names = indicator === null ? Object.keys(INDICATORS) : [indicator];
  const found = names.map((name) => [name, INDICATORS[name](ctx)] as const);
  const worst = WORST[Math.max(...found.map(([, { status }]) => WORST.indexOf(status)))];
  return {
    ...(indicator === null ? { status: worst } : {}),
    cluster_name: ctx.clusterName,
    indicators: Object.fromEntries(found.map(([name, one]) => [name, shown(name, one, isVerbose, size)])),
  };
}

function shown(
  name: string,
  { status, symptom, details, impacts = [], diagnoses = [] }: Indicator,
  isVerbose: boolean,
  size: number,
): JsonObject {
  const body: MutableJsonObject = { status, symptom };
  if (!isVerbose) return body;
  if (details) body.details = details;
  if (impacts.length > 0)
    body.impacts = impacts.map(({ id, severity, description, areas }) => ({
      id: `elasticsearch:health:${name}:impact:${id}`,
      severity,
      description,
      impact_areas: areas,
    }));
  if (diagnoses.length > 0)
    body.diagnosis = diagnoses.map(({ id, cause, action, indices }) => ({
      id: `elasticsearch:health:${name}:diagnosis:${id}`,
      cause,
      action,
      help_url: HELP,
      affected_resources: { indices: indices.slice(0, size) },
    }));
  return body;
}

function masterIndicator({ nodeId, nodeName }: EngineContext): Indicator {
  const node = { node_id: nodeId, name: nodeName };
  return {
    status: 'green',
    symptom: 'The cluster has a stable master node',
    details: { current_master: node, recent_masters: [node] },
  };
}

function repositoryIndicator({ cluster }: EngineContext): Indicator {
  const count = Object.keys(cluster.repositories ?? {}).length;
  if (count === 0) return { status: 'green', symptom: 'No snapshot repositories configured.' };
  return { status: 'green', symptom: 'All repositories are healthy.', details: { total_repositories: count } };
}

/** Only users block indices, because disks have no watermarks here. */
function diskIndicator({ cluster }: EngineContext): Indicator {
  const blocked = Object.values(cluster.indices).filter((meta) => meta.settings['index.blocks.read_only_allow_delete'] === 'true');
  const names = blocked.map(({ name }) => name).sort();
  const details = {
    indices_with_readonly_block: names.length,
    nodes_with_enough_disk_space: 1,
    nodes_with_unknown_disk_status: 0,
    nodes_over_high_watermark: 0,
    nodes_over_flood_stage_watermark: 0,
  };
  if (names.length === 0) return { status: 'green', symptom: 'The cluster has enough available disk space.', details };
  const some = countOf(names.length, 'index is', 'indices are');
  return {
    status: 'red',
    symptom: `${some} not allowed to be updated.`,
    details,
    impacts: [
      {
        id: 'ingest_capability_unavailable',
        severity: 1,
        description: `Cannot insert or update documents in the affected indices [${names.join(', ')}].`,
        areas: ['ingest'],
      },
    ],
    diagnoses: [
      {
        id: 'add_disk_capacity_data_nodes',
        cause: `${some} blocked by [index.blocks.read_only_allow_delete].`,
        action: 'Free disk space, then remove the block from the indices.',
        indices: names,
      },
    ],
  };
}

const FROZEN_LIMIT = 'cluster.max_shards_per_node.frozen';
/** Room for this many shards with a replica each is reported as too little, or as little. */
const FEW_SHARDS = 5;
const SOME_SHARDS = 10;

function capacityIndicator({ cluster }: EngineContext): Indicator {
  const { persistent, transient } = cluster.settings;
  const limit = shardLimit(cluster);
  const used = openShards(cluster);
  const frozen = Number(transient[FROZEN_LIMIT] ?? persistent[FROZEN_LIMIT] ?? 3000);
  const hasRoomFor = (shards: number): boolean => used + 2 * shards <= limit;
  if (hasRoomFor(SOME_SHARDS)) {
    return {
      status: 'green',
      symptom: 'The cluster has enough room to add new shards.',
      details: { data: { max_shards_in_cluster: limit }, frozen: { max_shards_in_cluster: frozen } },
    };
  }
  const isFull = !hasRoomFor(FEW_SHARDS);
  return {
    status: isFull ? 'red' : 'yellow',
    symptom: 'Cluster is close to reaching the configured maximum number of shards for data nodes.',
    details: { data: { max_shards_in_cluster: limit, current_used_shards: used }, frozen: { max_shards_in_cluster: frozen } },
    impacts: [
      {
        id: isFull ? 'upgrade_blocked' : 'upgrade_at_risk',
        severity: isFull ? 1 : 2,
        description: isFull
          ? 'The cluster has too many used shards to be able to upgrade.'
          : 'The cluster is running low on room to add new shard. Upgrading to a new version is at risk.',
        areas: ['deployment_management'],
      },
      {
        id: isFull ? 'creation_of_new_indices_blocked' : 'creation_of_new_indices_at_risk',
        severity: isFull ? 1 : 2,
        description: `The cluster is running low on room to add new shards. Adding data to new indices ${isFull ? 'is at risk' : 'might soon fail.'}`,
        areas: ['ingest'],
      },
    ],
    diagnoses: [
      {
        id: 'increase_max_shards_per_node',
        cause: 'The cluster is about to reach the maximum number of shards it can host, based on your current settings.',
        action: 'Increase the value of [cluster.max_shards_per_node] cluster setting or remove data indices to clear up resources.',
        indices: [],
      },
    ],
  };
}

function shardsIndicator(ctx: EngineContext): Indicator {
  const metas = Object.values(ctx.cluster.indices).sort((a, b) => (a.name < b.name ? -1 : 1));
  const damaged = metas.filter((meta) => damagedShards(ctx, meta).length > 0);
  const unassigned = metas.filter((meta) => shardCounts(ctx, meta).inactive > 0);
  const primaries = damaged.reduce((sum, meta) => sum + damagedShards(ctx, meta).length, 0);
  const replicas = unassigned.reduce((sum, meta) => sum + shardCounts(ctx, meta).inactive, 0);
  const all = metas.reduce((sum, meta) => sum + shardCounts(ctx, meta).primaries, 0);
  const details = {
    creating_primaries: 0,
    creating_replicas: 0,
    initializing_primaries: 0,
    initializing_replicas: 0,
    restarting_primaries: 0,
    restarting_replicas: 0,
    started_primaries: all - primaries,
    started_replicas: 0,
    unassigned_primaries: primaries,
    unassigned_replicas: replicas,
  };
  if (primaries + replicas === 0) return { status: 'green', symptom: 'This cluster has all shards available.', details };
  const parts = [
    primaries === 0 ? null : countOf(primaries, 'unavailable primary shard', 'unavailable primary shards'),
    replicas === 0 ? null : countOf(replicas, 'unavailable replica shard', 'unavailable replica shards'),
  ].filter((part) => part !== null);
  const impacts: Impact[] = [];
  const diagnoses: Diagnosis[] = [];
  if (primaries > 0) {
    const names = damaged.map(({ name }) => name);
    impacts.push({
      id: 'primary_unassigned',
      severity: 1,
      description: `Cannot add data to ${countOf(names.length, 'index', 'indices')} [${names.join(', ')}]. Searches might return incomplete results.`,
      areas: ['ingest', 'search'],
    });
    diagnoses.push({
      id: 'restore_from_snapshot',
      cause: 'The data of some shards is damaged on disk.',
      action: 'Restore the affected indices from a snapshot.',
      indices: names,
    });
  }
  if (replicas > 0) {
    const names = unassigned.map(({ name }) => name);
    impacts.push({
      id: 'replica_unassigned',
      severity: 2,
      description: `Searches might be slower than usual. Fewer redundant copies of the data exist on ${countOf(names.length, 'index', 'indices')} [${names.join(', ')}].`,
      areas: ['search'],
    });
    diagnoses.push({
      id: 'increase_node_capacity_for_allocations',
      cause: 'The service is a single node, which holds no replicas.',
      action: 'Set [index.number_of_replicas] of the affected indices to 0, or [index.auto_expand_replicas] to [0-1].',
      indices: names,
    });
  }
  return { status: primaries > 0 ? 'red' : 'yellow', symptom: `This cluster has ${parts.join(', ')}.`, details, impacts, diagnoses };
}

function indexLifecycleIndicator({ cluster }: EngineContext): Indicator {
  const { policies, isStopped } = indexLifecyclesOf(cluster);
  const count = Object.keys(policies).length;
  const failed = Object.values(cluster.indices)
    .filter(({ lifecycle }) => lifecycle?.step === 'ERROR')
    .map(({ name }) => name)
    .sort();
  const details = { policies: count, ilm_status: isStopped ? 'STOPPED' : 'RUNNING', stagnating_indices: failed.length };
  if (count === 0) return { status: 'green', symptom: 'No Index Lifecycle Management policies configured', details };
  if (isStopped) return { status: 'yellow', symptom: 'Index Lifecycle Management is not running', details };
  if (failed.length === 0) return { status: 'green', symptom: 'Index Lifecycle Management is running', details };
  return {
    status: 'yellow',
    symptom: `${countOf(failed.length, 'index has', 'indices have')} been stagnating: a step of their lifecycle failed.`,
    details,
    diagnoses: [
      {
        id: 'stagnating_action',
        cause: 'A step of the lifecycle of some indices failed.',
        action: 'See the errors in [GET INDEX/_ilm/explain], then use [POST INDEX/_ilm/retry].',
        indices: failed,
      },
    ],
  };
}

function snapshotLifecycleIndicator({ cluster }: EngineContext): Indicator {
  const { snapshotLifecycle } = cluster;
  const count = Object.keys(snapshotLifecycle?.policies ?? {}).length;
  const isStopped = snapshotLifecycle?.isStopped ?? false;
  const details = { slm_status: isStopped ? 'STOPPED' : 'RUNNING', policies: count };
  if (count === 0) return { status: 'green', symptom: 'No Snapshot Lifecycle Management policies configured', details };
  if (isStopped) return { status: 'yellow', symptom: 'Snapshot Lifecycle Management is not running', details };
  return { status: 'green', symptom: 'Snapshot Lifecycle Management is running', details };
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
