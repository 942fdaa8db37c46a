// Columns of the `_cat` tables, with Elasticsearch's names, aliases and order.
import { statColumns } from './cat-stats.ts';
import { type Column, column, columnOf } from './cat-table.ts';

export const INDICES: readonly Column[] = [
  column('health', 'h', 'current health status'),
  column('status', 's', 'open/close status'),
  column('index', 'i,idx', 'index name'),
  column('uuid', 'id,uuid', 'index uuid'),
  column('pri', 'p,shards.primary,shardsPrimary', 'number of primary shards', '>'),
  column('rep', 'r,shards.replica,shardsReplica', 'number of replica shards', '>'),
  column('docs.count', 'dc,docsCount', 'available docs', '>'),
  column('docs.deleted', 'dd,docsDeleted', 'deleted docs', '>'),
  column('creation.date', 'cd', 'index creation date (millisecond value)', '-'),
  column('creation.date.string', 'cds', 'index creation date (as string)', '-'),
  column('store.size', 'ss,storeSize', 'store size of primaries & replicas', '>'),
  column('pri.store.size', '', 'store size of primaries', '>'),
  columnOf('showsDatasetSize', true, column('dataset.size', '', 'total size of dataset', '>')),
  ...statColumns('indices'),
  column('memory.total', 'tm,memoryTotal', 'total used memory', '>-'),
  column('pri.memory.total', '', 'total user memory', '>-'),
  column('search.throttled', 'sth', 'indicates if the index is search throttled', '-'),
];

const SHARD_STATISTICS = statColumns('shards');
/** Shown after the columns of sequence numbers. */
const LATE_SHARD_STATISTICS = /^(warmer|bulk|dense_vector|sparse_vector)\./;

export const SHARDS: readonly Column[] = [
  column('index', 'i,idx', 'index name'),
  column('shard', 's,sh', 'shard name', '>'),
  column('prirep', 'p,pr,primaryOrReplica', 'primary or replica'),
  column('state', 'st', 'shard state'),
  column('docs', 'd,dc', 'number of docs in shard', '>'),
  column('store', 'sto', 'store size of shard (how much disk it uses)', '>'),
  columnOf('showsDatasetSize', true, column('dataset', '', 'total size of dataset', '>')),
  column('ip', '', 'ip of node where it lives'),
  column('id', '', 'unique id of node where it lives', '-'),
  column('node', 'n', 'name of node where it lives'),
  column('sync_id', 'sync_id', 'sync id', '-'),
  column('unassigned.reason', 'ur', 'reason shard became unassigned', '-'),
  column('unassigned.at', 'ua', 'time shard became unassigned (UTC)', '-'),
  column('unassigned.for', 'uf', 'time has been unassigned', '>-'),
  column('unassigned.details', 'ud', 'additional details as to why the shard became unassigned', '-'),
  column('recoverysource.type', 'rs', 'recovery source type', '-'),
  ...SHARD_STATISTICS.filter(({ name }) => !LATE_SHARD_STATISTICS.test(name)),
  column('seq_no.max', 'sqm,maxSeqNo', 'max sequence number', '>-'),
  column('seq_no.local_checkpoint', 'sql,localCheckpoint', 'local checkpoint', '>-'),
  column('seq_no.global_checkpoint', 'sqg,globalCheckpoint', 'global checkpoint', '>-'),
  ...SHARD_STATISTICS.filter(({ name }) => name.startsWith('warmer.')),
  column('path.data', 'pd,dataPath', 'shard data path', '-'),
  column('path.state', 'ps,statsPath', 'shard state path', '-'),
  columnOf('namesClusterManager', true, column('docs.deleted', 'dd,docsDeleted', 'number of deleted docs in shard', '>-')),
  ...SHARD_STATISTICS.filter(({ name }) => /^(bulk|dense_vector|sparse_vector)\./.test(name)),
];

export const SEGMENTS: readonly Column[] = [
  column('index', 'i,idx', 'index name'),
  column('shard', 's,sh', 'shard name', '>'),
  column('prirep', 'p,pr,primaryOrReplica', 'primary or replica'),
  column('ip', '', 'ip of node where it lives'),
  column('id', '', 'unique id of node where it lives', '-'),
  column('segment', 'seg', 'segment name'),
  column('generation', 'g,gen', 'segment generation', '>'),
  column('docs.count', 'dc,docsCount', 'number of docs in segment', '>'),
  column('docs.deleted', 'dd,docsDeleted', 'number of deleted docs in segment', '>'),
  column('size', 'si', 'segment size in bytes', '>'),
  column('size.memory', 'sm,sizeMemory', 'segment memory in bytes', '>'),
  column('committed', 'ic,isCommitted', 'is segment committed'),
  column('searchable', 'is,isSearchable', 'is segment searched'),
  column('version', 'v,ver', 'version'),
  column('compound', 'ico,isCompound', 'is segment compound'),
];

export const HEALTH: readonly Column[] = [
  column('epoch', 't,time', 'seconds since 1970-01-01 00:00:00'),
  column('timestamp', 'ts,hms,hhmmss', 'time in HH:MM:SS'),
  column('cluster', 'cl', 'cluster name'),
  column('status', 'st', 'health status'),
  column('node.total', 'nt,nodeTotal', 'total number of nodes', '>'),
  column('node.data', 'nd,nodeData', 'number of nodes that can store data', '>'),
  columnOf(
    'namesClusterManager',
    true,
    column('discovered_cluster_manager', 'dcm,dm,discovered_master', 'cluster manager is discovered or not'),
  ),
  column('shards', 't,sh,shards.total,shardsTotal', 'total number of shards', '>'),
  column('pri', 'p,shards.primary,shardsPrimary', 'number of primary shards', '>'),
  column('relo', 'r,shards.relocating,shardsRelocating', 'number of relocating nodes', '>'),
  column('init', 'i,shards.initializing,shardsInitializing', 'number of initializing nodes', '>'),
  column('unassign', 'u,shards.unassigned,shardsUnassigned', 'number of unassigned shards', '>'),
  column('pending_tasks', 'pt,pendingTasks', 'number of pending tasks', '>'),
  column('max_task_wait_time', 'mtwt,maxTaskWaitTime', 'wait time of longest task pending', '>'),
  column('active_shards_percent', 'asp,activeShardsPercent', 'active number of shards in percent', '>'),
];

export const COUNT: readonly Column[] = [
  column('epoch', 't,time', 'seconds since 1970-01-01 00:00:00'),
  column('timestamp', 'ts,hms,hhmmss', 'time in HH:MM:SS'),
  column('count', 'dc,docs.count,docsCount', 'the document count'),
];

export const ALIASES: readonly Column[] = [
  column('alias', 'a', 'alias name'),
  column('index', 'i,idx', 'index alias points to'),
  column('filter', 'f,fi', 'filter'),
  column('routing.index', 'ri,routingIndex', 'index routing'),
  column('routing.search', 'rs,routingSearch', 'search routing'),
  column('is_write_index', 'w,isWriteIndex', 'write index'),
];

export const TEMPLATES: readonly Column[] = [
  column('name', 'n', 'template name'),
  column('index_patterns', 't', 'template index patterns'),
  column('order', 'o,p', 'template application order/priority number'),
  column('version', 'v', 'version'),
  column('composed_of', 'c', 'component templates comprising index template'),
];

export const COMPONENT_TEMPLATES: readonly Column[] = [
  column('name', 'n', 'component template name'),
  column('version', 'v', 'version'),
  column('alias_count', 'a', 'alias count'),
  column('mapping_count', 'm', 'mapping count'),
  column('settings_count', 's', 'settings count'),
  column('metadata_count', 'me', 'metadata count'),
  column('included_in', 'i', 'included in'),
];

export const NODES: readonly Column[] = [
  column('id', 'id,nodeId', 'unique node id', '-'),
  column('pid', 'p', 'process id', '-'),
  column('ip', 'i', 'ip address'),
  column('port', 'po', 'bound transport port', '-'),
  column('http_address', 'http', 'bound http address', '-'),
  column('version', 'v', 'es version', '-'),
  column('type', 't', 'es distribution type', '-'),
  column('build', 'b', 'es build hash', '-'),
  column('jdk', 'j', 'runtime version', '-'),
  column('disk.total', 'dt,diskTotal', 'total disk space', '>-'),
  column('disk.used', 'du,diskUsed', 'used disk space', '>-'),
  column('disk.avail', 'd,da,disk,diskAvail', 'available disk space', '>-'),
  column('disk.used_percent', 'dup,diskUsedPercent', 'used disk space percentage', '>-'),
  column('heap.current', 'hc,heapCurrent', 'used heap', '>-'),
  column('heap.percent', 'hp,heapPercent', 'used heap ratio', '>'),
  column('heap.max', 'hm,heapMax', 'max configured heap', '>-'),
  column('ram.current', 'rc,ramCurrent', 'used machine memory', '>-'),
  column('ram.percent', 'rp,ramPercent', 'used machine memory ratio', '>'),
  column('ram.max', 'rm,ramMax', 'total machine memory', '>-'),
  column('file_desc.current', 'fdc,fileDescriptorCurrent', 'used file descriptors', '>-'),
  column('file_desc.percent', 'fdp,fileDescriptorPercent', 'used file descriptor ratio', '>-'),
  column('file_desc.max', 'fdm,fileDescriptorMax', 'max file descriptors', '>-'),
  column('cpu', 'cpu', 'recent cpu usage', '>'),
  column('load_1m', 'l', '1m load avg', '>'),
  column('load_5m', 'l', '5m load avg', '>'),
  column('load_15m', 'l', '15m load avg', '>'),
  column('uptime', 'u', 'node uptime', '>-'),
  column('node.role', 'r,role,nodeRole', 'm:cluster manager eligible node, d:data node, i:ingest node, -:coordinating node only'),
  columnOf('namesClusterManager', true, column('node.roles', 'rs,all roles', 'roles of the node')),
  columnOf('namesClusterManager', true, column('cluster_manager', 'cm,m,master', '*:current cluster manager')),
  columnOf('namesClusterManager', false, column('master', 'm', '*:current master')),
  column('name', 'n', 'node name'),
  ...statColumns('nodes'),
];

export const ALLOCATION: readonly Column[] = [
  column('shards', 's', 'number of shards on node', '>'),
  column('disk.indices', 'di,diskIndices', 'disk used by indices', '>'),
  column('disk.used', 'du,diskUsed', 'disk used (total, not just by indices)', '>'),
  column('disk.avail', 'da,diskAvail', 'disk available', '>'),
  column('disk.total', 'dt,diskTotal', 'total capacity of all volumes', '>'),
  column('disk.percent', 'dp,diskPercent', 'percent disk used', '>'),
  column('host', 'h', 'host of node'),
  column('ip', '', 'ip of node'),
  column('node', 'n', 'name of node'),
];

export const MANAGER: readonly Column[] = [
  column('id', '', 'node id'),
  column('host', 'h', 'host name'),
  column('ip', '', 'ip address'),
  column('node', 'n', 'node name'),
];

export const RECOVERY: readonly Column[] = [
  column('index', 'i,idx', 'index name'),
  column('shard', 's,sh', 'shard name'),
  column('start_time', 'start', 'recovery start time', '-'),
  column('start_time_millis', 'start_millis', 'recovery start time in epoch milliseconds', '-'),
  column('stop_time', 'stop', 'recovery stop time', '-'),
  column('stop_time_millis', 'stop_millis', 'recovery stop time in epoch milliseconds', '-'),
  column('time', 't,ti', 'recovery time'),
  column('type', 'ty', 'recovery type'),
  column('stage', 'st', 'recovery stage'),
  column('source_host', 'shost', 'source host'),
  column('source_node', 'snode', 'source node name', '-'),
  column('target_host', 'thost', 'target host'),
  column('target_node', 'tnode', 'target node name', '-'),
  column('repository', 'rep', 'repository'),
  column('snapshot', 'snap', 'snapshot'),
  column('files', 'f', 'number of files to recover'),
  column('files_recovered', 'fr', 'files recovered'),
  column('files_percent', 'fp', 'percent of files recovered'),
  column('files_total', 'tf', 'total number of files'),
  column('bytes', 'b', 'number of bytes to recover'),
  column('bytes_recovered', 'br', 'bytes recovered'),
  column('bytes_percent', 'bp', 'percent of bytes recovered'),
  column('bytes_total', 'tb', 'total number of bytes'),
  column('translog_ops', 'to', 'number of translog ops to recover'),
  column('translog_ops_recovered', 'tor', 'translog ops recovered'),
  column('translog_ops_percent', 'top', 'percent of translog ops recovered'),
];

export const PLUGINS: readonly Column[] = [
  column('id', '', 'unique node id', '-'),
  column('name', 'n', 'node name'),
  column('component', 'c', 'component'),
  column('version', 'v', 'component version'),
  column('description', 'd', 'plugin details', '-'),
];

export const PENDING_TASKS: readonly Column[] = [
  column('insertOrder', 'o', 'task insertion order', '>'),
  column('timeInQueue', 't', 'how long task has been in queue', '>'),
  column('priority', 'p', 'task priority'),
  column('source', 's', 'task source'),
];

export const NODE_ATTRIBUTES: readonly Column[] = [
  column('node', 'name', 'node name'),
  column('id', 'id,nodeId', 'unique node id', '-'),
  column('pid', 'p', 'process id', '-'),
  column('host', 'h', 'host name'),
  column('ip', 'i', 'ip address'),
  column('port', 'po', 'bound transport port', '-'),
  column('attr', 'attr.name', 'attribute description'),
  column('value', 'attr.value', 'attribute value'),
];

export const FIELDDATA: readonly Column[] = [
  column('id', '', 'node id'),
  column('host', 'h', 'host name'),
  column('ip', '', 'ip address'),
  column('node', 'n', 'node name'),
  column('field', 'f', 'field name'),
  column('size', 's', 'field data usage', '>'),
];

export const THREAD_POOL: readonly Column[] = [
  column('node_name', 'nn', 'node name'),
  column('node_id', 'id', 'persistent node id', '-'),
  column('ephemeral_node_id', 'eid', 'ephemeral node id', '-'),
  column('pid', 'p', 'process id', '-'),
  column('host', 'h', 'host name', '-'),
  column('ip', 'i', 'ip address', '-'),
  column('port', 'po', 'bound transport port', '-'),
  column('name', 'n', 'thread pool name'),
  column('type', 't', 'thread pool type', '-'),
  column('active', 'a', 'number of active threads', '>'),
  column('pool_size', 'psz', 'number of threads', '>-'),
  column('queue', 'q', 'number of tasks currently in queue', '>'),
  column('queue_size', 'qs', 'maximum number of tasks permitted in queue', '>-'),
  column('rejected', 'r', 'number of rejected tasks', '>'),
  column('largest', 'l', 'highest number of seen active threads', '>-'),
  column('completed', 'c', 'number of completed tasks', '>-'),
  column('core', 'cr', 'core number of threads in a scaling thread pool', '>-'),
  column('max', 'mx', 'maximum number of threads in a scaling thread pool', '>-'),
  column('size', 'sz', 'number of threads in a fixed thread pool', '>-'),
  column('keep_alive', 'ka', 'thread keep alive time', '>-'),
  columnOf('namesClusterManager', true, column('total_wait_time', 'twt', 'total time tasks spent waiting in thread_pool queue', '>-')),
];

export const SEGMENT_REPLICATION: readonly Column[] = [
  column('shardId', 's', 'shard Id'),
  column('target_node', 'tnode', 'target node'),
  column('target_host', 'thost', 'target host'),
  column('checkpoints_behind', 'cpb', 'checkpoints behind'),
  column('bytes_behind', 'bb', 'bytes behind'),
  column('current_lag', 'clag', 'ongoing time elapsed waiting for replica to catch up to primary'),
  column('last_completed_lag', 'lcl', 'time taken for replica to catch up to latest primary refresh'),
  column('rejected_requests', 'rr', 'count of rejected requests for the replication group'),
];

export const TASKS: readonly Column[] = [
  column('id', '', 'id of the task with the node', '-'),
  column('action', 'ac', 'task action'),
  column('task_id', 'ti', 'unique task id'),
  column('parent_task_id', 'pti', 'parent task id'),
  column('type', 'ty', 'task type'),
  column('start_time', 'start', 'start time in ms'),
  column('timestamp', 'ts,hms,hhmmss', 'start time in HH:MM:SS'),
  column('running_time_ns', 'time', 'running time ns', '-'),
  column('running_time', 'time', 'running time'),
  column('node_id', 'ni', 'unique node id', '-'),
  column('ip', 'i', 'ip address'),
  column('port', 'po', 'bound transport port', '-'),
  column('node', 'n', 'node name'),
  column('version', 'v', 'es version', '-'),
  column('x_opaque_id', 'x', 'X-Opaque-ID header', '-'),
];

/** The columns of detailed lists of tasks. */
export const DETAILED_TASKS: readonly Column[] = [
  ...TASKS,
  column('description', 'desc', 'task action'),
  columnOf('namesClusterManager', true, column('resource_stats', '', 'resource consumption info of the task', '-')),
];

export const REPOSITORIES: readonly Column[] = [
  column('id', 'id,repoId', 'unique repository id'),
  column('type', 't,type', 'repository type', '>'),
];

export const SNAPSHOTS: readonly Column[] = [
  column('id', 'id,snapshot', 'unique snapshot'),
  columnOf('namesClusterManager', false, column('repository', 're,repo', 'repository name')),
  column('status', 's,status', 'snapshot name', '>'),
  column('start_epoch', 'ste,startEpoch', 'start time in seconds since 1970-01-01 00:00:00'),
  column('start_time', 'sti,startTime', 'start time in HH:MM:SS'),
  column('end_epoch', 'ete,endEpoch', 'end time in seconds since 1970-01-01 00:00:00'),
  column('end_time', 'eti,endTime', 'end time in HH:MM:SS'),
  column('duration', 'dur,duration', 'duration', '>'),
  column('indices', 'i,indices', 'number of indices', '>'),
  column('successful_shards', 'ss,successful_shards', 'number of successful shards', '>'),
  column('failed_shards', 'fs,failed_shards', 'number of failed shards', '>'),
  column('total_shards', 'ts,total_shards', 'number of total shards', '>'),
  column('reason', 'r,reason', 'reason for failures', '-'),
];
