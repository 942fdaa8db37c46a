// Values of the cluster settings that can be changed at run time. Names, kinds and bounds are those that Elasticsearch 8.15 answers with to
// `GET _cluster/settings?include_defaults` and to bad values; those of search backpressure are OpenSearch's.
import { parseByteSize } from '../../common/text/byte-size.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { parseFailureError } from '../../errors/search-errors.ts';
import { anything, boolean, bytes, enumConstant, float, integer, type SettingCheck, time } from './setting-checks.ts';

const PERCENTAGE = /^\d+(\.\d+)?%$/;

/** A size, or a part of the memory. */
const memory: SettingCheck = (name, value) => {
  if (!PERCENTAGE.test(value)) bytes(name, value);
};

/** A size, or a part of the disk. */
const watermark: SettingCheck = (name, value) => {
  const isShare = PERCENTAGE.test(value) || /^(0(\.\d+)?|1(\.0+)?)$/.test(value);
  if (isShare || parseByteSize(value) !== null) return;
  const reason = `unable to parse [${name}=${value}] as either percentage or bytes`;
  throw illegalArgumentError(reason, parseFailureError(reason));
};

/** One of some names, in any case. */
const named =
  (names: readonly string[], problem: (value: string, name: string) => string): SettingCheck =>
  (name, value) => {
    if (!names.includes(value.toLowerCase())) throw illegalArgumentError(problem(value, name));
  };

const above =
  (low: number, high = Number.MAX_VALUE): SettingCheck =>
  (name, value) => {
    float(-Number.MAX_VALUE, high)(name, value);
    if (Number(value) <= low) throw illegalArgumentError(`${name} must be > ${low}`);
  };

const DECIDER = 'org.elasticsearch.cluster.routing.allocation.decider.EnableAllocationDecider';

const BY_KIND: ReadonlyArray<readonly [SettingCheck, readonly string[]]> = [
  [
    anything,
    [
      'action.auto_create_index',
      'cluster.routing.allocation.awareness.attributes',
      'data_streams.auto_sharding.excludes',
      'http.tracer.exclude',
      'http.tracer.include',
      'search.aggs.allowed_inline_metric_scripts',
      'search.aggs.allowed_stored_metric_scripts',
      'transport.tracer.exclude',
      'transport.tracer.include',
    ],
  ],
  [
    boolean,
    [
      'action.destructive_requires_name',
      'cluster.auto_shrink_voting_configuration',
      'cluster.blocks.read_only',
      'cluster.blocks.read_only_allow_delete',
      'cluster.indices.close.enable',
      'cluster.routing.allocation.disk.threshold_enabled',
      'cluster.routing.allocation.enforce_default_tier_preference',
      'cluster.routing.allocation.same_shard.host',
      'cluster.routing.use_adaptive_replica_selection',
      'health.node.enabled',
      'health.periodic_logger.enabled',
      'http.client_stats.enabled',
      'indices.breaker.total.use_real_memory',
      'indices.id_field_data.enabled',
      'indices.recovery.use_snapshots',
      'monitor.fs.health.enabled',
      'search.aggs.only_allowed_metric_scripts',
      'search.aggs.rewrite_to_filter_by_filter',
      'search.allow_expensive_queries',
      'search.default_allow_partial_results',
      'search.low_level_cancellation',
      'search.query_phase_parallel_collection_enabled',
      'search.worker_threads_enabled',
      'snapshot.refresh_repo_uuid_on_restore',
    ],
  ],
  [
    integer(1),
    [
      'cluster.auto_sharding.max_write_threads',
      'cluster.auto_sharding.min_write_threads',
      'cluster.max_shards_per_node',
      'cluster.max_shards_per_node.frozen',
      'cluster.max_voting_config_exclusions',
      'cluster.snapshot.info.max_concurrent_fetches',
      'indices.mapping.max_in_flight_updates',
      'indices.recovery.max_concurrent_file_chunks',
      'indices.recovery.max_concurrent_operations',
      'indices.recovery.max_concurrent_snapshot_file_downloads',
      'indices.recovery.max_concurrent_snapshot_file_downloads_per_node',
      'snapshot.max_concurrent_operations',
    ],
  ],
  [
    time,
    [
      'cluster.info.update.interval',
      'cluster.info.update.timeout',
      'cluster.persistent_tasks.allocation.recheck_interval',
      'cluster.routing.allocation.desired_balance.progress_log_interval',
      'cluster.routing.allocation.desired_balance.undesired_allocations.log_interval',
      'cluster.routing.allocation.disk.reroute_interval',
      'cluster.service.slow_master_task_logging_threshold',
      'cluster.service.slow_task_logging_threshold',
      'cluster.service.slow_task_thread_dump_timeout',
      'data_streams.auto_sharding.decrease_shards.cooldown',
      'data_streams.auto_sharding.increase_shards.cooldown',
      'gateway.slow_write_logging_threshold',
      'health.periodic_logger.poll_interval',
      'health.reporting.local.monitor.interval',
      'health_node.transport_action_timeout',
      'indices.mapping.dynamic_timeout',
      'indices.recovery.internal_action_long_timeout',
      'indices.recovery.internal_action_retry_timeout',
      'indices.recovery.internal_action_timeout',
      'indices.recovery.recovery_activity_timeout',
      'indices.recovery.retry_delay_network',
      'indices.recovery.retry_delay_state_sync',
      'indices.replication.initial_retry_backoff_bound',
      'indices.replication.retry_timeout',
      'ingest_node.transport_action_timeout',
      'monitor.fs.health.slow_path_logging_threshold',
      'script.cache.expire',
      'search.default_keep_alive',
      'search.default_search_timeout',
      'search.max_keep_alive',
      'transport.slow_operation_logging_threshold',
    ],
  ],
  [
    float(0, Number.MAX_VALUE),
    [
      'cluster.routing.allocation.balance.disk_usage',
      'cluster.routing.allocation.balance.index',
      'cluster.routing.allocation.balance.shard',
      'cluster.routing.allocation.balance.threshold',
      'cluster.routing.allocation.balance.write_load',
      'cluster.routing.allocation.desired_balance.undesired_allocations.threshold',
      'indices.breaker.fielddata.overhead',
      'indices.breaker.request.overhead',
      'network.breaker.inflight_requests.overhead',
      'node.bandwidth.recovery.factor.read',
      'node.bandwidth.recovery.factor.write',
      'node.bandwidth.recovery.operator.factor',
      'node.bandwidth.recovery.operator.factor.read',
      'node.bandwidth.recovery.operator.factor.write',
    ],
  ],
  [integer(-1), ['cluster.routing.allocation.cluster_concurrent_rebalance', 'cluster.routing.allocation.total_shards_per_node']],
  [
    watermark,
    [
      'cluster.routing.allocation.disk.watermark.flood_stage',
      'cluster.routing.allocation.disk.watermark.flood_stage.frozen',
      'cluster.routing.allocation.disk.watermark.high',
      'cluster.routing.allocation.disk.watermark.low',
    ],
  ],
  [
    bytes,
    [
      'cluster.routing.allocation.disk.watermark.flood_stage.frozen.max_headroom',
      'cluster.routing.allocation.disk.watermark.flood_stage.max_headroom',
      'cluster.routing.allocation.disk.watermark.high.max_headroom',
      'cluster.routing.allocation.disk.watermark.low.max_headroom',
      'indices.recovery.max_bytes_per_sec',
      'search.max_async_search_response_size',
    ],
  ],
  [
    integer(0),
    [
      'cluster.routing.allocation.node_concurrent_incoming_recoveries',
      'cluster.routing.allocation.node_concurrent_outgoing_recoveries',
      'cluster.routing.allocation.node_concurrent_recoveries',
      'cluster.routing.allocation.node_initial_primaries_recoveries',
      'script.cache.max_size',
      'script.max_size_in_bytes',
      'search.max_buckets',
      'search.max_open_scroll_context',
    ],
  ],
  [
    memory,
    [
      'indices.breaker.fielddata.limit',
      'indices.breaker.request.limit',
      'indices.breaker.total.limit',
      'network.breaker.inflight_requests.limit',
    ],
  ],
  [float(1, Number.MAX_VALUE), ['node.bandwidth.recovery.operator.factor.max_overcommit']],
];

const TASKS = ['search_task', 'search_shard_task'];

/**
 * Settings of OpenSearch's search backpressure. Heavy requests have limits of their own here, so only modes that cancel no tasks are
 * accepted.
 */
const BACKPRESSURE: ReadonlyArray<readonly [string, SettingCheck]> = [
  ['search_backpressure.node_duress.num_successive_breaches', integer(1)],
  ['search_backpressure.node_duress.cpu_threshold', float(0, 1)],
  ['search_backpressure.node_duress.heap_threshold', float(0, 1)],
  ...TASKS.flatMap(
    (task): Array<readonly [string, SettingCheck]> => [
      [`search_backpressure.${task}.cancellation_burst`, float(1, Number.MAX_VALUE)],
      [`search_backpressure.${task}.cancellation_rate`, above(0)],
      [`search_backpressure.${task}.cancellation_ratio`, above(0, 1)],
      [`search_backpressure.${task}.elapsed_time_millis_threshold`, integer(0)],
      [`search_backpressure.${task}.cpu_time_millis_threshold`, integer(0)],
      [`search_backpressure.${task}.heap_percent_threshold`, float(0, 1)],
      [`search_backpressure.${task}.total_heap_percent_threshold`, float(0, 1)],
      [`search_backpressure.${task}.heap_variance`, float(0, Number.MAX_VALUE)],
      [`search_backpressure.${task}.heap_moving_average_window_size`, integer(0)],
    ],
  ),
];

const backpressureMode: SettingCheck = (name, value) => {
  named(['monitor_only', 'enforced', 'disabled'], (mode) => `Invalid SearchBackpressureMode: ${mode}`)(name, value);
  if (value.toLowerCase() === 'enforced')
    throw illegalArgumentError(`[${name}] cannot be [enforced]: no searches are ended under pressure here`);
};

/** Checks by the names of settings. */
const CLUSTER_SETTING_CHECKS: ReadonlyMap<string, SettingCheck> = new Map([
  ...BY_KIND.flatMap(([check, names]) => names.map((name): readonly [string, SettingCheck] => [name, check])),
  ['action.search.shard_count.limit', integer(1, 2 ** 63)],
  ['search.max_open_pit_context', integer(0)],
  // Fixed at the start of the servers.
  ['indices.query.bool.max_clause_count', integer(1)],
  ['cluster.routing.allocation.enable', enumConstant(`${DECIDER}.Allocation`, 'none', 'new_primaries', 'primaries', 'all')],
  ['cluster.routing.rebalance.enable', enumConstant(`${DECIDER}.Rebalance`, 'none', 'primaries', 'replicas', 'all')],
  [
    'cluster.routing.allocation.allow_rebalance',
    named(['always', 'indices_primaries_active', 'indices_all_active'], (value, name) => `Illegal value for [${name}]: ${value}`),
  ],
  [
    'cluster.no_master_block',
    named(['all', 'write', 'metadata_write'], (value) => `invalid no-master block [${value}], must be one of [all, write, metadata_write]`),
  ],
  [
    'cluster.persistent_tasks.allocation.enable',
    named(['none', 'all'], (value, name) => `Illegal value [${value.toUpperCase()}] for [${name}]`),
  ],
  [
    'search.aggs.tdigest_execution_hint',
    named(['default', 'high_accuracy'], (value) => `Invalid execution_hint [${value}], valid values are [default, high_accuracy]`),
  ],
]);

const OPENSEARCH_SETTING_CHECKS: ReadonlyMap<string, SettingCheck> = new Map([
  ['search_backpressure.mode', backpressureMode],
  ...BACKPRESSURE,
]);

/** The check of a setting; null for a name that no server has. */
export function clusterSettingCheck(name: string, isOpenSearch: boolean): SettingCheck | null {
  return CLUSTER_SETTING_CHECKS.get(name) ?? (isOpenSearch ? OPENSEARCH_SETTING_CHECKS.get(name) : null) ?? null;
}

/** Whether some setting has a name that starts so, as `cluster.routing.*` in requests that remove settings. */
export function hasClusterSetting(prefix: string): boolean {
  return [...CLUSTER_SETTING_CHECKS.keys(), ...OPENSEARCH_SETTING_CHECKS.keys()].some((name) => name.startsWith(prefix));
}
